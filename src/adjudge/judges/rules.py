"""The judge without a model: string rules of the published documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from adjudge.errors import JudgeError
from adjudge.judges.base import Question, Reply, Similarity

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def word_jaccard(first: str, second: str) -> float:
    """Shared words over all words, case folded; two texts without words are alike only if equal."""
    a, b = _words(first), _words(second)
    union = len(a | b)
    return len(a & b) / union if union else float(first == second)


class RulesJudge:
    """Answers `Similarity` by word overlap; everything else needs a model."""

    name = "rules"
    answers: frozenset[type[Question]] = frozenset({Similarity})
    immediate = True

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        replies = []
        for question in questions:
            if not isinstance(question, Similarity):
                raise JudgeError(
                    f"judge 'rules' cannot answer {type(question).__name__}; choose one that can with --judge"
                )
            a, b = _words(question.first), _words(question.second)
            why = f"{len(a & b)} of {len(a | b)} words shared"
            replies.append(Reply(word_jaccard(question.first, question.second), why))
        return replies
