"""A figure told of another time: "Turnover was 36 million in 2019", where that was 2018's.

The words, the figure and the year are all there, so a small model passes such a claim. Where a sentence tells
two figures of a kind, and of what time the claimed one is, a claim that has it at another time is
contradicted, unless the evidence has it at the claimed time somewhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.judges.local.dates import Date, date_agrees, date_differs
from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import Finding
from adjudge.judges.local.numbers import Number, agrees, find_numbers
from adjudge.judges.local.numerals import MONTH, MONTHS
from adjudge.judges.local.units import CLOCK, LABEL, OPEN_CLOCK
from adjudge.judges.local.words import bag

_NO_MEASURES = frozenset((LABEL, CLOCK, OPEN_CLOCK, "ordinal", "decade"))
_MONTH_ALONE = re.compile(rf"\b(?:in|of|for|by|since|until) (?P<month>{MONTH})\b\.?(?! ?[0-9])")
_OF_TIME = re.compile(
    r"(?:(?!(?:and|or|to|from|but|by|in|while)\b)[a-z-]+,? ){0,3}(?:in|for|during|of|as of|at the end of)"
    r"(?: the)?(?:[ -](?:fiscal|financial|full))?(?: year)?|\("
)
"""Between a figure and the time that it is of: "percent of sales in the year", "("."""
_SAME_WORDS = 0.6
"""Share of the weight of the claim's words that the sentence must have to be about the same."""


class Told(NamedTuple):
    """A figure, the time that it is told of, and the sentence."""

    number: Number
    when: Date
    sentence: str


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Whether the evidence tells the one figure of a claim of another time."""
    numbers, times = _figures(claim), list(_times(claim))
    if len(numbers) != 1 or len(times) != 1 or numbers[0].bound or numbers[0].rough:
        return None
    number, when = numbers[0], times[0]
    own = [told for told in _known(tuple(evidence.sentences)) if _same(number, told.number)]
    if not own or not all(date_differs(when, told.when) for told in own) or _also(number, when, evidence):
        return None
    for told in own:
        if _has_rival(number, told.sentence) and _speaks_of(claim, told.sentence):
            shown = f"{told.number.text} in {told.when.text.strip()}"
            return Finding(False, True, f"{number.text} in {when.text.strip()}, there {shown}")
    return None


def _figures(text: str) -> list[Number]:
    return [number for number in find_numbers(text).numbers if number.unit not in _NO_MEASURES]


def _times(text: str) -> Iterator[Date]:
    """Dates, and months that stand by themselves."""
    yield from find_numbers(text).dates
    for found in _MONTH_ALONE.finditer(text):
        yield Date(None, MONTHS[found["month"].lower()[:3]], None, found["month"], *found.span("month"))


def _same(claimed: Number, told: Number) -> bool:
    return claimed.unit == told.unit and agrees(claimed, told)


def _has_rival(number: Number, sentence: str) -> bool:
    """Whether the sentence tells another figure of the kind, which may be that of the claimed time."""
    return any(other.unit == number.unit and not agrees(number, other) for other in _figures(sentence))


def _speaks_of(claim: str, sentence: str) -> bool:
    words, there = bag(claim), bag(sentence).weights
    return sum(w for key, w in words.weights.items() if key in there) >= _SAME_WORDS * words.total


def _also(number: Number, when: Date, evidence: Evidence) -> bool:
    """Whether a sentence has the figure, of no time told beside it, and the claimed time."""
    return any(_has_otherwise(number, when, text) for text in evidence.sentences)


def _has_otherwise(number: Number, when: Date, text: str) -> bool:
    beside = {told.number.start for told in _told(text)}
    alone = any(_same(number, other) and other.start not in beside for other in _figures(text))
    return alone and any(date_agrees(when, other) for other in _times(text))


@kept(KEPT)
def _known(sentences: tuple[str, ...]) -> tuple[Told, ...]:
    return tuple(told for sentence in sentences for told in _told(sentence))


def _told(text: str) -> Iterator[Told]:
    times = list(_times(text))
    for number in _figures(text) if times else ():
        for when in times:
            between = text[number.end : when.start].strip(" ,")
            if when.start >= number.end and _OF_TIME.fullmatch(between):
                yield Told(number, when, text)
