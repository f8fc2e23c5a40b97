"""`--map response=answer,contexts=docs`: samples from any objects, by saying which key is which field."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from adjudge.datasets.base import Reader
from adjudge.datasets.cells import ANSWERS, FIELDS, STRUCTURED, attribute_cell, list_or_text
from adjudge.datasets.native import explain
from adjudge.datasets.rows import numbered, scalars
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.types import Attribute, Sample

_PASSAGE_KEYS = ("text", "page_content", "content")
_TEXTS = frozenset({"id", "item", "question", "response", "text"})
_MISSING = object()


def parse_mapping(text: str) -> dict[str, str]:
    """`response=answer,contexts=metadata.docs` as {field: key}; fields may be `attributes.NAME`."""
    mapping: dict[str, str] = {}
    for part in text.split(","):
        field, equals, key = (piece.strip() for piece in part.partition("="))
        if not (field and equals and key):
            raise UsageError(f"--map: {part.strip()!r} is not FIELD=KEY, e.g. response=answer,contexts=docs")
        if field in mapping:
            raise UsageError(f"--map: {field!r} is given twice")
        mapping[field] = key
    check_mapping(mapping)
    return mapping


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raises UsageError when a target is no field of a sample."""
    for field in mapping:
        if field in FIELDS or (field.startswith("attributes.") and field != "attributes."):
            continue
        near = difflib.get_close_matches(field, FIELDS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        fields = ", ".join(Sample.__struct_fields__)
        raise UsageError(
            f"--map: a sample has no field {field!r}; {hint}"
            f"Write FIELD=KEY with one of {fields}, or attributes.NAME"
        )


def mapping_reader(mapping: Mapping[str, str]) -> Reader:
    """A reader that makes each row a sample by the mapping; other plain values become attributes."""
    check_mapping(mapping)
    used = {key for path in mapping.values() for key in (path, path.partition(".")[0])}

    def rows(source: Source) -> Iterator[Row | InputError]:
        entries = source.tolerant_rows()
        if source.shape == "csv":
            entries = _typed(entries, used)
        return entries if "id" in mapping else numbered(entries)

    def convert(row: Row) -> tuple[Sample]:
        left_out = used if "id" in mapping else {*used, "id"}
        return (_sample(row, mapping, scalars(row.data, without=left_out)),)

    return Reader(
        name="map",
        description="Any objects, by --map FIELD=KEY,…",
        detect=lambda _: False,
        convert=convert,
        rows=rows,
    )


def _typed(rows: Iterable[Row | InputError], used: set[str]) -> Iterator[Row | InputError]:
    """CSV rows whose other cells are numbers where they look like numbers."""
    for row in rows:
        if isinstance(row, Row):
            data = {name: cell if name in used else attribute_cell(cell) for name, cell in row.data.items()}
            row = Row(data, row.file, row.line)
        yield row


def _sample(row: Row, mapping: Mapping[str, str], attributes: dict[str, Attribute]) -> Sample:
    data: dict[str, Any] = {} if "id" in mapping else {"id": row.data["id"]}
    for field, path in mapping.items():
        value = _look_up(row.data, path)
        if value is _MISSING:
            raise row.error(
                f"the row has no {path!r}, which --map makes the {field}; it has {_names(row.data)}",
                sample=data.get("id"),
                field=path,
                fix="map another key, or pass over such rows with --skip-bad",
            )
        if field.startswith("attributes."):
            attributes[field.removeprefix("attributes.")] = value
        elif value is not None:
            data[field] = _fitted(field, value)
    data["attributes"] = attributes | data.get("attributes", {})
    try:
        return msgspec.convert(data, Sample)
    except msgspec.ValidationError as error:
        raise explain(Row(data, row.file, row.line), error) from None


def _names(data: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, list(data)[:20])) or "no keys"


def _look_up(data: Any, path: str) -> Any:
    """The value at a key, or at a dotted path; numbers count into lists."""
    if isinstance(data, dict) and path in data:
        return data[path]
    for part in path.split("."):
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return _MISSING
    return data


def _fitted(field: str, value: Any) -> Any:
    """The value in the form the field has, where that is plain: numbers as text, passages out of objects."""
    if field in _TEXTS:
        return _text(value)
    if field in ANSWERS:
        return _text(list_or_text(value))
    if field in {"contexts", "context_ids"}:
        entries = list_or_text(value)
        if isinstance(entries, str):
            return [entries]
        return [_passage(_text(entry)) for entry in entries] if isinstance(entries, list) else entries
    return list_or_text(value) if field in STRUCTURED else value


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(entry) for entry in value]
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _passage(entry: Any) -> Any:
    if isinstance(entry, dict):
        return next((entry[key] for key in _PASSAGE_KEYS if isinstance(entry.get(key), str)), entry)
    return entry
