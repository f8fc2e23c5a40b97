"""Something that several runs use at the same time: the first opens it, the last closes it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from adjudge.errors import UsageError


class Shared:
    """Counts who is inside. All are in one event loop; the next may be in another once nobody is left."""

    def __init__(self, what: str, opening: Callable[[], AbstractAsyncContextManager[object]]) -> None:
        """`what` it is, for the message to a second event loop; `opening` makes what is entered and left."""
        self._what = what
        self._opening = opening
        self._users = 0
        self._arriving = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._exit: AsyncExitStack | None = None

    async def enter(self) -> None:
        """Open it, unless it is open."""
        self._arrive(asyncio.get_running_loop())
        try:
            async with self._turn:
                if self._exit is None:
                    async with AsyncExitStack() as opened:
                        await opened.enter_async_context(self._opening())
                        self._exit = opened.pop_all()
        except BaseException:
            await self.leave()
            raise

    async def leave(self) -> None:
        """Close it, unless somebody else is inside or waits to be."""
        try:
            async with self._turn:
                if self._users == 1 and self._exit is not None:
                    closing, self._exit = self._exit, None
                    await closing.aclose()
        finally:
            self._users -= 1  # last, so that no other loop opens what this one still closes

    def _arrive(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._arriving:
            if loop is not self._loop:
                if self._users and self._loop is not None and not self._loop.is_closed():
                    raise UsageError(
                        f"{self._what} is in use in another event loop; make one for each event loop"
                    )
                self._users, self._loop, self._turn, self._exit = 0, loop, asyncio.Lock(), None
            self._users += 1
