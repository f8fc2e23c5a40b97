"""Work under way that several may wait for: equal keys share one task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Flight(Generic[V]):
    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[V]) -> None:
        self.task = task
        self.waiting = 0


class Flights(Generic[K, V]):
    """A cancelled waiter leaves the others alone; the last one takes the work along."""

    def __init__(self) -> None:
        self._flights: dict[K, _Flight[V]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, key: K) -> bool:
        return key in self._flights

    async def join(self, key: K, start: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """What the work of that key gives; it is started unless it is under way."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.ensure_future(start()))
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # Nobody may join a flight that is being called off.
                self._landed(key, flight.task)
                flight.task.cancel()

    def _landed(self, key: K, task: asyncio.Task[V]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]

    async def close(self) -> None:
        """Call off what is still under way."""
        tasks = [flight.task for flight in self._flights.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
