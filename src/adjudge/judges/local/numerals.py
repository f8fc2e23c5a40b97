"""Words for numbers, scales, months and units, and simple Chinese numerals."""

from __future__ import annotations

MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
MONTH = (
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "亿": 1e8,
    "万亿": 1e12,
}
_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL.split(), 1)}
NUMBER_WORDS |= {
    word: 10 * value
    for value, word in enumerate(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 3)
}
NUMBER_WORDS["dozen"] = 12
# Longest first, so that a pattern made of them does not stop at "six" in "sixteen".
NUMBER_WORDS = dict(sorted(NUMBER_WORDS.items(), key=lambda item: -len(item[0])))
ORDINALS = {
    word: value
    for value, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
}
UNITS = {
    "people": "person",
    "persons": "person",
    "person": "person",
    "inhabitants": "person",
    "residents": "person",
    "citizens": "person",
    "人": "person",
    "km": "km",
    "kilometer": "km",
    "kilometers": "km",
    "kilometre": "km",
    "kilometres": "km",
    "km²": "km2",
    "公里": "km",
    "平方公里": "km2",
    "平方千米": "km2",
    "mile": "mile",
    "miles": "mile",
    "m": "m",
    "meter": "m",
    "meters": "m",
    "metre": "m",
    "metres": "m",
    "米": "m",
    "ft": "foot",
    "foot": "foot",
    "feet": "foot",
    "kg": "kg",
    "kilogram": "kg",
    "kilograms": "kg",
    "years": "duration:year",
    "year": "duration:year",
    "dollars": "$",
    "dollar": "$",
    "usd": "$",
    "euros": "€",
    "euro": "€",
    "pounds": "£",
}
CHINESE_DIGITS = "零一二两三四五六七八九"
_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_PLACE = {"十": 10, "百": 100, "千": 1000}


def chinese_value(text: str) -> float | None:
    """Value of a numeral such as 二十三 or 三百万; None for a lone 一, which is mostly an article."""
    if text in ("一", "十百", "千"):
        return None
    total = section = digit = 0
    for char in text:
        if char in _DIGIT:
            digit = _DIGIT[char]
        elif char in _PLACE:
            section += (digit or 1) * _PLACE[char]
            digit = 0
        else:
            total = (total + section + digit) * (10_000 if char == "万" else 100_000_000)
            section = digit = 0
    value = total + section + digit
    return float(value) if value else None
