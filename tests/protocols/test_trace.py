"""Trace: the worked examples, states of missing and failed labels, units, and what explain shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from adjudge.errors import InputError
from adjudge.protocols import make_protocol
from adjudge.protocols.trace import Trace
from adjudge.protocols.trace_label import SentenceSupport, list_labels, support_labels
from adjudge.types import Count, Grid, Label, Labelled, Sample, Score, Unit

SOURCE = "judge:test"


def sentences(*counts: int) -> list[str]:
    return [f"{passage}{chr(97 + index)}" for passage, count in enumerate(counts) for index in range(count)]


def labelled(
    relevant: Sequence[str] | None = None,
    used: Sequence[str] | None = None,
    flags: str | None = None,
    context: Sequence[str] = (),
    extra: Sequence[Label] = (),
) -> Labelled:
    """`flags` is one letter a response sentence: f(ull), p(artial), n(one)."""
    labels: list[Label] = []
    if relevant is not None:
        labels += list_labels("relevant", relevant, SOURCE)
    if used is not None:
        labels += list_labels("used", used, SOURCE)
    response = [chr(97 + index) for index in range(len(flags or ""))]
    if flags is not None:
        values = {"f": "full", "p": "partial", "n": "none"}
        entries = [
            SentenceSupport(key, (), values[letter], letter == "f")  # type: ignore[arg-type]
            for key, letter in zip(response, flags, strict=True)
        ]
        labels += support_labels(entries, SOURCE)
    units = [Unit(f"ctx:{key}", "x") for key in context] + [Unit(f"resp:{key}", "x") for key in response]
    return Labelled("s", "s", {}, tuple(units), (*labels, *extra))


def results(given: Labelled, **parameters: Any) -> dict[str, Score]:
    return {score.metric.removeprefix("trace."): score for score in Trace(**parameters).score(given)}


def counts(score: Score) -> dict[str, Count]:
    return {count.name: count for count in score.counts}


# Worked examples of the TRACE guide, by what the rule gives.


def test_example_relevance_12_of_30() -> None:
    context = sentences(10, 10, 10)
    found = results(labelled(context[:12], context[:8], context=context))
    assert found["relevance"].value == 12 / 30  # the document's 0.40, by its definition
    assert found["relevance_20"].value == 12 / 20  # its code gives 0.60, not the 0.40 it prints
    assert found["utilization_relevant"].value == 8 / 12
    assert found["utilization"].value == 8 / 30


def test_example_completeness_4_of_7_names_what_is_missing() -> None:
    given = labelled(["0a", "0b", "1a", "1c", "2a", "2b", "3a"], ["0a", "0b", "1c", "2a"])
    found = results(given)
    assert found["completeness"].value == found["completeness_001"].value == 4 / 7
    assert next(iter(Trace().gaps(given).values())) == ("ctx:1a", "ctx:2b", "ctx:3a")
    assert counts(found["completeness"])["covered"].units == ("ctx:0a", "ctx:0b", "ctx:1c", "ctx:2a")


def test_examples_of_adherence() -> None:
    assert results(labelled(flags="fff"))["adherence"].value == 1.0
    given = labelled(flags="fnf")
    assert results(given)["adherence"].value == 0.0
    assert list(Trace().gaps(given).values())[1] == ("resp:b",)


def test_example_of_step_3() -> None:
    found = results(labelled(["0a", "0b", "1a"], ["0a", "1a", "1b"], "fp", sentences(2, 2)))
    assert found["relevance_20"].value == 3 / 20
    assert found["relevance"].value == 3 / 4  # the document writes 3 / ~20, but shows four sentences
    assert found["utilization_relevant"].value == 1.0
    assert found["completeness"].value == 2 / 3
    assert found["adherence"].value == 0.0
    assert found["supported_sentences"].value == 1 / 2


def test_full_example() -> None:
    keys = ["0a", "0b", "1a", "1b"]
    found = results(labelled(keys, keys, "ffp", sentences(3, 2, 2)))
    assert found["relevance_20"].value == 4 / 20
    assert found["relevance"].value == 4 / 7  # the document counts 7 sentences and divides by 20
    assert found["utilization_relevant"].value == found["completeness_001"].value == 1.0
    assert found["adherence"].value == 0.0
    assert found["average"].value == pytest.approx(0.55, abs=1e-15)
    assert found["average"].state == "defined"
    assert set(counts(found["average"])) >= {"relevant", "used", "covered", "twenty", "adherent"}


def test_completeness_utilization_relevance_are_not_ordered_as_claimed() -> None:
    found = results(labelled(["0a", "0b", "1a"], ["0a", "1a", "1b"], "fp", sentences(2, 2)))
    assert found["utilization_relevant"].value == 1.0
    assert found["relevance_20"].value == 0.15  # so utilization <= relevance is false


def test_nothing_relevant_and_nothing_used_is_complete_contrary_to_the_claim() -> None:
    found = results(labelled([], [], "f", sentences(2)))
    assert found["relevance"].value == found["relevance_20"].value == found["utilization_relevant"].value == 0
    assert found["completeness"].value == found["completeness_001"].value == 1.0
    assert found["completeness_001"].state == found["average"].state == "by_convention"
    assert found["relevance"].state == found["relevance_20"].state == "defined"
    assert found["completeness_clean"].state == "unscored"


def test_nothing_relevant_yet_some_used_parts_the_two_completeness_rules() -> None:
    found = results(labelled([], ["0a"], "f", sentences(2)))
    assert found["completeness"].value == 1.0
    assert found["completeness_001"].value == 0.0


# What is counted.


def test_raw_lists_count_repeats_and_unknown_keys_and_clean_ones_do_not() -> None:
    relevant, used = ["0a", "0a", "0B", "general", "5z"], ["0a", "0b", "general"]
    found = results(labelled(relevant, used, context=sentences(4)))
    assert found["relevance"].value == 5 / 4
    assert found["relevance_clean"].value == 2 / 4
    assert found["utilization"].value == 3 / 4
    assert found["utilization_clean"].value == 2 / 4
    assert found["completeness"].value == 2 / 5  # 0a and general, over five entries
    assert found["completeness_001"].value == 2 / 4  # over four distinct ones
    assert found["completeness_clean"].value == 1.0
    assert counts(found["relevance"])["relevant"].units.count("ctx:0a") == 2
    assert found["relevance"].reason == "3 of 5 keys of relevant sentences are unknown or repeated"
    assert found["utilization"].reason == "1 of 3 keys of used sentences are unknown or repeated"
    assert found["completeness"].reason == f"{found['relevance'].reason}; {found['utilization'].reason}"
    assert found["relevance_clean"].reason is None
    assert counts(found["relevance_clean"])["relevant_clean"].units == ("ctx:0a", "ctx:0b")


def test_without_context_sentences_only_what_needs_them_is_unscored() -> None:
    found = results(labelled(["0a"], ["0a"], "f"))
    states = {name: score.state for name, score in found.items()}
    lost = {"relevance", "utilization", "relevance_clean", "utilization_clean", "completeness_clean"}
    assert {name for name, state in states.items() if state == "unscored"} == lost
    assert found["relevance_20"].value == 1 / 20


def test_every_count_carries_its_units() -> None:
    context = sentences(3, 2)
    for score in results(labelled(["0a", "9z"], ["0b"], "fpn", context)).values():
        for count in score.counts:
            assert count.constant or count.n == len(count.units), score.metric
    relevance = results(labelled(["0a"], [], "f", context))["relevance"]
    assert counts(relevance)["sentences"].units == tuple(f"ctx:{key}" for key in context)


# Labels that are not there.


def test_unlabelled_is_not_the_same_as_none() -> None:
    found = results(labelled(context=sentences(2)))
    assert all(score.state == "unscored" for score in found.values())
    assert found["relevance"].reason == "no relevance labels"
    assert found["utilization"].reason == "no labels of what was used"
    assert found["adherence"].reason == "no support labels"
    assert found["average"].reason == "no relevance labels"

    only_relevance = results(labelled([], context=sentences(2)))
    assert only_relevance["relevance"].value == 0.0
    assert only_relevance["completeness"].reason == "no labels of what was used"
    assert not any(Trace().gaps(labelled(["0a"], context=sentences(2))).values()), "use was not judged"
    no_entries = results(labelled(flags=""))
    assert (no_entries["adherence"].value, no_entries["adherence"].state) == (1.0, "by_convention")
    assert no_entries["supported_sentences"].state == "unscored"


@pytest.mark.parametrize(
    ("failure", "lost"),
    [
        (("relevant", "contexts"), {"relevance", "completeness", "utilization_relevant", "average"}),
        (("used", "contexts"), {"utilization", "completeness_001", "average"}),
        (("support", "response"), {"adherence", "supported_sentences", "average"}),
        (("grounded", "resp:a"), {"adherence", "average"}),
    ],
)
def test_a_failed_judgement_leaves_its_metrics_unscored(failure: tuple[str, str], lost: set[str]) -> None:
    name, unit = failure
    label = Label(name, unit, None, None, SOURCE, None, "the reply was no JSON")
    found = results(labelled(["0a"], ["0a"], "ff", sentences(2), [label]))
    unscored = {metric for metric, score in found.items() if score.state == "unscored"}
    assert lost <= unscored
    assert all(found[metric].reason == "the reply was no JSON" for metric in unscored)
    assert unscored != set(found)


def test_support_alone_decides_adherence_where_nobody_said_grounded() -> None:
    labels = [Label("support", "resp:a", "full"), Label("support", "resp:b", "partial")]
    assert results(labelled(extra=labels))["adherence"].value == 0.0
    assert results(labelled(extra=labels[:1]))["adherence"].value == 1.0
    failed = Label("support", "resp:c", None, reason="no answer")
    assert results(labelled(extra=[labels[0], failed]))["adherence"].reason == "no answer"


def test_grounded_goes_before_support() -> None:
    labels = [Label("support", "resp:a", "none"), Label("grounded", "resp:a", True)]
    found = results(labelled(extra=labels))
    assert found["adherence"].value == 1.0
    assert found["supported_sentences"].value == 0.0


def test_a_person_may_label_every_sentence_true_or_false() -> None:
    labels = [Label("relevant", "ctx:0a", False), Label("relevant", "ctx:0b", False)]
    assert results(labelled(context=sentences(2), extra=labels))["relevance"].value == 0.0


def test_odd_values_are_named() -> None:
    found = results(labelled(extra=[Label("support", "resp:a", "maybe"), Label("used", "ctx:0a", "yes")]))
    assert found["supported_sentences"].reason == "support of resp:a is 'maybe', not full, partial or none"
    assert found["utilization"].reason == "used of ctx:0a is 'yes', not true or false"


def test_only_wanted_metrics_come_back_and_the_average_still_knows_its_parts() -> None:
    given = labelled(["0a"], ["0a"], "f", sentences(1))
    found = results(given, metrics=("trace.average",))
    assert list(found) == ["average"]
    assert found["average"] == results(given)["average"]
    assert Trace(metrics=("trace.relevance",)).wanted_labels == {"relevant"}


def test_average_has_no_micro_fold() -> None:
    folds = {spec.name: spec.folds for spec in Trace().all_specs()}
    assert folds.pop("trace.average") == ("macro",)
    assert set(folds.values()) == {("macro", "micro")}
    assert {spec.headline for spec in Trace().all_specs()} == {"macro"}


# The protocol around it.


def test_units_are_split_only_where_the_file_gives_none() -> None:
    sample = Sample(id="s", contexts=("One here. Two here.", "Three."), response="Yes. No.")
    assert [unit.id for unit in Trace().given_units(sample)] == [
        "ctx:0a",
        "ctx:0b",
        "ctx:1a",
        "resp:a",
        "resp:b",
    ]
    own = Sample(id="s", contexts=("One. Two.",), response="Yes. No.", units=(Unit("ctx:0a", "One. Two."),))
    assert [unit.id for unit in Trace().given_units(own)] == ["ctx:0a", "resp:a", "resp:b"]


def test_it_owns_labels_of_sentences_only() -> None:
    trace = Trace()
    assert trace.owns(Label("relevant", "ctx:0a", True))
    assert trace.owns(Label("support", "response", 3))
    assert not trace.owns(Label("relevant", "fact:b.2", True))
    assert not trace.owns(Label("check", "resp:a", "entailed"))
    assert not trace.owns(Grid("check", (), (), ()))


@pytest.mark.parametrize("field", ["question", "response", "contexts"])
def test_raw_text_needs_question_response_and_contexts(field: str) -> None:
    fields = {"question": "q", "response": "r", "contexts": ("c",)}
    trace = make_protocol("trace")
    trace.require(Sample(id="s1", **fields))  # type: ignore[arg-type]
    del fields[field]
    with pytest.raises(InputError, match=f"sample 's1', field '{field}'.*'trace'"):
        trace.require(Sample(id="s1", **fields))  # type: ignore[arg-type]
