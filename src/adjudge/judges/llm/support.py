"""How far a response sentence is supported: as a model says it, and joined over parts of the contexts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from adjudge.judges.base import Reply, Support
from adjudge.judges.llm.fields import as_bool, as_text, field
from adjudge.judges.llm.handler import Unreadable
from adjudge.judges.llm.keyed import Keys, Lines
from adjudge.judges.llm.loose_json import has_field

BY = ("supported_by", "supporting_sentence_keys", "supported_sentence_keys")
_LEVELS = ("none", "partial", "full")
_LEVEL = {
    "full": "full", "fully": "full", "fully supported": "full", "supported": "full", "true": "full",
    "partial": "partial", "partially": "partial", "partially supported": "partial",
    "none": "none", "no": "none", "not supported": "none", "unsupported": "none", "false": "none",
}  # fmt: skip


def read_support(entry: dict[str, Any], key: str, keys: Keys) -> tuple[Support, str | None]:
    """What the entry says; support that rests on nothing is none."""
    try:
        by = keys.all(field(entry, *BY), f"supported_by of {key}", markers=True)
    except Unreadable:
        if _level(entry, ()) != "none" or not has_field(entry, ("support",)):
            raise
        by = ()  # what is said not to be supported rests on nothing, whatever is named
    level = _level(entry, by)
    if level is None:
        raise Unreadable(f"support of a sentence is none of {', '.join(_LEVELS)}")
    note = None
    if level != "none" and not by:
        note, level = f"{key}: {level} support that names nothing counts as none", "none"
    return Support(key, by, level, as_text(field(entry, "why", "explanation")) or None), note


def _level(entry: dict[str, Any], by: Sequence[str]) -> str | None:
    if has_field(entry, ("support",)):
        given = field(entry, "support")
        word = " ".join(re.sub(r"[^a-z]", " ", str(given).lower()).split())
        return _LEVEL.get(word)
    full = as_bool(field(entry, "fully_supported"))
    return None if full is None else "full" if full else "partial" if by else "none"


def best_support(entries: Sequence[Support]) -> Support:
    """The highest support, resting on everything that any of them named."""
    best = max(entries, key=lambda entry: _LEVELS.index(entry.support))
    by = dict.fromkeys(key for entry in entries for key in entry.supported_by)
    return replace(best, supported_by=tuple(by))


def together(entries: Sequence[Support], contexts: Lines) -> frozenset[str]:
    """Sentences that parts of the contexts named in partial support, which no part saw side by side.

    None if a part supports the sentence fully, or only one part supports it at all.
    """
    if best_support(entries).support != "partial":
        return frozenset()
    known = {key for key, _ in contexts}
    named = [known.intersection(entry.supported_by) for entry in entries if entry.support == "partial"]
    found = [keys for keys in named if keys]
    return frozenset().union(*found) if len(found) > 1 else frozenset()


def apart(merged: Reply, again: Reply) -> Reply:
    """The joined reply where what the parts named could not be seen together, with a note that says so."""
    note = f"partial support by several parts of the contexts, not seen together: {again.reason}"
    return replace(merged, why="; ".join(filter(None, (merged.why, note))), raw=(*merged.raw, *again.raw))
