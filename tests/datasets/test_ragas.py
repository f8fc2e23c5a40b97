"""Files of the forms that ragas 0.4 writes (checked against real ones), in our own words."""

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

ROWS: list[dict[str, Any]] = [
    {
        "user_input": "What colour is the door?",
        "retrieved_contexts": ["The door isn't red.", 'It\'s "green".'],
        "reference_contexts": ["The door is green."],
        "retrieved_context_ids": ["a", 2],
        "response": "Green.",
        "reference": "green",
        "rubrics": {"score1": "bad"},
        "faithfulness": 0.5,
    },
    {
        "user_input": "How many windows?",
        "retrieved_contexts": [],
        "reference_contexts": [],
        "retrieved_context_ids": [],
        "response": "",
        "reference": "four",
        "rubrics": {},
        "faithfulness": None,
    },
]
SAMPLES = [
    Sample(
        id="0",
        question="What colour is the door?",
        response="Green.",
        contexts=("The door isn't red.", 'It\'s "green".'),
        context_ids=("a", "2"),
        reference="green",
        attributes={"faithfulness": 0.5},
    ),
    Sample(id="1", question="How many windows?", response="", contexts=(), reference="four"),
]


def samples(folder: Path, *rows: Any) -> list[Sample]:
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert detect(Source(path)).name == "ragas"
    return list(read(Source(path)))


def test_jsonl(tmp_path: Path) -> None:
    assert samples(tmp_path, *ROWS) == SAMPLES


@pytest.mark.parametrize("index", [False, True])
def test_csv_with_lists_as_python_prints_them(tmp_path: Path, index: bool) -> None:
    """As `to_csv` writes it, and as pandas does, with its index."""
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([""] * index + list(ROWS[0]))
        for number, row in enumerate(ROWS):
            writer.writerow([str(number)] * index + list(row.values()))
    assert list(read(Source(tmp_path / "x.csv"))) == SAMPLES


def test_csv_with_lists_as_numpy_prints_them(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(
        'question,contexts,answer,ground_truth\nWho?,"[\'Ada did it.\' \'In ""1851"".\']",Ada,1851\n'
    )
    (sample,) = read(Source(tmp_path / "x.csv"))
    assert sample.contexts == ("Ada did it.", 'In "1851".')
    assert sample.reference == "1851"


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"user_input": "Who?", "retrieved_contexts": ["x"], "response": "Ada", "score": float("nan")}]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    assert list(read(Source(tmp_path / "x.parquet"))) == [
        Sample(id="0", question="Who?", contexts=("x",), response="Ada")
    ]


def test_older_names(tmp_path: Path) -> None:
    row = {"question": "Who?", "answer": "Ada", "contexts": ["x"]}
    expected = {"id": "0", "question": "Who?", "response": "Ada", "contexts": ("x",)}
    assert samples(tmp_path, row | {"ground_truth": "Ada"}) == [Sample(**expected, reference="Ada")]
    assert samples(tmp_path, row | {"ground_truths": ["Ada"]}) == [Sample(**expected, reference="Ada")]
    several = samples(tmp_path, row | {"ground_truths": ["Ada", "A. L."]})
    assert several == [Sample(**expected, reference=(("Ada", "A. L."),))]


def test_several_responses_share_their_item(tmp_path: Path) -> None:
    found = samples(tmp_path, {"user_input": "Who?", "multi_responses": ["Ada", "Bob"], "reference": "Ada"})
    assert [(sample.id, sample.item, sample.response) for sample in found] == [
        ("0/0", "0", "Ada"),
        ("0/1", "0", "Bob"),
    ]


def test_conversation_gives_its_last_question_and_answer(tmp_path: Path) -> None:
    turns = [
        {"content": "Hello", "type": "human"},
        {"content": "Good day", "type": "ai"},
        {"content": "Who?", "type": "human"},
        {"content": "looked up", "type": "tool"},
        {"content": "Ada", "type": "ai"},
    ]
    (found,) = samples(tmp_path, {"user_input": turns, "reference": "Ada"})
    assert (found.question, found.response, found.reference) == ("Who?", "Ada", "Ada")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"user_input": 3}, "user_input"),
        ({"user_input": "Who?", "retrieved_contexts": [1]}, "retrieved_contexts"),
        ({"user_input": ["Who?"]}, "user_input[0]"),
        ({"user_input": "Who?", "reference": 5}, "reference"),
    ],
)
def test_mistyped_fields_are_named(tmp_path: Path, row: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        samples(tmp_path, row)
    assert (caught.value.line, caught.value.sample, caught.value.field) == (1, "0", field)
