"""Trivial likenesses of two texts, for floors: what a judge must beat to be worth asking."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from adjudge.metrics.ratios import harmonic

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Runs of letters and digits in lower case."""
    return _WORD.findall(text.lower())


def token_overlap(response: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the words as multisets; 0 where there are none."""
    common = sum((Counter(response) & Counter(reference)).values())
    precision = common / len(response) if response else 0.0
    recall = common / len(reference) if reference else 0.0
    return precision, recall, harmonic(precision, recall)


def rouge_l(response: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of the longest common subsequence of words."""
    common = longest_common(response, reference)
    if not common:
        return 0.0
    return harmonic(common / len(response), common / len(reference))


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence, a bit a word (Hyyrö's recurrence)."""
    places: dict[str, int] = {}
    for index, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << index
    everything = (1 << len(first)) - 1
    row = everything
    for word in second:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & everything
    return len(first) - row.bit_count()


def covered(claim: str, evidence: str, weights: Mapping[str, float] | None = None) -> float:
    """Share of the claim's distinct words that the evidence has, each weighted; 0 for a wordless claim."""
    found = set(words(claim))
    known = set(words(evidence))
    told = {word: 1.0 if weights is None else weights[word] for word in found}
    total = math.fsum(told.values())
    return math.fsum(told[word] for word in found & known) / total if total else 0.0


def inverse_frequencies(texts: Iterable[str]) -> Mapping[str, float]:
    """Smoothed inverse document frequency of every word, also of those that the texts do not have."""
    documents = [set(words(text)) for text in texts]
    seen = Counter(word for document in documents for word in document)
    unseen = math.log(len(documents) + 1) + 1
    known = {word: math.log((len(documents) + 1) / (n + 1)) + 1 for word, n in seen.items()}
    return defaultdict(lambda: unseen, known)
