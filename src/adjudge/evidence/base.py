"""What evidence is: something that can be searched and gives passages."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from adjudge.errors import JudgeError


class Passage(Struct, frozen=True):
    """A piece of text that was found, and where."""

    text: str
    title: str | None = None
    source: str | None = None
    """A file and place in it, or a web address."""


class SearchFailed(JudgeError):
    """One search that came to nothing after all attempts; others may succeed, so a run goes on."""


class Evidence(Protocol):
    """Anything that can be searched. Used by one event loop, between `open` and `close`."""

    @property
    def name(self) -> str:
        """What stands in the signature: a corpus is told apart by its content."""
        ...

    @property
    def nothing(self) -> str:
        """The words for a search without result."""
        ...

    async def open(self) -> None:
        """Make ready; raises JudgeError or InputError if it cannot be searched at all."""
        ...

    async def search(self, query: str, limit: int) -> list[Passage]:
        """The best passages first, none if there are none; raises SearchFailed if it could not be told."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
