"""Sentence keys."""

from __future__ import annotations

from itertools import islice, product
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.segment.keys import context_key, index_of, letters, normal_key, parse_key, tidy_key


def test_letters_follow_the_order_of_shorter_then_alphabetical() -> None:
    ordered = ("".join(key) for size in (1, 2, 3) for key in product(ascii_lowercase, repeat=size))
    assert [letters(index) for index in range(2000)] == list(islice(ordered, 2000))


def test_known_keys() -> None:
    assert letters(549) == "ud"
    assert context_key(0, 0) == "0a"
    assert context_key(12, 27) == "12ab"


@given(st.integers(0, 10**7))
def test_index_is_the_inverse(index: int) -> None:
    assert index_of(letters(index)) == index


@pytest.mark.parametrize("key", ["", "A", "a1", "é"])
def test_index_refuses_what_is_no_key(key: str) -> None:
    with pytest.raises(ValueError):
        index_of(key)


def test_negative_numbers_have_no_key() -> None:
    with pytest.raises(ValueError):
        letters(-1)


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("12ab", (12, 27)),
        ("0a.", (0, 0)),
        (" 1B ", (1, 1)),
        ("c.", (None, 2)),
        ("Z", (None, 25)),
        ("general", None),
        ("supported_without_sentence", None),
        ("1as, 1av", None),
        ("12", None),
        ("", None),
        ("a1", None),
        ("٣a", None),
    ],
)
def test_parse(key: str, found: tuple[int | None, int] | None) -> None:
    assert parse_key(key) == found


def test_one_spelling() -> None:
    assert [normal_key(key) for key in ("0A.", "00a", "AB", "general")] == ["0a", "0a", "ab", None]


def test_tidying_takes_only_space_and_dots() -> None:
    assert [tidy_key(key) for key in (" 0A. ", "general", "0a .")] == ["0A", "general", "0a"]
