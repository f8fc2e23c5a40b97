"""Scores folded over samples: order-free, mergeable, flat in memory.

Sums are kept as whole numbers of 2^-120, so a mean is the correctly rounded exact mean whatever the order of
samples, and the fold of two halves is the fold of the whole. For intervals each item's sums are kept; above
`ITEMS` items they are joined in `BUCKETS` hash buckets, which are then what is resampled.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args
from zlib import crc32

from adjudge.metrics.ratios import evaluate
from adjudge.metrics.resample import interval_of, is_rate, measure_of, wilson_interval
from adjudge.types import Ability, Attribute, MetricSpec, Score, State, SummaryRow

ITEMS = 4096
BUCKETS = 2048
REASONS = 20
SMALL = 100
"""Below this many items nothing is resampled: Wilson's interval, or its like for what is no plain rate."""
FEW = 10
"""Below this many items the bootstrap says more than it knows, so there is no interval."""

_STATES: tuple[State, ...] = ("defined", "by_convention", "unscored", "not_applicable")
_SHIFT = 120
_GRAIN = 2.0**32

GroupKey = tuple[tuple[str, Attribute], ...]


def _exact(value: float) -> int:
    """The value in units of 2^-120: exact for anything a score or count can be."""
    return value << _SHIFT if isinstance(value, int) else int(math.ldexp(value, _SHIFT))


def _coarse(value: float) -> float:
    """The value in whole 2^-32, so that sums of it in floating point are exact, hence order-free."""
    return float(value) if isinstance(value, int) else round(value * _GRAIN) / _GRAIN


class Cell:
    """One metric over the samples of one group."""

    __slots__ = (
        *("buckets", "constants", "empty", "items", "names"),
        *("reasons", "spec", "states", "sums", "sums_defined"),
    )

    def __init__(self, spec: MetricSpec) -> None:
        self.spec = spec
        self.states: dict[State, int] = dict.fromkeys(_STATES, 0)
        self.empty = 0
        """Samples the metric would speak of, had they anything to divide by: not applicable, with counts."""
        self.reasons: Counter[str] = Counter()
        self.names: list[str] = []
        self.constants: set[str] = set()
        self.sums: list[int] = [0]
        self.sums_defined: list[int] = [0]
        self.items: dict[str, list[float]] | None = {}
        self.buckets: list[array[float]] = []

    def add(self, item: str, score: Score) -> None:
        self.states[score.state] += 1
        value = score.value
        if value is None:
            if score.state == "unscored" and score.reason is not None:
                self._note(score.reason, 1)
            elif score.counts:
                self.empty += 1
            return
        counts = score.counts
        if len(self.names) != len(counts) or any(
            name != count.name for name, count in zip(self.names, counts, strict=True)
        ):
            self._learn(score)
            named = {count.name: count.n for count in counts}
            numbers = [value, *(named.get(name, 0) for name in self.names)]
        else:
            numbers = [value, *(count.n for count in counts)]
        exact = [_exact(number) for number in numbers]
        sums = self.sums
        for index, number in enumerate(exact):
            sums[index] += number
        if score.state == "defined":
            sums = self.sums_defined
            for index, number in enumerate(exact):
                sums[index] += number
        self._add_row(item, [1.0, *map(_coarse, numbers)])

    def _learn(self, score: Score) -> None:
        """Make room for counts not seen before."""
        for count in score.counts:
            if count.name not in self.names:
                self._add_name(count.name)
            if count.constant:
                self.constants.add(count.name)

    def _add_name(self, name: str) -> None:
        self.names.append(name)
        self.sums.append(0)
        self.sums_defined.append(0)
        for row in (self.items or {}).values():
            row.append(0.0)
        if self.items is None:
            self.buckets.append(array("d", bytes(8 * BUCKETS)))

    def _note(self, reason: str, times: int) -> None:
        known = reason in self.reasons or len(self.reasons) < REASONS
        self.reasons[reason if known else "other reasons"] += times

    def _add_row(self, item: str, row: list[float]) -> None:
        if self.items is not None:
            known = self.items.get(item)
            if known is not None:
                for index, number in enumerate(row):
                    known[index] += number
                return
            if len(self.items) < ITEMS:
                self.items[item] = row
                return
            self._join_in_buckets()
        bucket = crc32(item.encode("utf-8", "surrogatepass")) % BUCKETS
        for column, number in zip(self.buckets, row, strict=True):
            column[bucket] += number

    def _join_in_buckets(self) -> None:
        items, self.items = self.items or {}, None
        self.buckets = [array("d", bytes(8 * BUCKETS)) for _ in range(2 + len(self.names))]
        for item, row in items.items():
            self._add_row(item, row)

    def merge(self, other: Cell) -> None:
        """Take in what another cell of the same metric and group has seen."""
        for state, number in other.states.items():
            self.states[state] += number
        for reason, number in other.reasons.items():
            self._note(reason, number)
        self.constants |= other.constants
        self.empty += other.empty
        for name in other.names:
            if name not in self.names:
                self._add_name(name)
        order = [0, *(1 + self.names.index(name) for name in other.names)]
        for at, exact, defined in zip(order, other.sums, other.sums_defined, strict=True):
            self.sums[at] += exact
            self.sums_defined[at] += defined
        if other.items is not None:
            for item, row in other.items.items():
                self._add_row(item, self._reordered(row, order))
        else:
            if self.items is not None:
                self._join_in_buckets()
            for at, column in zip([0, *(1 + index for index in order)], other.buckets, strict=True):
                mine = self.buckets[at]
                for bucket, amount in enumerate(column):
                    mine[bucket] += amount

    def _reordered(self, row: Sequence[float], order: Sequence[int]) -> list[float]:
        mine = [0.0] * (2 + len(self.names))
        mine[0] = row[0]
        for at, number in zip(order, row[1:], strict=True):
            mine[1 + at] = number
        return mine

    def row(self, group: Mapping[str, Attribute], *, intervals: bool = True) -> SummaryRow:
        """The fold so far."""
        spec = self.spec
        other: dict[str, float | None] = {
            fold: self._value(fold, self.sums) for fold in spec.folds if fold != spec.headline
        }
        value = self._value(spec.headline, self.sums)
        if value is None and self.empty:
            value = spec.empty_fold
        defined = self._value(spec.headline, self.sums_defined, defined=True)
        return SummaryRow(
            metric=spec.name,
            group=dict(group),
            fold=spec.headline,
            scale=spec.scale,
            value=value,
            value_defined=defined,
            interval=self._interval() if intervals else None,
            other=other,
            samples={state: n for state, n in self.states.items() if n},
            items=len(self.items) if self.items is not None else self._scored,
            counts={
                name: _number(total)
                for name, total in zip(self.names, self.sums[1:], strict=True)
                if name not in self.constants
            },
            reasons=dict(sorted(self.reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
        )

    @property
    def _scored(self) -> int:
        return self.states["defined"] + self.states["by_convention"]

    def _value(self, fold: str, sums: Sequence[int], *, defined: bool = False) -> float | None:
        number = self.states["defined"] if defined else self._scored
        if not number:
            return None
        if fold == "macro":
            return sums[0] / (number << _SHIFT)
        counts = {name: _number(total) for name, total in zip(self.names, sums[1:], strict=True)}
        value = evaluate(self.spec.formula, counts)
        # Nothing to divide in the whole group: then every sample has its value by convention, and so has it.
        return sums[0] / (number << _SHIFT) if value is None else value

    def _interval(self) -> tuple[float, float] | None:
        rows = self._table()
        if self.spec.binary and 2 <= len(rows) < SMALL and is_rate(rows):
            return wilson_interval(sum(row[1] for row in rows), len(rows))
        if len(rows) < FEW:
            return None
        import numpy as np

        found = interval_of(
            np.asarray(rows, dtype=np.float64),
            measure_of(self.spec, self.names),
            share=self.spec.scale == "unit",
            small=SMALL,
        )
        if found is not None and self.spec.scale == "count":
            return max(0.0, found[0]), found[1]  # a mean of counts is never below 0
        return found

    def _table(self) -> list[Sequence[float]]:
        """Rows of (samples, value sum, counts …), in an order that does not depend on the input's."""
        if self.items is not None:
            return [self.items[item] for item in sorted(self.items)]
        return [row for row in zip(*self.buckets, strict=True) if row[0]]


def _number(exact: int) -> int | float:
    """A sum back from units of 2^-120: an int if whole."""
    whole, rest = divmod(exact, 1 << _SHIFT)
    return whole if rest == 0 else exact / (1 << _SHIFT)


class SummaryFold:
    """All cells of a run. `groupings` are the attribute names of each view, per protocol."""

    def __init__(
        self, specs: Iterable[MetricSpec], groupings: Mapping[str, Sequence[tuple[str, ...]]]
    ) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self.groupings = {protocol: tuple(dict.fromkeys(views)) for protocol, views in groupings.items()}
        self._cells: dict[str, dict[GroupKey, dict[str, Cell]]] = {name: {} for name in self.groupings}

    def add(
        self, protocol: str, item: str, attributes: Mapping[str, Attribute], scores: Iterable[Score]
    ) -> None:
        """Take in one sample's scores under one protocol."""
        groups = self._cells[protocol]
        for names in self.groupings[protocol]:
            key: GroupKey = tuple([(name, attributes.get(name)) for name in names])
            cells = groups.get(key)
            if cells is None:
                cells = groups[key] = {}
            for score in scores:
                cell = cells.get(score.metric)
                if cell is None:
                    cell = cells[score.metric] = Cell(self.specs[score.metric])
                cell.add(item, score)

    def merge(self, other: SummaryFold) -> None:
        """Take in another fold of the same shape."""
        for protocol, groups in other._cells.items():
            mine = self._cells[protocol]
            for key, cells in groups.items():
                known = mine.setdefault(key, {})
                for metric, cell in cells.items():
                    if metric not in known:
                        known[metric] = Cell(cell.spec)
                    known[metric].merge(cell)

    def rows(self, *, intervals: bool = True) -> list[SummaryRow]:
        """One row a metric and group: groups in a natural order, metrics in their specs' order."""
        rank = {name: index for index, name in enumerate(self.specs)}
        found: list[tuple[Any, SummaryRow]] = []
        for place, (protocol, groups) in enumerate(self._cells.items()):
            views = self.groupings[protocol]
            for key, cells in groups.items():
                view = views.index(tuple(name for name, _ in key))
                order = tuple(sort_key(value, name) for name, value in key)
                found.extend(
                    ((place, view, order, rank[metric]), cell.row(dict(key), intervals=intervals))
                    for metric, cell in cells.items()
                )
        found.sort(key=lambda pair: pair[0])
        return [row for _, row in found]


_ABILITIES = {name: index for index, name in enumerate(get_args(Ability))}


def sort_key(value: Attribute, name: str = "") -> tuple[int, float, str]:
    """Numbers by size, then texts, then what is missing; abilities as the benchmark lists them."""
    if name == "ability" and isinstance(value, str):
        return (1, _ABILITIES.get(value, len(_ABILITIES)), value)
    if value is None:
        return (2, 0.0, "")
    if isinstance(value, (bool, int, float)):
        return (0, float(value), "")
    return (1, 0.0, value)
