"""Sentences that tell of one thing and then of another."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.local.contrasts import told_apart


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        (
            "The Lark was founded first, in 1922, while The Wren was founded in 1974.",
            ("The Lark was founded first, in 1922.", "The Wren was founded in 1974."),
        ),
        (
            "Ada wrote and directed it, and Tom Okafor was the producer.",
            ("Ada wrote and directed it.", "Tom Okafor was the producer."),
        ),
        (
            "Lark has 3 members (Ada, Tom, and Ben), while Wren has 4 members.",
            ("Lark has 3 members (Ada, Tom, and Ben).", "Wren has 4 members."),
        ),
        ('Ada is a singer whereas "Red Tom" is a band.', ("Ada is a singer.", '"Red Tom" is a band.')),
    ],
)
def test_halves_of_a_contrast_stand_alone(sentence: str, parts: tuple[str, ...]) -> None:
    assert told_apart(sentence) == parts


@pytest.mark.parametrize(
    "sentence",
    [
        "He lived in Paris while Ada was ill.",
        "Tom said that Ada left and Ben stayed.",
        "Both Ada and Tom are singers.",
        "Sales rose in Europe, while they fell in Asia.",
        "While Ada is a singer, Tom is a dancer.",
        "",
        "and",
        ", while Ada is a singer.",
    ],
)
def test_what_is_one_thing_or_hangs_together_stays_whole(sentence: str) -> None:
    assert told_apart(sentence) == (sentence,)


_WORDS = (
    "Ada",
    "Tom",
    "is",
    "was",
    "while",
    "whereas",
    "and",
    "but",
    ",",
    "(",
    ")",
    '"',
    "the",
    "small",
    "1922",
    ".",
)


@given(st.lists(st.sampled_from(_WORDS), max_size=20))
def test_no_word_is_lost_but_those_that_join(words: list[str]) -> None:
    sentence = " ".join(words)
    kept = re.findall(r"\w+", " ".join(told_apart(sentence)).lower())
    told = re.findall(r"\w+", sentence.lower())
    rest = iter(told)
    dropped = [w for w in told if w in ("while", "whereas", "and", "but")]
    assert all(any(word == other for other in rest) for word in kept)
    assert len(told) - len(kept) <= len(dropped)
