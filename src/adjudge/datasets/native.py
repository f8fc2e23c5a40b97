"""The native sample file: JSONL, JSON, CSV or Parquet, field by field a `Sample`."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from adjudge.datasets.base import Reader, Writer
from adjudge.datasets.cells import (
    ANSWERS,
    FIELDS,
    FOREIGN,
    STRUCTURED,
    attribute_cell,
    list_cell,
    list_or_text,
)
from adjudge.datasets.native_write import write
from adjudge.datasets.rows import numbered
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import FORMAT, Attribute, Sample

_CONTENT = FIELDS - {"id", "item", "attributes"}
_WIRE = re.compile(r"(?P<problem>.*?)(?: - at `(?:key in )?\$\.?(?P<path>.*)`)?", re.DOTALL)
_WORDS = {"str": "text", "array": "a list", "object": "an object", "null": "null", "bool": "true or false"}


def detect(source: Source) -> bool:
    """Only field names of ours, and one that says something; a CSV may have columns besides."""
    first = source.first
    if not isinstance(first, dict):
        return False
    if _is_header(first) or _is_document(first):
        return True
    names = first.keys() - {"__index_level_0__"}
    if source.shape == "csv":
        return not names & FOREIGN and bool(names & {"response", "text", "question"})
    return names <= FIELDS and bool(names & _CONTENT) and not _labels_of_another_tool(first)


def _labels_of_another_tool(data: dict[str, Any]) -> bool:
    """Other tools have id, text and labels too, but their labels name no unit."""
    labels = data.get("labels")
    if labels == []:
        return data.keys() <= {"id", "text", "labels"}
    return isinstance(labels, list) and not (isinstance(labels[0], dict) and "unit" in labels[0])


def _is_header(data: Any) -> bool:
    return isinstance(data, dict) and data.get("adjudge") == "samples"


def _is_document(data: Any) -> bool:
    return isinstance(data, dict) and "samples" in data and data.keys() <= {"adjudge", "format", "samples"}


def rows(source: Source) -> Iterator[Row | InputError]:
    """Rows without the header, ids filled in."""
    return numbered(_entries(source))


def _entries(source: Source) -> Iterator[Row | InputError]:
    table = source.shape in {"csv", "parquet"}
    beginning = True
    for row in source.tolerant_rows():
        if beginning and isinstance(row, Row):
            beginning = False
            if _is_header(row.data) or _is_document(row.data):
                _check_format(row)
                yield from _document_rows(row)
                continue
        yield _from_cells(row, source.shape == "csv") if table and isinstance(row, Row) else row


def _document_rows(row: Row) -> Iterator[Row]:
    entries = row.data.get("samples", [])
    if not isinstance(entries, list):
        raise row.error(f"expected a list, found {type(entries).__name__}", field="samples")
    for position, entry in enumerate(entries, 1):
        yield Row(entry, row.file, position)


def _check_format(row: Row) -> None:
    found = row.data.get("format", FORMAT)
    if not isinstance(found, int) or found > FORMAT:
        raise row.error(
            f"the file is of format {found!r}; this version reads up to {FORMAT}",
            field="format",
            fix="upgrade adjudge: pip install --upgrade adjudge",
        )


def _from_cells(row: Row, csv: bool) -> Row | InputError:
    """A table row as the JSON object it stands for. An empty cell is absent, but an empty response is one."""
    data: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for name, cell in row.data.items():
        if cell is None or (csv and cell == "" and name != "response"):
            continue
        if name in STRUCTURED:
            value = _structured(name, cell)
            if value is None:
                return row.error(f"expected JSON text, found {cell[:40]!r}", field=name)
            data[name] = value
        elif name in ANSWERS:
            data[name] = list_or_text(cell)
        elif name in FIELDS or not csv:
            data[name] = cell
        else:
            attributes[name] = attribute_cell(cell)
    data.pop("__index_level_0__", None)
    if attributes:
        data["attributes"] = attributes | data.get("attributes", {})
    return Row(data, row.file, row.line)


def _structured(name: str, cell: Any) -> Any:
    if not isinstance(cell, str):
        if name == "attributes":
            return {key: value for key, value in dict(cell).items() if value is not None}
        return cell
    if name != "attributes":
        return list_cell(cell) if cell.strip()[:1] == "[" or name != "contexts" else [cell]
    try:
        value = json.loads(cell)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


TOO_WIDE = "a number of more than 64 bits"


def too_wide(value: Attribute) -> bool:
    """Whether an attribute is a number that not every reader could read."""
    return type(value) is int and not -(2**63) <= value < 2**64


def convert(row: Row) -> Iterable[Sample]:
    """The sample of one row."""
    try:
        sample = msgspec.convert(row.data, Sample)
    except msgspec.ValidationError as error:
        sample = _without_nulls(row, error)
    if sample.context_ids is not None and len(sample.context_ids) != len(sample.contexts or ()):
        raise row.error(
            f"{len(sample.context_ids)} names for {len(sample.contexts or ())} passages",
            sample=sample.id,
            field="context_ids",
            fix="give one name for each of `contexts`, or leave the names out",
        )
    for name, value in sample.attributes.items():
        if too_wide(value):
            raise row.error(
                TOO_WIDE,
                sample=sample.id,
                field=f"attributes.{name}",
                fix="write it as text, in quotes",
            )
    return (sample,)


def _without_nulls(row: Row, error: msgspec.ValidationError) -> Sample:
    """Null means absent, also for fields whose type has no null."""
    data = row.data
    if isinstance(data, dict) and None in data.values():
        data = {name: value for name, value in data.items() if value is not None}
        try:
            return msgspec.convert(data, Sample)
        except msgspec.ValidationError as again:
            error = again
    raise explain(row, error) from None


def explain(row: Row, error: msgspec.ValidationError) -> InputError:
    """A type error of msgspec in our words: sample, field path, what was expected, what to do."""
    sample = row.data.get("id") if isinstance(row.data, dict) else None
    match = _WIRE.fullmatch(str(error))
    problem, path = (match["problem"], match["path"] or "") if match else (str(error), "")
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", problem)
    if unknown:
        return _unknown_field(row, sample, path, unknown[1])
    problem = re.sub(r"`([a-z |]+)`", lambda m: " or ".join(map(_word, m[1].split(" | "))), problem)
    problem = problem.replace("Expected", "expected").replace(", got", ", found").replace("Object m", "m")
    return row.error(problem, sample=sample, field=path.replace("[...]", ".*") or None)


def _word(name: str) -> str:
    return _WORDS.get(name, name)


def _unknown_field(row: Row, sample: str | None, path: str, name: str) -> InputError:
    where = f"{path}.{name}" if path else name
    if path:
        fix = "remove or rename it"
        if path.startswith(("gold", "predicted")) and name in {"start", "end"}:
            fix = "write spans: [[start, end]], or put the header of a violations file in line 1"
        return row.error("there is no such field", sample=sample, field=where, fix=fix)
    near = difflib.get_close_matches(name, FIELDS, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return row.error(
        "a sample has no such field",
        sample=sample,
        field=where,
        fix=f"{hint}Put it under 'attributes', or say what it is with --map, e.g. --map response={name}",
    )


READER = Reader(
    name="native",
    description="Samples of adjudge: JSONL, JSON, CSV or Parquet with the fields of docs/samples.md",
    detect=detect,
    convert=convert,
    rows=rows,
)
WRITER = Writer(
    name="native",
    description="Samples of adjudge, by the file's ending: .jsonl, .json, .csv or .parquet (.gz besides)",
    write=write,
)
