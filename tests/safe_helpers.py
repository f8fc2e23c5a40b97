"""A judge and a library that answer from scripts, to label facts without a model or a network."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from adjudge.evidence import registry
from adjudge.evidence.base import Passage
from adjudge.judges.base import (
    CheckClaims,
    ExtractFacts,
    IsRelevant,
    MakeSelfContained,
    NextQuery,
    Question,
    RateFact,
    Reply,
    SplitSentence,
)
from adjudge.protocols.safe import Safe
from adjudge.types import Labelled, Sample

ALL: frozenset[type[Question]] = frozenset(
    {ExtractFacts, CheckClaims, NextQuery, RateFact, SplitSentence, MakeSelfContained, IsRelevant}
)


class Scripted:
    """Answers each kind of question with a function; counts questions and rounds."""

    name = "scripted"
    answers = ALL
    immediate = False

    def __init__(self, **script: Callable[[Any], Any]) -> None:
        self.script = script
        self.asked: list[Question] = []
        self.rounds: list[list[str]] = []

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        self.rounds.append(sorted({type(q).__name__ for q in questions}))
        self.asked += questions
        await asyncio.sleep(0)
        found = [self.script[type(q).__name__](q) for q in questions]
        return [x if isinstance(x, Reply) else Reply(x) for x in found]

    def kinds(self) -> Counter[str]:
        return Counter(type(question).__name__ for question in self.asked)


class Library:
    """Evidence that answers from a function and remembers the queries."""

    name = "library:test"
    nothing = "nothing there"

    def __init__(self, find: Callable[[str], list[str]]) -> None:
        self.find = find
        self.queries: list[str] = []
        self.opened = self.closed = 0

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    async def search(self, query: str, limit: int) -> list[Passage]:
        self.queries.append(query)
        return [Passage(text, None, "shelf") for text in self.find(query)[:limit]]


def install_library(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Reached as `evidence="library"`, through the entry point that other packages use."""
    made = Library(lambda query: [f"RESULT({query})"])

    def plugin(group: str, name: str) -> Any:
        return (lambda rest: made) if (group, name) == ("adjudge.evidence", "library") else None

    monkeypatch.setattr(registry, "plugin", plugin)
    return made


def label(safe: Safe, sample: Sample, judge: Scripted) -> Labelled:
    safe.require(sample)
    return asyncio.run(safe.label(sample, judge))


def values(labelled: Labelled, name: str) -> dict[str, Any]:
    return {x.unit: x.value for x in labelled.labels if x.name == name}


def counts(safe: Safe, labelled: Labelled) -> dict[str, float | None]:
    found = {score.metric: score.value for score in safe.score(labelled)}
    return {name: found[f"safe.{name}"] for name in ("claims", "supported", "irrelevant", "not_supported")}


FAILED = Reply(None, reason="unreadable", raw=("gibberish",))


def rate_by(word: str) -> Callable[[RateFact], str]:
    return lambda q: "entailed" if any(word in text for text in q.knowledge) else "neutral"
