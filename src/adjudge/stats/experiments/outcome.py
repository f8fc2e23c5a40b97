"""What an experiment is asked and what it finds: tables of figures, each row with where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from adjudge.judges.base import Judge
from adjudge.types import FORMAT

Kind = Literal["judge", "people", "stored", "published", "floor"]
"""Measured here with the judge; from people's own labels; from predictions that came with the data;
as printed in a paper; a trivial rule that any judge must beat."""


class Figure(Struct, frozen=True, omit_defaults=True):
    """One number; `reason` says why it has no value, or no interval."""

    value: float | None = None
    interval: tuple[float, float] | None = None
    """95 % percentile bootstrap over independent items."""
    n: int | None = None
    p: float | None = None
    reason: str | None = None


class Row(Struct, frozen=True):
    """Who predicted, and how well."""

    name: str
    kind: Kind
    figures: dict[str, Figure]


class Table(Struct, frozen=True):
    """Rows under the same columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    percent: bool = False
    """Printed times 100 with two decimals, as the source does, and not as 0.123."""
    notes: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    """Columns in which less is better."""


class Plot(Struct, frozen=True):
    """Points of a scatter plot."""

    name: str
    x: str
    y: str
    points: tuple[tuple[float, float], ...]


class Outcome(Struct, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """What `--json` prints."""

    experiment: str
    judge: str | None
    signatures: dict[str, str]
    samples: int
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()


class Result(Struct, frozen=True, kw_only=True):
    """The outcome, and what is written to files beside it."""

    outcome: Outcome
    document: dict[str, Any] | None = None
    """In the reference tool's own form, where it has one."""
    document_name: str = ""
    plots: tuple[Plot, ...] = ()


def _silent(_: int) -> None:
    pass


class Request(Struct, frozen=True, kw_only=True):
    """What to run; a field that an experiment has no use for is left at its default."""

    data: Path | None = None
    judge: Judge | None = None
    """None: only what is stored and what follows from the data alone."""
    only: tuple[str, ...] = ()
    """Names of the files or subsets to take; all if empty."""
    limit: int | None = None
    """At most so many of each file, chosen by a fixed seed."""
    out: Path | None = None
    """Folder for run folders, which makes a run resumable."""
    overwrite: bool = False
    resamples: int = 1000
    concurrency: int = 32
    on_progress: Callable[[int], None] = _silent
    steps: bool = False
    evidence: str | None = None
    parts: tuple[str, ...] = ()
    """factscore: identify, rate, entire."""
    samples: int = -1
    """factscore: responses drawn from all files together, as the reference tool draws them."""
    split: str = "test"
    """ragbench."""


def published(name: str, values: dict[str, float], kind: Kind = "published") -> Row:
    """A row of figures that somebody printed."""
    return Row(name, kind, {column: Figure(value) for column, value in values.items()})


def chosen(names: Sequence[str], request: Request, what: str) -> list[str]:
    """The names asked for, in order; one that is not there is an error that lists what is."""
    from adjudge.errors import UsageError

    unknown = [name for name in request.only if name not in names]
    if unknown:
        raise UsageError(f"there is no {what} {unknown[0]!r}; there are {', '.join(names)}")
    return [name for name in names if not request.only or name in request.only]
