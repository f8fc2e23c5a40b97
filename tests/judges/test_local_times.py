"""Dates and places read by pattern: what they settle, and where they keep out of it."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.local import holders, times
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.names import Finding

TOLD = (
    "Anna Maria Bellweather (4 May 1871 – 9 June 1950) was a Scottish botanist. "
    "Otto Krummholz (born 12 March 1902) is a painter. "
    "Gravel Choir are a folk band from Leeds, Yorkshire, formed in 1988. "
    "The weekly Tin Whistle was founded by Ida Moor in 1961. "
    "Salt Hours is a 1999 Norwegian crime film."
)


def found(claim: str, text: str = TOLD) -> Finding | None:
    return times.check(claim, prepare(text))


@pytest.mark.parametrize(
    "claim",
    [
        "Anna Bellweather was born in 1902.",
        "Bellweather was born in 1902, and Krummholz in 1871.",
        "Bellweather died on 9 June 1951.",
        "A. M. Bellweather was born on 5 May 1871.",
        "Gravel Choir was formed in 1961, while Tin Whistle was founded in 1988.",
        "Salt Hours was released in 1998.",
        "Otto Krummholz was born before Anna Bellweather.",
        "Krummholz is older than Bellweather.",
        "Anna Bellweather was born after Otto Krummholz.",
        "Gravel Choir was formed first, in 1988, while Tin Whistle was founded in 1961.",
        "Who was born first, Otto Krummholz or Anna Bellweather? Otto Krummholz",
    ],
)
def test_another_date_or_the_opposite_order_speaks_against_a_claim(claim: str) -> None:
    told = found(claim)
    assert told is not None
    assert not told.agrees
    assert told.settles


@pytest.mark.parametrize(
    ("claim", "settles"),
    [
        ("Anna Bellweather was born in 1871.", False),
        ("Bellweather was born in May 1871 and was fond of mosses.", False),
        ("Anna Bellweather was born before Otto Krummholz.", True),
        ("Yes, Bellweather is older than Krummholz.", True),
        ("Otto Krummholz was born later than Anna Bellweather.", True),
        ("Who was born first, Otto Krummholz or Anna Bellweather? Anna Bellweather", True),
        ("Bellweather was born first, in 1871, while Krummholz was born in 1902.", False),
    ],
)
def test_the_right_order_settles_a_claim_that_says_nothing_else(claim: str, settles: bool) -> None:
    told = found(claim)
    assert told is not None
    assert told.agrees
    assert told.settles == settles


@pytest.mark.parametrize(
    "claim",
    [
        "Anna Bellweather was born before 1900.",
        "Bellweather was born in the 1870s.",
        "Krummholz was born in either 1901 or 1902.",
        "Someone else was born in 1875.",
        "The botanist was born in 1902.",
        "Salt Hours was shown in Bergen in 2001.",
        "Krummholz painted Bellweather after the war.",
        "",
    ],
)
def test_what_is_not_told_of_is_left_to_the_model(claim: str) -> None:
    told = found(claim)
    assert told is None or (told.agrees and not told.settles)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Moor founded the Reed Press in 1961.",
            "The Reed Press was founded by Moor in 1961. Moor founded Tin Whistle in 1985.",
        ),
        (
            "Ostrava Motors launched Lynx in 2008.",
            "Ostrava Motors launched Civet in 2004. The Lynx van was launched by Ostrava Motors in 2008.",
        ),
        (
            "Clara Voss, the daughter of Emil Hartung, was born in 1815.",
            "Clara Voss was born in 1815. Emil Hartung was born in 1788.",
        ),
        (
            "Emil Hartung was born in 1788.",
            "Clara Voss, the daughter of Emil Hartung, was born in 1815.",
        ),
        (
            "Otto Brand was born in 1483.",
            "Otto Brand Junior was born in 1929. The printer Otto Brand came from Ulm.",
        ),
        (
            "Halden Medical School was founded in 1782.",
            "Halden was founded in 1636. Halden Medical School is younger.",
        ),
        ("Tin Whistle was founded in 1961.", "Tin Whistle was founded with 1500 readers in 1961."),
        ("Moor opened 1200 shops.", "Moor was opened in 1929. By now Moor has opened 1200 shops."),
        ("Konrad IV was born in 1762.", "Konrad IV (1790–1830) followed his father. He was born in 1762."),
        ("Rosa Lind was born in 1946.", "Rosa Lind (1993–2001) was followed by Tom Ash. She is older."),
        (
            "Gravel Choir was formed in 1988.",
            "Gravel Choir was formed in 1990. Others say that Gravel Choir began in 1988.",
        ),
    ],
)
def test_what_may_be_told_of_something_else_does_not_speak_against_a_claim(claim: str, text: str) -> None:
    told = found(claim, text)
    assert told is None or told.agrees


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Ida Moor founded Tin Whistle in 1971.", TOLD),
        ("Ida Moor founded Tin Whistle in 1971.", "In her youth Moor founded Tin Whistle in 1961."),
        ("Her first novel, Salt Hours, was published in 1998.", "Salt Hours was published in 1999."),
        ("Otto Brand was born in 1483.", "Otto Brand Lessing (born 1929), known as Otto Brand, paints."),
        ("Voss was born in 1790.", "Clara Voss was born in 1815. Voss was a painter."),
    ],
)
def test_the_one_meant_is_known_in_other_positions_and_by_shorter_names(claim: str, text: str) -> None:
    told = found(claim, text)
    assert told is not None
    assert not told.agrees


def test_a_namesake_is_not_taken_for_the_one_meant() -> None:
    text = "Ida Wendell (born 3 May 1980) is a diver. Her cousin Noor Wendell swims."
    assert found("Wendell was born in 1982.", text) is None
    told = found("Ida Wendell was born in 1982.", text)
    assert told is not None
    assert not told.agrees


@given(
    years=st.lists(st.integers(1500, 2020), min_size=2, max_size=2, unique=True),
    asked=st.lists(st.integers(1500, 2020), min_size=2, max_size=2),
)
def test_dates_of_two_people_clash_exactly_when_one_differs(years: list[int], asked: list[int]) -> None:
    text = "Ines Tavorel (born {}) is a cellist. Bram Oostrik (born {}) is a judge.".format(*years)
    told = found("Ines Tavorel was born in {}, while Bram Oostrik was born in {}.".format(*asked), text)
    assert told is not None
    assert told.agrees == (years == asked)


@given(years=st.lists(st.integers(1500, 2020), min_size=2, max_size=2, unique=True))
def test_of_two_orders_one_is_right(years: list[int]) -> None:
    text = "Ines Tavorel (born {}) is a cellist. Bram Oostrik (born {}) is a judge.".format(*years)
    people = ("Ines Tavorel", "Bram Oostrik")
    for one, other in itertools.permutations((0, 1)):
        before = found(f"{people[one]} was born before {people[other]}.", text)
        after = found(f"{people[other]} was born after {people[one]}.", text)
        assert before is not None
        assert before == after
        assert before.agrees == (years[one] < years[other])


CITIES = (
    "The capital of Morovia is Tessin. Halberg is its largest port. "
    "Mount Arl is the second-highest peak in Morovia."
)


@pytest.mark.parametrize(
    "claim",
    [
        "The capital of Morovia is Halberg.",
        "Halberg is the capital of Morovia.",
        "Morovia's capital is Halberg.",
        "Mount Arl is the highest peak in Morovia.",
    ],
)
def test_a_place_for_one_has_one_holder(claim: str) -> None:
    told = holders.check(claim, prepare(CITIES))
    assert told is not None
    assert not told.agrees


@pytest.mark.parametrize(
    "claim",
    [
        "The capital of Morovia is Tessin.",
        "Tessin is the capital of Morovia.",
        "Halberg is a port of Morovia.",
        "The capital of Sundria is Halberg.",
        "The capital of North Morovia is Halberg.",
        "Halberg was the capital of Morovia.",
        "Mount Arl is the second-highest peak in Morovia.",
        "Mount Brell is the highest peak in Morovia.",
    ],
)
def test_other_holders_are_not_denied(claim: str) -> None:
    assert holders.check(claim, prepare(CITIES)) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Tessin is the capital of Morovia.",
            "Many believe that Halberg is the capital of Morovia. In truth it is Tessin.",
        ),
        (
            "Tessin is the capital of Morovia.",
            "Halberg is the capital of Morovia. Since May the capital has been Tessin.",
        ),
        (
            "Ida Moor is the CEO of Tin Whistle.",
            "Otto Brand, the CEO of Tin Whistle, died in May. He was followed by Ida Moor.",
        ),
        (
            "Tessin is the largest city in Morovia.",
            "Halberg is the largest city in Morovia that has no port.",
        ),
        ("Ida Moor is the author of Salt Hours.", "Otto Brand is the author of Salt Hours."),
    ],
)
def test_a_holder_that_may_not_be_the_only_one_does_not_speak_against_another(claim: str, text: str) -> None:
    assert holders.check(claim, prepare(text)) is None


def test_verdicts_follow_dates_and_places() -> None:
    verifier = ModelVerifier()
    right = ["Bellweather was born before Krummholz.", "Anna Bellweather was born in 1871."]
    wrong = ["Krummholz was born before Bellweather.", "Anna Bellweather was born in 1902."]
    for claims, verdict in ((right, "entailed"), (wrong, "contradicted")):
        opinions = verifier.verdicts(claims, [TOLD] * len(claims))
        assert [o.verdict for o in opinions] == [verdict] * len(claims)
        assert all(abs(sum(o[:3]) - 1) < 1e-9 and min(o[:3]) >= 0 for o in opinions)
    capital = verifier.verdicts(["The capital of Morovia is Halberg."], [CITIES])[0]
    assert capital.verdict == "contradicted"
    assert "Tessin" in capital.why


def test_long_texts_without_a_pattern_cost_little() -> None:
    began = time.monotonic()
    for text in ("Alpha " * 20_000, "Alpha (" * 5_000, "1999 " * 20_000, "Alpha is the " * 8_000):
        list(times.events(text))
        list(holders.held(text))
        found(text)
    assert time.monotonic() - began < 20
