"""The nouns that asides speak of, and what stands in brackets behind a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.segment.claims.phrases import phrases_of
from adjudge.segment.claims.tokens import Token, group_end
from adjudge.segment.claims.verbs import base_of
from adjudge.segment.claims.words import FORMS_OF_BE, word_set

_BORN = re.compile(
    r"\s*\(;?\s*((?:born|died|founded|formed|established|née|nicknamed|also known as)\b[^()]*)\)"
)
_YEARS = re.compile(r"\s*\(([^()]*?\b[0-9]{3,4})\s*(?:–|-|—|to)\s*([^()]*?\b[0-9]{3,4})\)")
_DAY = re.compile(r"[0-9] ?[A-Z]|[A-Z][a-z]+ [0-9]{1,2},")
_MAKING = word_set(
    "author build carve compile compose construct create design develop direct draw establish found"
    " illustrate introduce invent launch make paint photograph produce publish record release sculpt write"
)


def told_in_brackets(subject: str, name: str, *, fine: bool) -> tuple[str, list[str]]:
    """A subject without "(born 1960)" or, if `fine`, "(1881–1946)", and what these say of the name."""
    if found := _BORN.search(subject):
        told = [f"{name} was {part.strip()}" for part in found[1].split(";")]
    elif fine and (found := _YEARS.search(subject)):
        maiden, _, born = found[1].rpartition(";")
        told = [f"{name} was {maiden.strip()}"] if maiden else []
        for word, date in (("was born", born.strip()), ("died", found[2].strip())):
            told.append(f"{name} {word} {'on' if _DAY.search(date) else 'in'} {date}")
    else:
        return subject, []
    return subject[: found.start()] + subject[found.end() :], told


def antecedent_at(tokens: Sequence[Token], start: int, end: int) -> int:
    """Where the noun phrase that ends at `end` begins: after a verb, a comma or a preposition but `of`."""
    at = end
    while at > start:
        token, within = tokens[at - 1], at < end
        counted = within and tokens[at].tag == "#"
        reviewed = token.tag == "P" and within and tokens[at].tag == "N"
        paired = (
            token.tag == "C"
            and within
            and tokens[at].tag == "N"
            and at - 1 > start
            and tokens[at - 2].tag == "N"
        )
        if token.text in ",;:" or (token.tag in "VCEIGPTSA" and not (reviewed or paired)):
            break
        if token.tag == "R" and token.lower != "of" and not counted:
            break
        if token.lower == "of" and within and (counted or _is_named(tokens, at, end)):
            break
        at -= 1
    return at


def _is_named(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether a relative speaks of the name after `of`: "slopes of Winter Hill", not "College of Ely"."""
    name = tokens[at + (tokens[at].tag == "D" and at + 1 < end)]
    return name.tag == "M" and at > 1 and tokens[at - 2].tag != "M"


def work_in(tokens: Sequence[Token], verb: int) -> tuple[int, int] | None:
    """Where a clause with this verb says what its subject made: one thing with a name or with "the"."""
    after = group_end(tokens, verb)
    made = base_of(tokens[after - 1].lower) in _MAKING
    if not made or any(token.lower in FORMS_OF_BE for token in tokens[verb:after]):
        return None
    thing = next(iter(phrases_of(tokens, after)), None)
    if thing is None or thing.kind != "object":
        return None
    words = tokens[thing.start : thing.end]
    named = words[0].lower == "the" or all(word.capital for word in words)
    # The verb forms of a list, "wrote and directed", stand before it; a list of things is no "it".
    return (thing.start, thing.end) if named and not any(word.tag == "C" for word in words) else None
