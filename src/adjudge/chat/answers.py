"""Answers on disk: one SQLite file, one thread that owns it, safe for several processes.

The event loop never touches the file. What arrives while the thread is busy is done in its next turn, in one
transaction, so commits grow rarer under load but no answer waits longer than one commit.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import sqlite3
import threading
import time
from pathlib import Path
from typing import Literal, NamedTuple

from adjudge.chat import leases
from adjudge.chat.answers_file import open_database
from adjudge.paths import cache_folder

log = logging.getLogger(__name__)


def default_path() -> Path:
    """ADJUDGE_CACHE, else a file in the platform's cache folder."""
    named = os.environ.get("ADJUDGE_CACHE")
    return Path(named).expanduser() if named else cache_folder() / "answers.sqlite"


Found = bytes | bool | None
"""What a job gives: stored bytes, whether a question may be asked, or nothing."""


Kind = Literal["get", "put", "claim", "free", "renew", "end"]


class _Job(NamedTuple):
    kind: Kind
    key: str
    value: bytes
    done: asyncio.Future[Found]


Result = tuple[_Job, Found, Exception | None]


class Answers:
    """Key to bytes. Made and closed inside one event loop."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._owner = leases.new_owner()
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="adjudge-answers", daemon=True)
        self._opened = _Job("get", "", b"", self._loop.create_future())
        self._held: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._warned = False

    async def open(self) -> None:
        """Starts the thread; raises JudgeError if the file cannot be used."""
        self._thread.start()
        await self._opened.done
        if not self._read_only:
            self._timer = self._loop.call_later(leases.RENEW, self._renew)

    async def get(self, key: str) -> bytes | None:
        """What is stored under the key, by this or another process."""
        found = await self._ask("get", key)
        return found if isinstance(found, bytes) else None

    async def claim(self, key: str) -> bytes | bool:
        """What is stored; else True: the caller is to ask, and `put` or `free`; False: another is asking."""
        found = await self._ask("claim", key)
        return True if found is None else found

    async def put(self, key: str, value: bytes) -> None:
        """Returns once the value is committed. The first value of a key stays."""
        await self._ask("put", key, value)

    def free(self, key: str) -> None:
        """The caller of `claim` does not ask after all, or in vain."""
        self._ask("free", key)

    async def close(self) -> None:
        """Finishes what is queued, closes the file, ends the thread."""
        if self._timer is not None:
            self._timer.cancel()
        if self._thread.is_alive():
            await asyncio.shield(self._ask("end"))
        if self._thread.ident is not None:
            self._thread.join()

    def _ask(self, kind: Kind, key: str = "", value: bytes = b"") -> asyncio.Future[Found]:
        done: asyncio.Future[Found] = self._loop.create_future()
        self._jobs.put(_Job(kind, key, value, done))
        return done

    def _renew(self) -> None:
        """Driven by the loop and not by the thread, so that a loop that hangs keeps nobody waiting."""
        if self._held:
            self._ask("renew")
        self._timer = self._loop.call_later(leases.RENEW, self._renew)

    def _resolve(self, results: list[Result]) -> None:
        for job, value, error in results:
            if job.done.done():
                if job.kind == "claim" and value is True:
                    self.free(job.key)  # granted to one who was called off meanwhile
            elif error is not None:
                job.done.set_exception(error)
            else:
                job.done.set_result(value)

    # Everything below runs in the thread.

    def _work(self) -> None:
        try:
            database = open_database(self._path, read_only=self._read_only)
        except Exception as error:
            self._tell([(self._opened, None, error)])
            return
        self._tell([(self._opened, None, None)])
        ended: _Job | None = None
        while ended is None:
            jobs = [self._jobs.get()]
            while not self._jobs.empty():
                jobs.append(self._jobs.get())
            ended = next((job for job in jobs if job.kind == "end"), None)
            self._tell(self._turn(database, jobs))
        if database is not None:
            database.close()

    def _turn(self, database: sqlite3.Connection | None, jobs: list[_Job]) -> list[Result]:
        """One turn: all that writes in one transaction, then all that only reads."""
        found: list[Found] = [None] * len(jobs)
        if database is not None:
            try:
                if not self._read_only:
                    found = self._write(database, jobs)
                for at, job in enumerate(jobs):
                    if job.kind == "get":
                        found[at] = _stored(database, job.key)
            except sqlite3.Error as error:
                # An answer that was paid for is worth more than the cache: go on without.
                found = [None] * len(jobs)
                if not self._warned:
                    self._warned = True
                    log.warning("the cache %s cannot be used (%s): answers are not kept", self._path, error)
        return [(job, value, None) for job, value in zip(jobs, found, strict=True)]

    def _write(self, database: sqlite3.Connection, jobs: list[_Job]) -> list[Found]:
        now, kinds = time.time(), {job.kind for job in jobs}
        answers = [(job.key, job.value, now) for job in jobs if job.kind == "put"]
        over = {job.key for job in jobs if job.kind in ("put", "free")} & self._held
        if "end" in kinds:
            over = self._held
        found, claims = self._look(database, jobs, over, now)
        if not (claims or answers or over or "renew" in kinds):
            return found
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", answers)
            leases.drop(database, over, self._owner)
            self._held = self._held - over
            if "renew" in kinds:
                leases.renew(database, self._owner, now)
            for at in claims:
                # Since the look another process, or another job of this turn, may have been faster.
                key = jobs[at].key
                stored = _stored(database, key)
                mine = stored is None and leases.take(database, key, self._owner, now)
                found[at] = mine if stored is None else stored
                if mine:
                    self._held.add(key)
        return found

    def _look(
        self, database: sqlite3.Connection, jobs: list[_Job], over: set[str], now: float
    ) -> tuple[list[Found], list[int]]:
        """What claims find without writing; which of them find neither an answer nor somebody who asks."""
        found: list[Found] = [None] * len(jobs)
        claims = []
        for at, job in enumerate(jobs):
            if job.kind == "claim":
                stored = _stored(database, job.key)
                found[at] = False if stored is None else stored
                if stored is None and (job.key in over or leases.is_free(database, job.key, now)):
                    claims.append(at)
        return found, claims

    def _tell(self, results: list[Result]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._resolve, results)
        except RuntimeError:  # the loop was closed over our heads: nobody waits any more
            log.debug("answers: the event loop is closed")


def _stored(database: sqlite3.Connection, key: str) -> bytes | None:
    row = database.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
    return row[0] if row is not None else None
