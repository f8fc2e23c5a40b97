"""Which of two is more, by the figures of both."""

from __future__ import annotations

import pytest

from adjudge.judges.local import comparisons
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.names import Finding

TOLD = (
    "The Wren Canal was 107 miles in length, while the Lark Canal ran 73 mi. The Elm Tower is 200 m tall. "
    "The Oak Tower is 0.3 km tall. Fennula has about 80 recognised species. "
    "Corvinia has four accepted species. "
    "The Kestrel weighs 4.5 kg. The Heron weighs 900 g when grown. Lund has 94,000 inhabitants. "
    "Denby has a population of 350,000. The Elm Tower stands 5 km from the Oak Tower."
)
PAIRS = [
    ("The Wren Canal was longer than the Lark Canal.", "The Lark Canal was longer than the Wren Canal."),
    ("The Lark Canal is shorter than the Wren Canal.", "The Wren Canal is shorter than the Lark Canal."),
    ("The Oak Tower is taller than the Elm Tower.", "The Elm Tower is taller than the Oak Tower."),
    ("Fennula has more species than Corvinia.", "Corvinia has more species than Fennula."),
    ("Corvinia has fewer species than Fennula.", "Fennula has fewer species than Corvinia."),
    ("The Kestrel is heavier than the Heron.", "The Heron is heavier than the Kestrel."),
    ("Denby is more populous than Lund.", "Lund is more populous than Denby."),
    (
        "Therefore, the Heron is lighter than the Kestrel.",
        "Therefore, the Kestrel is lighter than the Heron.",
    ),
]


def found(claim: str, text: str = TOLD) -> Finding | None:
    return comparisons.check(claim, prepare(text))


@pytest.mark.parametrize(("right", "wrong"), PAIRS)
def test_figures_decide_which_is_more(right: str, wrong: str) -> None:
    for claim, agrees in ((right, True), (wrong, False)):
        told = found(claim)
        assert told is not None
        assert told.settles
        assert told.agrees is agrees
    entailed, contradicted = ModelVerifier().verdicts([right, wrong], [TOLD, TOLD])
    assert entailed.verdict == "entailed"
    assert contradicted.verdict == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "The Elm Tower is older than the Oak Tower.",
        "The Elm Tower is not taller than the Oak Tower.",
        "The Elm Tower is taller than the Ash Tower.",
        "The Elm Tower is taller.",
        "The Elm Tower is more famous than the Oak Tower.",
    ],
)
def test_what_figures_do_not_tell_is_left_to_the_model(claim: str) -> None:
    assert found(claim) is None


def test_a_claim_that_says_more_is_not_settled_by_agreement() -> None:
    told = found("The Oak Tower is taller than the Elm Tower and was built of slate.")
    assert told is not None
    assert told.agrees
    assert not told.settles


@pytest.mark.parametrize(
    "text",
    [
        "The Elm Tower is 200 m tall. The Oak Tower is 300 m tall. Others say the Oak Tower is 150 m tall.",
        "The Elm Tower stands 5 km from the sea. The Oak Tower is 300 m tall.",
        "The Elm Tower is 300 m tall. The Oak Tower is more than 200 m tall.",
        "The Elm Tower is 300 m tall. The roof of the Oak Tower is 200 m high.",
    ],
)
def test_figures_that_leave_it_open_say_nothing(text: str) -> None:
    assert found("The Oak Tower is taller than the Elm Tower.", text) is None
