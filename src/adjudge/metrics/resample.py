"""Intervals from counts: resample items, sum their counts again, divide last.

A resample of n items is n draws with replacement, that is a vector of whole weights; the metric of a resample
is the metric of the weighted sums. Only the (items x counts) table is needed, never the samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from adjudge.types import Formula, Harmonic, MeanOf, MetricSpec, Ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
Interval = tuple[float, float]

RESAMPLES = 1000
SEED = 20240607
LEVEL = 0.95
Z = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@lru_cache(maxsize=8)
def weights(items: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.uint16]:
    """How often each item is drawn in each resample; the same for every metric over as many items."""
    import numpy as np

    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, items), dtype=np.uint16)
    for index in range(resamples):
        drawn[index] = np.bincount(rng.integers(0, items, items), minlength=items)
    return drawn


def resampled_sums(table: Array, resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """Column sums of the table's rows under each resample: (resamples x columns)."""
    import numpy as np

    drawn = weights(len(table), resamples, seed)
    return np.concatenate(
        [drawn[at : at + 128].astype(np.float64) @ table for at in range(0, resamples, 128)]
    )


def evaluate_arrays(formula: Formula, columns: dict[str, Array]) -> Array:
    """`ratios.evaluate` over many resamples at once; NaN marks an empty denominator and stays inside."""
    import numpy as np

    if isinstance(formula, Ratio):
        top: Any = sum(weight * columns[name] for name, weight in formula.top.items())
        bottom: Any = sum(weight * columns[name] for name, weight in formula.bottom.items())
        value = np.full(np.shape(bottom), np.nan)
        np.divide(top, bottom, out=value, where=bottom != 0)
        return np.minimum(value, 1.0) if formula.cap else value
    if isinstance(formula, Harmonic):
        first = evaluate_arrays(formula.first, columns)
        second = evaluate_arrays(formula.second, columns)
        result = np.where(np.isnan(first) | np.isnan(second), np.nan, 0.0)
        np.divide(2 * first * second, first + second, out=result, where=(first > 0) & (second > 0))
        return result
    raise TypeError(f"{formula!r} does not follow from summed counts")


def measure_of(spec: MetricSpec, names: Sequence[str]) -> Callable[[Array], Array]:
    """How a metric's headline follows from summed rows of (samples, value sum, counts by these names …)."""
    formula = spec.formula

    def macro(sums: Array) -> Array:
        import numpy as np

        value = np.full(len(sums), np.nan)
        np.divide(sums[:, 1], sums[:, 0], out=value, where=sums[:, 0] > 0.5)
        return value

    def micro(sums: Array) -> Array:
        return evaluate_arrays(formula, {name: sums[:, 2 + at] for at, name in enumerate(names)})

    return macro if spec.headline == "macro" or isinstance(formula, MeanOf) else micro


def percentile_interval(values: Array, level: float = LEVEL) -> Interval | None:
    """The middle `level` of the resampled values that exist."""
    import numpy as np

    kept = values[~np.isnan(values)]
    if not len(kept):
        return None
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(successes: float, trials: int) -> Interval:
    """Wilson's 95 % score interval of a rate: it holds for few trials, where the bootstrap is too narrow."""
    return _wilson(successes / trials, trials, Z)


def _wilson(rate: float, trials: float, z: float) -> Interval:
    denominator = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / denominator
    half = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / denominator
    # The exact bounds at 0 and all successes are 0 and 1; floating point would miss them by an ulp.
    return (0.0 if rate <= 0 else centre - half), (1.0 if rate >= 1 else centre + half)


def t_quantile(freedom: int) -> float:
    """Student's two-sided 95 % quantile, expanded around the normal one: within .001 from 8 degrees on."""
    z, v = Z, float(freedom)
    return z + (
        (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )


def share_interval(value: float, error: float, items: int) -> Interval:
    """Wilson's interval for a mean or ratio between 0 and 1 with this standard error.

    The error says how many yes-or-no trials the items are worth; with none at all (every item the same) they
    are worth one each, since an interval of no width would say more than is known. Student's quantile pays
    for the error being an estimate. Covers 93 to 98 % from 10 items on, where resampling covers 65 to 90 %.
    """
    spread = value * (1 - value)
    trials = spread / error**2 if error > 0 and spread > 0 else float(items)
    return _wilson(value, trials, t_quantile(items - 1))


def jackknife(table: Array, measure: Callable[[Array], Array]) -> tuple[float, float, Array]:
    """A statistic of summed rows, its standard error, and its value without each row in turn."""
    import numpy as np

    total = table.sum(axis=0)
    value = float(measure(total[None, :])[0])
    without = measure(total - table)
    kept = without[~np.isnan(without)]
    n = len(kept)
    error = math.sqrt((n - 1) / n * float(((kept - kept.mean()) ** 2).sum())) if n > 1 else 0.0
    # Sums differ in their last digits; what is only that is no spread.
    return value, (error if error > 1e-9 * max(1.0, abs(value)) else 0.0), without


def interval_of(
    table: Array, measure: Callable[[Array], Array], *, share: bool, small: int
) -> Interval | None:
    """95 % interval of a statistic of summed rows: resampled, or by its standard error for few items.

    `share`: the statistic lies between 0 and 1. `small`: below this many items nothing is resampled.
    """
    items = len(table)
    if items < small:
        value, error, _ = jackknife(table, measure)
        if math.isnan(value):
            return None
        if share and 0 <= value <= 1:
            return share_interval(value, error, items)
        return (value - t_quantile(items - 1) * error, value + t_quantile(items - 1) * error)
    found = percentile_interval(measure(resampled_sums(table)))
    if found is not None and share and found[1] - found[0] < 1e-9 and 0 <= found[0] <= 1:
        return share_interval(min(1.0, max(0.0, found[0])), 0.0, items)
    return found


def is_rate(rows: Sequence[Sequence[float]]) -> bool:
    """Whether every item is one trial that succeeded or failed: rows of (samples, value sum, …)."""
    return all(row[0] == 1.0 and row[1] in (0.0, 1.0) for row in rows)
