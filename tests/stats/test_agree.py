"""Agreement with people: units matched through another order, implied labels, ceilings, oracles."""

from __future__ import annotations

import json

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.protocols import make_protocol
from adjudge.stats.agree import agree
from adjudge.stats.ceiling import joint_alpha
from adjudge.stats.estimates import Observed, estimates
from adjudge.stats.raters import (
    Rated,
    Rater,
    attribute_rater,
    match_units,
    matched_values,
    rated_by,
    sample_raters,
)
from adjudge.types import Grid, Label, Labelled, Sample, Unit, digest, to_json

sklearn = pytest.importorskip("sklearn.metrics")
scipy = pytest.importorskip("scipy.stats")


def rated(by, values, units=None, scores=None, item="i", **more) -> Rated:
    known = {unit: digest(words) for unit, words in (units or {}).items()}
    return Rated(by, item, {}, dict(values), units=known, scores=scores or {}, **more)


def claims(*words):
    return {f"claim:response:{at}": text for at, text in enumerate(words)}


def checks(*verdicts):
    return {("check", f"claim:response:{at}", "reference"): v for at, v in enumerate(verdicts)}


def test_units_are_matched_by_words_where_their_order_differs():
    first = rated("judge:a", checks("entailed", "neutral", "contradicted"), claims("sky", "sea", "sun"))
    second = rated("human:b", checks("neutral", "entailed", "entailed"), claims("sea", "sky", "moon"))
    found = {unit: (one, two) for (_, unit, _), one, two in matched_values(first, second)}
    assert found == {"claim:response:0": ("entailed", "entailed"), "claim:response:1": ("neutral", "neutral")}


def test_equal_words_are_matched_one_to_one_and_kinds_stay_apart():
    first = rated("a", {}, {"claim:response:0": "x", "claim:response:1": "x", "claim:reference:0": "x"})
    second = rated("b", {}, {"claim:response:1": "x", "claim:response:5": "x", "claim:reference:9": "x"})
    assert match_units(first, second) == {
        "claim:response:1": "claim:response:1",
        "claim:response:5": "claim:response:0",
        "claim:reference:9": "claim:reference:0",
    }


def test_units_without_words_are_matched_by_id():
    first = Rated("a", "i", {}, units={"resp:a": None})
    second = Rated("b", "i", {}, units={"resp:a": "0123"})
    assert match_units(first, second) == {"resp:a": "resp:a"}


def trace_labels(source, relevant, support):
    labels = [Label("relevant", "contexts", len(relevant), None, source)]
    labels += [Label("relevant", f"ctx:{key}", True, None, source) for key in relevant]
    labels.append(Label("support", "response", len(support), None, source))
    return labels + [Label("support", f"resp:{key}", value, None, source) for key, value in support.items()]


def trace_sample(name="s", **sources) -> Sample:
    return Sample(
        id=name,
        question="Why?",
        response="One. Two.",
        contexts=("A b. C d.", "E f."),
        units=tuple(
            Unit(unit, words)
            for unit, words in (
                ("ctx:0a", "A b."),
                ("ctx:0b", "C d."),
                ("ctx:1a", "E f."),
                ("resp:a", "One."),
                ("resp:b", "Two."),
            )
        ),
        labels=tuple(label for source, given in sources.items() for label in trace_labels(source, *given)),
    )


def test_sentences_that_a_list_leaves_out_are_judged_irrelevant():
    sample = trace_sample(x=(["0a"], {"a": "full", "b": "partial"}))
    protocol = make_protocol("trace")
    found = rated_by("x", protocol, protocol.given(sample, "x"), sample, ())
    values = {(name, unit): value for (name, unit, _), value in found.values.items()}
    assert [values["relevant", f"ctx:{key}"] for key in ("0a", "0b", "1a")] == [True, False, False]
    assert values["grounded", "resp:a"] is True
    assert values["grounded", "resp:b"] is False
    assert not any(name == "used" for name, _ in values), "nobody judged what was used"
    assert not any(name == "supported_by" for name, _ in values), "nobody named what supports"


def test_supporting_sentences_not_named_do_not_support():
    given = trace_labels("x", [], {"a": "full", "b": "none"})
    given.append(Label("supported_by", "resp:a", True, "ctx:1a", "x"))
    units = trace_sample().units
    found = rated_by("x", make_protocol("trace"), Labelled("s", "s", {}, units, tuple(given)), None, ())
    support = {place[1:]: value for place, value in found.values.items() if place[0] == "supported_by"}
    assert len(support) == 6
    assert [place for place, value in support.items() if value] == [("resp:a", "ctx:1a")]


def test_nothing_positive_on_either_side_is_no_perfect_f1():
    found = estimates(Observed([False] * 20, [False] * 20, list(map(str, range(20))), [None] * 20))
    assert found["f1"].value is None
    assert found["accuracy"].value == 1.0


def test_grids_and_facts():
    grid = Grid("check", ("claim:response:0",), ("reference", "ctx:0"), ("ex",))
    found = rated_by("j", make_protocol("ragchecker"), Labelled("s", "s", {}, (), (), (grid,)), None, ())
    assert found.values == {
        ("check", "claim:response:0", "reference"): "entailed",
        ("check", "claim:response:0", "ctx:0"): None,
    }
    labels = (
        Label("check", "fact:a.1", "neutral", None, "j", probabilities={"entailed": 0.2, "neutral": 0.8}),
        Label("check", "fact:a.2", "entailed"),
        Label("duplicate_of", "fact:a.2", True, "fact:a.1"),
    )
    units = (Unit("fact:a.1", "x"), Unit("fact:a.2", "y"))
    found = rated_by("j", make_protocol("safe"), Labelled("s", "s", {}, units, labels), None, ())
    assert found.values[("check", "fact:a.1", None)] is False
    assert found.sure == {("check", "fact:a.1", None): 0.2}
    assert found.values[("duplicate", "fact:a.1", None)] is False
    assert found.values[("duplicate", "fact:a.2", None)] is True


def many(by, values, name="check", level="values"):
    """A rater with one unit a sample."""
    rater = Rater(by)
    for at, value in enumerate(values):
        one = rated(by, {(name, "resp:a", None): value}, {"resp:a": "w"}, item=f"i{at}")
        if level == "scores":
            one = rated(by, {}, scores={} if value is None else {"trace.relevance": value}, item=f"i{at}")
        rater.rated["trace", f"s{at}"] = one
    return rater


def test_statistics_equal_the_libraries_numbers():
    rng = np.random.default_rng(1)
    truth = rng.choice(["entailed", "neutral", "contradicted"], 200).tolist()
    guess = [t if rng.random() < 0.7 else "neutral" for t in truth]
    (row,) = agree(many("judge:j", guess), [many("human:h", truth)], levels=["label"]).rows
    assert (row.kind, row.pairs, row.items) == ("class", 200, 200)
    found = {name: estimate.value for name, estimate in row.statistics.items()}
    assert found["kappa"] == pytest.approx(sklearn.cohen_kappa_score(truth, guess))
    assert found["macro_f1"] == pytest.approx(sklearn.f1_score(truth, guess, average="macro"))
    assert found["balanced_accuracy"] == pytest.approx(sklearn.balanced_accuracy_score(truth, guess))
    assert all(e.interval[0] <= e.value <= e.interval[1] for e in row.statistics.values())
    assert len(row.disagreements) == 20
    assert row.disagreements[0].first != row.disagreements[0].second


def test_sample_scores_and_missing_ones():
    rng = np.random.default_rng(2)
    truth = rng.random(60).round(2).tolist()
    guess = (0.6 * np.array(truth) + rng.normal(0, 0.1, 60)).tolist()
    truth[3], guess[5] = None, None
    found = agree(
        many("judge:j", guess, level="scores"), [many("human:h", truth, level="scores")], levels=["sample"]
    )
    (row,) = found.rows
    kept = [at for at in range(60) if at not in (3, 5)]
    x, y = [truth[at] for at in kept], [guess[at] for at in kept]
    assert (row.pairs, row.missing, row.kind) == (58, 2, "number")
    assert row.statistics["spearman"].value == pytest.approx(scipy.spearmanr(x, y).statistic)
    assert row.statistics["kendall"].value == pytest.approx(scipy.kendalltau(x, y).statistic)
    assert row.statistics["rmse"].value == pytest.approx(sklearn.root_mean_squared_error(x, y))
    assert "auroc" not in row.statistics


def test_probabilities_give_an_auroc():
    rng = np.random.default_rng(3)
    truth = (rng.random(150) < 0.4).tolist()
    sure = np.clip(0.3 * np.array(truth) + rng.random(150) * 0.7, 0, 1).round(1).tolist()
    pairs = Observed(truth, [p > 0.5 for p in sure], [str(at) for at in range(150)], sure)
    found = estimates(pairs, ["auroc", "f1"])
    assert set(found) == {"auroc", "f1"}
    assert found["auroc"].value == pytest.approx(sklearn.roc_auc_score(truth, sure))
    assert found["f1"].value == pytest.approx(sklearn.f1_score(truth, [p > 0.5 for p in sure]))


def test_items_not_units_are_resampled():
    """Ten copies of each unit in its item carry no more information."""
    rng = np.random.default_rng(4)
    truth = (rng.random(120) < 0.5).tolist()
    guess = [t if rng.random() < 0.8 else not t for t in truth]
    items = [str(at) for at in range(120)]
    once = estimates(Observed(truth, guess, items, [None] * 120))
    often = estimates(Observed(truth * 10, guess * 10, items * 10, [None] * 1200))
    assert often["kappa"].interval == pytest.approx(once["kappa"].interval)


def test_several_people_give_a_ceiling():
    rng = np.random.default_rng(5)
    truth = (rng.random(80) < 0.5).tolist()
    people = [
        many(f"human:{name}", [t if rng.random() < 0.9 else not t for t in truth]) for name in ("x", "y", "z")
    ]
    found = agree(many("judge:j", truth[::-1]), people, levels=["label"])
    assert [(row.first, row.second) for row in found.rows if row.ceiling] == [
        ("human:x", "human:y"),
        ("human:x", "human:z"),
        ("human:y", "human:z"),
    ]
    judged = [row.statistics["kappa"].value for row in found.rows if not row.ceiling]
    ceiling = [row.statistics["kappa"].value for row in found.rows if row.ceiling]
    assert min(ceiling) > max(judged)
    (joint,) = found.joint
    assert joint.raters == ("human:x", "human:y", "human:z")
    low, high = joint.alpha.interval
    assert low < joint.alpha.value < high
    assert joint.alpha.value == pytest.approx(np.mean(ceiling), abs=0.02)


@pytest.mark.parametrize("values", [[True, False], ["none", "partial", "full"], [0.0, 0.3, 0.5, 1.0]])
def test_joint_interval_of_two_raters_is_that_of_the_pair(values):
    rng = np.random.default_rng(6)
    first = [values[at] for at in rng.integers(0, len(values), 130)]
    second = [a if rng.random() < 0.6 else values[rng.integers(0, len(values))] for a in first]
    items = [str(at // 2) for at in range(130)]
    pair = estimates(Observed(first, second, items, [None] * 130))["alpha"]
    joint = joint_alpha(list(zip(first, second, strict=True)), items)
    assert joint.value == pytest.approx(pair.value)
    assert joint.interval == pytest.approx(pair.interval)


def test_people_in_the_samples_are_found_and_scored():
    samples = [
        trace_sample(
            f"s{at}",
            **{
                "human:x": (["0a"], {"a": "full", "b": "full"}),
                "human:y": (["0a", "1a"], {"a": "full", "b": "none"}),
            },
        )
        for at in range(3)
    ]
    raters = sample_raters(samples, [make_protocol("trace")])
    found = agree(raters["human:x"], [raters["human:y"]], levels=["label", "unit", "sample"])
    by_name = {(row.level, row.name): row for row in found.rows}
    assert by_name["label", "relevant"].pairs == 9
    assert by_name["label", "relevant"].statistics["accuracy"].value == pytest.approx(2 / 3)
    assert by_name["unit", "support"].part == "resp"
    assert by_name["sample", "trace.adherence"].kind == "flag"
    assert by_name["sample", "trace.relevance"].statistics["mae"].value == pytest.approx(1 / 3)
    assert by_name["sample", "trace.relevance"].statistics["pearson"].reason


def test_an_attribute_is_a_rating_of_the_whole_sample():
    rater = many("judge:j", [0.1, 0.9, 0.4, 0.6], level="scores")
    for at, rating in enumerate((1, 5, 2, 3)):
        rater.rated["trace", f"s{at}"].attributes = {"rating": rating}
    (row,) = agree(rater, [attribute_rater("rating", rater)], levels=["sample"]).rows
    assert row.statistics["spearman"].value == pytest.approx(1.0)
    for at, good in enumerate((False, True, False, True)):
        rater.rated["trace", f"s{at}"].attributes = {"rating": good}
    (row,) = agree(rater, [attribute_rater("rating", rater)], levels=["sample"]).rows
    assert row.statistics["auroc"].value == 1.0
    with pytest.raises(UsageError, match="'nothing'"):
        attribute_rater("nothing", rater)


def test_what_cannot_be_compared_says_why():
    one = many("human:h", [True, False])
    with pytest.raises(UsageError, match="--labels judge"):
        agree(one, [many("human:h", [True, True])])
    with pytest.raises(UsageError, match="no labelled sample in common"):
        agree(one, [Rater("human:k", {("trace", "other"): rated("human:k", {})})])
    with pytest.raises(UsageError, match="nothing to compare"):
        agree(one, [many("human:k", [True, True], name="other")])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([True], [True]),
        ([True] * 12, [True] * 12),
        ([True] * 12, [False] * 12),
        ([None] * 3, [True] * 3),
        (["full"] * 3, ["none", "full", "partial"]),
        (["entailed"], ["neutral"]),
    ],
)
def test_edge_cases_have_reasons_and_never_nan(first, second):
    found = agree(many("judge:j", first), [many("human:h", second)], levels=["label", "unit"])
    text = to_json(found)
    assert b"NaN" not in text
    for row in json.loads(text)["rows"]:
        for estimate in row["statistics"].values():
            assert estimate["value"] is not None or estimate["reason"]


def test_left_over_samples_and_units_are_counted():
    first = many("judge:j", [True, False, True])
    second = many("human:h", [True, False])
    second.rated["trace", "s1"].units = {"resp:a": digest("other words")}
    found = agree(first, [second], levels=["label"])
    assert found.unmatched["human:h"] == {
        "samples of judge:j only": 1,
        "units of judge:j only": 1,
        "units of human:h only": 1,
    }
