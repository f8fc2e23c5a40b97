"""Things told each with what belongs to it: "$5 million in 2019 and $6 million in 2020", "law at Leeds and
medicine at York".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from adjudge.segment.claims.tokens import Token
from adjudge.segment.claims.words import word_set

_CURRENCIES = "$€£¥"
_NEARLY = word_set("about around over under near")


def series_in(tokens: Sequence[Token], start: int, end: int) -> list[tuple[int, int]]:
    """The members of a series that fills [start, end), each a number or a name and a phrase of its own; [] if
    none.
    """
    while end > start and tokens[end - 1].text in ".,;!":
        end -= 1
    edges = [at for at in range(start, end) if _parts(tokens, at)]
    members = [(a + 1, b) for a, b in pairwise([start - 1, *edges, end]) if a + 1 < b]
    if len(members) < 2:
        return []
    if not all(_is_member(tokens, a, b) for a, b in members) and not _are_parallel(tokens, members):
        return []
    first, stop = members[0]
    if any(tokens[a].tag == "R" for a, _ in members[1:]):
        return []
    while tokens[first].tag == "R" and tokens[first].lower not in _NEARLY:
        first += 1
    return [(first, stop), *members[1:]]


def _parts(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    return not token.depth and (token.text == "," or token.lower in ("and", "but"))


def _is_member(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a number opens [start, end), a preposition stands further on, and no verb."""
    at = start
    while at < end - 1 and tokens[at].tag in "AR":
        at += 1
    own = tokens[at:end]
    further = any(token.tag == "R" and token.lower not in ("of", "to", "than", "per") for token in own[1:-1])
    return is_value(own[0]) and further and not any(token.tag in "VWST" for token in own)


def _are_parallel(tokens: Sequence[Token], members: Sequence[tuple[int, int]]) -> bool:
    """Whether each is a noun with one phrase, all with the same preposition: "law at Leeds"."""
    openers = []
    for number, (start, end) in enumerate(members):
        at = start
        while number == 0 and at < end - 1 and tokens[at].tag == "R":
            at += 1
        own = tokens[at:end]
        found = [place for place, token in enumerate(own) if token.tag == "R"]
        if len(found) != 1 or not 0 < found[0] < len(own) - 1 or any(token.tag in "VWSTGEI" for token in own):
            return False
        openers.append(own[found[0]].lower)
    return len(set(openers)) == 1 and openers[0] != "of"


def is_value(token: Token) -> bool:
    """Whether a number or an amount of money begins here."""
    return token.tag == "#" or token.text in _CURRENCIES
