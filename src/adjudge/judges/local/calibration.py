"""From what the model and the words say of a claim to probabilities.

A claim's signals are averaged over its sentences by word weight, but for the weakest telling sentence. Each
is centred and scaled, they are added with fixed weights, and a slope and an intercept make log odds of the
sum. All these numbers are in models/calibration.json, written by training/calibrate.py from sources that the
scoring model had never seen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.judges.local.asked import Sentence, unspoken
from adjudge.judges.local.features import NAMES
from adjudge.judges.local.model import Floats, PairScore, TraceScore

_TELLING = 0.5
"""Share of the mean word weight below which a sentence is not asked to be the weakest."""
_UNREAD = PairScore(-3.0, 0.0, -3.0, -4.0, 0.0)
"""Stands for a claim that the model was not asked about: neutral, as such claims are on held-back data."""
_LENGTHS = (100, 6000)
RECALL, NEAR = NAMES.index("recall"), NAMES.index("recall3")
SPOKEN_OF = 0.4
"""Share of a claim's words, by weight, from which evidence is taken to speak of it."""


class Signals(NamedTuple):
    """What a verdict is computed from."""

    margin: float
    """Entailed against the rest, the mean odds over a sentence's windows, as a logarithm."""
    stance: float
    """Entailed against contradicted in the window that bears a sentence out best."""
    weakest: float
    """The same as a mean over windows, in the sentence where it is lowest."""
    near: float
    """Share of the words found in the best three neighbouring sentences."""
    alike: float
    """Similarity to the window most alike."""
    length: float
    """Logarithm of the evidence's length: in a long text something always looks like the claim."""
    figures: float
    """Whether a figure of the claim is nowhere in the evidence."""
    spoken: float
    """Share of the words found anywhere in the evidence."""
    differ: float
    """Whether such a figure stands where the evidence has another of its kind."""
    against: float
    """Contradicted against neutral, the most over sentences and windows."""


MIXED = ("margin", "stance", "weakest", "near", "alike", "length", "figures")
"""Signals that tell entailed from not entailed; the others tell why not."""


class TraceLabels(NamedTuple):
    """What the model makes of sentences by their place among the others, and of those of a response also
    by holding them against whole documents.
    """

    relevant: list[float]
    """Probabilities of the context sentences."""
    used: list[float]
    supported: list[float]
    """Probabilities of the response sentences."""
    borne_out: list[float | None]
    """Log odds of the response sentences beside the nearest documents."""


class Calibration(NamedTuple):
    """How signals become probabilities."""

    version: str
    model: str
    """Digest of the model that it belongs to."""
    centre: dict[str, float]
    scale: dict[str, float]
    weight: dict[str, float]
    slope: float
    intercept: float
    against_slope: float
    against_intercept: float
    trace: dict[str, list[float]]
    """Slope and intercept for `relevant`, `used` and `supported`."""

    def score(self, s: Signals) -> float:
        """The uncalibrated sum, by which claims are ranked."""
        told = s._asdict()
        parts = (self.weight[n] * (told[n] - self.centre[n]) / self.scale[n] for n in MIXED)
        return float(sum(parts))

    def odds(self, s: Signals) -> float:
        """Log odds of "entailed"."""
        return self.slope * self.score(s) + self.intercept

    def probabilities(self, s: Signals) -> tuple[float, float, float]:
        """Entailed, neutral, contradicted."""
        entailed = logistic(self.odds(s))
        against = logistic(self.against_slope * (s.against + 2 * s.differ) + self.against_intercept)
        # What the evidence does not speak of it cannot contradict, however sure the model is of a clash.
        against *= min(1.0, s.spoken / SPOKEN_OF)
        return entailed, (1 - entailed) * (1 - against), (1 - entailed) * against

    def trace_labels(self, score: TraceScore, borne_out: list[float | None]) -> TraceLabels:
        return TraceLabels(
            self._trace_probabilities("relevant", score.relevant),
            self._trace_probabilities("used", score.used),
            self._trace_probabilities("supported", score.supported),
            borne_out,
        )

    def _trace_probabilities(self, name: str, logits: Floats) -> list[float]:
        slope, intercept = self.trace[name]
        return [logistic(slope * float(x) + intercept) for x in logits]


def logistic(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0))))


def log_odds(p: float) -> float:
    return float(np.log(max(p, 1e-9) / max(1 - p, 1e-9)))


@lru_cache(maxsize=1)
def bundled_calibration() -> Calibration:
    stored = json.loads((files("adjudge") / "models" / "calibration.json").read_text("utf-8"))
    return Calibration(**{name: stored[name] for name in Calibration._fields})


def margin(score: PairScore, against: float = 1.0) -> float:
    """Entailed against the other two, as log odds; `against` is how much contradicted counts."""
    return score.entailed - float(np.logaddexp(score.neutral, score.contradicted + np.log(against)))


def stance(score: PairScore) -> float:
    """Entailed against contradicted, as log odds."""
    return score.entailed - score.contradicted


def mean_odds(margins: Sequence[float] | NDArray[np.float64]) -> float:
    """The mean of odds, given and returned as logarithms."""
    return float(np.log(np.mean(np.exp(margins))))


def signals(sentences: Sequence[Sentence], scores: Sequence[Sequence[PairScore]], length: int) -> Signals:
    """The claim's signals from its sentences, the scores of their windows, and the evidence's length."""
    silent = unspoken(sentences)
    told = [list(own) if own and not silent else [_UNREAD] for own in scores]
    weights = np.array([s.weight for s in sentences])
    margins = [np.array([margin(x) for x in own]) for own in told]
    best = [own[int(np.argmax(each))] for own, each in zip(told, margins, strict=True)]
    means = np.array([np.mean([stance(x) for x in own]) for own in told])

    def averaged(values: Sequence[float]) -> float:
        return float(np.average(values, weights=weights))

    return Signals(
        averaged([mean_odds(each) for each in margins]),
        averaged([stance(x) for x in best]),
        float(means[weights >= _TELLING * weights.mean()].min()),
        averaged([s.compared.values[NEAR] for s in sentences]),
        averaged([max(x.similarity for x in own) for own in told]),
        float(np.log(np.clip(length, *_LENGTHS))),
        float(any(s.compared.figures_absent for s in sentences)),
        averaged([s.compared.values[RECALL] for s in sentences]),
        float(any(s.compared.figures.differing and s.compared.figures_absent for s in sentences)),
        float(max(x.contradicted - x.neutral for own in told for x in own)),
    )
