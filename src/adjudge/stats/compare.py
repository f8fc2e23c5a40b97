"""`adjudge compare`: is one system better than another, on the items that both answered?

Every metric of the second side is held against the first's: the difference with its interval, how likely one
as large is by chance alone (sign-flip permutation of items, corrected by Holm over all that is compared), how
large it is against the spread of items, and what could have been seen with so many items at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, zip_longest
from pathlib import Path

import msgspec
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.metrics.fold import SMALL
from adjudge.metrics.resample import measure_of
from adjudge.run.settings import matches, unknown_metric
from adjudge.stats.difference import NO_DIFFERENCE, Difference, Verdict, difference_of
from adjudge.stats.paired import Pairs, Side, pair, pairing, read_sides
from adjudge.stats.permute import RESAMPLES, Contest, bootstrap_differences, holm, permutation_p_values
from adjudge.stats.signatures import check_signatures
from adjudge.types import FORMAT

ALPHA = 0.05


class Comparison(Struct, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """All differences, and what to know about them."""

    systems: tuple[str, ...]
    paired_on: dict[str, str]
    resamples: int
    tests: int
    only: dict[str, dict[str, int]]
    """Samples (or items) of one side that the other has not, by the second side's name."""
    warnings: tuple[str, ...]
    rows: tuple[Difference, ...]


def compare_runs(
    folders: Sequence[Path],
    *,
    systems: str | None = None,
    metrics: Sequence[str] = (),
    by: Sequence[str] = (),
    force: bool = False,
    resamples: int = RESAMPLES,
    moved: int = 5,
) -> Comparison:
    """Compare run folders, or the systems within one; each against the first."""
    sides = read_sides(folders, systems, by)
    return compare_sides(sides, metrics=metrics, force=force, resamples=resamples, moved=moved)


def compare_sides(
    sides: Sequence[Side],
    *,
    metrics: Sequence[str] = (),
    force: bool = False,
    resamples: int = RESAMPLES,
    moved: int = 5,
) -> Comparison:
    """Each side against the first. Holm's correction is over all metrics, groups and sides."""
    first, *others = sides
    rows: list[Difference] = []
    warnings: list[str] = []
    only = {}
    paired_on: dict[str, str] = {}
    for second in others:
        warnings += check_signatures(first, second, limited=bool(metrics), force=force)
        names = _wanted(first, second, metrics)
        how = pairing(first, second)
        paired_on[second.name] = how
        keys = (first.ids, second.ids) if how == "sample" else (first.items, second.items)
        only[second.name] = {
            first.name: len(keys[0] - keys[1]),
            second.name: len(keys[1] - keys[0]),
        }
        found = list(pair(first, second, names))
        if not found:
            _nothing_paired(first, second, names)
        warnings += _uneven(found, first.name, second.name)
        rows += _differences(found, (first.name, second.name), resamples, moved)
    rows = _corrected(rows)
    return Comparison(
        systems=tuple(side.name for side in sides),
        paired_on=paired_on,
        resamples=resamples,
        tests=sum(row.p is not None for row in rows),
        only=only,
        warnings=tuple(dict.fromkeys(warnings)),
        rows=tuple(rows),
    )


def _wanted(first: Side, second: Side, metrics: Sequence[str]) -> list[str]:
    """Metrics both have: those named, or all shares (counts make the correction harsher for little)."""
    shared = [spec for name, spec in first.specs.items() if name in second.specs]
    if not metrics:
        chosen = [spec.name for spec in shared if spec.scale == "unit"]
    else:
        for name in metrics:
            if not any(matches(spec, name) for spec in shared):
                raise UsageError(unknown_metric(name, shared))
        chosen = [spec.name for spec in shared if any(matches(spec, name) for name in metrics)]
    if not chosen:
        raise UsageError(f"{first.name} and {second.name} have no metric in common")
    return chosen


def _nothing_paired(first: Side, second: Side, names: Sequence[str]) -> None:
    """Refuse what groups keep apart; metrics that one side has nothing of are no such thing."""
    groups = [{group for name, group in side.columns if name in names} for side in (first, second)]
    if all(groups) and groups[0].isdisjoint(groups[1]):
        shown = [
            "; ".join(sorted(", ".join(f"{name} {value}" for name, value in group) for group in found)[:3])
            for found in groups
        ]
        raise UsageError(
            f"{first.name} and {second.name} have no group in common ({shown[0]} against {shown[1]});"
            " group by an attribute that has the same values in both"
        )


def _uneven(found: Sequence[Pairs], first: str, second: str) -> list[str]:
    """Items that one side answered more often than the other are not the same items any more."""
    uneven = [
        pairs.spec.name
        for pairs in found
        if len(pairs.items) and (pairs.tables[0][:, 0] != pairs.tables[1][:, 0]).any()
    ]
    if not uneven:
        return []
    return [
        f"{first} and {second} have unequal numbers of samples for the same items ({', '.join(uneven[:3])}"
        f"{' …' if len(uneven) > 3 else ''}): if these differ in more than the system, group them with --by"
    ]


def _differences(
    found: Sequence[Pairs], names: tuple[str, str], resamples: int, moved: int
) -> list[Difference]:
    """All metrics; those over the same items share their resamples."""
    rows: dict[int, Difference] = {}
    order = sorted(range(len(found)), key=lambda at: found[at].items)
    for items, group in groupby(order, key=lambda at: found[at].items):
        places = list(group)
        contests = [Contest(*found[at].tables, measure_of(found[at].spec, found[at].names)) for at in places]
        p_values = permutation_p_values(contests, resamples) if items else []
        large = bootstrap_differences(contests, resamples) if len(items) >= SMALL else []
        for at, contest, p, drawn in zip_longest(places, contests, p_values, large):
            rows[at] = difference_of(found[at], names, contest, p, drawn, moved)
    return [rows[at] for at in range(len(found))]


def _corrected(rows: Sequence[Difference]) -> list[Difference]:
    """Holm's p-values and what they come to."""
    tested = [row for row in rows if row.p is not None]
    corrected = iter(holm([row.p for row in tested if row.p is not None]))
    done = []
    for row in rows:
        if row.p is None or row.difference is None:
            done.append(row)
            continue
        p = next(corrected)
        verdict: Verdict = NO_DIFFERENCE
        if p < ALPHA and row.difference != 0:
            verdict = "better" if (row.difference > 0) == row.higher_is_better else "worse"
        reason = row.reason
        if reason is None and verdict == NO_DIFFERENCE and row.p < ALPHA:
            reason = "seen alone it would count; among so many tests it does not"
        done.append(msgspec.structs.replace(row, p_holm=p, verdict=verdict, reason=reason))
    return done
