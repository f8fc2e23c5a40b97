"""The records: strict, frozen, JSON in and out."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, Sample
from adjudge.types import Count, Label, Record, Score, Unit, Violation, from_json, sample_schema, to_json

texts = st.text(max_size=20)
answers = st.one_of(
    texts, st.lists(st.one_of(texts, st.lists(texts, max_size=3).map(tuple)), max_size=3).map(tuple)
)
spans = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
samples = st.builds(
    Sample,
    id=st.text(min_size=1, max_size=10),
    item=texts,
    question=st.none() | texts,
    response=st.none() | texts,
    contexts=st.none() | st.lists(texts, max_size=3).map(tuple),
    reference=st.none() | answers,
    ability=st.sampled_from([None, "noise", "rejection", "integration", "counterfactual"]),
    gold=st.none()
    | st.lists(st.builds(Violation, spans=spans, quote=st.none() | texts), max_size=2).map(tuple),
    units=st.lists(st.builds(Unit, texts, text=st.none() | texts, spans=spans), max_size=2).map(tuple),
    labels=st.lists(st.builds(Label, texts, texts, value=st.none() | st.booleans() | texts), max_size=2).map(
        tuple
    ),
    attributes=st.dictionaries(texts, st.none() | st.booleans() | st.integers(-9, 9) | texts, max_size=3),
)


@given(samples)
def test_a_sample_survives_json(sample):
    assert from_json(to_json(sample), Sample) == sample


@given(samples)
def test_a_record_survives_json(sample):
    score = Score("x.y", 0.1, counts=(Count("n", 2, ("a", "a")), Count("sum", 1.5, ("a",), (1.5,))))
    record = Record(protocol="x", sample=sample, id=sample.id, scores=(score,), signature="x|v1")
    assert from_json(to_json(record), Record) == record


def test_item_defaults_to_id():
    assert Sample(id="a").item == "a"
    assert Sample(id="a", item="q").item == "q"


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        Sample(id="a").id = "b"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "respons": "x"}', "unknown field `respons`"),
        ('{"id": "a", "contexts": "one"}', "$.contexts"),
        ('{"id": ""}', "$.id"),
        ('{"question": "q"}', "required field `id`"),
    ],
)
def test_a_wrong_field_is_named(line, message):
    with pytest.raises(msgspec.ValidationError, match=re.escape(message)):
        from_json(line, Sample)


def test_from_lists():
    made = Sample.from_lists(question=["q1", "q2"], response=["a", "b"], reference=["x", ["y", ["z", "w"]]])
    assert [sample.id for sample in made] == ["0", "1"]
    assert made[1].reference == ("y", ("z", "w"))
    assert Sample.from_lists() == []


def test_from_lists_refuses_unequal_lengths():
    with pytest.raises(InputError, match="question has 2, response has 1"):
        Sample.from_lists(question=["a", "b"], response=["c"])


def test_from_lists_refuses_what_is_not_a_field_or_not_a_list():
    with pytest.raises(InputError, match="no field 'answer'"):
        Sample.from_lists(answer=["a"])
    with pytest.raises(InputError, match="must be a list"):
        Sample.from_lists(response="abc")
    with pytest.raises(InputError, match="sample '0'"):
        Sample.from_lists(response=[3])


def test_the_schema_describes_every_field_of_a_sample():
    schema = sample_schema()
    properties = schema["$defs"]["Sample"]["properties"]
    assert set(properties) == set(Sample.__struct_fields__)
    assert all(entry.get("description") for entry in properties.values()), json.dumps(properties)[:400]
