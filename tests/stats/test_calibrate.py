"""Calibration: exact fits against brute force, matching against the protocol itself, and no false claims."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from adjudge import Sample, evaluate
from adjudge.cli import main
from adjudge.errors import InputError, UsageError
from adjudge.judges.families import FamilyJudge
from adjudge.judges.local.thresholded import Thresholded
from adjudge.judges.local.verifier import Opinion
from adjudge.judges.registry import make_judge
from adjudge.metrics.f_at_k import f1_at_k
from adjudge.metrics.resample import percentile_interval, resampled_sums
from adjudge.run.profile import load_profile
from adjudge.run.store import read_records
from adjudge.stats.calibrate import calibrate, deal
from adjudge.stats.decisions import HumanPair, pairs_by_people, pairs_by_third_rater, read_decisions
from adjudge.stats.fit_cases import Case, PhraseProblem, ThresholdProblem, best_subset
from adjudge.stats.fit_k import Facts, Preference, PreferenceProblem, f1_at, median_k
from adjudge.stats.fit_matching import MatchingProblem, Setting, rounded_shares

PUBLIC = "violations/mqm_3raters/sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"

# thresholds

shares = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.6, 0.9, 1.0]), st.booleans()), min_size=4, max_size=30
)


@settings(deadline=None, max_examples=40)
@given(shares)
def test_the_threshold_is_the_best_there_is(pairs: list[tuple[float, bool]]) -> None:
    labels = [label for _, label in pairs]
    if len(set(labels)) < 2:
        with pytest.raises(InputError, match="with one kind every rule is right"):
            ThresholdProblem([Case("i", label, share) for share, label in pairs])
        return
    problem = ThresholdProblem([Case(f"i{n}", label, share) for n, (share, label) in enumerate(pairs)])
    found = problem.fit(np.arange(len(pairs)))
    tried = [0.0, 0.05, 0.2, 0.4, 0.5, 0.55, 0.75, 0.95]
    reached = {t: balanced_accuracy_score(labels, [share > t for share, _ in pairs]) for t in tried}
    mine = balanced_accuracy_score(labels, [share > found for share, _ in pairs])
    assert mine == pytest.approx(max(reached.values()))
    assert float(problem.value(problem.counts(found).sum(axis=0))) == pytest.approx(mine)
    if reached[0.5] == max(reached.values()):
        assert found == 0.5, "nothing is gained by leaving the default"


def test_a_threshold_lies_between_its_neighbours_however_near_they_are() -> None:
    for low, high in ((0.99993, 0.99999), (1e-7, 3e-7), (0.5000001, 0.5000002), (0.9999999, 1.0)):
        cases = [Case(f"i{n}", bool(n % 2), high if n % 2 else low) for n in range(20)]
        problem = ThresholdProblem(cases)
        found = problem.fit(np.arange(20))
        assert low < found < high
        assert float(problem.value(problem.counts(found).sum(axis=0))) == 1.0
    apart = [Case(f"i{n}", bool(n % 2), 0.9 if n % 2 else 0.7123456) for n in range(20)]
    assert ThresholdProblem(apart).fit(np.arange(20)) == 0.8062, "no more digits than it takes"


def noisy(number: int, cut: float, seed: int, flip: float = 0.1) -> list[Case]:
    random = Random(seed)
    cases = []
    for n in range(number):
        share = random.random()
        cases.append(Case(f"i{n}", (share > cut) != (random.random() < flip), share))
    return cases


def test_a_real_gain_is_called_real_and_none_is_not() -> None:
    far = calibrate(ThresholdProblem(noisy(400, 0.2, 1)))
    assert far.real
    assert far.options["threshold"] == pytest.approx(0.2, abs=0.05)
    assert far.gain > 0.05
    near = calibrate(ThresholdProblem(noisy(400, 0.5, 1)))
    assert not near.real
    assert "no gain shown" in near.verdict or "worse" in near.verdict
    assert near.fitted >= near.default, "on what it was fitted on it can only be better; nobody is told so"


def test_labels_by_chance_are_seldom_called_a_gain() -> None:
    """Cross-validated gains under the null lie around or below 0: at most 5 of 60 may pass by chance."""
    real = 0
    for seed in range(60):
        random = Random(seed)
        cases = [Case(f"i{n}", random.random() < 0.5, random.random()) for n in range(120)]
        real += calibrate(ThresholdProblem(cases), resamples=400).real
    assert real <= 5


def test_few_items_have_no_interval_and_no_gain_and_some_have_a_wide_one() -> None:
    few = calibrate(
        ThresholdProblem([Case(f"i{n}", n % 3 > 0, 0.1 + 0.1 * (n % 3)) for n in range(9)]), folds=3
    )
    assert few.gain > 0
    assert (few.interval, few.real) == (None, False)
    assert few.verdict == "too few items for an interval (9; it needs 10): no gain is shown"
    problem = ThresholdProblem(noisy(40, 0.3, seed=4))
    found = calibrate(problem)
    assert found.interval is not None
    held, standard = (np.zeros((40, 4)), problem.counts(problem.default))
    for fold in range(5):
        inside = deal(40, 5) == fold
        held[inside] = problem.counts(problem.fit(np.flatnonzero(~inside)))[inside]
    drawn = [problem.value(resampled_sums(table, 2000)) for table in (standard, held)]
    resampled = percentile_interval(drawn[1] - drawn[0])
    assert resampled is not None
    assert found.interval[1] - found.interval[0] > resampled[1] - resampled[0], "resampling 40 is too narrow"


def test_items_stay_together_and_folds_are_even() -> None:
    dealt = deal(103, 5)
    assert sorted(np.bincount(dealt)) == [20, 20, 21, 21, 21]
    cases = [Case(f"i{n // 4}", n % 2 == 0, n / 40) for n in range(40)]
    assert len(ThresholdProblem(cases).items) == 10
    with pytest.raises(InputError, match="10 items are too few for 11 folds"):
        calibrate(ThresholdProblem(cases), folds=11)
    with pytest.raises(UsageError, match="at least 2"):
        calibrate(ThresholdProblem(cases), folds=1)


@given(st.floats(0, 1), st.floats(0.01, 0.99), st.floats(0, 1))
def test_a_threshold_moves_the_verdict_and_keeps_probabilities(p: float, t: float, part: float) -> None:
    class One:
        name = "one"

        def verdicts(self, claims: Any, evidences: Any) -> list[Opinion]:
            return [Opinion(p, (1 - p) * part, (1 - p) * (1 - part), "")]

    (moved,) = Thresholded(One(), t).verdicts(["c"], ["e"])
    if abs(p - t) > 1e-9:
        assert (moved.entailed > 0.5) == (p > t)
    assert moved.entailed + moved.neutral + moved.contradicted == pytest.approx(1)
    assert (moved.neutral >= moved.contradicted) == (part >= 0.5) or abs(part - 0.5) < 1e-9 or p > 0.999


def test_the_threshold_is_named_by_the_judge() -> None:
    assert make_judge("local", threshold=0.4).describe().endswith(">0.4")  # type: ignore[attr-defined]
    near = make_judge("local", threshold=0.99999995).describe()  # type: ignore[attr-defined]
    assert near.endswith(">0.99999995")
    assert make_judge("local", threshold=0.5).describe() == make_judge("local").describe()  # type: ignore[attr-defined]


# phrases


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.lists(st.booleans(), min_size=4, max_size=4), st.booleans()), min_size=2, max_size=14
    )
)
def test_the_subset_of_phrases_is_the_best_there_is(rows: list[tuple[list[bool], bool]]) -> None:
    hits, truth = np.array([row for row, _ in rows]), np.array([label for _, label in rows])
    if truth.all() or not truth.any():
        return
    reached = {}
    for kept in itertools.product([False, True], repeat=4):
        reached[kept] = balanced_accuracy_score(truth, hits[:, np.array(kept)].any(axis=1))
    best = max(reached.values())
    chosen = tuple(bool(x) for x in best_subset(hits, truth))
    assert reached[chosen] == pytest.approx(best)
    largest = max(sum(kept) for kept, value in reached.items() if value == pytest.approx(best))
    assert sum(chosen) == largest, "of equally good ones, the one that drops least"


def test_phrases_that_mislead_are_dropped() -> None:
    cases = []
    for n in range(40):
        cases.append(Case(f"a{n}", True, 0.0, "I CANNOT answer that."))
        cases.append(Case(f"b{n}", False, 0.0, "However it opened in 1851, the cause is unknown."))
    problem = PhraseProblem("refusal", cases, ("i cannot", "unknown", "never said"), "refusal_phrases")
    found = calibrate(problem)
    assert found.real
    assert found.parameters == {"rgb": {"refusal_phrases": ["i cannot", "never said"]}}
    assert (found.default, found.held_out) == (0.5, 1.0)


def test_the_chosen_phrases_are_what_rgb_then_goes_by() -> None:
    sample = Sample(
        id="a", question="Who?", response="However, it is unknown.", reference="Ada", ability="rejection"
    )
    metric = "rgb.rejection"
    assert evaluate([sample], "rgb", judge="rules").value(metric) == 1.0
    fewer = evaluate([sample], "rgb", judge="rules", parameters={"rgb": {"refusal_phrases": ["i cannot"]}})
    assert fewer.value(metric) == 0.0
    assert "refusal_phrases:" in fewer.summary.signatures["rgb"]


# matching


def marks(random: Random, number: int) -> list[dict[str, Any]]:
    found = []
    for _ in range(number):
        start = random.randrange(40)
        found.append(
            {
                "spans": [[start, start + random.randint(1, 12)]],
                "rule": random.choice(["A/x", "A/y", "B/x"]),
                "category": random.choice(["A", "B", None]),
                "explanation": random.choice(["bad", "very bad", None]),
            }
        )
    return found


def samples(seed: int, number: int = 30) -> list[dict[str, Any]]:
    random = Random(seed)
    return [
        {"id": f"s{n}", "text": "x" * 60, "gold": marks(random, random.randint(0, 4)),
         "predicted": marks(random, random.randint(0, 4))}
        for n in range(number)
    ]  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["std", "ha"]),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
)
def test_what_is_fitted_is_what_the_protocol_does(seed: int, family: str, point: list[float]) -> None:
    """Any setting: the same matches as `violations` finds under the parameters that would be written."""
    run = evaluate(samples(seed), "violations", judge=FamilyJudge())
    pairs = [
        HumanPair(record.item, record.id, gold, pred, {}, False)
        for record in run.records
        for gold, pred in itertools.product(range(4), repeat=2)
    ]
    decisions = {record.id: {(0, 0): True} for record in run.records if _has_pair(record)}
    pairs = list(pairs_by_people(run.records, decisions))
    if not any(pair.values for pair in pairs):
        return
    problem = MatchingProblem(family, pairs)  # type: ignore[arg-type]
    weights = rounded_shares(point[: len(problem.terms)])
    choice = Setting(weights, round(0.9 * point[5], 3), round(0.9 * point[6], 3), round(0.5 * point[7], 3))
    told = problem.matched(choice).sum()
    again = evaluate(samples(seed), "violations", judge=FamilyJudge(), parameters=problem.settings(choice)[1])
    inside = set(decisions)
    counts = [
        count.n
        for record in again.records
        if record.id in inside
        for score in record.scores
        if score.metric == f"violations.{family}_f1"
        for count in score.counts
        if count.name == "tp"
    ]
    assert told == sum(counts)


def _has_pair(record: Any) -> bool:
    kinds = {unit.kind for unit in record.units}
    return {"gold", "pred"} <= kinds


def people(cut: float, seed: int = 3) -> list[HumanPair]:
    """People who match whatever overlaps by more than `cut`, whatever the rule."""
    random = Random(seed)
    found = []
    for n in range(240):
        values = {"text": random.random(), "rule": random.choice([0.1, 0.5, 1.0])}
        found.append(HumanPair(f"i{n // 2}", f"s{n}", 0, 0, values, values["text"] > cut))
    return found


def test_weights_and_thresholds_follow_people() -> None:
    found = calibrate(MatchingProblem("std", people(0.6)), folds=3, resamples=500)
    assert found.real
    assert found.default < 0.8
    assert found.held_out > 0.95
    written = found.parameters["violations"]["std"]
    assert sum(written["weights"].values()) == pytest.approx(1)


def test_people_who_match_as_the_default_does_leave_it_alone() -> None:
    pairs = [
        HumanPair(p.item, p.sample, 0, 0, p.values, 0.5 * p.values["text"] + 0.5 * p.values["rule"] > 0.5)
        for p in people(0)
    ]
    problem = MatchingProblem("std", pairs)
    assert problem.fit(np.arange(len(problem.items))) == problem.default
    found = calibrate(problem, folds=2, resamples=200)
    assert (found.gain, found.real) == (0.0, False)


def test_a_pair_apart_that_people_matched_is_missed_by_any_setting() -> None:
    pairs = [*people(0.6), HumanPair("far", "far", 0, 0, {}, True)]
    problem = MatchingProblem("std", pairs)
    assert problem.counts(problem.default)[problem.items.index("far")].tolist() == [0, 0, 1]


def test_decisions_of_several_people_are_a_majority(tmp_path: Path) -> None:
    lines = [(0, 0, True), (0, 0, True), (0, 0, False), (0, 1, True), (0, 1, False)]
    rows = [{"sample": "s", "gold": g, "pred": p, "match": m} for g, p, m in lines]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_decisions(tmp_path / "d.jsonl") == {"s": {(0, 0): True, (0, 1): False}}
    run = evaluate(samples(1, 2), "violations", judge=FamilyJudge())
    with pytest.raises(InputError, match="about samples that the run does not hold"):
        list(pairs_by_people(run.records, {"nobody": {(0, 0): True}}))
    with pytest.raises(InputError, match="gold 9 and pred 0"):
        list(pairs_by_people(run.records, {"s0": {(9, 0): True}}))


def test_a_third_rater_decides_by_one_mark_that_touches_both() -> None:
    def sample(first: str, second: str, gold: Any, predicted: Any) -> dict[str, Any]:
        return {
            "id": f"{first}{second}", "item": "seg", "text": "x" * 40,
            "gold": [{"spans": [span], "rule": "A/x"} for span in gold],
            "predicted": [{"spans": [span], "rule": "A/x"} for span in predicted],
            "attributes": {"gold_rater": first, "rater": second},
        }  # fmt: skip

    one, two, three = [[0, 5], [20, 25]], [[3, 8], [24, 30]], [[4, 5], [10, 12], [29, 35]]
    both = [sample("a", "b", one, two), sample("a", "c", one, three)]
    run = evaluate(both, "violations", judge=FamilyJudge())
    found = {(p.gold, p.pred): p.match for p in pairs_by_third_rater(run.records) if p.sample == "ab"}
    assert found == {(0, 0): True, (1, 1): False}
    kinds = [{**one, "gold": [{**g, "category": "A"} for g in one["gold"]]} for one in both]
    other = evaluate(kinds, "violations", judge=FamilyJudge())
    strict = pairs_by_third_rater(other.records, same_category=True)
    assert not any(pair.match for pair in strict if pair.sample == "ab"), "b and c name no category, a does"


def test_shares_sum_to_one() -> None:
    assert rounded_shares([1, 1, 1]) == (0.334, 0.333, 0.333)
    assert rounded_shares([0, 0]) == (0.5, 0.5)


@pytest.fixture(scope="module")
def raters(data: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "mqm"
    evaluate(str(data(PUBLIC)), "violations", judge=FamilyJudge(), metrics="std", out=folder)
    return folder


def test_three_raters(raters: Path, tmp_path: Path) -> None:
    """Held-out agreement with the third rater: a gain, small but with an interval above 0."""
    out = tmp_path / "raters.toml"
    arguments = [
        "calibrate",
        "std",
        str(raters),
        "--third-rater",
        "place",
        "--folds",
        "2",
        "-o",
        str(out),
        "--json",
    ]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout[: done.stdout.rindex("}") + 1])
    assert found["default"] == pytest.approx(0.6671, abs=1e-4)
    assert 0 < found["gain"] < 0.03
    if found["real"]:
        assert load_profile(out).calibration["real"] is True
    else:
        assert not out.exists()


# K


def test_k_is_the_median() -> None:
    facts = [Facts(f"r{n}", f"r{n}", n, 1) for n in (2, 9, 4, 30, 5)]
    found = median_k(facts)
    assert (found.k, found.responses, found.median) == (5, 5, 5.0)
    assert found.interval is None, "five responses are too few"
    more = median_k([Facts(f"r{n}", f"r{n}", n % 10, 1) for n in range(40)])
    assert more.interval is not None
    assert more.interval[0] <= more.median <= more.interval[1]
    assert median_k([Facts("r", "r", 0, 3)]).k == 1, "K is never 0"


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=20), st.integers(1, 60)
)
def test_f1_at_many(facts: list[tuple[int, int]], k: int) -> None:
    columns = np.array([s for s, _ in facts], float), np.array([n for _, n in facts], float)
    assert f1_at(columns, k).tolist() == pytest.approx([f1_at_k(s, n, k) for s, n in facts])


def test_k_that_agrees_with_what_people_prefer() -> None:
    """People like short and right over long and half wrong: a small K sees that, 100 does not."""
    facts, preferences = [], []
    for n in range(60):
        facts += [Facts(f"short{n}", f"q{n}", 8, 0), Facts(f"long{n}", f"q{n}", 30, 20)]
        preferences.append(Preference(preferred=f"short{n}", over=f"long{n}"))
    found = calibrate(PreferenceProblem(facts, preferences))
    assert found.real
    assert (found.default, found.held_out) == (0.0, 1.0)
    k = found.parameters["safe"]["k"]
    assert f1_at_k(8, 0, k) > f1_at_k(30, 20, k)
    with pytest.raises(InputError, match="the run does not"):
        PreferenceProblem(facts, [Preference(preferred="x", over="long1")])


# the command


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return str(path)


def test_without_a_gain_nothing_is_written_unless_forced(tmp_path: Path) -> None:
    rows = [{"id": c.item, "probability": c.probability, "label": c.label} for c in noisy(100, 0.5, 2)]
    out = tmp_path / "p.toml"
    arguments = ["calibrate", "threshold", write(tmp_path / "x.jsonl", rows), "-o", str(out)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "was not written: no gain was shown" in done.output
    assert not out.exists()
    forced = CliRunner().invoke(main, [*arguments, "--force"])
    assert "written" in forced.output
    assert load_profile(out).shown is False


def test_items_of_decisions_are_told_apart(tmp_path: Path) -> None:
    """0 is a name like any other, and the number of a line is none."""
    decided = [{"probability": 0.1 * n, "label": n % 2 == 0} for n in range(10)]
    shared = [{"item": n % 2, "id": n, **row} for n, row in enumerate(decided)]
    numbered = [{"id": n, **row} for n, row in enumerate(decided)]
    partly = [{"id": 2, **row} if n == 0 else row for n, row in enumerate(decided)]
    empty = [{"item": "", "id": n, **row} for n, row in enumerate(decided)]

    def items(what: str, rows: list[dict[str, Any]]) -> int:
        arguments = ["calibrate", what, write(tmp_path / "x.jsonl", rows), "--folds", "2", "--json"]
        return int(json.loads(CliRunner().invoke(main, arguments).stdout)["items"])

    assert [items("threshold", rows) for rows in (shared, numbered, partly, empty)] == [2, 10, 10, 10]
    said = [{"id": n // 2, "response": "I do not know.", "refusal": n % 2 == 0} for n in range(10)]
    assert items("refusal", said) == 5


def test_terms_that_a_run_was_told_to_do_without_are_not_fitted(tmp_path: Path) -> None:
    run = tmp_path / "run"
    without = {"violations": {"without": ["category", "correction"]}}
    evaluate(samples(4), "violations", judge=FamilyJudge(), parameters=without, out=run)
    decisions = [
        {"sample": f"s{n}", "gold": 0, "pred": 0, "match": n % 2 == 0}
        for n, sample in enumerate(samples(4))
        if sample["gold"] and sample["predicted"]
    ]
    path = write(tmp_path / "d.jsonl", decisions)
    done = CliRunner().invoke(main, ["calibrate", "ha", str(run), "--decisions", path, "--folds", "2"])
    assert done.exit_code == 0, done.output
    pairs = list(pairs_by_people(read_records(run), read_decisions(path), ("correction", "category")))
    assert MatchingProblem("ha", pairs).terms == ("text", "rule", "explanation")


def test_claims_are_held_against_evidence_by_the_local_judge(tmp_path: Path) -> None:
    rows = []
    for n in range(12):
        evidence = f"The mill number {n} opened in 18{n + 10}."
        rows.append({"claim": evidence, "evidence": evidence, "label": "supported"})
        rows.append({"claim": "A whale swam north.", "evidence": evidence, "label": "not_supported"})
    out = tmp_path / "p.toml"
    path = write(tmp_path / "x.jsonl", rows)
    done = CliRunner().invoke(main, ["calibrate", "threshold", path, "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["default"] == 1.0


@pytest.mark.parametrize(
    ("what", "rows", "message"),
    [
        ("threshold", [{"probability": 0.5, "label": "perhaps"}], "'perhaps' is no decision"),
        ("threshold", [{"probability": 0.5}], "there is no label"),
        ("threshold", [{"probability": "x", "label": True}], "is no number"),
        ("threshold", [{"probability": 0.5, "label": True}], "with one kind every rule is right"),
        ("refusal", [{"refusal": True}], "there is no text"),
    ],
)
def test_bad_input_is_said_plainly(
    tmp_path: Path, what: str, rows: list[dict[str, Any]], message: str
) -> None:
    done = CliRunner().invoke(main, ["calibrate", what, write(tmp_path / "x.jsonl", rows)])
    assert done.exit_code == 3
    assert message in done.output


def test_phrases_from_a_file_of_responses(tmp_path: Path) -> None:
    rows = []
    for n in range(30):
        rows.append({"id": f"a{n}", "response": "I don’t know.", "refusal": True})
        rows.append({"id": f"b{n}", "response": "The unknown poet died in 1851.", "refusal": False})
    out = tmp_path / "p.toml"
    done = CliRunner().invoke(
        main, ["calibrate", "refusal", write(tmp_path / "x.jsonl", rows), "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    kept = load_profile(out).parameters["rgb"]["refusal_phrases"]
    assert "i don't know" in kept
    assert "unknown" not in kept
