"""RAGBench: the stored scores of all rows, the key scheme, and how dirty labels are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets.ragbench import READER
from adjudge.datasets.source import Row, Source
from adjudge.datasets.trace_labels import READER as LABELS
from adjudge.errors import InputError
from adjudge.protocols.trace import Trace
from adjudge.segment.keys import context_key, letters
from adjudge.types import Sample, Score

Pair = tuple[dict[str, Any], Sample]


def read(path: Path) -> list[Pair]:
    source = Source(path)
    pairs = []
    for row in READER.rows(source):
        assert isinstance(row, Row)
        pairs += [(row.data, sample) for sample in READER.convert(row)]
    return pairs


def score(sample: Sample) -> dict[str, Score]:
    trace = Trace()
    (source,) = trace.sources(sample)
    return {found.metric: found for found in trace.score(trace.given(sample, source))}


@pytest.fixture(scope="module")
def files(data: Callable[[str], Path]) -> dict[str, list[Pair]]:
    paths = sorted(data("ragbench").glob("*/*.parquet"))
    return {f"{path.parent.name}/{path.name}": read(path) for path in paths}


def test_all_rows_are_read_with_unique_ids(files: dict[str, list[Pair]]) -> None:
    assert len(files) == 11
    assert sum(map(len, files.values())) == 3724
    for name, pairs in files.items():
        assert len({sample.id for _, sample in pairs}) == len(pairs), name
        assert all(sample.item == row["id"] for row, sample in pairs)


def test_the_four_formulas_equal_the_stored_scores(files: dict[str, list[Pair]]) -> None:
    empty = with_used = 0
    for name, pairs in files.items():
        for row, sample in pairs:
            found = score(sample)
            for metric in ("relevance", "utilization", "completeness", "adherence"):
                stored = row[f"{metric}_score"]
                assert found[f"trace.{metric}"].value == stored, (name, sample.id, metric)
                assert sample.attributes[f"ragbench_{metric}_score"] == stored
            if found["trace.completeness"].state == "by_convention":
                empty += 1
                with_used += bool(row["all_utilized_sentence_keys"])
    assert (empty, with_used) == (50, 10)


def test_the_document_formulas_equal_themselves_written_out(files: dict[str, list[Pair]]) -> None:
    for pairs in files.values():
        for row, sample in pairs:
            relevant, used = row["all_relevant_sentence_keys"], row["all_utilized_sentence_keys"]
            both = len(set(relevant) & set(used))
            found = score(sample)
            assert found["trace.relevance_20"].value == min(1.0, len(relevant) / 20)
            utilization = min(1.0, len(used) / len(relevant)) if relevant else 0.0
            assert found["trace.utilization_relevant"].value == utilization
            completeness = both / len(set(relevant)) if relevant else float(not used)
            assert found["trace.completeness_001"].value == completeness


def test_read_as_label_json_adherence_follows_the_flags(files: dict[str, list[Pair]]) -> None:
    keys = ("all_relevant_sentence_keys", "all_utilized_sentence_keys", "sentence_support_information")
    for name, pairs in files.items():
        for number, (row, _) in enumerate(pairs):
            (sample,) = LABELS.convert(Row({key: row[key] for key in keys}, name, number))
            flags = [bool(entry["fully_supported"]) for entry in row["sentence_support_information"]]
            assert score(sample)["trace.adherence"].value == float(all(flags))


def test_all_sentence_keys_follow_the_scheme(files: dict[str, list[Pair]]) -> None:
    number = 0
    for pairs in files.values():
        for row, sample in pairs:
            expected = [
                f"ctx:{context_key(passage, index)}"
                for passage, sentences in enumerate(row["documents_sentences"])
                for index in range(len(sentences))
            ]
            expected += [f"resp:{letters(index)}" for index in range(len(row["response_sentences"]))]
            assert [unit.id for unit in sample.units] == expected
            number += len(expected)
    assert number > 100_000


def test_clean_scores_stay_within_bounds_on_real_labels(files: dict[str, list[Pair]]) -> None:
    for pairs in files.values():
        for _, sample in pairs:
            found = score(sample)
            for metric in ("relevance", "utilization", "completeness"):
                clean = found[f"trace.{metric}_clean"].value
                assert clean is None or 0 <= clean <= 1
                raw = found[f"trace.{metric}"].value
                assert metric == "completeness" or (clean or 0) <= (raw or 0)


# Invented rows.


def row(**changes: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": "7",
        "question": "What colour is the barn?",
        "documents": ["The barn is red. It is old.", "Cows live there."],
        "response": "It is red. It flies.",
        "generation_model_name": "writer-1",
        "annotating_model_name": "reader-1",
        "dataset_name": "barns_test",
        "documents_sentences": [
            [["0a", "The barn is red."], ["0b", "It is old."]],
            [["1a", "Cows live there."]],
        ],
        "response_sentences": [["a", "It is red."], ["b", "It flies."]],
        "sentence_support_information": [
            {
                "response_sentence_key": "a.",
                "explanation": "Said so.",
                "supporting_sentence_keys": ["0a.", "general"],
                "fully_supported": None,
            },
            {
                "response_sentence_key": "b",
                "explanation": None,
                "supporting_sentence_keys": [],
                "fully_supported": None,
            },
        ],
        "unsupported_response_sentence_keys": ["b."],
        "overall_supported_explanation": "Barns do not fly.",
        "relevance_explanation": "The first one.",
        "all_relevant_sentence_keys": ["0a."],
        "all_utilized_sentence_keys": ["0a", "general"],
        "relevance_score": 1 / 3,
        "ragas_faithfulness": float("nan"),
        "gpt3_adherence": 1.0,
    }
    return data | changes


def convert(**changes: Any) -> Sample:
    (sample,) = READER.convert(Row(row(**changes), "f.jsonl", 4))
    return sample


def grounded(sample: Sample) -> dict[str, Any]:
    return {label.unit: label.value for label in sample.labels if label.name == "grounded"}


def support(sample: Sample) -> dict[str, Any]:
    return {label.unit: label.value for label in sample.labels if label.name == "support"}


def test_a_row_becomes_units_labels_and_attributes() -> None:
    sample = convert()
    assert (sample.id, sample.item) == ("7|writer-1", "7")
    assert [(unit.id, unit.text) for unit in sample.units][:2] == [
        ("ctx:0a", "The barn is red."),
        ("ctx:0b", "It is old."),
    ]
    assert {label.source for label in sample.labels} == {"judge:reader-1"}
    found = [(label.name, label.unit, label.value, label.against) for label in sample.labels]
    assert found == [
        ("relevant", "contexts", 1, None),
        ("relevant", "ctx:0a", True, None),
        ("used", "contexts", 2, None),
        ("used", "ctx:0a", True, None),
        ("used", "ctx:general", True, None),
        ("support", "response", 2, None),
        ("support", "resp:a", "full", None),
        ("grounded", "resp:a", True, None),
        ("supported_by", "resp:a", True, "ctx:0a"),
        ("support_marker", "resp:a", "general", None),
        ("support", "resp:b", "none", None),
        ("grounded", "resp:b", False, None),
    ]
    assert [label.why for label in sample.labels if label.why] == [
        "The first one.",
        "Barns do not fly.",
        "Said so.",
    ]
    assert sample.attributes == {
        "dataset_name": "barns_test",
        "system": "writer-1",
        "ragbench_relevance_score": 1 / 3,
        "ragbench_gpt3_adherence": 1.0,
    }


def test_the_unsupported_list_decides_even_for_sentences_without_entry() -> None:
    sample = convert(unsupported_response_sentence_keys=["zz"])
    assert grounded(sample) == {"resp:a": True, "resp:b": True, "resp:zz": False}
    assert score(sample)["trace.adherence"].value == 0.0


@pytest.mark.parametrize(
    ("flag", "keys", "listed", "value", "is_grounded"),
    [
        (True, ["0a"], None, "full", True),
        (True, [], None, "full", False),
        (False, ["0a"], None, "partial", False),
        (False, [], None, "none", False),
        (None, ["0a"], None, "full", True),
        (None, ["general"], None, "full", True),
        (None, [], None, "none", False),
        ("false", ["0a"], None, "partial", False),
        (False, [], [], "none", True),
        (True, ["0a"], ["a"], "full", False),
    ],
)
def test_support_and_grounded(
    flag: Any, keys: list[str], listed: list[str] | None, value: str, is_grounded: bool
) -> None:
    entry = {"response_sentence_key": "a", "supporting_sentence_keys": keys, "fully_supported": flag}
    sample = convert(sentence_support_information=[entry], unsupported_response_sentence_keys=listed)
    assert support(sample)["resp:a"] == value
    assert grounded(sample) == {"resp:a": is_grounded}
    (label,) = (label for label in sample.labels if label.name == "grounded")
    assert (label.why is not None) == ((value == "full") != is_grounded)


def test_lists_that_are_not_there_are_not_empty_lists() -> None:
    sample = convert(all_relevant_sentence_keys=None, sentence_support_information=None)
    assert score(sample)["trace.relevance"].reason == "no relevance labels"
    assert grounded(sample) == {"resp:b": False}


def test_repeated_ids_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [
        row(),
        row(response="Blue."),
        row(generation_model_name="writer-2"),
        row(generation_model_name=None),
    ]
    path.write_text("\n".join(json.dumps(entry | {"ragas_faithfulness": None}) for entry in rows))
    assert READER.detect(Source(path))
    assert not LABELS.detect(Source(path))
    assert [sample.id for _, sample in read(path)] == ["7|writer-1", "7|writer-1|2", "7|writer-2", "7"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "f.jsonl:4, field 'id'"),
        ({"documents": "one text"}, "expected a list of texts"),
        ({"documents_sentences": [["0a", "x"]]}, "expected .key, sentence. pairs"),
        ({"all_relevant_sentence_keys": [1]}, "field 'all_relevant_sentence_keys'"),
        ({"sentence_support_information": [{"explanation": "x"}]}, "names no response sentence"),
        (
            {"sentence_support_information": [{"response_sentence_key": "a", "fully_supported": "maybe"}]},
            "expected true or false, found 'maybe'",
        ),
    ],
)
def test_bad_rows_say_where(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        convert(**changes)
