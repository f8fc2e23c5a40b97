"""SemEval-2021 task 6: offsets against fragments, gold against itself, and nervaluate's counts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nervaluate.evaluator import Evaluator

from adjudge.datasets.semeval import READER as SEMEVAL
from adjudge.datasets.source import Row, Source
from adjudge.protocols import make_protocol
from adjudge.protocols.violations import Violations
from adjudge.types import Sample, Violation
from violation_helpers import by_name, micro, run

FILES = {"training": (688, 1498, 1498), "dev": (63, 182, 182), "test": (200, 403, 398)}


def semeval(data: Callable[[str], Path], name: str) -> list[Sample]:
    source = Source(data(f"violations/semeval2021_task6/{name}_set_task2.txt"))
    assert SEMEVAL.detect(source)
    rows = [row for row in SEMEVAL.rows(source) if isinstance(row, Row)]
    return [sample for row in rows for sample in SEMEVAL.convert(row)]


@pytest.mark.parametrize("name", FILES)
def test_semeval_offsets_and_fragments(data: Callable[[str], Path], name: str) -> None:
    samples, marks, agreeing = FILES[name]
    read = semeval(data, name)
    assert len(read) == samples
    made = [
        (sample, unit)
        for sample in read
        for unit in run(Violations(), msgspec.structs.replace(sample, predicted=())).units
    ]
    assert len(made) == marks
    assert sum(unit.note is None for _, unit in made) == agreeing
    moved = [(sample, unit) for sample, unit in made if unit.note is not None]
    assert {unit.note for _, unit in moved} <= {"offsets disagree: moved to the quote"}
    for sample, unit in moved:
        quote = (sample.gold or ())[int(unit.id[5:])].quote or ""
        ((start, end),) = unit.spans
        assert (sample.text or "")[start:end] == quote.replace("\u200b", "")


@pytest.mark.parametrize("name", FILES)
def test_semeval_against_itself(data: Callable[[str], Path], name: str) -> None:
    protocol = Violations()
    scores = [
        protocol.score(run(protocol, msgspec.structs.replace(sample, predicted=sample.gold)))
        for sample in semeval(data, name)
    ]
    for metric in (
        "std_f1",
        "ha_f1",
        "std_optimal_f1",
        "ha_optimal_f1",
        "match_score",
        "match_score_per_gold",
    ):
        assert micro(protocol, scores, metric) == 1.0
    empty = sum(by_name(sample)["std_f1"].state == "not_applicable" for sample in scores)
    assert 0 < empty < len(scores)


Mark = tuple[int, int, str]


def perturbed(golds: Sequence[Mark], size: int, labels: Sequence[str], rng: random.Random) -> list[Mark]:
    """What a middling checker might flag: kept, cut, shifted, relabelled, doubled and invented spans."""
    flagged: list[Mark] = []
    for start, end, label in golds:
        what = rng.random()
        if what < 0.5:
            flagged.append((start, end, label))
        elif what < 0.6:
            flagged.append((start, end, rng.choice(labels)))
        elif what < 0.75:
            flagged.append((start, min(size, end + rng.randint(1, 5)), label))
        elif what < 0.85:
            flagged.extend([(start, end, label)] * 2)
    for _ in range(rng.randint(0, 2)):
        start = rng.randrange(size)
        flagged.append((start, rng.randint(start + 1, size), rng.choice(labels)))
    rng.shuffle(flagged)
    return flagged


def nervaluate_counts(golds: list[list[Mark]], preds: list[list[Mark]], scheme: str) -> tuple[int, int, int]:
    """Correct, all predicted, all gold. Its ends are inclusive."""
    both = [
        [[{"label": c, "start": a, "end": b - 1} for a, b, c in doc] for doc in docs]
        for docs in (golds, preds)
    ]
    tags = sorted({mark[2] for docs in (golds, preds) for doc in docs for mark in doc})
    result = Evaluator(both[0], both[1], tags=tags, loader="dict").evaluate()["overall"][scheme]
    return result.correct, result.actual, result.possible


def our_counts(golds: list[list[Mark]], preds: list[list[Mark]], **given: Any) -> tuple[int, int, int]:
    exact = {"overlap_threshold": 0.9999, "rule_threshold": 0.9999}
    protocol = make_protocol("violations", {"std": exact, "metrics": ["violations.std_f1"], **given})
    assert isinstance(protocol, Violations)
    total: Counter[str] = Counter()
    for gold, pred in zip(golds, preds, strict=True):
        sides = [tuple(Violation(spans=((a, b),), rule=rule) for a, b, rule in side) for side in (gold, pred)]
        made = run(protocol, Sample(id="s", gold=sides[0], predicted=sides[1]))
        for count in protocol.score(made)[0].counts:
            total[count.name] += int(count.n)
    return total["tp"], total["tp"] + total["fp"], total["tp"] + total["fn"]


@pytest.fixture(scope="module")
def checked(data: Callable[[str], Path]) -> tuple[list[list[Mark]], list[list[Mark]]]:
    """Gold marks of all SemEval texts and seeded predictions for them."""
    rng = random.Random(20210606)
    samples = [sample for name in FILES for sample in semeval(data, name)]
    golds: list[list[Mark]] = [
        [(*one.spans[0], one.rule or "") for one in sample.gold or () if one.spans] for sample in samples
    ]
    labels = sorted({mark[2] for doc in golds for mark in doc})
    preds = [
        perturbed(gold, len(sample.text or "") or 1, labels, rng)
        for gold, sample in zip(golds, samples, strict=True)
    ]
    return golds, preds


def exact_first(gold: list[Mark], pred: list[Mark], size: int) -> list[Mark]:
    """Predictions that equal a gold before all others.

    nervaluate goes through predictions in order, and one that merely overlaps uses up the gold it meets. With
    the exact ones first none of them loses its gold that way, and both definitions count the same pairs.
    """
    free = Counter(mark[:size] for mark in gold)
    first, rest = [], []
    for mark in pred:
        key = mark[:size]
        (first if free[key] > 0 else rest).append(mark)
        free[key] -= 1
    return first + rest


def test_strict_counts_of_nervaluate(checked: tuple[list[list[Mark]], list[list[Mark]]]) -> None:
    golds, preds = checked
    preds = [exact_first(gold, pred, 3) for gold, pred in zip(golds, preds, strict=True)]
    ours = our_counts(golds, preds)
    assert ours == nervaluate_counts(golds, preds, "strict")
    assert ours[2] == 1498 + 182 + 403
    assert 0 < ours[0] < min(ours[1:])


def test_exact_counts_of_nervaluate(checked: tuple[list[list[Mark]], list[list[Mark]]]) -> None:
    golds, preds = checked
    preds = [exact_first(gold, pred, 2) for gold, pred in zip(golds, preds, strict=True)]
    ours = our_counts(golds, preds, without=["rule"])
    assert ours == nervaluate_counts(golds, preds, "exact")
    assert ours[0] > our_counts(golds, preds)[0]


def test_strict_counts_in_any_order_where_nothing_overlaps(
    checked: tuple[list[list[Mark]], list[list[Mark]]],
) -> None:
    """Golds that do not overlap, and at most one prediction in each: no order can matter."""
    rng = random.Random(7)
    golds: list[list[Mark]] = []
    preds: list[list[Mark]] = []
    for doc in checked[0]:
        kept: list[Mark] = []
        for mark in sorted(doc):
            if not kept or mark[0] > kept[-1][1]:
                kept.append(mark)
        golds.append(kept)
        cut = [(a + rng.randint(0, 1), b, label) for a, b, label in kept if b - a > 1 and rng.random() < 0.8]
        preds.append(rng.sample(cut, len(cut)))
    ours = our_counts(golds, preds)
    assert ours == nervaluate_counts(golds, preds, "strict")
    assert 0 < ours[0] < ours[1] < ours[2]
