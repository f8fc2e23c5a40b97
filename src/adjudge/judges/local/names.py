"""Names as a pattern reads them, and whether two are of the same; what patterns find out about a claim."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.judges.local.words import unaccented
from adjudge.segment.claims.words import word_set

CAPITAL = "A-Z" + "".join(map(chr, filter(lambda code: chr(code).isupper(), range(0xC0, 0x250))))
"""Capital letters of Latin script, as a pattern's class has them."""
_WORD = rf"(?:[{CAPITAL}0-9][\w.'’&-]*|[\"“][^\"”]{2, 60}[\"”])"
NAME = rf"{_WORD}(?: (?:of|the|de|del|von|van|la|and|&|{_WORD})){{0,7}}"
BESIDE = r"(?: \([^()]*\))?,?"
"""What may stand between a name and its verb."""
_NOT_NAMES = word_set(
    "the a an in on at it he she they yes no both who which while and but therefore when after before of"
)


class Finding(NamedTuple):
    """What the evidence says of a claim, as far as patterns read it."""

    agrees: bool
    settles: bool
    """Whether it decides the claim: a clash does, agreement only where the claim says nothing else."""
    note: str


def name_words(text: str) -> frozenset[str]:
    """Words of a name in small letters without accents, initials left out."""
    return frozenset(
        word
        for word in re.findall(r"[^\W_]+", unaccented(text).lower())
        if word not in _NOT_NAMES and (len(word) > 1 or word.isdigit())
    )


def same_name(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one name is the other or part of it."""
    return one <= other or other <= one
