"""Embeddings through the same stack: known texts come from the cache, the rest goes out in batches."""

from __future__ import annotations

import asyncio
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Protocol

from adjudge.chat.base import Backend, ChatReply, ChatRequest, Message
from adjudge.chat.cache import FIRST_LOOK, LAST_LOOK
from adjudge.chat.totals import Totals


class Store(Protocol):
    """Where single answers are kept; `cache.Cache` is one."""

    async def claim(self, key: str) -> ChatReply | bool: ...

    async def put(self, key: str, reply: ChatReply) -> None: ...

    def free(self, key: str) -> None: ...


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
        self,
        inner: Backend,
        store: Store | None,
        *,
        model: str,
        where: str,
        batch: int = 128,
        totals: Totals | None = None,
    ) -> None:
        self._inner = inner
        self._store = store
        self._model = model
        self._where = where
        self._batch = batch
        self._totals = totals or Totals()
        """Counts what comes from the store; `Calls` counts what is asked."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order. Equal texts are asked once."""
        keys = {text: self._request((text,)).key(self._where) for text in texts}
        known: dict[str, ChatReply] = {}
        wanted, pause = list(keys), FIRST_LOOK
        while wanted:
            found = await asyncio.gather(*(self._claim(keys[text]) for text in wanted))
            state = dict(zip(wanted, found, strict=True))
            stored = {text: reply for text, reply in state.items() if isinstance(reply, ChatReply)}
            self._totals.answered += len(stored)
            self._totals.cached += len(stored)
            known |= stored
            mine = [text for text, reply in state.items() if reply is True]
            parts = [tuple(mine[i : i + self._batch]) for i in range(0, len(mine), self._batch)]
            for answers in await asyncio.gather(*(self._ask(part, keys) for part in parts)):
                known |= answers
            wanted = [text for text in wanted if text not in known]
            if wanted and not mine:
                await asyncio.sleep(pause)
                pause = min(LAST_LOOK, 1.5 * pause)
        return [unpack(known[text].text) for text in texts]

    async def _claim(self, key: str) -> ChatReply | bool:
        return True if self._store is None else await self._store.claim(key)

    async def _ask(self, texts: tuple[str, ...], keys: dict[str, str]) -> dict[str, ChatReply]:
        store = self._store
        try:
            reply = await self._inner.complete(self._request(texts))
        except BaseException:
            if store is not None:
                for text in texts:
                    store.free(keys[text])
            raise
        vectors = reply.text.split(" ")
        share = reply.prompt_tokens // len(texts)
        found = {
            text: ChatReply(packed, share, 0, model=reply.model, seconds=reply.seconds)
            for text, packed in zip(texts, vectors, strict=True)
        }
        if store is not None:
            await asyncio.gather(*(store.put(keys[text], one) for text, one in found.items()))
        return found

    def _request(self, texts: tuple[str, ...]) -> ChatRequest:
        messages = tuple(Message("text", text) for text in texts)
        return ChatRequest(model=self._model, messages=messages, task="embed")
