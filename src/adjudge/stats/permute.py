"""Resampling and permuting paired tables of counts: many metrics over the same items at once.

Only sums of rows are ever needed, so a resample is a row of a matrix of weights, a permutation a row of zeros
and ones that says for which items the two sides change places, and both are one product of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 20240607
CELLS = 1 << 21
"""Weights in memory at once."""


class Contest(Struct, frozen=True):
    """Two tables over the same items, and how a metric follows from summed rows."""

    first: Array
    second: Array
    measure: Callable[[Array], Array]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the smallest times all, the next times one fewer, never below the one before."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected, largest = [0.0] * len(order), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


def observed(contest: Contest) -> tuple[float, float]:
    """The metric of either side."""
    first, second = (
        float(contest.measure(table.sum(axis=0)[None, :])[0]) for table in (contest.first, contest.second)
    )
    return first, second


def bootstrap_differences(contests: Sequence[Contest], resamples: int = RESAMPLES) -> list[Array]:
    """Second less first under each resample of the items, for every metric under the same resamples."""
    import numpy as np

    stacked, places = _stack([side for contest in contests for side in (contest.first, contest.second)])
    found: list[list[Array]] = [[] for _ in contests]
    for drawn in _draws(len(stacked), resamples):
        sums = drawn @ stacked
        for at, contest in enumerate(contests):
            first, second = (contest.measure(sums[:, place]) for place in places[2 * at : 2 * at + 2])
            found[at].append(second - first)
    return [np.concatenate(parts) for parts in found]


def permutation_p_values(contests: Sequence[Contest], resamples: int = RESAMPLES) -> list[float]:
    """How often swapping the two sides of random items gives a difference as large as the one observed.

    All swaps are tried where there are no more than `resamples`; the p-value is then exact.
    """
    import numpy as np

    stacked, places = _stack([contest.first - contest.second for contest in contests])
    # Items in which no metric differs change nothing by changing places.
    stacked = stacked[np.any(stacked != 0, axis=1)]
    seen = [observed(contest) for contest in contests]
    bars = [abs(second - first) * (1 - 1e-9) - 1e-12 for first, second in seen]
    totals = [(contest.first.sum(axis=0), contest.second.sum(axis=0)) for contest in contests]
    exact = 2 ** len(stacked) <= resamples
    hits, tried = np.zeros(len(contests), dtype=np.int64), 0
    for kept in _all_swaps(len(stacked)) if exact else _swaps(len(stacked), resamples):
        moved = kept @ stacked
        tried += len(kept)
        for at, contest in enumerate(contests):
            first, second = totals[at]
            part = moved[:, places[at]]
            gap = contest.measure(first - part) - contest.measure(second + part)
            # A swap that leaves nothing to divide by counts as extreme, which errs on the safe side.
            hits[at] += int((~(abs(gap) < bars[at])).sum())
    one = 0 if exact else 1
    return [float(n + one) / (tried + one) for n in hits]


def _stack(tables: Sequence[Array]) -> tuple[Array, list[NDArray[np.int64]]]:
    """All columns side by side, equal ones once, and where each table's columns went."""
    import numpy as np

    known: dict[bytes, int] = {}
    columns: list[Array] = []
    places = []
    for table in tables:
        place = []
        for column in np.ascontiguousarray(table.T):
            at = known.setdefault(column.tobytes(), len(columns))
            if at == len(columns):
                columns.append(column)
            place.append(at)
        places.append(np.array(place, dtype=np.int64))
    return np.stack(columns, axis=1), places


def _blocks(items: int, resamples: int) -> Iterator[int]:
    size = max(1, min(resamples, CELLS // max(1, items)))
    for at in range(0, resamples, size):
        yield min(size, resamples - at)


def _draws(items: int, resamples: int) -> Iterator[Array]:
    """How often each item is drawn, a block of resamples at a time."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    for rows in _blocks(items, resamples):
        drawn = rng.integers(0, items, (rows, items), dtype=np.int32)
        drawn += np.arange(rows, dtype=np.int32)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def _swaps(items: int, resamples: int) -> Iterator[Array]:
    """Zeros and ones at random: whether an item keeps its sides."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    for rows in _blocks(items, resamples):
        noise = np.frombuffer(rng.bytes(math.ceil(rows * items / 8)), dtype=np.uint8)
        yield np.unpackbits(noise)[: rows * items].reshape(rows, items).astype(np.float64)


def _all_swaps(items: int) -> Iterator[Array]:
    import numpy as np

    codes = np.arange(2**items)
    yield ((codes[:, None] >> np.arange(items)) & 1).astype(np.float64)
