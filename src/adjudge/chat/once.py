"""Equal requests in flight are one request."""

from __future__ import annotations

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.flights import Flights
from adjudge.chat.totals import Totals


class Once:
    """Outermost wrapper: the inner reply is shared by everyone who asks the same while it is under way."""

    def __init__(self, inner: Backend, *, where: str, totals: Totals | None = None) -> None:
        self._inner = inner
        self._where = where
        self._totals = totals or Totals()
        self._flights: Flights[str, ChatReply] = Flights()

    async def complete(self, request: ChatRequest) -> ChatReply:
        key = request.key(self._where)
        self._totals.shared += key in self._flights
        return await self._flights.join(key, lambda: self._inner.complete(request))

    async def close(self) -> None:
        """Calls off what is still under way."""
        await self._flights.close()
