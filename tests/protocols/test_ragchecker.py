"""RAGChecker's eleven metrics from labels: reference values, worked examples, empty and missing cases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError, JudgeError
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.rules import RulesJudge
from adjudge.metrics import entailment
from adjudge.metrics.ratios import evaluate
from adjudge.protocols.ragchecker import RagChecker
from adjudge.protocols.ragchecker_claims import claim_of, claim_unit
from adjudge.types import Grid, Label, Labelled, Sample, Score

CHECKER = RagChecker()
ELEVEN = [spec.name for spec in CHECKER.specs if "all_metrics" in spec.groups]
JUDGE = "judge:test"


def sample(
    a: str | None,
    b: str | None,
    x: Sequence[str] | None = None,
    y: Sequence[str] | None = None,
    contexts: int | None = None,
) -> Sample:
    """A sample from the four checks, as characters; None where there was no such check."""
    units, labels, grids = [], [], []
    width = contexts or 0
    for text, other, whole, matrix in (("response", "reference", a, x), ("reference", "response", b, y)):
        size = next((len(part) for part in (whole, matrix) if part is not None), None)
        if size is None:
            continue
        labels.append(Label("claims", text, size, None, JUDGE))
        units += [claim_unit(text, k, f"{text} says {k}") for k in range(size)]
        rows = tuple(f"claim:{text}:{k}" for k in range(size))
        if whole is not None:
            grids.append(Grid("check", rows, (other,), tuple(whole), JUDGE))
        if matrix is not None:
            columns = tuple(f"ctx:{k}" for k in range(width))
            grids.append(Grid("check", rows, columns, tuple(matrix), JUDGE))
    return Sample(
        id="s",
        response="r",
        reference="g",
        contexts=None if contexts is None else ("passage",) * contexts,
        units=tuple(units),
        labels=tuple(labels),
        grids=tuple(grids),
    )


def scores(given: Sample, protocol: RagChecker = CHECKER) -> dict[str, Score]:
    found = protocol.score(protocol.given(given, JUDGE))
    return {score.metric.removeprefix("ragchecker."): score for score in found}


def values(given: Sample) -> dict[str, float | None]:
    return {name: score.value for name, score in scores(given).items()}


CHARS = {"Entailment": "e", "Neutral": "n", "Contradiction": "c"}


def from_reference(labels: dict[str, Any]) -> Sample:
    def line(row: list[str]) -> str:
        return "".join(CHARS.get(label, "x") for label in row)

    matrices = [[line(row) for row in labels[key]] for key in ("retrieved2response", "retrieved2answer")]
    width = max((len(row) for matrix in matrices for row in matrix), default=0)
    return sample(line(labels["answer2response"]), line(labels["response2answer"]), *matrices, contexts=width)


def test_all_reference_values_are_equal_to_the_last_bit(golden: Callable[[str], Any]) -> None:
    cases = golden("ragchecker_synthetic.json")["cases"]
    compared = 0
    for case in cases:
        got = values(from_reference(case["labels"]))
        for name, value in case["per_metric"].items():
            assert got[name] == value, (case["name"], name)
            compared += 1
    assert compared == 310 * 11


def test_the_documents_example_of_a_good_answer() -> None:
    # Paris is the capital; 105 for 105.4 km² and 2M for 2.1M people agree at the precision stated.
    got = scores(sample("eee", "eee", [""] * 3, [""] * 3, contexts=0))
    assert [got[name].value for name in ("precision", "recall", "f1")] == [1.0, 1.0, 1.0]
    assert [count.n for count in got["f1"].counts] == [3, 3, 3, 3]


def test_the_documents_example_of_a_poor_answer() -> None:
    # The capital is right, 5M people contradicts 2.1M, and the area is not mentioned.
    got = scores(sample("ec", "enc"))
    assert got["precision"].value == 1 / 2
    assert got["recall"].value == 1 / 3
    assert got["f1"].value == 0.4
    assert got["recall"].counts[0].units == ("claim:reference:0",)
    counted = {
        name: score.value for name, score in got.items() if name.startswith(("response_", "reference_"))
    }
    assert counted == {
        "response_entailed": 1,
        "response_neutral": 0,
        "response_contradicted": 1,
        "reference_entailed": 1,
        "reference_neutral": 1,
        "reference_contradicted": 1,
    }


@given(st.data())
def test_shares_of_response_claims_add_up(data: st.DataObject) -> None:
    n_r, n_g, width = (data.draw(st.integers(1, 6)) for _ in range(3))
    cells = st.text("ecnx", min_size=width, max_size=width)
    got = values(
        sample(
            data.draw(st.text("ecnx", min_size=n_r, max_size=n_r)),
            data.draw(st.text("ecnx", min_size=n_g, max_size=n_g)),
            data.draw(st.lists(cells, min_size=n_r, max_size=n_r)),
            data.draw(st.lists(cells, min_size=n_g, max_size=n_g)),
            contexts=width,
        )
    )
    total = got["faithfulness"] + got["hallucination"] + got["self_knowledge"]
    assert total == pytest.approx(1, abs=1e-12)
    noise = got["noise_sensitivity_in_relevant"] + got["noise_sensitivity_in_irrelevant"]
    assert got["precision"] + noise + got["hallucination"] == pytest.approx(1, abs=1e-12)


def test_empty_cases_are_0_by_convention_with_the_reason() -> None:
    got = scores(sample("", "en", [], ["e", "n"], contexts=1))
    assert {got[n].reason for n in ("precision", "f1", "hallucination", "faithfulness")} == {
        "no response claims"
    }
    assert got["precision"].state == "by_convention"
    assert (got["recall"].value, got["recall"].state) == (0.5, "defined")
    got = scores(sample("n", "", ["e"], [], contexts=1))
    assert got["noise_sensitivity_in_irrelevant"].reason == "no reference claims"
    assert got["noise_sensitivity_in_irrelevant"].counts[0].n == 0
    assert got["hallucination"].state == "defined"
    got = scores(sample("n", "e", [""], [""], contexts=0))
    assert (got["hallucination"].value, got["hallucination"].reason) == (0.0, "no passages")
    assert got["context_precision"].state == "by_convention"
    got = scores(sample("n", "e", ["n"], ["n"], contexts=1))
    assert got["context_utilization"].reason == "no reference claim is in any passage"
    assert (got["f1"].value, got["f1"].state) == (0.0, "defined")


def test_without_contexts_retrieval_does_not_apply() -> None:
    got = scores(sample("en", "e"))
    assert got["precision"].value == 0.5
    for name in ("claim_recall", "context_utilization", "faithfulness"):
        assert (got[name].state, got[name].reason) == ("not_applicable", "no contexts given")


def test_missing_labels_leave_only_what_rests_on_them_unscored() -> None:
    got = scores(sample("e-", "e", ["en", "ne"], ["e-"], contexts=2))
    assert got["precision"].reason == "1 of 2 response claims have no verdict against the reference"
    assert got["hallucination"].state == got["f1"].state == "unscored"
    assert got["faithfulness"].value == 1.0
    assert got["recall"].value == 1.0
    assert "1 of 2 checks of reference claims" in str(got["claim_recall"].reason)
    got = scores(sample(None, "en", None, ["e", "n"], contexts=1))
    assert got["precision"].reason == "the response was not split into claims"
    assert got["claim_recall"].value == 0.5
    got = scores(sample("en", "en", contexts=1))
    assert "2 of 2 checks of response claims against passages" in str(got["faithfulness"].reason)
    assert got["f1"].value == 0.5


def test_a_sample_nobody_labelled_is_unscored_throughout() -> None:
    got = CHECKER.score(Labelled("s", "s", {}, (), ()))
    assert {score.state for score in got} == {"unscored"}
    assert len(got) == 17


def test_a_failed_split_says_why() -> None:
    label = Label("claims", "response", None, None, JUDGE, None, "the model gave no answer")
    got = CHECKER.score(Labelled("s", "s", {}, (), (label,)))
    assert got[0].reason == "the response was not split into claims: the model gave no answer"


def test_unknown_verdicts_count_as_not_entailed() -> None:
    got = values(sample("xe", "e"))
    assert got["precision"] == 0.5
    assert got["response_neutral"] == got["response_contradicted"] == 0


def test_plain_labels_score_as_grids_do() -> None:
    with_grids = sample("ec-", "ex", ["en", "nn", "ce"], ["ne", "nn"], contexts=2)
    words = {"e": "entailed", "c": "contradicted", "n": "neutral", "x": "whatever", "-": None}
    labels = [
        Label("check", row, words[char], column, JUDGE)
        for grid in with_grids.grids
        for row, cells in zip(grid.rows, grid.cells, strict=True)
        for column, char in zip(grid.columns, cells, strict=True)
    ]
    bare = msgspec.structs.replace(with_grids, units=(), grids=(), labels=tuple(reversed(labels)))
    expected, got = scores(with_grids), scores(bare)
    assert {name: score.value for name, score in got.items()} == values(with_grids)
    assert {n: s.state for n, s in got.items()} == {n: s.state for n, s in expected.items()}
    assert sorted(got["faithfulness"].counts[0].units) == ["claim:response:0", "claim:response:2"]


def test_labels_of_other_protocols_are_left_alone() -> None:
    mine = sample("e", "e")
    foreign = (
        Label("check", "fact:a.1", "entailed", None, JUDGE),
        Label("relevant", "ctx:0a", True, None, "human:x"),
    )
    both = msgspec.structs.replace(mine, labels=mine.labels + foreign)
    assert CHECKER.sources(both) == (JUDGE,)
    assert CHECKER.given(both, JUDGE) == CHECKER.given(mine, JUDGE)


def test_counts_behind_a_score_give_its_value() -> None:
    formulas = {spec.name: spec.formula for spec in CHECKER.specs}
    given = sample("ecne", "ene", ["en", "nn", "ce", "nn"], ["ne", "nn", "nn"], contexts=2)
    units = {unit.id for unit in CHECKER.given(given, JUDGE).units}
    for score in CHECKER.score(CHECKER.given(given, JUDGE)):
        assert score.value == evaluate(formulas[score.metric], {c.name: c.n for c in score.counts})
        for count in score.counts:
            assert count.n == len(count.units)
            assert units.issuperset(count.units)


def test_asked_metrics_only() -> None:
    protocol = RagChecker(metrics=("ragchecker.f1", "ragchecker.faithfulness"))
    assert list(scores(sample("e", "e", ["e"], ["e"], contexts=1), protocol)) == ["f1", "faithfulness"]


def test_groups_and_directions() -> None:
    specs = {spec.name.removeprefix("ragchecker."): spec for spec in CHECKER.specs}
    grouped = {
        g: [n for n, s in specs.items() if g in s.groups]
        for g in ("overall_metrics", "all_metrics", "counts")
    }
    assert grouped["overall_metrics"] == ["precision", "recall", "f1"]
    assert len(grouped["all_metrics"]) == 11
    assert len(grouped["counts"]) == 6
    lower = {name for name in grouped["all_metrics"] if not specs[name].higher_is_better}
    assert lower == {
        "hallucination",
        "noise_sensitivity_in_relevant",
        "noise_sensitivity_in_irrelevant",
    }


def test_a_broken_grid_names_the_sample() -> None:
    broken = Grid("check", ("claim:response:0",), ("reference",), ("ee",), JUDGE)
    with pytest.raises(InputError) as caught:
        CHECKER.score(Labelled("s7", "s7", {}, (), (), (broken,)))
    assert (caught.value.sample, caught.value.field) == ("s7", "grids")


def test_what_it_needs_depends_on_what_is_asked() -> None:
    only = {name: RagChecker(metrics=(f"ragchecker.{name}",)) for name in ("faithfulness", "recall")}
    assert CHECKER.missing(Sample(id="1", response="r", reference="g")) is None
    assert CHECKER.missing(Sample(id="1", response="r")) == "reference"
    assert CHECKER.missing(Sample(id="1", reference="g")) == "response"
    assert only["faithfulness"].missing(Sample(id="1", response="r", contexts=())) is None
    assert only["faithfulness"].missing(Sample(id="1", response="r")) == "contexts"
    assert only["recall"].missing(Sample(id="1", response="r", reference="g")) is None


def test_raw_text_needs_a_model() -> None:
    with pytest.raises(JudgeError, match="--judge"):
        asyncio.run(CHECKER.label(Sample(id="1", response="r", reference="g"), RulesJudge()))
    assert not CHECKER.asks <= RulesJudge.answers


@given(st.one_of(st.text(min_size=1), st.lists(st.text(), min_size=1, max_size=4).filter(any)))
def test_claims_come_back_as_they_went_in(claim: str | list[str]) -> None:
    unit = claim_unit("response", 0, claim)
    assert claim_of(unit) == claim
    assert unit.id == "claim:response:0"


def test_gaps() -> None:
    found = CHECKER.gaps(CHECKER.given(sample("en", "en", ["e", "n"], ["n", "n"], contexts=1), JUDGE))
    assert list(found.values()) == [("claim:reference:1",), ("claim:response:1",), ("ctx:0",)]


AGGREGATED = {
    # scenario: verdicts of the claims, in an order that gives the golden its majority
    "mixed": "enc",
    "ent": "ee",
    "empty": "",
    "nested": "ne",
    "tie": "ne",
}


@pytest.mark.parametrize("scenario", AGGREGATED)
def test_a_whole_response_as_in_the_reference_values(
    scenario: str, shared_golden: Callable[[str], Any]
) -> None:
    """RefChecker's three aggregators. Shares are counts over counts; the verdicts are told by `explain`.

    Deviations: an empty response has no verdict (and no shares) where upstream says Abstain; of equally
    frequent verdicts the worst is taken, where upstream takes the one that it meets first.
    """
    golden = shared_golden("refchecker.json")["aggregators"][scenario]
    words = {"e": "Entailment", "n": "Neutral", "c": "Contradiction"}
    cells = AGGREGATED[scenario]
    given = sample(cells, "e")
    found = scores(given)
    total = len(cells)
    [line] = [line for line in CHECKER.notes(CHECKER.given(given, JUDGE)) if line.startswith("response")]
    if not cells:
        assert golden == {"soft": {**dict.fromkeys(words.values(), 0.0), "Abstain": 1.0},
                          "strict": "Abstain", "major": "Abstain"}  # fmt: skip
        assert line == "response as a whole, against the reference: no claims, so no verdict"
        assert found["precision"].state == "by_convention"
        return
    for name, label in (("entailed", "e"), ("neutral", "n"), ("contradicted", "c")):
        value = found[f"response_{name}"].value
        assert value is not None
        assert value / total == pytest.approx(golden["soft"][words[label]])
    upstream = {"Entailment": "entailed", "Neutral": "neutral", "Contradiction": "contradicted"}
    major = "contradicted" if scenario == "mixed" else upstream[golden["major"]]
    assert f": {upstream[golden['strict']]} by its worst claim, {major} by most (" in line


@given(st.text("enc", max_size=9))
def test_a_whole_verdict_does_not_depend_on_the_order_of_claims(cells: str) -> None:
    def told(text: str) -> entailment.Whole:
        return entailment.whole(*(text.count(verdict) for verdict in "enc"))

    found = told(cells)
    assert found == told("".join(sorted(cells))) == told(cells[::-1])
    if cells:
        assert found.strict == ("contradicted" if "c" in cells else "neutral" if "n" in cells else "entailed")
        assert found.major is not None
        assert cells.count(found.major[0]) == max(map(cells.count, "enc"))
    else:
        assert found == entailment.Whole(None, None)


def test_verdicts_on_the_whole_are_left_out_where_a_claim_has_none() -> None:
    given = sample("e-", None)
    assert CHECKER.notes(CHECKER.given(given, JUDGE)) == []


def likely(given: Sample, *shares: Sequence[float]) -> Sample:
    """The sample with how likely its claims are, text by text."""
    grids = [
        msgspec.structs.replace(grid, entailed=tuple((share,) for share in own))
        for grid, own in zip(given.grids, shares, strict=True)
    ]
    return msgspec.structs.replace(given, grids=tuple(grids))


def test_expected_metrics_weigh_verdicts_by_hand() -> None:
    got = scores(likely(sample("en", "enn"), (0.9, 0.3), (0.8, 0.4, 0.3)))
    assert got["precision"].value == 0.5
    assert got["precision_expected"].value == pytest.approx((0.9 + 0.3) / 2)
    assert got["recall_expected"].value == pytest.approx((0.8 + 0.4 + 0.3) / 3)
    assert got["f1_expected"].value == pytest.approx(2 * 0.6 * 0.5 / (0.6 + 0.5))
    (count, _) = got["precision_expected"].counts
    assert count.units == ("claim:response:0", "claim:response:1")
    assert count.amounts == (0.9, 0.3)


@given(st.text("en", min_size=1, max_size=6), st.text("en", min_size=1, max_size=6))
def test_sure_verdicts_are_expected_as_they_are(a: str, b: str) -> None:
    got = values(likely(sample(a, b), [float(c == "e") for c in a], [float(c == "e") for c in b]))
    for name in ("precision", "recall", "f1"):
        assert got[f"{name}_expected"] == got[name]


def test_expected_metrics_without_claims_or_verdicts() -> None:
    empty = scores(likely(sample("", "e"), (), (0.7,)))
    assert (empty["precision_expected"].state, empty["f1_expected"].state) == ("by_convention",) * 2
    assert empty["recall_expected"].value == 0.7
    lacking = scores(likely(sample("-", "e"), (0.5,), (0.7,)))
    assert lacking["precision_expected"].state == "unscored"
    assert "no verdict" in (lacking["precision_expected"].reason or "")


def test_judges_without_probabilities_have_no_expected_metrics_unless_asked_for() -> None:
    assert not [name for name in scores(sample("en", "e")) if name.endswith("expected")]
    asked = scores(sample("en", "e"), RagChecker(metrics=("ragchecker.f1_expected",)))
    assert asked["f1_expected"].state == "not_applicable"
    assert asked["f1_expected"].reason == "the verdicts come without probabilities"


def test_probabilities_that_do_not_fit_their_grid_are_an_error() -> None:
    with pytest.raises(InputError, match="2 rows and 1 columns says how likely"):
        scores(likely(sample("en", "e"), (0.5,), (0.7,)))


def test_the_embedded_judge_says_how_likely() -> None:
    given = Sample(id="s", response="The tower is red. It is tall.", reference="The tower is red.")
    labelled = asyncio.run(CHECKER.label(given, LocalJudge()))
    for grid in labelled.grids:
        assert grid.entailed is not None
        for cells, shares in zip(grid.cells, grid.entailed, strict=True):
            assert all((cell == "e") == (share >= 0.5) for cell, share in zip(cells, shares, strict=True))
    assert {score.metric for score in CHECKER.score(labelled)} >= {"ragchecker.f1_expected"}
