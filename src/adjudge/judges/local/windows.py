"""Which passages of an evidence text a claim is held against: a stated number, the best by overlap.

Up to three short sentences are read whole. Otherwise the first window gathers sentences from anywhere so that
together they cover the claim. Others are read only where some sentence has a good part of the claim by
itself: a sentence with its neighbours, or alone. All come from one ranking of the sentences by shared word
weight and vector cosine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.judges.local.evidence import Evidence, vector_of
from adjudge.judges.local.words import Bag, bag, weight

BUDGET = 3
"""Windows a claim sentence is held against at most, so model pairs a claim sentence. On sources the model has
not seen each of the first three adds to the order of claims, a fourth hardly; each also costs time.
"""
SPEAKS = 0.3
"""Share of the claim's word weight from which a single sentence is worth a window of its own."""
_COSINE = 0.5
_SHORT, _GATHERED, _MOST = 700, 1000, 5
_LEAST_GAIN = 0.02


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
    words = bag(claim)
    shared = _shared(words, evidence)
    scores = _scores(claim, words, shared, evidence)
    order = [int(n) for n in np.argsort(-scores, kind="stable")]
    found = [Passage("all", _gathered(order, words, shared, evidence))]
    if max(map(_weight, shared.values()), default=0.0) <= SPEAKS * words.total:
        return found
    singles = [Passage("one", (n,)) for n in order[: max(1, budget // 2)]]
    threes = [Passage("three", numbers) for numbers in _threes(order, count)]
    seen = {found[0].numbers}
    for passage in (*threes[:1], *singles, *threes[1:]):
        if len(found) < budget and passage.numbers not in seen:
            seen.add(passage.numbers)
            found.append(passage)
    return found


def _shared(words: Bag, evidence: Evidence) -> dict[int, set[str]]:
    """Stems of the claim in each sentence that has any."""
    shared: dict[int, set[str]] = {}
    for key in words.weights:
        for number in evidence.index.get(key, ()):
            shared.setdefault(number, set()).add(key)
    return shared


def _weight(keys: set[str]) -> float:
    # In a fixed order: sums of floats depend on it, and sets have none.
    return sum(weight(key) for key in sorted(keys))


def _scores(claim: str, words: Bag, shared: dict[int, set[str]], evidence: Evidence) -> NDArray[np.float64]:
    """Share of the claim's word weight, and half the cosine with the claim."""
    scores: NDArray[np.float64] = _COSINE * np.asarray(evidence.vectors @ vector_of(claim), np.float64)
    total = words.total or 1.0
    for number, keys in shared.items():
        scores[number] += _weight(keys) / total
    # Sums that differ in the last bit must not change an order that is told to be fixed.
    rounded: NDArray[np.float64] = np.round(scores, 9)
    return rounded


def _threes(order: list[int], count: int) -> list[tuple[int, ...]]:
    """The best sentences with their neighbours; no centre lies inside an earlier window."""
    found: list[tuple[int, ...]] = []
    for centre in order[:8]:
        if len(found) < 3 and not any(centre in numbers for numbers in found):
            found.append(tuple(range(max(0, centre - 1), min(count, centre + 2))))
    return found


def _gathered(
    order: list[int], words: Bag, shared: dict[int, set[str]], evidence: Evidence
) -> tuple[int, ...]:
    """The best sentence, then whichever adds most of what is still uncovered."""
    chosen = [order[0]]
    covered = set(shared.get(order[0], ()))
    size = len(evidence.sentences[order[0]])
    floor = _LEAST_GAIN * (words.total or 1.0)
    rest = order[1:24]
    while rest and len(chosen) < _MOST:
        gains = [_weight(shared.get(n, set()) - covered) for n in rest]
        best = int(np.argmax(np.round(gains, 9)))
        if gains[best] <= floor and len(chosen) > 1:
            break
        number = rest.pop(best)
        if size + len(evidence.sentences[number]) > _GATHERED:
            continue
        size += len(evidence.sentences[number])
        chosen.append(number)
        covered |= shared.get(number, set())
    return tuple(sorted(chosen))
