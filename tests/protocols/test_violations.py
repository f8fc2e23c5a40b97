"""The worked examples of the document, and what must hold of all scores."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.rules import word_jaccard
from adjudge.protocols.violations import Violations
from adjudge.types import Label, Labelled, Rule, Sample, Unit, Violation
from violation_helpers import STD, FixedJudge, by_name, explained, labelled, micro, run, std


def test_e1_identical_span_and_rule() -> None:
    found = std({(0, 0): (1.0, 1.0)})
    assert found["std_f1"] == found["match_score_std"] == 1.0


@pytest.mark.parametrize(("rule", "score"), [(1.0, 0.625), (0.75, None), (0.76, 0.505)])
def test_e2_quarter_overlap(rule: float, score: float | None) -> None:
    sample = Sample(
        id="s",
        gold=(Violation(spans=((10, 30),), rule="first"),),
        predicted=(Violation(spans=((20, 50),), rule="second"),),
    )
    protocol = Violations()
    made = run(protocol, sample, FixedJudge({("first", "second"): rule}))
    text = next(label for label in made.labels if label.name == "text")
    assert (text.value, text.why) == (0.25, "10 of 40 characters")
    scores = by_name(protocol.score(made))
    assert scores["match_score_std"].value == (None if score is None else pytest.approx(score, abs=1e-12))
    assert scores["std_f1"].value == (0.0 if score is None else 1.0)


def test_e3_adjacent_spans_never_match() -> None:
    sample = Sample(
        id="s",
        gold=(Violation(spans=((0, 10),), rule="R"),),
        predicted=(Violation(spans=((10, 20),), rule="R"),),
    )
    made = run(Violations(), sample)
    assert made.labels == ()
    assert by_name(Violations().score(made))["std_f1"].value == 0.0
    pairs = explained(Violations(), labelled({(0, 0): (0.0, 1.0)}, 1, 1), "std")
    assert pairs[0].why == "text overlap 0 is not above 0; score 0.5 is not above 0.5"


@pytest.mark.parametrize("values", [(0.5, 0.5), (0.4, 0.6)])
def test_e4_a_half_is_not_enough(values: tuple[float, float]) -> None:
    found = std({(0, 0): values})
    assert found["std_f1"] == 0.0
    assert found["match_score_std"] is None


def test_e5_greedy_and_optimal_differ() -> None:
    table = {(0, 0): (0.9, 0.9), (0, 1): (0.8, 0.8), (1, 0): (0.8, 0.86), (1, 1): (0.1, 0.2)}
    found = std(table, 2, 2)
    assert (found["std_precision"], found["std_recall"], found["std_f1"]) == (0.5, 0.5, 0.5)
    assert found["std_optimal_f1"] == 1.0
    made = labelled(table, 2, 2)

    def told(*metrics: str) -> tuple[list[str], dict[str, tuple[str, ...]]]:
        protocol = Violations(metrics=tuple(f"violations.{name}" for name in metrics))
        return protocol.notes(made), {title: ids for title, ids in protocol.gaps(made).items() if ids}

    notes, gaps = told("std_f1")
    assert notes[:2] == [
        "pairs that overlap (std, best pair first):",
        "  gold:0 – pred:0: score 0.9: matched",
    ]
    assert gaps == {
        "true violations without a match (std, best pair first)": ("gold:1",),
        "flagged violations without a match (std, best pair first)": ("pred:1",),
    }
    best, none = told("std_optimal_f1")
    assert best[:2] == [
        "pairs that overlap (std, best assignment):",
        "  gold:0 – pred:0: score 0.9: gold:0 went to pred:1 with score 0.8",
    ]
    assert none == {}
    assert told("std_f1", "std_optimal_f1")[0] == notes + best
    alike = Violations(metrics=("violations.std_f1", "violations.std_optimal_f1"))
    assert len(alike.notes(labelled({(0, 0): (0.9, 0.9)}, 1, 1))) == 2, "told once where both match the same"


def test_e6a_a_pair_below_the_rule_gate_is_skipped() -> None:
    found = std({(0, 0): (1.0, 0.005), (0, 1): (0.3, 0.704)}, 1, 2)
    assert (found["std_precision"], found["std_recall"]) == (0.5, 1.0)
    assert found["std_f1"] == pytest.approx(2 / 3)
    assert found["match_score_std"] == pytest.approx(0.502)


def test_e6b_a_pair_below_the_overlap_gate_is_skipped() -> None:
    table = {(0, 0): (0.0, 1.0, 1.0, 1.0, 1.0), (0, 1): (0.8, 0.6, 1.0, 0.6, 0.5)}
    protocol = Violations()
    made = labelled(table, 1, 2)
    scores = by_name(protocol.score(made))
    assert (scores["ha_precision"].value, scores["ha_recall"].value) == (0.5, 1.0)
    assert scores["ha_f1"].value == pytest.approx(2 / 3)
    assert scores["match_score"].value == pytest.approx(0.69)
    first, second = explained(protocol, made, "ha")
    assert first.score == pytest.approx(0.7)
    assert first.why == "text overlap 0 is not above 0"
    assert second.matched


@pytest.mark.parametrize(
    ("values", "std_match", "ha_match", "ha_score"),
    [
        ((0.6, 0.5, 1.0, 0.8, 0.2), True, True, 0.61),
        ((0.5, 0.4, 1.0, 0.7, 0.5), False, True, 0.56),
        ((0.6, 0.5, 0.0, 0.2, 0.1), True, False, 0.38),
    ],
)
def test_e7_the_families_differ(
    values: tuple[float, ...], std_match: bool, ha_match: bool, ha_score: float
) -> None:
    protocol = Violations()
    made = labelled({(0, 0): values}, 1, 1)
    scores = by_name(protocol.score(made))
    assert scores["std_f1"].value == float(std_match)
    assert scores["ha_f1"].value == float(ha_match)
    (pair,) = explained(protocol, made, "ha")
    assert pair.score == pytest.approx(ha_score)


def test_e8_folds_over_four_samples() -> None:
    protocol = Violations()
    samples = [labelled({(0, 0): (1.0, 1.0, 1.0, 1.0, 1.0)}, 1, 2), labelled({}, 1, 0), labelled({}, 0, 1)]
    samples.append(labelled({}, 0, 0))
    scores = [protocol.score(sample) for sample in samples]
    assert micro(protocol, scores, "std_precision") == pytest.approx(1 / 3)
    assert micro(protocol, scores, "std_recall") == 0.5
    assert micro(protocol, scores, "std_f1") == pytest.approx(0.4)
    f1 = [by_name(sample)["std_f1"] for sample in scores]
    assert f1[3].state == "not_applicable"
    values = [score.value for score in f1 if score.value is not None]
    assert sum(values) / len(values) == pytest.approx(2 / 9)
    states = [by_name(sample)["std_precision"].state for sample in scores]
    assert states == ["defined", "by_convention", "defined", "not_applicable"]
    states = [by_name(sample)["std_recall"].state for sample in scores]
    assert states == ["defined", "defined", "by_convention", "not_applicable"]


def test_e9_several_spans_make_one_violation() -> None:
    def text(gold: Any, pred: Any) -> Any:
        sample = Sample(id="s", gold=(Violation(spans=gold),), predicted=(Violation(spans=pred),))
        return run(Violations(), sample).labels[0].value

    assert text(((0, 5), (10, 15)), ((0, 15),)) == pytest.approx(2 / 3)
    assert text(((0, 5), (3, 8)), ((0, 8),)) == 1.0


def test_e10_characters_are_positions() -> None:
    text = "silent, not quite a listen, silent"
    sample = Sample(
        id="s",
        text=text,
        gold=(Violation(spans=((0, 6),), rule="R"),),
        predicted=(Violation(quote="listen", rule="R"), Violation(spans=((28, 34),), rule="R")),
    )
    assert text[28:34] == text[0:6]
    assert run(Violations(), sample).labels == ()


def test_e11_rules_in_words() -> None:
    one, two = "do not depict people drinking and driving", "never depict driving after drinking"
    assert word_jaccard(one, two) == pytest.approx(1 / 3)
    sample = Sample(
        id="s",
        rules=(Rule(id="A", text=one), Rule(id="B", text=two)),
        gold=(Violation(spans=((0, 4),), rule="A"),),
        predicted=(Violation(spans=((0, 4),), rule="B"),),
    )
    label = run(Violations(metrics=tuple(STD)), sample).labels[1]
    assert (label.name, label.value, label.why) == ("rule", pytest.approx(1 / 3), "3 of 9 words shared")


def test_e12_a_negative_cosine_is_kept_unless_clamped() -> None:
    made = labelled({(0, 0): (1.0, -0.05, 1.0, 1.0, 1.0)}, 1, 1)
    (pair,) = explained(Violations(), made, "std")
    assert pair.score == pytest.approx(0.475)
    (pair,) = explained(Violations(clamp=True), made, "std")
    assert pair.score == 0.5
    made = labelled({(0, 0): (1.0, 0.5, 1.0, -0.5, 1.0)}, 1, 1)
    assert by_name(Violations().score(made))["match_score"].value == pytest.approx(0.55)
    assert by_name(Violations(clamp=True).score(made))["match_score"].value == pytest.approx(0.65)


def test_e13_thirteen_golds_ten_predictions() -> None:
    found = std({(i, i): (1.0, 1.0) for i in range(8)}, 13, 10)
    assert found["std_precision"] == 0.8
    assert found["std_recall"] == pytest.approx(8 / 13)
    assert found["std_f1"] == pytest.approx(16 / 23)


values = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.8, 1.0])
tables = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 4)), st.tuples(values, values, values, values, values)
)


@given(tables)
def test_swapping_sides_swaps_precision_and_recall(table: dict[tuple[int, int], tuple[float, ...]]) -> None:
    protocol = Violations()
    there = by_name(protocol.score(labelled(table, 4, 5)))
    back = by_name(protocol.score(labelled({(j, i): v for (i, j), v in table.items()}, 5, 4)))
    for family in ("std", "ha", "std_optimal", "ha_optimal"):
        assert there[f"{family}_precision"].value == back[f"{family}_recall"].value
        assert there[f"{family}_recall"].value == back[f"{family}_precision"].value
        assert there[f"{family}_f1"].value == back[f"{family}_f1"].value
    for family in ("std", "ha"):
        totals = [
            sum(
                pair.score or 0.0
                for pair in explained(protocol, labelled(table, 4, 5), family, best=best)
                if pair.matched
            )
            for best in (False, True)
        ]
        assert totals[1] >= totals[0] - 1e-9


@given(tables)
def test_every_count_is_the_units_behind_it(table: dict[tuple[int, int], tuple[float, ...]]) -> None:
    made = labelled(table, 4, 5)
    ids = {unit.id for unit in made.units}
    for score in Violations().score(made):
        for count in score.counts:
            assert set(count.units) <= ids
            if count.amounts is None:
                assert count.n == len(count.units) == len(set(count.units))
            else:
                assert count.n == sum(count.amounts)
                assert len(count.amounts) == len(count.units)
        if score.metric.endswith("f1"):
            total = {count.name: count.units for count in score.counts}
            assert sorted(total["tp"] + total["fn"]) == sorted(i for i in ids if i.startswith("gold"))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.sampled_from("RST")), max_size=5))
def test_what_is_flagged_exactly_matches(marks: list[tuple[int, int, str]]) -> None:
    marked = tuple(Violation(spans=((a, a + b + 1),), rule=rule) for a, b, rule in marks)
    sample = Sample(id="s", gold=marked, predicted=marked[::-1])
    scores = by_name(Violations().score(run(Violations(), sample)))
    assert scores["std_f1"].value == scores["ha_f1"].value == (1.0 if marks else None)


def test_match_scores_and_their_empty_cases() -> None:
    protocol = Violations()
    made = labelled({(0, 0): (1.0, 1.0, 1.0, 1.0, 1.0), (1, 1): (0.8, 0.6, 1.0, 0.6, 0.5)}, 4, 2)
    scores = by_name(protocol.score(made))
    assert scores["match_score"].value == pytest.approx(1.69 / 2)
    assert scores["match_score_per_gold"].value == pytest.approx(1.69 / 4)
    assert scores["match_score_std"].value == pytest.approx(1.7 / 2)
    assert scores["match_score_std_per_gold"].value == pytest.approx(1.7 / 4)
    assert scores["match_score"].counts[0].units == ("gold:0", "gold:1")
    scores = by_name(protocol.score(labelled({}, 2, 1)))
    assert (scores["match_score"].state, scores["match_score"].reason) == ("unscored", "no pair matched")
    assert scores["match_score_per_gold"].value == 0.0
    scores = by_name(protocol.score(labelled({}, 0, 1)))
    assert scores["match_score_per_gold"].state == "unscored"
    assert {score.state for score in protocol.score(labelled({}, 0, 0))} == {"not_applicable"}


def test_a_missing_value_leaves_the_sample_unscored_only_if_it_could_matter() -> None:
    protocol = Violations()
    scores = by_name(protocol.score(labelled({(0, 0): (0.9, 0.9, 1.0, None, 1.0)}, 1, 1)))
    assert scores["std_f1"].value == 1.0
    assert scores["ha_f1"].state == "unscored"
    assert "explanation" in str(scores["ha_f1"].reason)
    scores = by_name(protocol.score(labelled({(0, 0): (0.9, 0.01, 1.0, None, 1.0)}, 1, 1)))
    assert scores["ha_f1"].value == 0.0
    scores = by_name(protocol.score(labelled({(0, 0): (0.9, None)}, 1, 1)))
    assert scores["std_f1"].state == "unscored"
    strange = Labelled("s", "s", {}, (Unit("gold:0"),), (Label("text", "gold:0", 1.0, "pred:7"),))
    assert {score.state for score in protocol.score(strange)} == {"unscored"}


def test_explaining_says_who_took_what() -> None:
    table = {(0, 0): (0.9, 0.9), (0, 1): (0.8, 0.8), (1, 0): (0.8, 0.86), (1, 1): (0.1, 0.2)}
    found = explained(Violations(), labelled(table, 2, 2), "std")
    assert [(pair.gold, pair.pred, pair.why) for pair in found] == [
        ("gold:0", "pred:0", "matched"),
        ("gold:0", "pred:1", "gold:0 went to pred:0 with score 0.9"),
        ("gold:1", "pred:0", "gold:0 went to pred:0 with score 0.9"),
        ("gold:1", "pred:1", "score 0.15 is not above 0.5"),
    ]
    best = explained(Violations(), labelled(table, 2, 2), "std", best=True)
    assert [pair.matched for pair in best] == [False, True, True, False]
