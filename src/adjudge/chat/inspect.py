"""Every provider that inspect-ai has (Anthropic, Google, Bedrock, Mistral, local models): an extra."""

from __future__ import annotations

import re
import time
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.errors import BadReply, BadRequest, ChatError, ServerFault, TimedOut, WrongKey
from adjudge.chat.faults import fault, retry_after
from adjudge.chat.keys import scrub
from adjudge.errors import JudgeError

_STOPS = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
_MARKUP = re.compile(r"\[/?[a-z ]+\]")


class InspectBackend:
    """`PROVIDER/MODEL` through inspect-ai, whose own retries are off: ours do that."""

    def __init__(
        self, model: str, *, base_url: str | None = None, concurrency: int = 16, **arguments: Any
    ) -> None:
        try:
            self._library = import_module("inspect_ai.model")
        except ImportError as error:
            missing = getattr(error, "name", None) or "inspect_ai"
            raise JudgeError(
                f"inspect/{model} needs inspect-ai (missing: {missing}); pip install inspect-ai"
            ) from None
        self._name = model
        self._base_url = base_url
        self._concurrency = concurrency
        self._arguments = arguments
        self._model: Any = None

    def __repr__(self) -> str:
        return f"InspectBackend({self._name!r})"

    @property
    def where(self) -> str:
        """Provider and model; the provider knows its own address."""
        return f"inspect/{self._name}"

    async def __aenter__(self) -> Self:
        try:
            # Not memoised: a client made here belongs to this event loop.
            self._model = self._library.get_model(
                self._name, base_url=self._base_url, memoize=False, **self._arguments
            )
        except Exception as error:
            raise _explain(error, self._name) from None
        await self._model.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        model, self._model = self._model, None
        if model is not None:
            await model.__aexit__(kind, error, trace)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One attempt, no more."""
        if request.task != "chat":
            raise BadRequest("inspect-ai has no embeddings; use openai/EMBEDDING-MODEL")
        if self._model is None:
            raise RuntimeError("an InspectBackend is used inside `async with`")
        started = time.perf_counter()
        try:
            output = await self._model.generate(self._messages(request), config=self._config(request))
        except Exception as error:
            raise _explain(error, self._name) from None
        return _read(output, request, time.perf_counter() - started)

    def _messages(self, request: ChatRequest) -> list[Any]:
        kinds = {
            "system": self._library.ChatMessageSystem,
            "user": self._library.ChatMessageUser,
            "assistant": self._library.ChatMessageAssistant,
        }
        return [kinds[message.role](content=message.content) for message in request.messages]

    def _config(self, request: ChatRequest) -> Any:
        settings: dict[str, Any] = {
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed,
            "max_retries": 0,
            "max_connections": self._concurrency,
            "extra_body": request.extra,
        }
        if request.schema is not None:
            settings["response_schema"] = self._library.ResponseSchema(
                name=request.schema_name, json_schema=request.schema
            )
        given = {key: value for key, value in settings.items() if value is not None}
        return self._library.GenerateConfig(**given)


def _read(output: Any, request: ChatRequest, seconds: float) -> ChatReply:
    text, usage = scrub(output.completion or ""), output.usage
    used = (0, 0)
    if usage is not None:
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        used = (usage.input_tokens + cached, usage.output_tokens)
    if output.error:
        raise BadReply("refusal", scrub(str(output.error)), usage=used)
    if not output.choices:
        raise BadReply("choices", usage=used)
    if kind := _STOPS.get(output.stop_reason):
        raise BadReply(kind, text, usage=used)
    if not text.strip():
        raise BadReply("empty", usage=used)
    if usage is None:
        used = (request.prompt_size(), len(text.encode("utf-8", "replace")) // 4 + 1)
    return ChatReply(text, *used, "stop", output.model or "", False, seconds, estimated=usage is None)


def _explain(error: Exception, name: str) -> ChatError:
    """From whatever a provider's client raises; a status tells most of it."""
    attempt = getattr(error, "last_attempt", None)  # inspect's retrying wraps the cause even with no retries
    cause = attempt.exception() if attempt is not None else error
    status = getattr(cause, "status_code", None) or getattr(cause, "code", None)
    said = scrub(_MARKUP.sub("", " ".join(str(cause).split())))[:300]
    if isinstance(status, int) and status >= 300:
        headers = getattr(getattr(cause, "response", None), "headers", None) or {}
        found = fault(status, said.encode(), headers, model=name.rpartition("/")[2], address=name)
        if hasattr(found, "retry_after"):
            found.retry_after = retry_after(headers)
        return found
    if isinstance(cause, TimeoutError) or "timeout" in type(cause).__name__.lower():
        return TimedOut(f"{name} did not answer in time")
    if type(cause).__name__ == "PrerequisiteError":
        return WrongKey(f"{name} cannot be used: {said}")
    if isinstance(cause, ConnectionError) or "connection" in type(cause).__name__.lower():
        return ServerFault(f"the connection to {name} broke ({type(cause).__name__})")
    return BadRequest(f"{name}: {type(cause).__name__}: {said}")
