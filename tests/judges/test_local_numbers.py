from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from adjudge.judges.local.dates import date_agrees, date_differs
from adjudge.judges.local.numbers import agrees, compare, find_numbers


def _agree(claimed: str, evidence: str) -> bool:
    (a,), (b,) = find_numbers(claimed).numbers, find_numbers(evidence).numbers
    return agrees(a, b)


@pytest.mark.parametrize(
    ("claimed", "evidence", "same"),
    [
        ("105 square kilometers", "105.4 square kilometers", True),
        ("105.4 square kilometers", "105 square kilometers", False),
        ("105.4 square kilometers", "about 105 square kilometers", True),
        ("2M people", "a population of 2.1M", True),
        ("a population of 2.1M", "2M people", False),
        ("a population of 2.1M", "nearly 2M people", True),
        ("0.5 mg", "1 mg", False),
        ("1 mg", "0.5 mg", False),
        ("$95,000", "$100,000", False),
        ("1.4 million euros", "1 million euros", False),
        ("about 1.4 million euros", "1.42 million euros", True),
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
        ("需要5萬人", "需要5億人", False),
        ("人口は３５万人", "人口は35万人", True),
        ("٥ ملايين نسمة", "5 ملايين نسمة", True),
        ("٥ ملايين نسمة", "٥ آلاف نسمة", False),
        ("5 миллионов человек", "5 тысяч человек", False),
        ("5 млн человек", "5 миллионов человек", True),
        ("5백만 명", "5천만 명", False),
        ("with 1500 employees", "1,500 employees", True),
        ("three thousand five hundred tons", "3,500 tons", True),
        ("two hundred fifty men", "250 men", True),
        ("1,50,000 people", "150,000 people", True),
        ("1,50,000 people", "1.5 lakh people", True),
        ("12 crore people", "120 million people", True),
        ("12 crore people", "12 lakh people", False),
        ("two hundred and fifty men", "250 men", True),
        ("two dozen eggs", "24 eggs", True),
        ("two hundred men", "two hundred fifty men", False),
        ("fell to -15 °C", "fell to 15 °C", False),
        ("fell to -15 °C", "fell to minus 15 °C", True),
        ("fell to −15 °C", "fell to -15 °C", True),
        ("50 mcg", "50 mg", False),
        ("50 µg", "50 micrograms", True),
        ("5 percentage points", "5 percent", False),
        ("50 euros", "50 dollars", False),
        ("€50", "50 EUR", True),
        ("90 minutes", "90 min", True),
        ("90 minutes", "90 hours", False),
        ("2:30 pm", "14:30", True),
        ("2:30 pm", "2:30", True),
        ("2:30 pm", "2:30 a.m.", False),
        ("9 am", "9:00", True),
        ("before 10 am", "at 9:38 am", True),
        ("needs Python 3.10", "needs Python 3.1", False),
        ("version 2.4", "version 2", False),
        ("worth EUR 3.5", "worth €3.52", False),
        ("from Hamburg 3.5 km", "3.52 km", True),
        ("Section 4.2", "Section 4", False),
        ("Chapter 4", "chapter four", True),
        ("grade 5 or higher", "grade 6", True),
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
        ("05.05.1990", (1990, 5, 5)),
        ("in 1990", (1990, None, None)),
        ("In 1990 sales rose", (1990, None, None)),
        ("عام ١٩٢٥", (1925, None, None)),
        ("१९१६ में", (1916, None, None)),
        ("于１９０８年", (1908, None, None)),
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
def test_a_rounding_follows_from_its_number_but_not_the_number_from_it(value: float, digits: int) -> None:
    exact, rounded = f"{value:.4f}", f"{value:.{digits}f}"
    gap = abs(Decimal(exact) - Decimal(rounded))
    # Half way between two is rounded either way.
    assume(gap != Decimal(5).scaleb(-digits - 1))
    assert _agree(f"{rounded} kg", f"{exact} kg")
    assert _agree(f"{exact} kg", f"{rounded} kg") == (not gap)


@given(st.from_regex(r"[0-9]{1,6}", fullmatch=True), st.sampled_from("٠۰०๐０"))
def test_figures_of_other_scripts_are_read_in_place(digits: str, nought: str) -> None:
    other = "".join(chr(ord(nought) + int(digit)) for digit in digits)
    ours, theirs = find_numbers(f"is {digits} kg"), find_numbers(f"is {other} kg")
    assert [number[:4] for number in ours.numbers] == [number[:4] for number in theirs.numbers]
    assert [number[5:] for number in ours.numbers] == [number[5:] for number in theirs.numbers]


@given(st.text(max_size=80))
def test_any_text_can_be_searched(text: str) -> None:
    for number in find_numbers(text).numbers:
        assert number.half > 0
        assert 0 <= number.start < number.end <= len(text)


def _date(text: str) -> tuple[int | None, int | None, int | None]:
    (date,) = find_numbers(text).dates
    return date[:3]


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("in 44 BC", -44),
        ("27 B.C.", -27),
        ("300 BCE", -300),
        ("AD 79", 79),
        ("79 A.D.", 79),
        ("1066 CE", 1066),
    ],
)
def test_years_of_either_era(text: str, year: int) -> None:
    assert _date(text) == (year, None, None)


def test_the_same_figure_in_another_era_differs() -> None:
    claim, evidence = find_numbers("He died in 44 AD."), find_numbers("He died in 44 BC.")
    assert compare(claim, [evidence]).differing == 1
