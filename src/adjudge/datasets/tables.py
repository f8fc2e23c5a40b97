"""Rows of CSV and Parquet files as dictionaries, each with its line or position."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

from adjudge.errors import InputError

Entry = tuple[int, dict[str, Any]]


def csv_rows(stream: IO[bytes], file: str, suffix: str, notes: Counter[str]) -> Iterator[Entry | InputError]:
    """Rows under the header's names, with the line each begins on; a short row lacks its last cells."""
    csv.field_size_limit(2**31 - 1)
    try:
        # Bytes that are no UTF-8 come as lone surrogates, so that the row they stand in can be named.
        with io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
            delimiter = "\t" if suffix == ".tsv" else _delimiter(text.readline())
            text.seek(0)
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            header = _header(next(reader, []), file, notes)
            yield from _records(reader, header, file)
    except csv.Error as error:
        raise InputError(f"broken CSV header: {error}", file=file, line=1) from None


def _delimiter(header: str) -> str:
    """Spreadsheets of many countries write semicolons."""
    return ";" if header.count(";") > header.count(",") else ","


def _header(names: list[str], file: str, notes: Counter[str]) -> list[str]:
    names = [name.strip() for name in names]
    if (byte := _foreign_byte(names)) is not None:
        raise InputError(f"not UTF-8 text (byte 0x{byte:02x})", file=file, line=1, fix="save it as UTF-8")
    if not any(names):
        raise InputError("the file has no header", file=file, line=1, fix="name the columns in line 1")
    twice = sorted(name for name, n in Counter(names).items() if n > 1 and name)
    if twice:
        raise InputError(
            f"two columns are named {', '.join(map(repr, twice))}", file=file, line=1, fix="rename one"
        )
    if "" in names:
        notes["column without a name, ignored"] = names.count("")
    return names


def _foreign_byte(cells: list[str]) -> int | None:
    """The first byte that is no UTF-8, or None."""
    for cell in cells:
        if not cell.isascii():
            for char in cell:
                if "\udc80" <= char <= "\udcff":
                    return ord(char) - 0xDC00
    return None


def _records(reader: Any, header: list[str], file: str) -> Iterator[Entry | InputError]:
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield InputError(f"broken CSV: {error}", file=file, line=line, fix="check the quotes")
            continue
        if not cells:
            continue
        if (byte := _foreign_byte(cells)) is not None:
            yield InputError(
                f"not UTF-8 text (byte 0x{byte:02x})", file=file, line=line, fix="save it as UTF-8"
            )
            continue
        if len(cells) > len(header):
            yield InputError(
                f"{len(cells)} cells under {len(header)} columns",
                file=file,
                line=line,
                fix="quote cells that hold the separator",
            )
            continue
        yield line, {name: cell for name, cell in zip(header, cells, strict=False) if name}


def parquet_rows(stream: IO[bytes], file: str, notes: Counter[str]) -> Iterator[Entry]:
    """Rows with their position from 1; NaN is null, since a number that is none has no value."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError:
        raise InputError(
            "reading Parquet needs pyarrow", file=file, fix="pip install 'adjudge[parquet]'"
        ) from None
    number = 0
    try:
        for batch in parquet.ParquetFile(stream).iter_batches(batch_size=256):
            for values in batch.to_pylist():
                number += 1
                for name, value in values.items():
                    if isinstance(value, float) and value != value:
                        values[name] = None
                        notes["NaN read as null"] += 1
                yield number, values
    except arrow.ArrowInvalid as error:
        raise InputError(
            f"broken Parquet: {error}", file=file, fix="write the file again; it is damaged"
        ) from None
