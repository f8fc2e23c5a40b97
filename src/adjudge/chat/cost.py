"""Counts tokens and money, and refuses a request before it is sent if it could pass the spending cap."""

from __future__ import annotations

import asyncio
from pathlib import Path

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.calls import read_calls
from adjudge.chat.errors import ChatError, CostExceeded
from adjudge.chat.prices import Price
from adjudge.chat.totals import Totals


class Account:
    """What is spent under one cap, by one model or by all that a run asks."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.held = 0.0
        """Estimates of what is under way."""
        self.waiting: list[asyncio.Future[None]] = []
        self._begun = False

    def begin(self, calls: str | Path | None) -> None:
        """Take over, once, what a run that goes on has spent before, as its list of calls tells."""
        if self._begun or calls is None:
            return
        self._begun = True
        self.spent += sum(used.cost for used in read_calls(Path(calls)).values())


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
        account: Account | None = None,
        kept: bool = True,
    ) -> None:
        """`account`: what counts towards the cap. `kept`: whether answers go to the cache, which the message
        about the cap tells.
        """
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
        self._account = account or Account()
        self._kept = kept

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
        account, estimate = self._account, self._price.cost(request.prompt_size(), request.completion_size())
        while account.spent + account.held + estimate > self._max_cost:
            if account.spent + estimate > self._max_cost or not account.held:
                so_far = " (answers so far are in the cache)" if self._kept else ""
                raise CostExceeded(
                    f"{self._name}: {account.spent:.4f} dollars are spent and the next request may cost "
                    f"{estimate:.4f}, which would pass the cap of {self._max_cost:g}; raise the cap to go on"
                    f"{so_far}"
                )
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            account.waiting.append(freed)
            await freed
        account.held += estimate
        return estimate

    def _release(self, held: float) -> None:
        self._account.held = max(0.0, self._account.held - held)
        waiting, self._account.waiting = self._account.waiting, []
        for freed in waiting:
            if not freed.done():
                freed.set_result(None)

    def _spend(self, prompt_tokens: int, completion_tokens: int) -> None:
        self._totals.prompt_tokens += prompt_tokens
        self._totals.completion_tokens += completion_tokens
        if self._price is None:
            self._totals.unpriced += 1
        else:
            cost = self._price.cost(prompt_tokens, completion_tokens)
            self._totals.cost += cost
            self._account.spent += cost
