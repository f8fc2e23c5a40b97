"""95 % intervals of any statistic over items.

A statistic is given as a function of weights: a (resamples x items) table that says how often each item was
drawn, to one value a row (NaN where it has none). From `SMALL` items on, the interval is the middle 95 % of
the resampled values. Below, that is too narrow: a statistic that lies between two bounds gets Wilson's
interval by its jackknife error, any other the bootstrap interval corrected for bias and skewness (BCa) and
widened for few items. Below `FEW` items there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudge.metrics.fold import FEW, SMALL
from adjudge.metrics.resample import (
    RESAMPLES,
    SEED,
    Interval,
    percentile_interval,
    share_interval,
    t_quantile,
    weights,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Weighted = Callable[[Array], Array]

BLOCK = 64
"""Resamples in work at once, so that memory stays flat."""
_NORMAL = NormalDist()


class Bounds(Struct, frozen=True):
    """An interval, or None and the reason."""

    interval: Interval | None
    reason: str | None = None


def bootstrap_interval(
    statistic: Weighted,
    items: int,
    *,
    within: tuple[float, float] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Bounds:
    """The interval of `statistic` over `items` items; `within` are the bounds that it cannot leave."""
    import numpy as np

    if items < FEW:
        return Bounds(None, f"too few items for an interval ({items}; it needs {FEW})")
    if items < SMALL and within is not None:
        return _bounded(statistic, items, within)
    drawn = weights(items, resamples, seed)
    values = np.concatenate(
        [statistic(drawn[at : at + BLOCK].astype(np.float64)) for at in range(0, resamples, BLOCK)]
    )
    defined = values[~np.isnan(values)]
    if len(defined) < resamples / 2:
        return Bounds(None, f"{resamples - len(defined)} of {resamples} resamples have no value")
    if items < SMALL:
        return Bounds(bca_interval(defined, statistic, items))
    if within is not None and float(defined.max() - defined.min()) < 1e-9:
        # All resamples alike, as with complete agreement: still no certainty.
        return _bounded(statistic, items, within)
    return Bounds(percentile_interval(defined))


def _bounded(statistic: Weighted, items: int, within: tuple[float, float]) -> Bounds:
    """Wilson's interval by the jackknife error, on the scale from 0 to 1."""
    import numpy as np

    low, high = within
    value = float(statistic(np.ones((1, items)))[0])
    without = statistic(1.0 - np.eye(items))
    without = without[~np.isnan(without)]
    n = len(without)
    if math.isnan(value) or n < items / 2:
        return Bounds(None, "the statistic has no value without some of the items")
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum())) / (high - low)
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    found = share_interval(share, error if error > 1e-9 else 0.0, items)
    return Bounds((low + (high - low) * found[0], low + (high - low) * found[1]))


def bca_interval(values: Array, statistic: Weighted, items: int) -> Interval:
    """Bias-corrected and accelerated interval from resampled values and the values without each item."""
    import numpy as np

    whole = float(statistic(np.ones((1, items)))[0])
    without = statistic(1.0 - np.eye(items))
    without = without[~np.isnan(without)]
    gaps = without.mean() - without if len(without) else np.zeros(1)
    squares = float((gaps**2).sum())
    skew = float((gaps**3).sum()) / (6 * squares**1.5) if squares > 1e-30 else 0.0
    # Resamples that give the same value lie on neither side; half of them are counted to each.
    below = float((values < whole).mean() + (values == whole).mean() / 2)
    shift = _NORMAL.inv_cdf(min(max(below, 1 / (len(values) + 1)), 1 - 1 / (len(values) + 1)))
    # Resamples spread like a population of n, not n - 1, whose variance is known: too little for few items.
    wide = t_quantile(items - 1) * (items / (items - 1)) ** 0.5

    def level(z: float) -> float:
        at = shift + z
        return _NORMAL.cdf(shift + at / max(1 - skew * at, 1e-6))

    low, high = np.quantile(values, [level(-wide), level(wide)])
    return float(low), float(high)
