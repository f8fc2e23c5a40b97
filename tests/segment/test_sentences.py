"""Sentences: the document's worked examples, offsets in code points, and what line breaks and lists do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.segment.sentences import guess_language, split_sentences
from adjudge.segment.units import context_units, field_text, response_units, unit_text
from adjudge.types import Sample, Unit


def words(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


def by_key(units: tuple[Unit, ...], sample: Sample) -> dict[str, str]:
    return {unit.id: unit_text(unit, sample) for unit in units}


def test_first_example_of_seeds_001() -> None:
    sample = Sample(
        id="s",
        contexts=(
            "Machine learning is AI. It learns from data.",
            "Neural networks are models. They mimic brains.",
        ),
        response="Machine learning uses neural networks. They learn patterns.",
    )
    assert by_key(context_units(sample.contexts or ()), sample) == {
        "ctx:0a": "Machine learning is AI.",
        "ctx:0b": "It learns from data.",
        "ctx:1a": "Neural networks are models.",
        "ctx:1b": "They mimic brains.",
    }
    assert by_key(response_units(sample.response or ""), sample) == {
        "resp:a": "Machine learning uses neural networks.",
        "resp:b": "They learn patterns.",
    }


def test_full_example_of_seeds_001_with_its_wrapped_lines() -> None:
    sample = Sample(
        id="s",
        contexts=(
            "Machine learning is a subset of AI. It learns patterns from data.\n"
            "Algorithms improve through experience.",
            "Deep learning uses neural networks. It's popular in computer vision.",
            "Supervised learning needs labeled data. Unsupervised learning finds patterns.",
        ),
        response="Machine learning is a field of AI that learns from data. Deep learning\n"
        "uses neural networks. It's powerful for image recognition.",
    )
    units = by_key(context_units(sample.contexts or ()), sample)
    assert list(units) == ["ctx:0a", "ctx:0b", "ctx:0c", "ctx:1a", "ctx:1b", "ctx:2a", "ctx:2b"]
    assert units["ctx:0c"] == "Algorithms improve through experience."
    response = by_key(response_units(sample.response or ""), sample)
    assert list(response) == ["resp:a", "resp:b", "resp:c"]
    assert response["resp:b"] == "Deep learning\nuses neural networks."


def test_offsets_are_code_points_in_chinese_and_emoji() -> None:
    text = "你好。🎉今天天气很好！是吗？  好的。"
    assert split_sentences(text) == [(0, 3), (3, 11), (11, 14), (16, 19)]
    assert words("Well done 🎉🎉! Next 👩‍🔬 one. Café over.") == [
        "Well done 🎉🎉!",
        "Next 👩‍🔬 one.",
        "Café over.",
    ]


def test_closing_quote_stays_with_its_chinese_sentence() -> None:
    assert words("他说：“走吧。”然后走了。") == ["他说：“走吧。”", "然后走了。"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Plain words.", "en"),
        ("北京很大。", "zh"),
        ("The city is called 北京 by those who live there.", "en"),
    ],
)
def test_language_is_told_by_the_share_of_cjk(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_abbreviations_and_decimals_do_not_end_a_sentence() -> None:
    assert words("Dr. Brown paid $3.50 in the U.S. today. He left.") == [
        "Dr. Brown paid $3.50 in the U.S. today.",
        "He left.",
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_list_items_keep_their_numbers_and_stand_alone(newline: str) -> None:
    text = newline.join(["Do this:", "1. Open the lid.", "2. Pour water", "- slowly", "", "That is", "all."])
    assert words(text) == [
        "Do this:",
        "1. Open the lid.",
        "2. Pour water",
        "- slowly",
        f"That is{newline}all.",
    ]
    assert words("First: 1. Open the lid. 2. Pour water.")[1:] == ["Open the lid.", "2. Pour water."]


@pytest.mark.parametrize("text", ["", "   ", "\n\n \t\r\n"])
def test_nothing_gives_no_sentence(text: str) -> None:
    assert split_sentences(text) == []


def test_lone_surrogates_are_split_around_and_kept() -> None:
    assert words("Odd \ud800 sign here. Next one.") == ["Odd \ud800 sign here.", "Next one."]


@given(st.text(st.sampled_from("aB1 .!?\n\r\t-*()。！你🎉\u2029\ud800\"'é:"), max_size=60))
def test_spans_cover_all_words_in_order_without_touching_white_space(text: str) -> None:
    spans = split_sentences(text)
    end_before = 0
    for start, end in spans:
        assert end_before <= start < end
        assert text[start:end] == text[start:end].strip()
        assert not text[end_before:start].strip()
        end_before = end
    assert not text[end_before:].strip()


def test_words_of_units() -> None:
    sample = Sample(
        id="s",
        question="Who?",
        response="Ann and Bob.",
        text="A text.",
        reference=(("Ann", "Anne"), "Bob"),
        contexts=("One.", "Two words."),
    )
    assert unit_text(Unit("claim:response:0", "own words", "response", ((0, 3),)), sample) == "own words"
    assert unit_text(Unit("x", None, "response", ((0, 3), (8, 11))), sample) == "Ann Bob"
    assert unit_text(Unit("x", None, "contexts.1", ((4, 9),)), sample) == "words"
    assert unit_text(Unit("x", None, "question"), sample) == "Who?"
    assert unit_text(Unit("x", None, "text", ((2, 6),)), sample) == "text"
    assert field_text(sample, "reference") == "Ann / Anne\nBob"
    for field in ("contexts.2", "contexts.x", "gold", None):
        with pytest.raises(InputError, match="sample 's'"):
            unit_text(Unit("x", None, field), sample)
