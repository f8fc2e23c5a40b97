"""Evidence for dry runs: searches nothing, and finds a passage of ordinary length."""

from __future__ import annotations

from adjudge.evidence.base import Passage

PASSAGE = "A passage of about as many words as a search result has. " * 5


class DryEvidence:
    """Stands where a web search would, so that no search is paid for."""

    name = "dry"
    nothing = "nothing is searched in a dry run"

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def search(self, query: str, limit: int) -> list[Passage]:
        return [Passage(PASSAGE, None, query)] * limit
