"""A figure told of another time."""

from __future__ import annotations

import pytest

from adjudge.judges.local import figures_when
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.names import Finding

TOLD = (
    "Turnover was 36 million euros in 2018 and 41 million euros in 2019. "
    "The mill employed 300 people in 2010, and 450 people in 2015. Its rent was 900 euros in 2011."
)


def found(claim: str, text: str = TOLD) -> Finding | None:
    return figures_when.check(claim, prepare(text))


@pytest.mark.parametrize(
    "claim",
    [
        "Turnover was 36 million euros in 2019.",
        "In 2018, turnover was 41 million euros.",
        "The mill employed 450 people in 2010.",
    ],
)
def test_a_figure_of_another_time_speaks_against_a_claim(claim: str) -> None:
    told = found(claim)
    assert told is not None
    assert told.settles
    assert not told.agrees
    (opinion,) = ModelVerifier().verdicts([claim], [TOLD])
    assert opinion.verdict == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "Turnover was 36 million euros in 2018.",
        "Turnover was 41 million euros in 2019.",
        # One figure only is told: it may have been the same in another year.
        "Its rent was 900 euros in 2012.",
        "Turnover was 36 million euros.",
        "Turnover was more than 36 million euros in 2019.",
        "Costs of the new hall by the river came to 36 million euros in 2019.",
    ],
)
def test_what_is_told_so_or_not_told_is_left_to_the_model(claim: str) -> None:
    assert found(claim) is None


def test_a_figure_told_of_the_claimed_time_elsewhere_is_no_error() -> None:
    text = f"{TOLD} For 2019 the first report had given 36 million euros."
    assert found("Turnover was 36 million euros in 2019.", text) is None
