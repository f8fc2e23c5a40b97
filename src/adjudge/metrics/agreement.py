"""How far two raters, or a judge and people, agree. A statistic is a value, or None and why there is none.

Values are paired by position; a pair in which either is None is left out. Correlations come from scipy (the
extra `stats`), which is imported only when one is asked for; the rest is counting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.metrics.ratios import harmonic, ratio

Weighting = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
Rating = str | bool | int | float | None
NO_PAIRS = "no pair has both values"


class Statistic(Struct, frozen=True):
    """A number, or None and the reason."""

    value: float | None
    reason: str | None = None


def none(reason: str) -> Statistic:
    """No value, and why."""
    return Statistic(None, reason)


def complete_pairs(first: Sequence[Any], second: Sequence[Any]) -> tuple[list[Any], list[Any]] | Statistic:
    """The pairs that have both values; None with a reason where there are none or the lengths differ."""
    if len(first) != len(second):
        return none(f"{len(first)} values against {len(second)}: they cannot be paired")
    kept = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not kept:
        return none(NO_PAIRS)
    return [a for a, _ in kept], [b for _, b in kept]


def _correlation(name: str, first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    pairs = complete_pairs(first, second)
    if isinstance(pairs, Statistic):
        return pairs
    x, y = ([float(value) for value in side] for side in pairs)
    if not all(map(math.isfinite, (*x, *y))):
        return none("a value is not finite")
    if len(x) == 1:
        return none("only one pair")
    for side, which in ((x, "first"), (y, "second")):
        if min(side) == max(side):
            return none(f"the {which} side is constant")
    value = float(getattr(scipy_stats(), name)(x, y).statistic)
    # Spreads too small for the arithmetic come out as NaN, which must not leave this module.
    return none("the values hardly differ") if math.isnan(value) else Statistic(value)


def scipy_stats() -> Any:
    """scipy.stats, or how to get it."""
    try:
        from scipy import stats
    except ImportError:
        raise UsageError("correlations need scipy: pip install 'adjudge[stats]'") from None
    return stats


def pearson(first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    """Pearson's r."""
    return _correlation("pearsonr", first, second)


def spearman(first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    """Spearman's rho, ties by mean rank."""
    return _correlation("spearmanr", first, second)


def kendall(first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    """Kendall's tau-b."""
    return _correlation("kendalltau", first, second)


def _mean(measure: Callable[[float], float], first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    pairs = complete_pairs(first, second)
    if isinstance(pairs, Statistic):
        return pairs
    gaps = [measure(float(a) - float(b)) for a, b in zip(*pairs, strict=True)]
    return Statistic(math.fsum(gaps) / len(gaps))


def mae(truth: Sequence[Any], guess: Sequence[Any]) -> Statistic:
    """Mean absolute error."""
    return _mean(abs, truth, guess)


def rmse(truth: Sequence[Any], guess: Sequence[Any]) -> Statistic:
    """Root mean squared error."""
    found = _mean(lambda gap: gap * gap, truth, guess)
    return found if found.value is None else Statistic(math.sqrt(found.value))


def accuracy(truth: Sequence[Any], guess: Sequence[Any]) -> Statistic:
    """Share of equal values."""
    pairs = complete_pairs(truth, guess)
    if isinstance(pairs, Statistic):
        return pairs
    return Statistic(sum(a == b for a, b in zip(*pairs, strict=True)) / len(pairs[0]))


def auroc(truth: Sequence[Any], scores: Sequence[Any]) -> Statistic:
    """Chance that a positive scores above a negative, ties counting half. `truth` is true or false."""
    pairs = complete_pairs(truth, scores)
    if isinstance(pairs, Statistic):
        return pairs
    tallies: dict[float, list[int]] = {}
    for label, score in zip(*pairs, strict=True):
        tallies.setdefault(float(score), [0, 0])[bool(label)] += 1
    positives = sum(map(bool, pairs[0]))
    negatives = len(pairs[0]) - positives
    if not positives or not negatives:
        return none("one class only: no positives" if not positives else "one class only: no negatives")
    below, wins = 0, 0.0
    for score in sorted(tallies):
        wrong, right = tallies[score]
        wins += right * (below + wrong / 2)
        below += wrong
    return Statistic(wins / (positives * negatives))


def precision(truth: Sequence[Any], guess: Sequence[Any], positive: Rating = True) -> Statistic:
    """Of what was guessed to be `positive`, the share that is."""
    return _of_cells(truth, guess, lambda cells: _precision(cells, positive))


def recall(truth: Sequence[Any], guess: Sequence[Any], positive: Rating = True) -> Statistic:
    """Of what is `positive`, the share that was guessed to be."""
    return _of_cells(truth, guess, lambda cells: _recall(cells, positive))


def f1(truth: Sequence[Any], guess: Sequence[Any], positive: Rating = True) -> Statistic:
    """Harmonic mean of precision and recall of `positive`; none where neither side has any."""
    return _of_cells(truth, guess, lambda cells: _f1(cells, positive))


def macro_f1(truth: Sequence[Any], guess: Sequence[Any]) -> Statistic:
    """Mean of F1 over the values that either side has."""

    def mean(cells: Counter[tuple[Any, Any]]) -> Statistic:
        values = {value for cell in cells for value in cell}
        return Statistic(math.fsum(_f1(cells, value).value or 0.0 for value in values) / len(values))

    return _of_cells(truth, guess, mean)


def balanced_accuracy(truth: Sequence[Any], guess: Sequence[Any]) -> Statistic:
    """Mean recall over the values of `truth`."""

    def mean(cells: Counter[tuple[Any, Any]]) -> Statistic:
        values = {true for true, _ in cells}
        if len(values) == 1:
            return none(f"one class only: every true value is {next(iter(values))}")
        return Statistic(math.fsum(_recall(cells, value).value or 0.0 for value in values) / len(values))

    return _of_cells(truth, guess, mean)


def cohen_kappa(first: Sequence[Any], second: Sequence[Any]) -> Statistic:
    """Cohen's kappa: agreement beyond chance, all disagreements alike."""
    return _of_cells(first, second, lambda cells: _kappa(cells, lambda a, b: float(a != b)))


def weighted_kappa(
    first: Sequence[Any],
    second: Sequence[Any],
    weighting: Weighting = "linear",
    order: Sequence[Any] | None = None,
) -> Statistic:
    """Kappa in which a disagreement weighs as far as it is in `order` (default: sorted), or that squared."""
    pairs = complete_pairs(first, second)
    if isinstance(pairs, Statistic):
        return pairs
    ranks = {value: at for at, value in enumerate(order or sorted({*pairs[0], *pairs[1]}))}
    strange = next((value for side in pairs for value in side if value not in ranks), None)
    if strange is not None:
        return none(f"{strange!r} has no place in the order")
    power = 1 if weighting == "linear" else 2
    return _of_cells(
        *pairs, lambda cells: _kappa(cells, lambda a, b: float(abs(ranks[a] - ranks[b]) ** power))
    )


def _of_cells(
    first: Sequence[Any],
    second: Sequence[Any],
    statistic: Callable[[Counter[tuple[Any, Any]]], Statistic],
) -> Statistic:
    pairs = complete_pairs(first, second)
    return pairs if isinstance(pairs, Statistic) else statistic(Counter(zip(*pairs, strict=True)))


def _precision(cells: Mapping[tuple[Any, Any], int], positive: Rating) -> Statistic:
    guessed = sum(n for (_, guess), n in cells.items() if guess == positive)
    value = ratio(cells.get((positive, positive), 0), guessed)
    return Statistic(value, None if guessed else f"nothing was guessed to be {positive}")


def _recall(cells: Mapping[tuple[Any, Any], int], positive: Rating) -> Statistic:
    true = sum(n for (truth, _), n in cells.items() if truth == positive)
    value = ratio(cells.get((positive, positive), 0), true)
    return Statistic(value, None if true else f"one class only: nothing is {positive}")


def _f1(cells: Mapping[tuple[Any, Any], int], positive: Rating) -> Statistic:
    found, sought = _precision(cells, positive), _recall(cells, positive)
    if found.value is None and sought.value is None:
        return none(f"neither side has {positive}")
    return Statistic(harmonic(found.value or 0.0, sought.value or 0.0))


def _kappa(cells: Mapping[tuple[Any, Any], int], distance: Callable[[Any, Any], float]) -> Statistic:
    total = sum(cells.values())
    rows: Counter[Any] = Counter()
    columns: Counter[Any] = Counter()
    for (a, b), n in cells.items():
        rows[a] += n
        columns[b] += n
    seen = math.fsum(n * distance(a, b) for (a, b), n in cells.items())
    chance = math.fsum(n * m * distance(a, b) for a, n in rows.items() for b, m in columns.items()) / total
    if chance == 0:
        return none(f"one class only: both sides are always {next(iter(rows))}")
    return Statistic(1 - seen / chance)


def krippendorff_alpha(
    ratings: Sequence[Sequence[Rating]], level: Level = "nominal", order: Sequence[Any] | None = None
) -> Statistic:
    """Krippendorff's alpha over units, each with its raters' values; None where a rater gave none.

    `order` ranks the values for the ordinal level (default: sorted). Units with fewer than two values are
    left out, as the coefficient has it.
    """
    units = [[value for value in unit if value is not None] for unit in ratings]
    units = [unit for unit in units if len(unit) > 1]
    if not units:
        return none("no unit has two values")
    if len(units) == 1:
        return none("only one unit has two values")
    totals = Counter(value for unit in units for value in unit)
    if len(totals) == 1:
        return none(f"one class only: every value is {next(iter(totals))}")
    n = sum(totals.values())
    if level == "interval":
        return Statistic(_interval_alpha(units, n))
    distance = _distance(totals, level, order)
    if isinstance(distance, Statistic):
        return distance
    seen = math.fsum(
        k * m * distance(a, b) / (len(unit) - 1)
        for unit in units
        for values in [Counter(unit)]
        for a, k in values.items()
        for b, m in values.items()
    )
    chance = math.fsum(k * m * distance(a, b) for a, k in totals.items() for b, m in totals.items())
    return Statistic(1 - (n - 1) * seen / chance)


def _interval_alpha(units: Sequence[Sequence[Any]], n: int) -> float:
    """Squared differences without a table of all pairs of values: sums of squares about the mean."""
    mean = math.fsum(float(v) for unit in units for v in unit) / n

    def spread(values: Sequence[Any]) -> float:
        about = [float(v) - mean for v in values]
        return 2 * (len(about) * math.fsum(v * v for v in about) - math.fsum(about) ** 2)

    seen = math.fsum(spread(unit) / (len(unit) - 1) for unit in units)
    return 1 - (n - 1) * seen / spread([value for unit in units for value in unit])


def _distance(
    totals: Mapping[Any, int], level: Level, order: Sequence[Any] | None
) -> Callable[[Any, Any], float] | Statistic:
    if level == "nominal":
        return lambda a, b: float(a != b)
    ranked = list(order) if order is not None else sorted(totals)
    strange = next((value for value in totals if value not in ranked), None)
    if strange is not None:
        return none(f"{strange!r} has no place in the order")
    middle, passed = {}, 0.0
    for value in ranked:
        # The distance of two ranks is the number of values between them, half of those at either end.
        middle[value] = passed + totals.get(value, 0) / 2
        passed += totals.get(value, 0)
    return lambda a, b: (middle[a] - middle[b]) ** 2
