"""Windows beyond the first are read only of claims that the first ones bear out."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.local.calibration import bundled_calibration
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.model import PairScore
from adjudge.judges.local.reading import Pair, read

_YES, _NO = PairScore(4.0, -2.0, -3.0, 2.0, -5.0), PairScore(-4.0, 2.0, 1.0, -2.0, 1.0)
_EVIDENCE = " ".join(
    [
        "The mill at Orrel was built in 1710.",
        "Its wheel was made of oak.",
        "A flood took the wheel in 1790, and the miller built another.",
        "The mill ground barley for the brewers of Orrel.",
        "The miller of Orrel kept bees.",
    ]
)
_CLAIMS = ("The mill at Orrel was built in 1710.", "The miller of Orrel built another wheel of oak.")


class _Asked:
    """Answers every pair of a claim alike, and keeps what it was asked, call by call."""

    def __init__(self, answers: dict[str, PairScore]) -> None:
        self.answers = answers
        self.calls: list[list[Pair]] = []

    def __call__(self, pairs: Sequence[Pair]) -> dict[Pair, PairScore]:
        self.calls.append(list(pairs))
        return {pair: self.answers[pair[0]] for pair in pairs}


@settings(max_examples=8, deadline=None)
@given(st.tuples(st.booleans(), st.booleans()))
def test_only_claims_that_are_borne_out_are_read_on(passes: tuple[bool, bool]) -> None:
    held = ModelVerifier().held([(claim, _EVIDENCE) for claim in _CLAIMS])
    asked = _Asked({c: _YES if p else _NO for c, p in zip(_CLAIMS, passes, strict=True)})
    scores = read(held, bundled_calibration(), asked)
    windows = [claim.windows[0] for claim in held]
    assert all(len(own) > 1 for own in windows)
    assert asked.calls[0] == [own[0] for own in windows]
    assert asked.calls[1] == [pair for own, p in zip(windows, passes, strict=True) if p for pair in own[1:]]
    assert [len(own[0]) for own in scores] == [
        len(w) if p else 1 for w, p in zip(windows, passes, strict=True)
    ]


def test_a_claim_that_is_not_spoken_of_is_not_read() -> None:
    held = ModelVerifier().held([("Penguins swim.", "Taxes rose in spring."), ("", _EVIDENCE)])
    asked = _Asked({})
    read(held, bundled_calibration(), asked)
    assert asked.calls == [[], []]
