"""Labels and grids in words, unit by unit, for people who open a score in `inspect view`."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.errors import InputError
from adjudge.segment.units import unit_text
from adjudge.types import Grid, Label, Record, Sample, Unit

WORDS = 70
_CELLS = {
    "e": "entailed by",
    "c": "contradicted by",
    "x": "verdict not recognised on",
    "-": "no verdict on",
}


def verdicts(record: Record) -> dict[str, str]:
    """`claim:response:0` to `The door is green. → entailed by reference; contradicted by ctx:1`."""
    told: dict[str, list[str]] = {unit.id: [] for unit in record.units}
    for grid in record.grids:
        for row, words in _grid_words(grid):
            told.setdefault(row, []).append(words)
    for label in record.labels:
        told.setdefault(label.unit, []).append(_label_words(label))
    units = {unit.id: unit for unit in record.units}
    return {
        unit: f"{_words(units.get(unit), record.sample)}{'; '.join(parts)}"
        for unit, parts in told.items()
        if parts
    }


def _grid_words(grid: Grid) -> Iterator[tuple[str, str]]:
    """Each row with what it was found to be; neutral is said only where nothing else is."""
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        parts = []
        for cell, words in _CELLS.items():
            against = [column for column, found in zip(grid.columns, cells, strict=True) if found == cell]
            if against:
                parts.append(f"{words} {', '.join(against)}")
        yield row, "; ".join(parts) or "neutral"


def _label_words(label: Label) -> str:
    if label.value is None:
        value = f"none ({label.reason})"
    elif isinstance(label.value, bool):  # 1 is no yes: it may be a number of claims
        value = "yes" if label.value else "no"
    else:
        value = str(label.value)
    against = f" against {label.against}" if label.against else ""
    why = f" ({_shorten(label.why)})" if label.why else ""
    return f"{label.name}{against}: {value}{why}"


def _words(unit: Unit | None, sample: Sample | None) -> str:
    """A unit's words and an arrow; nothing for one that is a whole field, which the log shows anyway."""
    if unit is None or sample is None or (unit.text is None and not unit.spans):
        return ""
    try:
        text = unit_text(unit, sample)
    except InputError:
        return ""
    return "" if text == sample.response else f"{_shorten(text)} → "


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 1]}…"
