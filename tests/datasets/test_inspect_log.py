"""Logs of the forms that Inspect 0.3 writes (checked against real ones), in our own words."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adjudge.datasets.inspect_zip import Archive
from adjudge.datasets.registry import detect, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.types import Sample


def output(content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"model": "mockllm/model", "choices": [{"message": message, "stop_reason": "stop"}], **more}


def log(epochs: int = 1) -> dict[str, Any]:
    about = {"task": "doors", "model": "mockllm/model", "config": {"epochs": epochs}, "created": "2025-01-01"}
    return {"version": 2, "status": "success", "eval": about, "plan": {}, "results": {}, "stats": {}}


DOOR = {
    "id": "a1",
    "epoch": 1,
    "input": "Which colour is the door?",
    "target": "green",
    "messages": [],
    "output": output("Green.", completion="Green."),
    "metadata": {"retrieved_context": ["The door is green."], "difficulty": 2, "tags": ["x"]},
    "attachments": {},
}
WINDOWS = {
    "id": 2,
    "epoch": 1,
    "input": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "attachment://f00d"}, {"type": "image", "image": "x"}],
        },
    ],
    "target": ["four", "4"],
    "output": output([{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Four."}]),
    "metadata": {"contexts": [{"text": "It has four windows.", "doc_id": "d1"}]},
    "attachments": {"f00d": "How many windows?"},
}
FAILED = {
    "id": "c",
    "epoch": 1,
    "input": "Why?",
    "target": "",
    "output": {"model": "mockllm/model", "choices": []},
    "error": {"message": "out of time", "traceback": "…"},
}
ABOUT = {"system": "mockllm/model", "task": "doors", "epoch": 1}
SAMPLES = [
    Sample(
        id="a1",
        question="Which colour is the door?",
        response="Green.",
        contexts=("The door is green.",),
        reference="green",
        attributes={"difficulty": 2, **ABOUT},
    ),
    Sample(
        id="2",
        question="How many windows?",
        response="Four.",
        contexts=("It has four windows.",),
        context_ids=("d1",),
        reference=(("four", "4"),),
        attributes=ABOUT,
    ),
    Sample(id="c", question="Why?", attributes={**ABOUT, "error": "out of time"}),
]


def pack(path: Path, epochs: int, *entries: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> Source:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log(epochs)["eval"]}))
        for entry in entries:
            archive.writestr(f"samples/{entry['id']}_epoch_{entry['epoch']}.json", json.dumps(entry))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(log(epochs)))
    return Source(path)


@pytest.mark.parametrize("indent", [None, 2])
def test_json_log(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log() | {"samples": [DOOR, WINDOWS, FAILED]}, indent=indent))
    assert detect(Source(path)).name == "inspect"
    assert list(read(Source(path))) == SAMPLES


def test_archive(tmp_path: Path) -> None:
    source = pack(tmp_path / "x.eval", 1, DOOR, WINDOWS, FAILED)
    assert detect(source).name == "inspect"
    assert list(read(source)) == SAMPLES


def test_epochs_make_several_samples_of_one_item(tmp_path: Path) -> None:
    source = pack(tmp_path / "x.eval", 2, DOOR, DOOR | {"epoch": 2})
    assert [(sample.id, sample.item, sample.attributes["epoch"]) for sample in read(source)] == [
        ("a1/1", "a1", 1),
        ("a1/2", "a1", 2),
    ]


def test_unfinished_archive_has_only_the_start(tmp_path: Path) -> None:
    pack(tmp_path / "x.eval", 1, DOOR)
    with zipfile.ZipFile(tmp_path / "x.eval") as whole, zipfile.ZipFile(tmp_path / "y.eval", "w") as part:
        for name in whole.namelist()[:2]:
            part.writestr(name, whole.read(name))
    assert list(read(Source(tmp_path / "y.eval"))) == SAMPLES[:1]


def test_header_alone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(log()))
    with pytest.raises(InputError, match="no samples"):
        list(read(Source(tmp_path / "x.json")))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"target": [5]}, "target"),
        ({"metadata": [5]}, "metadata"),
        ({"output": "Green."}, "output"),
        ({"output": {"choices": ["Green."]}}, "output.choices[0]"),
        ({"metadata": {"contexts": ["x", {"body": "y"}]}}, "metadata.contexts[1]"),
    ],
)
def test_mistyped_fields_are_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log() | {"samples": [DOOR | change, WINDOWS]}))
    errors: list[InputError] = []
    assert list(read(Source(path), on_error=errors.append)) == [SAMPLES[1]]
    assert [error.field for error in errors] == [field]


def test_a_text_in_place_of_a_list_is_one_passage(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    metadata = {"retrieved_context": "The door is green.", "difficulty": 2}
    path.write_text(json.dumps(log() | {"samples": [DOOR | {"metadata": metadata}]}))
    assert list(read(Source(path))) == SAMPLES[:1]


def test_an_object_in_place_of_the_list_of_passages_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    metadata = {"retrieved_context": {"text": "The door is green."}}
    path.write_text(json.dumps(log() | {"samples": [DOOR | {"metadata": metadata}]}))
    with pytest.raises(InputError, match="expected a list of passages, found dict") as told:
        list(read(Source(path)))
    assert told.value.field == "metadata.retrieved_context"


def test_passages_without_a_name_leave_the_others_theirs(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    passages = [{"text": "The door is green.", "doc_id": "d1"}, {"text": "It is old."}, "It creaks."]
    sample = DOOR | {"metadata": {"contexts": passages}}
    path.write_text(json.dumps(log() | {"samples": [sample]}))
    (found,) = read(Source(path))
    assert found.context_ids == ("d1", "", "")


def test_damaged_archives(tmp_path: Path) -> None:
    pack(tmp_path / "x.eval", 1, DOOR)
    content = (tmp_path / "x.eval").read_bytes()
    (tmp_path / "x.eval").write_bytes(content[:-40])
    with pytest.raises(InputError, match="cannot be unpacked"):
        list(read(Source(tmp_path / "x.eval")))
    with zipfile.ZipFile(tmp_path / "y.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(log()))
        archive.writestr("samples/a_epoch_1.json", "{broken")
        archive.writestr("samples/a1_epoch_1.json", json.dumps(DOOR))
    errors: list[InputError] = []
    assert list(read(Source(tmp_path / "y.eval"), on_error=errors.append)) == SAMPLES[:1]
    assert "samples/a_epoch_1.json" in errors[0].problem


def as_zstd(path: Path) -> None:
    """Marks stored entries as packed with zstd (method 93), as newer versions of Inspect write them."""
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = content.find(mark)
        while start >= 0:
            content[start + offset : start + offset + 2] = (93).to_bytes(2, "little")
            start = content.find(mark, start + 4)
    path.write_bytes(bytes(content))


def fake_zstd(unpack: Any) -> ModuleType:
    module: Any = ModuleType("zstandard")
    module.ZstdError = type("ZstdError", (Exception,), {})
    module.decompress = unpack
    return module  # type: ignore[no-any-return]


def test_zstd_is_unpacked_where_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = pack(tmp_path / "x.eval", 1, DOOR, WINDOWS, method=zipfile.ZIP_STORED)
    as_zstd(tmp_path / "x.eval")
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", fake_zstd(lambda packed: packed))
    assert list(read(source)) == SAMPLES[:2]

    def broken(_: bytes) -> bytes:
        raise sys.modules["zstandard"].ZstdError("bad frame")

    monkeypatch.setitem(sys.modules, "zstandard", fake_zstd(broken))
    with pytest.raises(InputError, match="bad frame"):
        list(read(source))


def test_without_zstd_the_cure_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = pack(tmp_path / "x.eval", 1, DOOR, method=zipfile.ZIP_STORED)
    as_zstd(tmp_path / "x.eval")
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"inspect log convert --to json .* x\.eval"):
        list(read(source))


def test_real_zstd(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = [zstandard.compress(part) for part in (b"one ", b"two")]
    archive = object.__new__(Archive)
    assert archive._unpack(b"".join(packed)) == b"one two"
