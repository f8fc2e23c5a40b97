"""What is fitted to yes-or-no decisions: a threshold of probabilities, and which phrases tell a refusal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from adjudge.errors import InputError, UsageError
from adjudge.stats.calibrate import Array, Rows, balanced_accuracy, f1, item_sums

Bools = NDArray[np.bool_]
_OBJECTIVES: dict[str, Callable[[Array], Array]] = {"balanced accuracy": balanced_accuracy, "F1": f1}


class Case(Struct, frozen=True):
    """One decision by a person, and the response or the probability it is about."""

    item: str
    label: bool
    probability: float = 0.0
    text: str = ""


def outcomes(said: Bools, truth: Bools) -> Array:
    """tp, fp, fn, tn of each case."""
    return np.stack([said & truth, said & ~truth, ~said & truth, ~said & ~truth], axis=1).astype(np.float64)


class _Cases:
    """Cases, their items, and who fits on which."""

    objective = "balanced accuracy"

    def __init__(self, cases: Sequence[Case], objective: str = "balanced accuracy") -> None:
        if objective not in _OBJECTIVES:
            raise UsageError(f"there is no objective {objective!r}; there are {', '.join(_OBJECTIVES)}")
        self.objective = objective
        self.items = list(dict.fromkeys(case.item for case in cases))
        self._of = [case.item for case in cases]
        place = {item: index for index, item in enumerate(self.items)}
        self._row = np.array([place[item] for item in self._of], dtype=np.intp)
        self.truth = np.array([case.label for case in cases], dtype=np.bool_)
        if not len(cases) or self.truth.all() or not self.truth.any():
            found = (
                "no decision"
                if not len(cases)
                else f"only {bool(self.truth[0])!r} among {len(cases)} decisions"
            )
            raise InputError(found, fix="give decisions of both kinds; with one kind every rule is right")

    def value(self, sums: Array) -> Array:
        return _OBJECTIVES[self.objective](sums)

    def _tally(self, said: Bools) -> Array:
        return item_sums(self._of, self.items, outcomes(said, self.truth))

    def _inside(self, rows: Rows) -> Rows:
        """Positions of the cases of some items."""
        return np.flatnonzero(np.isin(self._row, rows))


class ThresholdProblem(_Cases):
    """Above which probability the local judge should call a claim entailed."""

    what = "threshold"
    default = 0.5

    def __init__(
        self, cases: Sequence[Case], objective: str = "balanced accuracy", default: float = 0.5
    ) -> None:
        super().__init__(cases, objective)
        self.default = default
        self._shares = np.array([case.probability for case in cases])
        if not ((self._shares >= 0) & (self._shares <= 1)).all():
            raise InputError("a probability is not from 0 to 1", field="probability")

    def counts(self, choice: float) -> Array:
        return self._tally(self._shares > choice)

    def fit(self, rows: Rows) -> float:
        """The best of all thresholds there are, exactly: only those between two probabilities differ.

        Of equally good ones, the nearest to the default: a long flat stretch says nothing against it.
        """
        inside = self._inside(rows)
        shares, truth = self._shares[inside], self.truth[inside]
        distinct = np.unique(shares)
        edges = np.concatenate([[0.0], distinct, [1.0]])
        between = (edges[1:] + edges[:-1]) / 2
        middles = np.append(between[(between > 0) & (between < 1)], self.default)
        order = np.argsort(shares)
        ordered, hits = shares[order], np.cumsum(truth[order].astype(np.float64))
        below = np.searchsorted(ordered, middles, side="right")
        positives, number = float(truth.sum()), float(len(truth))
        fn = np.concatenate([[0.0], hits])[below]
        tn = below - fn
        sums = np.stack([positives - fn, number - positives - tn, fn, tn], axis=1)
        values = np.nan_to_num(self.value(sums), nan=-1.0)
        best = middles[values >= values.max() - 1e-12]
        nearest = float(best[np.argmin(np.abs(best - self.default))])
        above = np.searchsorted(edges, nearest, side="right")
        return _short(nearest, float(edges[above - 1]), float(edges[above]))

    def settings(self, choice: float) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        return {"threshold": choice}, {}


def _short(value: float, low: float, high: float) -> float:
    """The value in as few digits as keep it between its neighbours, but no fewer than four."""
    found = (round(value, digits) for digits in range(4, 16))
    return next((short for short in found if low < short < high), value)


class PhraseProblem(_Cases):
    """Which phrases of a list tell a refusal, or that an error is pointed out."""

    def __init__(
        self,
        what: str,
        cases: Sequence[Case],
        phrases: Sequence[str],
        parameter: str,
        search: Callable[[str], str] = str.lower,
    ) -> None:
        super().__init__(cases)
        self.what = what
        self.phrases = tuple(phrases)
        self._parameter = parameter
        texts = [search(case.text) for case in cases]
        self._hits = np.array([[phrase in text for phrase in self.phrases] for text in texts], dtype=np.bool_)

    @property
    def default(self) -> tuple[str, ...]:
        return self.phrases

    def counts(self, choice: tuple[str, ...]) -> Array:
        kept = np.isin(np.array(self.phrases), np.array(choice))
        said: Bools = np.any(self._hits[:, kept], axis=1)
        return self._tally(said)

    def fit(self, rows: Rows) -> tuple[str, ...]:
        """The best subset, exactly, as an integer program; of equally good ones, the largest."""
        inside = self._inside(rows)
        chosen = best_subset(self._hits[inside], self.truth[inside])
        return tuple(phrase for phrase, kept in zip(self.phrases, chosen, strict=True) if kept)

    def settings(self, choice: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        return {}, {"rgb": {self._parameter: list(choice)}}


def best_subset(hits: Bools, truth: Bools) -> Bools:
    """Columns whose "any of them" has the highest balanced accuracy.

    One yes-or-no variable a phrase, one a distinct pattern of hits (is it told?). A pattern without a label
    of the class that is told costs its share of that class; keeping a phrase earns less than any label, so
    that phrases which never occur stay.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    phrases = hits.shape[1]
    patterns, which = np.unique(hits, axis=0, return_inverse=True)
    positives = np.bincount(which.ravel(), weights=truth, minlength=len(patterns))
    negatives = np.bincount(which.ravel(), weights=~truth, minlength=len(patterns))
    # Whole numbers, so that the solver's tolerances decide nothing: balanced accuracy times both class sizes.
    worth = positives * max(1.0, negatives.sum()) - negatives * max(1.0, positives.sum())
    size = phrases + len(patterns)
    cost = np.concatenate([np.full(phrases, -1.0), -worth * (phrases + 1)])
    matrix, low, high = [], [], []
    for index, pattern in enumerate(patterns):
        columns = np.flatnonzero(pattern)
        told = phrases + index
        every = np.zeros(size)  # told only if some phrase of it is kept
        every[told], every[columns] = 1.0, -1.0
        matrix.append(every)
        low.append(-np.inf)
        high.append(0.0)
        for column in columns:  # and told if any is
            each = np.zeros(size)
            each[column], each[told] = 1.0, -1.0
            matrix.append(each)
            low.append(-np.inf)
            high.append(0.0)
    found = milp(
        cost,
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.array(matrix), np.array(low), np.array(high)),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise InputError(f"no best choice of phrases was found: {found.message}")
    kept: Bools = found.x[:phrases] > 0.5
    return kept
