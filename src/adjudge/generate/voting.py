"""Several opinions on one text made one: what most of them flag stays, where most of them flag it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.metrics.spans import iou, union
from adjudge.segment.quotes import place
from adjudge.types import Span, Violation

ALIKE = 0.5
"""Overlap from which two flags of one rule are one violation."""


class Flag(Struct, frozen=True):
    """A violation, its place, and which opinion it is from."""

    voter: int
    spans: tuple[Span, ...]
    violation: Violation


def vote(opinions: Sequence[Sequence[Violation]], text: str) -> tuple[Violation, ...]:
    """Violations that more than half of the opinions hold, in the order of the text.

    Flags of one rule form a group if each overlaps the group's first by at least `ALIKE`; an opinion counts
    once in a group. Its spans are the characters that more than half of its flags cover; words come from the
    flag most like the others. Flags that stand nowhere in the text cannot be counted, and are dropped.
    """
    if not opinions:
        raise UsageError("a vote needs at least one opinion")
    groups: list[list[Flag]] = []
    for flag in _flags(opinions, text):
        for group in groups:
            first = group[0]
            if first.violation.rule == flag.violation.rule and iou(first.spans, flag.spans) >= ALIKE:
                if flag.voter not in {other.voter for other in group}:
                    group.append(flag)
                break
        else:
            groups.append([flag])
    kept = [_merged(group) for group in groups if 2 * len(group) > len(opinions)]
    return tuple(sorted(kept, key=lambda one: (one.spans or (), one.rule or "")))


def _flags(opinions: Sequence[Sequence[Violation]], text: str) -> Iterator[Flag]:
    for voter, opinion in enumerate(opinions):
        for one in opinion:
            spans = place(text, one.spans, one.quote).choices[0]
            if spans:
                yield Flag(voter, tuple(spans), one)


def _merged(group: Sequence[Flag]) -> Violation:
    votes: dict[int, int] = {}
    for flag in group:
        for start, end in union(flag.spans):
            for at in range(start, end):
                votes[at] = votes.get(at, 0) + 1
    most = union((at, at + 1) for at, number in votes.items() if 2 * number > len(group))
    medoid = max(group, key=lambda flag: sum(iou(flag.spans, other.spans) for other in group))
    return msgspec.structs.replace(medoid.violation, spans=most or medoid.spans, quote=None)
