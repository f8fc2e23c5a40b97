"""Figures against scipy and scikit-learn; what cannot be computed says why; intervals over items."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from adjudge.stats.experiments import measures
from adjudge.stats.experiments.words import covered, inverse_frequencies, longest_common, token_overlap

scores = st.lists(st.tuples(st.integers(0, 6).map(float), st.booleans()), min_size=4, max_size=40).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


@settings(max_examples=50, deadline=None)
@given(scores)
def test_auroc_and_best_threshold_are_scikit_learns(rows):
    values, labels = [x for x, _ in rows], [y for _, y in rows]
    items = range(len(rows))
    assert measures.auroc(values, labels, items, 5).value == pytest.approx(sk.roc_auc_score(labels, values))
    best = max(sk.balanced_accuracy_score(labels, [v >= t for v in values]) for t in [*values, math.inf])
    assert measures.best_balanced_accuracy(values, labels).value == pytest.approx(max(0.5, best))


@settings(max_examples=50, deadline=None)
@given(scores)
def test_balanced_accuracy_and_rmse_are_scikit_learns(rows):
    said, labels = [x > 3 for x, _ in rows], [y for _, y in rows]
    items = range(len(rows))
    assert measures.balanced_accuracy(said, labels, items, 5).value == pytest.approx(
        sk.balanced_accuracy_score(labels, said)
    )
    values = [x for x, _ in rows]
    expected = sk.mean_squared_error([float(y) for y in labels], values) ** 0.5
    assert measures.rmse(values, [float(y) for y in labels], items, 5).value == pytest.approx(expected)


def test_correlations_leave_out_missing_pairs_and_carry_p_values():
    from scipy import stats

    x = [1.0, 2.0, None, 4.0, 5.0, 7.0]
    y = [2.0, 1.0, 3.0, 5.0, None, 9.0]
    kept = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    found = measures.pearson(x, y, range(6), 10)
    expected = stats.pearsonr(*zip(*kept, strict=True))
    assert (found.value, found.p, found.n) == (
        pytest.approx(expected.statistic),
        pytest.approx(expected.pvalue),
        4,
    )


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (measures.pearson([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], range(3), 10), "constant"),
        (measures.spearman([1.0], [2.0], range(1), 10), "one pair"),
        (measures.auroc([0.1, 0.2], [True, True], range(2), 10), "one class"),
        (measures.rmse([None], [1.0], range(1), 10), "no pair"),
        (measures.best_balanced_accuracy([0.1], [True]), "one class"),
    ],
)
def test_what_has_no_value_says_why(figure, reason):
    assert figure.value is None
    assert figure.interval is None
    assert reason in figure.reason


def test_rows_of_one_item_are_resampled_together():
    rng = random.Random(5)
    x = [rng.random() for _ in range(150)]
    y = [a + rng.random() for a in x]
    once = measures.pearson(x, y, range(150), 400)
    # Every row four times under the same item tells nothing new; as rows of their own it would seem to.
    times = [k for k in range(150) for _ in range(4)]
    repeated = measures.pearson([x[k] for k in times], [y[k] for k in times], times, 400)
    alone = measures.pearson([x[k] for k in times], [y[k] for k in times], range(600), 400)
    assert repeated.interval == pytest.approx(once.interval)
    assert alone.interval[1] - alone.interval[0] < 0.7 * (once.interval[1] - once.interval[0])


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_longest_common_subsequence_is_that_of_the_textbook(first, second):
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(first, second) == table[-1][-1]


def test_overlaps_by_hand():
    assert token_overlap(["a", "a", "b"], ["a", "c"]) == (1 / 3, 1 / 2, pytest.approx(0.4))
    assert token_overlap([], ["a"]) == (0.0, 0.0, 0.0)
    assert covered("Red red fox", "the red barn") == 0.5
    assert covered("…", "words") == 0.0
    weights = inverse_frequencies(["a b", "a c"])
    assert weights["a"] == pytest.approx(1.0)
    assert weights["b"] == pytest.approx(math.log(3 / 2) + 1)
    assert weights["never seen"] == pytest.approx(math.log(3) + 1)


def test_too_few_resamples_are_refused():
    from click.testing import CliRunner

    from adjudge.cli import main

    done = CliRunner().invoke(main, ["experiment", "ragbench", "--resamples", "1"])
    assert done.exit_code == 2
    assert "'--resamples': 1 is not in the range x>=100" in done.stderr
