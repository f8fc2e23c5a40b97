"""Counts tokens and money, and refuses a request before it is sent if it could pass the spending cap."""

from __future__ import annotations

import asyncio

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import ChatError, CostExceeded
from adjudge.chat.prices import Price
from adjudge.chat.totals import Totals


class Cost:
    """Below the retries, since a useless answer is billed too. `totals.cost` is what was really spent."""

    def __init__(
        self,
        inner: Backend,
        *,
        price: Price | None,
        name: str,
        totals: Totals,
        max_cost: float | None = None,
        kept: bool = True,
    ) -> None:
        """`kept`: whether answers go to the cache, which the message about the cap tells."""
        if max_cost is not None and price is None:
            raise CostExceeded(
                f"the price of {name} is not known, so a spending cap cannot be kept; give it in a TOML file "
                f'([models."{name}"] input = … output = …, dollars per million tokens) named by '
                "ADJUDGE_PRICES, or run without the cap"
            )
        self._inner = inner
        self._price = price
        self._name = name
        self._totals = totals
        self._max_cost = max_cost
        self._kept = kept
        self._held = 0.0
        """Estimates of what is under way."""
        self._waiting: list[asyncio.Future[None]] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply, accounted for."""
        held = await self._hold(request) if self._max_cost is not None else 0.0
        self._totals.sent += 1
        used = (0, 0)
        try:
            reply = await self._inner.complete(request)
            used = (reply.prompt_tokens, reply.completion_tokens)
            return reply
        except ChatError as error:
            used = error.usage
            raise
        finally:
            self._spend(*used)
            if held:
                self._release(held)

    async def _hold(self, request: ChatRequest) -> float:
        """Sets the estimate aside; waits while only requests under way stand between it and the cap."""
        assert self._price is not None
        assert self._max_cost is not None
        estimate = self._price.cost(request.prompt_size(), request.completion_size())
        while self._totals.cost + self._held + estimate > self._max_cost:
            if self._totals.cost + estimate > self._max_cost or not self._held:
                so_far = " (answers so far are in the cache)" if self._kept else ""
                raise CostExceeded(
                    f"{self._name}: {self._totals.cost:.4f} dollars are spent and the next request may cost "
                    f"{estimate:.4f}, which would pass the cap of {self._max_cost:g}; raise the cap to go on"
                    f"{so_far}"
                )
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            await freed
        self._held += estimate
        return estimate

    def _release(self, held: float) -> None:
        self._held = max(0.0, self._held - held)
        waiting, self._waiting = self._waiting, []
        for freed in waiting:
            if not freed.done():
                freed.set_result(None)

    def _spend(self, prompt_tokens: int, completion_tokens: int) -> None:
        self._totals.prompt_tokens += prompt_tokens
        self._totals.completion_tokens += completion_tokens
        if self._price is None:
            self._totals.unpriced += 1
        else:
            self._totals.cost += self._price.cost(prompt_tokens, completion_tokens)
