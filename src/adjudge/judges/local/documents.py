"""Which part of which documents a claim is read beside, where the evidence is known to be documents.

Windows are chosen without regard to where a document ends, so that what several documents say may be put
together. That also puts together what does not belong together. Here a sentence is held against whole
documents, or the stretch of each that has most of it. A single document has no ends to regard; it is read all
the same, because answers are compared with one another, whether they had one document or many.
"""

from __future__ import annotations

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
"""How much log odds beside documents count, and those at which they say neither yes nor no. Chosen on
RAGBench answers left out of training: training/check_documents.py.
"""
AGAINST = 0.2
"""How much "contradicted" counts beside "not stated" where sentences of an answer are read. What is wrong
with an answer is mostly that no document states it, and beside a document of something near the encoder
calls much a clash that is none: with all of it counted, documents order answers that nothing was trained on
worse by .015 of AUROC. A half to a twentieth are nearly alike.
"""
Asked = list[list[tuple[str, str]]]
"""Sentences of a claim, each as its (sentence, text) pairs."""


def added(odds: Sequence[float | None], neither: float = NEITHER) -> float:
    """What the log odds of claims beside documents, where there are any, add to others of theirs.

    The odds against single claims are averaged, not their logarithms: all of them together are borne out
    only if each is, so one that is not outweighs others that are. On answers that nothing was trained on this
    tells those that adhere better (training/check_answers.py). They are not added up, which would count the
    sentences too: long answers are hardly less often right.
    """
    known = [-x for x in odds if x is not None]
    return -_WEIGHT * (mean_odds(known) + neither) if known else 0.0


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
