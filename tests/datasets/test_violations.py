"""A split is read with its header on every sample, refused where it is wrong, and comes back as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.source import Row, Source
from adjudge.datasets.violations import READER, WRITER
from adjudge.errors import InputError
from adjudge.types import Label, Record, Rule, Sample, Violation

HEADER: dict[str, Any] = {
    "adjudge": "violations",
    "format": 1,
    "split": "posters@0.3.2",
    "description": "made up",
    "rules": [{"id": "R1", "text": "No shouting.", "category": "tone"}, {"id": "R2"}],
    "without": ["correction", "explanation"],
    "checker": "baseline@1.1.0|some-model",
}
LINE: dict[str, Any] = {
    "id": "a",
    "text": "BUY it now",
    "gold": [{"start": 0, "end": 3, "rule": "R1"}],
    "predicted": [{"quote": "BUY it", "rule": "shouting", "category": "tone", "explanation": "loud"}],
}


def read(path: Path) -> list[Sample]:
    source = Source(path)
    assert READER.detect(source)
    found = []
    for row in READER.rows(source):
        if isinstance(row, InputError):
            raise row
        found.extend(READER.convert(row))
    return found


def lines(path: Path, *objects: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in objects), "utf-8")
    return path


def test_header_and_samples(tmp_path: Path) -> None:
    samples = read(lines(tmp_path / "s.jsonl", HEADER, LINE, {"id": 7, "gold": []}))
    first, second = samples
    assert first == Sample(
        id="a",
        text="BUY it now",
        rules=(Rule(id="R1", text="No shouting.", category="tone"), Rule(id="R2")),
        gold=(Violation(spans=((0, 3),), rule="R1"),),
        predicted=(Violation(quote="BUY it", rule="shouting", category="tone", explanation="loud"),),
        attributes={
            "split": "posters@0.3.2",
            "checker": "baseline@1.1.0|some-model",
            "without": "explanation,correction",
        },
    )
    assert (second.id, second.gold, second.predicted, second.text) == ("7", (), None, None)
    assert second.rules is first.rules


def test_one_document_in_any_layout(tmp_path: Path) -> None:
    expected = read(lines(tmp_path / "s.jsonl", HEADER, LINE))
    document = HEADER | {"samples": [LINE]}
    for indent in (None, 2):
        path = tmp_path / f"{indent}.json"
        path.write_text(json.dumps(document, indent=indent), "utf-8")
        assert read(path) == expected


def test_several_checkers_share_an_item(tmp_path: Path) -> None:
    own = [LINE | {"checker": f"{name}@2.0|m"} for name in ("x", "y")]
    named = LINE | {"id": "a-z", "item": "a", "checker": "z@1", "attributes": {"language": "en"}}
    x, y, z = read(lines(tmp_path / "s.jsonl", HEADER, *own, named))
    assert [sample.id for sample in (x, y, z)] == ["a|x@2.0|m", "a|y@2.0|m", "a-z"]
    assert {sample.item for sample in (x, y, z)} == {"a"}
    assert [sample.attributes["checker"] for sample in (x, y, z)] == ["x@2.0|m", "y@2.0|m", "z@1"]
    assert z.attributes["language"] == "en"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "newer"),
        ({"split": "posters"}, "name@version"),
        ({"split": None}, r"\$\.split"),
        ({"checker": "some checker"}, "name@version"),
        ({"without": ["text"]}, "without"),
        ({"rules": [{"id": "R"}, {"id": "R"}]}, "'R' is given twice"),
        ({"rule": []}, "unknown field `rule`"),
        ({"samples": 3}, "list of samples"),
    ],
)
def test_headers_that_cannot_be(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = lines(tmp_path / "s.jsonl", HEADER | change, LINE)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ({"start": 3, "end": 1}, "is no span"),
        ({"spans": [[-1, 2]]}, "is no span"),
        ({"start": 3}, "both start and end"),
        ({"start": 3, "end": 4, "spans": [[3, 4]]}, "either spans"),
        ({"rule": "R1"}, "no place in the text"),
        ({"spans": []}, "no place in the text"),
        ({"quote": "x", "rul": "R1"}, "unknown field `rul`"),
        ({"start": "0", "end": 3}, "Expected `int"),
    ],
)
def test_violations_that_cannot_be(tmp_path: Path, mark: dict[str, Any], message: str) -> None:
    path = lines(tmp_path / "s.jsonl", HEADER, LINE, LINE | {"id": "b", "predicted": [mark]})
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert (caught.value.line, caught.value.sample) == (3, "b")


def test_a_broken_line_is_passed_on_and_the_rest_read(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", HEADER, LINE)
    path.write_text(path.read_text("utf-8") + "{broken\n" + json.dumps(LINE | {"id": "b"}) + "\n", "utf-8")
    rows = list(READER.rows(Source(path)))
    assert [isinstance(row, Row) for row in rows] == [True, False, True]


def test_other_files_are_not_splits(tmp_path: Path) -> None:
    assert not READER.detect(Source(lines(tmp_path / "s.jsonl", LINE)))
    assert not READER.detect(Source(lines(tmp_path / "t.jsonl", HEADER | {"adjudge": "samples"})))


texts = st.text(max_size=8)
words = st.none() | texts
places = st.one_of(
    st.fixed_dictionaries({"quote": st.text(min_size=1, max_size=8)}),
    st.lists(st.tuples(st.integers(0, 5), st.integers(5, 9)), min_size=1, max_size=2).map(
        lambda spans: {"spans": tuple(spans)}
    ),
)
violations = st.builds(
    lambda place, rule, category, explanation: Violation(
        **place, rule=rule, category=category, explanation=explanation
    ),
    places,
    words,
    words,
    words,
)
sides = st.none() | st.lists(violations, max_size=3).map(tuple)
checkers = st.sampled_from([None, "x@1", "y@2|model"])
bodies = st.tuples(words, sides, sides, checkers, st.booleans())


@given(st.lists(bodies, max_size=4), st.sampled_from([None, "rule", "category,correction"]), st.booleans())
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Any], without: str | None, ruled: bool
) -> None:
    common = {"split": "made@1"} | ({"without": without} if without else {})
    samples = [
        Sample(
            id=f"s{index}",
            item="shared" if shared else f"s{index}",
            text=text,
            gold=gold,
            predicted=predicted,
            rules=(Rule(id="R", text="words"),) if ruled else None,
            labels=(Label("rule", "gold:0", 0.5, "pred:0", "human:ann"),) if shared else (),
            attributes=common | ({"checker": checker} if checker else {}) | {"index": index},
        )
        for index, (text, gold, predicted, checker, shared) in enumerate(drawn)
    ]
    path = tmp_path_factory.mktemp("splits") / "made.jsonl"
    WRITER.write((Record(protocol="", sample=sample) for sample in samples), path, None)
    assert read(path) == samples
    assert [entry.name for entry in path.parent.iterdir()] == ["made.jsonl"]


def test_two_splits_do_not_go_into_one_file(tmp_path: Path) -> None:
    one, two = (Sample(id=name, gold=(), attributes={"split": f"{name}@1"}) for name in "ab")
    with pytest.raises(InputError, match="one split"):
        WRITER.write(
            (Record(protocol="", sample=sample) for sample in (one, two)), tmp_path / "s.jsonl", None
        )
    assert list(tmp_path.iterdir()) == []


def test_names_without_a_version_get_one(tmp_path: Path) -> None:
    path = tmp_path / "my posters.jsonl"
    WRITER.write([Record(protocol="", sample=Sample(id="a", attributes={"checker": "mine"}))], path, None)
    (sample,) = read(path)
    assert sample.attributes == {"split": "my_posters@0", "checker": "mine@0"}
