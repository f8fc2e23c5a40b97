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
from typing import NamedTuple

from adjudge.errors import JudgeError
from adjudge.paths import cache_folder

log = logging.getLogger(__name__)

APPLICATION = 0x61646A31
LAYOUT = 1
_HEADER = b"SQLite format 3\x00"
_BUSY_MS = 30_000


def default_path() -> Path:
    """ADJUDGE_CACHE, else a file in the platform's cache folder."""
    named = os.environ.get("ADJUDGE_CACHE")
    return Path(named).expanduser() if named else cache_folder() / "answers.sqlite"


class _Job(NamedTuple):
    """A read if `value` is None, else a write. `key` None ends the thread."""

    key: str | None
    value: bytes | None
    done: asyncio.Future[bytes | None]


class Answers:
    """Key to bytes. Made and closed inside one event loop."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="adjudge-answers", daemon=True)
        self._opened: asyncio.Future[bytes | None] = self._loop.create_future()
        self._warned = False

    async def open(self) -> None:
        """Starts the thread; raises JudgeError if the file cannot be used."""
        self._thread.start()
        await self._opened

    async def get(self, key: str) -> bytes | None:
        """What is stored under the key, by this or another process."""
        return await self._ask(key, None)

    async def put(self, key: str, value: bytes) -> None:
        """Returns once the value is committed. The first value of a key stays."""
        await self._ask(key, value)

    async def close(self) -> None:
        """Finishes what is queued, closes the file, ends the thread."""
        if self._thread.is_alive():
            await asyncio.shield(self._ask(None, None))
        if self._thread.ident is not None:
            self._thread.join()

    def _ask(self, key: str | None, value: bytes | None) -> asyncio.Future[bytes | None]:
        done: asyncio.Future[bytes | None] = self._loop.create_future()
        self._jobs.put(_Job(key, value, done))
        return done

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
            ended = next((job for job in jobs if job.key is None), None)
            self._tell(self._turn(database, [job for job in jobs if job.key is not None]))
        if database is not None:
            database.close()
        self._tell([(ended.done, None, None)])

    def _turn(
        self, database: sqlite3.Connection | None, jobs: list[_Job]
    ) -> list[tuple[asyncio.Future[bytes | None], bytes | None, Exception | None]]:
        """One turn: all writes in one transaction, then all reads."""
        if database is None:
            return [(job.done, None, None) for job in jobs]
        writes = [(job.key, job.value, time.time()) for job in jobs if job.value is not None]
        found: dict[str | None, bytes | None] = {}
        try:
            if writes and not self._read_only:
                with database:
                    database.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", writes)
            for job in jobs:
                if job.value is None:
                    row = database.execute("SELECT value FROM answers WHERE key = ?", (job.key,)).fetchone()
                    found[job.key] = row[0] if row is not None else None
        except sqlite3.Error as error:
            # An answer that was paid for is worth more than the cache: go on without.
            if not self._warned:
                self._warned = True
                log.warning("the cache %s cannot be used (%s): answers are not kept", self._path, error)
        return [(job.done, found.get(job.key) if job.value is None else None, None) for job in jobs]

    def _tell(
        self, results: list[tuple[asyncio.Future[bytes | None], bytes | None, Exception | None]]
    ) -> None:
        try:
            self._loop.call_soon_threadsafe(_resolve, results)
        except RuntimeError:  # the loop was closed over our heads: nobody waits any more
            log.debug("answers: the event loop is closed")


def _resolve(results: list[tuple[asyncio.Future[bytes | None], bytes | None, Exception | None]]) -> None:
    for future, value, error in results:
        if future.done():
            continue
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)


def open_database(path: Path, *, read_only: bool = False) -> sqlite3.Connection | None:
    """The cache file, made if need be; a broken one of ours is set aside, a foreign one is not touched.

    None: read-only, and there is no file.
    """
    if read_only and not path.exists():
        return None
    try:
        if not read_only:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(path, "rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        header = b""
    except OSError as error:
        raise JudgeError(f"the cache {path} cannot be used: {error.strerror}; set ADJUDGE_CACHE") from None
    if header and not header.startswith(_HEADER):
        raise JudgeError(
            f"{path} is not a cache of adjudge; move it away, or set ADJUDGE_CACHE to another file"
        )
    if header and int.from_bytes(header[68:72], "big") not in (APPLICATION, 0):
        raise JudgeError(f"{path} is another program's database; set ADJUDGE_CACHE to another file")
    try:
        return _connect(path) if not read_only else _link(path, "ro")
    except sqlite3.OperationalError as error:
        raise JudgeError(f"the cache {path} cannot be used: {error}; set ADJUDGE_CACHE") from None
    except sqlite3.DatabaseError as error:
        raise JudgeError(f"the cache {path} is damaged: {error}") from None


def _connect(path: Path) -> sqlite3.Connection:
    from filelock import FileLock

    # Two first users at once would both set up (a change of journal mode heeds no busy timeout) or set aside.
    with FileLock(f"{path}.lock", timeout=_BUSY_MS / 1000):
        try:
            return _link(path, "rwc")
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            aside = _set_aside(path)
            log.warning("the cache %s was damaged (%s): it is now %s, a new one is begun", path, error, aside)
            return _link(path, "rwc")


def _link(path: Path, mode: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_BUSY_MS / 1000)
    try:
        if mode != "ro":
            _prepare(database, path)
        database.execute("SELECT value FROM answers WHERE key = ''").fetchone()
        return database
    except BaseException:
        database.close()
        raise


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    (layout,) = database.execute("PRAGMA user_version").fetchone()
    if layout > LAYOUT:
        raise JudgeError(f"the cache {path} was written by a newer adjudge; update, or set ADJUDGE_CACHE")
    if layout == 0 and database.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise JudgeError(f"{path} is another program's database; set ADJUDGE_CACHE to another file")
    database.execute("PRAGMA journal_mode = WAL")
    # A killed process loses nothing; a power cut may lose the last commits, never the file.
    database.execute("PRAGMA synchronous = NORMAL")
    if layout == 0:
        with database:
            database.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value BLOB, at REAL)")
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {LAYOUT}")


def _set_aside(path: Path) -> Path:
    """Moves the file and SQLite's helpers out of the way; returns the new name."""
    aside = next(
        name for n in range(1, 10_000) if not (name := path.with_name(f"{path.name}.damaged-{n}")).exists()
    )
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(aside.with_name(aside.name + suffix))
    return aside
