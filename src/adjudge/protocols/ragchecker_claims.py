"""Claims as units: a text, or a triple that must come back as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence

from adjudge.types import Unit
from adjudge.types import digest as content_digest


def claim_unit(text: str, index: int, claim: str | Sequence[str] | None) -> Unit:
    """The unit of the index-th claim of `response` or `reference`; a triple is kept as JSON in `note`."""
    name = f"claim:{text}:{index}"
    if claim is None:
        return Unit(name, "", note="its words are not in the file")
    if isinstance(claim, str):
        return Unit(name, claim, digest=content_digest(claim))
    words = " ".join(claim)
    note = json.dumps(list(claim), ensure_ascii=False)
    return Unit(name, words, digest=content_digest(words), note=note)


def claim_of(unit: Unit) -> str | list[str] | None:
    """The claim that `claim_unit` was given; None if its words are not known."""
    if unit.note is not None and unit.note.startswith("["):
        try:
            return [str(part) for part in json.loads(unit.note)]
        except ValueError:
            pass
    return unit.text or None
