"""RGB results as the objects that RGBMetrics describes, one an ability and, for noise, one a noise level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudge.metrics.ratios import ratio
from adjudge.types import Attribute, SummaryRow

_TASKS = {
    "noise": "noise_robustness",
    "rejection": "negative_rejection",
    "integration": "information_integration",
    "counterfactual": "counterfactual_robustness",
}
# Where each field of a result object comes from: metric and count.
_FIELDS = {
    "noise": {"correct": ("rgb.accuracy", "correct")},
    "rejection": {"rejected": ("rgb.rejection", "rejected")},
    "integration": {"correct": ("rgb.accuracy", "correct")},
    "counterfactual": {
        "errors_detected": ("rgb.error_detection", "detected"),
        "errors_corrected": ("rgb.error_correction", "corrected"),
        "correct": ("rgb.error_correction", "corrected"),
    },
}
_RATES = {
    "accuracy": "correct",
    "rejection_rate": "rejected",
    "error_detection_rate": "errors_detected",
    "error_correction_rate": "errors_corrected",
}
_Rest = tuple[tuple[str, Attribute], ...]
_Key = tuple[str, _Rest]
_Counts = dict[str, dict[str, int | float]]
"""Summed counts by metric."""


def result_objects(rows: Sequence[SummaryRow]) -> list[dict[str, Any]]:
    """Result objects from the rows of a summary: totals of each ability, and of each level of noise.

    Rates are 0 to 1, and 0 where there are no samples, as in the document. Its breakdown by noise, which
    nothing fills there, is filled. An ability whose own metrics were not asked for has no object; a metric
    that was not asked for leaves its field None.
    """
    found = []
    for (ability, rest), levels in _collect(rows).items():
        by_level = {percent: levels[percent] for percent in sorted(p for p in levels if p is not None)}
        whole = levels[None] if None in levels else _sum(by_level.values())
        objects = {percent: _result(ability, rest, percent, counts) for percent, counts in by_level.items()}
        total = _result(ability, rest, None, whole)
        if total["accuracy"] is not None and ability != "rejection":
            total["accuracy_by_noise"] = {percent: entry["accuracy"] for percent, entry in objects.items()}
        found.append(total)
        if ability == "noise":
            found.extend(objects.values())
    return found


def task_type(ability: str, percent: int | None = None) -> str:
    """The document's name of a task: `noise_robustness_40%`."""
    return _TASKS[ability] if percent is None else f"{_TASKS[ability]}_{percent}%"


def noise_percent(noise: Attribute) -> int | None:
    """A noise rate in percent, rounded and not cut off: 0.29 * 100 is a little less than 29."""
    try:
        return None if noise is None else round(float(noise) * 100)
    except (ValueError, OverflowError):  # words, or inf
        return None


def _collect(rows: Iterable[SummaryRow]) -> dict[_Key, dict[int | None, _Counts]]:
    """Counts by ability and other attributes, then by noise in percent (None: all levels together)."""
    found: dict[_Key, dict[int | None, _Counts]] = {}
    for row in rows:
        ability = row.group.get("ability")
        fields = _FIELDS.get(ability, {}) if isinstance(ability, str) else {}
        if row.metric not in {metric for metric, _ in fields.values()}:
            continue
        percent = noise_percent(row.group.get("noise"))
        if percent is None and "noise" in row.group:
            continue
        rest = tuple(pair for pair in row.group.items() if pair[0] not in ("ability", "noise"))
        levels = found.setdefault((str(ability), rest), {})
        levels[percent] = _sum([levels.get(percent, {}), {row.metric: row.counts}])
    return found


def _sum(parts: Iterable[_Counts]) -> _Counts:
    total: _Counts = {}
    for part in parts:
        for metric, counts in part.items():
            sums = total.setdefault(metric, {})
            for name, number in counts.items():
                sums[name] = sums.get(name, 0) + number
    return total


def _result(ability: str, rest: _Rest, percent: int | None, counts: _Counts) -> dict[str, Any]:
    """One object, with the document's fields in the document's order."""
    fields = _FIELDS[ability]
    samples = max((metric.get("answers", 0) for metric in counts.values()), default=0)
    numbers: dict[str, Any] = {}
    for field in _RATES.values():
        metric, name = fields.get(field, ("", ""))
        numbers[field] = (
            0 if field not in fields else counts[metric].get(name, 0) if metric in counts else None
        )
    success = numbers["rejected" if ability == "rejection" else "correct"]
    group = dict(rest)
    result = {
        "task_type": task_type(ability, percent),
        "model_name": group.pop("system", None),
        "group": group,
        "total_samples": samples,
        "correct": numbers["correct"],
        "incorrect": None if success is None else samples - success,
        "rejected": numbers["rejected"],
        "errors_detected": numbers["errors_detected"],
        "errors_corrected": numbers["errors_corrected"],
        "accuracy_by_noise": {},
    }
    for rate, field in _RATES.items():
        number = numbers[field]
        result[rate] = None if number is None else ratio(number, samples) or 0.0
    return result
