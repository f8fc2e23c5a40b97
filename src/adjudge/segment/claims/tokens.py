"""Words of a sentence with their offsets, and which of them act as finite verbs."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.segment.claims.words import (
    ADVERBS,
    AUXILIARIES,
    BASE_FORMS,
    BE,
    DETERMINERS,
    PAST,
    PREPOSITIONS,
    PRESENT,
    PRONOUNS,
)

_TOKEN = re.compile(
    r"(?<=[a-z])(?:'s|’s|'re|’re|'ve|’ve|'d|’d|'ll|’ll)\b|[^\W_]+(?:[-./&@:][^\W_]+|['’](?!s\b|re\b|ve\b|ll\b|d\b)[a-z]+"
    r"|,(?=[0-9]{3}\b)[0-9]{3})*|[^\w\s]|_"
)
_OPEN, _CLOSED = "([{“«", ")]}”»"
_CLITICS = frozenset({"'s", "'re", "'ve", "'d", "'ll"})
_CLITIC_HOSTS = PRONOUNS | {"there", "here"}


class Token(NamedTuple):
    """A word or a sign; `depth` is above 0 inside brackets and quotes."""

    text: str
    lower: str
    start: int
    end: int
    depth: int

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


def tokens_of(sentence: str) -> list[Token]:
    """Tokens in order; a closed pair of straight quotes counts as brackets."""
    tokens = []
    depth, quoted = 0, False
    paired = sentence.count('"') % 2 == 0
    for found in _TOKEN.finditer(sentence):
        text = found[0]
        if text in _CLOSED and depth:
            depth -= 1
        if text == '"' and paired:
            quoted = not quoted
        lower = text.lower().replace("’", "'")
        tokens.append(Token(text, lower, found.start(), found.end(), depth + quoted))
        if (text in _OPEN and text != "“") or (text == "“" and "”" in sentence):
            depth += 1
    return tokens


def is_verb(tokens: list[Token], at: int) -> bool:
    """Whether the token seems to be a finite verb, from its form and its neighbours."""
    token = tokens[at]
    word = token.lower
    if token.depth or (token.capital and at):
        return False
    before = tokens[at - 1].lower if at else ""
    after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    if word in _CLITICS:
        return before in _CLITIC_HOSTS
    if word in AUXILIARIES:
        return word not in ("be", "been") and not (word == "may" and token.capital)
    if before in DETERMINERS or before in PREPOSITIONS or (before in AUXILIARIES and before not in BE):
        return False
    if word in PAST:
        return before not in BE and not _is_reduced(at, after)
    if word in PRESENT:
        return _takes_complement(tokens, at, after)
    if word in BASE_FORMS:
        return before in ("they", "we", "you", "i", "people") or (
            before.endswith("s") and after in DETERMINERS
        )
    return (
        word.endswith("ed")
        and len(word) > 5
        and at > 0
        and before not in BE
        and _takes_complement(tokens, at, after)
    )


def _is_reduced(at: int, after: str) -> bool:
    """A past form after a noun and before `by` or `in` that leans on it: "a film directed by …"."""
    return after == "by" and at > 0


def _takes_complement(tokens: list[Token], at: int, after: str) -> bool:
    """What follows a verb rather than a plural noun: article, name, number, preposition, adverb."""
    if not after or at + 1 >= len(tokens):
        return False
    follower = tokens[at + 1]
    return (
        after in DETERMINERS
        or (after in PREPOSITIONS and after not in ("of",))
        or after in ADVERBS
        or follower.capital
        or follower.text[0].isdigit()
        or after
        in ("it", "them", "him", "more", "over", "many", "several", "both", "all", "that", "up", "out")
        or (follower.text.isalpha() and tokens[at].lower in PRESENT and follower.lower not in AUXILIARIES)
    )


def verb_at(tokens: list[Token], start: int, end: int) -> int | None:
    """Position of the first verb in [start, end), not the first token itself."""
    for at in range(start + 1, end):
        if is_verb(tokens, at):
            return at
    return None


def has_verb(tokens: list[Token]) -> bool:
    return any(is_verb(tokens, at) for at in range(len(tokens)))
