"""RGB's numbers of a run laid beside those that the paper published."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.types import Attribute, Summary, SummaryRow

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

BY = ("system", "language", "noise")
"""Attributes that a summary must be folded by to be laid beside the paper."""
NOISE = (0.0, 0.2, 0.4, 0.6, 0.8)
INTEGRATION = (0.0, 0.2, 0.4)


class Cell(Struct, frozen=True):
    """One number of a table: which metric, of which ability, at which noise (None: no documents shown)."""

    heading: str
    ability: str
    metric: str
    noise: float | None


class Unscored(Struct, frozen=True):
    """A number of ours that does not speak of all samples."""

    model: str
    column: str
    samples: int
    """How many have no score."""
    scored: int
    reasons: dict[str, int]

    def __str__(self) -> str:
        whole = self.samples + self.scored
        return f"{self.model}, {self.column}: {self.samples} of {whole} unscored: {'; '.join(self.reasons)}"


class Comparison(Struct, frozen=True):
    """One ability in one language: columns, our rows, the paper's. Values are 0 to 1, or None."""

    title: str
    columns: tuple[str, ...]
    ours: dict[str, tuple[float | None, ...]]
    published: dict[str, tuple[float | None, ...]]
    unscored: tuple[Unscored, ...] = ()


def _accuracy(ability: str, rates: Sequence[float]) -> tuple[Cell, ...]:
    return tuple(Cell(f"noise {rate:g}", ability, "rgb.accuracy_official", rate) for rate in rates)


TABLES: dict[str, tuple[str, tuple[Cell, ...]]] = {
    "noise": ("noise robustness: accuracy", _accuracy("noise", NOISE)),
    "rejection": (
        "negative rejection",
        (
            Cell("Rej", "rejection", "rgb.rejection_official", 1.0),
            Cell("Rej*", "rejection", "rgb.rejection_judge", 1.0),
            Cell("Rej (words)", "rejection", "rgb.rejection", 1.0),
        ),
    ),
    "integration": ("information integration: accuracy", _accuracy("integration", INTEGRATION)),
    "counterfactual": (
        "counterfactual robustness",
        (
            Cell("Acc", "closed_book", "rgb.accuracy_official", None),
            Cell("Acc_doc", "counterfactual", "rgb.accuracy_official", 0.0),
            Cell("ED", "counterfactual", "rgb.error_detection_official", 0.0),
            Cell("ED*", "counterfactual", "rgb.error_detection_judge", 0.0),
            Cell("CR", "counterfactual", "rgb.error_correction_judge", 0.0),
            Cell("CR (script)", "counterfactual", "rgb.error_correction_official", 0.0),
            Cell("ED (words)", "counterfactual", "rgb.error_detection", 0.0),
            Cell("corrected of all", "counterfactual", "rgb.error_correction", 0.0),
        ),
    ),
}
"""The paper's tables, and columns of our own behind them. CR is over errors that a judge found detected, the
script's over those pointed out in the fixed words; `corrected of all` does not ask for detection."""


_FLEXIBLE = (("rgb.accuracy", ", flexible match"),)
_ALSO = {"noise": _FLEXIBLE, "integration": _FLEXIBLE}
"""Further rows for each of our models: another metric in place of the paper's."""


@cache
def published() -> dict[str, Any]:
    """The figures as rgb_published.toml has them, in percent."""
    return tomllib.loads((files("adjudge.report") / "rgb_published.toml").read_text("utf-8"))


_Rows = dict[tuple[Attribute, ...], SummaryRow]
"""By metric, ability, system, language and noise."""


def comparisons(summary: Summary) -> Iterator[Comparison]:
    """The paper's tables for every language and ability that the run speaks of; fold it by `BY` first."""
    rows: _Rows = {
        (row.metric, *(row.group.get(name) for name in ("ability", *BY))): row
        for row in summary.rows
        if set(BY) <= row.group.keys()
    }
    languages = sorted({str(key[3]) for key in rows if key[3] is not None})
    systems = list(dict.fromkeys(key[2] for key in rows))
    for language in languages:
        for ability, (title, paper) in TABLES.items():
            cells = _with_other_rates(ability, paper, rows)
            ours: dict[str, tuple[float | None, ...]] = {}
            unscored: list[Unscored] = []
            for system in systems:
                for metric, suffix in (("", ""), *_ALSO.get(ability, ())):
                    found = [
                        rows.get((metric or cell.metric, cell.ability, system, language, cell.noise))
                        for cell in cells
                    ]
                    numbers = tuple(None if row is None else row.value for row in found)
                    if any(number is not None for number in numbers):
                        name = _name(system) + suffix
                        ours[name] = numbers
                        unscored += _unscored(name, cells, found)
            if ours:
                columns = tuple(cell.heading for cell in cells)
                theirs = _theirs(language, ability, [cell in paper for cell in cells])
                yield Comparison(f"{title}, {language}", columns, ours, theirs, tuple(unscored))


def _with_other_rates(ability: str, paper: tuple[Cell, ...], rows: _Rows) -> tuple[Cell, ...]:
    """The paper's columns, and for a curve over noise those of other rates that the run has."""
    if ability not in ("noise", "integration"):
        return paper
    rates = {cell.noise for cell in paper} | {key[4] for key in rows if key[1] == ability}
    return _accuracy(ability, sorted({float(rate) for rate in rates if isinstance(rate, int | float)}))


def _unscored(name: str, cells: Sequence[Cell], found: Sequence[SummaryRow | None]) -> Iterator[Unscored]:
    for cell, row in zip(cells, found, strict=True):
        if row is not None and (missing := row.samples.get("unscored", 0)):
            scored = row.samples.get("defined", 0) + row.samples.get("by_convention", 0)
            yield Unscored(name, cell.heading, missing, scored, row.reasons)


def _name(system: Attribute) -> str:
    return "this run" if system is None else str(system)


def _theirs(language: str, ability: str, in_paper: Sequence[bool]) -> dict[str, tuple[float | None, ...]]:
    """The paper's figures, in those columns that it has."""
    found = {}
    for model, figures in published().get(language, {}).items():
        numbers = iter(figures.get(ability, ()))
        if ability in figures:
            theirs = (next(numbers, None) if there else None for there in in_paper)
            found[model] = tuple(None if figure is None else figure / 100 for figure in theirs)
    return found


def comparison_tables(summary: Summary) -> Iterator[Table | Text]:
    """The same for the terminal: our models first, the paper's below, and then what has no score and why."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from adjudge.report.table import percent

    for entry in comparisons(summary):
        table = Table(
            title=f"rgb {entry.title} (%)",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        table.add_column("model", overflow="fold")
        for column in entry.columns:
            table.add_column(column, justify="right", no_wrap=True)
        for name, numbers in entry.ours.items():
            table.add_row(Text(name), *map(percent, numbers), end_section=name == list(entry.ours)[-1])
        for name, numbers in entry.published.items():
            table.add_row(Text(f"{name} (published)", style="dim"), *map(percent, numbers))
        yield table
        for note in entry.unscored:
            yield Text(f"  {note}", style="dim")
