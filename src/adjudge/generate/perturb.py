"""Synthetic predictions made from what people marked: to see what each metric punishes.

Each gold violation becomes a prediction, then mishaps befall it, each with its own probability: dropped;
shifted by some characters; given the rule of another; predicted twice; and spurious ones are added. Draws
depend on the seed and the sample's id alone, so neither the order of samples nor other mishaps change them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import ClassVar

import msgspec
from msgspec import Struct

from adjudge.errors import InputError, UsageError
from adjudge.segment.quotes import place
from adjudge.types import Sample, Span, Violation

_SHARES = ("shift", "wrong_rule", "drop", "double", "spurious")


class Mishaps(Struct, frozen=True, kw_only=True):
    """How likely each mishap is for one violation, from 0 to 1."""

    shift: float = 0.0
    wrong_rule: float = 0.0
    drop: float = 0.0
    double: float = 0.0
    spurious: float = 0.0
    shift_by: float = 0.5
    """How far a span is shifted, as a share of its length; at least one character."""
    seed: int = 0

    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        for name in _SHARES:
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"--{name.replace('_', '-')} {value:g}: it must be from 0 to 1")
        if not self.shift_by > 0:
            raise UsageError(f"--shift-by {self.shift_by:g}: it must be more than 0")

    @property
    def checker(self) -> str:
        """A checker's name that says what was done: `perturbed-shift0.5-seed1@1`."""
        done = [f"{name.replace('_', '-')}{getattr(self, name):g}" for name in _SHARES if getattr(self, name)]
        return f"{'-'.join(['perturbed', *(done or ['nothing']), f'seed{self.seed}'])}@{self.version}"


def perturb(samples: Iterable[Sample], mishaps: Mishaps) -> Iterator[Sample]:
    """The samples with predictions made from their gold."""
    for sample in samples:
        if sample.gold is None or sample.text is None:
            field = "gold" if sample.gold is None else "text"
            raise InputError(
                "predictions are made from it", sample=sample.id, field=field, fix=f"add {field!r}"
            )
        before = sample.attributes.get("checker")
        own = before is not None and sample.id == f"{sample.item}|{before}"
        yield msgspec.structs.replace(
            sample,
            id=sample.item if own else sample.id,
            predicted=tuple(_predictions(sample, sample.gold, sample.text, mishaps)),
            attributes={**sample.attributes, "checker": mishaps.checker},
            units=(),
            labels=(),
        )


def _predictions(
    sample: Sample, gold: tuple[Violation, ...], text: str, mishaps: Mishaps
) -> Iterator[Violation]:
    rules = sorted({rule.id for rule in sample.rules or ()} | {one.rule for one in gold if one.rule})
    for index, one in enumerate(gold):
        chance = {name: Random(f"{mishaps.seed}|{sample.id}|{index}|{name}") for name in _SHARES}
        hit = {name: random.random() < getattr(mishaps, name) for name, random in chance.items()}
        spans = tuple(place(text, one.spans, one.quote).choices[0])
        if hit["spurious"] and text:
            yield _spurious(text, spans, rules, chance["spurious"])
        if hit["drop"]:
            continue
        spans = shifted(spans, len(text), mishaps.shift_by, chance["shift"]) if hit["shift"] else spans
        others = [rule for rule in rules if rule != one.rule]
        rule = chance["wrong_rule"].choice(others) if hit["wrong_rule"] and others else one.rule
        changed = rule != one.rule
        found = Violation(
            spans=spans or None,
            quote=None if spans else one.quote,
            rule=rule,
            category=_category(sample, rule) if changed else one.category,
            explanation=one.explanation,
            correction=one.correction,
        )
        yield found
        if hit["double"]:
            yield found


def _category(sample: Sample, rule: str | None) -> str | None:
    return next((known.category for known in sample.rules or () if known.id == rule), None)


def shifted(spans: tuple[Span, ...], length: int, share: float, random: Random) -> tuple[Span, ...]:
    """All spans moved together, left or right, kept inside the text; the other way where there is no room."""
    if not spans:
        return spans
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    wanted = max(1, round(share * (last - first)))
    steps = [wanted, -wanted] if random.random() < 0.5 else [-wanted, wanted]
    step = next((by for by in steps if first + by >= 0 and last + by <= length), None)
    if step is None:
        left, right = first, length - last
        step = -left if left > right else right
    return tuple((start + step, end + step) for start, end in spans)


def _spurious(text: str, like: tuple[Span, ...], rules: list[str], random: Random) -> Violation:
    """Somewhere at random, as long as the violation beside it."""
    size = max(1, min(len(text), sum(end - start for start, end in like) or 1))
    start = random.randrange(len(text) - size + 1)
    return Violation(spans=((start, start + size),), rule=random.choice(rules) if rules else None)
