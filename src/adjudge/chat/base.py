"""What is sent to a model, what comes back, and the one method that every backend and every wrapper has."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

Task = Literal["chat", "embed"]

ASSUMED_COMPLETION = 1024
"""Tokens of an answer that is not bounded by `max_tokens`, for estimates."""

_encoder = msgspec.json.Encoder(order="sorted")


class Message(Struct, frozen=True):
    """One turn of a conversation."""

    role: str
    content: str


class ChatRequest(Struct, frozen=True, kw_only=True, dict=True):
    """One question to a model. Equal requests have equal keys, whatever the order of keys inside."""

    model: str
    messages: tuple[Message, ...]
    temperature: float | None = 0.0
    max_tokens: int | None = None
    schema: dict[str, Any] | None = None
    """JSON schema that the answer must follow, where the server can see to that."""
    schema_name: str = "reply"
    seed: int | None = None
    extra: dict[str, Any] | None = None
    """More fields of the request body, as the server knows them."""
    again: int = 0
    """How often this was asked before. Never sent, but part of the key, so that the cache is passed by."""
    task: Task = "chat"
    """`embed`: each message is a text to embed; the reply's text holds the packed vectors (see `embed`)."""

    def key(self, where: str = "") -> str:
        """Digest of the content and of where it is sent to; no API key has any part in it."""
        known: tuple[str, str] | None = self.__dict__.get("_key")
        if known is None or known[0] != where:
            known = self.__dict__["_key"] = (where, self._digest(where))
        return known[1]

    def _digest(self, where: str) -> str:
        try:
            content = _encoder.encode((where, self))
        except UnicodeEncodeError:  # lone surrogates of odd input
            content = json.dumps((where, msgspec.to_builtins(self)), sort_keys=True).encode()
        return blake2b(content, digest_size=20).hexdigest()

    def prompt_size(self) -> int:
        """Estimated prompt tokens: a quarter of the UTF-8 bytes, which is chars / 4 for English."""
        size = sum(len(message.content.encode("utf-8", "surrogatepass")) for message in self.messages)
        return size // 4 + 4 * len(self.messages)

    def completion_size(self) -> int:
        """Most tokens that the answer is expected to have."""
        if self.task == "embed":
            return 0
        return self.max_tokens if self.max_tokens is not None else ASSUMED_COMPLETION


class ChatReply(Struct, frozen=True):
    """A model's answer, with what it took."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = "stop"
    model: str = ""
    """As the server names it."""
    cached: bool = False
    seconds: float = 0.0
    attempts: int = 1
    estimated: bool = False
    """True if the server did not tell the tokens, so that they are estimates."""
    wasted: tuple[int, int] = (0, 0)
    """Prompt and completion tokens of earlier attempts that were billed but useless."""


class Backend(Protocol):
    """Anything that answers chat requests: a provider, or a wrapper around one."""

    async def complete(self, request: ChatRequest) -> ChatReply: ...
