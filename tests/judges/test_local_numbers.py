from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.local.numbers import agrees, compare, date_agrees, date_differs, find_numbers


def _agree(claimed: str, evidence: str) -> bool:
    (a,), (b,) = find_numbers(claimed).numbers, find_numbers(evidence).numbers
    return agrees(a, b)


@pytest.mark.parametrize(
    ("claimed", "evidence", "same"),
    [
        ("105 square kilometers", "105.4 square kilometers", True),
        ("105.4 square kilometers", "105 square kilometers", True),
        ("2M people", "a population of 2.1M", True),
        ("a population of 2.1M", "2M people", True),
        ("5 million people", "a population of 2.1 million people", False),
        ("5%", "5.4 percent", True),
        ("5%", "6 percent", False),
        ("5%", "5 dogs", False),
        ("1,234 km²", "1234 square km", True),
        ("3 games", "3 matches", True),
        ("3 games", "4 matches", False),
        ("105 km", "105 square kilometers", False),
        ("over 300 men", "350 men", True),
        ("over 300 men", "250 men", False),
        ("twelve ships", "12 ships", True),
        ("the third time", "3rd time", True),
        ("the third time", "3 times", False),
        ("人口210万", "人口2100000", True),
        ("人口500万", "人口210万", False),
        ("三百万人", "3 million people", True),
    ],
)
def test_agreement_at_the_precision_stated(claimed: str, evidence: str, same: bool) -> None:
    assert _agree(claimed, evidence) is same


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("on May 5, 1990", (1990, 5, 5)),
        ("on 5 May 1990", (1990, 5, 5)),
        ("1990-05-05", (1990, 5, 5)),
        ("in May 1990", (1990, 5, None)),
        ("in 1990", (1990, None, None)),
        ("1990年5月3日", (1990, 5, 3)),
    ],
)
def test_dates(text: str, parts: tuple[int | None, ...]) -> None:
    found = find_numbers(text)
    assert [date[:3] for date in found.dates] == [parts]
    assert found.numbers == ()


def test_a_date_needs_every_part_it_claims() -> None:
    (full,), (year,) = find_numbers("May 5, 1990").dates, find_numbers("in 1990").dates
    (other,) = find_numbers("in 1991").dates
    assert date_agrees(year, full)
    assert not date_agrees(full, year)
    assert not date_differs(full, year)
    assert date_differs(full, other)


def test_compare_tells_different_from_absent() -> None:
    claim = find_numbers("It has 5 million people and 20 parks since 1990.")
    told = compare(claim, [find_numbers("It has 2.1 million people."), find_numbers("It began in 1985.")])
    assert (told.agreeing, told.differing, told.absent) == (0, 2, 1)
    assert told.first_difference == "5 million / 2.1 million"


@pytest.mark.parametrize(
    "text", ["1. Open the menu.", "(2) Press the key.", "Yes, that one.", "It may rain."]
)
def test_marks_and_words_that_are_no_numbers(text: str) -> None:
    assert find_numbers(text) == ((), ())


@given(st.floats(min_value=0.01, max_value=9e5), st.integers(min_value=0, max_value=2))
def test_a_number_agrees_with_its_own_rounding(value: float, digits: int) -> None:
    exact, rounded = f"{value:.4f} kg", f"{value:.{digits}f} kg"
    assert _agree(rounded, exact)
    assert _agree(exact, rounded)


@given(st.text(max_size=80))
def test_any_text_can_be_searched(text: str) -> None:
    for number in find_numbers(text).numbers:
        assert number.half > 0
        assert 0 <= number.start < number.end <= len(text)
