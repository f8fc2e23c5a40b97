"""`adjudge agree`: how far a judge agrees with people, and people with one another.

Three levels: by the name of a label over all units; the same apart by kind of unit and what it was held
against; and by sample, the metric that follows from the judge's labels against that from a person's. People
agree only so far among themselves: their agreement is the ceiling for any judge's, and stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal

import msgspec
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.stats.ceiling import joint_alpha
from adjudge.stats.estimates import Estimate, Kind, Observed, estimates
from adjudge.stats.raters import Place, Rated, Rater, kind_of, match_units, matched_values
from adjudge.types import FORMAT, Attribute, Value

LEVELS = ("label", "unit", "sample")
Level = Literal["label", "unit", "sample"]
LISTED = 20
"""Disagreements listed a row."""

Group = tuple[tuple[str, Attribute], ...]
Name = tuple[str, str, str, Group]
"""Protocol, label or metric, kind of unit, group."""


class Disagreement(Struct, frozen=True, omit_defaults=True):
    """One unit on which the two do not say the same."""

    sample: str
    unit: str
    first: Value
    second: Value
    against: str | None = None


class AgreeRow(Struct, frozen=True, kw_only=True):
    """Two raters on one label or metric."""

    level: Level
    protocol: str
    name: str
    part: str
    group: dict[str, Attribute]
    first: str
    second: str
    ceiling: bool
    """Whether both are people."""
    kind: Kind
    pairs: int
    missing: int
    """Pairs left out because either has no value."""
    items: int
    statistics: dict[str, Estimate]
    disagreements: tuple[Disagreement, ...] = ()


class Joint(Struct, frozen=True, kw_only=True):
    """Krippendorff's alpha of three or more people at once; that of two stands in their row."""

    level: Level
    protocol: str
    name: str
    raters: tuple[str, ...]
    units: int
    alpha: Estimate


class Agreement(Struct, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """All rows, and what could not be held against each other."""

    first: str
    others: tuple[str, ...]
    rows: tuple[AgreeRow, ...]
    joint: tuple[Joint, ...]
    unmatched: dict[str, dict[str, int]]
    """By the other rater: samples and judged units that only one of the two has."""
    warnings: tuple[str, ...]


def agree(
    first: Rater,
    others: Sequence[Rater],
    *,
    levels: Iterable[str] = ("label", "sample"),
    statistics: Sequence[str] = (),
    metrics: frozenset[str] | None = None,
    by: Sequence[str] = (),
) -> Agreement:
    """One rater against the others, and the people among those against each other."""
    wanted = [level for level in LEVELS if level in set(levels)]
    rows: list[AgreeRow] = []
    warnings: list[str] = []
    unmatched = {}
    for other in others:
        own = sum(rated.by == other.name for key, rated in first.rated.items() if key in other.rated)
        both = sum(key in other.rated for key in first.rated)
        if own and own == both:
            raise UsageError(
                f"the labels of this run are those of {other.name} themselves, which agree with themselves;"
                " have a judge label the samples: 'adjudge run FILE --labels judge'"
            )
        if not both:
            raise UsageError(f"{first.name} and {other.name} have no labelled sample in common")
        if own:
            warnings.append(f"{own} samples were scored from the labels of {other.name} and are left out")
        unmatched[other.name] = _unmatched(first, other)
        rows += _rows(first, other, wanted, statistics, metrics, by)
    people = [other for other in others if other.human]
    for one, two in combinations(people, 2):
        rows += _rows(one, two, wanted, statistics, metrics, by)
    if not rows:
        raise UsageError("the raters share samples, but no label and no score: there is nothing to compare")
    return Agreement(
        first=first.name,
        others=tuple(other.name for other in others),
        rows=tuple(rows),
        joint=tuple(_joint(people, wanted)) if len(people) > 2 else (),
        unmatched=unmatched,
        warnings=tuple(warnings),
    )


def _shared(first: Rater, second: Rater) -> Iterator[tuple[str, str, Rated, Rated]]:
    """Samples that both rated, each on its own."""
    for (protocol, sample), mine in first.rated.items():
        theirs = second.rated.get((protocol, sample))
        if theirs is not None and mine.by != theirs.by:
            yield protocol, sample, mine, theirs


def _rows(
    first: Rater,
    second: Rater,
    levels: Sequence[str],
    statistics: Sequence[str],
    metrics: frozenset[str] | None,
    by: Sequence[str],
) -> list[AgreeRow]:
    rows: list[AgreeRow] = []
    for level in levels:
        tables: dict[Name, _Table] = {}
        for protocol, sample, mine, theirs in _shared(first, second):
            group: Group = tuple((name, mine.attributes.get(name)) for name in by)
            if level == "sample":
                _add_scores(tables, protocol, sample, mine, theirs, group, metrics)
            elif metrics is None or any(name.startswith(f"{protocol}.") for name in metrics):
                _add_labels(tables, protocol, sample, mine, theirs, group, apart=level == "unit")
        for (protocol, name, part, group), table in tables.items():
            pairs = table.observed()
            kept = [at for at, value in enumerate(pairs.truth) if None not in (value, pairs.guess[at])]
            row = AgreeRow(
                level=level,  # type: ignore[arg-type]
                protocol=protocol,
                name=name,
                part=part,
                group=dict(group),
                first=first.name,
                second=second.name,
                ceiling=first.human and second.human,
                kind=pairs.kind,
                pairs=len(kept),
                missing=len(pairs.truth) - len(kept),
                items=len({pairs.items[at] for at in kept}),
                statistics=estimates(pairs, statistics),
                disagreements=tuple(table.apart[:LISTED]),
            )
            if row.statistics:
                rows.append(row)
    return rows


class _Table(Struct):
    """Pairs of values as they are found."""

    pairs: Observed = msgspec.field(default_factory=lambda: Observed([], [], [], []))
    apart: list[Disagreement] = msgspec.field(default_factory=list)

    def add(self, item: str, place: Disagreement, sure: float | None = None) -> None:
        self.pairs.truth.append(place.second)
        self.pairs.guess.append(place.first)
        self.pairs.items.append(item)
        self.pairs.sure.append(sure)
        if place.first != place.second and len(self.apart) < LISTED:
            self.apart.append(place)

    def observed(self) -> Observed:
        """The pairs; where one side says yes or no and the other 0 or 1, both as yes and no."""
        pairs = self.pairs
        both = [*pairs.truth, *pairs.guess]
        if set(both) <= {0, 1, None} and any(isinstance(value, bool) for value in both):
            pairs.truth, pairs.guess = _flags(pairs.truth), _flags(pairs.guess)
        return pairs


def _flags(values: Sequence[Value]) -> list[Value]:
    return [None if value is None else bool(value) for value in values]


def _add_labels(
    tables: dict[Name, _Table],
    protocol: str,
    sample: str,
    mine: Rated,
    theirs: Rated,
    group: Group,
    *,
    apart: bool,
) -> None:
    for place, value, other in matched_values(mine, theirs):
        name, unit, against = place
        part = ""
        if apart:
            part = kind_of(unit) if against is None else f"{kind_of(unit)} against {kind_of(against)}"
        table = tables.setdefault((protocol, name, part, group), _Table())
        table.add(mine.item, Disagreement(sample, unit, value, other, against), mine.sure.get(place))


def _add_scores(
    tables: dict[Name, _Table],
    protocol: str,
    sample: str,
    mine: Rated,
    theirs: Rated,
    group: Group,
    metrics: frozenset[str] | None,
) -> None:
    for metric in {**mine.scores, **theirs.scores}:
        if metrics is not None and metric not in metrics:
            continue
        one, other = (rated.scores.get(metric, rated.overall) for rated in (mine, theirs))
        table = tables.setdefault((protocol, metric, "", group), _Table())
        table.add(mine.item, Disagreement(sample, metric, one, other))


def _unmatched(first: Rater, second: Rater) -> dict[str, int]:
    """What could not be paired: never silently."""
    alone, lost, strange = 0, 0, 0
    for key, mine in first.rated.items():
        theirs = second.rated.get(key)
        if theirs is None:
            alone += 1
            continue
        same = match_units(mine, theirs)
        judged = {unit for _, unit, _ in mine.values}
        lost += len(judged - set(same.values())) if theirs.values else 0
        strange += len({unit for _, unit, _ in theirs.values} - set(same))
    found = {
        f"samples of {first.name} only": alone,
        f"samples of {second.name} only": len(second.rated.keys() - first.rated.keys()),
        f"units of {first.name} only": lost,
        f"units of {second.name} only": strange,
    }
    return {what: n for what, n in found.items() if n}


def _joint(people: Sequence[Rater], levels: Sequence[str]) -> Iterator[Joint]:
    """All people at once, label by label and metric by metric, in the first person's terms."""
    names = tuple(person.name for person in people)
    found: dict[tuple[Level, str, str], dict[tuple[str, Place], list[Value]]] = {}
    items: dict[str, str] = {}
    keys = dict.fromkeys(key for person in people for key in person.rated)
    for protocol, sample in keys:
        rated = [person.rated.get((protocol, sample)) for person in people]
        frame = next(one for one in rated if one is not None)
        items[sample] = frame.item
        for at, one in enumerate(rated):
            if one is None:
                continue
            for level, name, place, value in _spoken(frame, one, levels):
                units = found.setdefault((level, protocol, name), {})
                units.setdefault((sample, place), [None] * len(people))[at] = value
    for (level, protocol, name), units in found.items():
        rows = list(units.values())
        alpha = joint_alpha(rows, [items[sample] for sample, _ in units])
        judged = sum(sum(value is not None for value in row) > 1 for row in rows)
        yield Joint(level=level, protocol=protocol, name=name, raters=names, units=judged, alpha=alpha)


def _spoken(frame: Rated, one: Rated, levels: Sequence[str]) -> Iterator[tuple[Level, str, Place, Value]]:
    """What one person says of a sample, in another's terms."""
    if "label" in levels or "unit" in levels:
        same = match_units(frame, one) if one is not frame else None
        for (name, unit, against), value in one.values.items():
            mine = unit if same is None else same.get(unit)
            other = against if same is None or against is None else same.get(against)
            if mine is not None and (against is None) == (other is None):
                yield "label", name, (name, mine, other), value
    if "sample" in levels:
        for metric, score in one.scores.items():
            yield "sample", metric, (metric, "", None), score
