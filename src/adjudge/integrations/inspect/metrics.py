"""Mean and standard error of every number that a score names, besides its value; and the curve over noise."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import Any

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, metric, value_to_float

VALUES = "values"
"""Where a score's metadata holds its numbers that are no shares; these stand beside it, in percent."""


# A reduced score keeps the metadata of its first epoch alone, so epochs are averaged here.
@metric(scores="unreduced")
def named_values() -> Metric:
    """`precision`, `precision_stderr`, … over samples; the epochs of a sample are averaged first."""

    def compute(scores: list[SampleScore]) -> Value:
        found: dict[str, dict[str, list[float]]] = {}
        for position, entry in enumerate(scores):
            sample = str(position if entry.sample_id is None else entry.sample_id)
            for name, value in numbers(entry.score.metadata or {}).items():
                found.setdefault(name, {}).setdefault(sample, []).append(value)
        told: dict[str, float] = {}
        for name, by_sample in found.items():
            means = [fmean(values) for values in by_sample.values()]
            told[name] = fmean(means)
            told[f"{name}_stderr"] = stdev(means) / sqrt(len(means)) if len(means) > 1 else 0.0
        return told

    made: MetricProtocol = compute
    return made


def numbers(metadata: dict[str, Any]) -> dict[str, float]:
    """By short name: shares as fractions, and the rest as it is."""
    found = {name: value / 100 for name, value in metadata.items() if isinstance(value, int | float)}
    found.update(metadata.get(VALUES, {}))
    return found


@metric
def noise_curve() -> Metric:
    """`noise 20%`, …: the mean for each rate that samples name in `metadata.noise`.

    In percent, because `inspect view` cuts a metric's name at a dot.
    """
    as_float = value_to_float()

    def compute(scores: list[SampleScore]) -> Value:
        found: dict[float, list[float]] = {}
        for entry in scores:
            rate = (entry.sample_metadata or {}).get("noise")
            if isinstance(rate, int | float):
                found.setdefault(float(rate), []).append(as_float(entry.score.value))
        return {f"noise {100 * rate:g}%": fmean(found[rate]) for rate in sorted(found)}

    made: MetricProtocol = compute
    return made
