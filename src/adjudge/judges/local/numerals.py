"""Words for numbers, scales and months, figures of other scripts, and simple Chinese numerals."""

from __future__ import annotations

import re
import unicodedata

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
    "lakh": 1e5,
    "lakhs": 1e5,
    "crore": 1e7,
    "crores": 1e7,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "万亿": 1e12,
    "萬": 1e4,
    "百萬": 1e6,
    "千萬": 1e7,
    "億": 1e8,
    "ألف": 1e3,
    "آلاف": 1e3,
    "مليون": 1e6,
    "ملايين": 1e6,
    "مليار": 1e9,
    "مليارات": 1e9,
}
_RUSSIAN = {1e3: "тыс тысяча тысячи тысяч", 1e6: "млн миллион миллиона миллионов",
            1e9: "млрд миллиард миллиарда миллиардов"}  # fmt: skip
SCALES |= {word: value for value, words in _RUSSIAN.items() for word in words.split()}
JOINED_SCALES = {
    "백": 1e2, "천": 1e3, "만": 1e4, "십만": 1e5, "백만": 1e6, "천만": 1e7,
    "억": 1e8, "십억": 1e9, "백억": 1e10,
}  # fmt: skip
"""Those that stand for something else unless they are written together with the figures."""
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
_LARGE = "thousand|million|billion|trillion"
_TENS = "|".join(word for word, value in NUMBER_WORDS.items() if value >= 20)
_BELOW_TEN = "|".join(_SMALL.split()[:9])
_BELOW_HUNDRED = rf"(?:(?:{_TENS})[\s-](?:{_BELOW_TEN})|(?:{'|'.join(NUMBER_WORDS)}))\b"
_BELOW_THOUSAND = rf"{_BELOW_HUNDRED}(?:\s(?:hundred|dozen)\b(?:\s(?:and\s)?{_BELOW_HUNDRED})?)?"
WORDS = rf"{_BELOW_THOUSAND}(?:[\s-](?:{_LARGE})\b(?:,?\s(?:and\s)?{_BELOW_THOUSAND})?)*"
"""A number in words: "three thousand five hundred", "two hundred and fifty"."""
ORDINALS = {
    word: value
    for value, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
}
CHINESE_DIGITS = "零一二两三四五六七八九"
_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_PLACE = {"十": 10, "百": 100, "千": 1000}


def chinese_value(text: str) -> float | None:
    """Value of a numeral such as 二十三 or 三百万; None for a lone 一, which is mostly an article."""
    if text in ("一", "十百", "千"):
        return None
    text = text.replace("萬", "万").replace("億", "亿")
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


_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_ARABIC_MARKS = str.maketrans("٪٫٬", "%.,")


def plain_figures(text: str) -> str:
    """The text with Arabic, Devanagari, Thai, full-width and all other figures as 0 to 9, in place."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text).translate(_ARABIC_MARKS)


def word_value(text: str) -> tuple[float, float]:
    """Value of a number in words, and the step of its last word: 100 for "three thousand five hundred"."""
    total = current = 0.0
    step = 1.0
    for word in re.findall("[a-z]+", text.lower()):
        if word == "and":
            continue
        if word in ("hundred", "dozen") and current:
            step = 100.0 if word == "hundred" else 1.0
            current *= 100.0 if word == "hundred" else 12.0
        elif word in NUMBER_WORDS:
            current, step = current + NUMBER_WORDS[word], 1.0
        else:
            total, current, step = total + current * SCALES[word], 0.0, SCALES[word]
    return total + current, step
