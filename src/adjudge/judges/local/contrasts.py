"""A sentence that tells of one thing and then of another is two sentences to the model.

"The Lark was founded in 1922, while The Wren was founded in 1974": each half may stand in a document of its
own, and beside either the whole is not borne out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from adjudge.segment.claims.tokens import Token, tokens_of
from adjudge.segment.claims.words import word_set

_JOINS = word_set("while whereas but and")
_LEAST = 4
"""Words of what can stand by itself."""
_QUOTES = '"“'


@lru_cache(maxsize=4096)
def told_apart(sentence: str) -> tuple[str, ...]:
    """The sentence, or its parts that each tell something of another name."""
    if _JOINS.isdisjoint(sentence.lower().split()):
        return (sentence,)
    tokens = tokens_of(sentence)
    parts, first = [], 0
    for at, token in enumerate(tokens):
        # Without a comma, "while" may tell of when, and "and" may join what was said.
        apart = at > first and (tokens[at - 1].text == "," or token.lower == "whereas")
        if token.lower in _JOINS and not token.depth and apart and _of_another(tokens, at + 1):
            end = at - (tokens[at - 1].text == ",")
            if _tells(tokens[first:end]):
                parts.append(sentence[tokens[first].start : tokens[end - 1].end] + ".")
                first = at + 1
    rest = sentence[tokens[first].start :] if first else sentence
    return (*parts, rest[:1].upper() + rest[1:]) if parts else (sentence,)


def _tells(tokens: Sequence[Token]) -> bool:
    return len(tokens) >= _LEAST and any(token.tag == "V" for token in tokens)


def _of_another(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name stands here, and behind it the verb that tells of it."""
    at += at < len(tokens) and tokens[at].lower == "the"
    if at >= len(tokens) or not (tokens[at].capital or tokens[at].text in _QUOTES):
        return False
    while at < len(tokens) and (tokens[at].depth or tokens[at].tag in "M#A'" or tokens[at].text in '"“”()'):
        at += 1
    return at < len(tokens) and tokens[at].tag == "V"
