"""Small changes to a claim that leave it entailed, or that make it false: numbers, names, units, negation,
words.

Each function returns the new text with the changed span, or None where the claim offers nothing to change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from adjudge.judges.local.encoder import bundled
from adjudge.judges.local.numbers import find_numbers
from adjudge.judges.local.words import OPPOSITES, stem


class Edit(NamedTuple):
    """A changed claim, where it was changed, and its label against evidence that entailed it before."""

    text: str
    start: int
    end: int
    label: str
    """`c` where the change contradicts, `x` where it is only no longer entailed, `e` where it still holds."""


_NAME = re.compile(r"(?<=[a-z,;:(] )(?:[A-Z][\w'’.-]*[\w](?: (?:of |de |van )?(?=[A-Z]))?)+(?<=\w)")
_AUX = re.compile(
    r"\b(is|was|are|were|can|could|will|would|has|have|had|should|may|might|must|does|did|do)\b(?! not|n't)"
)
_NOT = re.compile(r"\b(?:not|never) ")
_DIGITS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_NUMBER_WORDS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "fifteen",
    "twenty",
    "thirty",
    "fifty",
]
_UNIT_RINGS = (
    ("seconds", "minutes", "hours", "days", "weeks", "months", "years", "decades"),
    ("second", "minute", "hour", "day", "week", "month", "year", "decade", "century"),
    ("thousand", "million", "billion", "trillion"),
    ("kilometers", "miles", "meters", "feet"),
    ("kilometres", "metres", "centimetres"),
    ("grams", "kilograms", "tons", "pounds"),
    (
        "January",
        "February",
        "March",
        "April",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("red", "blue", "green", "yellow", "black", "white"),
    ("father", "mother", "brother", "sister", "son", "daughter", "husband", "wife", "uncle", "cousin"),
    ("north", "south", "east", "west"),
    ("some", "all", "no", "most"),
    ("first", "second", "third", "fourth", "last"),
)
_RING = {word: ring for ring in _UNIT_RINGS for word in ring}
_OPPOSITE: dict[str, str] = {}
for _pair in OPPOSITES.replace("/\n", "/").split():
    _a, _, _b = _pair.partition("/")
    _OPPOSITE[_a], _OPPOSITE[_b] = _b, _a
_WORD = re.compile(r"[A-Za-z]+")


def _put(text: str, start: int, end: int, new: str, label: str) -> Edit | None:
    if text[start:end].lower() == new.lower():
        return None
    return Edit(text[:start] + new + text[end:], start, start + len(new), label)


def number(claim: str, evidence: str, rng: random.Random) -> Edit | None:
    """Another number, year or date in place of one; often one that the evidence mentions elsewhere."""
    found = find_numbers(claim)
    places = [(n.start, n.end) for n in (*found.numbers, *found.dates)]
    if not places:
        return None
    start, end = rng.choice(places)
    digits = list(_DIGITS.finditer(claim, start, end))
    if not digits:
        return (
            _put(claim, start, end, rng.choice(_NUMBER_WORDS), "c")
            if claim[start:end] in _NUMBER_WORDS
            else None
        )
    hit = rng.choice(digits)
    old = hit[0].rstrip(",")
    others = {m[0].rstrip(",") for m in _DIGITS.finditer(evidence)} - {
        m[0].rstrip(",") for m in _DIGITS.finditer(claim)
    }
    alike = sorted(o for o in others if len(o) == len(old))
    if alike and rng.random() < 0.5:
        return _put(claim, hit.start(), hit.start() + len(old), rng.choice(alike), "c")
    new = _other_number(old, rng)
    if new in others:
        return None
    return _put(claim, hit.start(), hit.start() + len(old), new, "c")


def _other_number(old: str, rng: random.Random) -> str:
    plain = old.replace(",", "")
    if plain.isdigit() and len(plain) == 4 and plain[0] in "12":
        return str(int(plain) + rng.choice((-30, -12, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10, 12, 30)))
    whole, dot, part = plain.partition(".")
    value = int(whole)
    shift = rng.choice((1, 2, 3, 5, 10)) if value < 30 else max(1, int(value * rng.uniform(0.1, 0.9)))
    value = value + shift if rng.random() < 0.5 or value - shift < 1 else value - shift
    text = f"{value:,}" if "," in old else str(value)
    return text + dot + part


def rounded(claim: str, evidence: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """The same figure at a coarser precision: still entailed."""
    for hit in _DIGITS.finditer(claim):
        plain = hit[0].rstrip(",").replace(",", "")
        end = hit.start() + len(hit[0].rstrip(","))
        if claim[end : end + 1].isalpha():
            continue
        if "." in plain and float(plain) >= 10:
            return _put(claim, hit.start(), end, str(round(float(plain))), "e")
        if (
            plain.isdigit()
            and int(plain) >= 1_000_000
            and not claim[end:].startswith((" million", " billion"))
        ):
            return _put(claim, hit.start(), end, f"{int(plain) / 1e6:.1f} million", "e")
    return None


def name(claim: str, evidence: str, rng: random.Random, pool: Sequence[str] = ()) -> Edit | None:
    """Another name, from the evidence where it has one."""
    places = [m for m in _NAME.finditer(claim) if m[0] not in _RING]
    if not places:
        return None
    hit = rng.choice(places)
    inside = sorted({m[0] for m in _NAME.finditer(evidence)} - {m[0] for m in places})
    inside = [n for n in inside if n.lower() not in claim.lower() and hit[0].lower() not in n.lower()]
    if inside and rng.random() < 0.6:
        new = rng.choice(inside)
    elif pool:
        new = rng.choice(pool)
    else:
        return None
    return _put(claim, *hit.span(), new, "x")


def swapped(claim: str, evidence: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """Two names change places."""
    places = list(_NAME.finditer(claim))
    first = re.match(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*", claim)
    if first and len(first[0].split()) > 1:
        places.insert(0, first)
    if len(places) < 2:
        return None
    a, b = sorted(rng.sample(places, 2), key=lambda m: m.start())
    if a.end() >= b.start() or a[0] == b[0] or re.fullmatch(r",? (?:and|or|&) ", claim[a.end() : b.start()]):
        return None
    text = claim[: a.start()] + b[0] + claim[a.end() : b.start()] + a[0] + claim[b.end() :]
    return Edit(text, a.start(), a.start() + len(b[0]), "x")


def negated(claim: str, evidence: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """A `not` put in or taken out."""
    hit = _NOT.search(claim)
    if hit:
        return Edit(claim[: hit.start()] + claim[hit.end() :], max(0, hit.start() - 4), hit.start() + 3, "c")
    places = list(_AUX.finditer(claim))
    if not places:
        return None
    hit = places[0]
    put = rng.choice((" not", " not", " never"))
    return Edit(claim[: hit.end()] + put + claim[hit.end() :], hit.end() + 1, hit.end() + len(put), "c")


def ring(claim: str, evidence: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """A unit, month, rank or colour exchanged for another, or a word for its opposite."""
    places = [m for m in _WORD.finditer(claim) if m[0] in _RING or m[0].lower() in _OPPOSITE]
    if not places:
        return None
    hit = rng.choice(places)
    if hit[0] in _RING:
        new = rng.choice([word for word in _RING[hit[0]] if word != hit[0]])
    else:
        new = _OPPOSITE[hit[0].lower()]
    return _put(claim, *hit.span(), new, "c")


class Inside:
    """A word of the evidence in place of another of its kind: children for adults, rejected for approved.

    Words found in the evidence are what a judge that compares words is fooled by.
    """

    def __init__(self, words: Sequence[str], low: float = 0.2, high: float = 0.7) -> None:
        self._row = {word: n for n, word in enumerate(words)}
        self._vectors = bundled().words(list(words))
        self._low, self._high = low, high

    def __call__(self, claim: str, evidence: str, rng: random.Random) -> Edit | None:
        own = {stem(word.lower()) for word in _WORD.findall(claim)}
        others = sorted({w for w in _WORD.findall(evidence) if w in self._row and stem(w) not in own})
        places = [m for m in _WORD.finditer(claim) if m[0] in self._row]
        if not places or not others:
            return None
        rows = [self._row[w] for w in others]
        rng.shuffle(places)
        for hit in places[:4]:
            cosines = self._vectors[rows] @ self._vectors[self._row[hit[0]]]
            fit = [
                (float(c), w)
                for c, w in zip(cosines, others, strict=True)
                if self._low < c < self._high and _kind(w) == _kind(hit[0])
            ]
            if fit:
                return _put(claim, *hit.span(), rng.choice(sorted(fit)[-3:])[1], "x")
        return None


def _kind(word: str) -> str:
    for ending in ("ing", "ed", "ly", "s", "er", "al", "ion"):
        if word.endswith(ending):
            return ending
    return ""


_ASIDE = re.compile(r", (?:which|who|where|a|an|the|including|such as|known as|also) [^,]{4,60}, ")


def trimmed(claim: str, evidence: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """The claim without a bracket, an aside, or what follows the last comma: still entailed."""
    cuts = [re.sub(r"\s*\([^()]*\)", "", claim, count=1), re.sub(_ASIDE, " ", claim, count=1)]
    head, comma, tail = claim.rpartition(", ")
    if comma and len(head) > 30 and not re.match(r"(?:and|or|but) ", tail):
        cuts.append(head + ".")
    cuts.append(
        re.sub(r"^(?:However|Moreover|Therefore|In addition|Also|Additionally|Thus|Finally), ", "", claim)
    )
    cuts = [cut for cut in cuts if cut != claim and len(cut) > 20]
    if not cuts:
        return None
    return Edit(rng.choice(cuts), 0, 0, "e")


_LINK = re.compile(r" (?:is|was|are|were|has|had|have|will|can) ")


def fused(claim: str, other: str, rng: random.Random) -> Edit | None:  # noqa: ARG001
    """The subject of one sentence with the predicate of another."""
    a, b = _LINK.search(claim), _LINK.search(other)
    if not a or not b or a.start() > 80 or len(other) - b.end() < 15:
        return None
    text = claim[: a.start()] + other[b.start() :]
    return Edit(text, a.start() + 1, len(text), "x")


FALSE_EDITS: tuple[Callable[[str, str, random.Random], Edit | None], ...] = (
    number,
    number,
    name,
    swapped,
    negated,
    ring,
)
