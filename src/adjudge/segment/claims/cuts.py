"""Where an English sentence can be cut into clauses."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.segment.claims.tokens import Token, has_verb, is_verb, verb_at
from adjudge.segment.claims.words import (
    ADVERBS,
    BE,
    COORDINATORS,
    DETERMINERS,
    ING,
    MONTHS,
    PARTICIPLES,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    word_set,
)

_QUANTITY = word_set("a an over about more approximately around nearly almost roughly some just at up")
_NUMBER = re.compile(
    r"[0-9]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million)\b"
)
_HAS_OF = re.compile(r"with an? [\w -]{1,40} of ")
_LONGEST_ASIDE = 16


class Cut(NamedTuple):
    """Where a new clause begins: the token at `at` is its first, `drop` tokens before it go."""

    at: int
    kind: str
    """`clause` (own subject), `verb` (same one), relative, with, doing, done, apposition, resume."""
    drop: int


def find_cuts(tokens: list[Token], begin: int = 0) -> list[Cut]:
    """Cuts after `begin`, in order."""
    cuts: list[Cut] = []
    clause = begin
    at = begin + 1
    while at < len(tokens):
        token = tokens[at]
        found: list[Cut] = []
        if not token.depth:
            if token.text in (";", "—") and has_verb(tokens[at + 1 :]):
                found = [Cut(at + 1, "clause", 1)]
            elif token.text == ",":
                found = _after_comma(tokens, at, clause)
            elif token.lower in COORDINATORS and token.lower != "or":
                found = _after_coordinator(tokens, at, clause)
            elif token.lower == "with" and _is_quantity(tokens, at, clause):
                found = [Cut(at, "with", 0)]
            elif token.lower in ("who", "known") and _tells_of_subject(tokens, at, clause):
                found = [Cut(at, "relative" if token.lower == "who" else "done", 0)]
        if found:
            cuts += found
            clause = found[-1].at if found[-1].kind in ("clause", "verb") else clause
            at = found[-1].at
        at += 1
    return cuts


def _after_comma(tokens: list[Token], comma: int, clause: int) -> list[Cut]:
    at = comma + 1
    if at + 1 >= len(tokens):
        return []
    first = tokens[at].lower
    before = verb_at(tokens, clause, comma)
    close = _close(tokens, at)
    if first in ("who", "which", "whose", "where") and has_verb(tokens[at:close]):
        if first == "which" and not is_verb(tokens, at + 1) and tokens[at + 1].lower not in ADVERBS:
            return []
        kind = "relative"
    elif first in ING and before is not None:
        kind = "doing"
    elif first in PARTICIPLES and tokens[at + 1].lower in PREPOSITIONS:
        kind = "done"
    elif first in ("a", "an", "the") and not has_verb(tokens[at:close]):
        if before is None and close == len(tokens):
            return []
        listed = any(token.lower in ("and", "or") or token.text == "," for token in tokens[at:close])
        if before is not None and (close < len(tokens) or first == "the" or listed):
            return []
        kind = "apposition"
    else:
        return []
    found = [Cut(at, kind, 1)]
    if before is None and close + 1 < len(tokens):
        found.append(Cut(close + 1, "resume", 1))
    return found


def _close(tokens: list[Token], at: int) -> int:
    """The comma that ends an aside, or the end of the sentence."""
    for index in range(at, min(len(tokens), at + _LONGEST_ASIDE)):
        token = tokens[index]
        if token.text == "," and not token.depth and index + 1 < len(tokens):
            after = tokens[index + 1]
            if is_verb(tokens, index + 1) or after.lower in ADVERBS:
                return index
    return len(tokens)


def _after_coordinator(tokens: list[Token], at: int, clause: int) -> list[Cut]:
    drop = 2 if tokens[at - 1].text == "," else 1
    start = at + 1
    if start >= len(tokens) or verb_at(tokens, clause, at) is None:
        return []
    verb = start
    while verb < len(tokens) - 1 and tokens[verb].lower in ADVERBS:
        verb += 1
    if is_verb(tokens, verb):
        said = {token.lower for token in tokens[clause:at]}
        return [] if "that" in said or tokens[start].lower == "to" else [Cut(start, "verb", drop)]
    if tokens[start].lower in SUBJECT_PRONOUNS or tokens[start].lower == "there":
        return [Cut(start, "clause", drop)]
    if _has_own_subject(tokens, start, tokens[at - 1].text == "," or tokens[at].lower != "and"):
        return [Cut(start, "clause", drop)]
    return []


def _has_own_subject(tokens: list[Token], start: int, sure: bool) -> bool:
    """Whether a noun phrase and then a finite verb follow."""
    first = tokens[start]
    if not (first.capital or first.lower in DETERMINERS or sure):
        return False
    for at in range(start + 1, min(len(tokens), start + 9)):
        token = tokens[at]
        if token.text in ",;:" or token.lower in ("that", "which", "who", "and", "or", "to"):
            return False
        if is_verb(tokens, at) and not token.lower.endswith("ing"):
            return True
    return False


def _tells_of_subject(tokens: list[Token], at: int, clause: int) -> bool:
    """Whether "who …" or "known for …" follows "X is a …" directly and so speaks of X."""
    verb = verb_at(tokens, clause, at)
    if verb is None or tokens[verb].lower not in BE or at - verb < 2 or at + 2 >= len(tokens):
        return False
    if tokens[at].lower == "known":
        return tokens[at - 1].text != "," and tokens[at + 1].lower in ("for", "as")
    return tokens[verb + 1].lower in ("a", "an") and is_verb(tokens, at + 1)


def _is_quantity(tokens: list[Token], at: int, clause: int) -> bool:
    """Whether "with" gives a number ("with a population of 2M") to a clause that has its verb."""
    if at + 2 >= len(tokens) or verb_at(tokens, clause, at) is None:
        return False
    first = tokens[at + 1]
    if not (first.lower in _QUANTITY or first.text[0].isdigit()):
        return False
    words = " ".join(token.lower for token in tokens[at : at + 12])
    month = tokens[at + 1].lower in MONTHS
    return not month and bool(_NUMBER.search(words) or _HAS_OF.match(words))
