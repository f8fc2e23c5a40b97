"""Lines, lists and what leads in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.segment.claims import split_claims
from adjudge.segment.sentences import split_sentences


def texts(text: str, *, fine: bool = False) -> list[str]:
    return [claim.text for claim in split_claims(text, fine=fine)]


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Painters who lived in the house include:\n\n- Ada Berg\n- Bo Lund (a pupil of hers)\n- Cy Moe",
            [
                "Painters who lived in the house include Ada Berg.",
                "Painters who lived in the house include Bo Lund (a pupil of hers).",
                "Painters who lived in the house include Cy Moe.",
            ],
        ),
        (
            "Sure! Here are the founding years of the clubs:\n"
            "North End - 1901\nSouth Bay - 1910\nHarbour - 1934",
            [
                "The founding years of the clubs: North End - 1901.",
                "The founding years of the clubs: South Bay - 1910.",
                "The founding years of the clubs: Harbour - 1934.",
            ],
        ),
        (
            "The members of the league are:\nPeru, Chile, Bosnia and Herzegovina, and Mali.",
            [
                "The members of the league are Peru.",
                "The members of the league are Chile.",
                "The members of the league are Bosnia and Herzegovina.",
                "The members of the league are Mali.",
            ],
        ),
        (
            "## Side effects\n- Nausea\n- Headache",
            ["Side effects: Nausea.", "Side effects: Headache."],
        ),
        (
            "Breads: rye, spelt, barley\nCheeses: brie, gouda",
            ["Breads: rye.", "Breads: spelt.", "Breads: barley.", "Cheeses: brie, gouda."],
        ),
    ],
)
def test_items_are_told_with_what_leads_them_in(text: str, claims: list[str], fine: bool) -> None:
    assert texts(text, fine=fine) == claims


def test_items_that_are_sentences_stand_by_themselves() -> None:
    text = (
        "The scenes were filmed in several towns:\n"
        "1. Oslo: The harbour was used for the chase.\n"
        "2. Bergen: The market was used for the wedding."
    )
    assert texts(text) == ["The harbour was used for the chase.", "The market was used for the wedding."]


def test_a_title_with_a_verb_is_an_item_among_others() -> None:
    text = "The episodes are:\n1. The Harbour\n2. Stole a Boat\n3. Monkeys in Rome\n4. A Long Night"
    assert "The episodes are Stole a Boat." in texts(text)


def test_the_list_ends_with_the_next_paragraph() -> None:
    text = "The winners are:\n- Ada\n- Bo\n\nThe race was held in May."
    assert texts(text) == ["The winners are Ada.", "The winners are Bo.", "The race was held in May."]


@pytest.mark.parametrize(
    "text",
    [
        "Answer: Oslo",
        "Oslo, Norway",
        "Paris, Île-de-France, France",
        "Address: 12 Main Street, Springfield, 62701",
    ],
)
def test_bare_answers_and_addresses_stay_whole(text: str) -> None:
    assert len(texts(text)) == 1


def test_wrapped_text_stays_whole() -> None:
    text = "The lighthouse was built by\nAda Berg in 1893 and\nRenovated in 1950."
    assert texts(text)[0].startswith("The lighthouse was built by Ada Berg")


def test_generic_leads_say_nothing() -> None:
    assert texts("Final answer:\n- Oslo") == ["Oslo."]


_PARTS = (
    "The members are:",
    "Here is a list of towns:",
    "- Oslo",
    "- Rome (Italy)",
    "1. It was built in 1900.",
    "## Towns",
    "Oslo, Rome, Bonn",
    "Towns: Oslo, Rome and Bonn",
    "It rained.",
    "",
    "**Bold**:",
    "A - 1",
    "```sh\nlamp --on\n```",
    "```\nIt works.",
    "**Oil**: It is cheap.",
)


@given(st.lists(st.sampled_from(_PARTS), max_size=12), st.booleans())
def test_every_claim_lies_in_its_sentence(lines: list[str], fine: bool) -> None:
    text = "\n".join(lines)
    sentences = split_sentences(text)
    for claim in split_claims(text, fine=fine):
        start, end = sentences[claim.sentence]
        assert start <= claim.span[0] < claim.span[1] <= end
        assert claim.text == " ".join(claim.text.split())


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "According to the content, the bay is home to many birds, including:\n* Herons\n* Terns",
            [
                "The bay is home to many birds, including Herons.",
                "The bay is home to many birds, including Terns.",
            ],
        ),
        (
            "To clean the lamp, you can try the following:\n* Wipe the glass\n* Update firmware",
            ["To clean the lamp, you can wipe the glass.", "To clean the lamp, you can update firmware."],
        ),
        (
            "To clean the lamp, follow these simple steps:\n1. Open the lid.\n2. Oil: Add the oil.",
            ["To clean the lamp, open the lid.", "To clean the lamp, add the oil."],
        ),
        ("Follow these steps:\n1. Open the lid.\n2. Add the oil.", ["Open the lid.", "Add the oil."]),
        (
            "Ways to relax include:\n* Taking long walks\n* A warm bath\n* NASA films\n* Reading Rainbow",
            [
                "Ways to relax include taking long walks.",
                "Ways to relax include a warm bath.",
                "Ways to relax include NASA films.",
                "Ways to relax include Reading Rainbow.",
            ],
        ),
        (
            "There are two ways to save heat, such as:\n- Closing doors\n- Insulating your LED lamps",
            [
                "There are two ways to save heat, such as closing doors.",
                "There are two ways to save heat, such as insulating your LED lamps.",
            ],
        ),
        (
            "Here are my tips:\n1. **Hot oil**: Hot oil contains less water.\n2. **Often**: Drain the tank.",
            ["Hot oil contains less water.", "Drain the tank."],
        ),
        (
            "The days are:\n- March 3, 1901\n- May 9, 1902",
            ["The days are March 3, 1901.", "The days are May 9, 1902."],
        ),
        (
            "Side effects include:\n* **Drowsiness**: feeling sleepy\n* **Fever**: It passes within a day.",
            [
                "Side effects include drowsiness.",
                "Drowsiness: feeling sleepy.",
                "Side effects include Fever.",
                "It passes within a day.",
            ],
        ),
    ],
)
def test_items_go_on_with_the_sentence_of_their_lead(text: str, claims: list[str], fine: bool) -> None:
    assert texts(text, fine=fine) == claims
