"""Writing the native sample file, by the ending of its name."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

import msgspec

from adjudge.datasets.cells import ANSWERS, FIELDS, FOREIGN, attribute_text, list_cell
from adjudge.datasets.seen import SeenIds
from adjudge.errors import InputError, UsageError
from adjudge.types import FORMAT, Record, Sample, to_json

_encode = msgspec.json.encode
_HEADER = _encode({"adjudge": "samples", "format": FORMAT})
_LISTS = ("contexts", "context_ids")
_BATCH = 1024


def form_of(path: Path) -> tuple[str, bool]:
    """The form that a file's name asks for, and whether it is packed; UsageError if it asks for none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = (suffixes[:-1] if packed else suffixes)[-1:]
    if not suffix or suffix[0] not in _WRITERS:
        raise UsageError(f"cannot tell what form {path.name!r} should have; end it in {', '.join(_WRITERS)}")
    return suffix[0], packed


def write(records: Iterable[Record], path: Path, original: Path | None) -> None:  # noqa: ARG001
    """Writes the samples of the records, whole or not at all."""
    suffix, packed = form_of(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as raw:
            # without name and time, so that the same samples give the same bytes
            stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if packed else raw
            _WRITERS[suffix](samples_of(records), cast("IO[bytes]", stream), unfinished)
            if packed:
                stream.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def samples_of(records: Iterable[Record]) -> Iterator[Sample]:
    """One sample for all records of an id, with their units and labels, so that it can be scored again."""
    seen = SeenIds()
    for position, (id, group) in enumerate(groupby(records, key=_id), 1):
        if seen.add(id, position) is not None:
            raise InputError("its records do not follow one another", sample=id, fix="sort the records by id")
        sample: Sample | None = None
        for record in group:
            if record.sample is None:
                raise InputError(
                    "the run holds no text of it (--lean)", sample=id, fix="convert the input file instead"
                )
            sample = _with_labels(sample or record.sample, record)
        assert sample is not None
        yield sample


def _id(record: Record) -> str:
    return record.id or (record.sample.id if record.sample is not None else "")


def _with_labels(sample: Sample, record: Record) -> Sample:
    changes = {
        name: _merged(getattr(sample, name), getattr(record, name))
        for name in ("units", "labels", "grids")
        if getattr(record, name)
    }
    return msgspec.structs.replace(sample, **changes) if changes else sample


def _merged(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    known = {to_json(entry) for entry in old}
    return old + tuple(entry for entry in new if to_json(entry) not in known)


def _plain(sample: Sample) -> dict[str, Any]:
    """The sample as JSON values; `item` is left out where it is the id, as a person would write it."""
    data: dict[str, Any] = msgspec.to_builtins(sample)
    if sample.item == sample.id:
        del data["item"]
    return data


def _write_jsonl(samples: Iterable[Sample], stream: IO[bytes], _: Path) -> None:
    stream.write(_HEADER + b"\n")
    for sample in samples:
        stream.write(_encode(_plain(sample)) + b"\n")


def _write_json(samples: Iterable[Sample], stream: IO[bytes], _: Path) -> None:
    stream.write(b'{"format":%d,"samples":[' % FORMAT)
    separator = b"\n"
    for sample in samples:
        stream.write(separator + _encode(_plain(sample)))
        separator = b",\n"
    stream.write(b"\n]}\n")


def _write_csv(samples: Iterable[Sample], stream: IO[bytes], beside: Path) -> None:
    with spooled((_csv_cells(_plain(sample)) for sample in samples), beside) as (columns, rows):
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.DictWriter(text, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
        text.detach()


def _csv_cells(data: dict[str, Any]) -> dict[str, Any]:
    attributes = data.pop("attributes", {})
    cells = {name: _cell(name, value) for name, value in data.items()}
    for name in list(attributes):
        cell = attribute_text(attributes[name])
        if cell is not None and name == name.strip() and name and name not in FIELDS | FOREIGN:
            cells[name] = cell
            del attributes[name]
    if attributes:
        cells["attributes"] = _encode(attributes).decode()
    return cells


def _cell(name: str, value: Any) -> str:
    """Text as it is, all else as JSON; an answer that looks like a list becomes a list of one."""
    if name in ANSWERS and isinstance(value, str):
        return value if value and list_cell(value) is None else _encode([value]).decode()
    return value if isinstance(value, str) else _encode(value).decode()


def _write_parquet(samples: Iterable[Sample], stream: IO[bytes], beside: Path) -> None:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise UsageError("writing Parquet needs pyarrow: pip install 'adjudge[parquet]'") from None
    with spooled((_parquet_cells(_plain(sample)) for sample in samples), beside) as (columns, rows):
        texts = arrow.list_(arrow.string())
        schema = arrow.schema([(name, texts if name in _LISTS else arrow.string()) for name in columns])
        with parquet.ParquetWriter(stream, schema) as writer:
            while batch := list(islice(rows, _BATCH)):
                writer.write_batch(arrow.RecordBatch.from_pylist(batch, schema))


def _parquet_cells(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in _LISTS else _cell(name, value) for name, value in data.items()}


@contextmanager
def spooled(
    rows: Iterable[dict[str, Any]], beside: Path
) -> Iterator[tuple[list[str], Iterator[dict[str, Any]]]]:
    """Which columns the rows have, and the rows again, by way of the disk: memory stays flat."""
    names: dict[str, None] = {}
    with TemporaryFile(dir=beside.parent) as stream:
        for row in rows:
            names.update(dict.fromkeys(row))
            stream.write(_encode(row) + b"\n")
        stream.seek(0)
        ours = [name for name in Sample.__struct_fields__ if name in names]
        yield ours + [name for name in names if name not in FIELDS], map(msgspec.json.decode, stream)


_WRITERS: dict[str, Callable[[Iterable[Sample], IO[bytes], Path], None]] = {
    ".jsonl": _write_jsonl,
    ".json": _write_json,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
