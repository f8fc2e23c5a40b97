"""Which passages of an evidence text a claim is held against: a stated number, the best by overlap.

Up to three short sentences are read whole. Otherwise the first window gathers sentences from anywhere so that
together they cover the claim. Others are read only where some sentence has a good part of the claim by
itself: a sentence with its neighbours, or alone. All come from one ranking of the sentences by shared word
weight and vector cosine; a figure that a sentence bears out counts as a shared word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.judges.local.dates import Date, date_agrees
from adjudge.judges.local.evidence import Evidence, vector_of
from adjudge.judges.local.numbers import agrees, find_numbers
from adjudge.judges.local.words import bag

BUDGET = 3
"""Windows a claim sentence is held against at most, so model pairs a claim sentence. On sources the model has
not seen each of the first three adds to the order of claims, a fourth hardly; each also costs time.
"""
SPEAKS = 0.3
"""Share of the claim's word weight from which a single sentence is worth a window of its own."""
_COSINE = 0.5
_SHORT, _GATHERED, _LEAST, _MOST = 700, 1000, 4, 5
_LEAST_GAIN = 0.02
_NEAREST = 0.1
"""Among runs with the same words, the one with the nearest single sentence."""
_FIGURE, _DIGIT = 6.0, 3.0
"""Weight of a figure beside those of words, where a rare name has about 7 and a common noun 3; and of one of
a single digit, which is found in many places by chance.
"""


class Passage(NamedTuple):
    """Sentences of the evidence, by number, and which kind of window they make."""

    kind: str
    """`one`, `three` or `all`."""
    numbers: tuple[int, ...]

    def text(self, evidence: Evidence) -> str:
        return " ".join(evidence.sentences[n] for n in self.numbers)


def passages(claim: str, evidence: Evidence, budget: int = BUDGET) -> list[Passage]:
    """At most `budget` windows, the gathered one first; none twice."""
    count = len(evidence.sentences)
    if count == 0:
        return []
    if count <= 3 and (count == 1 or len(evidence.text) <= _SHORT):
        # A part of what can be read whole adds nothing, and may seem to say what the whole denies.
        return [Passage("all", tuple(range(count)))]
    wanted = _Wanted(claim, evidence)
    scores = _scores(claim, wanted, evidence)
    order = [int(n) for n in np.argsort(-scores, kind="stable")]
    found = [Passage("all", _gathered(order, wanted, evidence))]
    if max(map(wanted.weight, wanted.shared.values()), default=0.0) <= SPEAKS * wanted.total:
        return found
    singles = [Passage("one", (n,)) for n in order[: max(1, budget // 2)]]
    threes = [Passage("three", numbers) for numbers in _threes(order, count)]
    seen = {found[0].numbers}
    for passage in (*threes[:1], *singles, *threes[1:]):
        if len(found) < budget and passage.numbers not in seen:
            seen.add(passage.numbers)
            found.append(passage)
    return found


class _Wanted:
    """Words and figures of a claim with their weights, and which of them each sentence has."""

    def __init__(self, claim: str, evidence: Evidence) -> None:
        self.weights = dict(bag(claim).weights)
        self.shared: dict[int, set[str]] = {}
        for key in self.weights:
            self._in(key, evidence.index.get(key, ()))
        told = list(enumerate(evidence.figures))
        figures = find_numbers(claim)
        for number in figures.numbers:
            self._figure(number.text, [n for n, own in told if any(agrees(number, x) for x in own.numbers)])
        for date in figures.dates:
            self._figure(date.text, [n for n, own in told if any(_same_time(date, x) for x in own.dates)])
        self.total = self.weight(set(self.weights)) or 1.0

    def _figure(self, text: str, numbers: Iterable[int]) -> None:
        key = "#" + text
        self.weights[key] = _FIGURE if len(text.strip()) > 1 else _DIGIT
        self._in(key, numbers)

    def _in(self, key: str, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.shared.setdefault(number, set()).add(key)

    def weight(self, keys: set[str]) -> float:
        # In a fixed order: sums of floats depend on it, and sets have none.
        return sum(self.weights[key] for key in sorted(keys))


def _same_time(claimed: Date, told: Date) -> bool:
    """Whether a date is borne out, or at least its year."""
    return date_agrees(claimed, told) or (told.year is not None and claimed.year == told.year)


def _scores(claim: str, wanted: _Wanted, evidence: Evidence) -> NDArray[np.float64]:
    """Share of the claim's weight, and half the cosine with the claim."""
    scores: NDArray[np.float64] = _COSINE * np.asarray(evidence.vectors @ vector_of(claim), np.float64)
    for number, keys in wanted.shared.items():
        scores[number] += wanted.weight(keys) / wanted.total
    # Sums that differ in the last bit must not change an order that is told to be fixed.
    rounded: NDArray[np.float64] = np.round(scores, 9)
    return rounded


def stretch(claim: str, evidence: Evidence, room: int) -> tuple[float, str]:
    """The run of sentences, of at most `room` characters, that has most of a claim; and how much it has."""
    wanted = _Wanted(claim, evidence)
    scores = _scores(claim, wanted, evidence)
    best, text = -1.0, ""
    for start in range(len(evidence.sentences)):
        end, size, keys = start, 0, set[str]()
        while end < len(evidence.sentences) and (end == start or size + len(evidence.sentences[end]) <= room):
            size += len(evidence.sentences[end]) + 1
            keys |= wanted.shared.get(end, set())
            end += 1
        had = round(wanted.weight(keys) / wanted.total + _NEAREST * float(scores[start:end].max()), 9)
        if had > best:
            best, text = had, " ".join(evidence.sentences[start:end])
        if end == len(evidence.sentences):
            break
    return best, text


def _threes(order: list[int], count: int) -> list[tuple[int, ...]]:
    """The best sentences with their neighbours; no centre lies inside an earlier window."""
    found: list[tuple[int, ...]] = []
    for centre in order[:8]:
        if len(found) < 3 and not any(centre in numbers for numbers in found):
            found.append(tuple(range(max(0, centre - 1), min(count, centre + 2))))
    return found


def _gathered(order: list[int], wanted: _Wanted, evidence: Evidence) -> tuple[int, ...]:
    """The best sentence, whichever adds most of what is still uncovered, then the next best."""
    chosen = [order[0]]
    covered = set(wanted.shared.get(order[0], ()))
    size = len(evidence.sentences[order[0]])
    rest = order[1:24]
    while rest and len(chosen) < _MOST:
        gains = [wanted.weight(wanted.shared.get(n, set()) - covered) for n in rest]
        best = int(np.argmax(np.round(gains, 9)))
        if gains[best] <= _LEAST_GAIN * wanted.total and len(chosen) > 1:
            break
        number = rest.pop(best)
        if size + len(evidence.sentences[number]) > _GATHERED:
            continue
        size += len(evidence.sentences[number])
        chosen.append(number)
        covered |= wanted.shared.get(number, set())
    # What a claim rests on may be put in other words: the next best, up to a few sentences.
    for number in order:
        if len(chosen) >= _LEAST:
            break
        if number not in chosen and size + len(evidence.sentences[number]) <= _GATHERED:
            chosen.append(number)
            size += len(evidence.sentences[number])
    return tuple(sorted(chosen))
