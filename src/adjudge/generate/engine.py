"""The one loop behind all generation: ask what is not answered yet, many at a time, and keep every answer.

A failure of one case is noted and the rest goes on; an error that every other case would meet (a wrong key)
ends the run, and what was answered is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from adjudge.chat.base import ChatRequest
from adjudge.chat.errors import BadReply, ChatError, GaveUp
from adjudge.chat.stack import Stack
from adjudge.errors import AdjudgeError, JudgeError
from adjudge.generate.journal import Entry, Journal, failed_path
from adjudge.run.store import write_atomic

IN_A_ROW = 3
"""So many cases of a system that one after another find nobody there end the run."""
GRACE = 5.0
"""Seconds that answers under way have to arrive when the user interrupts."""


class CaseError(AdjudgeError):
    """One case that got no answer; says why."""


class NobodyThere(CaseError):
    """A failure that every other case would meet as well, as long as nothing changes."""


class Case(Protocol):
    """Something to ask. `request` digests all that the answer depends on: equal ones are asked once."""

    @property
    def id(self) -> str: ...
    @property
    def request(self) -> str: ...


class Failure(Struct, frozen=True, omit_defaults=True):
    """A case without an answer, as `out.failed.jsonl` lists it."""

    id: str
    error: str
    question: str | None = None


class Progress(Struct):
    """How a generation went."""

    cases: int = 0
    asked: int = 0
    kept: int = 0
    """Cases whose answer was already there."""
    written: int = 0
    failures: list[Failure] = []
    notes: list[str] = []


C = TypeVar("C", bound=Case)
Ask = Callable[[C], Awaitable[dict[str, Any]]]


async def answer_all(
    cases: Sequence[C],
    ask: Ask[C],
    journal: Journal,
    *,
    concurrency: int = 32,
    retry_failed: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Progress:
    """Ask every case that the journal has no answer to; failed ones only if told to.

    `on_progress` is told how many are done, and of how many.
    """
    open_cases: dict[str, C] = {}
    progress = Progress(cases=len(cases))
    for case in cases:
        if case.request in journal:
            progress.kept += 1
        elif retry_failed or journal.error(case.request) is None:
            open_cases.setdefault(case.request, case)
    waiting = iter(open_cases.values())
    stopped: list[BaseException] = []
    kept = _Kept(journal)

    async def work() -> None:
        while not stopped and (case := next(waiting, None)) is not None:
            try:
                kept.add(*await _entry(case, ask), system=getattr(case, "system", ""))
            except Exception as error:
                stopped.append(error)
                return
            progress.asked += 1
            if on_progress is not None:
                on_progress(progress.kept + progress.asked, progress.kept + len(open_cases))

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(open_cases)))]
    try:
        # Not cancelled when one of them stops: what is under way was asked, so its answer is waited for.
        while running := [worker for worker in workers if not worker.done()]:
            await asyncio.wait(running)
    except asyncio.CancelledError as error:
        stopped.append(error)
        await asyncio.wait(workers, timeout=GRACE)
        raise
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if stopped:
        raise stopped[0]
    kept.go_on()
    return progress


class _Kept:
    """The journal, except for cases that find nobody there: where those end the run, they were not asked.

    They are counted by system: that one answers says nothing of another.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._held: dict[str, list[Entry]] = {}
        self._ended = False

    def add(self, entry: Entry, nobody: bool, system: str) -> None:
        held = self._held.setdefault(system, [])
        if not nobody:
            self._note(held)
            self._journal.add(entry)
        elif not self._ended:
            held.append(entry)
            if len(held) == IN_A_ROW:
                held.clear()
                self._ended = True
                raise JudgeError(
                    f"{entry.error}; stopped after {IN_A_ROW} in a row, the same command goes on"
                )

    def go_on(self) -> None:
        """The run is through: what was held back counts."""
        for held in self._held.values():
            self._note(held)

    def _note(self, held: list[Entry]) -> None:
        for entry in held:
            self._journal.add(entry)
        held.clear()


async def _entry(case: C, ask: Ask[C]) -> tuple[Entry, bool]:
    """What becomes of a case, and whether nobody was there to answer it."""
    try:
        return Entry(case.request, await ask(case)), False
    except CaseError as error:
        return Entry(case.request, error=str(error)), isinstance(error, NobodyThere)
    except JudgeError as error:
        if getattr(error, "fatal", False) or not isinstance(error, ChatError):
            raise
        return Entry(case.request, error=str(error)), False


async def ask_model(stack: Stack, request: ChatRequest) -> dict[str, Any]:
    """A model's words. An answer cut off at the token limit counts, as far as it goes, and says so."""
    try:
        reply = await stack.complete(request)
    except GaveUp as error:
        if isinstance(error.last, BadReply) and error.last.kind == "length" and error.raw.strip():
            return {"response": error.raw, "finish": "length"}
        raise
    return {"response": reply.text}


def answered(cases: Iterable[C], journal: Journal, progress: Progress) -> Iterator[tuple[C, Any]]:
    """Cases with their answers, in order; those without one are added to the failures."""
    for case in cases:
        if case.request in journal:
            progress.written += 1
            yield case, journal.answer(case.request)
        else:
            error = journal.error(case.request) or "not asked"
            progress.failures.append(Failure(case.id, error, getattr(case, "question", None)))


def write_failures(out: Path, failures: Sequence[Failure]) -> None:
    """The list of failures beside the output; none, no list."""
    path = failed_path(out)
    if failures:
        write_atomic(path, b"".join(msgspec.json.encode(failure) + b"\n" for failure in failures))
    else:
        path.unlink(missing_ok=True)
