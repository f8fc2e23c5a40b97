"""What the tests of violations share: made-up labels, a judge that answers from a table, folds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.judges.base import Question, Reply, Similarity
from adjudge.judges.rules import RulesJudge
from adjudge.metrics.ratios import evaluate
from adjudge.protocols import make_protocol
from adjudge.protocols.violation_matching import PairReport
from adjudge.protocols.violations import Violations
from adjudge.types import Label, Labelled, Sample, Score, Unit

TERMS = ("text", "rule", "category", "explanation", "correction")


STD = [f"violations.{name}" for name in ("std_precision", "std_recall", "std_f1", "std_optimal_f1")]
STD.append("violations.match_score_std")


class FixedJudge:
    """Answers from a table of similarities; remembers how it was asked."""

    name = "fixed"
    answers: frozenset[type[Question]] = frozenset({Similarity})
    immediate = True

    def __init__(self, table: Mapping[tuple[str, str], float | None]) -> None:
        self.table = table
        self.batches: list[list[Question]] = []

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        self.batches.append(list(questions))
        replies = []
        for question in questions:
            assert isinstance(question, Similarity)
            value = self.table[question.first, question.second]
            replies.append(Reply(value, "table") if value is not None else Reply(reason="timed out"))
        return replies


def labelled(
    pairs: Mapping[tuple[int, int], Sequence[float | None]], golds: int, preds: int, **attributes: Any
) -> Labelled:
    """Pairs as (text, rule, category, explanation, correction), as far as given."""
    units = [Unit(f"gold:{i}") for i in range(golds)] + [Unit(f"pred:{j}") for j in range(preds)]
    labels = [
        Label(term, f"gold:{i}", value, f"pred:{j}", "test")
        for (i, j), values in pairs.items()
        for term, value in zip(TERMS, values, strict=False)
    ]
    return Labelled("s", "s", attributes, tuple(units), tuple(labels))


def explained(protocol: Violations, made: Labelled, family: Any, *, best: bool = False) -> list[PairReport]:
    found = protocol.explain_pairs(made, family, best=best)
    assert isinstance(found, list)
    return found


def by_name(scores: Sequence[Score]) -> dict[str, Score]:
    return {score.metric.removeprefix("violations."): score for score in scores}


def std(pairs: Mapping[tuple[int, int], Sequence[float]], golds: int = 1, preds: int = 1) -> dict[str, Any]:
    protocol = make_protocol("violations", {"metrics": STD})
    return {
        name: score.value for name, score in by_name(protocol.score(labelled(pairs, golds, preds))).items()
    }


def run(protocol: Violations, sample: Sample, judge: Any = None) -> Labelled:
    return asyncio.run(protocol.label(sample, judge or RulesJudge()))


def micro(protocol: Violations, scores: Sequence[Sequence[Score]], metric: str) -> float | None:
    """A metric over samples from summed counts."""
    (spec,) = [spec for spec in protocol.specs if spec.name == f"violations.{metric}"]
    total: Counter[str] = Counter()
    for sample in scores:
        for count in by_name(sample)[metric].counts:
            total[count.name] += count.n
    return evaluate(spec.formula, total)
