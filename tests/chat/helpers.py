"""Small things that the tests of model access share."""

from __future__ import annotations

import asyncio
from typing import Any

from adjudge.chat import ChatRequest, Message


def ask(text: str = "how tall is the mast?", **more: Any) -> ChatRequest:
    """A short request."""
    return ChatRequest(model=more.pop("model", "m"), messages=(Message("user", text),), **more)


class FakeClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
