"""An evidence text prepared once: its sentences, their words and figures, and the windows nearest a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from adjudge.judges.local.encoder import Matrix, bundled
from adjudge.judges.local.kept import kept
from adjudge.judges.local.numbers import Numbers, find_numbers
from adjudge.judges.local.words import Bag, bag, weight
from adjudge.segment.sentences import split_sentences

_ROOT = 4
"""Letters by which a name and what is derived from it are told to be the same: Korea, Koreans."""
_LONGEST_SENTENCE = 600
"""Characters; lists without stops and the like are cut at this length."""
_LEAST_ROWS, _LEAST_MARKS = 3, 2
"""Lines, and tabs or commas that all of them have, from which a text is a table."""
_RULE = re.compile(r"[\s|:-]*")
KEPT = 2_000_000
"""Characters of texts that are kept prepared, at some 80 bytes each; a few samples have fewer."""


class Evidence:
    """Sentences of a text with an index from stem to sentences. Vectors are made when first wanted."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = _pieces(text)
        self.bags: list[Bag] = [bag(sentence) for sentence in self.sentences]
        self.figures: list[Numbers] = [find_numbers(sentence) for sentence in self.sentences]
        self.index: dict[str, list[int]] = {}
        for number, words in enumerate(self.bags):
            for key in words.weights:
                self.index.setdefault(key, []).append(number)
        self._roots = {key[:_ROOT] for key in self.index}
        self._vectors: Matrix | None = None

    def has(self, name: str) -> bool:
        """Whether a name's stem, or what is derived from it, stands anywhere."""
        return name[:_ROOT] in self._roots

    @property
    def vectors(self) -> Matrix:
        """A unit vector a sentence."""
        if self._vectors is None:
            self._vectors = bundled().encode(self.sentences)
        return self._vectors


def _pieces(text: str) -> list[str]:
    sentences = [text[start:end] for start, end in split_sentences(text)]
    return [piece for sentence in sentences for part in _rows(sentence) for piece in _cut(part)]


def _rows(sentence: str) -> list[str]:
    """A sentence, or the rows of the table that it is: what stands in one row belongs together."""
    lines = [line.strip() for line in sentence.split("\n")]
    if len(lines) < _LEAST_ROWS:
        return [sentence]
    if sum(line.startswith("|") for line in lines) > len(lines) // 2:
        return [line for line in lines if line and not _RULE.fullmatch(line)]
    for mark in ("\t", ",", ";"):
        counts = {line.count(mark) for line in lines}
        if len(counts) == 1 and min(counts) >= _LEAST_MARKS and not sentence.endswith((".", "!", "?")):
            return lines
    return [sentence]


def _cut(text: str) -> Iterator[str]:
    """Pieces of at most the length of the longest sentence, cut at a line's end or between words."""
    while len(text) > _LONGEST_SENTENCE:
        head = text[: _LONGEST_SENTENCE + 1]
        at = max(head.rfind("\n"), 0) or max(head.rfind(" "), 0) or _LONGEST_SENTENCE
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    yield text


@kept(KEPT)
def prepare(text: str) -> Evidence:
    """The evidence of a text; equal texts share it."""
    return Evidence(text)


@lru_cache(maxsize=8192)
def vector_of(text: str) -> Matrix:
    """The vector of a claim's sentence, which is held against many texts."""
    vector: Matrix = bundled().encode([text])[0]
    vector.flags.writeable = False
    return vector


class Window(NamedTuple):
    """One sentence, or one with its neighbours, and the claim's stems found in it."""

    first: int
    last: int
    shared: frozenset[str]
    share: float
    """Weight of the shared stems."""

    def text(self, evidence: Evidence) -> str:
        return " ".join(evidence.sentences[self.first : self.last])


def best_windows(claim: Bag, evidence: Evidence) -> tuple[Window, Window]:
    """The single sentence and the three neighbours that share most of a claim's weight; first of equals."""
    shared: dict[int, set[str]] = {}
    for key in claim.weights:
        for number in evidence.index.get(key, ()):
            shared.setdefault(number, set()).add(key)
    one = three = Window(0, min(1, len(evidence.sentences)), frozenset(), 0.0)
    three = three._replace(last=min(3, len(evidence.sentences)))
    for number in sorted(shared):
        share = _weight(shared[number])
        if share > one.share:
            one = Window(number, number + 1, frozenset(shared[number]), share)
    for number in sorted({near for n in shared for near in (n - 1, n, n + 1)}):
        if not 0 <= number < len(evidence.sentences):
            continue
        union = set().union(*(shared.get(near, set()) for near in (number - 1, number, number + 1)))
        share = _weight(union)
        if share > three.share:
            first, last = max(0, number - 1), min(len(evidence.sentences), number + 2)
            three = Window(first, last, frozenset(union), share)
    return one, three


def _weight(keys: set[str]) -> float:
    # In a fixed order: sums of floats depend on it, and sets have none.
    return sum(weight(key) for key in sorted(keys))
