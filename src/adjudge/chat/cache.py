"""Answers given once are not asked for again: in this run, in the next, or in one beside it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from adjudge.chat.answers import Answers, default_path
from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import BadReply, ChatError, ContextTooLong, GaveUp, NotRecorded
from adjudge.errors import JudgeError

Mode = Literal["on", "read_only", "off", "replay"]

FAILED = "-failed"
"""Ends the key of a stored failure."""

FIRST_LOOK, LAST_LOOK = 0.02, 0.25
"""Seconds between looks for an answer that another process is waiting for."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(ChatReply)


class _Failure(Struct):
    """A failure that the same request would meet again: the judge goes on from it, by splitting for one."""

    kind: str
    text: str
    attempts: int = 1

    @classmethod
    def of(cls, error: ChatError) -> _Failure | None:
        if isinstance(error, ContextTooLong):
            return cls("context", str(error))
        if isinstance(error, GaveUp) and isinstance(error.last, BadReply) and not error.last.repeat:
            return cls(error.last.kind, error.last.raw, error.attempts)
        return None

    def error(self) -> ChatError:
        if self.kind == "context":
            return ContextTooLong(self.text)
        return GaveUp(self.attempts, BadReply(self.kind, self.text))


_failures = msgspec.json.Decoder(_Failure)


class Cache:
    """Only good answers spare a request: everything below raises for the others.

    `read_only` adds nothing; `replay` reads and, where nothing is stored, fails without asking anyone.
    Lasting failures are kept for a replay alone, so that a server with a longer window gets another chance.
    """

    def __init__(
        self,
        inner: Backend,
        *,
        where: str,
        path: str | Path | None = None,
        mode: Mode = "on",
    ) -> None:
        self._inner = inner
        self._where = where
        self._path = Path(path) if path is not None else default_path()
        self._mode = mode
        self._answers: Answers | None = None

    async def open(self) -> Self:
        """Opens the file, unless the cache is off."""
        if self._mode == "replay" and not self._path.exists():
            raise JudgeError(
                f"there is no cache file {self._path} to replay; name the one that was recorded "
                "(--cache-path, cache_path or ADJUDGE_CACHE)"
            )
        if self._mode != "off":
            answers = Answers(self._path, read_only=self._mode != "on")
            await answers.open()
            self._answers = answers
        return self

    async def close(self) -> None:
        """Commits and closes."""
        answers, self._answers = self._answers, None
        if answers is not None:
            await answers.close()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The stored reply, else the inner one, which is on disk before it is returned."""
        if self._answers is None:
            return await self._inner.complete(request)
        key = request.key(self._where)
        try:
            reply = await self._wait(key)
            if reply is None:
                reply = await self._inner.complete(request)
                await self.put(key, reply)
        except BaseException as error:
            if isinstance(error, ChatError):
                await self._keep(key, error)
            self.free(key)
            raise
        return reply

    async def _wait(self, key: str) -> ChatReply | None:
        """The stored reply, or the one that another process is asking for; None if it is ours to ask."""
        pause = FIRST_LOOK
        while (found := await self.claim(key)) is False:
            await asyncio.sleep(pause)
            pause = min(LAST_LOOK, 1.5 * pause)
        return found if isinstance(found, ChatReply) else None

    async def claim(self, key: str) -> ChatReply | bool:
        """The stored reply; else whether it is ours to ask. False: another process, or task, is asking.

        Who gets True calls `put` or `free`, whatever happens.
        """
        if self._answers is None or self._mode != "on":
            return await self.get(key) or True
        found = await self._answers.claim(key)
        return found if isinstance(found, bool) else _decoded(found) or True

    def free(self, key: str) -> None:
        """A question that was ours to ask stays without an answer."""
        if self._answers is not None and self._mode == "on":
            self._answers.free(key)

    async def get(self, key: str) -> ChatReply | None:
        """The stored reply; an unreadable one counts as none."""
        if self._answers is None:
            return None
        stored = await self._answers.get(key)
        if stored is not None and (reply := _decoded(stored)) is not None:
            return reply
        if self._mode == "replay":
            failed = await self._answers.get(_failed(key))
            if failed is not None:
                with suppress(msgspec.DecodeError):
                    raise _failures.decode(failed).error()
            raise NotRecorded(
                f"no answer is stored for this request in {self._path}; the server's address is "
                f"part of the key, and is {self._where} in this replay (--base-url)"
            )
        return None

    async def put(self, key: str, reply: ChatReply) -> None:
        """Stores a reply under a key."""
        if self._answers is not None and self._mode == "on":
            await self._answers.put(key, _encoder.encode(replace(reply, wasted=(0, 0))))

    async def _keep(self, key: str, error: ChatError) -> None:
        failure = _Failure.of(error)
        if failure is not None and self._answers is not None and self._mode == "on":
            await self._answers.put(_failed(key), _encoder.encode(failure))


def _decoded(stored: bytes) -> ChatReply | None:
    try:
        return replace(_decoder.decode(stored), cached=True, attempts=0, seconds=0.0)
    except msgspec.DecodeError:
        return None


def _failed(key: str) -> str:
    return key + FAILED
