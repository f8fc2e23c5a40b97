"""How gold and predicted violations of a sample become units, and what is asked of each pair of them.

Only pairs that share a character are labelled: the overlap gate is strict and never below 0, so no other pair
can match. A quote that occurs several times stands where fewest violations of its rule on its own side stand
already; of such places where it fits the other side best: where its overlap plus 1 for an equal rule is
highest; then where it touches fewest of its own; then leftmost. Golds are placed first, by the predictions
whose place is certain, then predictions by golds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from adjudge.judges.base import Judge, Question, Reply, Similarity
from adjudge.metrics.ratios import ratio
from adjudge.metrics.spans import iou, overlap
from adjudge.segment.quotes import Place, place
from adjudge.types import Label, Rule, Sample, Span, Unit, Violation, digest

SAME = 0.5
"""Two violations of one rule and side that share so much of their characters stand in one place."""
_Spans = tuple[Span, ...]


class Content(NamedTuple):
    """What a violation says, rule ids looked up; None where it says nothing."""

    rule_id: str | None
    rule: str | None
    category: str | None
    explanation: str | None
    correction: str | None


class Overlap(NamedTuple):
    """Two violations that share characters, by position."""

    gold: int
    pred: int
    shared: int
    total: int


def violation_units(sample: Sample) -> tuple[list[Unit], list[Unit]]:
    """Units `gold:I` and `pred:J` of a sample, placed in its text."""
    gold, predicted = sample.gold or (), sample.predicted or ()
    gold_places = [place(sample.text, one.spans, one.quote) for one in gold]
    pred_places = [place(sample.text, one.spans, one.quote) for one in predicted]
    certain = [
        (where.choices[0], one.rule)
        for where, one in zip(pred_places, predicted, strict=True)
        if len(where.choices) == 1
    ]
    gold_spans = _choose(gold_places, gold, certain)
    rules = [one.rule for one in gold]
    pred_spans = _choose(pred_places, predicted, list(zip(gold_spans, rules, strict=True)))
    return (
        _units("gold", sample.text, gold, gold_places, gold_spans),
        _units("pred", sample.text, predicted, pred_places, pred_spans),
    )


def _choose(
    places: Sequence[Place], violations: Sequence[Violation], others: Sequence[tuple[_Spans, str | None]]
) -> list[_Spans]:
    """One set of spans for each place."""
    taken: dict[str | None, list[_Spans]] = {one.rule: [] for one in violations}
    for where, one in zip(places, violations, strict=True):
        if len(where.choices) == 1:
            taken[one.rule].append(where.choices[0])
    chosen: list[_Spans] = []
    for where, one in zip(places, violations, strict=True):
        if len(where.choices) == 1:
            chosen.append(where.choices[0])
            continue
        worth = [_worth(spans, one.rule, others, taken[one.rule]) for spans in where.choices]
        best = where.choices[worth.index(max(worth))]
        taken[one.rule].append(best)
        chosen.append(best)
    return chosen


def _worth(
    spans: _Spans, rule: str | None, others: Sequence[tuple[_Spans, str | None]], taken: Sequence[_Spans]
) -> tuple[int, float, int]:
    """How good a place is: free of violations of the same rule, fitting, untouched by them."""
    mine = [iou(spans, earlier) for earlier in taken]
    shares = ((iou(spans, other), other_rule) for other, other_rule in others)
    fits = (share + (other_rule == rule) for share, other_rule in shares if share > 0)
    same = sum(share >= SAME for share in mine)
    return -same, max(fits, default=0.0), -sum(share > 0 for share in mine)


def _units(
    side: str,
    text: str | None,
    violations: Sequence[Violation],
    places: Sequence[Place],
    chosen: Sequence[_Spans],
) -> list[Unit]:
    units = []
    for index, (one, where, spans) in enumerate(zip(violations, places, chosen, strict=True)):
        words = "".join(text[start:end] for start, end in spans) if text and spans else one.quote or ""
        # Two violations may mark the same words, so the rule is part of what tells them apart.
        mark = digest(f"{words}\n{one.rule or ''}")
        if spans:
            units.append(Unit(f"{side}:{index}", None, "text", spans, mark, where.note))
        else:
            units.append(Unit(f"{side}:{index}", one.quote, None, (), mark, where.note))
    return units


def overlapping(golds: Sequence[Unit], preds: Sequence[Unit]) -> Iterator[Overlap]:
    """Pairs that share at least one character."""
    for i, gold in enumerate(golds):
        if gold.spans:
            for j, pred in enumerate(preds):
                if pred.spans:
                    shared, total = overlap(gold.spans, pred.spans)
                    if shared:
                        yield Overlap(i, j, shared, total)


def text_label(golds: Sequence[Unit], preds: Sequence[Unit], found: Overlap, source: str) -> Label:
    """How much of the characters of two violations they share."""
    return Label(
        "text",
        golds[found.gold].id,
        ratio(found.shared, found.total),
        preds[found.pred].id,
        source,
        f"{found.shared} of {found.total} characters",
    )


async def pair_labels(
    sample: Sample, golds: Sequence[Unit], preds: Sequence[Unit], terms: Sequence[str], judge: Judge
) -> tuple[Label, ...]:
    """Labels of all overlapping pairs; what needs a judge is asked in one batch, each question once."""
    found = list(overlapping(golds, preds))
    if not found:
        return ()
    rules = {rule.id: rule for rule in sample.rules or ()}
    gold = _contents(sample.gold or (), rules, {pair.gold for pair in found})
    predicted = _contents(sample.predicted or (), rules, {pair.pred for pair in found})
    drafts: list[tuple[Overlap, str, Reply | Similarity]] = [
        (pair, term, _compare(term, gold[pair.gold], predicted[pair.pred]))
        for pair in found
        for term in terms
    ]
    questions: list[Question] = list(
        dict.fromkeys(draft for _, _, draft in drafts if isinstance(draft, Similarity))
    )
    answers = dict(zip(questions, await judge.ask(questions), strict=True)) if questions else {}
    labels = [text_label(golds, preds, pair, judge.name) for pair in found]
    for pair, term, draft in drafts:
        reply = draft if isinstance(draft, Reply) else answers[draft]
        reason = None if reply.value is not None else reply.reason or "the judge gave no value"
        ids = golds[pair.gold].id, preds[pair.pred].id
        labels.append(Label(term, ids[0], reply.value, ids[1], judge.name, reply.why, reason))
    return tuple(labels)


def _contents(
    violations: Iterable[Violation], rules: dict[str, Rule], wanted: Collection[int]
) -> dict[int, Content]:
    found = {}
    for index, one in enumerate(violations):
        if index in wanted:
            rule_id = _said(one.rule)
            rule = rules.get(rule_id) if rule_id is not None else None
            found[index] = Content(
                rule_id,
                _said(rule.text if rule is not None else None) or rule_id,
                _said(one.category) or _said(rule.category if rule is not None else None),
                _said(one.explanation),
                _said(one.correction),
            )
    return found


def _said(text: str | None) -> str | None:
    return (text.strip() or None) if text else None


def _compare(term: str, gold: Content, pred: Content) -> Reply | Similarity:
    """What is known without asking, or the question."""
    if term == "rule" and gold.rule_id is not None and gold.rule_id == pred.rule_id:
        return Reply(1.0, "same rule")
    first: str | None = getattr(gold, term)
    second: str | None = getattr(pred, term)
    if first is None or second is None:
        if first is second:
            return Reply(1.0, f"no {term} on either side")
        return Reply(0.0, f"{term} only on the {'predicted' if first is None else 'gold'} side")
    if first == second:
        return Reply(1.0, f"same {term}")
    if term == "category":
        return Reply(0.0, f"{first!r} is not {second!r}")
    return Similarity(first, second)
