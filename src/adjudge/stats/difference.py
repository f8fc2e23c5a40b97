"""One metric's difference between two sides: interval, effect, outcomes by item, and what moved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from adjudge.metrics.fold import FEW
from adjudge.metrics.resample import Interval, Z, jackknife, percentile_interval, t_quantile
from adjudge.stats.paired import Pairs
from adjudge.stats.permute import Contest, observed
from adjudge.types import Attribute, Fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Verdict = Literal["better", "worse", "no difference shown"]
POWER_80 = 0.8416212335729143
"""Normal quantile of a power of .8."""
EQUAL = 1e-9
"""What differs by no more is equal."""
NO_DIFFERENCE: Verdict = "no difference shown"


class Moved(Struct, frozen=True):
    """A sample (or item) and its value under either side."""

    id: str
    first: float
    second: float


class Difference(Struct, frozen=True, kw_only=True):
    """One metric in one group: the second side against the first, over what both have scored."""

    metric: str
    group: dict[str, Attribute]
    fold: Fold
    scale: Literal["unit", "count"]
    higher_is_better: bool
    first: str
    second: str
    pairs: int
    items: int
    values: tuple[float | None, float | None]
    difference: float | None
    interval: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    effect: float | None = None
    detectable: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    verdict: Verdict = NO_DIFFERENCE
    reason: str | None = None
    left_out: tuple[int, int] = (0, 0)
    moved: tuple[Moved, ...] = ()


def difference_of(
    pairs: Pairs,
    names: tuple[str, str],
    contest: Contest,
    p: float | None,
    drawn: Array | None,
    moved: int,
) -> Difference:
    """One metric; `p` is that of its permutation test, `drawn` are resampled differences if there are any."""
    spec, items = pairs.spec, len(pairs.items)
    row = Difference(
        metric=spec.name,
        group=dict(pairs.group),
        fold=spec.headline,
        scale=spec.scale,
        higher_is_better=spec.higher_is_better,
        first=names[0],
        second=names[1],
        pairs=len(pairs.ids),
        items=items,
        values=(None, None),
        difference=None,
        left_out=pairs.only,
    )
    if not items:
        return msgspec.structs.replace(row, reason="no sample was scored on both sides")
    first, second = (None if math.isnan(value) else value for value in observed(contest))
    if first is None or second is None:
        return msgspec.structs.replace(row, values=(first, second), reason="nothing to divide by on one side")
    # Sums in another order differ in their last digits, which are no difference.
    gap = second - first if abs(second - first) > EQUAL else 0.0
    interval, error, why = difference_interval(contest, gap, items, drawn, share=spec.scale == "unit")
    wins, ties, losses = _outcomes(pairs)
    return msgspec.structs.replace(
        row,
        values=(first, second),
        difference=gap,
        interval=interval,
        p=p,
        effect=gap / (error * math.sqrt(items)) if error > 0 else None,
        detectable=(Z + POWER_80) * error if error > 0 else None,
        wins=wins,
        ties=ties,
        losses=losses,
        reason=why,
        moved=_moved(pairs, moved),
    )


def difference_interval(
    contest: Contest, difference: float, items: int, drawn: Array | None, *, share: bool
) -> tuple[Interval | None, float, str | None]:
    """The interval of the difference and its standard error."""
    import numpy as np

    if items == 1:
        return None, 0.0, "only one item"
    wide = contest.first.shape[1]

    def measure(sums: Array) -> Array:
        return contest.measure(sums[:, wide:]) - contest.measure(sums[:, :wide])

    _, error, without = jackknife(np.concatenate([contest.first, contest.second], axis=1), measure)
    why = None if error > 0 else "no item differs" if difference == 0 else "every item differs alike"
    if items < FEW:
        return None, error, why or f"too few items for an interval ({items}; it needs {FEW})"
    if drawn is not None and error > 0:
        return percentile_interval(drawn), error, why
    return _small_interval(difference, without, items, share), error, why


def _small_interval(difference: float, without: Array, items: int, share: bool) -> Interval:
    """Student's interval after adding two items that differ as others do where they differ, one each way.

    For yes-or-no values this is Bonett and Price's interval, which holds for few items and for hardly any
    that differ; plain resampling is too narrow there, and of no width where none does.
    """
    import numpy as np

    influence = items * difference - (items - 1) * without[~np.isnan(without)]
    differing = influence[abs(influence) > EQUAL]
    usual = float(np.sqrt((differing**2).mean())) if len(differing) else 1.0 if share else 0.0
    padded = np.concatenate([influence, [usual, -usual]])
    n = len(padded)
    half = t_quantile(n - 1) * float(padded.std(ddof=1)) / math.sqrt(n)
    centre = float(padded.mean())
    low, high = centre - half, centre + half
    return (max(-1.0, low), min(1.0, high)) if share else (low, high)


def _outcomes(pairs: Pairs) -> tuple[int, int, int]:
    """On how many items the second side is better, equal, worse, by the items' mean values, if both have."""
    gaps = pairs.means[1] - pairs.means[0]
    up, equal, down = (int(found.sum()) for found in (gaps > EQUAL, abs(gaps) <= EQUAL, gaps < -EQUAL))
    wins, losses = (up, down) if pairs.spec.higher_is_better else (down, up)
    return wins, equal, losses


def _moved(pairs: Pairs, most: int) -> tuple[Moved, ...]:
    """The samples whose values differ most, the largest difference first."""
    import numpy as np

    first, second = pairs.values
    far = np.nan_to_num(abs(second - first))
    order = sorted(range(len(far)), key=lambda at: (-float(far[at]), pairs.ids[at]))[:most]
    return tuple(Moved(pairs.ids[at], float(first[at]), float(second[at])) for at in order if far[at] > EQUAL)
