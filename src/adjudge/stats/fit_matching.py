"""Weights and thresholds of `std` or `ha` matching, fitted to human match decisions.

The objective is the F1 of the pairs that matching matches against those that people matched. It is a step
function of the settings, so they are searched by differential evolution (scipy), from the default on, with a
fixed seed. Settings are rounded to three digits before they are measured, so what is written was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from adjudge.errors import InputError, UsageError
from adjudge.metrics.resample import SEED
from adjudge.protocols.violation_families import TERMS, Family, FamilyName, HaFamily
from adjudge.stats.calibrate import Array, Rows, f1, item_sums
from adjudge.stats.decisions import HumanPair

_DIGITS = 3
_NEAR = 1e-3
"""What distance from the default costs: little, so that it decides only between settings that do alike."""
_ROUNDS = 30
_POPULATION = 8


class Setting(Struct, frozen=True):
    """Weights of the terms that the data has, in their order, and the three thresholds."""

    weights: tuple[float, ...]
    match: float
    rule: float
    overlap: float


class MatchingProblem:
    """How to weigh pairs, and above what they match."""

    objective = "F1 of match decisions"

    def __init__(self, family: FamilyName, pairs: Sequence[HumanPair]) -> None:
        if not pairs or not any(pair.match for pair in pairs) or all(pair.match for pair in pairs):
            raise InputError(
                f"{sum(pair.match for pair in pairs)} of {len(pairs)} decisions are matches",
                fix="give decisions of both kinds; with one kind nothing can be fitted",
            )
        without = {pair.without for pair in pairs}
        if len(without) > 1:
            raise UsageError("the samples declare different terms as missing; calibrate each split by itself")
        self.what = family
        self.family = HaFamily() if family == "ha" else Family()
        shares = self.family.weights.shares()
        (left_out,) = without
        self.terms = tuple(term for term in TERMS if shares[term] and term not in left_out)
        self.items = list(dict.fromkeys(pair.item for pair in pairs))
        self._load([pair for pair in pairs if pair.values], pairs)

    def _load(self, overlapping: Sequence[HumanPair], pairs: Sequence[HumanPair]) -> None:
        needed = dict.fromkeys((*self.terms, "text", *(("rule",) if self._has_rules else ())))
        for pair in overlapping:
            for term in needed:
                if term not in pair.values:
                    raise InputError(
                        f"a pair has no value for {term!r}", sample=pair.sample, fix="run it again"
                    )
        column = {term: np.array([pair.values[term] for pair in overlapping]) for term in needed}
        self._table = np.stack([column[term] for term in self.terms], axis=1)
        self._text = column["text"]
        self._rule = column.get("rule", np.ones(len(overlapping)))
        self._match = np.array([pair.match for pair in overlapping], dtype=np.bool_)
        self._of = [pair.item for pair in overlapping]
        # a sample may come once for each person: pairs compete only within one such round
        rounds: dict[tuple[str, int, int], int] = {}
        keys = []
        for pair in overlapping:
            at = pair.sample, pair.gold, pair.pred
            rounds[at] = rounds.get(at, -1) + 1
            keys.append((pair.sample, rounds[at]))
        self._gold = _numbered([(*key, pair.gold) for key, pair in zip(keys, overlapping, strict=True)])
        self._pred = _numbered([(*key, pair.pred) for key, pair in zip(keys, overlapping, strict=True)])
        self._order = np.array([(pair.gold, pair.pred) for pair in overlapping]).reshape(-1, 2)
        several = [np.bincount(side)[side] > 1 for side in (self._gold, self._pred)]
        self._contested = several[0] | several[1]
        apart = [pair for pair in pairs if not pair.values and pair.match]
        lost = np.array([[0.0, 0.0, 1.0]] * len(apart)).reshape(-1, 3)
        self._lost = item_sums([pair.item for pair in apart], self.items, lost)

    @property
    def _has_rules(self) -> bool:
        return "rule" in self.terms

    @property
    def default(self) -> Setting:
        shares = self.family.weights.shares()
        total = sum(shares[term] for term in self.terms)
        return Setting(
            tuple(shares[term] / total for term in self.terms),
            self.family.match_threshold,
            self.family.rule_threshold,
            self.family.overlap_threshold,
        )

    def matched(self, choice: Setting, rows: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Which pairs match, best first and one to one."""
        scores = np.round(self._table @ np.array(choice.weights), 12)
        passed = (scores > choice.match) & (self._text > choice.overlap)
        if self._has_rules:
            passed &= self._rule > choice.rule
        if rows is not None:
            passed &= rows
        told: NDArray[np.bool_] = passed & ~self._contested
        ways = np.flatnonzero(passed & self._contested)
        ways = ways[np.lexsort((self._order[ways, 1], self._order[ways, 0], -scores[ways]))]
        golds, preds = set(), set()
        for way, gold, pred in zip(
            ways.tolist(), self._gold[ways].tolist(), self._pred[ways].tolist(), strict=True
        ):
            if gold not in golds and pred not in preds:
                golds.add(gold)
                preds.add(pred)
                told[way] = True
        return told

    def counts(self, choice: Setting) -> Array:
        told = self.matched(choice)
        table = np.stack([told & self._match, told & ~self._match, ~told & self._match], axis=1)
        return item_sums(self._of, self.items, table.astype(np.float64)) + self._lost

    def value(self, sums: Array) -> Array:
        return f1(sums)

    def fit(self, rows: Rows) -> Setting:
        from scipy.optimize import differential_evolution

        names = {self.items[row] for row in rows}
        inside = np.array([item in names for item in self._of], dtype=np.bool_)
        wanted = float((self._match & inside).sum()) + float(self._lost[rows, 2].sum())
        start = self._point(self.default)

        def cost(point: Array) -> float:
            told = self.matched(self._setting(point), inside)
            tp, number = float((told & self._match).sum()), float(told.sum())
            agreement = 2 * tp / (number + wanted) if number + wanted else 0.0
            return -agreement + _NEAR * float(np.abs(point - start).mean())

        bounds = [(0.0, 1.0)] * len(self.terms) + [(0.0, 0.95)] * 3
        found = differential_evolution(
            cost,
            bounds,
            x0=start,
            rng=np.random.default_rng(SEED),
            maxiter=_ROUNDS,
            popsize=_POPULATION,
            polish=False,
            tol=0.0,
        )
        best = found.x if found.fun < cost(start) else start
        return self.default if np.array_equal(best, start) else self._setting(best)

    def _point(self, choice: Setting) -> Array:
        return np.array([*choice.weights, choice.match, choice.rule, choice.overlap])

    def _setting(self, point: Array) -> Setting:
        weights = rounded_shares([float(x) for x in point[: len(self.terms)]])
        match, rule, overlap = (round(float(x), _DIGITS) for x in point[len(self.terms) :])
        return Setting(weights, match, rule, overlap)

    def settings(self, choice: Setting) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Terms that the data lacks keep their default share: leaving them out gives these weights again."""
        shares = dict(self.family.weights.shares())
        total = sum(shares[term] for term in self.terms)
        for term, weight in zip(self.terms, choice.weights, strict=True):
            shares[term] = round(weight * total, 12)
        chosen: dict[str, Any] = {
            "match_threshold": choice.match,
            "rule_threshold": choice.rule,
            "overlap_threshold": choice.overlap,
            "weights": {term: weight for term, weight in shares.items() if weight},
        }
        if self.what == "ha" or len(chosen["weights"]) < 2:
            chosen["weights"] = shares
        return {}, {"violations": {self.what: chosen}}


def rounded_shares(raw: Sequence[float]) -> tuple[float, ...]:
    """Shares of 1 in thousandths that sum to 1 exactly: the largest takes what rounding leaves."""
    total = sum(raw)
    if total <= 0:
        raw, total = [1.0] * len(raw), float(len(raw))
    units = 10**_DIGITS
    whole = [round(units * x / total) for x in raw]
    whole[whole.index(max(whole))] += units - sum(whole)
    return tuple(x / units for x in whole)


def _numbered(keys: Sequence[tuple[Any, ...]]) -> NDArray[np.intp]:
    known: dict[tuple[Any, ...], int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)
