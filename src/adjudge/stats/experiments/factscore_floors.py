"""What no judge is needed for: how far trivial counts follow people's, on the same responses."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

from adjudge.segment.sentences import split_sentences
from adjudge.stats.experiments.factscore_data import Biography
from adjudge.stats.experiments.outcome import Kind

_CAPITAL = re.compile(r"\b[A-Z]\w*")

Rater = Callable[[Sequence[Biography]], list[list[str]]]


def _text(biography: Biography) -> str:
    return biography.sample.response or ""


def _joints(biography: Biography) -> int:
    text = _text(biography)
    return text.count(",") + text.count(" and ") + len(split_sentences(text))


COUNTS: dict[str, Callable[[Biography], float]] = {
    "characters": lambda b: len(_text(b)),
    "words": lambda b: len(_text(b).split()),
    "capitalised words": lambda b: len(_CAPITAL.findall(_text(b))),
    "sentences": lambda b: len(split_sentences(_text(b))),
    "sentences, as the annotators cut them": lambda b: b.sentences,
    "commas, 'and's and sentences": _joints,
    "InstructGPT's facts, from the data": lambda b: b.model_facts[0],
    "the same, where people saw facts": lambda b: b.model_facts[1],
}
"""Instead of splitting a response into facts."""


def _all(label: str) -> Rater:
    return lambda found: [[label] * len(b.labels) for b in found]


def _random(found: Sequence[Biography]) -> list[list[str]]:
    return _by_share(found, lambda _: "")


def _random_by_system(found: Sequence[Biography]) -> list[list[str]]:
    return _by_share(found, lambda b: b.system)


def _by_share(found: Sequence[Biography], group: Callable[[Biography], str]) -> list[list[str]]:
    """Labels drawn as often as people gave them, overall or in each group."""
    shares: dict[str, Counter[str]] = {}
    for biography in found:
        shares.setdefault(group(biography), Counter()).update(biography.labels)
    rng = random.Random(0)
    drawn = []
    for biography in found:
        known = shares[group(biography)]
        drawn.append(rng.choices(list(known), list(known.values()), k=len(biography.labels)))
    return drawn


def _irrelevant_supported(found: Sequence[Biography]) -> list[list[str]]:
    return [["S" if label == "IR" else label for label in b.labels] for b in found]


RATERS: dict[str, Rater] = {
    "everything supported": _all("S"),
    "everything not supported": _all("NS"),
    "at random, by the overall shares": _random,
    "at random, by each system's shares": _random_by_system,
    "people's labels, irrelevant called supported": _irrelevant_supported,
}
"""Instead of rating people's facts. The last one shows what ignoring relevance costs."""

KINDS: dict[str, Kind] = {
    "InstructGPT's facts, from the data": "stored",
    "the same, where people saw facts": "people",
    "people's labels, irrelevant called supported": "people",
}
"""Those that are no floors, because a model or people's own labels are behind them."""
