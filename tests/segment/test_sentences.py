"""Sentences: the document's worked examples, offsets in code points, and what line breaks and lists do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.segment.sentences import guess_language, split_sentences
from adjudge.segment.units import context_units, field_text, named_language, response_units, unit_text
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


def test_initials_without_blanks_stay_with_the_name() -> None:
    assert words("He met J.R.R. Tolkien there. They talked.") == [
        "He met J.R.R. Tolkien there.",
        "They talked.",
    ]
    assert words("It was written by J.D. He signed it.") == ["It was written by J.D.", "He signed it."]
    assert words("She holds a B.A. Physics came later.") == ["She holds a B.A.", "Physics came later."]


UPSTREAM_REPAIRS = {
    "He met J. K. Rowling in May. yes he did. Ok.": (
        "a sentence of one word is a sentence",
        ["He met J. K. Rowling in May. yes he did.", "Ok."],
    ),
    "Hello. world is big. Great thing.": (
        "text typed without capitals is still split",
        ["Hello.", "world is big.", "Great thing."],
    ),
    "Wow! That is J.D. Salinger. He wrote. Yes.": (
        "a sentence of one word is a sentence; the initials stay with the name, as upstream",
        ["Wow!", "That is J.D. Salinger.", "He wrote.", "Yes."],
    ),
    "Dr. Smith came. He left at 5 p.m. Then rested.": (
        "a time of day may end a sentence",
        ["Dr. Smith came.", "He left at 5 p.m.", "Then rested."],
    ),
}


def test_repaired_sentences_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    """SAFE mends what its splitter cut at initials, short words and small letters; ours needs none."""
    cases = shared_golden("safe_parsers.json")["fix"]
    assert len(cases) == 7
    assert UPSTREAM_REPAIRS.keys() <= {text for text, _, _ in cases}
    for text, _, expected in cases:
        name, wanted = UPSTREAM_REPAIRS.get(text, ("as upstream", expected))
        assert words(text) == wanted, (name, text)


def test_sentences_of_the_factscore_responses(
    shared_golden: Callable[[str], Any], data: Callable[[str], Path]
) -> None:
    """As many sentences as SAFE's splitter finds, but for quotations and abbreviations, where it errs too."""
    golden = shared_golden("safe_sentence_split.json")
    responses = {
        (model, row["input"]): row["output"]
        for model in ("ChatGPT", "InstructGPT", "PerplexityAI")
        for line in data(f"factscore/{model}.jsonl").read_text(encoding="utf-8").splitlines()
        for row in [json.loads(line)]
    }
    differences = [
        len(split_sentences(responses[model, question])) - count for model, question, count in golden["rows"]
    ]
    assert len(differences) == 496
    assert differences.count(0) >= 465
    assert max(map(abs, differences)) <= 2
    assert abs(sum(differences)) <= 10
    full = golden["full_first_40"]
    same = [words(responses[model, question]) == expected for model, question, expected in full]
    assert sum(same) >= 35


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


@pytest.mark.parametrize(
    ("named", "code"),
    [("de", "de"), ("de-AT", "de"), ("zh_CN", "zh"), (" FR", "fr"), ("gsw", "gsw")]
    + [(odd, None) for odd in ("German", "", "?", 5, True)],
)
def test_the_language_is_the_one_that_a_sample_names_by_its_code(named: str | int, code: str | None) -> None:
    assert named_language(Sample(id="s", attributes={"language": named})) == code
    assert named_language(Sample(id="s")) is None


@pytest.mark.parametrize("code", ["qq", "en", None])
def test_an_unknown_language_is_split_as_without_one(code: str | None) -> None:
    text = "Dr. Webb came on the 5. May flowers bloomed. 他来了。她走了。"
    assert words(text, code) == words(text)


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u2009", "\u2029", "\u202f", "\u3000", "\u0085"])
@pytest.mark.parametrize("language", [None, "zh"])
def test_wide_blanks_behind_a_capital_are_read(blank: str, language: str | None) -> None:
    text = f"They took plan B{blank}. It failed."
    assert [text[start:end] for start, end in split_sentences(text, language)][-1] == "It failed."
