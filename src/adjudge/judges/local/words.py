"""Words as the features see them: stems, how telling each is, names, and negations."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from adjudge.judges.local.numerals import NUMBER_WORDS, SCALES
from adjudge.segment.claims.words import word_set

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LETTER = r"[^\W_\u3040-\u30ff\u3400-\u9fff]"
_WORD = re.compile(rf"{_LETTER}+(?:['’-]{_LETTER}+)*|{_CJK.pattern}")
_STOP = word_set(
    "a an the and or but of in on at by for with from to into as is are was were be been being it"
    " its he she they his her their them him this that these those which who whom whose what when"
    " where how has have had do does did will would can could may might shall should must not no"
    " so than then there here also such i we you your our my me us if because about over under"
    " after before between through during while"
)
NEGATIONS = word_set(
    "not no never none nobody nothing neither nor without cannot hardly n't isn't aren't wasn't"
    " weren't don't doesn't didn't can't couldn't won't wouldn't hasn't haven't hadn't shouldn't"
    " fails failed lack lacks unable denied denies refuted false untrue 不 没 未 无 非"
)
OPPOSITES = (
    "increase/decrease rise/fall rise/decline high/low higher/lower more/less more/fewer"
    " first/last before/after early/late best/worst large/small larger/smaller big/small old/new"
    " older/younger open/close begin/end start/finish start/end win/lose alive/dead male/female"
    " man/woman boy/girl north/south east/west northern/southern eastern/western left/right"
    " up/down above/below true/false support/oppose accept/reject allow/forbid allow/prevent"
    " include/exclude buy/sell hot/cold long/short longer/shorter good/bad positive/negative"
    " reduce/increase improve/worsen gain/lose enter/leave arrive/leave married/divorced"
    " public/private success/failure always/never all/none all/some many/few sit/stand"
    " inside/outside indoor/outdoor day/night sleep/awake"
)
_MAX_LENGTH = 24
_FIGURES = frozenset(NUMBER_WORDS) | {scale for scale in SCALES if scale.isascii()} | {"percent"}


def unaccented(text: str) -> str:
    """The text without marks over its letters: names are written with and without them."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not "\u0300" <= c <= "\u036f"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its commonest endings: enough to join plays, played and playing."""
    word = word.replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) < 4 or not word.isascii():
        return word
    for ending, put in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("edly", ""),
        ("ied", "y"),
        ("ed", ""),
        ("ly", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + put
            break
    else:
        if word.endswith("es") and len(word) > 4 and word[-3] in "sxzh":
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


_OPPOSITE: dict[str, frozenset[str]] = {}
for _pair in OPPOSITES.replace("/\n", "/").split():
    _a, _, _b = _pair.partition("/")
    for _x, _y in ((_a, _b), (_b, _a)):
        _OPPOSITE[stem(_x)] = _OPPOSITE.get(stem(_x), frozenset()) | {stem(_y)}


class Bag(NamedTuple):
    """A text as stems with weights; `names` are those written with a capital inside a sentence."""

    weights: dict[str, float]
    total: float
    names: frozenset[str]
    negations: int
    length: int


@lru_cache(maxsize=1)
def _idf() -> tuple[dict[str, float], float]:
    table = json.loads(files("adjudge.judges.local").joinpath("idf.json").read_text("utf-8"))
    return table["idf"], float(table["unseen"])


def weight(stemmed: str) -> float:
    """How telling a stem is: inverse document frequency in general English text."""
    known, unseen = _idf()
    return known.get(stemmed, unseen)


@lru_cache(maxsize=16384)
def bag(text: str) -> Bag:
    """Stems of a text with their weights, function words left out."""
    weights: dict[str, float] = {}
    names = set()
    negations = length = 0
    previous_end = True
    for found in _WORD.finditer(text):
        word = found[0]
        lower = word.lower()
        length += 1
        if lower in NEGATIONS or lower.endswith(("n't", "n’t")):
            negations += 1
        # Figures are compared by value (`numbers`), not as words.
        # So are Chinese and Japanese characters in pairs (below): one by one they tell little.
        if lower in _STOP or lower[0].isdigit() or lower in _FIGURES or _CJK.match(lower):
            previous_end = False
            continue
        key = stem(unaccented(lower))[:_MAX_LENGTH]
        if (word[0].isupper() and not previous_end) or (word[0].isupper() and weight(key) > 5.9):
            names.add(key)
        weights[key] = weight(key)
        previous_end = text[found.end() : found.end() + 1] in (".", "!", "?", ":")
    if _CJK.search(text):
        weights |= _pairs(text)
    return Bag(weights, math.fsum(weights.values()), frozenset(names), negations, length)


def _pairs(text: str) -> dict[str, float]:
    """Pairs of neighbouring Chinese or Japanese characters, since these are not written as words."""
    chars = [char if _CJK.match(char) else " " for char in text]
    return {a + b: weight(a + b) for a, b in pairwise(chars) if a != " " != b}


def opposites(claim: Bag, evidence: Bag) -> int:
    """Words of the claim that the evidence lacks but has the opposite of."""
    found = 0
    for key in claim.weights:
        against = _OPPOSITE.get(key)
        if against and key not in evidence.weights and any(other in evidence.weights for other in against):
            found += 1
    return found
