"""RGB: which metrics speak of which sample, and what they are. Real runs are in test_rgb_runs.py."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from adjudge.errors import InputError
from adjudge.judges.base import IsRefusal, PointsOutError, Question, Reply
from adjudge.judges.rules import RulesJudge
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols import make_protocol
from adjudge.protocols.rgb import Rgb, ability_of
from adjudge.types import Labelled, Sample, Score

RULES = RulesJudge()
REFUSES = "I can not answer the question because of the insufficient information in documents."
FLAGS = "There are factual errors in the provided documents."


class YesNo:
    """A judge that gives the same reply to everything, and keeps what it was asked."""

    name = "yesno"
    immediate = True

    def __init__(
        self, value, answers: frozenset[type[Question]] = frozenset({IsRefusal, PointsOutError})
    ) -> None:
        self.value, self.answers, self.asked = value, answers, []

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        self.asked += questions
        return [Reply(self.value, "because") for _ in questions]


def label(sample: Sample, judge=RULES, protocol: Rgb | None = None) -> Labelled:
    return asyncio.run((protocol or Rgb()).label(sample, judge))


def score(sample: Sample, judge=RULES) -> dict[str, Score]:
    scores = Rgb().score(label(sample, judge))
    return {entry.metric.removeprefix("rgb."): entry for entry in scores}


def values(sample: Sample, judge=RULES) -> dict[str, float]:
    return {name: entry.value for name, entry in score(sample, judge).items() if entry.value is not None}


def noise(response: str | None, reference="Oslo", **fields) -> Sample:
    return Sample(id="s", question="Where?", response=response, reference=reference, **fields)


def rejection(response: str, reference="Oslo", **fields) -> Sample:
    return noise(response, reference, ability="rejection", **fields)


def false(response: str, reference="Oslo", counterfactual="Bergen", **fields) -> Sample:
    return noise(response, reference, counterfactual=counterfactual, **fields)


@pytest.mark.parametrize(
    ("fields", "ability"),
    [
        ({}, "noise"),
        ({"attributes": {"noise": 0.8}}, "noise"),
        ({"attributes": {"noise": 1.0}}, "rejection"),
        ({"attributes": {"noise": 1}}, "rejection"),
        ({"attributes": {"noise": "1.0"}}, "rejection"),
        ({"attributes": {"grouped": True}}, "integration"),
        ({"attributes": {"grouped": True, "noise": 1.0}}, "rejection"),
        ({"counterfactual": "Bergen", "attributes": {"noise": 1.0}}, "counterfactual"),
        ({"counterfactual": ""}, "noise"),
        ({"ability": "integration", "counterfactual": "Bergen"}, "integration"),
    ],
)
def test_ability(fields: dict, ability: str) -> None:
    sample = noise("Oslo", **fields)
    assert ability_of(sample) == ability
    labelled = label(sample)
    assert labelled.attributes == {**sample.attributes, "ability": ability}


ALL_RATE = {"all_rate_official"}
ANSWERING = {"accuracy", "accuracy_strict", "accuracy_official"} | ALL_RATE
REJECTING = {"rejection", "rejection_official", "rejection_judge"} | ALL_RATE
CORRECTING = {
    f"error_{kind}{variant}"
    for kind in ("detection", "correction")
    for variant in ("", "_official", "_judge")
}


@pytest.mark.parametrize(
    ("ability", "metrics"),
    [
        ("noise", ANSWERING),
        ("integration", ANSWERING),
        ("rejection", REJECTING),
        ("counterfactual", ANSWERING | CORRECTING),
    ],
)
def test_each_ability_has_its_own_metrics(ability, metrics: set[str]) -> None:
    scores = score(noise(f"{FLAGS} It is Oslo.", ability=ability), YesNo(True))
    assert {name for name, entry in scores.items() if entry.state != "not_applicable"} == metrics
    assert {name for name, entry in scores.items() if entry.value is not None} == metrics
    assert len(scores) == len(Rgb.specs) == 13


def test_needs() -> None:
    rgb = Rgb()
    assert rgb.missing(noise(None)) == "response"
    assert rgb.missing(noise("x", None)) == "reference"
    assert rgb.missing(false("x", None)) == "reference"
    assert rgb.missing(rejection("x", None)) is None
    assert rgb.missing(noise("x")) is None
    with pytest.raises(InputError, match=r"sample 's', field 'reference': protocol 'rgb'"):
        rgb.require(noise("x", None))


def test_noise_counts_and_reasons() -> None:
    labelled = label(noise("It is in Oslo.", (("Oslo", "Kristiania"), "Norway")))
    assert [unit.id for unit in labelled.units] == ["answer", "truth:0", "truth:1"]
    assert labelled.units[1].text == "Oslo | Kristiania"
    found = {(entry.name, entry.against): (entry.value, entry.why) for entry in labelled.labels}
    assert found["match", "truth:0"] == (True, "substring: Oslo")
    assert found["match", "truth:1"] == (False, "overlap 0/1: Norway")
    assert found["refusal_official", None] == (False, "no refusal phrase")
    assert {entry.source for entry in labelled.labels} == {"rules"}
    accuracy = Rgb().score(labelled)[0]
    assert (accuracy.value, accuracy.state) == (0.0, "defined")
    assert [(count.name, count.n, count.units) for count in accuracy.counts] == [
        ("correct", 0, ()),
        ("answers", 1, ("answer",)),
    ]


def test_the_three_accuracies_differ() -> None:
    assert values(noise("oslo!", "Oslo")) == {
        "accuracy": 1,
        "accuracy_strict": 1,
        "accuracy_official": 1,
        "all_rate_official": 1,
    }
    assert values(noise("capital Oslo the of north", "the capital of the north Oslo")) == {
        "accuracy": 1,
        "accuracy_strict": 0,
        "accuracy_official": 0,
        "all_rate_official": 0,
    }


def test_official_accuracy_looks_at_a_refusal_first() -> None:
    found = values(noise(f"Perhaps Oslo. {REFUSES}"))
    assert (found["accuracy"], found["accuracy_official"], found["all_rate_official"]) == (1, 0, 0)


def test_all_rate_counts_refusals_only_where_all_is_noise() -> None:
    assert values(rejection(REFUSES))["all_rate_official"] == 1
    assert values(rejection("It is Oslo"))["all_rate_official"] == 1
    assert values(rejection("It is Rome"))["all_rate_official"] == 0
    assert values(noise(REFUSES, ability="integration", attributes={"noise": 1.0}))["all_rate_official"] == 1
    bare = score(rejection(REFUSES, None))
    assert bare["all_rate_official"].state == "unscored"
    assert bare["all_rate_official"].reason == "no reference to compare with"
    assert bare["rejection_official"].value == 1


def test_rejection() -> None:
    assert values(rejection("I don’t know.", None)) == {"rejection": 1, "rejection_official": 0}
    assert values(rejection(REFUSES, None)) == {"rejection": 1, "rejection_official": 1}
    assert values(rejection("It is Rome.", None)) == {"rejection": 0, "rejection_official": 0}


def test_error_correction_official_counts_a_refusal_and_only_the_detected() -> None:
    name = "error_correction_official"
    assert score(false("It is Bergen"))[name].state == "not_applicable"
    assert values(false(f"{FLAGS} It is Oslo"))[name] == 1
    assert values(false(f"{FLAGS} It is Bergen"))[name] == 0
    assert values(false(f"{FLAGS} {REFUSES}"))[name] == 1
    (corrected, detected) = score(false(f"{FLAGS} It is Oslo"))[name].counts
    assert (corrected.name, corrected.n, detected.name, detected.n) == ("corrected", 1, "detected", 1)


def test_error_correction_judge_needs_a_correct_answer() -> None:
    name = "error_correction_judge"
    assert values(false("It is Oslo"), YesNo(True))[name] == 1
    assert values(false(f"Oslo. {REFUSES}"), YesNo(True))[name] == 0
    assert score(false("It is Oslo"), YesNo(False))[name].state == "not_applicable"
    assert score(false("It is Oslo"))[name].state == "unscored"
    assert score(false("It is Oslo"), YesNo(None))[name].state == "unscored"


@pytest.mark.parametrize(("corrected", "detected", "value"), [(4, 7, 4 / 7), (0, 3, 0.0), (0, 0, 0.0)])
def test_correction_over_a_data_set_is_among_the_detected(
    corrected: int, detected: int, value: float
) -> None:
    """RGB's 57.14 is 4 of 7 and not 4 of 100; without any detection its script gives 0."""
    rgb = Rgb()
    fold = SummaryFold(rgb.specs, {"rgb": [("ability",)]})
    for index in range(100):
        answer = "Oslo" if index < corrected else "Bergen"
        sample = false(f"{FLAGS} {answer}" if index < detected else answer)
        labelled = label(sample, YesNo(index < detected))
        fold.add("rgb", str(index), labelled.attributes, rgb.score(labelled))
    found = {row.metric: row.value for row in fold.rows(intervals=False)}
    assert found["rgb.error_correction_official"] == found["rgb.error_correction_judge"] == value
    assert found["rgb.error_detection_official"] == found["rgb.error_detection_judge"] == detected / 100
    assert found["rgb.error_correction"] == corrected / 100


def test_error_detection_and_correction_of_the_document() -> None:
    found = values(false("Not Bergen, it is Oslo"))
    assert (found["error_detection"], found["error_detection_official"], found["error_correction"]) == (
        1,
        0,
        1,
    )
    found = values(false("It is Oslo"))
    assert (found["error_detection"], found["error_correction"]) == (0, 1)
    without = values(noise("It is wrong; Oslo", ability="counterfactual"))
    assert (without["error_detection"], without["error_correction"]) == (1, 1)


@pytest.mark.parametrize("response", ["", "  ", "?!"])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (noise, ANSWERING),
        (rejection, REJECTING - {"rejection_judge"}),
        (false, ANSWERING | {"error_detection", "error_detection_official", "error_correction"}),
    ],
)
def test_empty_response_is_zero_by_convention(response: str, make, names: set[str]) -> None:
    scores = score(make(response))
    assert {name for name, entry in scores.items() if entry.state == "by_convention"} == names
    for name in names:
        assert (scores[name].value, scores[name].reason) == (0, "the response is empty")
        assert [count.n for count in scores[name].counts] == [0, 1]


@pytest.mark.parametrize("reference", ["", (), ("",), ((),), ("Oslo", "")])
def test_empty_answer_is_zero_by_convention(reference) -> None:
    scores = score(false("Oslo", reference))
    for name in ("accuracy", "accuracy_strict", "accuracy_official", "all_rate_official", "error_correction"):
        assert (scores[name].value, scores[name].state) == (0, "by_convention")
    assert scores["error_detection"].state == "defined"


def test_judge_is_asked_one_question_and_all_labels_carry_its_name() -> None:
    judge = YesNo(True)
    labelled = label(rejection("No idea"), judge)
    assert judge.asked == [IsRefusal("Where?", "No idea")]
    assert {entry.source for entry in labelled.labels} == {"judge:yesno"}
    assert score(rejection("No idea"), judge)["rejection_judge"].value == 1
    judge = YesNo(False)
    assert values(false("Oslo"), judge)["error_detection_judge"] == 0
    assert judge.asked == [PointsOutError("Oslo")]
    judge = YesNo(True)
    label(noise("Oslo"), judge)
    assert judge.asked == []


def test_what_a_judge_cannot_tell_is_unscored_with_the_reason() -> None:
    assert "--judge" in (score(rejection("x"))["rejection_judge"].reason or "")
    other = score(rejection("x"), YesNo(True, frozenset({PointsOutError})))
    assert other["rejection_judge"].state == "unscored"
    odd = score(rejection("x"), YesNo("perhaps"))["rejection_judge"]
    assert (odd.state, odd.reason) == ("unscored", "the judge answered 'perhaps', not yes or no")
    unasked = score(Sample(id="s", response="x", ability="rejection"), YesNo(True))["rejection_judge"]
    assert unasked.reason == "the sample has no question"
    assert score(rejection(" "), YesNo(True))["rejection_judge"].reason == "the response is empty"


def test_judges_are_asked_about_the_answer_and_not_about_the_reasoning() -> None:
    judge = YesNo(True)
    label(rejection("<think>It is Oslo. Or Bergen.</think>I cannot tell."), judge)
    label(false("It may be wrong.</think>Bergen"), judge)
    assert judge.asked == [IsRefusal("Where?", "I cannot tell."), PointsOutError("Bergen")]
    cut_off = score(rejection("<think>It is Oslo. Or"), judge)["rejection_judge"]
    assert (cut_off.state, cut_off.reason) == ("unscored", "the response holds nothing but reasoning")


def test_string_rules_look_into_the_reasoning_unless_told_not_to() -> None:
    sample = noise("<think>Is it Oslo?</think>It is Bergen.")
    assert values(sample)["accuracy"] == 1
    strip = make_protocol("rgb", {"reasoning": "strip"})
    assert isinstance(strip, Rgb)
    scores = {entry.metric: entry for entry in strip.score(label(sample, protocol=strip))}
    assert scores["rgb.accuracy"].value == scores["rgb.accuracy_official"].value == 0
    assert "|reasoning:strip|judge:rules|" in strip.signature("judge:rules")
    assert "reasoning" not in Rgb().signature("judge:rules")
    empty = strip.score(label(noise("<think>Is it Oslo?"), protocol=strip))
    assert (empty[0].state, empty[0].reason) == ("by_convention", "the response is empty")


def test_phrases_are_found_in_any_case() -> None:
    found = label(rejection("I DON’T say."), protocol=Rgb(refusal_phrases=("Don’t Say",)))
    assert [entry.value for entry in found.labels if entry.name == "refusal"] == [True]
    found = label(false("That is a LIE."), protocol=Rgb(error_phrases=("a Lie",)))
    assert [entry.value for entry in found.labels if entry.name == "error_flag"] == [True]


def test_only_wanted_labels_are_made() -> None:
    strict = make_protocol("rgb", {"metrics": ["rgb.accuracy_strict"]})
    assert isinstance(strict, Rgb)
    labelled = label(noise("Oslo"), protocol=strict)
    assert [entry.name for entry in labelled.labels] == ["match_strict"]
    assert [entry.metric for entry in strict.score(labelled)] == ["rgb.accuracy_strict"]
    judge = YesNo(True)
    label(rejection("x"), judge, Rgb(metrics=("rgb.rejection",)))
    assert judge.asked == []


def test_chinese_by_attribute_or_by_the_question() -> None:
    spaced = "在 北 京"
    assert (
        values(Sample(id="s", question="在哪里？", response=spaced, reference="北京"))["accuracy_official"]
        == 1
    )
    attributed = Sample(id="s", response=spaced, reference="北京", attributes={"language": "zh"})
    assert values(attributed)["accuracy_official"] == 1
    english = Sample(
        id="s", question="在哪里？", response=spaced, reference="北京", attributes={"language": "en"}
    )
    assert values(english)["accuracy_official"] == 0
    named = Sample(id="s", question="Who wrote Soul Mountain (灵山)?", response="Gao X.", reference="Gao X")
    assert values(named)["accuracy_official"] == 1
