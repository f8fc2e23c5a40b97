"""Evidence opened once for all samples of a run, and closed with the event loop of the run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from adjudge.errors import InputError, UsageError
from adjudge.evidence.base import Evidence
from adjudge.evidence.once import Keeping
from adjudge.evidence.registry import open_evidence


class _Open(NamedTuple):
    loop: asyncio.AbstractEventLoop
    holder: AsyncGenerator[Evidence, None]
    """Only held: a generator that nobody holds is closed."""
    opening: asyncio.Future[Evidence]


_Key = tuple[int, str, Keeping]
_opened: dict[_Key, _Open] = {}
_keeping: ContextVar[Keeping] = ContextVar("keeping")


@contextmanager
def searches_kept(access: Mapping[str, Any]) -> Iterator[None]:
    """Inside it, web searches are kept as `cache` and `cache_path` of model access say."""
    path = access.get("cache_path")
    token = _keeping.set(Keeping(access.get("cache") or "on", None if path is None else str(path)))
    try:
        yield
    finally:
        _keeping.reset(token)


async def shared_evidence(spec: str) -> Evidence:
    """The open evidence of that name that belongs to the running loop."""
    loop = asyncio.get_running_loop()
    for old in [key for key, entry in _opened.items() if entry.loop.is_closed()]:
        del _opened[old]
    key = id(loop), spec, _keeping.get(Keeping())
    entry = _opened.get(key)
    if entry is None:
        holder = _hold(key)
        entry = _opened[key] = _Open(loop, holder, asyncio.ensure_future(anext(holder)))
    return await asyncio.shield(entry.opening)


async def _hold(key: _Key) -> AsyncGenerator[Evidence, None]:
    """Open while suspended. A loop that ends closes the generators begun on it, so nobody need remember."""
    evidence: Evidence | None = None
    try:
        evidence = open_evidence(key[1], keeping=key[2])
        try:
            await evidence.open()
        except InputError as error:
            # The fault is in an option, not in a sample that could be passed over.
            raise UsageError(f"evidence {key[1]!r} cannot be used: {error}") from None
        yield evidence
    finally:
        _opened.pop(key, None)
        if evidence is not None:
            await evidence.close()
