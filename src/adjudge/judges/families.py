"""Similarity of names in families, as taxonomies of errors have them: `Fluency/Punctuation`."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.errors import JudgeError
from adjudge.judges.base import Question, Reply, Similarity


def family(name: str) -> str:
    """What stands before the slash."""
    return name.partition("/")[0]


def likeness(first: str, second: str) -> tuple[float, str]:
    """1 for equal names, .5 in one family, else 0; and why."""
    if first == second:
        return 1.0, "same name"
    if family(first) == family(second):
        return 0.5, "same family"
    return 0.0, "different families"


class FamilyJudge:
    """Answers `Similarity` from the names alone; everything else needs another judge."""

    name = "families"
    answers: frozenset[type[Question]] = frozenset({Similarity})
    immediate = True

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        replies = []
        for question in questions:
            if not isinstance(question, Similarity):
                raise JudgeError(f"'families' only tells similarity, not {type(question).__name__}")
            replies.append(Reply(*likeness(question.first, question.second)))
        return replies
