"""A clause with a list of objects into one clause an item: "won A, B and C" is three claims."""

from __future__ import annotations

from itertools import pairwise

from adjudge.segment.claims.tokens import Token, tokens_of
from adjudge.segment.claims.words import BE, DETERMINERS, MONTHS, PREPOSITIONS, is_double_name

_LONGEST_ITEM = 7
_WHOLE = frozenset({"between", "both", "either", "combination", "relationship"})
"""Words after which a pair is one thing."""


def items_of(clause: str) -> list[str]:
    """The clause once for each item of its last list, or the clause alone."""
    tokens = tokens_of(clause)
    join = _join(tokens)
    if join is None:
        return [clause]
    commas = _commas(tokens, join)
    begin = _begin(tokens, commas[0] if commas else join)
    if begin is None:
        return [clause]
    edges = [begin - 1, *commas, join]
    items = [(a + 1, b) for a, b in pairwise(edges) if a + 1 < b]
    last = _last(tokens, join + 1)
    items.append((join + 1, last))
    if not _may_split(tokens, items, begin, bool(commas)):
        return [clause]
    prefix = clause[: tokens[begin].start]
    tail = clause[tokens[last - 1].end :].rstrip(" .")
    return [f"{prefix}{clause[tokens[a].start : tokens[b - 1].end]}{tail}" for a, b in items]


def _join(tokens: list[Token]) -> int | None:
    """The last `and` outside brackets that has words on both sides."""
    for at in range(len(tokens) - 2, 1, -1):
        named = is_double_name(tokens[at - 1].lower, tokens[at + 1].lower)
        if tokens[at].lower == "and" and not tokens[at].depth and not named:
            return at
    return None


def _commas(tokens: list[Token], join: int) -> list[int]:
    """Commas between items, first to last; the one right before `and` closes the last of them."""
    commas: list[int] = []
    edge = join - 1 if tokens[join - 1].text == "," else join
    if edge != join:
        commas.append(edge)
    while True:
        at = edge - 1
        while at > 0 and not (tokens[at].text == "," and not tokens[at].depth):
            if tokens[at].tag in "VE" or edge - at > _LONGEST_ITEM:
                return commas
            at -= 1
        if at <= 0 or edge - at < 2:
            return commas
        commas.insert(0, at)
        edge = at


def _begin(tokens: list[Token], edge: int) -> int | None:
    """First token of the first item: after the verb or the preposition before it."""
    for at in range(edge - 1, 0, -1):
        if edge - at > _LONGEST_ITEM + 1:
            return None
        word = tokens[at].lower
        if word in _WHOLE:
            return None
        if tokens[at].tag in "VEI" or word == ":" or (word in PREPOSITIONS and word != "of"):
            return at + 1 if at + 1 < edge else None
    return None


def _last(tokens: list[Token], start: int) -> int:
    """Where the last item ends: before a preposition whose phrase belongs to all, or at the end."""
    for at in range(start + 1, len(tokens)):
        if (
            tokens[at].text in ".,;(["
            or tokens[at].lower in ("who", "that", "which")
            or (tokens[at].lower in PREPOSITIONS and tokens[at].lower != "of")
        ):
            return at
    return len(tokens)


def _may_split(tokens: list[Token], items: list[tuple[int, int]], begin: int, listed: bool) -> bool:
    for start, end in items:
        if end - start > _LONGEST_ITEM or start >= end:
            return False
        words = [token.lower for token in tokens[start:end]]
        if any(token.tag in "VWS" for token in tokens[start:end]) or tokens[start].tag in "ARTIG":
            return False
        if words[0] in MONTHS or (words[0].isdigit() and len(words) == 1):
            return False
    if any(token.lower in _WHOLE for token in tokens[:begin]):
        return False
    if listed and len(items) >= 3:
        return True
    return not listed and len(items) == 2 and _is_pair(tokens, items)


def _is_pair(tokens: list[Token], items: list[tuple[int, int]]) -> bool:
    """Two names, or two things each with its own article."""
    firsts = [tokens[start] for start, _ in items]
    lasts = [tokens[end - 1] for _, end in items]
    named = all(token.capital or token.depth for token in [*firsts, *lasts])
    # "was a painter and sculptor": the second has no article, and is a single word.
    role = (
        firsts[0].lower in ("a", "an")
        and items[1][1] - items[1][0] == 1
        and tokens[items[0][0] - 1].lower in BE
    )
    return named or role or all(token.lower in DETERMINERS for token in firsts)
