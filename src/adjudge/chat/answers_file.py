"""The SQLite file that answers are kept in: opened, made, or set aside where it is damaged."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from adjudge.chat import leases
from adjudge.errors import JudgeError

log = logging.getLogger(__name__)

APPLICATION = 0x61646A31
LAYOUT = 1
_HEADER = b"SQLite format 3\x00"
_BUSY_MS = 30_000


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
    leases.prepare(database)


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
