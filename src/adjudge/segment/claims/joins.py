"""Phrases that say something else, or nothing, when told apart are put together again."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.segment.claims.leads import is_date
from adjudge.segment.claims.phrases import CONTROLS, Phrase, is_superlative
from adjudge.segment.claims.tokens import Token
from adjudge.segment.claims.verbs import base_of
from adjudge.segment.claims.words import word_set

_SCOPES = word_set("first last only most least sole youngest oldest than if unless")


def joined_phrases(tokens: Sequence[Token], lead: int, after: int, phrases: list[Phrase]) -> list[Phrase]:
    """The phrases of a clause whose subject begins at `lead` and whose verb ends at `after`."""
    phrases = _reporting(tokens, phrases)
    phrases = _controlled(tokens, after, phrases)
    phrases = _defined(tokens, lead, phrases)
    return _scoped(tokens, phrases)


def _reporting(tokens: Sequence[Token], phrases: list[Phrase]) -> list[Phrase]:
    """What comes before `that` says little alone: "said on Tuesday that …" is one thing said."""
    for number, phrase in enumerate(phrases):
        if phrases[0].kind != "object" and tokens[phrase.start].lower == "that" and number:
            return [Phrase(phrases[0].start, phrase.end, "verbal"), *phrases[number + 1 :]]
    return phrases


def _controlled(tokens: Sequence[Token], after: int, phrases: list[Phrase]) -> list[Phrase]:
    """Who is allowed what is one thing: "allows you to pay"."""
    if len(phrases) < 2 or phrases[0].kind != "object" or base_of(tokens[after - 1].lower) not in CONTROLS:
        return phrases
    if tokens[phrases[1].start].tag != "T":
        return phrases
    return [Phrase(phrases[0].start, phrases[1].end, "verbal"), *phrases[2:]]


def _defined(tokens: Sequence[Token], lead: int, phrases: list[Phrase]) -> list[Phrase]:
    """A noun stays with what defines it: "is the process by which …", "there is evidence that …"."""
    for number in range(len(phrases) - 1):
        one, other = phrases[number], phrases[number + 1]
        own = tokens[other.start : other.start + 2]
        restricts = tokens[other.start - 1].text != "," and any(token.tag == "W" for token in own)
        exists = tokens[lead].lower == "there" and own[0].lower == "that" and one.kind == "object"
        if exists or (restricts and tokens[one.start].lower == "the"):
            return [*phrases[:number], Phrase(one.start, other.end, one.kind), *phrases[number + 2 :]]
    return phrases


def _scoped(tokens: Sequence[Token], phrases: list[Phrase]) -> list[Phrase]:
    """What a superlative is measured over stays with it: "the first woman to fly in Peru"."""
    for number, phrase in enumerate(phrases):
        own = tokens[phrase.start : phrase.end]
        narrow = next((at for at in range(len(own)) if _narrows(own, at)), None)
        if narrow is None:
            continue
        last, told = number, any(token.lower == "of" for token in own[narrow:])
        while last + 1 < len(phrases) and _completes(tokens, phrases, last + 1, told):
            last, told = last + 1, True
        joined = Phrase(phrase.start, phrases[last].end, phrase.kind)
        return [*phrases[:number], joined, *_scoped(tokens, phrases[last + 1 :])]
    return phrases


def _narrows(own: Sequence[Token], at: int) -> bool:
    word = own[at].lower
    if word in ("than", "only", "sole"):
        return True
    return (word in _SCOPES or is_superlative(own[at])) and at > 0 and own[at - 1].lower == "the"


def _completes(tokens: Sequence[Token], phrases: list[Phrase], number: int, told: bool) -> bool:
    """Whether a superlative needs this phrase; once it has one, only clauses that limit it further."""
    phrase, before = phrases[number], phrases[number - 1]
    if phrase.kind in ("sibling", "bracket"):
        return False
    if not told or (tokens[phrase.start].tag in "TW" and tokens[phrase.start - 1].text != ","):
        return True
    # "the first woman to fly to Peru": the place belongs to the clause, a date does not
    inside = tokens[before.start].tag in "TW" or tokens[before.start].lower == "to"
    return inside and phrase.kind == "prep" and not is_date(tokens, phrase.start, phrase.end)
