"""What a leaderboard of checkers is; computed by `stats.leaderboard`, shown by `report.leaderboard`."""

from __future__ import annotations

from msgspec import Struct


class Cell(Struct, frozen=True):
    """A metric of a checker."""

    value: float | None
    interval: tuple[float, float] | None = None
    reason: str | None = None


class Standing(Struct, frozen=True, kw_only=True):
    """A checker and how it did."""

    checker: str
    about: str = ""
    samples: int
    flagged: int
    missing: int = 0
    """Samples of the split that it has no predictions for."""
    metrics: dict[str, Cell]
    behind: Cell | None = None
    """How much higher the first one's ranking metric is, on items that both have; None for the first."""


class Board(Struct, frozen=True, kw_only=True):
    """Checkers on one split, best first."""

    split: str
    description: str = ""
    samples: int
    violations: int
    ranked_by: str
    standings: tuple[Standing, ...]
    signature: str
    warnings: tuple[str, ...] = ()
