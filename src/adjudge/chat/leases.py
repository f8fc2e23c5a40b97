"""Which questions are under way, and who asks them: rows beside the answers, so that processes wait.

A row holds for some seconds and is renewed as long as its owner's event loop turns. So a process that was
killed, has stopped or hangs keeps nobody waiting for longer than that; one that is gone from the same machine
is noticed at once.
"""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Iterable
from uuid import uuid4

SECONDS = 10.0
RENEW = 3.0

_TABLE = "CREATE TABLE IF NOT EXISTS asking (key TEXT PRIMARY KEY, owner TEXT, until REAL) WITHOUT ROWID"


def prepare(database: sqlite3.Connection) -> None:
    """Makes the table; versions that know nothing of it go on using the file."""
    with database:
        database.execute(_TABLE)


def new_owner() -> str:
    """A name for one user of the file: host, process, and what tells it from others of that process."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex}"


def is_free(database: sqlite3.Connection, key: str, now: float) -> bool:
    """Whether nobody is asking; true also of a row whose owner does not keep it up."""
    row = database.execute("SELECT owner, until FROM asking WHERE key = ?", (key,)).fetchone()
    if row is None:
        return True
    owner, until = row
    # A time far ahead was written by a clock that has since been set back.
    return not now <= until <= now + 2 * SECONDS or _is_gone(owner)


def take(database: sqlite3.Connection, key: str, owner: str, now: float) -> bool:
    """Notes that the owner is asking, unless another is. To be called inside a write transaction."""
    if not is_free(database, key, now):
        return False
    database.execute("INSERT OR REPLACE INTO asking VALUES (?, ?, ?)", (key, owner, now + SECONDS))
    return True


def drop(database: sqlite3.Connection, keys: Iterable[str], owner: str) -> None:
    """The owner no longer asks these."""
    database.executemany("DELETE FROM asking WHERE key = ? AND owner = ?", [(key, owner) for key in keys])


def renew(database: sqlite3.Connection, owner: str, now: float) -> None:
    """All that the owner asks is still under way."""
    database.execute("UPDATE asking SET until = ? WHERE owner = ?", (now + SECONDS, owner))


def _is_gone(owner: str) -> bool:
    """Whether the process has ended, as far as can be told: on this machine, where signal 0 only looks."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    if os.name != "posix" or host != socket.gethostname() or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
