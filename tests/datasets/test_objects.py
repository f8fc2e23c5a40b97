"""Samples in memory follow the rules of files, whatever library their values come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import InputError, Sample, UsageError, Violation
from adjudge.run.store import read_records


def sample(**more: Any) -> dict[str, Any]:
    return {"id": "a", "question": "Which boat?", "response": "The ferry.", "reference": "ferry"} | more


def only(entry: Any, **options: Any) -> Sample:
    (record,) = adjudge.evaluate([entry], metrics="rgb.accuracy", **options).records
    assert record.sample is not None
    return record.sample


def test_rows_of_a_table_library(tmp_path: Path) -> None:
    frame = pd.DataFrame([sample(contexts=["A ferry.", "A barge."]), sample(id="b", contexts=["One."])])
    frame["ability"] = [None, np.nan]
    frame.to_parquet(tmp_path / "rows.parquet")
    rows = pd.read_parquet(tmp_path / "rows.parquet").to_dict("records")
    assert isinstance(rows[0]["contexts"], np.ndarray)
    found = [record.sample for record in adjudge.evaluate(rows, metrics="rgb.accuracy").records]
    kept = [record.sample for record in adjudge.evaluate(tmp_path / "rows.parquet", metrics="rgb").records]
    assert found == kept


def test_numbers_and_words_of_other_libraries() -> None:
    odd = {"noise": np.float64(0.4), "k": np.int64(3), "b": np.bool_(True), "t": np.str_("é"), "n": pd.NA}
    read = only(sample(id=np.int64(7), attributes=odd))
    assert read.id == "7"
    assert read.attributes == {"noise": 0.4, "k": 3, "b": True, "t": "é", "n": None}
    assert [type(value) for value in read.attributes.values()] == [float, int, bool, str, type(None)]


@pytest.mark.parametrize("make", [dict, lambda **fields: Sample(**fields)])
def test_what_no_file_can_hold_is_read_as_from_a_file(tmp_path: Path, make: Any) -> None:
    odd = sample(response="The ferry \ud800.", attributes={"t": float("nan"), "u": float("-inf")})
    result = adjudge.evaluate([make(**odd)], metrics="rgb.accuracy", by="t", out=tmp_path / "run")
    (record,) = read_records(tmp_path / "run")
    assert record.sample is not None
    assert record.sample.response == "The ferry \ufffd."
    assert record.attributes["t"] is None
    assert result.notes == {
        "NaN read as null": 1,
        "-Infinity read as null": 1,
        "text with lone surrogates, replaced by U+FFFD": 1,
    }
    again = adjudge.evaluate([make(**odd)], metrics="rgb.accuracy", by="t", out=tmp_path / "run")
    assert again.already_finished


def test_a_sample_object_is_checked_as_a_line_is(tmp_path: Path) -> None:
    adjudge.evaluate([Sample(**sample(id=5))], metrics="rgb.accuracy", out=tmp_path / "run")  # type: ignore[arg-type]
    (record,) = read_records(tmp_path / "run")
    assert (record.id, record.item) == ("5", "5")
    with pytest.raises(InputError, match="field 'response': expected text or null, found int"):
        only(Sample(**sample(response=7)))
    with pytest.raises(InputError, match="2 names for 1 passages"):
        only(Sample(**sample(contexts=("One.",), context_ids=("x", "y"))))
    with pytest.raises(InputError, match="found bytes"):
        only(sample(response=b"The ferry."))


def test_nothing_of_a_sample_object_is_lost() -> None:
    whole = Sample(
        id="v",
        item="w",
        text="Sleep better tonight.",
        gold=(),
        predicted=(Violation(quote="better", rule="r"),),
        attributes={"side": 1},
    )
    (record,) = adjudge.evaluate([whole], "violations", judge="rules").records
    assert record.sample == whole


def test_mapping_holds_for_dicts_too(tmp_path: Path) -> None:
    rows = [{"key": 3, "ask": "Which boat?", "say": "The ferry.", "true": "ferry", "team": "x"}]
    mapping = {"id": "key", "question": "ask", "response": "say", "reference": "true"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(rows[0]))
    found, kept = (adjudge.evaluate(given, mapping=mapping) for given in (rows, path))
    assert [r.sample for r in found.records] == [r.sample for r in kept.records]
    adjudge.evaluate(rows, mapping=mapping, out=tmp_path / "run")
    with pytest.raises(adjudge.RunFolderError, match="map was"):
        adjudge.evaluate(rows, mapping=mapping | {"response": "true"}, out=tmp_path / "run")


def test_what_is_said_of_files_is_refused_for_objects(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"format='ragas' is of files.*mapping="):
        adjudge.evaluate([sample()], format="ragas")
    with pytest.raises(UsageError, match="exclude each other"):
        adjudge.evaluate([sample()], format="native", mapping={"response": "say"})
    with pytest.raises(UsageError, match="lean refers to a file"):
        adjudge.evaluate([sample()], lean=True, out=tmp_path / "run")
    with pytest.raises(UsageError, match="put it in a list"):
        adjudge.evaluate(sample())
    assert not (tmp_path / "run").exists()
