"""Krippendorff's alpha of several raters, with its interval over items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.metrics import weighted
from adjudge.metrics.agreement import Level, krippendorff_alpha
from adjudge.stats.estimates import Estimate, Observed, item_codes, order_of
from adjudge.stats.intervals import bootstrap_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def joint_alpha(ratings: Sequence[Sequence[Any]], items: Sequence[str]) -> Estimate:
    """Alpha of units that each have one value a rater, at the level that the values allow."""
    values = [value for unit in ratings for value in unit]
    kind = Observed(values, [], [], []).kind
    level: Level = {"flag": "nominal", "class": "nominal", "rank": "ordinal", "number": "interval"}[kind]  # type: ignore[assignment]
    order = order_of([value for value in values if value is not None]) if kind != "number" else None
    point = krippendorff_alpha(ratings, level, order)
    if point.value is None:
        return Estimate(None, None, point.reason)
    kept = [at for at, unit in enumerate(ratings) if sum(value is not None for value in unit) > 1]
    codes, size = item_codes([items[at] for at in kept])
    units = [[value for value in ratings[at] if value is not None] for at in kept]
    if order is None:
        sums = _spread_table(units, codes, size)
        bounds = bootstrap_interval(lambda w: _from_spreads(w @ sums), size, within=(-1, 1))
    else:
        table, wide = _coincidences(units, order, codes, size), len(order)
        bounds = bootstrap_interval(
            lambda w: weighted.alpha((w @ table).reshape(len(w), wide, wide), level), size, within=(-1, 1)
        )
    return Estimate(point.value, bounds.interval, bounds.reason)


def _coincidences(
    units: Sequence[Sequence[Any]], order: Sequence[Any], codes: NDArray[np.int64], items: int
) -> Array:
    """Ordered pairs of values within units, each unit weighing as many values as it has: by item."""
    import numpy as np

    place, size = {value: at for at, value in enumerate(order)}, len(order)
    table = np.zeros((items, size * size))
    for item, unit in zip(codes, units, strict=True):
        counts = Counter(unit)
        for a, k in counts.items():
            for b, m in counts.items():
                pairs = k * (m - 1) if a == b else k * m
                table[item, place[a] * size + place[b]] += pairs / (len(unit) - 1)
    return table


def _spread_table(units: Sequence[Sequence[Any]], codes: NDArray[np.int64], items: int) -> Array:
    """Number, sum and squares of the values and the spread within units: by item."""
    import numpy as np

    mean = float(np.mean([float(value) for unit in units for value in unit]))
    table = np.zeros((items, 4))
    for item, unit in zip(codes, units, strict=True):
        about = np.array(unit, dtype=np.float64) - mean
        n, total, squares = len(about), float(about.sum()), float((about**2).sum())
        table[item] += (n, total, squares, 2 * (n * squares - total**2) / (n - 1))
    return table


def _from_spreads(sums: Array) -> Array:
    import numpy as np

    n, total, squares, within = sums.T
    spread = 2 * (n * squares - total**2)
    value = np.full(len(sums), np.nan)
    np.divide((n - 1) * within, spread, out=value, where=spread > 1e-12 * n * squares)
    found: Array = 1 - value
    return found
