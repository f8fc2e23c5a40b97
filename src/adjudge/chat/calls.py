"""One line of JSON a request: what it took and how it ended. Never a prompt, an answer or a key."""

from __future__ import annotations

import os
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.errors import BadReply, ChatError, GaveUp
from adjudge.chat.prices import Price
from adjudge.chat.totals import Totals


class CallLog:
    """A file that several processes may append to: one write a line, so that lines stay whole."""

    def __init__(self, path: str | Path | None, *, where: str, price: Price | None) -> None:
        self._where = where
        self._price = price
        self._file: int | None = None
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def note(
        self,
        request: ChatRequest,
        started: float,
        ended: str,
        used: tuple[int, int],
        *,
        attempts: int,
        cached: bool = False,
    ) -> None:
        """One line."""
        if self._file is None:
            return
        cost = 0.0 if cached else self._price.cost(*used) if self._price is not None else None
        line: dict[str, Any] = {
            "time": round(time.time(), 3),
            "model": request.model,
            "key": request.key(self._where),
            "prompt_tokens": used[0],
            "completion_tokens": used[1],
            "seconds": round(time.perf_counter() - started, 4),
            "attempts": attempts,
            "cached": cached,
            "cost": cost,
            "outcome": ended,
        }
        if request.task == "embed":
            line["texts"] = len(request.messages)
        os.write(self._file, msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Calls:
    """Counts and notes down every request. A text to embed counts as one, however many go out together."""

    def __init__(self, inner: Backend, log: CallLog, totals: Totals) -> None:
        self._inner = inner
        self._log = log
        self._totals = totals

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The inner reply, noted down."""
        started = time.perf_counter()
        size = len(request.messages) if request.task == "embed" else 1
        try:
            reply = await self._inner.complete(request)
        except ChatError as error:
            self._totals.failed += size
            attempts = getattr(error, "attempts", 1)
            self._log.note(request, started, outcome(error), error.usage, attempts=attempts)
            raise
        self._totals.answered += size
        self._totals.cached += reply.cached
        used = (reply.prompt_tokens + reply.wasted[0], reply.completion_tokens + reply.wasted[1])
        ended = "cached" if reply.cached else "ok"
        self._log.note(request, started, ended, used, attempts=reply.attempts, cached=reply.cached)
        return reply


def outcome(error: ChatError) -> str:
    """The error's class, and what was behind it; no server text, which might quote a prompt."""
    if isinstance(error, GaveUp):
        return f"GaveUp: {outcome(error.last)}"
    if isinstance(error, BadReply):
        return f"BadReply: {error.kind}"
    return type(error).__name__


class _Line(msgspec.Struct):
    """What a line tells of usage."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    attempts: int
    cached: bool
    cost: float | None
    outcome: str
    texts: int = 1


def read_calls(path: Path) -> dict[str, Totals]:
    """What was used according to a call log, by model; nothing where there is no log.

    Other than running totals it does not know what was shared in flight or waited for.
    """
    found: dict[str, Totals] = {}
    decode = msgspec.json.Decoder(_Line).decode
    with path.open("rb") if path.exists() else BytesIO() as stream:
        for row in stream:
            try:
                line = decode(row)
            except msgspec.MsgspecError:  # torn, as a kill leaves it
                continue
            totals = found.setdefault(line.model, Totals())
            if line.outcome in ("ok", "cached"):
                totals.answered += line.texts
            else:
                totals.failed += line.texts
            if line.cached:
                totals.cached += 1
                continue
            totals.sent += line.attempts
            totals.prompt_tokens += line.prompt_tokens
            totals.completion_tokens += line.completion_tokens
            totals.cost += line.cost or 0.0
            totals.unpriced += line.attempts * (line.cost is None)
    return found
