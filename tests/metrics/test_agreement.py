"""Agreement against scipy, scikit-learn and published numbers, and what has no value."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.metrics import agreement, weighted
from adjudge.metrics.agreement import krippendorff_alpha

sklearn = pytest.importorskip("sklearn.metrics")
scipy = pytest.importorskip("scipy.stats")

NUMBERS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30)
FLAGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30)


def sides(pairs):
    return [a for a, _ in pairs], [b for _, b in pairs]


CORRELATIONS = {
    "pearson": lambda x, y: scipy.pearsonr(x, y).statistic,
    "spearman": lambda x, y: scipy.spearmanr(x, y).statistic,
    "kendall": lambda x, y: scipy.kendalltau(x, y).statistic,
}
ERRORS = {
    "mae": sklearn.mean_absolute_error,
    "rmse": sklearn.root_mean_squared_error,
    "accuracy": sklearn.accuracy_score,
}


@pytest.mark.parametrize("name", CORRELATIONS)
@given(NUMBERS)
@settings(max_examples=40, deadline=None)
def test_correlations_with_ties(name, pairs):
    x, y = sides(pairs)
    found = getattr(agreement, name)(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.value is None
        assert "constant" in found.reason
    else:
        assert found.value == pytest.approx(CORRELATIONS[name](x, y))


@pytest.mark.parametrize("name", ERRORS)
@given(NUMBERS)
@settings(max_examples=30, deadline=None)
def test_errors(name, pairs):
    assert getattr(agreement, name)(*sides(pairs)).value == pytest.approx(ERRORS[name](*sides(pairs)))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=40))
@settings(max_examples=60, deadline=None)
def test_auroc_with_ties(pairs):
    truth, scores = sides(pairs)
    found = agreement.auroc(truth, scores)
    if len(set(truth)) == 1:
        assert found.value is None
        assert "one class" in found.reason
    else:
        assert found.value == pytest.approx(sklearn.roc_auc_score(truth, scores))


@given(FLAGS)
@settings(max_examples=60, deadline=None)
def test_flags(pairs):
    truth, guess = sides(pairs)
    for name, theirs in (
        ("precision", sklearn.precision_score),
        ("recall", sklearn.recall_score),
        ("f1", sklearn.f1_score),
    ):
        found = getattr(agreement, name)(truth, guess)
        expected = theirs(truth, guess, zero_division=math.nan)
        assert (math.nan if found.value is None else found.value) == pytest.approx(expected, nan_ok=True)


@given(NUMBERS)
@settings(max_examples=60, deadline=None)
def test_several_classes(pairs):
    truth, guess = sides(pairs)
    assert agreement.macro_f1(truth, guess).value == pytest.approx(
        sklearn.f1_score(truth, guess, average="macro")
    )
    found = agreement.balanced_accuracy(truth, guess)
    if len(set(truth)) == 1:
        assert found.value is None
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found.value == pytest.approx(sklearn.balanced_accuracy_score(truth, guess))


@pytest.mark.parametrize("weighting", [None, "linear", "quadratic"])
@given(NUMBERS)
@settings(max_examples=40, deadline=None)
def test_kappas(weighting, pairs):
    x, y = sides(pairs)
    order = range(5)
    found = agreement.weighted_kappa(x, y, weighting, order) if weighting else agreement.cohen_kappa(x, y)
    if len({*x, *y}) == 1:
        assert found.value is None
        assert "one class" in found.reason
    else:
        theirs = sklearn.cohen_kappa_score(x, y, weights=weighting, labels=list(order))
        assert found.value == pytest.approx(theirs)


# Four observers, twelve units, some missing: the worked example of Krippendorff's own computing guide.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level, published):
    units = list(zip(*OBSERVERS, strict=True))
    assert krippendorff_alpha(units, level).value == pytest.approx(published, abs=0.0006)


def brute_alpha(units, distance):
    """By the definition: mean distance within units over mean distance of any two values."""
    kept = [[v for v in unit if v is not None] for unit in units]
    kept = [unit for unit in kept if len(unit) > 1]
    pool = [v for unit in kept for v in unit]
    n = len(pool)
    seen = sum(
        distance(a, b, pool) / (len(unit) - 1)
        for unit in kept
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    chance = sum(distance(a, b, pool) for i, a in enumerate(pool) for j, b in enumerate(pool) if i != j)
    return 1 - (seen / n) / (chance / (n * (n - 1)))


def ordinal(a, b, pool):
    low, high = min(a, b), max(a, b)
    between = sum(1 for v in pool if low <= v <= high) - (pool.count(a) + pool.count(b)) / 2
    return between**2 if a != b else 0.0


DISTANCES = {"nominal": lambda a, b, _: a != b, "ordinal": ordinal, "interval": lambda a, b, _: (a - b) ** 2}


@pytest.mark.parametrize("level", DISTANCES)
@given(st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * 3), min_size=2, max_size=12), st.randoms())
@settings(max_examples=40, deadline=None)
def test_alpha_by_definition_and_whatever_the_order(level, units, rng):
    found = krippendorff_alpha(units, level, None if level != "ordinal" else range(4))
    shuffled = [rng.sample(unit, len(unit)) for unit in rng.sample(units, len(units))]
    again = krippendorff_alpha(shuffled, level)
    if found.value is None:
        assert found.reason
        assert again.value is None
        return
    assert again.value == pytest.approx(found.value)
    assert found.value == pytest.approx(brute_alpha(units, DISTANCES[level]))
    assert found.value <= 1


def test_no_value_and_why():
    cases = [
        (agreement.pearson([], []), "no pair"),
        (agreement.pearson([None, 1], [1, None]), "no pair"),
        (agreement.spearman([1], [2]), "only one pair"),
        (agreement.kendall([1, 1], [1, 2]), "constant"),
        (agreement.pearson([1, 2], [1, 2, 3]), "2 values against 3"),
        (agreement.pearson([1, 2, math.inf], [1, 2, 3]), "finite"),
        (agreement.cohen_kappa([True], [True]), "one class"),
        (agreement.balanced_accuracy([True, True], [True, False]), "one class"),
        (agreement.precision([True], [False]), "nothing was guessed"),
        (agreement.recall([False], [True]), "nothing is True"),
        (agreement.rmse([], []), "no pair"),
        (agreement.weighted_kappa(["a"], ["z"], order=["a"]), "'z'"),
        (krippendorff_alpha([[1], [None, 2]]), "no unit"),
        (krippendorff_alpha([[1, 2], [None, 2]]), "only one unit"),
        (krippendorff_alpha([[1, 1], [1, 1]]), "one class"),
        (krippendorff_alpha([["x", "y"], ["x", "x"]], "ordinal", ["x"]), "'y'"),
    ]
    for found, reason in cases:
        assert found.value is None
        assert reason in found.reason


def test_missing_pairs_are_left_out():
    assert agreement.mae([1, None, 3], [2, 5, 3]).value == 0.5


def test_without_scipy_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"pip install 'adjudge\[stats\]'"):
        agreement.pearson([1, 2], [2, 1])
    assert agreement.auroc([True, False], [2, 1]).value == 1.0


# --- the same statistics under many weightings ------------------------------------------------------------


def drawn(rng, rows, pairs):
    return np.stack([np.bincount(rng.integers(0, pairs, pairs), minlength=pairs) for _ in range(rows)]) * 1.0


def expanded(x, w):
    return np.repeat(x, w.astype(int)).tolist()


def same(ours, exact):
    for value, found in zip(ours, exact, strict=True):
        assert (None if np.isnan(value) else value) == (
            None if found.value is None else pytest.approx(found.value, abs=1e-9)
        )


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "mae", "rmse", "auroc", "accuracy"])
@pytest.mark.parametrize("pairs", [3, 6, 25])
def test_weighted_pairs_equal_repeated_pairs(name, pairs):
    rng = np.random.default_rng(pairs)
    x = rng.integers(0, 2, pairs) * 1.0 if name == "auroc" else rng.integers(0, 5, pairs) * 1.0
    y = rng.integers(0, 4, pairs) + x / 2
    w = drawn(rng, 60, pairs)
    exact = [getattr(agreement, name)(expanded(x, row), expanded(y, row)) for row in w]
    same(getattr(weighted, name)(x, y, w), exact)


def test_kendall_of_many_pairs_is_the_same(monkeypatch):
    rng = np.random.default_rng(4)
    x, y, w = rng.random(30), rng.integers(0, 4, 30) * 1.0, drawn(rng, 20, 30)
    dense = weighted.kendall(x, y, w)
    monkeypatch.setattr(weighted, "DENSE_PAIRS", 10)
    assert weighted.kendall(x, y, w) == pytest.approx(dense)


@pytest.mark.parametrize("pairs", [3, 6, 40])
def test_weighted_tables_equal_repeated_pairs(pairs):
    rng = np.random.default_rng(pairs)
    x = rng.integers(0, 3, pairs) * 1.0
    y = np.where(rng.random(pairs) < 0.5, x, rng.integers(0, 3, pairs))
    w = drawn(rng, 50, pairs)
    cells = weighted.confusion(x, y, w, 3)
    both = [(expanded(x, row), expanded(y, row)) for row in w]
    for name, kind in (("precision", 1), ("recall", 1), ("f1", 1), ("macro_f1", 0), ("balanced_accuracy", 0)):
        rest = (1,) if kind else ()
        same(getattr(weighted, name)(cells, *rest), [getattr(agreement, name)(a, b, *rest) for a, b in both])
    same(weighted.kappa(cells), [agreement.cohen_kappa(a, b) for a, b in both])
    for power, weighting in ((1, "linear"), (2, "quadratic")):
        same(
            weighted.kappa(cells, power),
            [agreement.weighted_kappa(a, b, weighting, range(3)) for a, b in both],
        )
    coincidences = cells + cells.transpose(0, 2, 1)
    for level in ("nominal", "ordinal"):
        exact = [krippendorff_alpha(list(zip(a, b, strict=True)), level) for a, b in both]
        same(weighted.alpha(coincidences, level), exact)
    exact = [krippendorff_alpha(list(zip(a, b, strict=True)), "interval") for a, b in both]
    same(weighted.alpha_interval(x, y, w), exact)
