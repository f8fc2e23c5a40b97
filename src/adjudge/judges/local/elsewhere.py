"""Which of several passages speak of others than the claim does.

A claim that names somebody whom one passage names and another does not is hardly ever borne out by the other,
however alike the words: "The Denby yard was founded in 1974" beside "The harbour was deepened in 1974". Where
no passage has the name, nothing follows: texts call what they are about "he", "the film" or nothing at all.
Nor does anything follow for a reference or a response, which need not name what was asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.judges.base import CheckClaims
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.verifier import Opinion
from adjudge.judges.local.words import bag
from adjudge.segment.claims.tokens import tokens_of, verb_at

OF_OTHERS = Opinion(0.07, 0.91, 0.02, "another passage names what it speaks of")
"""What is made of a claim beside such a passage, which is not read. Of the documents in RAGBench's train and
validation rows that speak of others than a response sentence does, it rests on 4 %; of all the rest on 39 %:
in log odds 2.8 more (training/check_names.py). Read, with log odds less by 2 for what the model does not see
by itself, none of 911 such pairs was entailed or contradicted, and these are the mean shares (`--ask 60`).
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


def of_others(question: CheckClaims) -> list[list[bool]]:
    """For each claim, which of the evidence texts are passages that speak of others."""
    first = max(0, len(question.evidence) - question.passages)
    passages = question.evidence[first:]
    return [[False] * first + speaks_of_others(claim, passages) for claim in question.claims]
