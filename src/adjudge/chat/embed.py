"""Embeddings through the same stack: known texts come from the cache, the rest goes out in batches."""

from __future__ import annotations

import asyncio
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Protocol

from adjudge.chat.base import Backend, ChatReply, ChatRequest, Message


class Store(Protocol):
    """Where single answers are kept; `cache.Cache` is one."""

    async def get(self, key: str) -> ChatReply | None: ...

    async def put(self, key: str, reply: ChatReply) -> None: ...


def pack(vector: Sequence[float]) -> str:
    """Base 64 of 32-bit floats: what servers compute in, at a quarter of the size of digits."""
    return b64encode(array("f", vector).tobytes()).decode("ascii")


def unpack(text: str) -> list[float]:
    """The vector that `pack` wrote."""
    vector = array("f")
    vector.frombytes(b64decode(text))
    return vector.tolist()


class Embedder:
    """Vectors of texts. Goes below the cache of whole requests, since it caches text by text itself."""

    def __init__(
        self, inner: Backend, store: Store | None, *, model: str, where: str, batch: int = 128
    ) -> None:
        self._inner = inner
        self._store = store
        self._model = model
        self._where = where
        self._batch = batch

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order. Equal texts are asked once."""
        keys = {text: self._request((text,)).key(self._where) for text in texts}
        known: dict[str, ChatReply] = {}
        if self._store is not None:
            store = self._store
            replies = await asyncio.gather(*(store.get(key) for key in keys.values()))
            known = {text: reply for text, reply in zip(keys, replies, strict=True) if reply is not None}
        missing = [text for text in keys if text not in known]
        parts = [tuple(missing[i : i + self._batch]) for i in range(0, len(missing), self._batch)]
        for found in await asyncio.gather(*(self._ask(part, keys) for part in parts)):
            known.update(found)
        return [unpack(known[text].text) for text in texts]

    async def _ask(self, texts: tuple[str, ...], keys: dict[str, str]) -> dict[str, ChatReply]:
        reply = await self._inner.complete(self._request(texts))
        vectors = reply.text.split(" ")
        share = reply.prompt_tokens // len(texts)
        found = {
            text: ChatReply(packed, share, 0, model=reply.model, seconds=reply.seconds)
            for text, packed in zip(texts, vectors, strict=True)
        }
        if self._store is not None:
            store = self._store
            await asyncio.gather(*(store.put(keys[text], one) for text, one in found.items()))
        return found

    def _request(self, texts: tuple[str, ...]) -> ChatRequest:
        messages = tuple(Message("text", text) for text in texts)
        return ChatRequest(model=self._model, messages=messages, task="embed")
