"""Passages that do not name what another names are not taken to speak of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.elsewhere import regarding_others
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
    row = [Opinion(0.7, 0.2, 0.1, "so")] * len(evidence)
    assert regarding_others(CLAIMS[0], row, CheckClaims(CLAIMS[:1], evidence, "", len(evidence))) == row


@given(st.floats(0.01, 0.98), st.floats(0.0, 1.0), st.integers(0, 9))
def test_shares_still_add_up_and_only_neutral_grows(entailed: float, part: float, passages: int) -> None:
    rest = 1 - entailed
    opinion = Opinion(entailed, rest * part, rest * (1 - part), "so")
    asked = CheckClaims(CLAIMS[:1], (TOWN, YARD), "", passages)
    town, yard = regarding_others(CLAIMS[0], [opinion, opinion], asked)
    assert yard == opinion
    assert sum(town[:3]) == pytest.approx(1)
    assert town == opinion if passages < 2 else town.neutral >= opinion.neutral


def test_what_a_pattern_settled_stays() -> None:
    clash = Opinion(0.1, 0.1, 0.8, "dates differ", settled=True)
    assert regarding_others(CLAIMS[0], [clash, clash], CheckClaims(CLAIMS[:1], (TOWN, YARD), "", 2)) == [
        clash,
        clash,
    ]
