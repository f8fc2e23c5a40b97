"""An Inspect model that judges: our questions go through Inspect's own client, limits, retries and usage."""

from __future__ import annotations

import time
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError

from adjudge.chat.adapt import Adapt
from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import ParameterRefused
from adjudge.chat.inspect import InspectBackend, _explain, _read
from adjudge.judges.llm.judge import LlmJudge

_THEIRS = ("temperature", "max_tokens", "seed")
"""Settings that the user may have given the grader; ours are defaults."""
_REFUSALS = 3


class GraderBackend(InspectBackend):
    """A model that Inspect made and will close; nothing is retried here."""

    def __init__(self, model: Model) -> None:
        super().__init__(str(model))
        self._grader = model

    async def complete(self, request: ChatRequest) -> ChatReply:
        started = time.perf_counter()
        try:
            output = await self._grader.generate(self._messages(request), config=self._config(request))
        except LimitExceededError:
            raise  # ends the sample, as everywhere in Inspect
        except Exception as error:
            raise _explain(error, self._name) from None
        return _read(output, request, time.perf_counter() - started)

    def _config(self, request: ChatRequest) -> Any:
        ours = super()._config(request)
        dropped: dict[str, Any] = {"max_retries": None, "max_connections": None}
        dropped |= {name: None for name in _THEIRS if getattr(self._grader.config, name) is not None}
        return ours.model_copy(update=dropped)


class _Again:
    """Asks again without a parameter that the model refused; `Adapt` has learnt which."""

    def __init__(self, inner: Backend, where: str) -> None:
        self._inner = inner
        self.where = where

    async def complete(self, request: ChatRequest) -> ChatReply:
        for _ in range(_REFUSALS):
            try:
                return await self._inner.complete(request)
            except ParameterRefused:
                continue
        return await self._inner.complete(request)


def grader_judge(model: Model) -> LlmJudge:
    """A judge that asks this model."""
    backend = GraderBackend(model)
    return LlmJudge(_Again(Adapt(backend), backend.where), model=model.name, name=f"inspect/{model}")
