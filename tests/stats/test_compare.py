"""Comparison: tests that keep their level, intervals that cover, oracles for every statistic, pairing."""

from __future__ import annotations

import io
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge import Sample, evaluate
from adjudge.errors import UsageError
from adjudge.metrics.resample import measure_of
from adjudge.stats.compare import compare_runs, compare_sides
from adjudge.stats.difference import difference_interval
from adjudge.stats.paired import Side
from adjudge.stats.permute import Contest, bootstrap_differences, holm, permutation_p_values
from adjudge.types import Count, MetricSpec, Ratio, Record, Score, Violation

MACRO = MetricSpec(
    name="x.share", formula=Ratio({"hits": 1}, {"tries": 1}), description="d", source="s", empty="e"
)
MICRO = MetricSpec(
    name="x.f1",
    formula=Ratio({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}),
    description="d",
    source="s",
    empty="e",
    headline="micro",
)
LOWER = MetricSpec(
    name="x.noise",
    formula=Ratio({"hits": 1}, {"tries": 1}),
    description="d",
    source="s",
    empty="e",
    higher_is_better=False,
)


def side(name, values, *, spec=MACRO, signature="x|v1|judge:one|adjudge:1", ids=None, items=None):
    """A system whose samples have these values."""
    found = Side(name, {spec.name: spec})
    for at, value in enumerate(values):
        key = ids[at] if ids else f"s{at:04}"
        counts = (Count("hits", value), Count("tries", 1)) if value is not None else ()
        score = Score(spec.name, value, "defined" if value is not None else "unscored", None, counts)
        record = Record(
            protocol="x", id=key, item=items[at] if items else key, scores=(score,), signature=signature
        )
        found.add(record, ())
    return found


def contest(first, second, spec=MACRO, names=()):
    return Contest(first, second, measure_of(spec, names))


def means(values):
    return np.stack([np.ones(len(values)), values], axis=1)


def test_exact_permutation_equals_scipy():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(1)
    first, second = rng.random(9), rng.random(9) + 0.2
    theirs = permutation_test(
        (second - first,),
        lambda d, axis=-1: d.mean(axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert permutation_p_values([contest(means(first), means(second))])[0] == pytest.approx(theirs.pvalue)


def test_random_permutation_is_near_the_exact_one_and_mcnemars():
    """On yes-or-no values the sign-flip test is McNemar's exact test."""
    from scipy.stats import binomtest

    first = np.array([1.0] * 14 + [0.0] * 30 + [1.0] * 56)
    second = np.array([0.0] * 14 + [1.0] * 30 + [1.0] * 56)
    (p,) = permutation_p_values([contest(means(first), means(second))], 20_000)
    exact = binomtest(14, 44).pvalue
    assert p == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))


@pytest.mark.parametrize("kind", ["macro", "micro"])
def test_the_permutation_test_keeps_its_level(kind):
    """2,000 pairs of systems that do not differ: 5 % are called different, not more."""
    rng = np.random.default_rng(11)
    items, hits = 30, 0
    for _ in range(2000):
        if kind == "macro":
            common = rng.random(items)
            sides = [means(np.clip(common + rng.normal(0, 0.3, items), 0, 1)) for _ in range(2)]
            made = contest(*sides)
        else:
            gold = 1 + rng.poisson(3, items)
            hard = rng.beta(2, 2, items)
            sides = []
            for _ in range(2):
                tp = rng.binomial(gold, hard)
                fp = rng.poisson(2, items)
                sides.append(np.stack([np.ones(items), np.zeros(items), tp, fp, gold - tp], axis=1) * 1.0)
            made = contest(*sides, spec=MICRO, names=("tp", "fp", "fn"))
        hits += permutation_p_values([made], 199)[0] <= 0.05
    assert hits / 2000 == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(("items", "shift"), [(12, 0.1), (30, 0.0), (30, 0.2), (120, 0.05)])
def test_the_interval_of_a_difference_covers_it(items, shift):
    rng = np.random.default_rng(items)
    hits = 0
    for _ in range(2000):
        hard = rng.beta(2, 1, items)
        first = (rng.random(items) < hard * 0.8) * 1.0
        second = (rng.random(items) < hard * 0.8 + shift) * 1.0
        made = contest(means(first), means(second))
        drawn = bootstrap_differences([made], 200)[0] if items >= 100 else None
        low, high = difference_interval(made, second.mean() - first.mean(), items, drawn, share=True)[0]
        hits += low - 1e-9 <= shift <= high + 1e-9
    assert 0.92 < hits / 2000 < 0.99


def test_bootstrap_of_paired_means_agrees_with_scipy():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(5)
    first = rng.random(300)
    second = np.clip(first + rng.normal(0.03, 0.2, 300), 0, 1)
    drawn = bootstrap_differences([contest(means(first), means(second))])[0]
    theirs = bootstrap(
        (second - first,), np.mean, n_resamples=10_000, method="percentile", rng=rng
    ).confidence_interval
    width = theirs.high - theirs.low
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([theirs.low, theirs.high], abs=0.05 * width)


def test_sharing_resamples_changes_no_number():
    rng = np.random.default_rng(6)
    made = [contest(means(rng.random(40)), means(rng.random(40))) for _ in range(3)]
    together = bootstrap_differences(made, 500), permutation_p_values(made, 500)
    for at, one in enumerate(made):
        assert bootstrap_differences([one], 500)[0] == pytest.approx(together[0][at])
        assert permutation_p_values([one], 500)[0] == together[1][at]


def test_the_effect_is_cohens_d_of_pairs_and_the_power_is_what_is_said():
    from scipy.stats import nct, t

    rng = np.random.default_rng(8)
    first, second = rng.random(150), rng.random(150) + 0.1
    row = compare_sides([side("a", first), side("b", second)], resamples=200).rows[0]
    gaps = second - first
    assert row.effect == pytest.approx(gaps.mean() / gaps.std(ddof=1))
    shift = row.detectable / (gaps.std(ddof=1) / math.sqrt(150))
    bar = t.ppf(0.975, 149)
    power = nct.sf(bar, 149, shift) + nct.cdf(-bar, 149, shift)
    assert power == pytest.approx(0.8, abs=0.01)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=80, deadline=None)
def test_holm_by_its_step_down_definition(p_values):
    """Rejected at a level exactly where stepping down from the smallest rejects."""
    for level in (0.01, 0.05, 0.3):
        rejected, order = set(), sorted(range(len(p_values)), key=lambda at: p_values[at])
        for rank, at in enumerate(order):
            if (len(order) - rank) * p_values[at] > level:
                break
            rejected.add(at)
        assert {at for at, p in enumerate(holm(p_values)) if p <= level} == rejected


def test_a_clear_difference_is_told_and_a_small_one_is_not():
    rng = np.random.default_rng(2)
    first = (rng.random(400) < 0.5) * 1.0
    second = np.where(rng.random(400) < 0.3, 1.0, first)
    found = compare_sides([side("a", first), side("b", second), side("c", first[::-1])], resamples=1000)
    better, unclear = found.rows
    assert (better.second, better.verdict) == ("b", "better")
    assert better.interval[0] > 0
    assert (better.wins, better.ties, better.losses) == (
        int((second > first).sum()),
        int((second == first).sum()),
        0,
    )
    assert (unclear.second, unclear.verdict) == ("c", "no difference shown")
    assert found.tests == 2
    assert better.p_holm == pytest.approx(2 * better.p)


def test_direction():
    first, second = [0.0] * 30, [1.0] * 30
    (row,) = compare_sides([side("a", first, spec=LOWER), side("b", second, spec=LOWER)]).rows
    assert (row.verdict, row.wins, row.losses) == ("worse", 0, 30)
    assert row.effect is None
    assert row.reason == "every item differs alike"


def test_micro_sums_counts_before_it_divides():
    sides = []
    for name, rows in (("a", [(1, 0, 9), (0, 1, 1)]), ("b", [(9, 0, 1), (1, 0, 0)])):
        made = Side(name, {MICRO.name: MICRO})
        for at, cells in enumerate(rows):
            counts = tuple(Count(n, c) for n, c in zip(("tp", "fp", "fn"), cells, strict=True))
            score = Score(MICRO.name, 0.5, "defined", None, counts)
            made.add(Record(protocol="x", id=str(at), item=str(at), scores=(score,), signature="x|v1"), ())
        sides.append(made)
    (row,) = compare_sides(sides).rows
    assert row.values == (2 * 1 / (2 * 1 + 1 + 10), 2 * 10 / (2 * 10 + 1))
    assert row.p == 0.5, "of four ways to swap two items, two are as extreme"


def test_samples_of_one_side_only_are_left_out_and_told():
    first = side("a", [1.0, 0.0, None, 1.0], ids=["p", "q", "r", "s"])
    second = side("b", [1.0, 1.0, 0.0], ids=["q", "r", "s"])
    found = compare_sides([first, second])
    (row,) = found.rows
    assert found.only == {"b": {"a": 1, "b": 0}}
    assert (row.pairs, row.left_out) == (2, (1, 1))
    assert row.values == (0.5, 0.5)
    assert [(move.id, move.first, move.second) for move in row.moved] == [("q", 0.0, 1.0), ("s", 1.0, 0.0)]


def test_systems_that_share_items_are_paired_on_them():
    first = side("a", [1.0, 0.0, 1.0], ids=["a1", "a2", "a3"], items=["i", "i", "j"])
    second = side("b", [1.0, 0.0], ids=["b1", "b3"], items=["i", "j"])
    found = compare_sides([first, second])
    assert found.paired_on == {"b": "item"}
    assert "unequal numbers of samples" in found.warnings[0]
    assert found.rows[0].pairs == 2
    with pytest.raises(UsageError, match="share neither"):
        compare_sides([first, side("c", [1.0], ids=["zz"])])


@pytest.mark.parametrize("values", [[1.0], [0.5] * 5, [1.0] * 12])
def test_equal_or_few_samples_have_no_difference_and_no_nan(values):
    (row,) = compare_sides([side("a", values), side("b", values)]).rows
    assert (row.p, row.difference, row.verdict) == (1.0, 0.0, "no difference shown")
    assert row.reason
    assert not [v for v in (row.effect, row.detectable, *(row.interval or ())) if v is not None and v != v]


def test_nothing_scored_on_both_sides_is_a_reason():
    (row,) = compare_sides([side("a", [1.0, None]), side("b", [None, 1.0])]).rows
    assert row.difference is None
    assert row.reason == "no sample was scored on both sides"


def test_signatures_that_differ_are_told_or_refused():
    one = side("a", [1.0, 0.0])
    other = side("b", [1.0, 0.0], signature="x|v1|judge:two|adjudge:1")
    assert "DIFFERENT LABELLERS" in compare_sides([one, other]).warnings[0]
    other = side("b", [1.0, 0.0], signature="x|v1|k:64|judge:one|adjudge:1")
    assert "DIFFERENT PARAMETERS" in compare_sides([one, other]).warnings[0]
    other = side("b", [1.0, 0.0], signature="x|v1|judge:one|adjudge:2")
    assert "versions of adjudge" in compare_sides([one, other]).warnings[0]
    other = side("b", [1.0, 0.0], signature="x|v2|judge:one|adjudge:1")
    with pytest.raises(UsageError, match="another version of the protocol"):
        compare_sides([one, other])
    assert "v2" in compare_sides([one, other], force=True).warnings[0]
    more = side("b", [1.0, 0.0])
    more.specs["x.noise"] = LOWER
    with pytest.raises(UsageError, match=r"x\.noise in b only"):
        compare_sides([one, more])
    assert not compare_sides([one, more], metrics=["x.share"]).warnings


def test_many_items_are_joined_and_give_nearly_the_same(monkeypatch):
    rng = np.random.default_rng(4)
    first = (rng.random(3000) < 0.5) * 1.0
    second = np.where(rng.random(3000) < 0.1, 1 - first, first)
    sides = [side("a", first), side("b", second)]
    (exact,) = compare_sides(sides, resamples=1000).rows
    monkeypatch.setattr("adjudge.stats.paired.MOST_ITEMS", 500)
    monkeypatch.setattr("adjudge.stats.paired.BUCKETS", 300)
    (joined,) = compare_sides(sides, resamples=1000).rows
    assert joined.values == pytest.approx(exact.values)
    assert joined.pairs == 3000
    width = exact.interval[1] - exact.interval[0]
    assert joined.interval == pytest.approx(exact.interval, abs=0.2 * width)


def checked(tmp_path, name, flagged, side="x"):
    """A run of a checker over 30 texts, of which the first 15 have a violation."""
    spot = (Violation(spans=((3, 9),), rule="R"),)
    samples = [
        Sample(
            id=f"s{n}",
            text="abcdefghij" * 3,
            gold=spot if n < 15 else (),
            predicted=spot if n in flagged else (),
            attributes={"side": side},
        )
        for n in range(30)
    ]
    return evaluate(samples, "violations", judge="rules", out=tmp_path / name)


def test_false_alarms_in_clean_texts_are_compared(tmp_path):
    """Clean texts that one checker flags and the other leaves alone: both runs' own numbers, both ways."""
    runs = {
        "calm": checked(tmp_path, "calm", range(12)),
        "loud": checked(tmp_path, "loud", [*range(3, 15), *range(20, 28)]),
    }
    for order in (("calm", "loud"), ("loud", "calm")):
        found = compare_runs([tmp_path / name for name in order], resamples=200)
        rows = {row.metric: row for row in found.rows}
        for kind in ("precision", "recall", "f1", "optimal_f1"):
            row = rows[f"violations.std_{kind}"]
            own = tuple(runs[name].value(row.metric) for name in order)
            assert row.values == pytest.approx(own), row.metric
            assert (row.pairs, row.left_out) == (23, (0, 0)), "seven texts are clean and left alone by both"
        assert found.warnings == ()
    assert rows["violations.std_precision"].values == pytest.approx((12 / 20, 1.0))
    row = rows["violations.std_f1"]
    assert (row.wins, row.ties, row.losses) == (3, 9, 3), "without a value on both sides nobody wins"


def test_what_is_missing_or_unscored_is_still_left_out():
    def scored(name, states):
        found = Side(name, {MICRO.name: MICRO})
        for at, state in enumerate(states):
            if state is None:
                continue
            counts = (Count("tp", 1), Count("fp", 1), Count("fn", 0)) if state == "defined" else ()
            score = Score(MICRO.name, 2 / 3 if counts else None, state, None, counts)
            found.add(Record(protocol="x", id=f"s{at}", item=f"s{at}", scores=(score,), signature="x|v1"), ())
        return found

    first = scored("a", ["defined"] * 12)
    second = scored("b", ["defined"] * 9 + ["not_applicable", "unscored", None])
    (row,) = compare_sides([first, second], resamples=200).rows
    assert (row.pairs, row.left_out) == (10, (2, 0))


def test_groups_that_the_runs_do_not_share_are_said(tmp_path):
    checked(tmp_path, "one", range(12), side="left")
    checked(tmp_path, "two", range(12), side="right")
    with pytest.raises(UsageError, match=r"no group in common \(side left against side right\)"):
        compare_runs([tmp_path / "one", tmp_path / "two"], by=("side",))


def test_rounding_is_no_difference():
    values = [0.1 + 0.2, 0.3] * 6
    (row,) = compare_sides([side("a", values), side("b", [0.3] * 12)], resamples=200).rows
    assert row.values[0] != row.values[1]
    assert row.difference == 0
    assert math.copysign(1, row.difference) == 1
    assert row.reason == "no item differs"


def test_names_are_shown_as_they_are_and_zero_has_no_minus():
    from rich.console import Console

    from adjudge.report.agree import _table
    from adjudge.report.compare import comparison_tables
    from adjudge.report.table import _rich

    rows = compare_sides([side("a:star:", [0.5] * 12), side("b", [0.4999] * 12)], resamples=200)
    console = Console(width=200, record=True, file=io.StringIO())
    agreement = _table("c:star:", [])
    plain = _rich("d:star:", ("metric", "group", "value"), [("m", "g", "1")])
    for part in (*comparison_tables(msgspec.to_builtins(rows)), agreement, plain):
        console.print(part)
    shown = console.export_text()
    for title in ("b against a:star:", "c:star:", "d:star:"):
        assert title in shown
    assert "-0.0" not in shown
