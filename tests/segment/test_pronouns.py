"""Whom and what pronouns stand for, and what a subject's number does to its verb."""

from __future__ import annotations

import pytest

from adjudge.segment.claims import split_claims


def texts(text: str, *, fine: bool = False) -> list[str]:
    return [claim.text for claim in split_claims(text, fine=fine)]


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("It has been shown to calm dogs.", "Lavex has been shown to calm dogs."),
        ("It is widely known to stain cloth.", "Lavex is widely known to stain cloth."),
        ("It seems to work.", "Lavex seems to work."),
        ("It has been shown that dogs sleep more.", "It has been shown that dogs sleep more."),
        ("It seems fair to charge for it.", "It seems fair to charge for it."),
        ("It seems that dogs sleep more.", "It seems that dogs sleep more."),
        ("It is considered important to shake the jar.", "It is considered important to shake the jar."),
    ],
)
def test_what_something_is_shown_to_do_is_said_of_it(said: str, claim: str) -> None:
    assert texts(f"Lavex is an oil. {said}") == ["Lavex is an oil.", claim]


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Sonnets and odes were rare in the old school syllabus, although they are now read by all.",
            ["Sonnets and odes are now read by all."],
        ),
        ("The old school syllabus was thin. They are now read by all.", ["They are now read by all."]),
        ("The males of the lynx are shy. They sleep alone.", ["The males of the lynx sleep alone."]),
        ("The lead drums are loud. It reached the charts.", ["It reached the charts."]),
        (
            "Guides are not paid, although meals are free. They may leave early.",
            ["Meals are free.", "Guides may leave early."],
        ),
        (
            "Costs are covered. If the guide is invited, they may qualify.",
            ["If the guide is invited, they may qualify."],
        ),
        (
            "The fund is rich. If rooms are full, it may pay for a tent.",
            ["If rooms are full, the fund may pay for a tent."],
        ),
    ],
)
def test_a_pronoun_is_no_noun_of_another_number(text: str, claims: list[str], fine: bool) -> None:
    told = texts(text, fine=fine)
    assert [claim for claim in claims if claim not in told] == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "The Harbour series, a drama, follows a nurse, showing her life.",
            [
                "The Harbour series is a drama.",
                "The Harbour series follows a nurse.",
                "The Harbour series shows her life.",
            ],
        ),
        (
            "The species, small frogs, are found in Peru.",
            ["The species are small frogs.", "The species are found in Peru."],
        ),
        (
            "The two series ended in May, leaving no heirs.",
            ["The two series ended in May.", "The two series left no heirs."],
        ),
    ],
)
def test_a_noun_that_is_one_or_several_is_what_its_verb_tells(text: str, claims: list[str]) -> None:
    assert texts(text) == claims


def test_many_things_of_one_are_many() -> None:
    text = "The walls of the old house are thick, making the rooms cool."
    assert texts(text)[-1] == "The walls of the old house make the rooms cool."
