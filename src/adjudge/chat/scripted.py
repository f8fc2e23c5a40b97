"""Answers from a function or a table, for tests."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.errors import NotRecorded

Answer = str | ChatReply
Script = Callable[[ChatRequest], Answer | Awaitable[Answer]] | Mapping[str, Answer]


class Scripted:
    """A function of the request, or a table by the last message's text or by the request's key."""

    def __init__(self, script: Script, *, where: str = "scripted") -> None:
        self._script = script
        self.where = where
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The scripted answer; plain text gets estimated usage."""
        self.asked.append(request)
        answer: Answer | Awaitable[Answer]
        if isinstance(self._script, Mapping):
            last = request.messages[-1].content if request.messages else ""
            found = self._script.get(last)
            if found is None:
                found = self._script.get(request.key(self.where))
            if found is None:
                raise NotRecorded(f"the script has no answer to the message beginning {last[:60]!r}")
            answer = found
        else:
            answer = self._script(request)
        said = await answer if inspect.isawaitable(answer) else answer
        if isinstance(said, ChatReply):
            return said
        return ChatReply(said, request.prompt_size(), len(said) // 4 + 1, model=request.model, estimated=True)
