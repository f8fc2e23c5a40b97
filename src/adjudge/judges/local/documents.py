"""Which part of which documents a claim is read beside, where the evidence is known to be documents.

Windows are chosen without regard to where a document ends, so that what several documents say may be put
together. That also puts together what does not belong together. Here a sentence is held against whole
documents, or the stretch of each that has most of it. A single document has no ends to regard; it is read all
the same, because answers are compared with one another, whether they had one document or many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.judges.local.asked import at_evidence_precision, stated_sentences
from adjudge.judges.local.calibration import mean_odds
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.windows import stretch
from adjudge.segment.keys import parse_key

READ = 2
"""Documents that a sentence is held against at most, those that have most of it."""
ROOM = 700
"""Characters of a document that are read at once; with the claim, most of what the model can read."""
_WEIGHT, NEITHER = 0.75, 0.4
"""How much log odds beside documents count for one claim, and those at which they say neither yes nor no.
Chosen on RAGBench answers left out of training: training/check_documents.py.
"""
_WEIGHT_ANSWER, _NEITHER_ANSWER = 1.5, 0.4
"""The same for a whole answer, where they tell more than all else does: training/weigh_documents.py."""
AGAINST = 0.2
"""How much "contradicted" counts beside "not stated" where sentences of an answer are read. What is wrong
with an answer is mostly that no document states it, and beside a document of something near the encoder
calls much a clash that is none: with all of it counted, documents order answers that nothing was trained on
worse by .015 of AUROC. A half to a twentieth are nearly alike.
"""
Asked = list[list[tuple[str, str]]]
"""Sentences of a claim, each as its (sentence, text) pairs."""


def added(odds: float | None, neither: float = NEITHER) -> float:
    """What the log odds of a claim beside documents, if there are any, add to others of its."""
    return 0.0 if odds is None else _WEIGHT * (odds - neither)


def added_to_answer(odds: Sequence[float | None]) -> float:
    """What the log odds of an answer's sentences beside documents, where there are any, add to its own."""
    known = [x for x in odds if x is not None]
    return _WEIGHT_ANSWER * (answer_odds(known) - _NEITHER_ANSWER) if known else 0.0


def answer_odds(odds: Sequence[float]) -> float:
    """Log odds of an answer from those of its sentences.

    The odds against them are put together, not their logarithms: all are borne out only if each is, so one
    that is not outweighs others that are. They are neither averaged nor added up but divided by the root of
    their number: two errors are worse than one, yet long answers are not much less often right. On answers
    left out of training that tells best which adhere (training/weigh_documents.py).
    """
    return -mean_odds([-x for x in odds]) - math.log(len(odds)) / 2


def documents(contexts: Sequence[tuple[str, str]]) -> list[str]:
    """Texts of the passages that the keys tell apart, their sentences as paragraphs."""
    found: dict[int | None, list[str]] = {}
    for key, text in contexts:
        passage = (parse_key(key) or (None,))[0]
        found.setdefault(passage, []).append(text)
    return ["\n\n".join(texts) for texts in found.values()]


def document_pairs(claim: str, texts: Sequence[str]) -> Asked:
    """What the model is asked about a claim: each of its sentences beside the nearest documents."""
    whole = prepare("\n\n".join(texts))
    pairs = []
    for sentence in stated_sentences(claim):
        asked = at_evidence_precision(sentence, whole)
        nearest = sorted((stretch(sentence, prepare(text), ROOM) for text in texts), key=lambda s: -s[0])
        pairs.append([(asked, text) for _, text in nearest[:READ] if text])
    return [own for own in pairs if own]
