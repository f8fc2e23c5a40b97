"""Trace and ragchecker from raw text, with a judge whose opinions are written down."""

from __future__ import annotations

import json

from msgspec.structs import replace

import adjudge
from adjudge.judges.base import (
    CheckClaims,
    ExtractClaims,
    LabelSentences,
    RelevantSentences,
    Reply,
    SentenceLabels,
    Support,
    SupportSentence,
)
from adjudge.protocols import make_protocol
from adjudge.types import Sample, from_json

RAW = {
    "id": "s",
    "question": "When does the ferry leave?",
    "contexts": ["The ferry leaves at 8. It carries cars.", "Coffee is sold."],
    "response": "It leaves at 8. Dogs travel free.",
    "reference": "The ferry leaves at 8.",
}


class Opinion:
    """A judge that says what a table says, and remembers what it was asked."""

    immediate = True
    name = "opinion"
    answers = frozenset({CheckClaims, ExtractClaims, LabelSentences, RelevantSentences, SupportSentence})

    def __init__(self, fail=()):
        self.fail = fail
        self.asked = []

    async def ask(self, questions):
        self.asked += questions
        return [Reply(reason="no idea") if type(q) in self.fail else self.answer(q) for q in questions]

    def answer(self, question):
        if isinstance(question, ExtractClaims):
            return Reply(tuple(part.strip() for part in question.text.split(".") if part.strip()))
        if isinstance(question, CheckClaims):
            claims = [set(claim.lower().split()[-2:]) for claim in question.claims]
            return Reply(
                tuple(
                    "".join(
                        "e" if words <= set(text.lower().replace(".", "").split()) else "n"
                        for text in question.evidence
                    )
                    for words in claims
                )
            )
        if isinstance(question, LabelSentences):
            support = (Support("a", ("0a",), "full", "said so"), Support("b", (), "none"))
            return Reply(SentenceLabels(("0a",), ("0a",), support, False))
        if isinstance(question, RelevantSentences):
            return Reply(("0a", "0b"))
        supported = question.key == "a"
        return Reply(Support(question.key, ("0a",) if supported else (), "full" if supported else "none"))


def test_trace_asks_once_and_scores():
    judge = Opinion()
    result = adjudge.evaluate([RAW], "trace", judge=judge)
    assert len(judge.asked) == 1
    assert judge.asked[0].contexts == (
        ("0a", "The ferry leaves at 8."),
        ("0b", "It carries cars."),
        ("1a", "Coffee is sold."),
    )
    assert result.value("trace.relevance") == 1 / 3
    assert result.value("trace.completeness") == 1.0
    assert result.value("trace.adherence") == 0.0
    assert result.value("trace.supported_sentences") == 0.5
    assert result.summary.signatures["trace"].startswith("trace|v1|judge:opinion|")


def test_sentences_are_split_by_the_language_that_a_sample_names():
    german = {
        "id": "s",
        "question": "Seit wann steht er?",
        "contexts": ["Der Turm steht seit dem 5. Mai 1893. Er ist hoch."],
        "response": "Er steht seit dem 5. Mai 1893.",
        "attributes": {"language": "de"},
    }
    judge = Opinion()
    adjudge.evaluate([german], "trace", judge=judge)
    assert [text for _, text in judge.asked[0].contexts] == [
        "Der Turm steht seit dem 5. Mai 1893.",
        "Er ist hoch.",
    ]
    assert [text for _, text in judge.asked[0].response] == ["Er steht seit dem 5. Mai 1893."]
    given = make_protocol("trace").given_units(from_json(json.dumps(german).encode(), Sample))
    assert [unit.id for unit in given] == ["ctx:0a", "ctx:0b", "resp:a"]


def test_trace_step_by_step():
    judge = Opinion()
    result = adjudge.evaluate([RAW], "trace", judge=judge, parameters={"trace": {"steps": True}})
    assert [type(question) for question in judge.asked] == [
        RelevantSentences,
        SupportSentence,
        SupportSentence,
    ]
    assert result.value("trace.relevance") == 2 / 3
    assert result.value("trace.utilization") == 1 / 3
    assert "|steps:yes|" in result.summary.signatures["trace"]


def test_trace_failures_leave_reasons():
    result = adjudge.evaluate([RAW], "trace", judge=Opinion(fail=(LabelSentences,)))
    row = result.row("trace.adherence")
    assert row.value is None
    assert row.reasons == {"no idea": 1}
    half = adjudge.evaluate(
        [RAW], "trace", judge=Opinion(fail=(SupportSentence,)), parameters={"trace": {"steps": True}}
    )
    assert half.value("trace.relevance") == 2 / 3
    assert half.value("trace.adherence") is None


def test_notes_on_the_answers_of_a_model_stay_with_the_labels():
    class Noting(Opinion):
        """Says something besides, as a model does whose answer had to be mended."""

        def answer(self, question):
            reply = super().answer(question)
            value, why = reply.value, "unknown keys dropped: 9z"
            if isinstance(value, SentenceLabels):
                value = replace(value, why_supported="the timetable")
            return replace(reply, value=value, why=why)

    (record,) = adjudge.evaluate([RAW], "trace", judge=Noting()).records
    by = {(label.name, label.unit): label.why for label in record.labels}
    assert by["support", "response"] == "the timetable; unknown keys dropped: 9z"
    assert by["support", "resp:a"] == "said so"
    (record,) = adjudge.evaluate(
        [RAW], "trace", judge=Noting(), parameters={"trace": {"steps": True}}
    ).records
    by = {(label.name, label.unit): label.why for label in record.labels}
    assert by["support", "resp:a"] == by["relevant", "contexts"] == "unknown keys dropped: 9z"


def test_ragchecker_asks_four_questions():
    judge = Opinion()
    result = adjudge.evaluate([RAW], "ragchecker", judge=judge)
    assert [type(question) for question in judge.asked] == [
        ExtractClaims,
        ExtractClaims,
        CheckClaims,
        CheckClaims,
    ]
    assert [(len(question.evidence), question.passages) for question in judge.asked[2:]] == [(3, 2), (3, 2)]
    values = {row.metric.partition(".")[2]: row.value for row in result.summary.rows}
    assert (values["precision"], values["recall"]) == (0.5, 1.0)
    assert (values["faithfulness"], values["hallucination"], values["self_knowledge"]) == (0.5, 0.5, 0.0)
    assert (values["claim_recall"], values["context_precision"]) == (1.0, 0.5)


def test_ragchecker_step_by_step_gives_the_same_from_many_questions():
    joint = adjudge.evaluate([RAW], "ragchecker", judge=Opinion())
    judge = Opinion()
    steps = adjudge.evaluate([RAW], "ragchecker", judge=judge, parameters={"ragchecker": {"steps": True}})
    assert [(row.metric, row.value) for row in steps.summary.rows] == [
        (row.metric, row.value) for row in joint.summary.rows
    ]
    assert all(len(q.evidence) == 1 for q in judge.asked if isinstance(q, CheckClaims))
    assert len(judge.asked) == 2 + 3 + 3


def test_ragchecker_asks_only_for_what_is_wanted():
    for metric, checks in (
        ("ragchecker.precision", [1]),
        ("ragchecker.faithfulness", [2]),
        ("ragchecker.f1", [1, 1]),
    ):
        judge = Opinion()
        adjudge.evaluate([RAW], judge=judge, protocols="ragchecker", metrics=[metric])
        assert [len(q.evidence) for q in judge.asked if isinstance(q, CheckClaims)] == checks


def test_ragchecker_failures_leave_reasons():
    result = adjudge.evaluate([RAW], "ragchecker", judge=Opinion(fail=(CheckClaims,)))
    assert result.value("ragchecker.f1") is None
    assert "no idea" in next(iter(result.row("ragchecker.f1").reasons))
    result = adjudge.evaluate([RAW], "ragchecker", judge=Opinion(fail=(ExtractClaims,)))
    assert "no idea" in next(iter(result.row("ragchecker.precision").reasons))


class Partial(Opinion):
    """Cannot read the second passage, and says so."""

    name = "partial"

    def answer(self, question):
        reply = super().answer(question)
        if not isinstance(question, CheckClaims) or len(question.evidence) < 2:
            return reply
        return Reply(tuple(row[:-1] + "-" for row in reply.value), reason="the passage is too long")


def test_why_a_passage_was_not_checked_is_told():
    result = adjudge.evaluate([RAW], "ragchecker", judge=Partial())
    assert result.value("ragchecker.precision") == 0.5
    for name in ("faithfulness", "hallucination", "claim_recall"):
        (reason,) = result.row(f"ragchecker.{name}").reasons
        assert reason.endswith("claims against passages are missing: the passage is too long"), name


class Telling(Opinion):
    """Says why, and gives only part of the first grid."""

    def answer(self, question):
        reply = super().answer(question)
        if not isinstance(question, CheckClaims) or len(question.claims) < 2:
            return reply
        return Reply(("-" * len(question.evidence), reply.value[1]), "as read", "half a table", raw=("{…",))


def test_grids_keep_why_and_a_partial_answer_its_words():
    (record,) = adjudge.evaluate([RAW], "ragchecker", judge=Telling()).records
    assert [(grid.why, grid.reason) for grid in record.grids] == [("as read", "half a table"), (None, None)]
    (step,) = record.steps
    assert (step["asked"], step["reason"], step["raw"]) == ("CheckClaims", "half a table", ["{…"])


def test_without_contexts_only_the_overall_metrics_stand():
    raw = {key: value for key, value in RAW.items() if key != "contexts"}
    result = adjudge.evaluate([raw], "ragchecker", judge=Opinion())
    assert result.value("ragchecker.precision") == 0.5
    assert result.row("ragchecker.faithfulness").samples == {"not_applicable": 1}


def test_an_empty_response_is_no_claims():
    result = adjudge.evaluate([RAW | {"response": ""}], "ragchecker", judge=Opinion())
    row = result.row("ragchecker.precision")
    assert row.value == 0.0
    assert row.samples == {"by_convention": 1}


def test_of_several_right_answers_the_nearest_to_the_response_is_the_reference():
    raw = RAW | {"reference": [["Departure is at eight", "The ferry leaves at 8."]], "contexts": None}
    judge = Opinion()
    (record,) = adjudge.evaluate([raw], "ragchecker", judge=judge).records
    assert [question.text for question in judge.asked[:2]] == [RAW["response"], "The ferry leaves at 8."]
    assert {score.metric: score.value for score in record.scores}["ragchecker.recall"] == 1.0
    (used,) = (unit for unit in record.units if unit.id == "reference")
    assert used.text == "The ferry leaves at 8."
    assert used.note == "of the right answers given, the nearest to the response"


def test_a_reference_in_several_parts_is_all_of_them():
    raw = RAW | {"reference": ["The ferry leaves at 8.", ["Dogs are free", "Dogs travel free."]]}
    judge = Opinion()
    adjudge.evaluate([raw], "ragchecker", judge=judge)
    assert judge.asked[1].text == "The ferry leaves at 8.\nDogs travel free."


def test_claims_that_came_without_verdicts_are_checked_as_they_are():
    units = [{"id": "claim:response:0", "text": "We leave at 8", "note": '["We", "leave", "at 8"]'}]
    labels = [{"name": "claims", "unit": "response", "value": 1, "source": "judge:other"}]
    given = RAW | {"units": units, "labels": labels}
    judge = Opinion()
    (record,) = adjudge.evaluate([given], "ragchecker", judge=judge).records
    assert [type(question) for question in judge.asked] == [ExtractClaims, CheckClaims, CheckClaims]
    assert judge.asked[1].claims == ("We leave at 8",)
    assert record.labeller == "judge:opinion"
    assert next(unit for unit in record.units if unit.id == "claim:response:0").note == units[0]["note"]
    assert {label.unit: label.why for label in record.labels} == {"response": "as given", "reference": None}


def test_no_claims_are_labels_too():
    labels = [{"name": "claims", "unit": text, "value": 0, "source": "human:a"} for text in ("response",)]
    (record,) = adjudge.evaluate([RAW | {"labels": labels}], "ragchecker", judge=Opinion()).records
    assert record.labeller == "labels:human:a"
