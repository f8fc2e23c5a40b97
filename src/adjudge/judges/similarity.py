"""Similarity of short texts from embeddings: cosine of vectors that some encoder gives."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

from adjudge.errors import JudgeError
from adjudge.judges.base import Question, Reply, Similarity

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]


class EmbeddingJudge:
    """Answers `Similarity` with the cosine of two embeddings; equal texts are embedded once a batch."""

    answers: frozenset[type[Question]] = frozenset({Similarity})

    def __init__(
        self,
        name: str,
        embed: Embed,
        *,
        immediate: bool = False,
        resource: AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        self.name = name
        self.immediate = immediate
        self.where = str(getattr(resource, "where", ""))
        self._embed = embed
        self._resource = resource
        self.totals = getattr(resource, "totals", None)

    async def __aenter__(self) -> Self:
        if self._resource is not None:
            await self._resource.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._resource is not None:
            await self._resource.__aexit__(kind, error, trace)

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        pairs: list[Similarity] = []
        for question in questions:
            if not isinstance(question, Similarity):
                raise JudgeError(f"'{self.name}' only tells similarity, not {type(question).__name__}")
            pairs.append(question)
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
        try:
            vectors = dict(zip(texts, await self._embed(texts), strict=True)) if texts else {}
        except JudgeError as error:
            # Only what every other question would meet too (a wrong key, say) ends a run.
            if getattr(error, "fatal", True):
                raise
            return [Reply(reason=str(error)) for _ in pairs]
        return [_reply(vectors[pair.first], vectors[pair.second]) for pair in pairs]


def _reply(first: Sequence[float], second: Sequence[float]) -> Reply:
    value = cosine(first, second)
    if value is None:
        return Reply(reason="a text has no embedding (its vector is zero)")
    return Reply(value, f"cosine {value:.3f}")


def cosine(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cosine of two vectors, None if one is zero. Summed exactly, so it does not depend on the platform."""
    dot = math.fsum(a * b for a, b in zip(first, second, strict=True))
    norms = math.sqrt(math.fsum(a * a for a in first)) * math.sqrt(math.fsum(b * b for b in second))
    return None if norms == 0 else max(-1.0, min(1.0, dot / norms))
