"""RAGChecker files in and out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.datasets.ragchecker import READER, SOURCE, WRITER
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.protocols.ragchecker import RagChecker
from adjudge.types import Record, Sample, Unit

FIELDS = [
    "query_id",
    "query",
    "gt_answer",
    "response",
    "retrieved_context",
    "response_claims",
    "gt_answer_claims",
    "answer2response",
    "response2answer",
    "retrieved2response",
    "retrieved2answer",
    "metrics",
]
RESULT = {
    "query_id": "q7",
    "query": "How high is the tower?",
    "gt_answer": "It is 90 m high and was built in 1802.",
    "response": "It is 90 m high. It is made of brick.",
    "retrieved_context": [{"doc_id": "d1", "text": "The tower is 90 m high."}, {"text": "Bricks are cheap."}],
    "response_claims": [["tower", "height", "90 m"], ["tower", "made of", "brick"]],
    "gt_answer_claims": [["tower", "height", "90 m"], ["tower", "built in", "1802"]],
    "answer2response": ["Entailment", "Neutral"],
    "response2answer": ["Entailment", "Neutral"],
    "retrieved2response": [["Entailment", "Neutral"], ["Neutral", "Contradiction"]],
    "retrieved2answer": [["Entailment", "Neutral"], ["Neutral", "Neutral"]],
    "metrics": {"precision": 0.123},
}


def save(path: Path, *results: Any, **more: Any) -> Path:
    path.write_text(json.dumps({"results": results, **more}), "utf-8")
    return path


def read(path: Path) -> list[Sample]:
    source = Source(path)
    assert READER.detect(source)
    samples = []
    for row in READER.rows(source):
        assert isinstance(row, Row)
        samples += READER.convert(row)
    return samples


def score(samples: Iterable[Sample], protocol: RagChecker | None = None, lean: bool = False) -> list[Record]:
    protocol = protocol or RagChecker()
    records = []
    for sample in samples:
        labelled = protocol.given(sample, SOURCE)
        records.append(
            Record(
                protocol="ragchecker",
                sample=None if lean else sample,
                id=sample.id,
                units=labelled.units,
                labels=labelled.labels,
                grids=labelled.grids,
                scores=tuple(protocol.score(labelled)),
            )
        )
    return records


def written(records: Iterable[Record], folder: Path, original: Path | None = None) -> Any:
    path = folder / "out.json"
    WRITER.write(records, path, original)
    return json.loads(path.read_text("utf-8"))


def test_a_result_becomes_claims_and_grids(tmp_path: Path) -> None:
    (sample,) = read(save(tmp_path / "f.json", RESULT))
    assert (sample.id, sample.question, sample.reference) == ("q7", RESULT["query"], RESULT["gt_answer"])
    assert sample.contexts == ("The tower is 90 m high.", "Bricks are cheap.")
    assert sample.context_ids == ("d1", "")
    assert [unit.id for unit in sample.units] == [
        "claim:response:0",
        "claim:response:1",
        "claim:reference:0",
        "claim:reference:1",
    ]
    assert sample.units[1].text == "tower made of brick"
    response, reference = sample.grids
    assert (response.columns, response.cells) == (("reference", "ctx:0", "ctx:1"), ("een", "nnc"))
    assert (reference.columns, reference.cells) == (("response", "ctx:0", "ctx:1"), ("een", "nnn"))
    assert {grid.source for grid in sample.grids} == {SOURCE}


@pytest.mark.parametrize("groups", [("overall_metrics",), ("overall", "retriever")])
def test_both_shapes_of_stored_metrics_are_read_and_not_believed(
    tmp_path: Path, groups: tuple[str, ...]
) -> None:
    path = save(tmp_path / "f.json", RESULT, metrics={group: {"precision": 12.3} for group in groups})
    document = written(score(read(path)), tmp_path)
    assert document["metrics"]["overall_metrics"]["precision"] == 50.0
    assert document["results"][0]["metrics"]["precision"] == 0.5


def test_missing_fields_are_filled_or_left_out(tmp_path: Path) -> None:
    bare = {"query": "Why?", "gt_answer": None, "response": "Because."}
    texts = {**bare, "query_id": 3, "retrieved_context": ["plain text"], "response_claims": ["It is so."]}
    first, second, third = read(save(tmp_path / "f.json", bare, texts, {**bare, "query_id": None}))
    assert [first.id, second.id, third.id] == ["0", "3", "2"]
    assert (first.reference, first.contexts, first.grids) == (None, None, ())
    assert second.contexts == ("plain text",)
    assert second.context_ids is None
    assert second.units[0].text == "It is so."
    assert RagChecker().sources(first) == ()


def test_an_empty_list_is_labelled_and_null_is_not(tmp_path: Path) -> None:
    empty = {**RESULT, "response_claims": [], "answer2response": [], "retrieved2response": []}
    null = {**RESULT, "response_claims": None, "answer2response": None, "retrieved2response": None}
    none, never = (
        {s.metric: s for s in record.scores} for record in score(read(save(tmp_path / "f.json", empty, null)))
    )
    assert none["ragchecker.precision"].state == "by_convention"
    assert never["ragchecker.precision"].state == "unscored"
    assert never["ragchecker.recall"].value == none["ragchecker.recall"].value == 0.5


BROKEN = [
    ("retrieved2response", [["Entailment"], ["Neutral", "Neutral"]], "claim 0 has 1 labels for 2 passages"),
    ("retrieved2response", [], "0 entries, but 2 in 'response_claims'"),
    ("retrieved2response", ["Entailment", "Neutral"], "expected a list of labels"),
    ("answer2response", ["Entailment"], "1 entries, but 2 in 'response_claims'"),
    ("answer2response", "Entailment", "expected a list of labels"),
    ("response_claims", [["tower", 90]], "a text or a list of texts"),
    ("response_claims", {"0": "x"}, "expected a list of claims"),
    ("retrieved_context", [{"doc_id": "1"}], "a passage needs a text"),
    ("retrieved_context", "text", "expected a list of passages"),
    ("response", 5, "expected text, found int"),
]


@pytest.mark.parametrize(("field", "value", "problem"), BROKEN)
def test_what_does_not_fit_names_sample_and_field(
    tmp_path: Path, field: str, value: Any, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(save(tmp_path / "f.json", RESULT, {**RESULT, field: value}))
    error = caught.value
    assert problem in error.problem
    assert (error.sample, error.line) == ("q7", 2)
    assert str(error.field).startswith(field)


@pytest.mark.parametrize(
    "document",
    [
        {"results": 5},
        {"results": [{"id": 1}]},
        {"results": [], "name": "x"},
        [1],
        {"query": "q", "response": "r"},
    ],
)
def test_other_files_are_not_taken_for_it(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(document), "utf-8")
    assert not READER.detect(Source(path))


def test_writing_gives_the_input_back_with_metrics(tmp_path: Path) -> None:
    document = written(score(read(save(tmp_path / "f.json", RESULT))), tmp_path)
    (result,) = document["results"]
    assert list(result) == FIELDS
    passages = [
        {"doc_id": "d1", "text": "The tower is 90 m high."},
        {"doc_id": None, "text": "Bricks are cheap."},
    ]
    expected = {**RESULT, "retrieved_context": passages}
    assert {k: v for k, v in result.items() if k != "metrics"} == {
        k: v for k, v in expected.items() if k != "metrics"
    }
    assert result["metrics"] == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "claim_recall": 0.5,
        "context_precision": 0.5,
        "context_utilization": 1.0,
        "noise_sensitivity_in_relevant": 0.0,
        "noise_sensitivity_in_irrelevant": 0.0,
        "hallucination": 0.5,
        "self_knowledge": 0.0,
        "faithfulness": 0.5,
    }
    assert (tmp_path / "out.json").read_text("utf-8").startswith('{\n  "results": [\n    {\n      "query_id"')


def test_only_asked_metrics_appear_and_the_three_groups_always_do(
    tmp_path: Path, golden: Callable[[str], Any]
) -> None:
    protocol = RagChecker(
        metrics=("ragchecker.precision", "ragchecker.claim_recall", "ragchecker.context_precision")
    )
    document = written(score(read(save(tmp_path / "f.json", RESULT)), protocol), tmp_path)
    reference = golden("ragchecker_quirks.json")["metrics=['precision', 'retriever_metrics']"]
    assert {group: list(values) for group, values in document["metrics"].items()} == {
        group: list(values) for group, values in reference.items()
    }
    assert written([], tmp_path)["metrics"] == golden("ragchecker_quirks.json")["metrics=[]"]


def test_a_plain_file_converted_has_every_field_and_null_for_what_is_not_there(tmp_path: Path) -> None:
    plain = {"query_id": "1", "query": "Why?", "response": "Because."}
    samples = read(save(tmp_path / "f.json", plain, RESULT))
    document = written([Record(protocol="", id=s.id, sample=s) for s in samples], tmp_path)
    first, second = document["results"]
    assert list(first) == FIELDS
    assert {k for k, v in first.items() if v is None} == set(FIELDS[4:11]) | {"gt_answer"}
    assert second["retrieved2answer"] == RESULT["retrieved2answer"]
    assert first["metrics"] == {}


def test_incomplete_labels_are_written_as_not_yet_there(tmp_path: Path) -> None:
    partly = {**RESULT, "answer2response": ["Entailment", None], "retrieved2answer": None}
    (result,) = written(score(read(save(tmp_path / "f.json", partly))), tmp_path)["results"]
    assert result["answer2response"] is None
    assert result["retrieved2answer"] is None
    assert result["response2answer"] == RESULT["response2answer"]
    assert "precision" not in result["metrics"]
    assert result["metrics"]["recall"] == 0.5


def test_unknown_labels_stay_none_of_the_three(tmp_path: Path) -> None:
    odd = {**RESULT, "answer2response": ["entailment", "Entailment "]}
    document = written(score(read(save(tmp_path / "f.json", odd))), tmp_path)
    assert document["results"][0]["answer2response"] == ["Unknown", "Unknown"]
    assert document["metrics"]["overall_metrics"]["precision"] == 0.0


def test_no_passages_and_no_contexts(tmp_path: Path) -> None:
    bare = {**RESULT, "retrieved_context": [], "retrieved2response": [[], []], "retrieved2answer": []}
    null = {**RESULT, "retrieved_context": None, "retrieved2response": None, "retrieved2answer": None}
    first, second = written(score(read(save(tmp_path / "f.json", bare, null))), tmp_path)["results"]
    assert first["retrieved2response"] == first["retrieved2answer"] == [[], []]
    assert first["metrics"]["hallucination"] == 0.0
    assert second["retrieved_context"] is None
    assert second["retrieved2response"] is None
    assert set(second["metrics"]) == {"precision", "recall", "f1"}


def test_lean_records_take_their_text_from_the_input(tmp_path: Path) -> None:
    path = save(tmp_path / "f.json", RESULT)
    records = score(read(path), lean=True)
    assert written(records, tmp_path, path) == written(score(read(path)), tmp_path)
    with pytest.raises(UsageError, match="hold no text"):
        written(records, tmp_path)
    with pytest.raises(UsageError, match="no sample 'q7'"):
        written(records, tmp_path, save(tmp_path / "g.json", {**RESULT, "query_id": "other"}))


def test_of_several_right_answers_the_one_used_is_written(tmp_path: Path) -> None:
    answers = (("Noon.", "At twelve."),)
    sample = Sample(id="q", response="At twelve sharp.", reference=answers)
    plain = Record(protocol="", sample=sample, id="q")
    assert written([plain], tmp_path)["results"][0]["gt_answer"] == "Noon. / At twelve."
    used = Unit("reference", "At twelve.", "reference")
    record = Record(protocol="ragchecker", sample=sample, id="q", units=(used,))
    assert written([record], tmp_path)["results"][0]["gt_answer"] == "At twelve."


def test_reading_what_was_written_changes_nothing(tmp_path: Path) -> None:
    once = written(score(read(save(tmp_path / "f.json", RESULT))), tmp_path)
    assert written(score(read(tmp_path / "out.json")), tmp_path) == once


def test_reference_aggregate_over_310_results(tmp_path: Path, golden: Callable[[str], Any]) -> None:
    keys = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
    results = []
    for case in golden("ragchecker_synthetic.json")["cases"]:
        labels = case["labels"]
        rows = labels["retrieved2response"] + labels["retrieved2answer"]
        width = len(rows[0]) if rows else 0
        passages = [{"text": f"passage {k}"} for k in range(width)]
        results.append(
            {"query": "q", "gt_answer": "g", "response": "r", "retrieved_context": passages}
            | {key: labels[key] for key in keys}
        )
    document = written(score(read(save(tmp_path / "f.json", *results))), tmp_path)
    assert document["metrics"] == golden("ragchecker_synthetic_aggregate.json")["aggregate"]
    for result, case in zip(document["results"], golden("ragchecker_synthetic.json")["cases"], strict=True):
        assert result["metrics"] == case["per_metric"]


def test_the_tools_own_example(
    tmp_path: Path, data: Callable[[str], Path], shared_golden: Callable[[str], Any]
) -> None:
    original = data("ragchecker/checking_outputs.json")
    document = written(score(read(original)), tmp_path)
    reference = shared_golden("ragchecker_checking_outputs.json")
    assert document["metrics"] == reference["aggregate"]
    assert document["metrics"]["overall_metrics"] == {"precision": 76.4, "recall": 62.5, "f1": 68.3}
    assert [result["metrics"] for result in document["results"]] == reference["per_result"]
    stored = json.loads(original.read_text("utf-8"))["results"]
    assert document["results"] == stored
    assert len(read(data("ragchecker/checking_inputs.json"))) == 2


def test_the_tools_own_run_from_end_to_end(tmp_path: Path, shared_golden: Callable[[str], Any]) -> None:
    reference = shared_golden("ragchecker_e2e_scripted.json")["joint"]["output"]
    path = tmp_path / "f.json"
    path.write_text(json.dumps(reference), "utf-8")
    assert written(score(read(path)), tmp_path) == reference


def test_quirks_of_the_tool_that_are_not_ours(tmp_path: Path, golden: Callable[[str], Any]) -> None:
    quirks = golden("ragchecker_quirks.json")
    # its own example raises there, is read here (above); stale metrics survive there, not here (above)
    assert "KeyError" in quirks["evaluate_on_shipped_example_output"]
    assert quirks["stale_metrics"]["overall_metrics"]["precision"] == 12.3
    # no results: NaN there, nothing to report here
    assert "nan" in quirks["empty_results_precision"]
    assert read(save(tmp_path / "f.json")) == []
    # faithfulness from its labels alone, where the tool asks for more claims first
    assert "extract called" in quirks["faithfulness_needs_check"]
    only = {
        key: RESULT[key]
        for key in ("query", "gt_answer", "response", "retrieved_context", "retrieved2response")
    }
    (record,) = score(read(save(tmp_path / "f.json", only)), RagChecker(metrics=("ragchecker.faithfulness",)))
    assert record.scores[0].value == 0.5


def test_a_file_without_passages_is_for_ragchecker_alone(tmp_path: Path) -> None:
    row = {"query_id": "1", "query": "Which?", "gt_answer": "The door is green and it has two locks on it."}
    row |= {"response": "The door is green.", "retrieved_context": []}
    path = tmp_path / "inputs.json"
    path.write_text(json.dumps({"results": [row]}))
    assert {record.protocol for record in adjudge.evaluate(str(path)).records} == {"ragchecker"}
