"""The questions a judge can be asked, and what every judge is.

The set is small and closed. Questions are values: equal questions are equal, so they can be asked once. Those
that a joint prompt answers together (all claims against all passages, all facts of a response) are one
question; a judge that goes step by step splits them itself.

    question                     reply.value                      asked by
    ExtractClaims                tuple[str, ...]                  ragchecker
    CheckClaims                  tuple[str, ...]: grid cells      ragchecker, safe
    LabelSentences               SentenceLabels                   trace
    ExtractFacts                 tuple[Fact, ...]                 safe
    NextQuery                    str                              safe, searching
    RateFact                     a verdict                        safe, searching
    Similarity                   float                            violations
    IsRefusal, PointsOutError    bool                             rgb

    step by step                 instead of
    RelevantSentences            LabelSentences                   tuple[str, ...]: keys
    SupportSentence              LabelSentences                   Support
    SplitSentence                ExtractFacts                     tuple[str, ...]
    MakeSelfContained            ExtractFacts                     str
    IsRelevant                   ExtractFacts                     bool
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from msgspec import Struct


class Question(Struct, frozen=True, tag=True):
    """Base of all questions."""


class ExtractClaims(Question, frozen=True):
    """Which claims does the text make? Each must stand on its own."""

    text: str
    question: str = ""


class CheckClaims(Question, frozen=True):
    """Does each evidence text entail or contradict each claim?

    The reply is one string a claim with one of `e c n -` an evidence text, as in `types.Grid`.
    """

    claims: tuple[str, ...]
    evidence: tuple[str, ...]
    question: str = ""
    passages: int = 0
    """How many of the evidence texts, the last ones, are passages of one collection."""


class LabelSentences(Question, frozen=True):
    """Which context sentences matter to the question, which were used, what supports each response sentence?

    Sentences are (key, text); keys as in `segment.keys`.
    """

    question: str
    contexts: tuple[tuple[str, str], ...]
    response: tuple[tuple[str, str], ...]


class Support(Struct, frozen=True):
    """What a response sentence rests on."""

    key: str
    supported_by: tuple[str, ...] = ()
    support: str = "none"
    """`full`, `partial` or `none`."""
    why: str | None = None
    probability: float | None = None
    """Of full support, where the judge gives one."""


class SentenceLabels(Struct, frozen=True):
    """The reply to `LabelSentences`."""

    relevant: tuple[str, ...]
    used: tuple[str, ...]
    support: tuple[Support, ...]
    overall_supported: bool | None = None
    why_relevant: str | None = None
    why_supported: str | None = None
    probability: float | None = None
    """That the whole response is supported, where the judge gives one."""


class ExtractFacts(Question, frozen=True):
    """Which atomic facts does the response to a prompt state, sentence by sentence?

    Each is made self-contained, told relevant to the prompt or not, and marked where it repeats another.
    """

    prompt: str
    response: str
    sentences: tuple[str, ...]


class Fact(Struct, frozen=True):
    """One atomic fact of a response."""

    sentence: int
    """Position of its sentence."""
    text: str
    self_contained: str | None = None
    relevant: bool | None = None
    duplicate_of: int | None = None
    """Position of an earlier fact that says the same."""
    why: str | None = None


class NextQuery(Question, frozen=True):
    """What should be searched next to find out whether the fact holds?"""

    fact: str
    knowledge: tuple[str, ...] = ()


class RateFact(Question, frozen=True):
    """Does the knowledge found entail the fact, contradict it, or neither?"""

    fact: str
    knowledge: tuple[str, ...] = ()


class RelevantSentences(Question, frozen=True):
    """Which context sentences help to answer the question? The first half of `LabelSentences`."""

    question: str
    contexts: tuple[tuple[str, str], ...]


class SupportSentence(Question, frozen=True):
    """What supports one sentence of a response? The second half of `LabelSentences`, for one key."""

    contexts: tuple[tuple[str, str], ...]
    response: tuple[tuple[str, str], ...]
    key: str
    question: str = ""


class SplitSentence(Question, frozen=True):
    """Which atomic facts does one sentence of a response state?"""

    sentence: str
    response: str


class MakeSelfContained(Question, frozen=True):
    """The fact in words that can be understood without the response it comes from."""

    fact: str
    response: str


class IsRelevant(Question, frozen=True):
    """Does the fact bear on the prompt that the response answers?"""

    fact: str
    prompt: str
    response: str


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

    value: Any = None
    why: str | None = None
    reason: str | None = None
    probabilities: Any = None
    raw: tuple[str, ...] = ()
    """Raw answers of a model behind it, or references to them."""


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


def describe(judge: Judge) -> str:
    """The judge as signatures name it: its name, and what else decides its answers (prompts, weights)."""
    told = getattr(judge, "describe", None)
    return str(told()) if callable(told) else judge.name


def servers(judge: Judge) -> dict[str, str]:
    """Where each model behind a judge is asked, by name and without secrets; nothing where none is asked."""
    parts: Sequence[Judge] = getattr(judge, "parts", [judge])
    return {part.name: where for part in parts if (where := getattr(part, "where", ""))}


def gathered(judge: Judge) -> frozenset[type[Question]]:
    """Questions that an immediate judge answers faster for many samples at once; those in its `gathers`."""
    told: frozenset[type[Question]] = getattr(judge, "gathers", frozenset())
    return told if judge.immediate else frozenset()


@asynccontextmanager
async def opened(judge: Judge) -> AsyncIterator[Judge]:
    """The judge with what it holds (a connection pool, a cache) open, if it holds anything."""
    if isinstance(judge, AbstractAsyncContextManager):
        async with judge:
            yield judge
    else:
        yield judge
