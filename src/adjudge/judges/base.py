"""The questions a judge can be asked, and what every judge is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from adjudge.types import Value


class Question(Struct, frozen=True):
    """Base of all questions; equal questions are equal values, so they can be asked once."""


class Similarity(Question, frozen=True):
    """How alike are two short texts, in meaning, from -1 or 0 to 1?"""

    first: str
    second: str


class IsRefusal(Question, frozen=True):
    """Does the response say that the documents do not answer the question?"""

    question: str
    response: str


class PointsOutError(Question, frozen=True):
    """Does the response point out a factual error in the documents?"""

    response: str


class Reply(Struct, frozen=True):
    """A judge's answer to one question; without a value it says why."""

    value: Value = None
    why: str | None = None
    reason: str | None = None
    probabilities: dict[str, float] | None = None


class Judge(Protocol):
    """Anything that answers questions. `answers` is what it can be asked."""

    @property
    def name(self) -> str: ...

    @property
    def answers(self) -> frozenset[type[Question]]: ...

    @property
    def immediate(self) -> bool:
        """True if `ask` never waits, so that samples need no tasks of their own."""
        ...

    async def ask(self, questions: Sequence[Question]) -> list[Reply]: ...
