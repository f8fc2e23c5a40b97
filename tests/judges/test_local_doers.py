"""Who did what to whom, told the other way round."""

from __future__ import annotations

import time

import pytest

from adjudge.judges.local import doers
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.names import Finding

TOLD = (
    "The cat chased the fox out of the garden. Ida Moor defeated Paula Renn in 1999. "
    "The board was sued by the union. The north tower is taller than the south tower. "
    "Pebble is a subsidiary of Boulder. Harlow Rovers lost to Denby Town. The mill lies north of the river. "
    "Copper is more expensive than iron. Sales grew faster than costs. Inflation led to unemployment. "
    "Ravi teaches piano to Lena."
)


def found(claim: str, text: str = TOLD) -> Finding | None:
    return doers.check(claim, prepare(text))


@pytest.mark.parametrize(
    "claim",
    [
        "The cat was chased by the fox.",
        "The fox chased the cat out of the garden.",
        "Renn defeated Moor in 1999.",
        "Ida Moor was defeated by Paula Renn.",
        "The board sued the union.",
        "The south tower is taller than the north tower.",
        "Boulder is a subsidiary of Pebble.",
        "Denby Town lost to Harlow Rovers.",
        "The river lies north of the mill.",
        "Iron is more expensive than copper.",
        "Costs grew faster than sales.",
        "Unemployment led to inflation.",
        "Lena teaches piano to Ravi.",
    ],
)
def test_what_is_turned_round_speaks_against_a_claim(claim: str) -> None:
    told = found(claim)
    assert told is not None
    assert told.settles
    assert not told.agrees
    (opinion,) = ModelVerifier().verdicts([claim], [TOLD])
    assert opinion.verdict == "contradicted"
    assert "; there: " in opinion.why


@pytest.mark.parametrize(
    "claim",
    [
        "The fox was chased by the cat.",
        "Moor defeated Renn.",
        "The union sued the board.",
        "Pebble is a subsidiary of Boulder.",
        "The fox may have chased the cat.",
        "The fox never chased the cat.",
        "The dog chased the cat.",
        "The fox and the cat chased the dog.",
        "The son of the fox chased the cat.",
    ],
)
def test_what_is_told_so_or_not_told_is_left_to_the_model(claim: str) -> None:
    assert found(claim) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        # It holds both ways, or the evidence has it both ways.
        ("Anna met Tom.", "Tom met Anna."),
        ("Anna is a cousin of Tom.", "Tom is a cousin of Anna."),
        ("Lund is 5 km from Denby.", "Denby is 5 km from Lund."),
        ("Anna defeated Tom.", "Tom defeated Anna in 1999. Anna defeated Tom in 2001."),
        (
            "Anna defeated Tom.",
            "Tom defeated Anna in 1999. In the return match Tom was easily defeated by Anna.",
        ),
        ("Anna accused Tom.", "Tom's lawyers accused Anna."),
    ],
)
def test_what_may_hold_both_ways_is_left_to_the_model(claim: str, text: str) -> None:
    assert found(claim, text) is None


def test_it_is_quick_on_sentences_without_end() -> None:
    text = "the cat chased the fox and " * 2_000
    start = time.perf_counter()
    found(text, text)
    assert time.perf_counter() - start < 10
