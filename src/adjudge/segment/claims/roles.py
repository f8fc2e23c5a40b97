"""What somebody or something is said to be: nationality, profession, name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.segment.claims.items import Item, is_adjective, is_people, joined, people_at
from adjudge.segment.claims.phrases import Phrase
from adjudge.segment.claims.tokens import Token, words_of
from adjudge.segment.claims.words import word_set

_ESTEEMED = word_set(
    "retired prominent renowned famous successful influential well-known celebrated acclaimed popular"
    " notable prolific accomplished award-winning versatile talented respected distinguished"
    " highly-respected noted"
)
_VOWEL = re.compile(r"(?!uni(?!n|m)|us[aeu]|eu|one\b|ut[aei])[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE)


def role_of(text: str, tokens: Sequence[Token], item: Item) -> list[str]:
    """What "is" may stand before: Swiss and a poet for "a Swiss poet", hard and a dark rock likewise."""
    found = []
    start, end = item[0]
    if tokens[start].lower in ("a", "an") and start + 1 < end:
        start += 1
    while (to := people_at(tokens, start, end)) > start or tokens[start].lower in _ESTEEMED:
        to = max(to, start + 1)
        if to >= end:
            break
        found.append(words_of(text, tokens, start, to))
        start = to + 1 if tokens[to].lower in ("and", ",") and to + 1 < end else to
    while start + 2 < end and tokens[start + 1].text == "," and not tokens[start].capital:
        found.append(tokens[start].text)
        start += 2
    words = joined(text, tokens, [(start, end), *item[1:]])
    return [*found, words if tokens[start].tag in "D#O" else with_article(words)]


def names_in(text: str, tokens: Sequence[Token], phrase: Phrase) -> list[str]:
    """What a name is, told in passing: "the Polish cellist Adam Gorski"."""
    at = phrase.start + (tokens[phrase.start].tag == "R") - 1
    head = tokens[at + 1 : at + 3]
    common = len(head) == 2 and head[0].tag == "N" and head[0].text.islower() and head[0].text.isascii()
    if not (common and at + 2 < phrase.end and head[1].tag == "M"):
        at = phrase.start
        while at < phrase.end and tokens[at].lower != "the":
            at += 1
    start = at = _skip(tokens, at + 1, phrase.end, "#")
    while at < phrase.end and is_people(tokens[at]):
        at += 1
    noun = at
    while at < phrase.end and tokens[at].tag == "N" and not tokens[at].lower.endswith("s"):
        at += 1
    end = _skip(tokens, at, phrase.end, "M")
    if not 0 < at - noun <= 2 or end == at or not _is_name(tokens, at, end, phrase.end):
        return []
    name = words_of(text, tokens, at, end)
    said = [tokens[people].text for people in range(start, noun)]
    return [f"{name} is {what}" for what in (*said, with_article(words_of(text, tokens, noun, at)))]


def renamed_in(text: str, tokens: Sequence[Token], phrase: Phrase) -> list[str]:
    """What a thing is called: "launched her own show, Open Window"."""
    comma = next((at for at in range(phrase.start, phrase.end) if tokens[at].text == ","), phrase.end)
    named = tokens[comma + 1 : phrase.end]
    common = comma > phrase.start and tokens[comma - 1].tag == "N" and tokens[phrase.start].tag == "D"
    if not (common and named and all(token.tag == "M" or token.text in '"“”' for token in named)):
        return []
    noun, name = words_of(text, tokens, phrase.start, comma), words_of(text, tokens, comma + 1, phrase.end)
    return [f"{noun} is {name}"]


def with_article(words: str) -> str:
    """A noun with `a` or `an`."""
    return f"{'an' if _VOWEL.match(words) else 'a'} {words}"


def _skip(tokens: Sequence[Token], at: int, end: int, tag: str) -> int:
    while at < end and tokens[at].tag == tag and not tokens[at].depth:
        at += 1
    return at


def _is_name(tokens: Sequence[Token], start: int, end: int, last: int) -> bool:
    """Whether capitals after a noun name it: no abbreviation, and no further noun follows."""
    shouted = any(token.text.isupper() and len(token.text) > 1 for token in tokens[start:end])
    noun = tokens[start - 1].lower
    goes_on = end < last and (tokens[end].tag in "N'" or tokens[end].lower == "of")
    describes = is_adjective(noun) or noun.endswith("ing") or noun == "first"
    return not (shouted or goes_on or describes)
