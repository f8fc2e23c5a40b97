"""A target as benchmarks ask it: so many questions at a time, and a digest of what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import blake2b
from types import TracebackType
from typing import Any, Self

import msgspec

from adjudge.generate.targets import Target

TARGET_CONCURRENCY = 8
"""Questions in work at once; a user's own system bears less than a model's provider."""


class Turns:
    """Lets so many questions through at once. Waiting for a turn takes nothing off a question's time."""

    def __init__(self, target: Target, concurrency: int) -> None:
        self.address = target.name
        self._target = target
        self._turns = asyncio.Semaphore(concurrency)

    async def ask(self, question: str, contexts: Sequence[str] | None = None) -> dict[str, Any]:
        async with self._turns:
            return await self._target.ask(question, contexts)

    async def __aenter__(self) -> Self:
        await self._target.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._target.__aexit__(kind, error, trace)


def request_of(address: str, question: str, contexts: Sequence[str] | None = None) -> str:
    """Digest of all that a target's answer depends on, as far as can be known."""
    content = (address, question) if contexts is None else (address, question, tuple(contexts))
    return blake2b(msgspec.json.encode(content), digest_size=20).hexdigest()
