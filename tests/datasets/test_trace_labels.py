"""TRACe label JSON: alone, beside texts, odd flags, and written back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets.ragbench import READER as RAGBENCH
from adjudge.datasets.source import Row, Source
from adjudge.datasets.trace_labels import READER, WRITER
from adjudge.errors import InputError, UsageError
from adjudge.protocols.trace import Trace
from adjudge.segment.units import unit_text
from adjudge.types import Label, Record, Sample, Score, Unit

# The labels of the TRACE guide's second step: sentence b has a false flag, and overall_supported says true.
STEP_2: dict[str, Any] = {
    "relevance_explanation": "about learning",
    "all_relevant_sentence_keys": ["0a", "0b", "1a"],
    "overall_supported_explanation": "rests on both",
    "overall_supported": True,
    "sentence_support_information": [
        {
            "response_sentence_key": "a",
            "explanation": "the same",
            "supporting_sentence_keys": ["0a", "1a"],
            "fully_supported": True,
        },
        {
            "response_sentence_key": "b",
            "explanation": "in part",
            "supporting_sentence_keys": ["1b"],
            "fully_supported": False,
        },
    ],
    "all_utilized_sentence_keys": ["0a", "1a", "1b"],
}
TEXTS: dict[str, Any] = {
    "question": "What does it do?",
    "documents": [
        "Machine learning is AI. It learns from data.",
        "Neural networks are models. They mimic brains.",
    ],
    "response": "Machine learning uses neural networks. They learn patterns.",
}


def read(path: Path) -> list[Sample]:
    source = Source(path)
    assert READER.detect(source)
    assert not RAGBENCH.detect(source)
    samples = []
    for row in READER.rows(source):
        assert isinstance(row, Row)
        samples += READER.convert(row)
    return samples


def convert(data: Any) -> Sample:
    (sample,) = READER.convert(Row(data, "labels.jsonl", 3))
    return sample


def entry(**fields: Any) -> dict[str, Any]:
    return {"sentence_support_information": [{"response_sentence_key": "a"} | fields]}


def score(sample: Sample) -> dict[str, Score]:
    trace = Trace()
    (source,) = trace.sources(sample)
    return {found.metric: found for found in trace.score(trace.given(sample, source))}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (json.dumps(STEP_2, indent=2), ["1"]),
        (json.dumps([STEP_2, STEP_2 | {"id": "x"}]), ["1", "x"]),
        (json.dumps(STEP_2) + "\n\n" + json.dumps(STEP_2 | {"id": 5}), ["1", "5"]),
    ],
    ids=["object", "list", "lines"],
)
def test_labels_alone_in_each_shape(tmp_path: Path, content: str, ids: list[str]) -> None:
    path = tmp_path / "labels.json"
    path.write_text(content)
    samples = read(path)
    assert [sample.id for sample in samples] == ids
    for sample in samples:
        found = score(sample)
        assert found["trace.relevance"].state == "unscored"
        assert found["trace.relevance_20"].value == 0.15
        assert found["trace.utilization_relevant"].value == 1.0
        assert found["trace.completeness_001"].value == 2 / 3
        assert found["trace.adherence"].value == 0.0


def test_beside_texts_the_sentences_are_split() -> None:
    sample = convert(STEP_2 | TEXTS)
    assert score(sample)["trace.relevance"].value == 3 / 4
    given = Trace().given(sample, "judge:trace_labels")
    words = {unit.id: unit_text(unit, sample) for unit in given.units}
    assert [words[unit] for unit in next(iter(Trace().gaps(given).values()))] == ["It learns from data."]
    assert [words[unit] for unit in list(Trace().gaps(given).values())[1]] == ["They learn patterns."]
    named = convert(STEP_2 | {"contexts": TEXTS["documents"], "system": "m1", "n": 2, "other": [1]})
    assert named.contexts == sample.contexts
    assert named.attributes == {"system": "m1", "n": 2}


def test_a_contradictory_label_is_kept_and_noted() -> None:
    (overall,) = (label for label in convert(STEP_2).labels if label.name == "overall_supported")
    assert overall.value is True
    assert overall.why == "contradicts the sentence labels: not fully supported are b"
    (overall,) = (
        label
        for label in convert(entry(fully_supported=True) | {"overall_supported": False}).labels
        if label.name == "overall_supported"
    )
    assert overall.why == "contradicts the sentence labels: every sentence is fully supported"


@pytest.mark.parametrize(
    ("fields", "support", "grounded"),
    [
        ({"fully_supported": True, "supporting_sentence_keys": ["0a"]}, "full", True),
        ({"fully_supported": "false", "supporting_sentence_keys": ["0a"]}, "partial", False),
        ({"fully_supported": "True", "supporting_sentence_keys": ["0a"]}, "full", True),
        ({"supporting_sentence_keys": ["0a"]}, "partial", False),
        ({"fully_supported": None, "supporting_sentence_keys": []}, "none", False),
        ({"fully_supported": False}, "none", False),
        ({"fully_supported": True, "supporting_sentence_keys": ["general"]}, "full", True),
    ],
)
def test_only_a_true_flag_is_support(fields: dict[str, Any], support: str, grounded: bool) -> None:
    values = {label.name: label.value for label in convert(entry(**fields)).labels if label.unit == "resp:a"}
    assert (values["support"], values["grounded"]) == (support, grounded)


def test_the_misnamed_list_of_supporting_keys_is_read() -> None:
    labels = convert(entry(fully_supported=True, supported_sentence_keys=["0a."])).labels
    assert [label.against for label in labels if label.name == "supported_by"] == ["ctx:0a"]


def test_a_comment_is_rejected_as_broken_json(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"all_relevant_sentence_keys": ["0a"], // the first\n "all_utilized_sentence_keys": []}')
    with pytest.raises(InputError, match="broken JSON"):
        read(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("text", "expected an object"),
        ({"all_relevant_sentence_keys": "0a"}, "labels.jsonl:3, sample '3', field 'all_relevant"),
        (entry(fully_supported=2), "expected true or false, found 2"),
        ({"sentence_support_information": {"a": 1}}, "expected a list of objects"),
        (entry(response_sentence_key=" "), "names no response sentence"),
        (STEP_2 | {"documents": "one"}, "expected a list of texts"),
    ],
)
def test_bad_rows_say_where(data: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        convert(data)


# Writing.


def record(sample: Sample, source: str) -> Record:
    given = Trace().given(sample, source)
    return Record(
        protocol="trace",
        sample=sample,
        id=given.id,
        item=given.item,
        attributes=given.attributes,
        units=given.units,
        labels=given.labels,
    )


def write(tmp_path: Path, *records: Record) -> Path:
    path = tmp_path / "out.jsonl"
    WRITER.write(records, path, None)
    return path


def test_what_was_read_is_written_back(tmp_path: Path) -> None:
    extra = {"id": "r1", "item": "q1", "source": "human:ann", "system": "m1"}
    original = STEP_2 | TEXTS | extra
    sample = convert(original)
    path = write(tmp_path, record(sample, "human:ann"))
    row = json.loads(path.read_text())
    assert row.pop("documents_sentences")[1] == [
        ["1a", "Neural networks are models."],
        ["1b", "They mimic brains."],
    ]
    assert [key for key, _ in row.pop("response_sentences")] == ["a", "b"]
    assert row == original

    (again,) = read(path)
    assert again.labels == sample.labels
    assert again.units == Trace().given_units(sample)
    assert score(again) == score(sample)


def test_a_plain_sample_is_written_from_its_own_labels_one_line_a_source(tmp_path: Path) -> None:
    labels = (
        Label("relevant", "contexts", 0, None, "human:ann"),
        Label("relevant", "ctx:0a", True, None, "human:bob"),
        Label("relevant", "fact:0", True, None, "human:bob"),
    )
    sample = Sample(id="s", labels=labels, units=(Unit("ctx:0a", "One."),))
    rows = [
        json.loads(line)
        for line in write(tmp_path, Record(protocol="", sample=sample)).read_text().splitlines()
    ]
    assert [(row["id"], row["item"], row["all_relevant_sentence_keys"]) for row in rows] == [
        ("s@human:ann", "s", []),
        ("s@human:bob", "s", ["0a"]),
    ]
    assert all("all_utilized_sentence_keys" not in row for row in rows)
    assert rows[0]["documents_sentences"] == [[["0a", "One."]]]


def test_lean_records_keep_labels_without_texts(tmp_path: Path) -> None:
    sample = convert(STEP_2 | TEXTS)
    full = record(sample, "judge:trace_labels")
    lean = Record(protocol="trace", id=full.id, item=full.item, units=full.units, labels=full.labels)
    (again,) = read(write(tmp_path, lean))
    assert again.labels == sample.labels
    assert again.units == ()


def test_sentences_of_their_own_survive_a_round_trip(tmp_path: Path) -> None:
    units = (Unit("ctx:0a", "Not in the text"), Unit("ctx:1a", "Two."), Unit("resp:a", "Yes"))
    labels = (Label("used", "ctx:1a", True, None, "human:ann"),)
    sample = Sample(id="s", contexts=("One.", "Two."), response="Yes.", units=units, labels=labels)
    (again,) = read(write(tmp_path, Record(protocol="", sample=sample)))
    assert [(unit.id, unit_text(unit, again)) for unit in again.units] == [
        (unit.id, unit.text) for unit in units
    ]
    assert again.units[0] == units[0]
    assert again.units[1] == Unit("ctx:1a", None, "contexts.1", ((0, 4),))


def test_equal_sentences_are_located_one_after_the_other() -> None:
    twice = [["a", "Yes."], ["b", "Yes."]]
    sample = convert(STEP_2 | {"response": "Yes. Yes.", "response_sentences": twice})
    assert [unit.spans for unit in sample.units] == [((0, 4),), ((5, 9),)]


def test_nothing_to_write_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no record holds TRACe labels"):
        write(tmp_path, Record(protocol="rgb", sample=Sample(id="s")))
    assert not (tmp_path / "out.jsonl").exists()
