"""Leaves out what a model has refused before: structured output, a temperature, a seed, `max_tokens`."""

from __future__ import annotations

from msgspec.structs import replace

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import BadRequest, ParameterRefused


class Adapt:
    """Learns from each refusal, model by model, and lets it through: `retries` then repeats at once.

    So a refusal counts as an attempt like any other, and no request is sent more often than allowed. It sits
    next to the backend, so that requests waiting for their turn profit from what was learnt meanwhile.
    """

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self._refused: dict[str, set[str]] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply to the request as this model likes it."""
        sent = _without(request, self._refused.get(request.model, frozenset()))
        try:
            return await self._inner.complete(sent)
        except ParameterRefused as error:
            if getattr(sent, error.parameter) is None:
                # It was not sent, so leaving it out cannot be the remedy.
                raise BadRequest(str(error)) from None
            self._refused.setdefault(request.model, set()).add(error.parameter)
            raise


def _without(request: ChatRequest, refused: set[str] | frozenset[str]) -> ChatRequest:
    for name in sorted(refused):
        if name == "max_tokens" and request.max_tokens is not None:
            # Reasoning models take the limit under another name.
            extra = {"max_completion_tokens": request.max_tokens, **(request.extra or {})}
            request = replace(request, max_tokens=None, extra=extra)
        else:
            request = replace(request, **{name: None})
    return request
