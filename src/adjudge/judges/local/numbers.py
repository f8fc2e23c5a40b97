"""Numbers and dates in text, and whether two of them agree at the precision stated.

105 agrees with 105.4 and 2M with 2.1M, because the coarser of the two says no more; 5M agrees with neither.
A date agrees with another if no stated part differs and nothing claimed is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from adjudge.judges.local.numerals import (
    CHINESE_DIGITS,
    MONTH,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    UNITS,
    chinese_value,
)
from adjudge.segment.claims.words import word_set


class Number(NamedTuple):
    """A number as written: value, half the step of its last digit, what it counts, and its bound if any."""

    value: float
    half: float
    unit: str
    """`%`, `km2`, `person`, `year`, `ordinal`, a currency, a noun, or empty if none is told."""
    bound: str
    """`above`, `below` or empty."""
    text: str
    start: int
    end: int


class Date(NamedTuple):
    """Year, month and day as far as stated."""

    year: int | None
    month: int | None
    day: int | None
    text: str
    start: int
    end: int


class Numbers(NamedTuple):
    """All that a text states in figures."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]


_DATE = re.compile(
    rf"(?P<m1>{MONTH})\.?\s+(?P<d1>[0-3]?[0-9])(?:st|nd|rd|th)?(?:,?\s+(?P<y1>[12][0-9]{{3}}))?\b"
    rf"|\b(?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{MONTH})\b\.?(?:,?\s+(?P<y2>[12][0-9]{{3}})\b)?"
    rf"|(?P<m3>{MONTH})\.?,?\s+(?P<y3>[12][0-9]{{3}})\b"
    r"|\b(?P<y4>[12][0-9]{3})-(?P<m4>[01]?[0-9])-(?P<d4>[0-3]?[0-9])\b"
    r"|(?P<y5>[12][0-9]{3})\s*年(?:\s*(?P<m5>[01]?[0-9])\s*月(?:\s*(?P<d5>[0-3]?[0-9])\s*[日号])?)?",
    re.IGNORECASE,
)
_SCALE = "|".join(sorted(map(re.escape, SCALES), key=len, reverse=True))
_NUMBER = re.compile(
    r"(?P<money>[$€£¥])?\s?(?<![A-Za-z0-9_.])(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)"
    rf"(?:(?P<ordinal>st|nd|rd|th)\b|(?P<decade>0?s)\b|\s?-?(?P<scale>{_SCALE})(?![a-z])|(?P<short>[kKMB])(?![a-zA-Z]))?"
    r"(?P<percent>\s?(?:%|％|percent\b|per cent\b))?"
    rf"|\b(?P<word>{'|'.join(NUMBER_WORDS)})(?:[\s-](?P<word2>{'|'.join(NUMBER_WORDS)}))?"
    rf"(?:\s(?P<wscale>{_SCALE}))?\b"
    rf"|\b(?P<nth>{'|'.join(ORDINALS)})\b(?!,)"
    rf"|(?P<chinese>[{CHINESE_DIGITS}十百千万亿]*[{CHINESE_DIGITS}十百千][{CHINESE_DIGITS}十百千万亿]*)",
    re.IGNORECASE,
)
_SHORT = {"k": 1e3, "m": 1e6, "b": 1e9}
_ABOVE = re.compile(r"(?:more than|over|at least|above|exceeding|greater than|超过|至少)\s*$", re.IGNORECASE)
_BELOW = re.compile(r"(?:less than|under|at most|below|fewer than|up to|不到|低于)\s*$", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|circa|c\.|~|约|大约)\s*$", re.IGNORECASE
)
_POPULATION = re.compile(r"(?:population|inhabitants|人口)[^.;]{0,24}$", re.IGNORECASE)
_NOUN = re.compile(r"[\s-]*(?:(square|sq\.?|cubic)\s+)?([^\W\d_]+²?)?")
_SKIP = word_set("and or of in on at by to the a is was were are with for from as per which who that")
_LIST_MARK = re.compile(r"\s*\(?[0-9]{1,2}[.)]\s")
_COARSE = 1000.0
_OWN_KIND = frozenset({"ordinal", "%", "year", "decade", "$", "€", "£", "¥", "km", "km2", "m", "person"})
"""Units that no other unit can stand for."""
_MEASURES = frozenset(UNITS.values()) | {unit + power for unit in UNITS.values() for power in "23"}


@lru_cache(maxsize=8192)
def find_numbers(text: str) -> Numbers:
    """Numbers and dates of a text in order; a figure that is part of a date is not a number besides."""
    if not _MAY_HOLD.search(text):
        return Numbers((), ())
    dates = [date for found in _DATE.finditer(text) if (date := _date(found)) is not None]
    taken = [(date.start, date.end) for date in dates]
    numbers = []
    mark = _LIST_MARK.match(text)
    for found in _NUMBER.finditer(text, mark.end() if mark else 0):
        if any(a < found.end() and found.start() < b for a, b in taken):
            continue
        number = _number(text, found)
        if number is not None:
            if number.unit == "year" and number.half == 0.5:
                dates.append(Date(int(number.value), None, None, *number[4:]))
            else:
                numbers.append(number)
    return Numbers(tuple(numbers), tuple(sorted(dates, key=lambda date: date.start)))


_MAY_HOLD = re.compile(
    rf"[0-9{CHINESE_DIGITS}十百]|\b(?:{'|'.join(NUMBER_WORDS)}|{'|'.join(ORDINALS)})\b", re.IGNORECASE
)


def _date(found: re.Match[str]) -> Date | None:
    parts = found.groupdict()
    kind = next(n for n in "12345" if parts.get(f"m{n}") or parts.get(f"y{n}"))
    year, month, day = (parts.get(f"{part}{kind}") for part in "ymd")
    number = None
    if month:
        number = int(month) if month.isdigit() else MONTHS[month.lower()[:3]]
    if kind == "1" and year is None and found["m1"].islower() and found["m1"] in ("may", "march"):
        return None
    return Date(int(year) if year else None, number, int(day) if day else None, found[0], *found.span())


def _number(text: str, found: re.Match[str]) -> Number | None:
    value, half, unit = _value(found)
    if value is None:
        return None
    before = text[max(0, found.start() - 40) : found.start()]
    if not unit or unit == "year":
        counted = _unit(text, found, before, value)
        # "1990 miles" is a distance; before any other word four figures are rather a year.
        unit = counted if not unit or counted in _MEASURES else unit
    bound = "above" if _ABOVE.search(before) else "below" if _BELOW.search(before) else ""
    if _ABOUT.search(before):
        half = max(half, 0.05 * abs(value))
    return Number(value, half, unit, bound, found[0].strip(), *found.span())


def _value(found: re.Match[str]) -> tuple[float | None, float, str]:
    """Value, half its precision, and the unit if the figure itself tells it."""
    if digits := found["digits"]:
        plain = digits.replace(",", "")
        scale = (
            SCALES[found["scale"].lower()]
            if found["scale"]
            else _SHORT.get((found["short"] or "").lower(), 1.0)
        )
        value = float(plain) * scale
        half = 0.5 * scale * 10.0 ** -len(plain.partition(".")[2])
        if scale == 1.0 and "." not in plain and value >= _COARSE and not _is_year(plain, found):
            half = 0.5 * 10.0 ** max(0, len(plain) - len(plain.rstrip("0")) - 1)
        if found["decade"] and len(plain) >= 3:
            return value, 5.0, "decade"
        unit = "ordinal" if found["ordinal"] else "%" if found["percent"] else found["money"] or ""
        return value, half, unit or ("year" if _is_year(plain, found) else "")
    if word := found["word"]:
        value = float(NUMBER_WORDS[word.lower()])
        if second := found["word2"]:
            value += NUMBER_WORDS[second.lower()]
        scale = SCALES[found["wscale"].lower()] if found["wscale"] else 1.0
        if value == 1.0 and scale == 1.0:
            return None, 0.0, ""
        return value * scale, 0.5 * scale, ""
    if nth := found["nth"]:
        return float(ORDINALS[nth.lower()]), 0.5, "ordinal"
    parsed = chinese_value(found["chinese"])
    if parsed is None:
        return None, 0.0, ""
    return parsed, 0.5, ""


def _is_year(plain: str, found: re.Match[str]) -> bool:
    bare = not (found["scale"] or found["short"] or found["money"] or found["percent"] or found["ordinal"])
    return (
        bare
        and len(plain) == 4
        and plain.isdigit()
        and 1000 <= int(plain) <= 2100
        and "," not in found["digits"]
    )


def _unit(text: str, found: re.Match[str], before: str, value: float) -> str:
    """The noun counted: what follows, or people after "population of"."""
    after = _NOUN.match(text, found.end())
    word = (after[2] or "").lower() if after else ""
    if after and after[1]:
        kind = "2" if after[1].lower().startswith("sq") else "3"
        return UNITS.get(word, word.rstrip("s")) + kind
    if word in UNITS:
        return UNITS[word]
    if _POPULATION.search(before) and value >= 100:
        return "person"
    if not word or word in _SKIP:
        return ""
    return word if "\u4e00" <= word[0] <= "\u9fff" else word.rstrip("s")


def agrees(claimed: Number, evidence: Number) -> bool:
    """Whether the evidence's number bears out the claimed one, at the coarser precision of the two."""
    if not comparable(claimed, evidence):
        return False
    if claimed.bound == "above" and not evidence.bound:
        return (
            evidence.value >= claimed.value - claimed.half
            and evidence.value <= 10 * claimed.value + claimed.half
        )
    if claimed.bound == "below" and not evidence.bound:
        return evidence.value <= claimed.value + claimed.half
    if {claimed.bound, evidence.bound} == {"above", "below"}:
        return False
    gap = abs(claimed.value - evidence.value)
    return gap <= max(claimed.half, evidence.half) * (1 + 1e-9)


def comparable(first: Number, second: Number) -> bool:
    """Whether two numbers may count the same thing; an untold unit may be any but a rank or a share."""
    if first.unit == second.unit:
        return True
    if first.unit in _OWN_KIND or second.unit in _OWN_KIND:
        return False
    # Two nouns may be two words for one thing (games, matches), but then the figures must be the same.
    return not (first.unit and second.unit) or first.value == second.value


def date_agrees(claimed: Date, evidence: Date) -> bool:
    """Whether every claimed part is stated, and equal."""
    return all(c is None or c == e for c, e in zip(claimed[:3], evidence[:3], strict=True))


def date_differs(claimed: Date, evidence: Date) -> bool:
    """Whether some part that both state is different."""
    return any(
        c is not None and e is not None and c != e for c, e in zip(claimed[:3], evidence[:3], strict=True)
    )


class Comparison(NamedTuple):
    """Figures of a claim: borne out, different from what the evidence says of the same kind, or not found."""

    agreeing: int
    differing: int
    absent: int
    first_difference: str
    """`claimed / found`, or empty."""


def compare(claim: Numbers, evidence: Sequence[Numbers]) -> Comparison:
    """Each figure of a claim against all of the evidence's."""
    numbers = [number for part in evidence for number in part.numbers]
    dates = [date for part in evidence for date in part.dates]
    agreeing = differing = absent = 0
    difference = ""
    for claimed in claim.numbers:
        if any(agrees(claimed, number) for number in numbers):
            agreeing += 1
            continue
        # Different only from the same unit: an untold one may be anything.
        rivals = [number for number in numbers if number.unit == claimed.unit and claimed.unit]
        differing, absent = differing + bool(rivals), absent + (not rivals)
        difference = difference or (f"{claimed.text} / {rivals[0].text}" if rivals else "")
    for date in claim.dates:
        if any(date_agrees(date, other) for other in dates):
            agreeing += 1
            continue
        clash = [other for other in dates if date_differs(date, other)]
        partial = len(clash) < len(dates)
        differing, absent = differing + (bool(clash) and not partial), absent + (partial or not clash)
        if clash and not partial:
            difference = difference or f"{date.text} / {clash[0].text}"
    return Comparison(agreeing, differing, absent, difference)
