"""How well predictions agree with what people or labels say: a value, its interval over items, or why not.

Items are what is independent: two responses about one person, or two annotators of one pair, are one item and
are resampled together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.metrics import agreement, weighted
from adjudge.stats.experiments.outcome import Figure
from adjudge.stats.intervals import bootstrap_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Weighted = Callable[[Array, Array, Array], Array]

Values = Sequence[float | None]
Items = Sequence[Hashable]
Exact = Callable[[Sequence[Any], Sequence[Any]], agreement.Statistic]


def pearson(first: Values, second: Values, items: Items, resamples: int) -> Figure:
    """Pearson's correlation, with its p-value."""
    found = _figure(agreement.pearson, weighted.pearson, first, second, items, resamples, (-1.0, 1.0))
    return _with_p("pearsonr", found, first, second)


def spearman(first: Values, second: Values, items: Items, resamples: int) -> Figure:
    """Spearman's rank correlation, with its p-value."""
    found = _figure(agreement.spearman, weighted.spearman, first, second, items, resamples, (-1.0, 1.0))
    return _with_p("spearmanr", found, first, second)


def auroc(scores: Values, positive: Sequence[bool], items: Items, resamples: int) -> Figure:
    """Chance that a positive has a higher score than a negative; ties count half."""
    return _figure(agreement.auroc, weighted.auroc, positive, scores, items, resamples, (0.0, 1.0))


def rmse(predicted: Values, true: Values, items: Items, resamples: int) -> Figure:
    """Root of the mean squared difference."""
    return _figure(agreement.rmse, weighted.rmse, true, predicted, items, resamples, None)


def balanced_accuracy(
    said: Sequence[bool | None], true: Sequence[bool], items: Items, resamples: int
) -> Figure:
    """Mean of the shares of positives and of negatives that were told right."""

    def many(x: Array, y: Array, w: Array) -> Array:
        return weighted.balanced_accuracy(weighted.confusion(x, y, w, 2))

    return _figure(agreement.balanced_accuracy, many, true, said, items, resamples, (0.0, 1.0))


def accuracy(said: Sequence[str | None], true: Sequence[str], items: Items, resamples: int) -> Figure:
    """Share of equal labels."""
    right = [None if a is None else a == b for a, b in zip(said, true, strict=True)]
    always = [True] * len(right)
    return _figure(agreement.accuracy, weighted.accuracy, always, right, items, resamples, (0.0, 1.0))


def best_balanced_accuracy(scores: Values, true: Sequence[bool]) -> Figure:
    """Balanced accuracy at the threshold that suits these rows best: an upper bound, without interval."""
    import numpy as np

    x, y, _ = _complete(true, scores, range(len(true)))
    positives = x.sum()
    negatives = len(x) - positives
    if not positives or not negatives:
        return Figure(n=len(x), reason="one class only" if len(x) else agreement.NO_PAIRS)
    order = np.argsort(-y, kind="stable")
    last = np.append(np.diff(y[order]) != 0, True)
    hits = np.cumsum(x[order])[last] / positives
    alarms = np.cumsum(1 - x[order])[last] / negatives
    return Figure(float(max(0.5, ((hits + 1 - alarms) / 2).max())), None, len(x))


def _figure(
    exact: Exact,
    many: Weighted,
    first: Values,
    second: Values,
    items: Items,
    resamples: int,
    within: tuple[float, float] | None,
) -> Figure:
    """The value, and its interval from the same statistic under many weightings of the items."""
    x, y, kept = _complete(first, second, items)
    found = exact(first, second)
    if found.value is None:
        return Figure(n=len(x), reason=found.reason)
    places = {item: place for place, item in enumerate(dict.fromkeys(kept))}
    of = [places[item] for item in kept]
    bounds = bootstrap_interval(
        lambda w: many(x, y, w[:, of]), len(places), within=within, resamples=resamples
    )
    return Figure(found.value, bounds.interval, len(x), None, bounds.reason)


def _complete(first: Values, second: Values, items: Items) -> tuple[Array, Array, list[Hashable]]:
    """Both values where both are there, with their items."""
    import numpy as np

    kept = [
        (float(a), float(b), item)
        for a, b, item in zip(first, second, items, strict=True)
        if a is not None and b is not None
    ]
    x, y = (np.array([entry[side] for entry in kept], dtype=np.float64) for side in (0, 1))
    return x, y, [item for *_, item in kept]


def _with_p(name: str, found: Figure, first: Values, second: Values) -> Figure:
    if found.value is None:
        return found
    pairs = agreement.complete_pairs(first, second)
    assert not isinstance(pairs, agreement.Statistic)
    p = float(getattr(agreement.scipy_stats(), name)(*pairs).pvalue)
    return Figure(found.value, found.interval, found.n, p if p == p else None, found.reason)
