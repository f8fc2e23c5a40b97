"""The statistics of `agreement` under many weightings of the pairs at once, for resampling.

Every function takes the two sides of m pairs and a (resamples x m) table of weights, how often each pair was
drawn, and gives one value a resample; NaN marks one that has none and stays inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DENSE_PAIRS = 2000
"""Up to this many pairs Kendall's tau is a product of matrices; beyond, scipy counts in each resample."""


def _divide(top: Any, bottom: Any) -> Array:
    import numpy as np

    bottom = np.asarray(bottom, dtype=np.float64)
    value = np.full(bottom.shape, np.nan)
    np.divide(top, bottom, out=value, where=bottom > 1e-12)
    return value


def mae(x: Array, y: Array, w: Array) -> Array:
    """Mean absolute error."""
    return _divide(w @ abs(x - y), w.sum(axis=1))


def rmse(x: Array, y: Array, w: Array) -> Array:
    """Root mean squared error."""
    import numpy as np

    return np.sqrt(_divide(w @ (x - y) ** 2, w.sum(axis=1)))


def accuracy(x: Array, y: Array, w: Array) -> Array:
    """Share of equal pairs."""
    return _divide(w @ (x == y), w.sum(axis=1))


def pearson(x: Array, y: Array, w: Array) -> Array:
    """Pearson's r from weighted sums, about the means of all pairs so that little is cancelled."""
    import numpy as np

    x, y = x - x.mean(), y - y.mean()
    n, sx, sy, xx, yy, xy = (w @ np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)).T
    spread_x, spread_y = n * xx - sx * sx, n * yy - sy * sy
    # A resample of equal values has a spread of rounding errors only.
    alive = (spread_x > 1e-12 * n * xx) & (spread_y > 1e-12 * n * yy)
    bottom = np.sqrt(np.where(alive, spread_x, 0.0)) * np.sqrt(np.where(alive, spread_y, 0.0))
    value = np.full(len(w), np.nan)
    np.divide(n * xy - sx * sy, bottom, out=value, where=alive & (bottom > 0))
    np.clip(value, -1.0, 1.0, out=value)
    return value


def _mid_ranks(x: Array, w: Array) -> Array:
    """The mean rank of each pair's value in each resample."""
    import numpy as np

    _, group = np.unique(x, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    sizes = np.add.reduceat(w[:, order], starts, axis=1)
    middle: Array = np.cumsum(sizes, axis=1) - sizes + (sizes + 1) / 2
    return middle[:, group]


def spearman(x: Array, y: Array, w: Array) -> Array:
    """Spearman's rho: ranks are taken anew in every resample."""
    import numpy as np

    centre = (w.sum(axis=1, keepdims=True) + 1) / 2
    rx, ry = _mid_ranks(x, w) - centre, _mid_ranks(y, w) - centre
    xx, yy, xy = (w * rx * rx).sum(axis=1), (w * ry * ry).sum(axis=1), (w * rx * ry).sum(axis=1)
    return _divide(xy, np.sqrt(xx * yy))


def kendall(x: Array, y: Array, w: Array) -> Array:
    """Kendall's tau-b."""
    import numpy as np

    if len(x) > DENSE_PAIRS:
        return np.array([_kendall_once(x, y, row) for row in w])
    signs = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    order = ((w @ signs) * w).sum(axis=1) / 2
    n = w.sum(axis=1)
    pairs = n * (n - 1) / 2
    tied_x, tied_y = _tied(x, w), _tied(y, w)
    return _divide(order, np.sqrt(np.maximum((pairs - tied_x) * (pairs - tied_y), 0.0)))


def _tied(x: Array, w: Array) -> Array:
    import numpy as np

    _, group = np.unique(x, return_inverse=True)
    sizes = w @ np.eye(int(group.max()) + 1)[group]
    ties: Array = (sizes * (sizes - 1) / 2).sum(axis=1)
    return ties


def _kendall_once(x: Array, y: Array, row: Array) -> float:
    import numpy as np

    from adjudge.metrics.agreement import kendall as exact

    times = row.astype(np.int64)
    value = exact(np.repeat(x, times).tolist(), np.repeat(y, times).tolist()).value
    return np.nan if value is None else value


def auroc(x: Array, y: Array, w: Array) -> Array:
    """Area under the curve; `x` is 1 for positives and 0 for negatives, `y` the score."""
    import numpy as np

    _, group = np.unique(y, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    positive = np.add.reduceat((w * x)[:, order], starts, axis=1)
    negative = np.add.reduceat((w * (1 - x))[:, order], starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative
    wins = (positive * (below + negative / 2)).sum(axis=1)
    return _divide(wins, positive.sum(axis=1) * negative.sum(axis=1))


def confusion(x: Array, y: Array, w: Array, size: int) -> Array:
    """Tables of counts, (resamples x size x size), from codes 0 … size - 1."""
    import numpy as np

    cell = (x * size + y).astype(np.int64)
    return (w @ np.eye(size * size)[cell]).reshape(len(w), size, size)


def precision(cells: Array, positive: int) -> Array:
    """From tables of counts, the truth in rows."""
    return _divide(cells[:, positive, positive], cells[:, :, positive].sum(axis=1))


def recall(cells: Array, positive: int) -> Array:
    """From tables of counts, the truth in rows."""
    return _divide(cells[:, positive, positive], cells[:, positive, :].sum(axis=1))


def f1(cells: Array, positive: int) -> Array:
    """From tables of counts."""
    both = cells[:, :, positive].sum(axis=1) + cells[:, positive, :].sum(axis=1)
    return _divide(2 * cells[:, positive, positive], both)


def macro_f1(cells: Array) -> Array:
    """Mean of F1 over the values that a resample has."""
    import numpy as np

    values = np.stack([f1(cells, code) for code in range(cells.shape[1])])
    seen = ~np.isnan(values)
    return _divide(np.where(seen, values, 0.0).sum(axis=0), seen.sum(axis=0))


def balanced_accuracy(cells: Array) -> Array:
    """Mean recall over the true values that a resample has; none where it has one only."""
    import numpy as np

    values = np.stack([recall(cells, code) for code in range(cells.shape[1])])
    seen = ~np.isnan(values)
    number = seen.sum(axis=0)
    mean = _divide(np.where(seen, values, 0.0).sum(axis=0), number)
    return np.where(number > 1, mean, np.nan)


def kappa(cells: Array, power: int = 0) -> Array:
    """Cohen's kappa; `power` 1 and 2 weigh disagreements by distance and distance squared."""
    import numpy as np

    codes = np.arange(cells.shape[1])
    apart = abs(codes[:, None] - codes[None, :]).astype(np.float64)
    distance = (apart > 0).astype(np.float64) if power == 0 else apart**power
    total = cells.sum(axis=(1, 2))
    chance = np.einsum("bi,bj,ij->b", cells.sum(axis=2), cells.sum(axis=1), distance)
    return 1 - _divide((cells * distance).sum(axis=(1, 2)) * total, chance)


def alpha(coincidences: Array, level: str) -> Array:
    """Krippendorff's alpha, nominal or ordinal, from tables of coincidences of codes in their order."""
    import numpy as np

    totals = coincidences.sum(axis=2)
    n = totals.sum(axis=1)
    if level == "nominal":
        size = coincidences.shape[1]
        distance = np.broadcast_to(1 - np.eye(size), coincidences.shape)
    else:
        middle = np.cumsum(totals, axis=1) - totals / 2
        distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    chance = np.einsum("bi,bj,bij->b", totals, totals, distance)
    return 1 - _divide((n - 1) * (coincidences * distance).sum(axis=(1, 2)), chance)


def alpha_interval(x: Array, y: Array, w: Array) -> Array:
    """Krippendorff's alpha of two raters' numbers, from weighted sums of squares."""
    import numpy as np

    mean = np.concatenate([x, y]).mean()
    x, y = x - mean, y - mean
    n = 2 * w.sum(axis=1)
    squares, sums, apart = (w @ np.stack([x * x + y * y, x + y, (x - y) ** 2], axis=1)).T
    spread = 2 * (n * squares - sums * sums)
    return 1 - _divide((n - 1) * 2 * apart, np.where(spread > 1e-12 * n * squares, spread, 0.0))


def codes_of(values: Sequence[Any], order: Sequence[Any]) -> Array:
    """Values as their places in an order."""
    import numpy as np

    place = {value: at for at, value in enumerate(order)}
    return np.array([place[value] for value in values], dtype=np.float64)
