"""Calibration: choose settings by human decisions, and tell whether the choice is better than the default.

Items are dealt into folds; settings are fitted on all folds but one and measured on that one, so every item
is measured by settings that never saw it. What is reported is the difference from the default on the same
items, with a paired interval over items: resampled, or below 100 items the one that holds for few; below 10
there is none. A gain is called real only if the interval lies above 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from adjudge._version import __version__
from adjudge.errors import InputError, UsageError
from adjudge.metrics.fold import FEW, SMALL
from adjudge.metrics.resample import SEED, percentile_interval, resampled_sums
from adjudge.run.profile import Profile
from adjudge.stats.difference import difference_interval
from adjudge.stats.permute import Contest

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Choice = TypeVar("Choice")
FOLDS = 5
RESAMPLES = 2000


class Problem(Protocol[Choice]):
    """Something to be fitted."""

    what: str
    objective: str
    items: Sequence[str]
    """One a row of the counts; no item twice."""

    @property
    def default(self) -> Choice: ...

    def counts(self, choice: Choice) -> Array:
        """What the objective is computed from: a row an item."""
        ...

    def value(self, sums: Array) -> Array:
        """The objective from summed counts, in the last axis; NaN where it does not exist."""
        ...

    def fit(self, rows: Rows) -> Choice:
        """The best choice on some of the items."""
        ...

    def settings(self, choice: Choice) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Options and parameters that stand for a choice."""
        ...


class Outcome(Struct, kw_only=True):
    """What calibration found."""

    what: str
    objective: str
    items: int
    folds: int
    default: float
    held_out: float
    """The objective on items that the settings were not fitted on."""
    gain: float
    interval: tuple[float, float] | None
    fitted: float
    """The same settings for all items, measured on the items they were fitted on: too good to be reported."""
    real: bool
    options: dict[str, Any]
    parameters: dict[str, dict[str, Any]]
    by_fold: list[dict[str, Any]]

    @property
    def verdict(self) -> str:
        """In words."""
        if self.interval is None:
            few = f"too few items for an interval ({self.items}; it needs {FEW})"
            return f"{few if self.items < FEW else 'no interval could be computed'}: no gain is shown"
        low, high = self.interval
        told = f"{self.gain:+.4f}, 95 % interval {low:+.4f} to {high:+.4f}"
        if self.real:
            return f"a gain of {told} on held-out items"
        if high < 0:
            return f"worse than the default: {told} on held-out items"
        return f"no gain shown: {told} on held-out items contains none"

    def profile(self, name: str, description: str = "") -> Profile:
        """What `run --profile` takes."""
        calibration = {
            "what": self.what,
            "objective": self.objective,
            "items": self.items,
            "folds": self.folds,
            "default": self.default,
            "held_out": self.held_out,
            "gain": self.gain,
            "interval": list(self.interval) if self.interval else [],
            "real": self.real,
            "adjudge": __version__,
        }
        return Profile(
            name=name,
            description=description or self.verdict,
            options=self.options,
            parameters=self.parameters,
            calibration=calibration,
        )


def deal(number: int, folds: int, seed: int = SEED) -> NDArray[np.intp]:
    """The fold of each item: equal numbers, at random."""
    dealt = np.arange(number) % folds
    np.random.default_rng(seed).shuffle(dealt)
    return dealt


def calibrate(
    problem: Problem[Choice], *, folds: int = FOLDS, seed: int = SEED, resamples: int = RESAMPLES
) -> Outcome:
    """Fit on all but one fold in turn, measure on that one; then fit on all for the profile."""
    number = len(problem.items)
    if folds < 2:
        raise UsageError(f"--folds {folds}: at least 2 are needed, to measure on what was not fitted on")
    if number < folds:
        raise InputError(
            f"{number} items are too few for {folds} folds", fix="give more decisions, or fewer --folds"
        )
    standard = problem.counts(problem.default)
    held = np.zeros_like(standard)
    dealt, by_fold = deal(number, folds, seed), []
    for fold in range(folds):
        inside = dealt == fold
        choice = problem.fit(np.flatnonzero(~inside))
        held[inside] = problem.counts(choice)[inside]
        options, parameters = problem.settings(choice)
        by_fold.append({**options, **parameters})
    before, after = (_number(problem, table.sum(axis=0)) for table in (standard, held))
    chosen = problem.fit(np.arange(number))
    options, parameters = problem.settings(chosen)
    interval = _interval(problem, standard, held, resamples, seed) if number >= FEW else None
    return Outcome(
        what=problem.what,
        objective=problem.objective,
        items=number,
        folds=folds,
        default=before,
        held_out=after,
        gain=after - before,
        interval=interval,
        fitted=_number(problem, problem.counts(chosen).sum(axis=0)),
        real=interval is not None and interval[0] > 0,
        options=options,
        parameters=parameters,
        by_fold=by_fold,
    )


def _number(problem: Problem[Choice], sums: Array) -> float:
    value = float(problem.value(sums))
    if math.isnan(value):
        raise InputError(
            f"{problem.objective} does not exist on these decisions",
            fix="there must be decisions of either kind, matches and others",
        )
    return value


def _interval(
    problem: Problem[Choice], standard: Array, held: Array, resamples: int, seed: int
) -> tuple[float, float] | None:
    """Of the difference, both drawn alike; resampling few items would be too sure of itself."""
    if len(standard) < SMALL:
        gap = float(problem.value(held.sum(axis=0)) - problem.value(standard.sum(axis=0)))
        contest = Contest(standard, held, problem.value)
        return difference_interval(contest, gap, len(standard), None, share=True)[0]
    before = problem.value(resampled_sums(standard, resamples, seed))
    after = problem.value(resampled_sums(held, resamples, seed))
    return percentile_interval(after - before)


def item_sums(items: Sequence[str], names: Sequence[str], table: Array) -> Array:
    """Rows of cases summed to rows of items."""
    place = {name: index for index, name in enumerate(names)}
    sums = np.zeros((len(names), table.shape[1]))
    np.add.at(sums, np.array([place[item] for item in items], dtype=np.intp), table)
    return sums


def f1(sums: Array) -> Array:
    """From tp, fp, fn in the last axis."""
    tp, fp, fn = sums[..., 0], sums[..., 1], sums[..., 2]
    return _divide(2 * tp, 2 * tp + fp + fn)


def balanced_accuracy(sums: Array) -> Array:
    """Mean of the two rates of right decisions, from tp, fp, fn, tn in the last axis."""
    tp, fp, fn, tn = (sums[..., index] for index in range(4))
    return (_divide(tp, tp + fn) + _divide(tn, tn + fp)) / 2


def share(sums: Array) -> Array:
    """First count over the second."""
    return _divide(sums[..., 0], sums[..., 1])


def _divide(top: Array, bottom: Array) -> Array:
    value = np.full(np.shape(bottom), np.nan)
    np.divide(top, bottom, out=value, where=bottom != 0)
    return value
