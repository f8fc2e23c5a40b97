"""Overlap of spans, and one-to-one matching of gold with predicted violations. Pure.

A pair (gold, predicted) is eligible if three values are strictly above their gates: the overlap of their
characters, the likeness of their rules, and the weighted score of the pair. The score is rounded to 12 digits
before it is compared, so that noise in the last bits neither opens a gate nor breaks a tie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.metrics.ratios import ratio
from adjudge.types import Span

_DIGITS = 12


class Gates(NamedTuple):
    """What a pair must exceed. `rule` is None where the data carries no rules."""

    overlap: float = 0.0
    rule: float | None = 0.01
    match: float = 0.5


class Pair(NamedTuple):
    """A gold violation against a predicted one, both by position."""

    gold: int
    pred: int
    text: float
    rule: float | None
    score: float


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same positions as sorted spans that neither overlap nor touch; empty spans vanish."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def length(spans: Iterable[Span]) -> int:
    """Number of distinct positions."""
    return sum(end - start for start, end in union(spans))


def overlap(first: Sequence[Span], second: Sequence[Span]) -> tuple[int, int]:
    """Number of positions in both, and in either."""
    if len(first) == 1 and len(second) == 1:
        (a, b), (c, d) = first[0], second[0]
        if a < b and c < d:
            shared = max(0, min(b, d) - max(a, c))
            return shared, b - a + d - c - shared
    shared, one, two = 0, union(first), union(second)
    i = j = 0
    while i < len(one) and j < len(two):
        shared += max(0, min(one[i][1], two[j][1]) - max(one[i][0], two[j][0]))
        if one[i][1] <= two[j][1]:
            i += 1
        else:
            j += 1
    return shared, length(one) + length(two) - shared


def iou(first: Sequence[Span], second: Sequence[Span]) -> float:
    """Shared positions over all positions; 0 where there are none."""
    return ratio(*overlap(first, second)) or 0.0


def weigh(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted score of a pair from the values of its terms."""
    return sum(weight * values[term] for term, weight in weights.items())


def failing(pair: Pair, gates: Gates) -> tuple[str, ...]:
    """Which gates the pair does not pass, in words; none if it may match."""
    found = []
    if not pair.text > gates.overlap:
        found.append(f"text overlap {pair.text:.4g} is not above {gates.overlap:g}")
    if gates.rule is not None and not (pair.rule is not None and pair.rule > gates.rule):
        likeness = "missing" if pair.rule is None else f"{pair.rule:.4g}"
        found.append(f"rule similarity {likeness} is not above {gates.rule:g}")
    if not round(pair.score, _DIGITS) > gates.match:
        found.append(f"score {pair.score:.4g} is not above {gates.match:g}")
    return tuple(found)


def eligible(pairs: Iterable[Pair], gates: Gates) -> list[Pair]:
    """Pairs above all three gates, best first; equal scores by gold position, then predicted position."""
    passed = [
        pair
        for pair in pairs
        if pair.text > gates.overlap
        and (gates.rule is None or (pair.rule is not None and pair.rule > gates.rule))
        and round(pair.score, _DIGITS) > gates.match
    ]
    return sorted(passed, key=lambda pair: (-round(pair.score, _DIGITS), pair.gold, pair.pred))


def greedy(pairs: Iterable[Pair], gates: Gates) -> list[Pair]:
    """Best eligible pair first, each gold and prediction once; a pair that fails a gate is passed over."""
    golds: set[int] = set()
    preds: set[int] = set()
    matched = []
    for pair in eligible(pairs, gates):
        if pair.gold not in golds and pair.pred not in preds:
            golds.add(pair.gold)
            preds.add(pair.pred)
            matched.append(pair)
    return matched


def optimal(pairs: Iterable[Pair], gates: Gates) -> list[Pair]:
    """The one-to-one choice of eligible pairs with the highest total score; of equal totals, most pairs."""
    matched: list[Pair] = []
    for component in _components(eligible(pairs, gates)):
        golds = sorted({pair.gold for pair in component})
        preds = sorted({pair.pred for pair in component})
        if len(golds) == 1 or len(preds) == 1:
            matched.append(component[0])
            continue
        worth = dict(zip([pair[:2] for pair in component], _worths(component), strict=True))
        if len(golds) <= len(preds):
            columns = assign([[worth.get((gold, pred), 0) for pred in preds] for gold in golds])
            chosen = {(golds[row], preds[column]) for row, column in enumerate(columns)}
        else:
            columns = assign([[worth.get((gold, pred), 0) for gold in golds] for pred in preds])
            chosen = {(golds[column], preds[row]) for row, column in enumerate(columns)}
        matched.extend(pair for pair in component if pair[:2] in chosen)
    return sorted(matched, key=lambda pair: (-round(pair.score, _DIGITS), pair.gold, pair.pred))


def _worths(pairs: Sequence[Pair]) -> list[int]:
    """Scores as whole numbers, so that adding them is exact; the +1 makes more pairs win a tie."""
    return [round(pair.score * 10**_DIGITS) * (len(pairs) + 1) + 1 for pair in pairs]


def _components(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Pairs grouped so that no gold or prediction is in two groups; order within a group is kept."""
    by_gold: dict[int, list[Pair]] = defaultdict(list)
    by_pred: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_gold[pair.gold].append(pair)
        by_pred[pair.pred].append(pair)
    group: dict[int, int] = {}
    for root in by_gold:
        waiting = [] if root in group else [root]
        while waiting:
            gold = waiting.pop()
            if gold not in group:
                group[gold] = root
                waiting.extend(other.gold for pair in by_gold[gold] for other in by_pred[pair.pred])
    found: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[group[pair.gold]].append(pair)
    return list(found.values())


def assign(worths: Sequence[Sequence[int]]) -> list[int]:
    """For each row a column of its own so that the total worth is highest (rows <= columns).

    The Hungarian method with potentials: rows join one at a time, each along a cheapest augmenting path.
    """
    rows, columns = len(worths), len(worths[0]) if worths else 0
    row_price = [0] * (rows + 1)
    column_price = [0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], here = row, 0
        slack: list[int | None] = [None] * (columns + 1)
        before = [0] * (columns + 1)
        done = [False] * (columns + 1)
        while owner[here]:
            done[here] = True
            current, step, best = owner[here], None, 0
            for column in range(1, columns + 1):
                if done[column]:
                    continue
                cost = -worths[current - 1][column - 1] - row_price[current] - column_price[column]
                known = slack[column]
                if known is None or cost < known:
                    slack[column], before[column], known = cost, here, cost
                if step is None or known < step:
                    step, best = known, column
            assert step is not None, "more rows than columns"
            for column in range(columns + 1):
                if done[column]:
                    row_price[owner[column]] += step
                    column_price[column] -= step
                elif (left := slack[column]) is not None:
                    slack[column] = left - step
            here = best
        while here:
            owner[here] = owner[before[here]]
            here = before[here]
    chosen = [0] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            chosen[owner[column] - 1] = column - 1
    return chosen
