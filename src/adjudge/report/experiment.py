"""The outcome of an experiment for people: tables that keep judge, stored, published and floors apart; plots.

Takes the outcome as the plain JSON that `--json` prints, so that a stored one is shown the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

_KINDS = {"judge": "", "people": "people", "stored": "stored", "published": "published", "floor": "floor"}
_SIZE, _MARGIN, _TICKS = 480, 56, 5


def outcome_parts(outcome: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Tables, notes and signatures, to print one after another."""
    from rich.text import Text

    for table in outcome["tables"]:
        yield _table(table)
        for note in (*table.get("notes", ()), *below_floors(table)):
            yield Text(f"note: {note}")
        yield Text("")
    for note in outcome.get("notes", ()):
        yield Text(f"note: {note}")
    yield Text(f"judge: {outcome['judge'] or 'none'}; {outcome['samples']} samples")
    for signature in outcome["signatures"].values():
        yield Text(signature)


def _table(table: Mapping[str, Any]) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(table["title"]), title_justify="left")
    shown.add_column("")
    shown.add_column("from", no_wrap=True)
    for column in table["columns"]:
        shown.add_column(column, no_wrap=True)
    shown.add_column("n", justify="right")
    last = ""
    for row in table["rows"]:
        if last and row["kind"] != last:
            shown.add_section()
        last = row["kind"]
        figures = [row["figures"].get(column, {}) for column in table["columns"]]
        sizes = {figure["n"] for figure in figures if "n" in figure}
        size = str(max(sizes)) if sizes else ""
        cells = [figure_text(figure, percent=table.get("percent", False)) for figure in figures]
        shown.add_row(Text(row["name"]), _KINDS.get(row["kind"], row["kind"]), *map(Text, cells), size)
    return shown


def below_floors(table: Mapping[str, Any]) -> list[str]:
    """Columns in which the judge does no better than a trivial rule, in words."""
    judged = [row["figures"] for row in table["rows"] if row["kind"] == "judge"][:1]
    notes = []
    for column in table["columns"] if judged else ():
        sign = -1 if column in table.get("lower", ()) else 1
        own = judged[0].get(column, {}).get("value")
        floors = {
            row["name"]: row["figures"].get(column, {}).get("value")
            for row in table["rows"]
            if row["kind"] == "floor"
        }
        known = {name: value for name, value in floors.items() if value is not None}
        if own is None or not known:
            continue
        best = max(known, key=lambda name: sign * known[name])
        if sign * own <= sign * known[best]:
            ours, theirs = (_number(x, table.get("percent", False)) for x in (own, known[best]))
            notes.append(f"{column}: the judge ({ours}) does not beat a trivial rule ({best}, {theirs})")
    return notes


def figure_text(figure: Mapping[str, Any], *, percent: bool = False) -> str:
    """`0.634 [0.552, 0.692]`, or in percent `63.38 [55.24, 69.21]`; a dash where there is no value."""
    value = figure.get("value")
    if value is None:
        return "–"
    text = _number(value, percent)
    interval = figure.get("interval")
    if interval is None:
        return text
    return f"{text} [{_number(interval[0], percent)}, {_number(interval[1], percent)}]"


def _number(value: float, percent: bool) -> str:
    return f"{100 * value:.2f}" if percent else f"{value:.3f}"


def scatter_svg(title: str, x: str, y: str, points: Sequence[tuple[float, float]]) -> str:
    """A scatter plot as a small SVG: both axes from 0 to the same end, with the line of agreement."""
    end = _nice(max((value for point in points for value in point), default=1.0))
    inner = _SIZE - 2 * _MARGIN

    def across(value: float) -> str:
        return f"{_MARGIN + value / end * inner:.1f}"

    def up(value: float) -> str:
        return f"{_SIZE - _MARGIN - value / end * inner:.1f}"

    middle, low = _SIZE / 2, _SIZE - _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}"'
        f' height="{_SIZE}" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="white"/>',
        f'<text x="{middle}" y="28" text-anchor="middle" font-size="15">{escape(title)}</text>',
        f'<text x="{middle}" y="{_SIZE - 14}" text-anchor="middle">{escape(x)}</text>',
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
        f"{escape(y)}</text>",
        f'<line x1="{across(0)}" y1="{up(0)}" x2="{across(end)}" y2="{up(end)}" stroke="#bbb"'
        ' stroke-dasharray="4 4"/>',
        f'<path d="M{_MARGIN} {_MARGIN}V{low}H{_SIZE - _MARGIN}" fill="none" stroke="black"/>',
    ]
    for k in range(_TICKS + 1):
        at = end * k / _TICKS
        parts.append(f'<text x="{across(at)}" y="{low + 18}" text-anchor="middle">{at:g}</text>')
        parts.append(f'<text x="{_MARGIN - 8}" y="{up(at)}" dy="4" text-anchor="end">{at:g}</text>')
    parts += [
        f'<circle cx="{across(a)}" cy="{up(b)}" r="3" fill="#1f5fa8" fill-opacity="0.45"/>' for a, b in points
    ]
    return "\n".join([*parts, "</svg>", ""])


def _nice(highest: float) -> float:
    """The end of an axis: 1, 2, 2.5, 5 or 10 times a power of ten, not below the highest value."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= highest)
