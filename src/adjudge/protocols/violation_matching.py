"""From labels of pairs to matches, counts and reasons. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from adjudge.metrics.ratios import scored, tally
from adjudge.metrics.spans import Gates, Pair, failing, greedy, optimal, weigh
from adjudge.protocols.violation_families import Scheme
from adjudge.types import Count, Label, Labelled, MetricSpec, Score, Unit

Values = dict[str, float | str]
"""Value of each term of a pair, or the reason why it has none."""


class Board(NamedTuple):
    """All violations of a sample by id, and the values of its labelled pairs by position."""

    golds: list[str]
    preds: list[str]
    values: dict[tuple[int, int], Values]


class Matching(NamedTuple):
    """Matched pairs, best first, and the counts they give; `tp` once by golds and once by predictions."""

    pairs: list[Pair]
    golds_matched: Count
    preds_matched: Count
    missed: Count
    spurious: Count


class PairReport(Struct, frozen=True):
    """One labelled pair and what became of it: matched, below a threshold, or lost to a better pair."""

    gold: str
    pred: str
    values: dict[str, float | None]
    score: float | None
    matched: bool
    why: str


def sides(units: Sequence[Unit]) -> tuple[list[Unit], list[Unit]]:
    """The gold and the predicted units, each in order."""
    return (
        [unit for unit in units if unit.id.startswith("gold:")],
        [unit for unit in units if unit.id.startswith("pred:")],
    )


def board(labelled: Labelled) -> Board | str:
    """The board of a sample, or why its labels cannot be used."""
    golds, preds = ([unit.id for unit in side] for side in sides(labelled.units))
    gold_at = {id: index for index, id in enumerate(golds)}
    pred_at = {id: index for index, id in enumerate(preds)}
    table: dict[tuple[int, int], Values] = {}
    for label in labelled.labels:
        gold, pred = gold_at.get(label.unit), pred_at.get(label.against or "")
        if gold is None or pred is None:
            return "a label speaks of a violation that is not among the units"
        values = table.get((gold, pred))
        if values is None:
            values = table[gold, pred] = {}
        values[label.name] = _number(label)
    return Board(golds, preds, table)


def _number(label: Label) -> float | str:
    if isinstance(label.value, (bool, int, float)):
        return float(label.value)
    return label.reason or f"{label.value!r} is not a number"


def weighed(at: tuple[int, int], values: Values, scheme: Scheme, clamp: bool) -> Pair | str | None:
    """The pair with its score; None if a closed gate makes a missing value irrelevant; or what is missing."""
    known = {term: value for term in scheme.terms if isinstance(value := values.get(term), float)}
    text, rule, gates = known.get("text"), known.get("rule"), scheme.gates
    if text is not None and len(known) == len(scheme.terms):
        likes = {term: max(0.0, value) for term, value in known.items()} if clamp else known
        return Pair(at[0], at[1], text, rule, weigh(likes, scheme.weights))
    if text is not None and not text > gates.overlap:
        return None
    if gates.rule is not None and rule is not None and not rule > gates.rule:
        return None
    term = next(term for term in scheme.terms if term not in known)
    return f"a pair has no value for {term!r}: {values.get(term, 'not labelled')}"


def weigh_all(on: Board, scheme: Scheme, clamp: bool) -> list[Pair] | str:
    """All pairs that have a score; or the value whose absence leaves the matches open."""
    pairs = []
    for at, values in on.values.items():
        pair = weighed(at, values, scheme, clamp)
        if isinstance(pair, str):
            return pair
        if pair is not None:
            pairs.append(pair)
    return pairs


def match(on: Board, pairs: list[Pair], gates: Gates, best: bool) -> Matching:
    """One-to-one matches: best pair first, or the best assignment."""
    matched = (optimal if best else greedy)(pairs, gates)
    golds, preds = {pair.gold for pair in matched}, {pair.pred for pair in matched}
    return Matching(
        matched,
        tally("tp", [on.golds[pair.gold] for pair in matched]),
        tally("tp", [on.preds[pair.pred] for pair in matched]),
        tally("fn", [id for index, id in enumerate(on.golds) if index not in golds]),
        tally("fp", [id for index, id in enumerate(on.preds) if index not in preds]),
    )


def measure(spec: MetricSpec, kind: str, found: Matching) -> Score:
    """One metric of a sample that has violations on at least one side."""
    if kind == "precision":
        empty = None if found.preds_matched.n or found.spurious.n else (0.0, "no predictions")
        return scored(spec, (found.preds_matched, found.spurious), convention=empty)
    matched, missed = found.golds_matched, found.missed
    if kind == "recall":
        empty = None if matched.n or missed.n else (0.0, "no gold violations")
        return scored(spec, (matched, missed), convention=empty)
    if kind == "f1":
        return scored(spec, (matched, found.spurious, missed))
    amounts = tuple([pair.score for pair in found.pairs])
    total = Count("score", sum(amounts), matched.units, amounts)
    if kind == "mean":
        return scored(spec, (total, matched), empty="no pair matched")
    return scored(spec, (total, matched, missed), empty="no gold violations")


def report(labelled: Labelled, scheme: Scheme, clamp: bool, best: bool) -> list[PairReport] | str:
    """What became of every labelled pair and why, in the order of the labels; or why nothing was matched."""
    on = board(labelled)
    if isinstance(on, str):
        return on
    pairs = weigh_all(on, scheme, clamp)
    if isinstance(pairs, str):
        return pairs
    found = match(on, pairs, scheme.gates, best)
    scores = {pair[:2]: pair for pair in pairs}
    winners = {("gold", pair.gold): pair for pair in found.pairs}
    winners |= {("pred", pair.pred): pair for pair in found.pairs}
    reports = []
    for at, values in on.values.items():
        pair, matched = scores.get(at), False
        winner = winners.get(("gold", at[0])) or winners.get(("pred", at[1]))
        if pair is None:
            why = "text overlap or rule similarity is not above its threshold"
        elif winner == pair:
            matched, why = True, "matched"
        else:
            why = "; ".join(failing(pair, scheme.gates))
            if not why and winner is not None:
                why = f"{on.golds[winner.gold]} went to {on.preds[winner.pred]} with score {winner.score:.4g}"
        shown = {term: v if isinstance(v := values.get(term), float) else None for term in scheme.terms}
        score = pair.score if pair is not None else None
        reports.append(PairReport(on.golds[at[0]], on.preds[at[1]], shown, score, matched, why))
    return reports
