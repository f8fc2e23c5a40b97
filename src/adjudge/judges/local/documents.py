"""Which part of which documents a claim is read beside, where the evidence is known to be documents.

Windows are chosen without regard to where a document ends, so that what several documents say may be put
together. That also puts together what does not belong together. Here a sentence is held against whole
documents, or the stretch of each that has most of it. A single document has no ends to regard; it is read all
the same, because answers are compared with one another, whether they had one document or many. What follows
only from several documents together is not lost by this: where the nearest leave a sentence open, a passage
gathered from all counts a little too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from adjudge.judges.local.asked import at_evidence_precision, stated_sentences
from adjudge.judges.local.calibration import mean_odds
from adjudge.judges.local.evidence import Evidence, prepare
from adjudge.judges.local.windows import passages, stretch
from adjudge.segment.keys import parse_key

READ = 2
"""Documents that a sentence is held against at most, those that have most of it."""
ROOM = 700
"""Characters of a document that are read at once; with the claim, most of what the model can read."""
GATHERED = 0.1
"""How much odds beside a passage gathered from all documents count beside those of a document. Little: such a
passage joins what one document says of one thing to what another says of something like it. At a tenth the
surest passage leaves a sentence open that no document bears out. With as much weight as a document it takes
.005 of AUROC on answers left out of training, with this much it gives .001, and more where answers are put
together from several documents (training/README.md).
"""
SURE = 2.0
"""Log odds beside the nearest documents from which that passage is not read: it would tell nothing."""
_WEIGHT, NEITHER = 0.5, 1.5
"""How much log odds beside documents count for one claim, and those at which they say neither yes nor no: .7
or so above where both kinds of claims balance in sixteen sets that nothing was trained on (weigh_documents.py
--claims), as RAGBench answers left out of training had asked for (training/check_documents.py).
"""
_WEIGHT_ANSWER, _NEITHER_ANSWER = 1.0, 1.5
"""The same for a whole answer, where they tell more than all else does: training/weigh_documents.py."""
AGAINST = 0.2
"""How much "contradicted" counts beside "not stated" where sentences of an answer are read. What is wrong
with an answer is mostly that no document states it, and beside a document of something near the encoder
calls much a clash that is none: with all of it counted, documents order answers that nothing was trained on
worse by .015 of AUROC. A half to a twentieth are nearly alike.
"""
Pair = tuple[str, str]
"""(sentence, text) that the model is asked about."""


class Asked(NamedTuple):
    """What the model is asked about a sentence."""

    nearest: list[Pair]
    """Beside the nearest documents."""
    gathered: Pair | None
    """Beside what is gathered from all, unless a text that is read has all of that."""

    def beside_documents(self, known: Mapping[Pair, float]) -> float:
        """Log odds by those beside the nearest documents."""
        return mean_odds([known[pair] for pair in self.nearest])

    def left_open(self, known: Mapping[Pair, float]) -> Pair | None:
        """What is gathered, if the nearest documents are not sure of the sentence without it."""
        return self.gathered if self.beside_documents(known) <= SURE else None

    def beside_all(self, known: Mapping[Pair, float]) -> float:
        """The same, and by those beside what is gathered."""
        told = self.beside_documents(known)
        if self.gathered is None:
            return told
        both = math.exp(told) * len(self.nearest) + GATHERED * math.exp(known[self.gathered])
        return math.log(both / (len(self.nearest) + GATHERED))


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


def document_pairs(claim: str, texts: Sequence[str]) -> list[Asked]:
    """What the model is asked about the sentences of a claim."""
    whole = prepare("\n\n".join(texts))
    found = []
    for sentence in stated_sentences(claim):
        asked = at_evidence_precision(sentence, whole)
        ranked = sorted((stretch(sentence, prepare(text), ROOM) for text in texts), key=lambda s: -s[0])
        nearest = [(asked, text) for _, text in ranked[:READ] if text]
        if nearest:
            found.append(Asked(nearest, _gathered(asked, whole, nearest)))
    return found


def _gathered(asked: str, whole: Evidence, nearest: Sequence[Pair]) -> Pair | None:
    for passage in passages(asked, whole, 1):
        parts = [whole.sentences[number] for number in passage.numbers]
        if not any(all(part in text for part in parts) for _, text in nearest):
            return asked, " ".join(parts)
    return None


def log_odds_of(
    claims: Sequence[Sequence[Asked]], read: Callable[[Sequence[Pair]], Mapping[Pair, float]]
) -> list[list[float]]:
    """Log odds of every sentence of every claim, the model being asked twice at most: beside documents, then
    beside what is gathered where these leave a sentence open.
    """
    near = read([pair for claim in claims for asked in claim for pair in asked.nearest])
    more = [pair for claim in claims for asked in claim if (pair := asked.left_open(near))]
    known = {**near, **read(more)} if more else near
    # Whether a sentence is open is asked of itself: what else has been read must not matter.
    return [
        [
            asked.beside_all(known) if asked.left_open(near) else asked.beside_documents(near)
            for asked in claim
        ]
        for claim in claims
    ]
