"""Passages that do not name what another names are not taken to speak of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.elsewhere import of_others
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.verifier import Opinion

TOWN = "Harlow Bay is a port town of 48,000 people. Its harbour was deepened in 1974 for larger ships."
YARD = "The largest employer is the Denby shipyard. Founded in 1921, it employs about 2,300 people."
CLAIMS = ("The Denby shipyard was founded in 1974.", "The Denby shipyard employs 48,000 people.")


def cells(claims: tuple[str, ...], evidence: tuple[str, ...], passages: int) -> tuple[str, ...]:
    (reply,) = LocalJudge().answer([CheckClaims(claims, evidence, passages=passages)])
    return reply.value


def test_figures_of_a_town_are_not_those_of_its_shipyard() -> None:
    assert all(row[0] == "n" and row[1] != "e" for row in cells(CLAIMS, (TOWN, YARD), 2))


def test_what_the_passage_does_name_is_as_before() -> None:
    told = ("Harlow Bay is a port town.", "The Denby shipyard employs about 2,300 people.")
    found = cells(told, (TOWN, YARD), 2)
    assert (found[0][0], found[1][1]) == ("e", "e")


def test_a_reference_need_not_name_what_was_asked_about() -> None:
    reference = "The shipyard was founded in 1921 and employs about 2,300 people."
    claim = ("The Denby shipyard employs about 2,300 people.",)
    beside = cells(claim, (reference, YARD), 1)
    assert beside[0][0] == cells(claim, (reference,), 0)[0] == "e"


@pytest.mark.parametrize("evidence", [(TOWN,), (TOWN, "Gulls live by the sea."), ("", TOWN)])
def test_nothing_follows_where_no_passage_has_the_name(evidence: tuple[str, ...]) -> None:
    assert of_others(CheckClaims(CLAIMS[:1], evidence, "", len(evidence))) == [[False] * len(evidence)]


@given(st.integers(0, 9), st.lists(st.sampled_from([TOWN, YARD, "", "Gulls."]), max_size=4))
def test_only_passages_that_lack_what_another_names_are_of_others(passages: int, told: list[str]) -> None:
    question = CheckClaims(CLAIMS, tuple(told), "", passages)
    rows = of_others(question)
    first = max(0, len(told) - passages)
    assert [len(row) for row in rows] == [len(told)] * len(CLAIMS)
    for row in rows:
        assert not any(row[:first])
        assert all(
            not other or (text != YARD and YARD in told[first:])
            for text, other in zip(told, row, strict=True)
        )


def test_what_speaks_of_others_is_not_read_and_told_so() -> None:
    class Counting:
        name = "counting"
        read: ClassVar[list[str]] = []

        def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
            self.read += evidences
            return [Opinion(0.9, 0.1, 0.0, "so")] * len(claims)

    judge = LocalJudge(verifier=Counting())
    (reply,) = judge.answer([CheckClaims(CLAIMS[:1], (TOWN, YARD), passages=2)])
    assert Counting.read == [YARD]
    assert reply.value == ("ne",)
    assert sum(reply.probabilities[0][0]) == pytest.approx(1)
    (reply,) = judge.answer([CheckClaims(CLAIMS[:1], (TOWN,), passages=1)])
    assert Counting.read == [YARD, TOWN]
    assert reply.value == ("e",)
