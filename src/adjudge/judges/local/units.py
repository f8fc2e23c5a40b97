"""What a number counts or measures: the words for it, and which of them are unlike."""

from __future__ import annotations

import re

from adjudge.judges.local.numerals import MONTH
from adjudge.segment.claims.words import word_set

_WORDS = {
    "person": "people persons person inhabitants residents citizens 人",
    "km": "km kilometer kilometers kilometre kilometres 公里",
    "km2": "km² 平方公里 平方千米",
    "mile": "mile miles",
    "m": "m meter meters metre metres 米",
    "cm": "cm centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "foot": "ft foot feet",
    "inch": "inch inches",
    "kg": "kg kilogram kilograms",
    "g": "g gram grams",
    "mg": "mg milligram milligrams",
    "mcg": "mcg µg μg microgram micrograms",
    "ton": "ton tons tonne tonnes",
    "l": "l liter liters litre litres",
    "ml": "ml milliliter milliliters millilitre millilitres",
    "duration:year": "years year",
    "month": "months month",
    "week": "weeks week",
    "day": "days day",
    "hour": "hours hour h hrs",
    "minute": "minutes minute min mins",
    "°c": "°c ℃",
    "°f": "°f ℉",
    "percentage point": "percentage",
    "$": "dollars dollar usd",
    "€": "euros euro eur",
    "£": "pounds gbp",
    "¥": "yen jpy",
}
UNITS = {word: unit for unit, words in _WORDS.items() for word in words.split()}
MEASURES = frozenset(UNITS.values()) | {unit + power for unit in UNITS.values() for power in "23"}
KINDS = MEASURES - {"person"} | {"%"}
"""Units of which each is something else than the others."""
LABEL, CLOCK, OPEN_CLOCK = "label", "clock", "clock of twelve hours"
"""Of a figure that is a name ("Section 4.2"), of a time of day, and of one before or after noon."""
_OWN_KIND = frozenset(
    {"ordinal", "%", "year", "decade", "percentage point", "$", "€", "£", "¥", "km", "km2", "m", "person"}
) | {LABEL, CLOCK, OPEN_CLOCK}
"""Units that no other unit can stand for."""

_POPULATION = re.compile(r"(?:population|inhabitants|人口)[^.;]{0,24}$", re.IGNORECASE)
_NOUN = re.compile(r"[\s-]*(?:(square|sq\.?|cubic)\s+)?(°?[^\W\d_]+²?)?")
_SKIP = word_set("and or of in on at by to the a is was were are with for from as per which who that")
_COUNTED = re.compile(
    r"\s(?:(?!(?:this|thus|plus|always|across|perhaps|minus|versus|does)\b)[a-z]{2,}[a-rt-z]s|men|women)\b"
)
_DATED = re.compile(
    r"(?:^|[(,–-]|[0-9]{4} and|\b(?:in|on|since|by|until|till|before|after|from|to|during|between|circa|or"
    rf"|year|the|an?|his|her|its|their|our|this|that|early|late|mid)|'s|{MONTH})\s*$",
    re.IGNORECASE,
)
"""Before four figures that are a year whatever follows: "in 1990 sales rose", not "with 1500 employees"."""
_NAMED = re.compile(
    r"(?:\b(?i:version|release|section|chapter|article|clause|paragraph|part|figure|table|appendix|step|rule|level|v)"
    r"\.?|§)\s?$"
)
_CAPITAL = re.compile(r"[a-z,] (?!(?:USD|EUR|GBP|JPY)\b)[A-Z][\w+#-]*\s?$")
"""Before figures with a point that are a name: a word with a capital, not the first of a sentence."""


def unit_after(text: str, end: int, before: str, value: float) -> str:
    """The noun counted: what follows, or people after "population of"."""
    after = _NOUN.match(text, end)
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


def is_count(text: str, end: int, before: str) -> bool:
    """Whether four figures that may be a year count something."""
    return bool(_COUNTED.match(text, end)) and not _DATED.search(before)


def is_label(digits: str, text: str, end: int, before: str) -> bool:
    """Whether figures are a name: of a section, or of a version."""
    if _NAMED.search(before):
        return True
    return "." in digits and bool(_CAPITAL.search(before)) and unit_after(text, end, "", 0) not in MEASURES


def alike(first: str, second: str) -> bool | None:
    """Whether two units are of one kind; None where they may be: nouns, or one that is not told."""
    if first == second:
        return True
    if first in _OWN_KIND or second in _OWN_KIND:
        return False
    return False if first in MEASURES and second in MEASURES else None
