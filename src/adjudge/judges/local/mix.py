"""The bundled model as a verifier: claims cut into sentences, each read beside a few windows of the evidence.

A sentence is held against at most `windows.BUDGET` windows, against one where that does not bear the claim
out (`reading`), and not at all where the evidence does not speak of the claim (`asked.unspoken`); where the
evidence is documents, also against the nearest of these (`documents`). `calibration` makes probabilities of
what comes out. The model's other answers, sentence labels and similarity, are here too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.errors import JudgeError
from adjudge.judges.base import LabelSentences
from adjudge.judges.local import patterns
from adjudge.judges.local.asked import Sentence, claim_sentences
from adjudge.judges.local.calibration import (
    TraceLabels,
    bundled_calibration,
    logistic,
    margin,
)
from adjudge.judges.local.documents import AGAINST, document_pairs, documents, log_odds_of
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.features import NAMES
from adjudge.judges.local.foreign import is_foreign
from adjudge.judges.local.kept import Kept
from adjudge.judges.local.labelling import stated
from adjudge.judges.local.model import JudgeModel, PairScore, bundled_model
from adjudge.judges.local.names import Finding
from adjudge.judges.local.reading import Held, Pair, Scores, read
from adjudge.judges.local.verifier import NOTHING, FeatureVerifier, Opinion
from adjudge.judges.local.windows import BUDGET

_SURE = 0.8
"""How sure patterns make of a claim. Of the training claims that they speak against, 3,793
are labelled not entailed and 22, mostly by mistake, entailed: training/check_patterns.py.
"""
_KEPT = 10_000_000
"""Characters of claims and what they are held against, whose opinions or scores are kept."""


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
        self._seen: Kept[Pair, Opinion] = Kept(_KEPT)
        self._scores: Kept[Pair, PairScore] = Kept(_KEPT)
        self._beside: Kept[Pair, PairScore] = Kept(_KEPT)

    @property
    def name(self) -> str:
        return f"{self.model.name}+mix{self.calibration.version}"

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        pairs = list(zip(claims, evidences, strict=True))
        found = self._seen.of(pairs, self._made)
        return [found[pair] for pair in pairs]

    def _made(self, pairs: Sequence[Pair]) -> list[Opinion]:
        asked = [pair for pair in pairs if _for_model(*pair)]
        judged = dict(zip(asked, self._judged(asked), strict=True))
        return [judged.get(pair) or self._words.verdicts(pair[:1], pair[1:])[0] for pair in pairs]

    def borne_out(
        self, claims: Sequence[tuple[str, Sequence[str]]], against: float = 1.0
    ) -> list[float | None]:
        """How surely documents entail a claim: the mean of the log odds over its sentences. None where there
        are none. `against` as for `margin`.
        """

        def read(pairs: Sequence[Pair]) -> dict[Pair, float]:
            scores = self._read(pairs, documents=True)
            return {pair: margin(score, against) for pair, score in scores.items()}

        found = log_odds_of([document_pairs(claim, texts) for claim, texts in claims], read)
        return [float(np.mean(odds)) if odds else None for odds in found]

    def traces(self, questions: Sequence[LabelSentences]) -> list[TraceLabels]:
        """Labels of all sentences of all questions; theirs must be `readable`."""
        rows = [(q.question, [t for _, t in q.response], [t for _, t in q.contexts]) for q in questions]
        scores = self.model.traces(rows)
        odds = iter(self.borne_out([claim for q in questions for claim in _beside_documents(q)], AGAINST))
        return [
            self.calibration.trace_labels(score, [next(odds) for _ in q.response])
            for q, score in zip(questions, scores, strict=True)
        ]

    def _judged(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """Opinions of all pairs, their windows in two runs of the model."""
        held = self.held(pairs)
        opinions = []
        for own, scores, (claim, text) in zip(
            held, read(held, self.calibration, self._read), pairs, strict=True
        ):
            opinion = self._opinion(own, scores)
            opinions.append(_settled(opinion, patterns.check(claim, prepare(text))))
        return opinions

    def held(self, pairs: Sequence[Pair]) -> list[Held]:
        """Sentences of the claims, and each sentence's pairs with windows of the evidence."""
        found = []
        for claim, text in pairs:
            known = prepare(text)
            sentences = claim_sentences(claim, known, self.budget)
            windows = [[(s.asked, p.text(known)) for p in s.found] for s in sentences]
            found.append(Held(sentences, windows, len(text)))
        return found

    def _read(self, pairs: Sequence[Pair], documents: bool = False) -> dict[Pair, PairScore]:
        """The model's scores of pairs of sentence and window, or document."""
        known = self._beside if documents else self._scores
        return known.of(pairs, lambda fresh: self.model.pairs(fresh, documents=documents))

    def _opinion(self, held: Held, scores: Scores) -> Opinion:
        told = held.signals(scores)
        if told is None:
            return NOTHING
        weak = min(range(len(scores)), key=lambda n: max((margin(x) for x in scores[n]), default=-np.inf))
        why = _why(held.sentences[weak], held.windows[weak], scores[weak])
        return Opinion(*self.calibration.probabilities(told), why)


def _beside_documents(question: LabelSentences) -> list[tuple[str, list[str]]]:
    """What each response sentence states, with the documents; with none where it states nothing."""
    texts = documents(question.contexts)
    claims = [stated(text, question.question) for _, text in question.response]
    return [(claim, texts if claim else []) for claim in claims]


def _settled(opinion: Opinion, found: Finding | None) -> Opinion:
    """What the model made of a claim, drawn to what patterns find out about it, if anything."""
    if found is None or not found.settles:
        return opinion
    why = f"{opinion.why}; {found.note}"
    if found.agrees:
        rest = (1 - _SURE) * (1 - opinion.entailed)
        return Opinion(1 - rest, rest / 2, rest / 2, why, settled=True)
    entailed = (1 - _SURE) * opinion.entailed
    contradicted = max(opinion.contradicted, _SURE * (1 - entailed))
    return Opinion(entailed, 1 - entailed - contradicted, contradicted, why, settled=True)


def _for_model(claim: str, evidence: str) -> bool:
    """Whether the model knows the script and there is anything to compare."""
    return bool(claim.strip()) and bool(evidence.strip()) and readable(claim)


def readable(text: str) -> bool:
    """Whether the model knows the script."""
    return not is_foreign(text)


def _why(sentence: Sentence, windows: Sequence[Pair], scores: Sequence[PairScore]) -> str:
    if not scores:
        return "no passage of the evidence speaks of it"
    best = max(range(len(scores)), key=lambda n: margin(scores[n]))
    passage = windows[best][1]
    shown = passage if len(passage) <= 160 else passage[:157] + "…"
    notes = [f"margin {margin(scores[best]):+.1f}"]
    if sentence.compared.figures.first_difference and sentence.compared.figures_absent:
        notes.append(f"figures differ: {sentence.compared.figures.first_difference}")
    elif sentence.compared.values[NAMES.index("figures_absent")]:
        notes.append("a figure of the claim is not there")
    return f"“{shown}” ({'; '.join(notes)})"


def similarities(pairs: Sequence[Pair], model: JudgeModel | None = None) -> list[float]:
    """Likeness in meaning from 0 to 1, the mean of both orders; equal texts are 1."""
    found = (model or bundled_model()).pairs([*pairs, *((b, a) for a, b in pairs)])
    half = len(pairs)
    return [
        1.0 if a == b else (logistic(found[n].similarity) + logistic(found[half + n].similarity)) / 2
        for n, (a, b) in enumerate(pairs)
    ]
