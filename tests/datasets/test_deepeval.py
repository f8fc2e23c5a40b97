"""Files of the forms that DeepEval 4 writes (checked against real ones), in our own words."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets.registry import detect, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.types import Sample

EMPTY: dict[str, Any] = dict.fromkeys(
    [
        *("input", "actual_output", "expected_output", "retrieval_context", "context", "name", "comments"),
        *("source_file", "tools_called", "expected_tools", "token_cost", "input_token_count"),
        *("output_token_count", "additional_metadata", "custom_column_key_values", "expectations"),
    ]
)
DOOR = EMPTY | {
    "input": "What colour is the door?",
    "actual_output": "Green, I think.",
    "expected_output": "green",
    "retrieval_context": ["The door is green.", "deepeval_source=plan.txt,deepeval_context=Walls, white"],
    "context": ["The door is green."],
    "name": "door",
    "source_file": "a.txt",
    "token_cost": 0.25,
    "additional_metadata": {"level": 2, "tags": ["x"]},
    "custom_column_key_values": {"team": "x"},
}
WINDOWS = EMPTY | {"input": "How many windows?", "expected_output": "four", "context": ["Four windows."]}
SAMPLES = [
    Sample(
        id="0",
        question="What colour is the door?",
        response="Green, I think.",
        contexts=("The door is green.", "Walls, white"),
        context_ids=("0", "plan.txt"),
        reference="green",
        attributes={"name": "door", "source_file": "a.txt", "token_cost": 0.25, "level": 2, "team": "x"},
    ),
    Sample(
        id="1",
        question="How many windows?",
        contexts=("Four windows.",),
        reference="four",
        attributes={"contexts_from": "context"},
    ),
]


def samples(path: Path) -> list[Sample]:
    assert detect(Source(path)).name == "deepeval"
    return list(read(Source(path)))


def joined(row: dict[str, Any]) -> dict[str, Any]:
    lists = ("context", "retrieval_context")
    return row | {name: "|".join(row[name]) for name in lists if row[name] is not None}


def test_json(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps([DOOR, WINDOWS], indent=4))
    assert samples(tmp_path / "x.json") == SAMPLES


def test_jsonl_with_passages_joined_by_bars(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(joined(row)) + "\n" for row in (DOOR, WINDOWS)))
    assert samples(tmp_path / "x.jsonl") == SAMPLES


def test_csv(tmp_path: Path) -> None:
    with (tmp_path / "x.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(EMPTY)
        for row in (DOOR, WINDOWS):
            cells = joined(row).values()
            writer.writerow([json.dumps(cell) if isinstance(cell, dict) else cell for cell in cells])
    assert samples(tmp_path / "x.csv") == SAMPLES


@pytest.mark.parametrize("key", ["testCases", "goldens"])
def test_camel_case_documents(tmp_path: Path, key: str) -> None:
    case = {
        "name": "door",
        "input": "What colour is the door?",
        "actualOutput": "Green, I think.",
        "expectedOutput": "green",
        "retrievalContext": ["The door is green.", {"context": "Walls, white", "source": "plan.txt"}],
        "additionalMetadata": {"level": 2},
        "sourceFile": "a.txt",
        "success": True,
    }
    (tmp_path / "x.json").write_text(json.dumps({"testFile": "t.py", key: [case]}))
    assert samples(tmp_path / "x.json") == [
        Sample(
            id="0",
            question="What colour is the door?",
            response="Green, I think.",
            contexts=("The door is green.", "Walls, white"),
            reference="green",
            attributes={"name": "door", "source_file": "a.txt", "success": True, "level": 2},
        )
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"actual_output": 5}, "actual_output"),
        ({"retrieval_context": [5]}, "retrieval_context"),
        ({"retrieval_context": 5}, "retrieval_context"),
        ({"additional_metadata": "{broken"}, "additional_metadata"),
    ],
)
def test_mistyped_fields_are_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    (tmp_path / "x.json").write_text(json.dumps([DOOR | change]))
    with pytest.raises(InputError) as caught:
        samples(tmp_path / "x.json")
    assert (caught.value.sample, caught.value.field) == ("0", field)
