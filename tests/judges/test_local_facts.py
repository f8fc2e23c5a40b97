"""What the local judge makes of a response's facts: named subjects, relevance, repetitions."""

from __future__ import annotations

import pytest

from adjudge.judges.base import ExtractFacts, IsRelevant, MakeSelfContained
from adjudge.judges.local.encoder import make_encoder
from adjudge.judges.local.facts import facts_of, is_relevant, person_asked, self_contained

RESPONSE = (
    "Ada Brun is a Belgian poet. Her brother Jan runs a mill. She published Salt in 1990 with Orme Press. "
    "Granite contains quartz."
)


@pytest.mark.parametrize(
    ("fact", "stated"),
    [
        ("She published Salt.", "Ada Brun published Salt."),
        ("She is known for her verse.", "Ada Brun is known for her verse."),
        ("Her brother is a miller.", "Ada Brun's brother is a miller."),
        ("Salt came out in 1990.", "Salt came out in 1990."),
    ],
)
def test_an_opening_pronoun_is_filled_in(fact: str, stated: str) -> None:
    assert self_contained(MakeSelfContained(fact, RESPONSE))[0] == stated


def test_a_pronoun_stays_where_nobody_is_named() -> None:
    fact, why = self_contained(MakeSelfContained("She sang.", "She sang and danced."))
    assert fact == "She sang."
    assert "nobody" in why


@pytest.mark.parametrize(
    ("fact", "relevant"),
    [
        ("Ada Brun published Salt.", True),
        ("She sold the mill.", True),
        ("Carl Lind sued them.", True),
        ("Orme Press is a publisher.", True),
        ("Granite contains quartz.", False),
    ],
)
def test_relevant_is_what_is_said_of_the_subject_or_with_it(fact: str, relevant: bool) -> None:
    question = IsRelevant(fact, "Who is Ada Brun?", RESPONSE)
    assert is_relevant(question, make_encoder(None))[0] is relevant


def test_an_answer_in_other_words_than_the_question_is_relevant() -> None:
    fact = "People with kidney disease should take half the usual dose, 10 mg."
    assert is_relevant(IsRelevant(fact, "How should Velorin be taken?", fact), make_encoder(None))[0]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("Question: Tell me a bio of Jan van der Meer.", "Jan van der Meer."),
        ("Who was Ada Brun and what did she write?", "Ada Brun"),
        ("What is the capital of France?", None),
    ],
)
def test_whom_a_prompt_asks_about(prompt: str, name: str | None) -> None:
    assert person_asked(prompt) == (name and name.rstrip("."))


def test_the_prompt_names_whom_the_response_does_not() -> None:
    question = ExtractFacts("Who is Ada Brun?", "She is a poet.", ("She is a poet.",))
    (fact,) = facts_of(question, make_encoder(None))
    assert fact.self_contained == "Ada Brun is a poet."


def test_facts_of_one_sentence_do_not_repeat_one_another() -> None:
    sentences = (
        "Ada Brun said that the old mill on the river would close in June for repairs.",
        "Ada Brun said that the old mill on the river would close in June.",
    )
    found = facts_of(ExtractFacts("Who is Ada Brun?", " ".join(sentences), sentences), make_encoder(None))
    first = [fact for fact in found if fact.sentence == 0]
    assert len(first) > 1
    assert all(fact.duplicate_of is None for fact in first)
    assert any(fact.duplicate_of is not None for fact in found if fact.sentence == 1)
