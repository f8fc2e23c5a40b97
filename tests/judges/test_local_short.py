"""Two short answers to one question: nearly all their words are the question's, so these do not count."""

from __future__ import annotations

import pytest

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.short import polarity

_RIGHT = [
    ("Which town has the bell tower?", "Brackley", "Brackley, Kent"),
    ("When was the pier opened?", "1889", "in 1889"),
    ("When was the pier opened?", "March 12, 1889", "12 March 1889"),
    ("Who wrote the hymn?", "J. K. Marlow", "Joanne Marlow"),
    ("Who wrote the hymn?", "Joanne Kathleen Marlow", "J. Marlow"),
    ("Who wrote the hymn?", "Mrs. Marlow", "Joanne Marlow"),
    ("How tall is the mast?", "41 m", "41 metres"),
    ("How tall is the mast?", "41", "41 m"),
    ("How many bells are there?", "1", "One"),
    ("What share of them returned?", "50%", "fifty percent"),
    ("How many live there?", "2 million", "2.1 million"),
    ("Who runs the fund?", "UN", "the United Nations"),
    ("Which city hosts it?", "São Paulo", "Sao Paulo"),
    ("Is the store open on Sunday?", "Yes", "Definitely"),
    ("Is it true or false that cork floats?", "True", "That is correct."),
]
_WRONG = [
    ("Is the store open on Sunday?", "No", "Yes"),
    ("Is it true or false that cork floats?", "False", "True"),
    ("Who painted the harbour at dusk?", "Michelangelo", "Leonardo da Vinci"),
    ("Who painted the harbour at dusk?", "John Smith", "James Smith"),
    ("Who wrote the hymn?", "J. K. Marlow", "Joanne Ellen Marlow"),
    ("Who wrote the hymn?", "K. Marlow", "Joanne Marlow"),
    ("Which king had it built?", "Charles I", "Charles II"),
    ("Which city is it in?", "York", "New York"),
    ("Where was he born?", "Virginia", "West Virginia"),
    ("How tall is the mast?", "41 m", "41 km"),
    ("How much is a ticket?", "$20", "€20"),
    ("When was the pier opened?", "1889", "1898"),
    ("Which town has the bell tower?", "Brackley", "not Brackley"),
    ("How did the price change?", "an increase", "a decrease"),
]


@pytest.mark.parametrize(("question", "answer", "reference"), _RIGHT)
def test_a_right_short_answer_is_entailed(question: str, answer: str, reference: str) -> None:
    assert _verdict(question, f"{answer}.", reference) == "e"


@pytest.mark.parametrize(("question", "answer", "reference"), _WRONG)
def test_a_wrong_short_answer_is_entailed_neither_way(question: str, answer: str, reference: str) -> None:
    assert _verdict(question, f"{answer}.", reference) != "e"
    assert _verdict(question, f"{reference}.", answer) != "e"


def test_no_is_the_opposite_of_a_sentence_that_says_yes() -> None:
    question = "Is the store open on Sunday?"
    assert _verdict(question, "No.", "The store is open on Sunday.") == "c"
    assert _verdict(question, "No.", "The store is closed on Sunday.") == "e"
    assert _verdict(question, "Yes.", "The store is open on Sunday.") == "e"
    assert _verdict(question, "The store is open on Sunday.", "No") == "c"
    assert _verdict(question, "The store is not open on Sunday.", "No") == "e"
    assert _verdict(question, "No.", "Whales breathe air.") == "n"


@pytest.mark.parametrize("nothing", ["N/A", "Unknown", "Hello!"])
def test_what_is_no_answer_entails_nothing(nothing: str) -> None:
    question, sentence = "Who wrote Hamlet?", "Hamlet was written by William Shakespeare."
    assert _verdict(question, sentence, nothing) == "n"


def test_a_sentence_must_hold_the_answer() -> None:
    question, sentence = "Who painted the Mona Lisa?", "The Mona Lisa was painted by Leonardo da Vinci."
    # Which of the other two it is, "not stated" or "contradicted", is the model's opinion.
    assert _verdict(question, "Michelangelo.", sentence) != "e"
    assert _verdict(question, sentence, "Michelangelo") != "e"
    assert _verdict(question, "Leonardo da Vinci.", sentence) == "e"
    assert _verdict(question, sentence, "Leonardo da Vinci") == "e"


def test_without_a_question_nothing_is_taken_for_an_answer() -> None:
    pairs = [("No.", "Yes"), ("Lee Ann.", "Ann Lee")]
    judge = LocalJudge(verifier="features")
    found = [reply.value[0] for reply in judge.answer([CheckClaims((c,), (e,)) for c, e in pairs])]
    assert found == [judge.verifier.verdicts([c], [e])[0].verdict[0] for c, e in pairs]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("Yes!", True), ("Of course.", True), ("That is false.", False), ("Not at all", False), ("Noon", None)],
)
def test_yes_and_no_in_other_words(text: str, meant: bool | None) -> None:
    assert polarity(text) is meant


def _verdict(question: str, claim: str, evidence: str) -> str:
    (reply,) = LocalJudge().answer([CheckClaims((claim,), (evidence,), question)])
    return str(reply.value[0])
