"""The two ways to weigh a pair of violations (`std`, `ha`) as parameters, and what leaving out terms does."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.metrics.ratios import ratio
from adjudge.metrics.spans import Gates
from adjudge.types import Attribute

FamilyName = Literal["std", "ha"]
Term = Literal["rule", "category", "explanation", "correction"]
OPTIONAL: tuple[Term, ...] = ("rule", "category", "explanation", "correction")
"""Terms that data may declare it does without."""
TERMS: tuple[str, ...] = ("text", *OPTIONAL)


class Weights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Share of each term in a pair's score: never negative, and 1 together."""

    text: float = 0.5
    rule: float = 0.5
    category: float = 0.0
    explanation: float = 0.0
    correction: float = 0.0

    def __post_init__(self) -> None:
        shares = self.shares()
        total = sum(shares.values())
        if not all(weight >= 0 for weight in shares.values()) or not abs(total - 1) <= 1e-9:
            shown = ", ".join(f"{term} {weight:g}" for term, weight in shares.items())
            raise UsageError(
                f"violations: weights must not be negative and must sum to 1; these sum to {total:g}: "
                f"{shown}; set the other weights too"
            )

    def shares(self) -> dict[str, float]:
        """Weight of each term, in the order of `TERMS`."""
        return {term: getattr(self, term) for term in TERMS}


class HaWeights(Weights, frozen=True, kw_only=True):
    """The human-aligned weights."""

    text: float = 0.3
    rule: float = 0.3
    category: float = 0.1
    explanation: float = 0.2
    correction: float = 0.1


class Family(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a pair is weighed, and what it must exceed to match."""

    weights: Weights = Weights()
    match_threshold: float = 0.5
    rule_threshold: float = 0.01
    overlap_threshold: float = 0.0

    def __post_init__(self) -> None:
        for name in ("match_threshold", "rule_threshold", "overlap_threshold"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise UsageError(f"violations: {name} is {value:g}; it must be at least 0 and below 1")

    def describe(self) -> str:
        """The score and its gates in short: `0.5*text+0.5*rule>0.5,text>0,rule>0.01`."""
        shares = self.weights.shares().items()
        score = "+".join(f"{weight:.12g}*{term}" for term, weight in shares if weight)
        gates = f"text>{self.overlap_threshold:.12g},rule>{self.rule_threshold:.12g}"
        return f"{score}>{self.match_threshold:.12g},{gates}"


class HaFamily(Family, frozen=True, kw_only=True):
    """The human-aligned family."""

    weights: HaWeights = HaWeights()


class Scheme(NamedTuple):
    """A family once terms were left out: the terms a pair must have a value for, their weights, the gates."""

    terms: tuple[str, ...]
    weights: dict[str, float]
    gates: Gates


@lru_cache(maxsize=64)
def scheme(family: Family, without: tuple[str, ...]) -> Scheme | None:
    """The family without some terms, the other weights divided by their sum; None if no weight is left."""
    kept = {
        term: weight for term, weight in family.weights.shares().items() if term not in without and weight
    }
    total = sum(kept.values())
    if not total:
        return None
    if without:
        kept = {term: ratio(weight, total) or 0.0 for term, weight in kept.items()}
    gate = None if "rule" in without else family.rule_threshold
    # The gates on text and rule need a value even where the weight is 0.
    needed = {"text", *kept} if gate is None else {"text", "rule", *kept}
    return Scheme(
        tuple(term for term in TERMS if term in needed),
        kept,
        Gates(family.overlap_threshold, gate, family.match_threshold),
    )


def declared(without: Attribute) -> tuple[str, ...]:
    """Terms that the sample attribute `without` names, `"explanation,correction"`."""
    if not isinstance(without, str) or not without:
        return ()
    return in_order([name.strip() for name in without.split(",")])


def in_order(terms: Collection[str]) -> tuple[Term, ...]:
    """Optional terms in their fixed order, each once."""
    return tuple(term for term in OPTIONAL if term in terms)
