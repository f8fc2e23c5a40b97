"""Claims in doubt are read again by the encoder for documents."""

from __future__ import annotations

import pytest

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.calibration import Signals, logistic
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.reread import in_doubt, weighed
from adjudge.judges.local.verifier import Opinion, make_verifier

TEXT = (
    "Denby grew around its shipyard. With 400 workers it is by far the biggest business in town. "
    "Most of the other firms sell bait, rope and paint."
)
OPEN = "The shipyard employs more people than any other company in Denby."
SURE = "Denby grew around its shipyard."


def _opinion(odds: float, settled: bool = False) -> Opinion:
    entailed = logistic(odds)
    return Opinion(entailed, 0.75 * (1 - entailed), 0.25 * (1 - entailed), "why", settled)


def _signals(weakest: float = 0.0) -> Signals:
    return Signals(*([0.0] * len(Signals._fields)))._replace(weakest=weakest)


@pytest.mark.parametrize(("odds", "open_"), [(0.0, True), (-0.9, True), (0.9, True), (1.2, False)])
def test_what_is_sure_is_not_read_again(odds: float, open_: bool) -> None:
    assert in_doubt(_opinion(odds)) is open_
    assert not in_doubt(_opinion(odds, settled=True))


def test_a_second_reading_moves_a_claim_towards_itself_and_keeps_the_rest_in_proportion() -> None:
    before = _opinion(0.0)
    raised, lowered = weighed(before, _signals(), 2.0), weighed(before, _signals(), -2.0)
    assert lowered.entailed < before.entailed < raised.entailed
    for after in (raised, lowered):
        assert sum(after[:3]) == pytest.approx(1.0)
        assert after.neutral == pytest.approx(3 * after.contradicted)
        assert "read again" in after.why


def test_what_the_first_reading_contradicts_is_not_raised_but_may_be_lowered() -> None:
    before = _opinion(-0.2)
    assert weighed(before, _signals(-2.5), 4.0).entailed == pytest.approx(before.entailed)
    assert weighed(before, _signals(-2.5), -4.0).entailed < before.entailed


def test_only_claims_in_doubt_cost_a_second_reading() -> None:
    verifier = ModelVerifier()
    first = verifier.verdicts([OPEN, SURE], [TEXT, TEXT])
    assert [in_doubt(opinion) for opinion in first] == [True, False]
    read = verifier.model.inputs
    again = verifier.reread([OPEN, SURE], [TEXT, TEXT])
    assert verifier.model.inputs == read + 1
    assert again[0] != first[0]
    assert again[1] == first[1]
    assert verifier.reread([SURE, OPEN], [TEXT, TEXT]) == again[::-1]
    assert verifier.model.inputs == read + 1


def test_a_claim_is_read_again_the_same_way_alone_and_among_others() -> None:
    others = ["Bees sing.", "Denby sells paint.", SURE]
    together = ModelVerifier().reread([*others, OPEN], [TEXT] * 4)[-1]
    alone = ModelVerifier().reread([OPEN], [TEXT])[0]
    assert alone[:3] == pytest.approx(together[:3], abs=1e-4)


def test_claims_beside_passages_are_read_again_but_not_by_verifiers_that_cannot() -> None:
    verifier = ModelVerifier()
    expected = verifier.reread([OPEN], [TEXT])[0]
    (reply,) = LocalJudge(verifier=verifier).answer([CheckClaims((OPEN,), (TEXT,))])
    assert reply.probabilities[0][0][0] == pytest.approx(expected.entailed)
    assert expected.entailed != pytest.approx(verifier.verdicts([OPEN], [TEXT])[0].entailed)
    (plain,) = LocalJudge(verifier=make_verifier("features")).answer([CheckClaims((OPEN,), (TEXT,))])
    assert "read again" not in plain.why
