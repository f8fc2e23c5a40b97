"""A figure that differs where all else is the same: "The dose is 50 mcg", where the evidence has 50 mg.

To a small model a sign, a currency, a unit or a digit is one word among many, and it passes such a claim. So
where a sentence of the evidence has the claim's words, and each of the two has one figure that the other has
not, these are compared: unlike ones of the same kind, or equal ones of another kind, speak against the claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.judges.local.dates import Date, date_agrees
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.names import Finding
from adjudge.judges.local.numbers import Number, Numbers, agrees, find_numbers
from adjudge.judges.local.units import KINDS, LABEL, UNITS
from adjudge.judges.local.words import Bag, bag, stem

_UNIT_WORDS = frozenset(stem(word) for word in UNITS) | {"point"}
_SAME_WORDS = 0.95
"""Share of the weight of the claim's words, units left out, that the sentence must have."""
_MORE_WORDS = 2
"""Words that the sentence may have besides, by those of the claim; with more it may be of another case."""
_ROUNDED = 0.05
"""Share of a claimed number up to which a coarser one of the evidence may be the same, rounded."""


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Whether the evidence says just what the claim does, with another figure; none where it does not."""
    claimed = find_numbers(claim)
    told = [number for part in evidence.figures for number in part.numbers]
    open_numbers = [c for c in claimed.numbers if not any(agrees(c, e) for e in told)]
    if len(open_numbers) != 1:
        return None
    for rival in _rivals(claimed, bag(claim), evidence):
        if _clash(open_numbers[0], rival):
            return Finding(False, True, f"{_shown(open_numbers[0])}, there {_shown(rival)}")
    return None


def _rivals(claimed: Numbers, words: Bag, evidence: Evidence) -> Iterator[Number]:
    """The one figure, of each sentence that says the same with one other figure, that the claim has not."""
    for sentence, figures in zip(evidence.bags, evidence.figures, strict=True):
        others = [e for e in figures.numbers if not any(agrees(c, e) for c in claimed.numbers)]
        if len(others) == 1 and _same_words(words, sentence) and _same_days(claimed.dates, figures.dates):
            yield others[0]


def _same_words(claim: Bag, sentence: Bag) -> bool:
    weights = {key: weight for key, weight in claim.weights.items() if key not in _UNIT_WORDS}
    shared = sum(weight for key, weight in weights.items() if key in sentence.weights)
    return (
        bool(weights)
        and shared >= _SAME_WORDS * sum(weights.values())
        and sentence.length <= (1 + _MORE_WORDS) * claim.length
        and claim.negations % 2 == sentence.negations % 2
    )


def _same_days(claimed: tuple[Date, ...], told: tuple[Date, ...]) -> bool:
    return all(any(date_agrees(date, other) for other in told) for date in claimed)


def _clash(claimed: Number, told: Number) -> bool:
    if claimed.bound or told.bound or claimed.rough or told.rough:
        return False
    if claimed.unit == told.unit:
        gap = abs(claimed.value - told.value)
        if claimed.unit == LABEL or not gap:
            return claimed.text != told.text
        # The claim's 5 may be the evidence's 4.5, and the evidence's 105 the claim's 105.4.
        return gap > max(claimed.half, min(told.half, _ROUNDED * abs(claimed.value)))
    return claimed.value == told.value and claimed.unit in KINDS and told.unit in KINDS


def _shown(number: Number) -> str:
    sign = "-" if number.value < 0 else ""
    unit = number.unit if number.unit in KINDS and number.unit not in number.text else ""
    return f"{sign}{number.text} {unit}".strip()
