"""TRACe's maths against the formulas written out on their own, and mean_of's states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.metrics import grounding
from adjudge.metrics.grounding import Parts
from adjudge.metrics.ratios import scored
from adjudge.protocols.trace import Trace
from adjudge.types import Score

SPECS = {spec.name.partition(".")[2]: spec for spec in Trace.specs}
KEYS = st.lists(st.sampled_from([f"ctx:{number}{letter}" for number in range(3) for letter in "abcd"]))


def score(name: str, parts: Parts) -> Score:
    return scored(SPECS[name], parts.counts, convention=parts.convention, empty=parts.empty)


@given(KEYS, KEYS, st.integers(0, 40))
def test_list_metrics_equal_the_plain_formulas(relevant: list[str], used: list[str], total: int) -> None:
    sentences = [f"ctx:9{number}" for number in range(total)]
    both = len(set(relevant) & set(used))
    n, m = len(relevant), len(used)

    expected = {
        "relevance": n / total if total else None,
        "utilization": m / total if total else None,
        "relevance_20": min(1.0, n / 20),
        "utilization_relevant": min(1.0, m / n) if n else 0.0,
        "completeness": both / n if n else 1.0,
        "completeness_001": both / len(set(relevant)) if n else (0.0 if m else 1.0),
    }
    found = {
        "relevance": grounding.relevance(relevant, sentences),
        "utilization": grounding.utilization(used, sentences),
        "relevance_20": grounding.relevance_20(relevant),
        "utilization_relevant": grounding.utilization_relevant(relevant, used),
        "completeness": grounding.completeness(relevant, used),
        "completeness_001": grounding.completeness_001(relevant, used),
    }
    scores = {name: score(name, parts) for name, parts in found.items()}
    assert {name: result.value for name, result in scores.items()} == expected
    by_convention = {name for name, result in scores.items() if result.state == "by_convention"}
    assert by_convention == (set() if n else {"utilization_relevant", "completeness", "completeness_001"})
    for result in scores.values():
        assert all(count.constant or count.n == len(count.units) for count in result.counts)


@given(KEYS, KEYS)
def test_covered_and_unused_share_out_the_relevant_sentences(relevant: list[str], used: list[str]) -> None:
    covered, unused = grounding.covered(relevant, used), grounding.unused(relevant, used)
    assert sorted(covered + unused) == sorted(set(relevant))
    assert set(covered) <= set(used)
    assert not set(unused) & set(used)


@pytest.mark.parametrize(
    ("grounded", "value", "state"),
    [
        ([("resp:a", True), ("resp:b", True)], 1.0, "defined"),
        ([("resp:a", True), ("resp:b", False)], 0.0, "defined"),
        ([], 1.0, "by_convention"),
    ],
)
def test_adherence(grounded: list[tuple[str, bool]], value: float, state: str) -> None:
    result = score("adherence", grounding.adherence(grounded, ["resp:a", "resp:b", "resp:c"]))
    assert (result.value, result.state) == (value, state)
    counts = {count.name: count.units for count in result.counts}
    assert counts["unsupported"] == tuple(unit for unit, is_so in grounded if not is_so)
    assert "resp:c" in counts["unjudged"]


def test_supported_sentences_counts_partial_apart_and_takes_the_worse_verdict() -> None:
    support = [
        ("resp:a", "full"),
        ("resp:b", "partial"),
        ("resp:c", "full"),
        ("resp:c", "none"),
        ("resp:d", "full"),
        ("resp:zz", "none"),
    ]
    sentences = ["resp:a", "resp:b", "resp:c", "resp:d", "resp:e"]
    result = score("supported_sentences", grounding.supported_sentences(support, sentences))
    counts = {count.name: count.units for count in result.counts}
    assert counts == {
        "full": ("resp:a", "resp:d"),
        "partial": ("resp:b",),
        "none": ("resp:c",),
        "unjudged": ("resp:e",),
    }
    assert result.value == 2 / 4
    unknown = score("supported_sentences", grounding.supported_sentences(support, []))
    assert unknown.value == 2 / 5
    assert score("supported_sentences", grounding.supported_sentences([], sentences)).state == "unscored"


def test_mean_is_unscored_or_by_convention_as_its_parts_are() -> None:
    spec = SPECS["average"]
    plain, other = Score("m.a", 0.25), Score("m.b", 0.5)
    assert grounding.mean_of(spec, [plain, other]) == Score("trace.average", 0.375)
    convention = Score("m.c", 1.0, "by_convention", "empty")
    assert grounding.mean_of(spec, [plain, convention]) == Score(
        "trace.average", 0.625, "by_convention", "m.c: empty"
    )
    lost = Score("m.d", None, "unscored", "judge failed")
    assert grounding.mean_of(spec, [convention, lost]) == Score(
        "trace.average", None, "unscored", "judge failed"
    )
