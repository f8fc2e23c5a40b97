"""Sentence keys as a model names them."""

from __future__ import annotations

import re
from typing import Any

from adjudge.judges.llm.fields import each
from adjudge.judges.llm.handler import Unreadable
from adjudge.segment.keys import tidy_key

MARKERS = frozenset({"general", "supported_without_sentence", "well_known_fact", "numerical_reasoning"})
"""In place of a key: supported, though by no one sentence."""

_NOTHING = frozenset({"", "none", "n/a", "na", "null", "nil", "-", "no", "nothing"})
"""What models write into a list that is to be empty."""

Lines = tuple[tuple[str, str], ...]
"""(key, text) pairs."""


class Keys:
    """The keys that may be named, however they are spelt; what is dropped is remembered."""

    def __init__(self, lines: Lines) -> None:
        self._known = {_spelling(key): key for key, _ in lines}
        self.dropped: dict[str, None] = {}

    def find(self, given: Any, *, markers: bool = False) -> str | None:
        spelt = _spelling(str(given))
        found = self._known.get(spelt) or (spelt if markers and spelt in MARKERS else None)
        if found is None:
            # "0a: the sentence's own words" names its key all the same.
            first = re.match(r"\w+", spelt)
            found = self._known.get(first[0]) if first and ":" in spelt else None
        if found is None:
            self.dropped[str(given).strip()[:40]] = None
        return found

    def all(self, given: Any, name: str, *, markers: bool = False) -> tuple[str, ...]:
        """The known ones of a list. A list of nothing but invented keys says something, but not what.

        Taken for an empty list it would turn a confused answer into a verdict, so it is refused.
        """
        items = [item for item in each(given) if _spelling(str(item)) not in _NOTHING]
        found = [self.find(item, markers=markers) for item in items]
        if items and self._known and not any(found):
            raise Unreadable(f"none of the {len(items)} keys in {name} is that of a sentence that was shown")
        return tuple(dict.fromkeys(key for key in found if key is not None))

    def notes(self) -> tuple[str, ...]:
        return (f"unknown keys dropped: {', '.join(self.dropped)}",) if self.dropped else ()


def _spelling(key: str) -> str:
    return tidy_key(key.strip().strip("[]()\"'`")).lower()
