"""From model scores to verdicts: windows of the evidence, the model's margins, word overlap and figures,
calibrated.

A claim is cut into sentences; each is held against a few windows (`windows.BUDGET`). The sentence's margin
is the best over its windows of "entailed" against the rest. Margins are averaged by word weight and leaned
towards the weakest telling sentence; share of words found and figures that differ or are missing come in
beside them. Weights and calibration are in models/calibration.json, written by training/calibrate.py from
data the model never saw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from adjudge.errors import JudgeError
from adjudge.judges.local.evidence import Evidence, prepare
from adjudge.judges.local.features import NAMES, Compared, features
from adjudge.judges.local.model import JudgeModel, PairScore, TraceScore, bundled_model
from adjudge.judges.local.numbers import agrees, find_numbers
from adjudge.judges.local.verifier import NOTHING, FeatureVerifier, Opinion
from adjudge.judges.local.windows import BUDGET, Passage, passages
from adjudge.judges.local.words import bag
from adjudge.segment.sentences import split_sentences

_FOREIGN = re.compile("[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufaff]")
_TELLING = 0.5
"""Share of the mean word weight below which a sentence is not asked to be the weakest."""
_NEAR, _FAR = 0.0, -8.0
_KEPT = 100_000
RECALL = NAMES.index("recall")
SPOKEN_OF = 0.4
"""Share of a claim's words, by weight, from which evidence is taken to speak of it."""


class Signals(NamedTuple):
    """What a verdict is computed from; the order is part of the calibration."""

    margin: float
    weakest: float
    recall: float
    differ: float
    absent: float
    against: float
    """Best "contradicted" against "neutral" over sentences and windows."""


class Calibration(NamedTuple):
    """How signals become probabilities."""

    version: str
    model: str
    lean: float
    centre: float
    scale: float
    recall: float
    recall_centre: float
    recall_scale: float
    differ: float
    absent: float
    slope: float
    intercept: float
    against_slope: float
    against_intercept: float
    trace: dict[str, list[float]]
    """Slope and intercept for `relevant`, `used` and `supported`."""

    def score(self, s: Signals) -> float:
        """The uncalibrated mix, by which claims are ranked."""
        margin = (1 - self.lean) * s.margin + self.lean * s.weakest
        mixed = (margin - self.centre) / self.scale
        mixed += self.recall * (s.recall - self.recall_centre) / self.recall_scale
        return mixed - self.differ * s.differ - self.absent * s.absent

    def probabilities(self, s: Signals) -> tuple[float, float, float]:
        """Entailed, neutral, contradicted."""
        entailed = logistic(self.slope * self.score(s) + self.intercept)
        against = logistic(self.against_slope * (s.against + 2 * s.differ) + self.against_intercept)
        # What the evidence does not speak of it cannot contradict, however sure the model is of a clash.
        against *= min(1.0, s.recall / SPOKEN_OF)
        return entailed, (1 - entailed) * (1 - against), (1 - entailed) * against

    def trace_probabilities(self, name: str, logits: Sequence[float]) -> list[float]:
        slope, intercept = self.trace[name]
        return [logistic(slope * float(x) + intercept) for x in logits]


def logistic(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0))))


@lru_cache(maxsize=1)
def bundled_calibration() -> Calibration:
    stored = json.loads((files("adjudge") / "models" / "calibration.json").read_text("utf-8"))
    return Calibration(**{name: stored[name] for name in Calibration._fields})


class Sentence(NamedTuple):
    """A claim sentence with its windows and what the features say of it."""

    text: str
    asked: str
    """As the model is asked: figures that agree are written as in the evidence."""
    weight: float
    found: list[Passage]
    compared: Compared


def claim_sentences(claim: str, evidence: Evidence, budget: int) -> list[Sentence]:
    """Sentences of a claim, each with the windows it is held against."""
    sentences = []
    for start, end in split_sentences(claim):
        text = claim[start:end]
        asked = at_evidence_precision(text, evidence)
        compared = features(text, evidence.text)
        sentences.append(
            Sentence(text, asked, bag(text).total + 1e-6, passages(text, evidence, budget), compared)
        )
    return sentences


def at_evidence_precision(text: str, evidence: Evidence) -> str:
    """The text with every figure that the evidence bears out more exactly put as the evidence has it.

    105 follows from 105.4; a model that compares digits would say otherwise.
    """
    claimed = find_numbers(text).numbers
    if not claimed:
        return text
    stated = [number for part in evidence.figures for number in part.numbers]
    for number in reversed(claimed):
        same = [other for other in stated if agrees(number, other)]
        if same and not number.bound and all(other.text != number.text for other in same):
            text = (
                text[: number.start]
                + _spaced(text[number.start : number.end], same[0].text)
                + text[number.end :]
            )
    return text


def _spaced(old: str, new: str) -> str:
    return old[: len(old) - len(old.lstrip())] + new + old[len(old.rstrip()) :]


def margin(score: PairScore) -> float:
    """Entailed against the other two, as log odds."""
    return score.entailed - float(np.logaddexp(score.neutral, score.contradicted))


def signals(sentences: Sequence[Sentence], scores: Sequence[Sequence[PairScore]]) -> Signals:
    """The claim's signals from its sentences and the scores of their windows."""
    weights = np.array([s.weight for s in sentences])
    margins = np.array([max((margin(x) for x in own), default=_FAR) for own in scores])
    telling = weights >= _TELLING * weights.mean()
    against = max((x.contradicted - x.neutral for own in scores for x in own), default=_FAR)
    recalls = np.array([s.compared.values[RECALL] for s in sentences])
    return Signals(
        float(np.average(margins, weights=weights)),
        float(margins[telling].min()),
        float(np.average(recalls, weights=weights)),
        float(any(s.compared.figures.differing for s in sentences)),
        float(any(s.compared.values[NAMES.index("figures_absent")] for s in sentences)),
        float(against),
    )


class ModelVerifier:
    """The bundled model with its calibration. `budget` is the number of model pairs a claim sentence may
    cost.
    """

    def __init__(self, model: JudgeModel | None = None, budget: int = BUDGET) -> None:
        self.model = model or bundled_model()
        self.calibration = bundled_calibration()
        if self.calibration.model != self.model.digest:
            raise JudgeError(
                f"models/calibration.json belongs to model {self.calibration.model}, not {self.model.digest};"
                " run training/calibrate.py again"
            )
        self.budget = budget
        self._words = FeatureVerifier()
        self._seen: dict[tuple[str, str], Opinion] = {}

    @property
    def name(self) -> str:
        return f"{self.model.name}+mix{self.calibration.version}"

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        pairs = list(zip(claims, evidences, strict=True))
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self._seen]
        if len(self._seen) + len(fresh) > _KEPT:
            self._seen.clear()
            fresh = list(dict.fromkeys(pairs))
        plain = [pair for pair in fresh if not _for_model(*pair)]
        for pair in plain:
            self._seen[pair] = self._words.verdicts([pair[0]], [pair[1]])[0]
        asked = [pair for pair in fresh if pair not in self._seen]
        self._seen.update(zip(asked, self._judged(asked), strict=True))
        return [self._seen[pair] for pair in pairs]

    def _judged(self, pairs: Sequence[tuple[str, str]]) -> list[Opinion]:
        """Opinions of all pairs, their windows in one run of the model."""
        cut = [claim_sentences(claim, prepare(text), self.budget) for claim, text in pairs]
        windows = [
            [[(s.asked, p.text(prepare(text))) for p in s.found] for s in sentences]
            for sentences, (_, text) in zip(cut, pairs, strict=True)
        ]
        flat = [pair for claim in windows for sentence in claim for pair in sentence]
        scores = iter(self.model.pairs(flat))
        opinions = []
        for sentences, own in zip(cut, windows, strict=True):
            told = [[next(scores) for _ in sentence] for sentence in own]
            opinions.append(self._opinion(sentences, own, told) if sentences else NOTHING)
        return opinions

    def _opinion(
        self,
        sentences: Sequence[Sentence],
        windows: Sequence[Sequence[tuple[str, str]]],
        scores: Sequence[Sequence[PairScore]],
    ) -> Opinion:
        shares = self.calibration.probabilities(signals(sentences, scores))
        weak = min(range(len(scores)), key=lambda n: max((margin(x) for x in scores[n]), default=_FAR))
        return Opinion(*shares, _why(sentences[weak], windows[weak], scores[weak]))


def _for_model(claim: str, evidence: str) -> bool:
    """Whether the model knows the script and there is anything to compare."""
    return bool(claim.strip()) and bool(evidence.strip()) and readable(claim)


def readable(text: str) -> bool:
    """Whether the model knows the script."""
    return len(_FOREIGN.findall(text)) <= 0.1 * len(text)


def _why(sentence: Sentence, windows: Sequence[tuple[str, str]], scores: Sequence[PairScore]) -> str:
    if not scores:
        return "no passage of the evidence speaks of it"
    best = max(range(len(scores)), key=lambda n: margin(scores[n]))
    passage = windows[best][1]
    shown = passage if len(passage) <= 160 else passage[:157] + "…"
    notes = [f"margin {margin(scores[best]):+.1f}"]
    if sentence.compared.figures.first_difference:
        notes.append(f"figures differ: {sentence.compared.figures.first_difference}")
    elif sentence.compared.values[NAMES.index("figures_absent")]:
        notes.append("a figure of the claim is not there")
    return f"“{shown}” ({'; '.join(notes)})"


class TraceLabels(NamedTuple):
    """Probabilities: context sentences relevant and used, response sentences supported."""

    relevant: list[float]
    used: list[float]
    supported: list[float]


def label_traces(
    rows: Sequence[tuple[str, Sequence[str], Sequence[str]]], model: JudgeModel | None = None
) -> list[TraceLabels]:
    """For each (question, response sentences, context sentences), all rows in one run of the model."""
    calibration = bundled_calibration()
    return [calibrated_trace(score, calibration) for score in (model or bundled_model()).traces(rows)]


def calibrated_trace(score: TraceScore, calibration: Calibration) -> TraceLabels:
    parts = {
        name: calibration.trace_probabilities(name, list(getattr(score, name)))
        for name in TraceLabels._fields
    }
    return TraceLabels(**parts)


def adherence(opinion: Opinion, labels: TraceLabels) -> float:
    """How surely a whole response is borne out: the verifier's opinion, and half as much the trace's, as log
    odds.
    """
    if not labels.supported:
        return 0.0
    traced = float(np.mean([log_odds(p) for p in labels.supported]))
    return logistic(log_odds(opinion.entailed) + 0.5 * traced)


def log_odds(p: float) -> float:
    return float(np.log(max(p, 1e-9) / max(1 - p, 1e-9)))


def similarities(pairs: Sequence[tuple[str, str]], model: JudgeModel | None = None) -> list[float]:
    """Likeness in meaning from 0 to 1, the mean of both orders; equal texts are 1."""
    found = (model or bundled_model()).pairs([*pairs, *((b, a) for a, b in pairs)])
    half = len(pairs)
    return [
        1.0 if a == b else (logistic(found[n].similarity) + logistic(found[half + n].similarity)) / 2
        for n, (a, b) in enumerate(pairs)
    ]
