"""Which documents a model is shown: RGB's choice under a noise rate, reproduced draw for draw."""

from __future__ import annotations

from itertools import chain
from math import ceil
from random import Random

from msgspec import Struct

from adjudge.datasets.rgb import RgbItem
from adjudge.errors import InputError, UsageError

SEED = 2333
"""RGB seeds its generator with this before every question, so no question depends on another."""


class Document(Struct, frozen=True):
    """A document and where in its question it stands.

    `P2` and `N0` are positive and negative documents, `W1` a positive one with the false answer put in,
    `P1.0` the first positive document for the second part of the answer.
    """

    origin: str
    text: str


def choose_documents(
    item: RgbItem, *, passages: int = 5, noise: float = 0.0, correct: float = 0.0, seed: int = SEED
) -> tuple[Document, ...]:
    """The documents for one question, in the order shown.

    `noise` is the share of documents without the answer; `correct`, for questions with a planted false
    answer, the share that keeps the true one. A question with too few documents of a kind gets others or
    fewer, as in RGB; one whose answer has more parts than `passages` gets a document for each part.
    """
    _check(passages, noise, correct)
    if passages == 0:
        return ()
    random = Random(seed)
    if item.grouped:
        chosen = _integration(item, passages, noise, random)
    elif item.positive_wrong is not None:
        chosen = _counterfactual(item, passages, noise, correct, random)
    else:
        chosen = _base(item, passages, noise)
    random.shuffle(chosen)
    return tuple(chosen)


def _check(passages: int, noise: float, correct: float) -> None:
    if passages < 0:
        raise UsageError(f"passages must be 0 or more, not {passages}")
    for name, share in (("noise", noise), ("correct", correct)):
        if not 0 <= share <= 1:
            raise UsageError(f"{name} must be from 0 to 1, not {share}")
    if ceil(passages * noise) + ceil(passages * correct) > passages:
        raise UsageError(f"noise {noise} and correct {correct} make more than {passages} passages")


def _negative(item: RgbItem, number: int) -> list[Document]:
    return [Document(f"N{index}", text) for index, text in enumerate(item.negative[: max(0, number)])]


def _base(item: RgbItem, passages: int, noise: float) -> list[Document]:
    """The first documents of either kind; what one kind lacks the other makes up."""
    positives = tuple(chain.from_iterable(item.positive))
    negative = ceil(passages * noise)
    positive = passages - negative
    if noise != 1:
        if negative > len(item.negative):
            negative = len(item.negative)
            positive = passages - negative
        elif positive > len(positives):
            positive = len(positives)
            negative = passages - positive
    found = [Document(f"P{index}", text) for index, text in enumerate(positives[:positive])]
    return found + _negative(item, negative)


def _integration(item: RgbItem, passages: int, noise: float, random: Random) -> list[Document]:
    """One document for each part of the answer, then second and third ones in turn, then noise."""
    wanted = passages - ceil(passages * noise)
    groups = []
    for part, texts in enumerate(item.positive):
        if not texts:
            raise InputError("a part of the answer has no document", sample=item.id, field="positive")
        group = [Document(f"P{part}.{index}", text) for index, text in enumerate(texts)]
        random.shuffle(group)
        groups.append(group)
    chosen = [group[0] for group in groups]
    turns = (group[turn] for turn in range(1, max(map(len, groups))) for group in groups if turn < len(group))
    for document in turns:
        if len(chosen) >= wanted:
            break
        chosen.append(document)
    return chosen + _negative(item, passages - len(chosen))


def _counterfactual(
    item: RgbItem, passages: int, noise: float, correct: float, random: Random
) -> list[Document]:
    """Documents with the false answer, then true ones that were not among them, then noise."""
    (positive,) = item.positive
    negative, true = ceil(passages * noise), ceil(passages * correct)
    indexes = list(range(len(positive)))
    false = random.sample(indexes, min(len(indexes), passages - negative - true))
    wrong = item.positive_wrong or ()
    chosen = [Document(f"W{index}", wrong[index]) for index in false]
    rest = [index for index in indexes if index not in false]
    if true and rest:
        kept = random.sample(rest, min(len(rest), true))
        chosen += [Document(f"P{index}", positive[index]) for index in kept]
    return chosen + _negative(item, negative)
