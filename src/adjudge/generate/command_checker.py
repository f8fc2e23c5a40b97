"""A checker that is a program: started for each text, told it as JSON, held to a time and a size."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from contextlib import suppress
from typing import Any

import msgspec

from adjudge.datasets.violation_names import CheckerName
from adjudge.errors import UsageError
from adjudge.generate.checkers import CheckerFailure
from adjudge.types import Sample

MOST_PRINTED = 8 << 20
"""Bytes that a command may print about one text."""
PATIENCE = 2.0
"""Seconds in which a command that was killed must be gone; it is left alone after that."""


class CommandChecker:
    """A program that is started for each text."""

    def __init__(self, command: str, name: CheckerName, about: str = "") -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"cmd:{command}: {error}") from None
        if not self._words:
            raise UsageError("cmd: needs a command, e.g. cmd:'python my_checker.py'")
        self.name = name
        self.about = about

    async def check(self, sample: Sample) -> Any:
        asked = {"id": sample.id, "text": sample.text, "rules": sample.rules or ()}
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                # A group of its own, so that what it starts can be ended with it.
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"{self._words[0]}: {error.strerror or error}") from None
        try:
            out, err = await _talk(process, msgspec.json.encode(asked) + b"\n")
        except BaseException:
            await _end(process)
            raise
        if process.returncode:
            told = err.decode("utf-8", "replace").strip().splitlines()
            raise CheckerFailure(f"it ended with {process.returncode}: {told[-1] if told else 'no message'}")
        try:
            return msgspec.json.decode(out)
        except msgspec.DecodeError as error:
            raise CheckerFailure(f"what it printed is not JSON: {error}") from None


async def _talk(process: asyncio.subprocess.Process, asked: bytes) -> tuple[bytes, bytes]:
    """What it prints, and the end of what it complains of."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeding = asyncio.create_task(_feed(process.stdin, asked))
    complaining = asyncio.create_task(_last_of(process.stderr))
    try:
        out = bytearray()
        while part := await process.stdout.read(1 << 16):
            out += part
            if len(out) > MOST_PRINTED:
                raise CheckerFailure(f"it printed more than {MOST_PRINTED >> 20} MB")
        err = await complaining
        await feeding
        await process.wait()
    finally:
        feeding.cancel()
        complaining.cancel()
    return bytes(out), err


async def _feed(stdin: asyncio.StreamWriter, asked: bytes) -> None:
    # A command need not read what it is told.
    with suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(asked)
        await stdin.drain()
    stdin.close()


async def _last_of(stream: asyncio.StreamReader) -> bytes:
    kept = b""
    while part := await stream.read(1 << 16):
        kept = (kept + part)[-(1 << 16) :]
    return kept


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it and all it started; what escapes that and holds its pipes open is not waited for."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), PATIENCE)
