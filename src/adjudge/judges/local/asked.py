"""What the model is asked of a claim: its sentences, each with the windows of evidence it is held against.

A claim that the evidence does not speak of is not asked about at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.judges.local.contrasts import told_apart
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.features import NAMES, Compared, features
from adjudge.judges.local.numbers import Number, agrees, find_numbers
from adjudge.judges.local.windows import Passage, passages
from adjudge.judges.local.words import bag
from adjudge.segment.claims.statements import is_heading, is_statement, substance
from adjudge.segment.sentences import split_sentences

UNSPOKEN = 0.3
"""Nearness below which evidence is taken not to speak of a sentence. Chosen with earlier weights on
held-back data, where it lost 0.05 % of the entailed claims and none of the contradicted ones.
"""
_NO_WORDS = 1e-6
_COSINE = 0.5
_SOFT, _NEAREST = NAMES.index("soft3"), NAMES.index("cosine1")


class Sentence(NamedTuple):
    """A claim sentence with its windows and what the features say of it."""

    text: str
    asked: str
    """As the model is asked: figures that agree are written as in the evidence."""
    weight: float
    found: list[Passage]
    compared: Compared

    @property
    def nearness(self) -> float:
        """Share of the words found or nearly so in the best three sentences, and half the best cosine."""
        return self.compared.values[_SOFT] + _COSINE * self.compared.values[_NEAREST]


def unspoken(sentences: Sequence[Sentence]) -> bool:
    """Whether the evidence has practically nothing of any sentence, and there is anything to look for."""
    return all(s.nearness < UNSPOKEN for s in sentences) and any(s.weight > _NO_WORDS for s in sentences)


def claim_sentences(claim: str, evidence: Evidence, budget: int) -> list[Sentence]:
    """Sentences of a claim, each with the windows it is held against: none where it is not spoken of."""
    bare = [
        Sentence(text, text, bag(text).total + _NO_WORDS, [], features(text, evidence.text))
        for text in stated_sentences(claim)
    ]
    if unspoken(bare):
        return bare
    return [
        s._replace(asked=at_evidence_precision(s.text, evidence), found=passages(s.text, evidence, budget))
        for s in bare
    ]


def stated_sentences(claim: str) -> list[str]:
    """Sentences of a claim that state something, without what frames them; all if none does. Those that tell
    of two things are two.
    """
    texts = _with_answers([claim[start:end] for start, end in split_sentences(claim)])
    telling = [substance(text) for text in texts if is_statement(text) and not is_heading(text)] or texts
    return [part for text in telling for part in told_apart(text)]


def _with_answers(texts: Sequence[str]) -> list[str]:
    """Sentences, each question together with what follows it, which without it may say nothing."""
    found: list[str] = []
    for text in texts:
        if found and found[-1].endswith("?"):
            found[-1] += f" {text}"
        else:
            found.append(text)
    return found


def at_evidence_precision(text: str, evidence: Evidence) -> str:
    """The text with every figure that the evidence has as exactly, or more so, put as the evidence has it.

    105 follows from 105.4, and 5 March 1990 is 1990-03-05; a model that compares digits would say otherwise.
    """
    claimed = find_numbers(text)
    put: list[tuple[int, int, str]] = []
    for number in claimed.numbers:
        same = [other for part in evidence.figures for other in part.numbers if _as_exactly(number, other)]
        if same and not number.bound and all(other.text != number.text for other in same):
            put.append((number.start, number.end, same[0].text))
    for date in claimed.dates:
        days = [other.text for part in evidence.figures for other in part.dates if other[:3] == date[:3]]
        if days and date.month and date.text not in days:
            put.append((date.start, date.end, days[0]))
    for start, end, new in sorted(put, reverse=True):
        text = text[:start] + _spaced(text[start:end], new) + text[end:]
    return text


def _as_exactly(claimed: Number, evidence: Number) -> bool:
    """Whether the evidence bears out a number and is no coarser: 4.5 must not become 4."""
    return agrees(claimed, evidence) and (claimed.value == evidence.value or evidence.half <= claimed.half)


def _spaced(old: str, new: str) -> str:
    return old[: len(old) - len(old.lstrip())] + new + old[len(old.rstrip()) :]
