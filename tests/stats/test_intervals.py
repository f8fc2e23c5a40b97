"""Intervals hold what they promise: simulated coverage, and scipy as oracle."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.metrics import weighted
from adjudge.metrics.fold import SMALL
from adjudge.metrics.resample import interval_of, jackknife, measure_of, t_quantile, wilson_interval
from adjudge.stats.intervals import bootstrap_interval
from adjudge.types import MetricSpec, Ratio

SIMULATIONS = 2000


def spec(headline, formula) -> MetricSpec:
    return MetricSpec(name="x.y", formula=formula, description="d", source="s", empty="e", headline=headline)


MACRO = spec("macro", Ratio({"hits": 1}, {"tries": 1}))
MICRO = spec("micro", Ratio({"hits": 1}, {"tries": 1}))
F1 = spec("micro", Ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}))


def covered(make, truth, metric, names) -> float:
    """Share of simulated data sets whose interval, as the summary gives it, contains the truth."""
    measure, hits = measure_of(metric, names), 0
    for _ in range(SIMULATIONS):
        low, high = interval_of(make(), measure, share=True, small=SMALL)
        hits += low - 1e-12 <= truth <= high + 1e-12
    return hits / SIMULATIONS


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_rate_of_100_items_is_covered_as_promised(rate):
    rng = np.random.default_rng(int(rate * 10))

    def make():
        hits = (rng.random(100) < rate) * 1.0
        return np.stack([np.ones(100), hits], axis=1)

    assert covered(make, rate, MACRO, ()) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("metric", [MACRO, MICRO], ids=["macro", "micro"])
@pytest.mark.parametrize(("items", "rate"), [(10, 0.9), (20, 0.5), (40, 0.1), (100, 0.7)])
def test_shares_of_items_of_unequal_size_are_covered(metric, items, rate):
    rng = np.random.default_rng(items)

    def make():
        tries = 1 + rng.poisson(4, items)
        hits = rng.binomial(tries, rng.beta(3 * rate, 3 * (1 - rate), items))
        return np.stack([np.ones(items), hits / tries, hits, tries], axis=1)

    assert 0.925 < covered(make, rate, metric, ("hits", "tries")) < 0.985


@pytest.mark.parametrize("items", [12, 40])
def test_f1_of_summed_counts_is_covered(items):
    rng = np.random.default_rng(items)

    def make():
        gold = rng.poisson(2, items)
        found = rng.binomial(gold, 0.5)
        extra = rng.poisson(1, items)
        return np.stack([np.ones(items), np.zeros(items), found, extra, gold - found], axis=1) * 1.0

    assert 0.925 < covered(make, 2 / (2 + 1 + 1), F1, ("tp", "fp", "fn")) < 0.985


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("items", [10, 30, 90])
def test_wilsons_interval_covers_small_rates(items, rate):
    """Exactly, by summing over all outcomes: on average over nearby rates, since counts are lumpy."""
    from scipy.stats import binom

    nearby = np.linspace(rate - 0.05, rate + 0.05, 41)
    bounds = np.array([wilson_interval(hits, items) for hits in range(items + 1)])
    inside = (bounds[:, :1] <= nearby) & (nearby <= bounds[:, 1:])
    chance = binom.pmf(np.arange(items + 1)[:, None], items, nearby)
    assert (inside * chance).sum(axis=0).mean() == pytest.approx(0.95, abs=0.02)


def sampled_coverage(make, truth, items, within) -> float:
    hits = 0
    for _ in range(SIMULATIONS):
        interval = bootstrap_interval(make(), items, within=within, resamples=400).interval
        hits += interval[0] - 1e-9 <= truth <= interval[1] + 1e-9
    return hits / SIMULATIONS


@pytest.mark.parametrize("items", [12, 30, 100])
def test_kappa_and_correlation_are_covered(items):
    rng = np.random.default_rng(items)

    def kappa():
        x = np.arange(items) % 2 * 1.0
        y = np.where(rng.random(items) < 0.9, x, 1 - x)
        return lambda w: weighted.kappa(weighted.confusion(x, y, w, 2))

    def pearson():
        x = rng.normal(size=items)
        y = 0.8 * x + 0.6 * rng.normal(size=items)
        return lambda w: weighted.pearson(x, y, w)

    assert 0.92 < sampled_coverage(kappa, 0.8, items, (-1, 1)) < 0.99
    assert 0.92 < sampled_coverage(pearson, 0.8, items, (-1, 1)) < 0.99


def test_an_error_without_bounds_is_covered_for_few_items():
    rng = np.random.default_rng(2)

    def make():
        gaps, zero = abs(rng.normal(size=30)), np.zeros(30)
        return lambda w: weighted.mae(zero, gaps, w)

    assert 0.925 < sampled_coverage(make, (2 / np.pi) ** 0.5, 30, None) < 0.985


def test_bca_agrees_with_scipy_but_for_its_widening():
    """Under scipy's own quantile levels the same resamples give the same interval."""
    from scipy.stats import bootstrap

    rng = np.random.default_rng(9)
    values = rng.exponential(size=60)
    ours = bootstrap_interval(lambda w: w @ values / w.sum(axis=1), 60, resamples=8000).interval
    theirs = bootstrap((values,), np.mean, n_resamples=8000, method="BCa", rng=rng).confidence_interval
    width = theirs.high - theirs.low
    assert ours[0] == pytest.approx(theirs.low, abs=0.06 * width)
    assert ours[1] == pytest.approx(theirs.high, abs=0.06 * width)
    assert ours[1] - ours[0] > width * 0.99


def test_students_quantile():
    from scipy.stats import t

    for freedom in (9, 12, 30, 98):
        assert t_quantile(freedom) == pytest.approx(t.ppf(0.975, freedom), abs=1e-3)


def test_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(1).random(25)
    table = np.stack([np.ones(25), values], axis=1)
    value, error, without = jackknife(table, measure_of(MACRO, ()))
    assert value == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / 5)
    assert without[3] == pytest.approx(np.delete(values, 3).mean())


def test_what_has_no_interval_says_why():
    few = bootstrap_interval(lambda w: w.sum(axis=1), 9)
    assert few.interval is None
    assert "it needs 10" in few.reason
    undefined = bootstrap_interval(lambda w: np.full(len(w), np.nan), 120)
    assert undefined.interval is None
    assert "no value" in undefined.reason
    assert bootstrap_interval(lambda w: np.full(len(w), np.nan), 20, within=(0, 1)).interval is None


@pytest.mark.parametrize("items", [20, 150])
def test_complete_agreement_is_not_certainty(items):
    low, high = bootstrap_interval(lambda w: np.ones(len(w)), items, within=(-1, 1)).interval
    assert high == 1.0
    assert low < 0.98
    table = np.ones((items, 2))
    assert interval_of(table, measure_of(MACRO, ()), share=True, small=SMALL)[0] < 0.99
