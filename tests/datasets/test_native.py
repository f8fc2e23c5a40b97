"""The native sample file: every form reads back as the same samples; every mistake is named."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.datasets.cells import attribute_cell, attribute_text, list_cell
from adjudge.datasets.native import READER, WRITER
from adjudge.datasets.registry import read
from adjudge.datasets.schema import json_schema, render_json, render_markdown
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.types import Grid, Label, Record, Rule, Sample, Unit, Violation

DOCS = Path(__file__).parents[2] / "docs"


def save(folder: Path, name: str, content: str) -> Source:
    path = folder / name
    path.write_text(content, "utf-8")
    return Source(path)


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def samples(source: Source) -> list[Sample]:
    assert READER.detect(source)
    return list(read(source, format="native"))


def problem(folder: Path, *rows: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        list(read(save(folder, "x.jsonl", lines(*rows)), format="native"))
    return caught.value


FULL = Sample(
    id="q1",
    item="q",
    question="When did the mill open?",
    response="In 1851, it is said.",
    contexts=("The mill opened in 1851.", 'It stands by a "river", still.'),
    context_ids=("a", "b"),
    reference=("1851", ("mill", "the mill")),
    counterfactual="1815",
    ability="counterfactual",
    text="A text, with commas.",
    rules=(Rule(id="R1", text="No dates.", category="style"),),
    gold=(Violation(spans=((0, 4), (6, 9)), rule="R1"),),
    predicted=(),
    units=(Unit("resp:a", field="response", spans=((0, 8),)),),
    labels=(Label("support", "resp:a", True, source="human:kim", probabilities={"true": 0.75}),),
    grids=(Grid("check", ("claim:response:0",), ("ctx:0",), ("e",)),),
    attributes={"noise": 0.2, "system": "x@1", "turn": 3, "checked": True, "zip": "0123"},
)
BARE = Sample(id="2", response="", reference="[1851]")


# forms


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.csv", "x.parquet", "x.jsonl.gz", "x.csv.gz"])
def test_written_samples_read_back_the_same(tmp_path: Path, name: str) -> None:
    if "parquet" in name:
        pytest.importorskip("pyarrow")
    records = [Record(protocol="", sample=sample, id=sample.id) for sample in (FULL, BARE)]
    WRITER.write(records, tmp_path / name, None)
    first, second = samples(Source(tmp_path / name))
    assert first == FULL
    # in a table, an answer that looks like a list is written as a list of one, which means the same
    table = "csv" in name or "parquet" in name
    assert second == (Sample(id="2", response="", reference=("[1851]",)) if table else BARE)
    before = (tmp_path / name).read_bytes()
    WRITER.write(records, tmp_path / name, None)
    assert (tmp_path / name).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
ATTRIBUTES = st.dictionaries(
    TEXT,
    TEXT
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.none(),
    max_size=4,
)


@given(
    response=TEXT,
    contexts=st.none() | st.lists(TEXT, max_size=3).map(tuple),
    reference=st.none() | st.lists(TEXT | st.lists(TEXT, max_size=2).map(tuple), max_size=3).map(tuple),
    attributes=ATTRIBUTES,
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_csv_and_jsonl_round_trips(
    tmp_path: Path, response: str, contexts: Any, reference: Any, attributes: dict[str, Any]
) -> None:
    sample = Sample(id="1", response=response, contexts=contexts, reference=reference, attributes=attributes)
    for name in ("x.csv", "x.jsonl"):
        WRITER.write([Record(protocol="", sample=sample)], tmp_path / name, None)
        assert list(read(Source(tmp_path / name), format="native")) == [sample]


def test_header_line_and_document(tmp_path: Path) -> None:
    row = {"id": "a", "response": "yes"}
    header = {"adjudge": "samples", "format": 1}
    expected = [Sample(id="a", response="yes")]
    assert samples(save(tmp_path, "h.jsonl", lines(header, row))) == expected
    assert samples(save(tmp_path, "d.json", json.dumps({"format": 1, "samples": [row]}))) == expected
    assert (
        samples(save(tmp_path, "e.json", json.dumps({"format": 1, "samples": [row]}, indent=1))) == expected
    )
    assert samples(save(tmp_path, "l.json", json.dumps([row]))) == expected
    assert samples(save(tmp_path, "one.json", json.dumps(row, indent=1))) == expected


@pytest.mark.parametrize("content", [{"adjudge": "samples", "format": 2}, {"format": 2, "samples": []}])
def test_a_newer_format_says_to_upgrade(tmp_path: Path, content: dict[str, Any]) -> None:
    error = problem(tmp_path, content)
    assert "format 2" in str(error)
    assert "upgrade" in str(error)


def test_csv_cells(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "question", "response", "contexts", "reference", "noise", "lang", "zip", "ok"])
        writer.writerow(["7", "q?", "", '["a, b", "c"]', '[["x", "y"], "z"]', "0.20", "en", "0123", "true"])
        writer.writerow(["8", "", "yes", "one passage", "plain", "", "", "1e3", "-4"])
    assert samples(Source(path)) == [
        Sample(
            id="7",
            question="q?",
            response="",
            contexts=("a, b", "c"),
            reference=(("x", "y"), "z"),
            attributes={"noise": 0.2, "lang": "en", "zip": "0123", "ok": True},
        ),
        Sample(
            id="8",
            response="yes",
            contexts=("one passage",),
            reference="plain",
            attributes={"zip": 1000.0, "ok": -4},
        ),
    ]


def test_csv_cell_that_should_be_json(tmp_path: Path) -> None:
    source = save(tmp_path, "x.csv", "id,response,gold\na,yes,nothing\n")
    with pytest.raises(InputError, match=r"x.csv:2, field 'gold': expected JSON text, found 'nothing'"):
        samples(source)


def test_parquet_of_pandas_with_lists_and_structs(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": 1, "response": "", "contexts": ["x"], "attributes": {"noise": 0.5}, "__index_level_0__": 4},
        {"id": 2, "response": None, "contexts": None, "attributes": {"noise": None}, "__index_level_0__": 5},
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "x.parquet")
    assert samples(Source(tmp_path / "x.parquet")) == [
        Sample(id="1", response="", contexts=("x",), attributes={"noise": 0.5}),
        Sample(id="2"),
    ]


# ids


def test_ids_are_filled_by_position_and_numbers_become_text(tmp_path: Path) -> None:
    rows = [
        {"response": "a"},
        {"id": None, "response": "b"},
        {"id": 17, "response": "c"},
        {"id": "x", "response": "d"},
    ]
    found = samples(save(tmp_path, "x.jsonl", "\n" + lines({"adjudge": "samples", "format": 1}, *rows)))
    assert [(sample.id, sample.item) for sample in found] == [
        ("0", "0"),
        ("1", "1"),
        ("17", "17"),
        ("x", "x"),
    ]


def test_positions_do_not_shift_when_a_bad_line_is_passed_over(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", '{"response": "a"}\n{"response": }\n{"response": "c"}\n')
    errors: list[InputError] = []
    found = list(read(source, on_error=errors.append))
    assert [sample.id for sample in found] == ["0", "2"]
    assert [error.line for error in errors] == [2]


# mistakes


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ({"contexts": ["x", 3]}, "contexts[1]", "expected text, found int"),
        ({"contexts": "x"}, "contexts", "expected a list or null, found text"),
        ({"gold": [{"spans": [[1]]}]}, "gold[0].spans[0]", "length 2"),
        ({"gold": [{"spnas": []}]}, "gold[0].spnas", "no such field"),
        ({"gold": [{"start": 1, "end": 2}]}, "gold[0].start", "spans: [[start, end]]"),
        ({"attributes": {"x": [1]}}, "attributes.*", "found a list"),
        ({"attributes": {"x": 2**70}}, "attributes.x", "64 bits"),
        ({"ability": "noisy"}, "ability", "'noisy'"),
        ({"labels": [{"unit": "x"}]}, "labels[0]", "missing required field name"),
        ({"context_ids": ["a"], "contexts": ["x", "y"]}, "context_ids", "1 names for 2 passages"),
        ({"respones": "x"}, "respones", "did you mean 'response'?"),
        ({"answer": "x"}, "answer", "--map response=answer"),
        ({"id": True}, "id", "expected text, found true or false"),
    ],
)
def test_mistakes_name_sample_field_and_cure(
    tmp_path: Path, row: dict[str, Any], field: str, said: str
) -> None:
    error = problem(tmp_path, {"id": "a", "response": "x"}, {"id": "bad", "response": "x"} | row)
    assert error.line == 2
    assert error.field == field
    assert error.sample == row.get("id", "bad")
    assert said in str(error)


def test_null_means_absent(tmp_path: Path) -> None:
    row = {"id": "a", "response": "x", "item": None, "units": None, "attributes": None, "gold": None}
    assert samples(save(tmp_path, "x.jsonl", lines(row))) == [Sample(id="a", response="x")]


def test_rows_that_are_no_objects(tmp_path: Path) -> None:
    error = problem(tmp_path, {"id": "a", "response": "x"}, ["a"])
    assert "expected an object, found list" in str(error)


# writing


def test_records_of_one_sample_become_one_sample_with_all_labels(tmp_path: Path) -> None:
    sample = Sample(id="a", response="x", labels=(Label("used", "ctx:0a", True, source="human:kim"),))
    one = Label("support", "resp:a", "full", source="judge:x")
    two = Label("check", "claim:response:0", "entailed", source="judge:x")
    unit = Unit("resp:a", field="response", spans=((0, 1),))
    records = [
        Record(protocol="trace", sample=sample, id="a", units=(unit,), labels=(sample.labels[0], one)),
        Record(protocol="ragchecker", sample=sample, id="a", units=(unit,), labels=(two,)),
    ]
    WRITER.write(records, tmp_path / "x.jsonl", None)
    (found,) = samples(Source(tmp_path / "x.jsonl"))
    assert found.units == (unit,)
    assert found.labels == (sample.labels[0], one, two)


def test_writing_refuses_what_it_cannot_do_and_leaves_nothing(tmp_path: Path) -> None:
    lean = Record(protocol="trace", id="a")
    with pytest.raises(InputError, match="--lean"):
        WRITER.write([lean], tmp_path / "x.jsonl", None)
    apart = [Record(protocol="", sample=Sample(id=id)) for id in ("a", "b", "a")]
    with pytest.raises(InputError, match="'a': its records do not follow"):
        WRITER.write(apart, tmp_path / "x.csv", None)
    with pytest.raises(UsageError, match=r"end it in \.jsonl"):
        WRITER.write([], tmp_path / "x.txt", None)
    assert list(tmp_path.iterdir()) == []


# cells


@given(TEXT | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.none())
def test_an_attribute_is_either_read_back_the_same_or_not_written(value: Any) -> None:
    cell = attribute_text(value)
    if cell is not None:
        back = attribute_cell(cell)
        assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize(
    "cell", ["007", "1_000", "nan", "inf", "1e999", "12345678901234567890", "+1", " 1", "١"]
)
def test_what_only_looks_like_a_number_stays_text(cell: str) -> None:
    assert attribute_cell(cell) == cell


@given(st.lists(TEXT, max_size=4))
def test_lists_as_json_python_and_numpy_spell_them(values: list[str]) -> None:
    assert list_cell(json.dumps(values)) == values
    assert list_cell(repr(values)) == values
    if len(values) > 1:
        assert list_cell("[" + " ".join(map(repr, values)) + "]") == values


@pytest.mark.parametrize(
    "cell", ["", "text", "[1] says so", "[a, b]", "[__import__('os')]", "{}", "[" * 500 + "]" * 500]
)
def test_what_spells_no_list(cell: str) -> None:
    assert not isinstance(list_cell(cell), list) or cell.startswith("[[")


# documentation


def test_schema_and_page_are_up_to_date() -> None:
    assert (DOCS / "sample.schema.json").read_text("utf-8") == render_json()
    assert (DOCS / "samples.md").read_text("utf-8") == render_markdown()


def test_every_field_is_explained() -> None:
    page = render_markdown()
    for name in Sample.__struct_fields__:
        assert f"| `{name}`" in page
    assert "|  |" not in page.replace("| `id` (needed) | text |  |", "")
    assert json_schema()["$defs"]["Sample"]["additionalProperties"] is False


def test_the_module_prints_the_schema() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "adjudge.datasets.schema"],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    assert json.loads(printed.stdout) == json.loads(json.dumps(json_schema()))
