"""Data sets of DeepEval: goldens and test cases as `EvaluationDataset.save_as` writes them (JSON, JSONL,
CSV), and the same with camelCase names in its test run files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from adjudge.datasets.base import Reader, text_field
from adjudge.datasets.cells import list_cell
from adjudge.datasets.rows import numbered, scalars, table_rows
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import Attribute, Sample

_CAMEL = {
    "actualOutput": "actual_output",
    "expectedOutput": "expected_output",
    "retrievalContext": "retrieval_context",
    "additionalMetadata": "additional_metadata",
    "customColumnKeyValues": "custom_column_key_values",
    "sourceFile": "source_file",
}
_OBJECTS = ("additional_metadata", "custom_column_key_values", "metadata")
_LISTS = frozenset({"context", "retrieval_context"})
_TEXTS = frozenset({"id", "input", "actual_output", "expected_output", "name", "comments", *_OBJECTS})
_SAYING = frozenset({"actual_output", "expected_output", "retrieval_context"})
_DOCUMENTS = ("goldens", "testCases", "test_cases")
_MARKER = re.compile(r"deepeval_source=(.*?),deepeval_context=(.*)", re.DOTALL)
"""How DeepEval writes a passage that has a source."""


def _snake(data: dict[str, Any]) -> dict[str, Any]:
    return {_CAMEL.get(name, name): value for name, value in data.items()}


def _is_case(data: Any) -> bool:
    return isinstance(data, dict) and "input" in data and bool(_SAYING & _snake(data).keys())


def _cases(data: Any) -> tuple[str, list[Any]] | None:
    """The list of cases inside a document of DeepEval."""
    if not isinstance(data, dict):
        return None
    for key in _DOCUMENTS:
        if isinstance(data.get(key), list) and data[key]:
            return key, data[key]
    return None


def detect(source: Source) -> bool:
    """`input` with one of DeepEval's output names, in rows or under `goldens` or `testCases`."""
    found = _cases(source.first)
    return _is_case(found[1][0]) if found else _is_case(source.first)


def rows(source: Source) -> Iterator[Row | InputError]:
    found = _cases(source.first)
    if found:
        return numbered(Row(case, source.name, index) for index, case in enumerate(found[1], 1))
    return table_rows(source, texts=_TEXTS, lists=_LISTS, answers=(), split=_split)


def _split(cell: str) -> list[str]:
    """DeepEval joins passages with a bar in CSV and JSONL, and splits there, also inside a passage."""
    return cell.split("|")


def convert(row: Row) -> Iterable[Sample]:
    """One sample a case. Without `retrieval_context`, the ideal `context` stands in, and is marked so."""
    row = Row(_snake(row.data), row.file, row.line)
    id: str = row.data["id"]
    attributes = _attributes(row, id)
    passages = _passages(row, "retrieval_context", id)
    if passages is None:
        passages = _passages(row, "context", id)
        if passages is not None:
            attributes["contexts_from"] = "context"
    texts, names = _sources(passages)
    sample = Sample(
        id=id,
        question=text_field(row, "input", sample=id),
        response=text_field(row, "actual_output", sample=id),
        contexts=texts,
        context_ids=names,
        reference=text_field(row, "expected_output", sample=id),
        attributes=attributes,
    )
    return (sample,)


def _passages(row: Row, key: str, id: str) -> list[str] | None:
    value = row.data.get(key)
    if isinstance(value, str):
        spelt = list_cell(value)
        value = (_split(value) if spelt is None else spelt) if value else None
    if value is None:
        return None
    if not isinstance(value, list):
        raise row.error("expected a list of texts", sample=id, field=key)
    passages = [entry.get("context") if isinstance(entry, dict) else entry for entry in value]
    texts = [passage for passage in passages if isinstance(passage, str)]
    if len(texts) < len(passages):
        raise row.error("expected a list of texts", sample=id, field=key)
    return texts


def _sources(passages: list[str] | None) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    if passages is None:
        return None, None
    marked = [_MARKER.fullmatch(passage) for passage in passages]
    if not any(marked):
        return tuple(passages), None
    texts = [match[2] if match else passage for match, passage in zip(marked, passages, strict=True)]
    names = [match[1] if match else str(index) for index, match in enumerate(marked)]
    return tuple(texts), tuple(names)


def _attributes(row: Row, id: str) -> dict[str, Attribute]:
    found = scalars(row.data, without=(_TEXTS | _LISTS) - {"name", "comments"})
    for key in _OBJECTS:
        value = row.data.get(key)
        if isinstance(value, str) and value:
            try:
                value = json.loads(value)
            except ValueError:
                raise row.error(f"expected JSON text, found {value[:40]!r}", sample=id, field=key) from None
        if isinstance(value, dict):
            found |= scalars(value)
    return found


READER = Reader(
    name="deepeval",
    description="DeepEval goldens and test cases: input, actual_output, expected_output, retrieval_context",
    detect=detect,
    convert=convert,
    rows=rows,
)
