"""SemEval-2021 task 6 files, recognised even where the first texts carry no label."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets.semeval import READER
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import Sample, Violation

MARK = {"start": 0, "end": 3, "technique": "Slogans", "text_fragment": "BUY"}
ROWS: list[dict[str, Any]] = [
    {"id": "1", "text": "nothing here", "labels": []},
    {"id": 2, "text": "BUY it", "labels": [MARK], "predicted": [{**MARK, "end": 6, "technique": "Doubt"}]},
]


def write(path: Path, rows: Any) -> Source:
    path.write_text(json.dumps(rows), "utf-8")
    return Source(path)


def samples(source: Source) -> list[Sample]:
    rows = list(READER.rows(source))
    assert all(isinstance(row, Row) for row in rows)
    return [sample for row in rows if isinstance(row, Row) for sample in READER.convert(row)]


def test_offsets_and_fragment_are_both_kept(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", ROWS)
    assert READER.detect(source)
    first, second = samples(source)
    assert (first.gold, first.predicted) == ((), None)
    assert second.id == "2"
    assert second.gold == (Violation(spans=((0, 3),), quote="BUY", rule="Slogans"),)
    assert second.predicted == (Violation(spans=((0, 6),), quote="BUY", rule="Doubt"),)
    assert second.attributes == {"without": "category,explanation,correction"}


@pytest.mark.parametrize(
    "rows",
    [
        ROWS[:1],
        [{"id": "1", "text": "x", "labels": [{"name": "rule", "unit": "gold:0"}]}],
        [{"id": "1", "text": "x", "labels": "none"}],
        [{"id": "1", "text": "x", "gold": []}],
        {"id": "1", "text": "x", "labels": [MARK]} | {"samples": []},
        [1, 2],
    ],
)
def test_other_files_are_left_to_others(tmp_path: Path, rows: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows, indent=1), "utf-8")
    assert not READER.detect(Source(path))


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"text": "x", "labels": []}, "id"),
        ({"id": "1", "labels": []}, "text"),
        ({"id": "1", "text": "x", "labels": [{"start": 0}]}, "labels"),
        ({"id": "1", "text": "x", "labels": [{**MARK, "start": 5}]}, "labels"),
        ({"id": "1", "text": "x", "labels": [], "predicted": [{**MARK, "start": -1}]}, "predicted"),
    ],
)
def test_rows_that_cannot_be(row: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        list(READER.convert(Row(row, "a.txt", 4)))
    assert (caught.value.field, caught.value.line) == (field, 4)


@pytest.mark.parametrize(
    ("name", "texts", "marks", "techniques"),
    [("training", 688, 1498, 20), ("dev", 63, 182, 17), ("test", 200, 403, 20)],
)
def test_the_published_files(
    data: Callable[[str], Path], name: str, texts: int, marks: int, techniques: int
) -> None:
    source = Source(data(f"violations/semeval2021_task6/{name}_set_task2.txt"))
    assert READER.detect(source)
    read = samples(source)
    found = [one for sample in read for one in sample.gold or ()]
    assert (len(read), len(found), len({one.rule for one in found})) == (texts, marks, techniques)
    assert all(sample.predicted is None for sample in read)
