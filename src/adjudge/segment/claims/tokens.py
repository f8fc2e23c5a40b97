"""Words of an English sentence with their offsets and tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.segment.claims.tags import tags_of
from adjudge.segment.claims.words import DENIALS

FORMULA = (
    r"\$\$[^$]{1,400}\$\$|\$(?![\s$])[^$\n]{0,400}(?<!\s)\$(?![0-9])"
    r"|\\\((?:(?!\\\)).){1,400}\\\)|\\\[(?:(?!\\\]).){1,400}\\\]"
)
"""One word: its brackets hold no citation. A dollar before a blank opens none, one before a figure closes
none: they are money.
"""
_TOKEN = re.compile(
    FORMULA
    + r"|(?:https?://|www\.)[^\s<>\"]*[^\s<>\"'’.,;:!?)\]]|(?:[A-Z][a-z]?\.){2,}|(?<=[a-z])(?:'s|’s|'re|’re|'ve|’ve|'d|’d|'ll|’ll)\b|[^\W_]+(?:[-./&@:][^\W_]+|['’](?!s\b|re\b|ve\b|ll\b|d\b)[a-z]+"
    r"|,(?=[0-9]{3}\b)[0-9]{3})*|[^\w\s]|_"
)
_TAKES = frozenset({"take", "takes", "took"})
_OPEN, _CLOSED = "([{“«", ")]}”»"


class Token(NamedTuple):
    """A word or a sign; `depth` is above 0 inside brackets and quotes; for `tag` see `tags`."""

    text: str
    lower: str
    start: int
    end: int
    depth: int
    tag: str

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


def tokens_of(sentence: str) -> list[Token]:
    """Tokens in order; a closed pair of straight quotes counts as brackets."""
    depths: list[int] = []
    texts: list[str] = []
    starts: list[int] = []
    depth, quoted = 0, False
    paired = sentence.count('"') % 2 == 0
    for found in _TOKEN.finditer(sentence):
        text = found[0]
        if text in _CLOSED and depth:
            depth -= 1
        if text == '"' and paired:
            quoted = not quoted
        texts.append(text)
        starts.append(found.start())
        depths.append(depth + quoted)
        if (text in _OPEN and text != "“") or (text == "“" and "”" in sentence):
            depth += 1
    lowers = [text.lower().replace("’", "'") for text in texts]
    tags = tags_of(texts, lowers, depths)
    ends = [start + len(text) for start, text in zip(starts, texts, strict=True)]
    return list(map(Token, texts, lowers, starts, ends, depths, tags))


def words_of(text: str, tokens: Sequence[Token], start: int, end: int) -> str:
    """The text from one token up to another, or nothing."""
    return text[tokens[start].start : tokens[end - 1].end] if start < end else ""


def verb_at(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """Position of the first finite verb in [start, end), or None."""
    for at in range(start, end):
        if tokens[at].tag == "V":
            return at
    return None


def main_verb_at(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """Position of the verb that a clause's subject has, or None: not the first of "the men who ran are"."""
    verb = verb_at(tokens, start, end)
    if verb is None:
        return None
    before = verb - 1
    while before > start and tokens[before].tag == "A":
        before -= 1
    relative = (
        before > start and tokens[before].lower in ("who", "which", "that") and tokens[before].tag in "WS"
    )
    if not relative or tokens[before - 1].text == ",":
        return verb
    stop = next((at for at in range(verb, end) if tokens[at].text == "," and not tokens[at].depth), end)
    later = verb_at(tokens, group_end(tokens, verb), stop)
    return later if later is not None and tokens[later - 1].tag not in "CSWO" else verb


def denial_at(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """Position of the first word in [start, end) that denies, or None.

    Names ("No. 5", "Never Land"), what is quoted and "not only" do not deny.
    """
    for at in range(start, end):
        token = tokens[at]
        named = token.depth or (token.tag == "M" and not token.text.isupper())
        only = token.lower == "not" and at + 1 < end and tokens[at + 1].lower in ("only", "just")
        if not named and not only and (token.lower in DENIALS or token.lower.endswith("n't")):
            return at
    return None


def denial_aside(tokens: Sequence[Token], at: int) -> bool:
    """Whether the comma at `at` parts a denial from its verb: "shall not, without consent, assign"."""
    return tokens[at].text == "," and not tokens[at].depth and tokens[at - 1].lower in ("not", "never")


def has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag == "V" for token in tokens)


def group_end(tokens: Sequence[Token], verb: int) -> int:
    """Where the words that make one verb end: "was not born", "began to write", "is expected to fall"."""
    at = verb + 1
    if at < len(tokens) and tokens[at].lower in ("place", "part") and tokens[verb].lower in _TAKES:
        return at + 1
    while at < len(tokens):
        tag = tokens[at].tag
        adverb = tag == "A" and at + 1 < len(tokens) and tokens[at + 1].tag in "AEIT"
        if not (tag in "EIT" or adverb):
            break
        at += 1
    return at
