"""Statistics of agreement by name: for which kind of values, the value, and its interval over items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from msgspec import Struct

from adjudge.metrics import agreement, weighted
from adjudge.metrics.agreement import Statistic
from adjudge.stats.intervals import bootstrap_interval
from adjudge.types import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Kind = Literal["flag", "class", "rank", "number"]
RANKS: tuple[tuple[str, ...], ...] = (("none", "partial", "full"),)
"""Values that have an order."""
POSITIVE = (True, "full", "entailed")
MOST_ITEMS = 20_000
BUCKETS = 2048
"""Above `MOST_ITEMS`, items are joined in this many groups by a hash, which are then resampled."""

_CELLS: dict[str, tuple[Callable[..., Statistic], Callable[..., Array], tuple[float, float]]] = {
    "accuracy": (agreement.accuracy, lambda cells: _accuracy(cells), (0, 1)),
    "balanced_accuracy": (agreement.balanced_accuracy, weighted.balanced_accuracy, (0, 1)),
    "macro_f1": (agreement.macro_f1, weighted.macro_f1, (0, 1)),
    "kappa": (agreement.cohen_kappa, weighted.kappa, (-1, 1)),
}
_POSITIVE: dict[str, tuple[Callable[..., Statistic], Callable[..., Array]]] = {
    "f1": (agreement.f1, weighted.f1),
    "precision": (agreement.precision, weighted.precision),
    "recall": (agreement.recall, weighted.recall),
}
_NUMBERS: dict[str, tuple[Callable[..., Statistic], Callable[..., Array], tuple[float, float] | None]] = {
    "pearson": (agreement.pearson, weighted.pearson, (-1, 1)),
    "spearman": (agreement.spearman, weighted.spearman, (-1, 1)),
    "kendall": (agreement.kendall, weighted.kendall, (-1, 1)),
    "rmse": (agreement.rmse, weighted.rmse, None),
    "mae": (agreement.mae, weighted.mae, None),
}
OF_KIND: dict[Kind, tuple[str, ...]] = {
    "flag": ("kappa", "alpha", "accuracy", "balanced_accuracy", "f1", "precision", "recall", "auroc"),
    "class": ("kappa", "alpha", "accuracy", "balanced_accuracy", "macro_f1", "auroc"),
    "rank": (
        *("kappa", "kappa_linear", "kappa_quadratic", "alpha"),
        *("accuracy", "balanced_accuracy", "macro_f1", "auroc"),
    ),
    "number": ("pearson", "spearman", "kendall", "rmse", "mae", "alpha", "auroc"),
}
NAMES = tuple(dict.fromkeys(name for names in OF_KIND.values() for name in names))


class Estimate(Struct, frozen=True, omit_defaults=True):
    """A statistic with its interval; None, and why, where there is none of either."""

    value: float | None
    interval: tuple[float, float] | None = None
    reason: str | None = None


class Observed(Struct):
    """Values of two raters, paired, with the items they belong to. `sure`: the guesser's probabilities."""

    truth: list[Value]
    guess: list[Value]
    items: list[str]
    sure: list[float | None]

    @property
    def kind(self) -> Kind:
        """What sort of values these are, by all of them."""
        values = {*self.truth, *self.guess} - {None}
        if all(isinstance(value, bool) for value in values):
            return "flag"
        if any(isinstance(value, str) for value in values):
            return "rank" if any(values <= set(order) for order in RANKS) else "class"
        return "number"


def order_of(values: Sequence[Value]) -> list[Any]:
    """The distinct values in their order."""
    found = set(values)
    if all(isinstance(value, bool) for value in found):
        return [False, True]
    known = next((order for order in RANKS if found <= set(order)), None)
    return list(known) if known else sorted(found, key=lambda value: (str(type(value)), value))


def item_codes(items: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Items as numbers, in an order that does not depend on the input's; very many are joined by a hash."""
    import numpy as np

    names = sorted(set(items))
    if len(names) > MOST_ITEMS:
        items = [f"{crc32(item.encode('utf-8', 'surrogatepass')) % BUCKETS:05}" for item in items]
        names = sorted(set(items))
    place = {name: at for at, name in enumerate(names)}
    return np.array([place[item] for item in items], dtype=np.int64), len(names)


def estimates(pairs: Observed, names: Sequence[str] = ()) -> dict[str, Estimate]:
    """The statistics that fit the values' kind, or those of them that are named."""
    kept = [
        at
        for at, (a, b) in enumerate(zip(pairs.truth, pairs.guess, strict=True))
        if a is not None and b is not None
    ]
    truth, guess = [pairs.truth[at] for at in kept], [pairs.guess[at] for at in kept]
    sure = [pairs.sure[at] for at in kept]
    kind = pairs.kind
    wanted = [name for name in OF_KIND[kind] if not names or name in names]
    if not kept:
        return {name: Estimate(None, None, agreement.NO_PAIRS) for name in wanted}
    codes, size = item_codes([pairs.items[at] for at in kept])
    found = {}
    for name in wanted:
        if name == "auroc":
            estimate = _auroc(kind, truth, guess, sure, codes, size)
        elif kind == "number":
            estimate = _number(name, truth, guess, codes, size)
        else:
            estimate = _cells(name, kind, truth, guess, codes, size)
        if estimate is not None:
            found[name] = estimate
    return found


def _joined(
    point: Statistic,
    statistic: Callable[[Array], Array],
    items: int,
    within: tuple[float, float] | None,
) -> Estimate:
    if point.value is None:
        return Estimate(None, None, point.reason)
    bounds = bootstrap_interval(statistic, items, within=within)
    return Estimate(point.value, bounds.interval, bounds.reason)


def _number(name: str, truth: list[Any], guess: list[Any], codes: NDArray[np.int64], items: int) -> Estimate:
    import numpy as np

    x, y = (np.array(side, dtype=np.float64) for side in (truth, guess))
    if name == "alpha":
        point = agreement.krippendorff_alpha(list(zip(truth, guess, strict=True)), "interval")
        return _joined(point, lambda w: weighted.alpha_interval(x, y, w[:, codes]), items, (-1, 1))
    exact, many, within = _NUMBERS[name]
    return _joined(exact(guess, truth), lambda w: many(x, y, w[:, codes]), items, within)


def _cells(
    name: str, kind: Kind, truth: list[Any], guess: list[Any], codes: NDArray[np.int64], items: int
) -> Estimate:
    order = order_of([*truth, *guess])
    size = len(order)
    table = cell_table(truth, guess, order, codes, items)

    def cells(w: Array) -> Array:
        return (w @ table).reshape(len(w), size, size)

    if name in _CELLS:
        exact, many, within = _CELLS[name]
        return _joined(exact(truth, guess), lambda w: many(cells(w)), items, within)
    if name in _POSITIVE:
        one, several = _POSITIVE[name]
        return _joined(one(truth, guess), lambda w: several(cells(w), order.index(True)), items, (0, 1))
    if name == "alpha":
        level: agreement.Level = "ordinal" if kind == "rank" else "nominal"
        point = agreement.krippendorff_alpha(
            list(zip(truth, guess, strict=True)), level, order if kind == "rank" else None
        )
        return _joined(point, lambda w: weighted.alpha(_both_ways(cells(w)), level), items, (-1, 1))
    weighting: Any = name.removeprefix("kappa_")
    point = agreement.weighted_kappa(truth, guess, weighting, order)
    power = 1 if weighting == "linear" else 2
    return _joined(point, lambda w: weighted.kappa(cells(w), power), items, (-1, 1))


def cell_table(
    truth: Sequence[Any], guess: Sequence[Any], order: Sequence[Any], codes: NDArray[np.int64], items: int
) -> Array:
    """How often each pair of values occurs in each item: (items x size²)."""
    import numpy as np

    size = len(order)
    cell = weighted.codes_of(truth, order) * size + weighted.codes_of(guess, order)
    table = np.zeros((items, size * size))
    np.add.at(table, (codes, cell.astype(np.int64)), 1.0)
    return table


def _both_ways(cells: Array) -> Array:
    return cells + cells.transpose(0, 2, 1)


def _accuracy(cells: Array) -> Array:
    import numpy as np

    size = cells.shape[1]
    row, column = np.divmod(np.arange(size * size), size)
    return weighted.accuracy(row * 1.0, column * 1.0, cells.reshape(len(cells), -1))


def _auroc(
    kind: Kind,
    truth: list[Any],
    guess: list[Any],
    sure: list[float | None],
    codes: NDArray[np.int64],
    items: int,
) -> Estimate | None:
    """Of the guesser's probabilities, or of its numbers where the truth is yes or no; else not at all."""
    import numpy as np

    if kind == "number":
        if not all(isinstance(value, bool) for value in truth):
            return None
        labels, scores = truth, guess
    else:
        known = [at for at, chance in enumerate(sure) if chance is not None]
        if not known:
            return None
        labels, scores = [truth[at] in POSITIVE for at in known], [sure[at] for at in known]
        codes = codes[known]
    x, y = np.array(labels, dtype=np.float64), np.array(scores, dtype=np.float64)
    point = agreement.auroc(labels, scores)
    return _joined(point, partial(_weighted_auroc, x, y, codes), items, (0, 1))


def _weighted_auroc(x: Array, y: Array, codes: NDArray[np.int64], w: Array) -> Array:
    return weighted.auroc(x, y, w[:, codes])
