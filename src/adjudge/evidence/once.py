"""Equal searches are one search: in flight, in a run, and for the web also across runs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import msgspec

from adjudge.chat.flights import Flights
from adjudge.evidence.base import Evidence, Passage

log = logging.getLogger(__name__)

_KEPT = 100_000
"""Searches remembered in memory; the oldest go first."""


class Store:
    """Results on disk: one SQLite file, safe for several processes, opened anew for each use off the loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._broken = False

    async def get(self, key: str) -> list[Passage] | None:
        return await asyncio.to_thread(self._get, key)

    async def put(self, key: str, passages: list[Passage]) -> None:
        await asyncio.to_thread(self._put, key, passages)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = sqlite3.connect(self._path, timeout=30.0)
        database.execute("CREATE TABLE IF NOT EXISTS searches (key TEXT PRIMARY KEY, found BLOB, at REAL)")
        return database

    def _get(self, key: str) -> list[Passage] | None:
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
        name = blake2b(f"{self._inner.name}\0{limit}\0{query}".encode("utf-8", "surrogatepass"))
        passages = await self._store.get(name.hexdigest()) if self._store is not None else None
        if passages is None:
            passages = await self._inner.search(query, limit)
            if self._store is not None:
                await self._store.put(name.hexdigest(), passages)
        if len(self._known) >= _KEPT:
            del self._known[next(iter(self._known))]
        self._known[key] = passages
        return passages
