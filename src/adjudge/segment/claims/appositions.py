"""Appositions: ", a Norwegian composer," behind a noun."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.segment.claims.tokens import Token, has_verb
from adjudge.segment.claims.words import word_set

_ABSTRACT = word_set(
    "feat position role title move decision record honor honour distinction post office job achievement"
    " time period practice number figure process fact"
)
"""Nouns whose apposition speaks of the whole clause before."""
KIN = word_set("son daughter brother sister child grandson granddaughter nephew niece wife husband widow")
_SUFFIXES = word_set("inc jr sr ltd llc phd md")
_LONGEST = 20


def is_apposition(tokens: Sequence[Token], at: int, before: int | None, close: int) -> bool:
    """Whether [at, close) after a comma says what the noun before it is.

    `before`: the clause's verb, None while its subject still waits for it.
    """
    first = tokens[at]
    if close - at <= 2 and first.lower in _SUFFIXES:
        return False
    if has_verb(tokens[at:close]) and not _is_described(tokens, at, close):
        return False
    if before is None:
        age = first.text.isdigit() and len(first.text) < len("100") and tokens[at + 1].text == ","
        named = first.tag in "DMN" or first.text in '"“' or age
        return named and close < len(tokens) and close - at <= _LONGEST
    if _is_kin(tokens, at):
        return True
    if first.lower not in ("a", "an") or close < len(tokens) or tokens[at + 1].lower in _ABSTRACT:
        return False
    end = next((index for index in range(at, close) if tokens[index].tag == "W"), close)
    return not any(token.tag == "C" or token.text == "," for token in tokens[at:end])


def _is_kin(tokens: Sequence[Token], at: int) -> bool:
    """Whether kinship is told (", the son of a minister"): of the subject, wherever it stands."""
    words = [token.lower for token in tokens[at : at + 4]]
    return words[0] in ("the", "a") and "of" in words[2:] and not KIN.isdisjoint(words[1:3])


def _is_described(tokens: Sequence[Token], at: int, close: int) -> bool:
    """Whether the only verb of an apposition stands behind a relative: "the process by which plants grow"."""
    relative = next((index for index in range(at, close) if tokens[index].tag == "W"), close)
    return tokens[at].tag == "D" and not has_verb(tokens[at:relative])


def follows_apposition(tokens: Sequence[Token], verb: int, at: int) -> bool:
    """Whether ", a …" stands last before a relative, which then speaks of it: "of Jua, a firm that sells"."""
    comma = next((index for index in range(at - 1, verb, -1) if tokens[index].text == ","), None)
    return comma is not None and tokens[comma + 1].lower in ("a", "an")
