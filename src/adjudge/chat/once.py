"""Equal requests in flight are one request."""

from __future__ import annotations

import asyncio

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.totals import Totals


class _Flight:
    """A request under way, and how many wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[ChatReply]) -> None:
        self.task = task
        self.waiting = 0


class Once:
    """Outermost wrapper. A cancelled waiter leaves the others alone; the last one takes the call along."""

    def __init__(self, inner: Backend, *, where: str, totals: Totals | None = None) -> None:
        self._inner = inner
        self._where = where
        self._totals = totals or Totals()
        self._flights: dict[str, _Flight] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply, shared by everyone who asks the same while it is under way."""
        key = request.key(self._where)
        flight = self._flights.get(key)
        if flight is None:
            flight = _Flight(asyncio.ensure_future(self._inner.complete(request)))
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        else:
            self._totals.shared += 1
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # Nobody may join a flight that is being called off.
                self._landed(key, flight.task)
                flight.task.cancel()

    def _landed(self, key: str, task: asyncio.Task[ChatReply]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]

    async def close(self) -> None:
        """Calls off what is still under way."""
        tasks = [flight.task for flight in self._flights.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
