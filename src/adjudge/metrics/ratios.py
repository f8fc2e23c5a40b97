"""Counts first, divide last: the one place where adjudge divides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adjudge.types import Count, Formula, Harmonic, MeanOf, MetricSpec, Ratio, Score, Total


def ratio(top: float, bottom: float) -> float | None:
    """`top / bottom`, or None where there is nothing to divide by."""
    return None if bottom == 0 else top / bottom


def harmonic(first: float, second: float) -> float:
    """Harmonic mean; 0 when either is 0. The order of operations is that of the reference tools."""
    return 2 * first * second / (first + second) if first > 0 and second > 0 else 0.0


def evaluate(formula: Formula, counts: Mapping[str, float]) -> float | None:
    """A formula's value from named counts; None where a denominator is empty."""
    if isinstance(formula, Ratio):
        value = ratio(_weigh(formula.top, counts), _weigh(formula.bottom, counts))
        return min(1.0, value) if formula.cap and value is not None else value
    if isinstance(formula, Harmonic):
        first, second = evaluate(formula.first, counts), evaluate(formula.second, counts)
        return None if first is None or second is None else harmonic(first, second)
    if isinstance(formula, Total):
        return float(counts[formula.count])
    raise TypeError(f"{formula!r} does not follow from counts")


def _weigh(weights: Mapping[str, int], counts: Mapping[str, Any]) -> Any:
    total: Any = 0
    for name, weight in weights.items():
        total += weight * counts[name]
    return total


def describe(formula: Formula) -> str:
    """The formula as people write it: `2·tp / (2·tp + fp + fn)`."""
    if isinstance(formula, Ratio):
        top, bottom = (
            " + ".join(name if w == 1 else f"{w}·{name}" for name, w in part.items())
            for part in (formula.top, formula.bottom)
        )
        text = f"{f'({top})' if '+' in top else top} / {f'({bottom})' if '+' in bottom else bottom}"
        return f"min(1, {text})" if formula.cap else text
    if isinstance(formula, Harmonic):
        return f"harmonic mean of {describe(formula.first)} and {describe(formula.second)}"
    if isinstance(formula, MeanOf):
        return f"mean of {', '.join(formula.metrics)}"
    return f"number of {formula.count}"


def tally(name: str, units: Iterable[str]) -> Count:
    """A count of units."""
    ids = tuple(units)
    return Count(name, len(ids), ids)


def constant(name: str, n: float) -> Count:
    """A parameter that stands where a count would."""
    return Count(name, n, (), None, True)


def scored(
    spec: MetricSpec,
    counts: tuple[Count, ...],
    *,
    convention: tuple[float, str] | None = None,
    empty: str = "nothing to divide by",
) -> Score:
    """A sample's score from its counts.

    `convention` is (value, reason) where the metric's source says what an empty case gives; without one an
    empty denominator leaves the sample unscored, for the reason `empty`.
    """
    if convention is not None:
        return Score(spec.name, convention[0], "by_convention", convention[1], counts)
    formula = spec.formula
    if isinstance(formula, Ratio) and not formula.cap and len(counts) == 2:
        # By far the commonest case, one count over another, without naming them all first.
        top, bottom = counts
        if formula.top == {top.name: 1} and formula.bottom == {bottom.name: 1}:
            value = ratio(top.n, bottom.n)
        else:
            value = evaluate(formula, {top.name: top.n, bottom.name: bottom.n})
    else:
        value = evaluate(formula, {count.name: count.n for count in counts})
    if value is None:
        return Score(spec.name, None, "unscored", empty, counts)
    return Score(spec.name, value, "defined", None, counts)


def unscored(metric: str, reason: str) -> Score:
    """No value, because labels or fields are missing."""
    return Score(metric, None, "unscored", reason)


def not_applicable(metric: str, reason: str) -> Score:
    """No value, because the metric does not speak of this sample; never a failure."""
    return Score(metric, None, "not_applicable", reason)
