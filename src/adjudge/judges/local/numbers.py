"""Numbers and dates in text, and whether two of them agree at the precision stated.

A claimed 105 agrees with 105.4 and 2M with 2.1M, because they say no more; 5M does not, and no more does a
claimed 105.4 with 105, which leaves it open, unless either is said to be rough. A date agrees with another if
no stated part differs and nothing claimed is left open (`dates`).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from adjudge.judges.local.dates import Date, date_agrees, date_differs, find_dates
from adjudge.judges.local.numerals import (
    CHINESE_DIGITS,
    JOINED_SCALES,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    WORDS,
    chinese_value,
    plain_figures,
    word_value,
)
from adjudge.judges.local.units import (
    CLOCK,
    LABEL,
    MEASURES,
    OPEN_CLOCK,
    alike,
    is_count,
    is_label,
    unit_after,
)


class Number(NamedTuple):
    """A number as written: value, half the step of its last digit, what it counts, and its bound if any."""

    value: float
    half: float
    unit: str
    """`%`, `km2`, `person`, `year`, `ordinal`, a currency, a noun, or empty if none is told (`units`)."""
    bound: str
    """`above`, `below` or empty."""
    text: str
    start: int
    end: int
    rough: bool = False
    """Whether it is said to be "about" that."""


class Numbers(NamedTuple):
    """All that a text states in figures."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]


_CLOCK = re.compile(
    r"(?<![\w:.,])(?P<hour>[01]?[0-9]|2[0-4])(?::(?P<minute>[0-5][0-9])(?![:\w]))?(?:\s?(?P<noon>[ap])(?:m\b|\.m\.))?",
    re.IGNORECASE,
)
_SCALE = "|".join(sorted(map(re.escape, SCALES), key=len, reverse=True))
_JOINED = "|".join(sorted(JOINED_SCALES, key=len, reverse=True))
_NUMBER = re.compile(
    r"(?P<money>[$€£¥])?\s?(?<![A-Za-z0-9_.])"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"
    r"|[0-9]+(?:\.[0-9]+)?)"
    rf"(?:(?P<ordinal>st|nd|rd|th)\b|(?P<decade>0?s)\b|\s?-?(?P<scale>{_SCALE})(?![a-zа-яء-ي])|(?P<joined>{_JOINED})"
    r"|(?P<short>[kKMB])(?![a-zA-Z]))?"
    r"(?P<percent>\s?(?:%|％|percent\b|per cent\b))?"
    rf"|\b(?P<word>{WORDS})"
    rf"|\b(?P<nth>{'|'.join(ORDINALS)})\b(?!,)"
    rf"|(?P<chinese>[{CHINESE_DIGITS}十百千万亿萬億]*[{CHINESE_DIGITS}十百千][{CHINESE_DIGITS}十百千万亿萬億]*)",
    re.IGNORECASE,
)
_MORE_PARTS = re.compile(r"(?:\.[0-9]+)*")
_MINUS = re.compile(r"(?:(?<=[^\d\s]) [-−]|[(\[][-−]|(?<=\s)−|\bminus\s?)$")
"""A sign, and not the dash of a list or of a span."""
_SHORT = {"k": 1e3, "m": 1e6, "b": 1e9}
_ABOVE = re.compile(r"(?:more than|over|at least|above|exceeding|greater than|超过|至少)\s*$", re.IGNORECASE)
_BELOW = re.compile(r"(?:less than|under|at most|below|fewer than|up to|不到|低于)\s*$", re.IGNORECASE)
_WHEN = {
    "above": re.compile(r"\b(?:after|since|from)\s*$", re.IGNORECASE),
    "below": re.compile(r"\b(?:before|until|till|by)\s*$", re.IGNORECASE),
}
_OR_ABOVE = re.compile(r"(?:\s[a-z]+)?,? or (?:more|higher|above|greater|over|older|later)\b")
_OR_BELOW = re.compile(r"(?:\s[a-z]+)?,? or (?:less|fewer|lower|below|under|younger)\b")
_ABOUT = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|some|circa|c\.|~|约|大约)\s*$", re.IGNORECASE
)
_ERA = re.compile(r"\s?(?:(?P<before>B\.?C\.?(?:E\b\.?)?)|A\.?D\b\.?|C\.?E\b\.?)(?!\w)")
_AD = re.compile(r"\bA\.?D\.?\s*$")
_LIST_MARK = re.compile(r"\s*\(?[0-9]{1,2}[.)]\s")
_COARSE = 1000.0
_HALF_DAY = 720.0
"""Minutes."""


@lru_cache(maxsize=8192)
def find_numbers(text: str) -> Numbers:
    """Numbers and dates of a text in order; a figure that is part of a date is not a number besides."""
    text = plain_figures(text)
    if not _MAY_HOLD.search(text):
        return Numbers((), ())
    mark = _LIST_MARK.match(text)
    start = mark.end() if mark else 0
    dates = find_dates(text)
    numbers = [
        _clock(text, found) for found in _CLOCK.finditer(text, start) if found["minute"] or found["noon"]
    ]
    taken = [figure[-2:] for figure in dates] + [(number.start, number.end) for number in numbers]
    for found in _NUMBER.finditer(text, start):
        if any(a < found.end() and found.start() < b for a, b in taken):
            continue
        number = _number(text, found)
        if number is not None:
            if number.unit == "year" and number.half == 0.5:
                dates.append(Date(int(number.value), None, None, number.text, number.start, number.end))
            else:
                numbers.append(number)
    by_start = operator.attrgetter("start")
    return Numbers(tuple(sorted(numbers, key=by_start)), tuple(sorted(dates, key=by_start)))


_MAY_HOLD = re.compile(
    rf"[0-9{CHINESE_DIGITS}十百]|\b(?:{'|'.join(NUMBER_WORDS)}|{'|'.join(ORDINALS)})\b", re.IGNORECASE
)


def _clock(text: str, found: re.Match[str]) -> Number:
    """A time of day in minutes."""
    hour, noon = int(found["hour"]), (found["noon"] or "").lower()
    if noon:
        hour = hour % 12 + (12 if noon == "p" else 0)
    unit = OPEN_CLOCK if not noon and 1 <= hour <= 12 else CLOCK
    bound = next((way for way, words in _WHEN.items() if words.search(text, 0, found.start())), "")
    return Number(60.0 * hour + int(found["minute"] or 0), 0.5, unit, bound, found[0], *found.span())


def _number(text: str, found: re.Match[str]) -> Number | None:
    before = text[max(0, found.start() - 40) : found.start()]
    bare = found["digits"] and found.end() == found.end("digits")
    if bare and is_label(found["digits"], text, found.end(), before):
        parts = _MORE_PARTS.match(text, found.end())
        end = parts.end() if parts else found.end()
        return Number(
            float(found["digits"].replace(",", "")), 0.5, LABEL, "", text[found.start() : end].strip(),
            found.start(), end,
        )  # fmt: skip
    value, half, unit = _value(found)
    if value is None:
        return None
    if not unit or unit == "year":
        counted = unit_after(text, found.end(), before, value)
        # "1990 miles" is a distance, and "with 1500 employees" a count; else four figures are rather a year.
        if not unit or counted in MEASURES or is_count(text, found.end(), before):
            half = half if not unit else _last_digit(found["digits"])
            unit = counted
    era = _ERA.match(text, found.end()) if bare else None
    if era or (bare and _AD.search(before)):
        # 44 BC is another year than AD 44; as numbers they would be the same.
        value, half, unit = -value if era and era["before"] else value, 0.5, "year"
    elif found["digits"] and _MINUS.search(before):
        value, unit = -value, "" if unit == "year" else unit
    bound = _bound(text, before, found.end())
    rough = bool(_ABOUT.search(before))
    half = max(half, 0.05 * abs(value)) if rough else half
    told = f"{found[0]}{era[0] if era else ''}".strip()
    return Number(value, half, unit, bound, told, *found.span(), rough)


def _bound(text: str, before: str, end: int) -> str:
    if _ABOVE.search(before) or _OR_ABOVE.match(text, end):
        return "above"
    return "below" if _BELOW.search(before) or _OR_BELOW.match(text, end) else ""


def _last_digit(plain: str) -> float:
    """Half a step of the first 0 at the end of a large whole number, or of its last digit."""
    return 0.5 * 10.0 ** max(0, len(plain) - len(plain.rstrip("0")) - 1)


def _value(found: re.Match[str]) -> tuple[float | None, float, str]:
    """Value, half its precision, and the unit if the figure itself tells it."""
    if digits := found["digits"]:
        plain = digits.replace(",", "")
        scale = (
            SCALES[found["scale"].lower()]
            if found["scale"]
            else JOINED_SCALES.get(found["joined"] or "") or _SHORT.get((found["short"] or "").lower(), 1.0)
        )
        value = float(plain) * scale
        half = 0.5 * scale * 10.0 ** -len(plain.partition(".")[2])
        if scale == 1.0 and "." not in plain and value >= _COARSE and not _is_year(plain, found):
            half = _last_digit(plain)
        if found["decade"] and len(plain) >= 3:
            return value, 5.0, "decade"
        unit = "ordinal" if found["ordinal"] else "%" if found["percent"] else found["money"] or ""
        return value, half, unit or ("year" if _is_year(plain, found) else "")
    if word := found["word"]:
        value, step = word_value(word)
        return (None, 0.0, "") if value == 1.0 else (value, 0.5 * step, "")
    if nth := found["nth"]:
        return float(ORDINALS[nth.lower()]), 0.5, "ordinal"
    parsed = chinese_value(found["chinese"])
    if parsed is None:
        return None, 0.0, ""
    return parsed, 0.5, ""


def _is_year(plain: str, found: re.Match[str]) -> bool:
    marks = ("scale", "joined", "short", "money", "percent", "ordinal")
    bare = not any(found[mark] for mark in marks)
    return (
        bare
        and len(plain) == 4
        and plain.isdigit()
        and 1000 <= int(plain) <= 2100
        and "," not in found["digits"]
    )


def agrees(claimed: Number, evidence: Number) -> bool:
    """Whether the evidence's number bears out the claimed one, at the precision that the claim states."""
    if LABEL in (claimed.unit, evidence.unit):
        # 3.10 is not 3.1 there.
        pointed = "." in claimed.text + evidence.text
        return claimed.text == evidence.text if pointed else claimed.value == evidence.value
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
    if OPEN_CLOCK in (claimed.unit, evidence.unit):
        gap %= _HALF_DAY
    half = max(claimed.half, evidence.half) if evidence.rough else claimed.half
    return gap < half * (1 - 1e-9)


def comparable(first: Number, second: Number) -> bool:
    """Whether two numbers may count the same thing; an untold unit may be any but a rank or a share."""
    if {first.unit, second.unit} == {CLOCK, OPEN_CLOCK}:
        return True
    known = alike(first.unit, second.unit)
    if known is not None:
        return known
    # Two nouns may be two words for one thing (games, matches), but then the figures must be the same.
    return not (first.unit and second.unit) or first.value == second.value


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
