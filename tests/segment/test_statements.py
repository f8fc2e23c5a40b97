"""What a sentence states of the world, and what it only says of the answer and its sources."""

from __future__ import annotations

import pytest

from adjudge.segment.claims import split_claims
from adjudge.segment.claims.statements import is_statement, substance


@pytest.mark.parametrize(
    "sentence",
    [
        "The toll for lorries is not specified in the provided context.",
        "Therefore, the toll is never explicitly stated in the given documents.",
        "The depth 2.5 km from the shore is not mentioned in the text.",
        "Based on the provided context, there is no mention of a toll.",
        "Based on the documents above, it is difficult to tell the toll.",
        "However, there are no opening hours mentioned in the provided context.",
        "The context provided doesn't contain the toll.",
        "Here are the steps you should follow: 1.",
        "To cross the bridge, do as follows: a)",
    ],
)
def test_what_is_said_of_the_sources_is_no_statement(sentence: str) -> None:
    assert not is_statement(sentence)
    assert split_claims(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The bridge was not mentioned in the documents released on Monday.",
        "The context does not state the toll, but the bridge costs more for lorries.",
        "Sources did not confirm the story.",
        "Information does not want to be free.",
        "The passage of time did not help.",
        "Text messages do not cost anything.",
        "The toll is not collected in winter.",
    ],
)
def test_what_is_said_of_the_world_is_one(sentence: str) -> None:
    assert is_statement(sentence)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Based on the provided context, the bridge opened in 1911.", "The bridge opened in 1911."),
        ("According to the documents, it is red.", "It is red."),
        ("The passage clearly states that the bridge is red.", "The bridge is red."),
        ("No, based on the given documents, it is closed.", "No, it is closed."),
        ("Pay the toll at the gate [2]. 3.", "Pay the toll at the gate."),
        ("2. Pay the **toll** at the gate.", "Pay the toll at the gate."),
        ("In 1911, the bridge opened.", "In 1911, the bridge opened."),
        ("From information theory, we know its limit.", "From information theory, we know its limit."),
        ("It opened in 1911.", "It opened in 1911."),
        ("3.", "3."),
        ("", ""),
    ],
)
def test_a_sentence_without_its_frame(sentence: str, said: str) -> None:
    assert substance(sentence) == said
    assert substance(said) == said


def test_a_number_alone_is_an_answer_but_behind_a_sentence_the_mark_of_an_item() -> None:
    assert [claim.text for claim in split_claims("3.")] == ["3."]
    assert [claim.text for claim in split_claims("Pay at the gate. 3.")] == ["Pay at the gate."]
