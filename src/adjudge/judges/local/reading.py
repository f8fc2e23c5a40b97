"""How far into the evidence a claim is read: the first window of each of its sentences, and the others only
where these bear the claim out.

What the sentences that together have most of a claim do not bear out, single ones among them seldom do; but
what is gathered from several places can seem to say what no place says, and there a second look tells. On
sets that nothing was trained on this orders claims as reading all windows does and decides more of them
rightly (training/check_unseen.py), for about half of the reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from adjudge.judges.local.asked import Sentence
from adjudge.judges.local.calibration import Calibration, Signals, signals
from adjudge.judges.local.model import PairScore

Pair = tuple[str, str]
Scores = list[list[PairScore]]
"""Of every sentence of a claim, those of the windows that were read."""


class Held(NamedTuple):
    """A claim's sentences, each with the pairs (sentence, window) that it can be held against."""

    sentences: list[Sentence]
    windows: list[list[Pair]]
    length: int
    """Characters of the evidence."""

    def signals(self, scores: Scores) -> Signals | None:
        """None where there is nothing to go by."""
        return signals(self.sentences, scores, self.length) if self.sentences else None


def read(
    claims: Sequence[Held],
    calibration: Calibration,
    ask: Callable[[Sequence[Pair]], Mapping[Pair, PairScore]],
) -> list[Scores]:
    """Scores of the windows that are read of every claim; `ask` is called twice, each time about all."""

    def scored(chosen: Sequence[Sequence[Sequence[Pair]]]) -> list[Scores]:
        known = ask([pair for claim in chosen for own in claim for pair in own])
        return [[[known[pair] for pair in own] for own in claim] for claim in chosen]

    first = scored([[own[:1] for own in claim.windows] for claim in claims])
    borne_out = [
        _borne_out(claim.signals(own), calibration) for claim, own in zip(claims, first, strict=True)
    ]
    rest = scored(
        [
            [own[1:] if passed else [] for own in claim.windows]
            for claim, passed in zip(claims, borne_out, strict=True)
        ]
    )
    return [
        [[*one, *others] for one, others in zip(*both, strict=True)] for both in zip(first, rest, strict=True)
    ]


def _borne_out(told: Signals | None, calibration: Calibration) -> bool:
    return told is not None and calibration.odds(told) > 0
