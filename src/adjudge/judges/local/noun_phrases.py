"""The phrase that a verb is said of, and the one behind it, by the tags of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.judges.local.words import stem, unaccented
from adjudge.segment.claims.tokens import Token

_NOUNS = "DNMP#'"


class Phrase(NamedTuple):
    """The stems of a noun phrase's words, the last of them, and whether it is a name."""

    words: frozenset[str]
    head: str
    named: bool

    def same(self, other: Phrase) -> bool:
        within = self.words <= other.words or other.words <= self.words
        return within and (self.head == other.head or (self.named and other.named))


def phrase_before(tokens: Sequence[Token], verb: int) -> tuple[Phrase | None, int]:
    """The phrase that a verb is said of, and where it begins."""
    end = verb
    while end and tokens[end - 1].tag == "A":
        end -= 1
    relative = bool(end) and tokens[end - 1].tag == "W" and tokens[end - 1].lower in ("who", "which", "that")
    if relative:
        end -= 1
        end -= bool(end) and tokens[end - 1].text == ","
    start = end
    while start and tokens[start - 1].tag in _NOUNS and not tokens[start - 1].depth:
        start -= 1
    before = tokens[start - 1] if start else None
    # "The son of the king chased", "A and B chased": not the phrase beside the verb alone.
    own = before is None or before.tag in ",SW" or (before.tag == "C" and _has_verb(tokens[: start - 1]))
    own = own or (relative and before is not None and before.tag in "VIEG")
    return (_phrase(tokens[start:end]), start) if own else (None, start)


def phrase_after(tokens: Sequence[Token], start: int) -> tuple[Phrase | None, int]:
    """The phrase behind a verb, and where it ends."""
    end = start
    while end < len(tokens) and tokens[end].tag in _NOUNS and not tokens[end].depth:
        end += 1
    joined = end < len(tokens) and tokens[end].tag == "C" and not _has_verb(tokens[end:])
    return (None, end) if joined else (_phrase(tokens[start:end]), end)


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag == "V" for token in tokens)


def _phrase(tokens: Sequence[Token]) -> Phrase | None:
    words = [token for token in tokens if token.tag in "NMP#"]
    if not words or tokens[-1].tag not in "NM#":
        return None
    named = words[-1].tag == "M"
    if named:
        words = [token for token in words if token.capital]
    return Phrase(frozenset(stem_of(token.lower) for token in words), stem_of(words[-1].lower), named)


def stem_of(word: str) -> str:
    """The stem by which words of phrases are compared."""
    return stem(unaccented(word))
