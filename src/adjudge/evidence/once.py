"""Equal searches are one search: in flight, in a run, and for the web also across runs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjudge.chat.flights import Flights
from adjudge.evidence.base import Evidence, Passage, SearchFailed
from adjudge.paths import cache_folder

if TYPE_CHECKING:
    from adjudge.chat.cache import Mode

log = logging.getLogger(__name__)

_KEPT = 100_000
"""Searches remembered in memory; the oldest go first."""


class Keeping(NamedTuple):
    """How results of web searches are kept: as the answers of models are, in a file beside theirs."""

    mode: Mode = "on"
    answers: str | None = None
    """The file of the answers; None: the usual one."""

    @property
    def path(self) -> Path:
        if self.answers is None:
            return cache_folder() / "evidence" / "searches.sqlite"
        answers = Path(self.answers).expanduser()
        return answers.with_name(f"{answers.stem}.searches{answers.suffix}")

    def around(self, evidence: Evidence) -> Once:
        """The evidence with its results kept in this way."""
        if self.mode == "off":
            return Once(evidence)
        store = Store(self.path, adds=self.mode == "on")
        return Once(Replayed(evidence) if self.mode == "replay" else evidence, store)


class Store:
    """Results on disk: one SQLite file, safe for several processes, opened anew for each use off the loop."""

    def __init__(self, path: Path, *, adds: bool = True) -> None:
        self._path = path
        self._adds = adds
        self._broken = False

    async def get(self, key: str) -> list[Passage] | None:
        return await asyncio.to_thread(self._get, key)

    async def put(self, key: str, passages: list[Passage]) -> None:
        if self._adds:
            await asyncio.to_thread(self._put, key, passages)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = sqlite3.connect(self._path, timeout=30.0)
        database.execute("CREATE TABLE IF NOT EXISTS searches (key TEXT PRIMARY KEY, found BLOB, at REAL)")
        return database

    def _get(self, key: str) -> list[Passage] | None:
        if not self._path.exists():
            return None
        try:
            with closing(self._connect()) as database:
                row = database.execute("SELECT found FROM searches WHERE key = ?", (key,)).fetchone()
            return msgspec.json.decode(row[0], type=list[Passage]) if row else None
        except (sqlite3.Error, OSError, msgspec.DecodeError) as error:
            self._complain(error)
            return None

    def _put(self, key: str, passages: list[Passage]) -> None:
        try:
            with closing(self._connect()) as database, database:
                row = (key, msgspec.json.encode(passages), time.time())
                database.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?)", row)
        except (sqlite3.Error, OSError) as error:
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        # A result is worth more than its copy: go on without.
        if not self._broken:
            log.warning("searches cannot be kept in %s: %s", self._path, error)
        self._broken = True


class Replayed:
    """Stands where a search would: asks nobody and needs no key, so that only what is stored is found."""

    def __init__(self, inner: Evidence) -> None:
        self.name = inner.name
        self.nothing = inner.nothing
        self.where = _where(inner)

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def search(self, query: str, limit: int) -> list[Passage]:
        raise SearchFailed(f"a replay searches nowhere, and has no {limit} results for {query!r}")


def _where(evidence: Evidence) -> str:
    """The address that is searched, where there is one: another server finds other things."""
    return str(getattr(evidence, "where", ""))


class Once:
    """Wraps any evidence. A failed search is not remembered."""

    def __init__(self, inner: Evidence, store: Store | None = None) -> None:
        self._inner = inner
        self._store = store
        self._known: dict[tuple[str, int], list[Passage]] = {}
        self._flights: Flights[tuple[str, int], list[Passage]] = Flights()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def nothing(self) -> str:
        return self._inner.nothing

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        """Calls off what is still under way."""
        await self._flights.close()
        await self._inner.close()

    async def search(self, query: str, limit: int) -> list[Passage]:
        key = " ".join(query.split()), limit
        known = self._known.get(key)
        if known is not None:
            return known
        return await self._flights.join(key, lambda: self._search(key))

    async def _search(self, key: tuple[str, int]) -> list[Passage]:
        query, limit = key
        asked = f"{self._inner.name}\0{_where(self._inner)}\0{limit}\0{query}"
        name = blake2b(asked.encode("utf-8", "surrogatepass"))
        passages = await self._store.get(name.hexdigest()) if self._store is not None else None
        if passages is None:
            passages = await self._inner.search(query, limit)
            if self._store is not None:
                await self._store.put(name.hexdigest(), passages)
        if len(self._known) >= _KEPT:
            del self._known[next(iter(self._known))]
        self._known[key] = passages
        return passages
