"""Answers from a function, a table or a recording: for tests, and to repeat a run without a network."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from adjudge.chat.answers_file import open_database
from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.cache import FAILED
from adjudge.chat.errors import NotRecorded
from adjudge.errors import InputError

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


class _Line(msgspec.Struct):
    key: str
    reply: ChatReply


def export_answers(cache: Path, out: Path) -> int:
    """Writes a cache's answers as JSON lines sorted by key, fit to be kept with tests; returns how many."""
    database = open_database(cache, read_only=True)
    if database is None:
        raise InputError("there is no cache here", file=str(cache))
    count = 0
    try:
        with open(out, "wb") as file:
            for key, value in database.execute("SELECT key, value FROM answers ORDER BY key"):
                if key.endswith(FAILED):
                    continue
                reply = msgspec.json.decode(value, type=ChatReply)
                stable = msgspec.structs.replace(reply, seconds=0.0, attempts=1)
                file.write(msgspec.json.encode(_Line(key, stable)) + b"\n")
                count += 1
    finally:
        database.close()
    return count


def recorded(path: Path, *, where: str) -> Scripted:
    """A backend that knows the answers which `export_answers` wrote for an address, and no others."""
    table: dict[str, Answer] = {}
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError as error:
                raise InputError(f"not a recorded answer: {error}", file=str(path), line=number) from None
            table[row.key] = row.reply
    return Scripted(table, where=where)
