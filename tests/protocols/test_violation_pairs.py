"""Which pairs are labelled, what is asked of them, and where quotes are placed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adjudge.errors import InputError
from adjudge.judges.base import Similarity
from adjudge.protocols.violation_matching import sides
from adjudge.protocols.violations import Violations
from adjudge.types import Label, Rule, Sample, Violation
from violation_helpers import STD, FixedJudge, by_name, run


def test_one_batch_of_distinct_questions_and_reasons_of_the_judge() -> None:
    gold = (Violation(spans=((0, 9),), rule="a", explanation="why a", correction=" same "),)
    flagged = Violation(spans=((0, 9),), rule="b", explanation="why b", correction="same")
    sample = Sample(id="s", gold=gold * 2, predicted=(flagged, flagged))
    judge = FixedJudge({("a", "b"): 0.9, ("why a", "why b"): None})
    made = run(Violations(), sample, judge)
    assert judge.batches == [[Similarity("a", "b"), Similarity("why a", "why b")]]
    assert len(made.labels) == 4 * 5
    failed = [label for label in made.labels if label.name == "explanation"]
    assert {(label.value, label.reason) for label in failed} == {(None, "timed out")}
    assert {label.why for label in made.labels if label.name == "correction"} == {"same correction"}
    assert {label.source for label in made.labels} == {"fixed"}
    judge = FixedJudge({("a", "b"): 0.9})
    made = run(Violations(metrics=tuple(STD)), sample, judge)
    assert {label.name for label in made.labels} == {"text", "rule"}


def test_missing_values_and_categories_of_rules() -> None:
    rules = (Rule(id="A", text="alpha", category="tone"), Rule(id="B", text="alpha"))
    sample = Sample(
        id="s",
        rules=rules,
        gold=(Violation(spans=((0, 9),), rule="A", explanation="x", correction=" "),),
        predicted=(Violation(spans=((0, 9),), rule="B", category=" tone "),),
    )
    judge = FixedJudge({})
    found = {label.name: (label.value, label.why) for label in run(Violations(), sample, judge).labels}
    assert found == {
        "text": (1.0, "9 of 9 characters"),
        "rule": (1.0, "same rule"),
        "category": (1.0, "same category"),
        "explanation": (0.0, "explanation only on the gold side"),
        "correction": (1.0, "no correction on either side"),
    }
    assert judge.batches == []


def test_quotes_are_placed_where_they_fit_best() -> None:
    text = "war and peace, war and bread, war and snow"
    first, second, third = (at for at in range(len(text)) if text.startswith("war", at))
    sample = Sample(
        id="s",
        text=text,
        gold=(
            Violation(spans=((second, second + 3),), rule="A"),
            Violation(spans=((third, third + 3),), rule="B"),
            Violation(quote="snow", rule="C"),
        ),
        predicted=(
            Violation(quote="war", rule="B"),
            Violation(quote="war", rule="A"),
            Violation(quote="war", rule="Z"),
            Violation(quote="hunger", rule="A"),
        ),
    )
    made = run(Violations(), sample)
    spans = {unit.id: unit.spans for unit in made.units}
    assert spans["pred:0"] == ((third, third + 3),)
    assert spans["pred:1"] == spans["pred:2"] == ((second, second + 3),)
    notes = {unit.id: unit.note for unit in made.units}
    assert notes["pred:0"] == "ambiguous"
    assert notes["gold:0"] is None
    assert (notes["pred:3"], spans["pred:3"]) == ("unlocated", ())
    assert by_name(Violations().score(made))["std_f1"].value == pytest.approx(2 * 2 / (4 + 3))
    assert spans["gold:2"] == ((len(text) - 4, len(text)),)
    assert first == 0


def test_golds_follow_certain_predictions_and_repeated_quotes_spread() -> None:
    text = "so so so"
    gold = Sample(id="s", text=text, gold=(Violation(quote="so"),), predicted=(Violation(spans=((6, 8),)),))
    assert run(Violations(), gold).units[0].spans == ((6, 8),)
    twice = (Violation(quote="so", rule="A"), Violation(quote="so", rule="A"))
    made = run(Violations(), Sample(id="s", text=text, gold=twice, predicted=twice))
    assert [unit.spans for unit in made.units] == [((0, 2),), ((3, 5),)] * 2
    assert by_name(Violations().score(made))["std_f1"].value == 1.0


TWICE = "Buy now! It is good. Buy now!"
BOTH = [((0, 8),), ((21, 29),)]


def placed(gold: list[Violation], predicted: list[Violation], text: str = TWICE) -> tuple[Any, Any, Any]:
    """Spans of golds, of predictions, and std F1."""
    sample = Sample(id="s", text=text, gold=tuple(gold), predicted=tuple(predicted))
    made = run(Violations(), sample)
    golds, preds = sides(made.units)
    score = by_name(Violations().score(made))["std_f1"].value
    return [unit.spans for unit in golds], [unit.spans for unit in preds], score


def quoted(quote: str, rule: str = "R1") -> Violation:
    return Violation(quote=quote, rule=rule)


def at(start: int, end: int, rule: str = "R1") -> Violation:
    return Violation(spans=((start, end),), rule=rule)


def test_violations_of_one_rule_take_one_occurrence_each_before_they_share_the_best() -> None:
    golds, _, score = placed([quoted("Buy now!")] * 2, [at(21, 29), at(0, 3)])
    assert (golds, score) == (BOTH[::-1], 1.0)
    golds, _, score = placed([at(0, 8), quoted("Buy now!")], [at(0, 8), at(21, 29)])
    assert (golds, score) == (BOTH, 1.0), "what has a place of its own takes it too"
    golds, _, score = placed([quoted("Buy now!"), at(0, 8)], [at(0, 8), at(21, 29)])
    assert (golds, score) == (BOTH[::-1], 1.0), "in whatever order"


@pytest.mark.parametrize("other", ["Buy now!", "BUY  NOW!", "Buy now", "now!", "Buy"])
def test_predictions_that_say_it_in_other_words_spread_as_well(other: str) -> None:
    for quotes in (["Buy now!", other], [other, "Buy now!"]):
        _, preds, score = placed([at(0, 8), at(21, 29)], [quoted(quote) for quote in quotes])
        assert [spans[0][0] < 9 for spans in preds] == [True, False]
        assert score == 1.0


def test_violations_of_other_rules_or_other_extent_do_not_drive_one_another_away() -> None:
    _, preds, _ = placed([at(0, 8)], [quoted("Buy now!", "R1"), quoted("Buy now!", "R2")])
    assert preds == [BOTH[0], BOTH[0]]
    _, preds, _ = placed([at(0, 8)], [quoted("Buy now! It is good."), quoted("Buy now!")])
    assert preds == [((0, 20),), BOTH[0]], "a passage around it is no rival for its place"
    _, preds, score = placed([at(0, 8)], [quoted("Buy now!")] * 3)
    assert preds == [*BOTH, BOTH[0]], "more of them than places"
    assert score == 0.5


def test_what_must_be_there() -> None:
    protocol = Violations()
    spans, quote = Violation(spans=((0, 1),)), Violation(quote="x")
    assert protocol.missing(Sample(id="s", text="x", predicted=())) == "gold"
    assert protocol.missing(Sample(id="s", text="x", gold=())) == "predicted"
    assert protocol.missing(Sample(id="s", gold=(spans,), predicted=(quote,))) == "text"
    assert protocol.missing(Sample(id="s", gold=(spans,), predicted=())) is None
    assert protocol.missing(Sample(id="s", gold=(), predicted=())) is None
    with pytest.raises(InputError, match="field 'gold'"):
        run(protocol, Sample(id="s"))


def test_labels_of_a_file_are_scored_and_overlaps_filled_in() -> None:
    mine = Label("rule", "gold:0", 0.9, "pred:0", "human:ann")
    sample = Sample(
        id="s",
        text="some words here",
        gold=(Violation(quote="some words"),),
        predicted=(Violation(quote="words"),),
        labels=(mine, Label("support", "resp:a", True, None, "human:ann")),
    )
    protocol = Violations(metrics=tuple(STD))
    assert protocol.sources(sample) == ("human:ann",)
    made = protocol.given(sample, "human:ann")
    assert [label.name for label in made.labels] == ["rule", "text"]
    assert by_name(protocol.score(made))["match_score_std"].value == pytest.approx(0.5 * 0.5 + 0.5 * 0.9)
    bare = msgspec.structs.replace(sample, labels=(Label("rule", "gold:9", 1.0, "pred:0", "human:ann"),))
    assert by_name(protocol.score(protocol.given(bare, "human:ann")))["std_f1"].state == "unscored"
