"""A thread with an event loop of its own for a user's async functions, so that one that blocks does no harm.

All calls share the loop, as in the user's own program: clients made once stay usable. A loop that one call
blocks past its time is left behind, and a new one serves what is asked from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Any

STUCK = 0.5
"""Seconds that a loop may take to show that it still runs."""
ENDING = 2.0
"""Seconds that calls under way have to end in."""


class Blocked(TimeoutError):
    """No answer in time, because some call blocks the loop that all of them share."""


class TargetLoop:
    """Runs awaitables elsewhere, each within a time."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, make: Callable[[], Awaitable[Any]], seconds: float) -> Any:
        """What the awaitable gives. TimeoutError after `seconds`; Blocked where the loop stood still."""
        loop = self._running()
        future = asyncio.run_coroutine_threadsafe(_await(make), loop)
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await asyncio.wrap_future(future)
        except TimeoutError:
            if limit.expired() and await self._is_stuck(loop):
                raise Blocked from None
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_serve, args=(self._loop,), name="adjudge-target", daemon=True).start()
        return self._loop

    async def _is_stuck(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether a loop does not come round; such a one is asked no more."""
        try:
            sign = asyncio.run_coroutine_threadsafe(_await(_nothing), loop)
            async with asyncio.timeout(STUCK):
                await asyncio.wrap_future(sign)
        except TimeoutError:
            if self._loop is loop:
                self._loop = None
                asyncio.run_coroutine_threadsafe(_end(), loop)  # whenever it comes round
            return True
        return False

    async def close(self) -> None:
        """Cancel what still runs. A loop that does not come round is left to the end of the process."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        ending = asyncio.run_coroutine_threadsafe(_end(), loop)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                await asyncio.shield(asyncio.wrap_future(ending))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _await(make: Callable[[], Awaitable[Any]]) -> Any:
    """Called inside the loop, since some functions make their awaitable only where one runs."""
    try:
        return await make()
    except (StopIteration, SystemExit, KeyboardInterrupt) as error:
        # StopIteration cannot go into a future, and what ends a process must not end the loop.
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


async def _nothing() -> None:
    """A call that shows that a loop runs."""


async def _end() -> None:
    """Cancel all that runs, then stop."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    asyncio.get_running_loop().stop()
