"""Folding scores: exact, order-free, mergeable, with intervals that a library agrees with."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.metrics import fold as fold_module
from adjudge.metrics.fold import SummaryFold
from adjudge.metrics.ratios import scored, tally, unscored
from adjudge.types import MetricSpec, Ratio, Score

SPEC = MetricSpec(
    name="x.rate",
    formula=Ratio({"hits": 1}, {"tries": 1}),
    description="hits over tries",
    source="test",
    empty="unscored",
)
MICRO = MetricSpec(
    name="x.micro",
    formula=Ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}),
    description="f1",
    source="test",
    empty="unscored",
    headline="micro",
)


def rate(hits: int, tries: int) -> Score:
    ids = [f"u:{index}" for index in range(tries)]
    return scored(
        SPEC, (tally("hits", ids[:hits]), tally("tries", ids)), convention=None if tries else (0.0, "none")
    )


def f1(tp: int, fp: int, fn: int) -> Score:
    return scored(MICRO, tuple(tally(n, ["u"] * k) for n, k in (("tp", tp), ("fp", fp), ("fn", fn))))


def folded(entries: list[tuple[str, Score]]) -> SummaryFold:
    result = SummaryFold([SPEC, MICRO], {"x": [()]})
    for item, score in entries:
        result.add("x", item, {}, [score])
    return result


hits_and_tries = st.integers(0, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
entries = st.lists(st.tuples(st.integers(0, 12).map(str), hits_and_tries.map(lambda p: rate(*p))), min_size=1)


@given(entries)
@settings(max_examples=60, deadline=None)
def test_the_mean_is_the_exact_mean(given_entries):
    (row,) = folded(given_entries).rows(intervals=False)
    exact = sum(Fraction(score.value) for _, score in given_entries) / len(given_entries)
    assert row.value == float(exact)


@given(entries, st.randoms())
@settings(max_examples=40, deadline=None)
def test_order_is_irrelevant(given_entries, rng):
    shuffled = list(given_entries)
    rng.shuffle(shuffled)
    assert folded(given_entries).rows() == folded(shuffled).rows()


@given(entries, st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_merged_parts_equal_the_whole(given_entries, cut):
    first, second = folded(given_entries[:cut]), folded(given_entries[cut:])
    first.merge(second)
    assert first.rows() == folded(given_entries).rows()


def test_bucketed_folds_merge_and_forget_order_too(monkeypatch):
    monkeypatch.setattr(fold_module, "ITEMS", 50)
    rng = np.random.default_rng(3)
    many = [(str(i), rate(int(rng.integers(0, 4)), 3)) for i in range(400)]
    whole = folded(many).rows()
    assert folded(many[::-1]).rows() == whole
    small, large = folded(many[:20]), folded(many[20:])
    large.merge(small)
    assert large.rows() == whole
    small = folded(many[:20])
    small.merge(folded(many[20:]))
    assert small.rows() == whole


def test_micro_divides_summed_counts_and_macro_averages_samples():
    result = folded([("a", f1(1, 1, 0)), ("b", f1(0, 0, 1)), ("c", f1(0, 1, 0))])
    (row,) = result.rows()
    assert row.value == 2 / (2 + 2 + 1)
    assert row.other["macro"] == pytest.approx((2 / 3) / 3)
    assert row.counts == {"tp": 1, "fp": 2, "fn": 1}


def test_states_are_kept_apart():
    fold = folded([("a", rate(1, 2)), ("b", rate(0, 0)), ("c", unscored("x.rate", "no labels"))])
    (row,) = fold.rows()
    assert row.samples == {"defined": 1, "by_convention": 1, "unscored": 1}
    assert row.value == 0.25
    assert row.value_defined == 0.5
    assert row.reasons == {"no labels": 1}


def test_bootstrap_interval_agrees_with_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(5)
    values = [rate(int(rng.integers(0, 8)), 7) for _ in range(300)]
    (row,) = folded([(str(i), score) for i, score in enumerate(values)]).rows()
    theirs = bootstrap(
        ([score.value for score in values],), np.mean, n_resamples=4000, method="percentile", rng=rng
    ).confidence_interval
    width = theirs.high - theirs.low
    assert row.interval == pytest.approx((theirs.low, theirs.high), abs=0.1 * width)


def test_items_not_samples_are_resampled():
    """Ten copies of each item carry no more information than one."""
    rng = np.random.default_rng(7)
    values = [(str(i), rate(int(rng.integers(0, 8)), 7)) for i in range(120)]
    (once,) = folded(values).rows()
    (often,) = folded(values * 10).rows()
    assert often.interval == pytest.approx(once.interval)


def test_small_rates_get_wilsons_interval():
    from scipy.stats import binomtest

    spec = msgspec.structs.replace(SPEC, binary=True)
    fold = SummaryFold([spec], {"x": [()]})
    for index in range(10):
        fold.add("x", str(index), {}, [rate(1 if index < 9 else 0, 1)])
    (row,) = fold.rows()
    theirs = binomtest(9, 10).proportion_ci(method="wilson")
    assert row.interval == pytest.approx((theirs.low, theirs.high))


def test_buckets_give_nearly_the_interval_of_items(monkeypatch):
    rng = np.random.default_rng(11)
    many = [(str(i), rate(int(rng.integers(0, 8)), 7)) for i in range(4000)]
    (exact,) = folded(many).rows()
    monkeypatch.setattr(fold_module, "ITEMS", 50)
    (joined,) = folded(many).rows()
    assert joined.value == exact.value == pytest.approx(fmean(score.value for _, score in many))
    width = exact.interval[1] - exact.interval[0]
    assert joined.interval == pytest.approx(exact.interval, abs=0.15 * width)


def test_grouping_separates_samples():
    fold = SummaryFold([SPEC], {"x": [(), ("noise",)]})
    for noise, hits in ((0.0, 1), (0.4, 0), (0.0, 0), (None, 1)):
        fold.add("x", "i", {"noise": noise}, [rate(hits, 1)])
    values = [(row.group, row.value) for row in fold.rows()]
    assert values == [({}, 0.5), ({"noise": 0.0}, 0.5), ({"noise": 0.4}, 0.0), ({"noise": None}, 1.0)]


def test_an_interval_contains_its_value_where_samples_weigh_differently():
    """Samples that all score 0 or 1 are no rate when the headline sums their counts."""
    entries = [("a", f1(40, 0, 0)), ("b", f1(0, 0, 1)), ("c", f1(0, 0, 1))]
    entries += [(str(i), f1(20, 0, 0)) for i in range(8)]
    (row,) = folded(entries).rows()
    assert row.interval[0] <= row.value <= row.interval[1]


def test_an_interval_of_counts_does_not_go_below_nothing():
    """One item of 12 with 3: mean - t * error would be 0.25 - 2.2 * 0.25."""
    spec = msgspec.structs.replace(
        SPEC, name="x.number", formula=Ratio({"hits": 1}, {"one": 1}), scale="count"
    )
    fold = SummaryFold([spec], {"x": [()]})
    for index in range(12):
        hits = tally("hits", ["u"] * (3 if index == 0 else 0))
        fold.add("x", str(index), {}, [scored(spec, (hits, tally("one", ["s"])))])
    (row,) = fold.rows()
    assert row.value == 0.25
    assert row.interval is not None
    assert row.interval[0] == 0.0
    assert row.interval[1] > row.value
