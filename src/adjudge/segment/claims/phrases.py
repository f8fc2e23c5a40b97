"""What follows a verb, cut into phrases: its object, then each phrase of time, place, purpose or manner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.segment.claims.series import is_value
from adjudge.segment.claims.tokens import Token, has_verb
from adjudge.segment.claims.verbs import ING, base_of
from adjudge.segment.claims.words import DENIALS, NUMERALS, POSSESSIVES, word_set

_DIGITS = frozenset("0123456789%")
_NO_OPENERS = word_set("of than per")
_ABOUT_NUMBERS = word_set("about over around under near up at")
_AFTER_VERB_FORM = frozenset("PGEIV")
_RANKS = word_set("first second third fourth fifth last only most least sole")
_MORE = word_set("more less fewer least most")


CONTROLS = word_set(
    "allow enable require ask tell order encourage force permit want help expect urge persuade cause"
    " lead invite convince instruct advise let make train teach inspire need"
)
"""Verbs that say who is to do something: "allows you to pay"."""


_TO_DO = word_set(
    "ability right attempt attempts effort efforts decision plan plans desire opportunity way ways"
    " power need order failure chance permission refusal tendency capacity willingness able likely ready"
    " willing unable due"
)
"""Words that mean little without what follows `to`."""


_TITLES = word_set(
    "award awards prize medal act festival museum institute fund society foundation book project"
)


_NOBODY_YET = word_set(
    "those anyone everyone someone anybody everybody one all anything everything something"
)
"""Words that name nobody without what follows: "those who smoke"."""
_OF_FIGURES = word_set("in on at during")


class Phrase(NamedTuple):
    """Tokens [start, end) and what they are: object, prep, verbal (has a verb form), bracket, sibling, or
    member (a further one of what "such as" lists, with a verb form).
    """

    start: int
    end: int
    kind: str


def phrases_of(tokens: Sequence[Token], begin: int) -> list[Phrase]:
    """Phrases in order; the first may be the object, and a sibling is a further object after `and`."""
    starts: list[tuple[int, str]] = [(begin, "object")]
    at = begin
    while at < len(tokens):
        token = tokens[at]
        if token.text == "(" and at > begin and not token.depth:
            close = _closing(tokens, at)
            starts.append((at, "bracket"))
            if close < len(tokens):
                starts.append((close, "rest"))
            at = close
            continue
        if at > begin and not token.depth and _compares(tokens, at):
            starts.append((at, "bracket"))
            break
        kind = None if token.depth else _opens(tokens, at, begin, starts)
        if kind is not None:
            if starts[-1][0] == at:
                starts.pop()
            starts.append((at, kind))
        at += 1
    return _closed(tokens, starts)


def _compares(tokens: Sequence[Token], at: int) -> bool:
    """Whether the rest compares with before: ", up from $1 billion in 2019", ", their first since 1980"."""
    words = [token.lower for token in tokens[at : at + 2]]
    ranked = words[0] in POSSESSIVES and words[-1] in _RANKS
    compared = words in (["up", "from"], ["down", "from"]) or ranked
    return compared and tokens[at - 1].text == ","


def _closed(tokens: Sequence[Token], starts: list[tuple[int, str]]) -> list[Phrase]:
    """Phrases without the commas and conjunctions around them; empty ones go."""
    found: list[Phrase] = []
    ends = [start for start, _ in starts[1:]] + [len(tokens)]
    for (start, kind), end in zip(starts, ends, strict=True):
        while end > start and (
            tokens[end - 1].tag in "C"
            or (tokens[end - 1].tag == "A" and end < len(tokens) - 1 and tokens[end - 1].lower not in DENIALS)
            or tokens[end - 1].text in ",.;:!"
        ):
            end -= 1
        while start < end and (tokens[start].text == "," or (kind == "rest" and tokens[start].tag == "C")):
            start += 1
        if start >= end:
            continue
        if kind == "rest":
            # What follows a bracket goes on with the phrase before it.
            kind = "rest" if found else "object"
        if kind == "prep" and (has_verb(tokens[start:end]) or tokens[start + 1 : start + 2][0].tag == "G"):
            kind = "verbal"
        found.append(Phrase(start, end, kind))
    return found


def _closing(tokens: Sequence[Token], at: int) -> int:
    """After the bracket that closes the one at `at`."""
    depth = tokens[at].depth
    for index in range(at + 1, len(tokens)):
        if tokens[index].text == ")" and tokens[index].depth == depth:
            return index + 1
    return len(tokens)


def _opens(tokens: Sequence[Token], at: int, begin: int, starts: list[tuple[int, str]]) -> str | None:
    """The kind of phrase that begins at a token, or None where the one before goes on."""
    token = tokens[at]
    if at + 1 >= len(tokens):
        return None
    before = tokens[at - 1].tag if at > begin else "V"
    if token.tag == "R":
        return _opens_prep(tokens, at, begin, starts, before)
    if token.lower == "such" and tokens[at + 1].lower == "as":
        return "prep"
    if token.tag == "T" and tokens[at - 1].lower in _TO_DO:
        return None
    if token.tag == "T":
        return "verbal" if before in "NM#OA'," and not _is_controlled(tokens, at, starts[-1]) else None
    if token.tag == "G" and _is_member(tokens, at, starts):
        return "member"
    if token.tag == "G":
        complement = tokens[at + 1].tag in "DR#MO" and token.lower in ING
        listed = tokens[starts[-1][0]].tag in "RD" and starts[-1][1] == "prep" and before == ","
        if listed and any(own.tag == "G" for own in tokens[starts[-1][0] : at]):
            return None
        return "verbal" if complement and before in "NM#O,A" else None
    if token.tag == "P":
        describes = tokens[at + 1].tag in ("NP" if before == "#" else "N")  # "a black mixed breed"
        return "verbal" if before in "NM#" and not describes else None
    if token.tag in "WS":
        told = token.tag == "W" and tokens[at - 1].lower in _NOBODY_YET
        return "verbal" if before not in "R" and not told else None
    if token.tag == "C" and token.lower == "and":
        return "sibling" if _is_sibling(tokens, at, begin, starts) else None
    return None


def _is_member(tokens: Sequence[Token], at: int, starts: list[tuple[int, str]]) -> bool:
    """Whether an -ing form goes on with a list of them: "such as taking walks in parks, riding bikes"."""
    if not (tokens[at - 1].text == "," or (tokens[at - 1].tag == "C" and tokens[at - 2].text == ",")):
        return False
    for start, kind in reversed(starts):
        opener = tokens[start]
        if kind == "prep" and opener.lower in ("such", "including", "like"):
            return tokens[start + 1 + (opener.lower == "such")].lower.endswith("ing")
        if opener.tag in "SW":
            return False
    return False


def _opens_prep(
    tokens: Sequence[Token], at: int, begin: int, starts: list[tuple[int, str]], before: str
) -> str | None:
    token, after = tokens[at], tokens[at + 1]
    if (
        token.lower == "as"
        and at + 2 < len(tokens)
        and tokens[at + 2].lower == "as"
        and after.lower != "well"
    ):
        return None if before == "R" else "verbal"
    if before == "M" and after.tag == "M" and _is_title(tokens, at):
        return None
    if _awaits_verb(tokens, starts[-1], at) or (before == "C" and tokens[at - 2].tag == "R"):
        return None  # or "in and around"
    if token.lower in _NO_OPENERS or before == "R" or tokens[at - 1].lower in ("worth", "all"):
        return None
    if after.tag in ",V" and after.text not in "($€£“\"'-−":
        return None
    if token.lower == "as" and (
        "as" in (tokens[at - 1].lower, tokens[at - 2].lower) or after.lower == "well"
    ):
        return None
    if token.lower == "as" and tokens[at - 1].lower == "such":
        return None
    counts = after.tag == "#" or after.lower in _MORE or after.lower == "to"
    if token.lower in _ABOUT_NUMBERS and counts and (before in "VRCDEIG," or at == begin):
        return None
    if at > begin and before in _AFTER_VERB_FORM:
        return None
    opener = tokens[starts[-1][0]].lower
    goes_on = token.lower in ("to", "until") or _is_of_figure(tokens, starts[-1][0], at)
    if opener == "from" and starts[-1][1] == "prep" and goes_on:
        return None
    if (
        token.lower == "to"
        and (after.tag == "#" or after.text in "$€£")
        and tokens[at - 1].text[-1] in _DIGITS
    ):
        return None
    return "prep"


def _is_of_figure(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether a preposition tells of what one of two figures is: "from 12,000 in 1950 to 40,000 in 2010"."""
    figures = any(is_value(token) for token in tokens[start + 1 : at])
    parted = [i for i in range(start, len(tokens)) if tokens[i].lower == "to"]
    both = bool(parted) and any(token.lower in _OF_FIGURES for token in tokens[start + 1 : parted[0]])
    first = bool(parted) and at < parted[0] <= at + 3
    return figures and tokens[at].lower in _OF_FIGURES and (first or (both and at > parted[0]))


def _is_title(tokens: Sequence[Token], at: int) -> bool:
    """Whether a preposition stands inside a name: "the Courage in Media Award"."""
    while at + 1 < len(tokens) and tokens[at + 1].tag == "M":
        at += 1
    return tokens[at].lower in _TITLES


def _awaits_verb(tokens: Sequence[Token], phrase: tuple[int, str], at: int) -> bool:
    """Whether a clause after `that` or `who` has only its subject so far: "that noise from the fan is"."""
    if phrase[1] != "verbal" or tokens[phrase[0]].tag not in "SW" or has_verb(tokens[phrase[0] : at]):
        return False
    return has_verb(tokens[at:])


def _is_controlled(tokens: Sequence[Token], at: int, phrase: tuple[int, str]) -> bool:
    """Whether `to` goes on with a verb inside the phrase: "that allows you to pay"."""
    if phrase[1] != "verbal":
        return False
    verb = next((i for i in range(at - 1, phrase[0] - 1, -1) if tokens[i].tag in "VIGE"), None)
    return verb is not None and base_of(tokens[verb].lower) in CONTROLS


def _is_sibling(tokens: Sequence[Token], at: int, begin: int, starts: list[tuple[int, str]]) -> bool:
    """Whether `and` goes back past a phrase: "the Prize in 2005 and the Order in 2011"."""
    if starts[-1][1] != "prep" or len(starts) < 2 or at + 1 >= len(tokens):
        return False
    if any(tokens[start].lower == "between" for start, _ in starts[1:]):
        return False
    back = len(starts) - 2
    while back > 0 and starts[back][1] == "prep" and tokens[starts[back][0]].lower != "including":
        back -= 1
    listing = tokens[starts[back][0]].lower == "including"
    if not (starts[back][1] in ("object", "sibling") or listing):
        return False
    own = tokens[min(starts[-1][0] + 1, at)]
    head = tokens[begin] if back == 0 else tokens[min(starts[back][0] + 1, at)]
    after = tokens[at + 1]
    if any(token.text == "," for token in tokens[starts[-1][0] : at]):
        return False
    if back == 0 and _ranks(tokens, begin) and _ranks(tokens, at + 1):
        return True
    return _class(after) != _class(own) and _class(after) == _class(head) and _class(after) != "N"


def is_superlative(token: Token) -> bool:
    return token.tag == "N" and token.lower.endswith("est") and len(token.lower) > 5


def _ranks(tokens: Sequence[Token], at: int) -> bool:
    """Whether "the second planet" or "the hottest planet" begins here."""
    if tokens[at].lower != "the" or at + 1 >= len(tokens):
        return False
    return tokens[at + 1].lower in _RANKS or is_superlative(tokens[at + 1])


def _class(token: Token) -> str:
    if token.lower in NUMERALS:
        return "N"
    return "D" if token.lower in ("a", "an", "the") else token.tag
