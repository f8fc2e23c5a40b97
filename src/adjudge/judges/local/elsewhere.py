"""Which of several passages speak of others than the claim does.

A claim that names somebody whom one passage names and another does not is hardly ever borne out by the other,
however alike the words: "The Denby yard was founded in 1974" beside "The harbour was deepened in 1974". Where
no passage has the name, nothing follows: texts call what they are about "he", "the film" or nothing at all.
Nor does anything follow for a reference or a response, which need not name what was asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.calibration import log_odds, logistic
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.verifier import Opinion
from adjudge.judges.local.words import bag
from adjudge.segment.claims.tokens import tokens_of, verb_at

_LESS = -2.0
"""Added to the log odds of "entailed" and "contradicted". Of the documents in RAGBench's train and validation
rows that speak of others than a response sentence does, it rests on 4 %; of all the rest on 39 %: in log odds
2.8 more (training/check_names.py). The model sees part of that by itself.
"""


def speaks_of_others(claim: str, passages: Sequence[str]) -> list[bool]:
    """Whether a passage has no name of the claim's although another has one of what the claim speaks of."""
    tokens = tokens_of(claim)
    verb = verb_at(tokens, 0, len(tokens))
    subject = bag(claim[: tokens[verb].start]).names if verb else frozenset[str]()
    told = [prepare(text) for text in passages]
    if not any(text.has(name) for text in told for name in subject):
        return [False] * len(passages)
    names = bag(claim).names
    return [not any(map(text.has, names)) for text in told]


def regarding_others(claim: str, row: Sequence[Opinion], question: CheckClaims) -> list[Opinion]:
    """Opinions of a claim beside each text, those of passages that speak of others drawn to neutral."""
    first = max(0, len(question.evidence) - question.passages)
    others = speaks_of_others(claim, question.evidence[first:])
    passages = zip(row[first:], others, strict=True)
    return [*row[:first], *(_lowered(opinion) if other else opinion for opinion, other in passages)]


def _lowered(opinion: Opinion) -> Opinion:
    """What does not speak of somebody can no more contradict than entail what is said of them."""
    if opinion.settled:
        return opinion
    entailed, contradicted = (
        logistic(log_odds(share) + _LESS) for share in (opinion.entailed, opinion.contradicted)
    )
    why = f"{opinion.why}; another passage names it"
    return Opinion(entailed, 1 - entailed - contradicted, contradicted, why)
