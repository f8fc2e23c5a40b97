"""Bare answers are judged together with their question."""

from __future__ import annotations

import pytest

from adjudge.judges.base import CheckClaims, LabelSentences
from adjudge.judges.local.answers import in_full, is_fragment
from adjudge.judges.local.judge import LocalJudge


@pytest.mark.parametrize("text", ["Ann Lee", "In 1997.", "42 %", "The old mill on the hill", "Yes."])
def test_a_few_words_without_a_verb_are_a_bare_answer(text: str) -> None:
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text", ["It is Ann Lee.", "She moved to Rome.", "", "...", "As follows:", "巴黎。", "one two " * 8]
)
def test_what_states_something_by_itself_is_not(text: str) -> None:
    assert not is_fragment(text)


def test_an_answer_stands_behind_its_question_and_a_statement_alone() -> None:
    assert in_full("Ann Lee.", " Who built the mill? ") == "Who built the mill? Ann Lee."
    assert in_full("Ann Lee built it.", "Who built the mill?") == "Ann Lee built it."
    assert in_full("Ann Lee.", "") == "Ann Lee."


def test_a_bare_answer_is_held_against_evidence_with_its_question() -> None:
    question = "Who built the mill at Harrow Bend?"
    evidence = "The mill at Harrow Bend was built by Ann Lee. Tom Reed painted it much later."
    asked = [CheckClaims((name,), (evidence,), question) for name in ("Ann Lee.", "Tom Reed.")]
    right, wrong = (reply.probabilities[0][0][0] for reply in LocalJudge().answer(asked))
    assert right > 0.5
    assert right > wrong


def test_trace_grades_a_bare_answer_by_its_question() -> None:
    question = "Who built the mill at Harrow Bend?"
    contexts = (
        ("0a", "The mill at Harrow Bend was built by Ann Lee."),
        ("0b", "Tom Reed painted the barn much later."),
    )
    asked = [LabelSentences(question, contexts, (("a", name),)) for name in ("Ann Lee.", "Tom Reed.")]
    right, wrong = (reply.value.probability for reply in LocalJudge().answer(asked))
    assert right > wrong
