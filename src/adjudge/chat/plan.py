"""What a run would take, told before anything is sent."""

from __future__ import annotations

from msgspec import Struct

from adjudge.chat.base import ChatRequest
from adjudge.chat.pace import shortest_seconds
from adjudge.chat.prices import Price


class Plan(Struct):
    """Requests that would be sent, summed up. Equal ones count once."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    keys: set[str] = set()

    def add(self, request: ChatRequest, completion_tokens: int | None = None) -> None:
        """Counts a request; its answer is taken to have that many tokens, else as many as allowed."""
        key = request.key()
        if key in self.keys:
            return
        self.keys.add(key)
        self.calls += 1
        self.prompt_tokens += request.prompt_size()
        expected = request.completion_size() if completion_tokens is None else completion_tokens
        self.completion_tokens += expected

    def cost(self, price: Price | None) -> float | None:
        """US dollars, or None if the price is not known."""
        return price.cost(self.prompt_tokens, self.completion_tokens) if price is not None else None

    def seconds(self, *, rpm: float | None = None, tpm: float | None = None) -> float:
        """The shortest time that the limits allow."""
        return shortest_seconds(self.calls, self.prompt_tokens + self.completion_tokens, rpm=rpm, tpm=tpm)
