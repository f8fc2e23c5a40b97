"""Intervals from counts: resample items, sum their counts again, divide last.

A resample of n items is n draws with replacement, that is a vector of whole weights; the metric of a resample
is the metric of the weighted sums. Only the (items x counts) table is needed, never the samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from adjudge.types import Formula, Harmonic, Ratio

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESAMPLES = 1000
SEED = 20240607
LEVEL = 0.95


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


def percentile_interval(values: Array, level: float = LEVEL) -> tuple[float, float] | None:
    """The middle `level` of the resampled values that exist."""
    import numpy as np

    kept = values[~np.isnan(values)]
    if not len(kept):
        return None
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a rate: it holds for few trials, where the bootstrap is too narrow."""
    z = 1.959963984540054
    rate = successes / trials
    denominator = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / denominator
    half = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / denominator
    # The exact bounds at 0 and all successes are 0 and 1; floating point would miss them by an ulp.
    return (0.0 if successes == 0 else centre - half), (1.0 if successes == trials else centre + half)


def is_rate(rows: Sequence[Sequence[float]]) -> bool:
    """Whether every item is one trial that succeeded or failed: rows of (samples, value sum, …)."""
    return all(row[0] == 1.0 and row[1] in (0.0, 1.0) for row in rows)
