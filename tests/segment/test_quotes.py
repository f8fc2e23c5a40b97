"""Quotes are found where a reader would find them, and offsets always count the text as it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.segment.quotes import MINIMUM_SIMILARITY, find_quote, place, search_copy

TEXT = "The fox, they said, “won’t jump”\n  twice — or thrice. The fox slept."


@given(st.text(alphabet="ab \né’“ﬁ—Ⅳ", min_size=1, max_size=30), st.data())
def test_every_slice_is_found_where_it_was_cut(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = find_quote(text, text[start:end])
    assert found.how == "exact"
    assert (start, end) in found.spans
    assert all(text[a:b] == text[start:end] for a, b in found.spans)
    assert list(found.spans) == sorted(found.spans)


@given(st.text(max_size=40))
def test_the_search_copy_leads_back_into_the_text(text: str) -> None:
    copy, origins = search_copy(text)
    assert len(copy) == len(origins)
    assert list(origins) == sorted(origins)
    assert all(0 <= at < len(text) for at in origins)
    assert "  " not in copy
    assert search_copy(copy.strip())[0] == copy.strip()


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("THE FOX, THEY", "The fox, they"),
        ('"won\'t jump" twice', "“won’t jump”\n  twice"),
        ("twice - or thrice", "twice — or thrice"),
        ("  they said,  ", "they said,"),
        ("fox\u200b, they", "fox, they"),
    ],
)
def test_case_space_quotes_dashes_and_invisible_characters_do_not_matter(quote: str, words: str) -> None:
    found = find_quote(TEXT, quote)
    assert found.how == "normalised"
    assert [TEXT[start:end] for start, end in found.spans] == [words]


@pytest.mark.parametrize(
    ("text", "quote", "words"),
    [
        ("cafe\u0301 noir", "CAFÉ", "cafe\u0301"),
        ("un café noir", "cafe\u0301", "café"),
        ("the ﬁrst one", "FIRST", "ﬁrst"),
        ("costs ５０ now", "50 now", "５０ now"),
        ("STRASSE", "straße", "STRASSE"),
        ("a\r\nb", "a b", "a\r\nb"),
        ("soft\u00adhyphen", "softhyphen", "soft\u00adhyphen"),
    ],
)
def test_forms_of_the_same_characters_meet(text: str, quote: str, words: str) -> None:
    found = find_quote(text, quote)
    assert found.how == "normalised"
    assert [text[start:end] for start, end in found.spans] == [words]


def test_a_slightly_wrong_quote_is_aligned() -> None:
    text = "Our drink keeps you awake all night long and makes every friend you meet adore you."
    found = find_quote(text, "makes evry friend that you meet adore you")
    assert found.how == "aligned"
    assert MINIMUM_SIMILARITY <= found.similarity < 1
    ((start, end),) = found.spans
    assert text[start:end] == "makes every friend you meet adore you"


@pytest.mark.parametrize("quote", ["", "   ", "nothing of the kind was ever said here", "zebra", "\u200b"])
def test_what_is_not_there_is_not_found(quote: str) -> None:
    found = find_quote(TEXT, quote)
    assert (found.spans, found.how) == ((), "none")
    assert place(TEXT, None, quote) == place(TEXT, None, None)
    assert place(TEXT, None, quote).note == "unlocated"


def test_all_occurrences_are_choices_from_left_to_right() -> None:
    where = place(TEXT, None, "The fox")
    assert where.choices == (((0, 7),), ((TEXT.rindex("The fox"), TEXT.rindex("The fox") + 7),))
    assert where.note == "ambiguous"
    assert place(TEXT, None, "the  fox").note == "normalised, ambiguous"


def test_spans_that_agree_with_the_quote_are_kept() -> None:
    assert place(TEXT, [(4, 7)], "fox") == place(TEXT, [(4, 7)], None)
    assert place(TEXT, [(4, 7)], "FOX").note is None
    assert place("ab cd ef", [(0, 2), (6, 8)], "ab ef").choices == (((0, 2), (6, 8)),)


def test_where_both_disagree_the_nearest_occurrence_wins() -> None:
    late = TEXT.rindex("fox")
    assert place(TEXT, [(late - 3, late)], "fox").choices == (((late, late + 3),),)
    assert place(TEXT, [(6, 9)], "fox").choices == (((4, 7),),)
    assert place(TEXT, [(6, 9)], "fox").note == "offsets disagree: moved to the quote"


def test_a_quote_that_is_nowhere_leaves_the_offsets() -> None:
    where = place(TEXT, [(4, 7)], "an entirely different thing")
    assert (where.choices, where.note) == ((((4, 7),),), "offsets disagree: kept")


def test_offsets_beyond_the_text_are_cut_and_noted() -> None:
    assert place("abc", [(1, 9)], None).choices == (((1, 3),),)
    assert place("abc", [(1, 9)], None).note == "out of range"
    assert place("abc", [(7, 9)], None).choices == ((),)
    assert place("abc", [(7, 9)], None).note == "out of range, unlocated"
    assert place("abc", [(7, 9)], "b").choices == (((1, 2),),)
    assert place("abc", [(3, 1)], None).choices == ((),)
    assert place("abc", [(-2, 2)], None).choices == (((0, 2),),)


def test_without_a_text_spans_are_taken_as_given() -> None:
    assert place(None, [(5, 9)], "word").choices == (((5, 9),),)
    assert place(None, None, "word").note == "unlocated"
