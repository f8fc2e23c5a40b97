"""Requests per minute, tokens per minute and requests in flight, honoured before anything is sent."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import ChatError, RateLimited
from adjudge.chat.pace import Pace, Taken

log = logging.getLogger(__name__)


class Limits:
    """First come, first served. A server's `Retry-After` holds everyone back, not only who was told."""

    def __init__(
        self,
        inner: Backend,
        *,
        in_flight: int,
        rpm: float | None = None,
        tpm: float | None = None,
        max_pause: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner = inner
        self._slots = asyncio.Semaphore(in_flight)
        self._turn = asyncio.Lock()
        self._requests = Pace(rpm) if rpm is not None else None
        self._tokens = Pace(tpm) if tpm is not None else None
        self._clock = clock
        self._sleep = sleep
        self._max_pause = max_pause
        self._paused_until = float("-inf")
        self._scale = 1.0
        """Real over estimated tokens, as seen so far."""
        self._warned = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply, once it is this request's turn."""
        async with self._slots:
            estimate, taken = await self._wait_turn(request)
            try:
                reply = await self._inner.complete(request)
            except RateLimited as error:
                if error.retry_after is not None:
                    pause = min(error.retry_after, self._max_pause)
                    self._paused_until = max(self._paused_until, self._clock() + pause)
                raise
            except ChatError as error:
                self._settle(estimate, taken, sum(error.usage))
                raise
            self._settle(estimate, taken, reply.prompt_tokens + reply.completion_tokens)
            return reply

    async def _wait_turn(self, request: ChatRequest) -> tuple[float, Taken | None]:
        estimate = 0.0
        if self._tokens is not None:
            estimate = request.prompt_size() + request.completion_size()
            self._warn_if_slow(estimate)
        elif self._requests is None and self._clock() >= self._paused_until:
            return 0.0, None
        async with self._turn:  # an asyncio lock is fair, and waiting inside it keeps the order
            while (delay := self._delay(estimate)) > 0:
                await self._sleep(delay)
            now = self._clock()
            if self._requests is not None:
                self._requests.take(now, 1)
            if self._tokens is None:
                return 0.0, None
            return estimate, self._tokens.take(now, estimate * self._scale)

    def _warn_if_slow(self, estimate: float) -> None:
        """Says once that a request alone is over the limit, which otherwise looks like a hang."""
        if self._tokens is not None and estimate > self._tokens.per_minute and not self._warned:
            self._warned = True
            minutes = estimate / self._tokens.per_minute
            log.warning(
                "a request takes about %.0f tokens and the limit is %g a minute: they go %.0f minutes apart",
                estimate, self._tokens.per_minute, minutes,
            )  # fmt: skip

    def _delay(self, estimate: float) -> float:
        now = self._clock()
        delay = self._paused_until - now
        if self._requests is not None:
            delay = max(delay, self._requests.wait(now, 1))
        if self._tokens is not None:
            delay = max(delay, self._tokens.wait(now, estimate * self._scale))
        return delay

    def _settle(self, estimate: float, taken: Taken | None, used: int) -> None:
        """What was really used replaces the estimate, and makes the next ones better."""
        if self._tokens is None or taken is None or used <= 0:
            return
        self._tokens.correct(taken, used)
        if estimate > 0:
            self._scale += 0.1 * (min(4.0, max(0.05, used / estimate)) - self._scale)
