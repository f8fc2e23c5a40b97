"""Asks again when that makes sense, waits as told or with growing random pauses, and gives up in time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import (
    BadReply,
    ChatError,
    ContextTooLong,
    GaveUp,
    NotRecorded,
    ParameterRefused,
    RateLimited,
    ServerFault,
    WrongAddress,
)
from adjudge.chat.totals import Totals


class Retries:
    """At most `attempts` a request. Ends in a reply, `GaveUp`, `ContextTooLong` or a fatal error."""

    def __init__(
        self,
        inner: Backend,
        *,
        attempts: int = 6,
        first_pause: float = 0.5,
        longest_pause: float = 30.0,
        max_retry_after: float = 120.0,
        patience: float = 1.5,
        totals: Totals | None = None,
        rng: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if attempts < 1:
            raise ValueError("attempts must be at least 1")
        self._inner = inner
        self._attempts = attempts
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._max_retry_after = max_retry_after
        self._patience = min(patience, 2.0)
        """Seconds for which a refused connection may be a server that is still starting."""
        self._totals = totals or Totals()
        self._rng = rng or random.Random()
        self._clock = clock
        self._sleep = sleep
        self._answered = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply, with the number of attempts it took."""
        started, attempt, wasted = self._clock(), 0, (0, 0)
        while True:
            attempt += 1
            try:
                reply = await self._inner.complete(request)
            except ChatError as error:
                wasted = (wasted[0] + error.usage[0], wasted[1] + error.usage[1])
                pause = self._pause(error, attempt, self._clock() - started)
                if pause is None:
                    if error.fatal or isinstance(error, ContextTooLong | NotRecorded):
                        raise
                    if not self._answered and isinstance(error, BadReply) and error.page:
                        raise WrongAddress(
                            "the server answers with a web page, not as OpenAI's API does; the base URL "
                            "should end before /chat/completions, as in http://host/v1"
                        ) from None
                    raise GaveUp(attempt, self._told(error), wasted=wasted) from None
                self._totals.waited += pause
                await self._sleep(pause)
                continue
            self._answered = True
            return replace(reply, attempts=attempt, wasted=wasted) if attempt > 1 else reply

    def _told(self, error: ChatError) -> ChatError:
        """The error, with the reason why it was not tried again where the server asked for a long wait."""
        wait = error.retry_after if isinstance(error, RateLimited | ServerFault) else None
        if wait is None or wait <= self._max_retry_after:
            return error
        return type(error)(
            f"{error}; it asks to wait {wait:.0f} s, more than the {self._max_retry_after:g} s allowed"
        )

    def _pause(self, error: ChatError, attempt: int, elapsed: float) -> float | None:
        """Seconds before the next attempt, or None if there is to be none."""
        if attempt >= self._attempts:
            return None
        if isinstance(error, WrongAddress) and error.refused:
            return 0.25 if elapsed + 0.25 <= self._patience else None
        if error.fatal or not error.repeat:
            return None
        if isinstance(error, ParameterRefused):
            return 0.0
        limit = min(self._longest_pause, self._first_pause * 2.0 ** (attempt - 1))
        jitter = self._rng.uniform(0.0, limit)
        told = error.retry_after if isinstance(error, RateLimited | ServerFault) else None
        if told is None:
            return jitter
        # Never before the time told, and not all at that very moment.
        return told + min(jitter, 0.1 * told + 0.1) if told <= self._max_retry_after else None
