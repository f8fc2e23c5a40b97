"""The sample's own contexts as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from adjudge.evidence.base import Passage
from adjudge.evidence.words import search_words


class SampleContexts:
    """Passages that came with one sample; those that share most with the query, rare words counting more."""

    name = "contexts"
    nothing = "no context has these words"

    def __init__(self, contexts: Sequence[str]) -> None:
        self._contexts = list(contexts)
        self._words: list[frozenset[str]] | None = None

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def search(self, query: str, limit: int) -> list[Passage]:
        """All, in their order, if they are few; else the nearest, equals in their order."""
        order: Sequence[int] = range(len(self._contexts))
        if len(self._contexts) > limit:
            order = self._nearest(query)[:limit]
        return [Passage(self._contexts[k], None, f"ctx:{k}") for k in order]

    def _nearest(self, query: str) -> list[int]:
        if self._words is None:
            self._words = [frozenset(search_words(text)) for text in self._contexts]
        n = len(self._words)
        weight = {
            word: log(1 + n / (1 + sum(word in words for words in self._words)))
            for word in sorted(set(search_words(query)))
        }
        shared = [sum(w for word, w in weight.items() if word in words) for words in self._words]
        return sorted((k for k in range(n) if shared[k] > 0), key=lambda k: (-shared[k], k))
