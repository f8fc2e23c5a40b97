"""Figures that differ where all else is the same."""

from __future__ import annotations

import pytest

from adjudge.judges.local import figures_clash
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier

DIFFERENT = [
    ("The oven cooled to -15 °C.", "The oven cooled to 15 °C."),
    ("The account shows -200 dollars.", "The account shows 200 dollars."),
    ("The ticket costs €50.", "The ticket costs $50."),
    ("The ticket costs 50 euros.", "The ticket costs 50 dollars."),
    ("Unemployment rose by 5 percentage points.", "Unemployment rose by 5 percent."),
    ("Take 50 mcg daily.", "Take 50 mg daily."),
    ("The dose is 2.5 mg.", "The dose is 2 mg. It is taken at night."),
    ("The rate of interest is 4.5%.", "The rate of interest is 4%."),
    ("The plugin requires Python 3.10.", "The plugin requires Python 3.1."),
    ("Section 4.2 covers refunds.", "Section 4 covers refunds."),
]


@pytest.mark.parametrize(("claim", "text"), DIFFERENT)
def test_another_sign_unit_or_value_speaks_against_a_claim(claim: str, text: str) -> None:
    told = figures_clash.check(claim, prepare(text))
    assert told is not None
    assert told.settles
    assert not told.agrees
    (opinion,) = ModelVerifier().verdicts([claim], [text])
    assert opinion.verdict != "entailed"
    assert told.note in opinion.why


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The ticket costs 50 euros.", "The ticket costs 50 euros."),
        ("The ticket costs 50 euros.", "The ticket costs 40 dollars or 50 euros."),
        ("The ticket costs 50 euros.", "The ticket costs 50 dollars. Since May it has been 50 euros."),
        ("The ticket costs 50 euros.", "The bus costs 50 dollars."),
        ("The ticket costs 50 euros.", "The ticket costs a lot."),
        ("The ticket costs over 50 euros.", "The ticket costs 60 euros."),
        ("The ticket costs 50 euros.", "The ticket does not cost 60 euros."),
        ("The park covers 105.4 km.", "The park covers 105 km."),
        ("The park covers 5 km.", "The park covers 4.5 km."),
        ("In 1990 the firm had 50 ships.", "In 1995 the firm had 60 ships."),
        ("The dose is 50 and 60 mg.", "The dose is 70 and 80 mg."),
        ("The ticket is dear.", "The ticket costs 50 dollars."),
        ("", ""),
    ],
)
def test_what_may_be_the_same_or_something_else_is_left_to_the_model(claim: str, text: str) -> None:
    assert figures_clash.check(claim, prepare(text)) is None
