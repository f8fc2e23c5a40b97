"""A time limit on each attempt, so that nothing hangs."""

from __future__ import annotations

import asyncio

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import TimedOut


class Deadline:
    """Innermost wrapper: the clock runs only while the request is really under way."""

    def __init__(self, inner: Backend, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The backend's reply, or `TimedOut`."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._inner.complete(request)
        except TimeoutError:
            raise TimedOut(f"no answer within {self._seconds:g} s") from None
