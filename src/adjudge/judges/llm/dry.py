"""What a run would take: a backend that sends nothing and answers with guesses."""

from __future__ import annotations

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.plan import Plan


class Dry:
    """Counts calls and tokens in `plan`; equal requests count once, as the cache would have it."""

    where = "dry"

    def __init__(self) -> None:
        self.plan = Plan()
        self._guesses: dict[str, str] = {}

    def suppose(self, request: ChatRequest, answer: str) -> None:
        """Says what the answer to a request may look like; `LlmJudge` does so before it asks."""
        self._guesses[request.key(self.where)] = answer

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The guess."""
        answer = self._guesses.pop(request.key(self.where), "{}")
        size = len(answer.encode("utf-8", "replace")) // 4 + 1
        self.plan.add(request, size)
        return ChatReply(answer, request.prompt_size(), size, model=request.model, estimated=True)
