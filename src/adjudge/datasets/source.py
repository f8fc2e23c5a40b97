"""An input file: opened through `.gz`, its shape told from its contents, its rows streamed with places."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal

import msgspec
from msgspec import Struct

from adjudge.errors import InputError

Shape = Literal["jsonl", "json", "csv", "parquet", "zip"]

_decode = msgspec.json.Decoder().decode
_MAGIC: dict[bytes, Shape] = {b"PAR1": "parquet", b"PK\x03\x04": "zip"}


class Row(Struct, frozen=True):
    """One entry of a source, with its place: a line of a text file, or a position counted from 1."""

    data: Any
    file: str
    line: int

    def error(
        self, problem: str, *, sample: str | None = None, field: str | None = None, fix: str | None = None
    ) -> InputError:
        """An InputError at this place."""
        return InputError(problem, file=self.file, line=self.line, sample=sample, field=field, fix=fix)


class Source:
    """A file to read samples from."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)
        self.notes: Counter[str] = Counter()
        """Odd things that were read all the same (NaN, byte order mark, lone surrogates), with how often."""
        if not self.path.exists():
            raise InputError("there is no such file", file=self.name, fix="check the path")
        if self.path.is_dir():
            raise InputError("this is a folder, not a file", file=self.name, fix="name a file in it")

    def open(self) -> IO[bytes]:
        """The bytes, unpacked."""
        try:
            raw = self.path.open("rb")
        except PermissionError:
            raise InputError(
                "no permission to read it", file=self.name, fix="change its permissions"
            ) from None
        if raw.peek(2)[:2] == b"\x1f\x8b":
            return gzip.open(raw)  # type: ignore[return-value]
        return raw

    @cached_property
    def suffix(self) -> str:
        """The file's ending without `.gz`, in lower case: `.csv`."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        if suffixes and suffixes[-1] == ".gz":
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @cached_property
    def shape(self) -> Shape:
        """Told from the contents; only CSV is also told by its ending."""
        with self.open() as stream:
            start = stream.read(4)
            for magic, shape in _MAGIC.items():
                if start == magic:
                    return shape
            if self.suffix in {".csv", ".tsv"}:
                return "csv"
        for _, line in self._text_lines():
            if line[:1] == b"[":
                return "json"
            if line[:1] != b"{":
                raise InputError(
                    f"neither JSON, CSV nor Parquet: it begins with {line[:20]!r}",
                    file=self.name,
                    fix="give a .jsonl, .json, .csv or .parquet file; see 'adjudge list formats'",
                )
            try:
                self._parse(line)
            except ValueError:
                return "json" if self._whole_parses() else "jsonl"
            return "jsonl"
        raise InputError("the file is empty", file=self.name, fix="give a file with at least one sample")

    def _whole_parses(self) -> bool:
        try:
            self.document  # noqa: B018
        except InputError:
            return False
        return True

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value."""
        with self.open() as stream:
            data = stream.read()
        data = self._strip_bom(data)
        try:
            return self._parse(data)
        except ValueError as error:
            raise InputError(f"broken JSON: {error}", file=self.name, fix="mend the JSON there") from None

    @cached_property
    def first(self) -> Any:
        """What formats are recognised by: the first row, or the whole document of a JSON object."""
        if self.shape == "json" and isinstance(self.document, dict):
            return self.document
        if self.shape == "zip":
            return None
        for row in self.rows():
            return row.data
        raise InputError("the file holds no rows", file=self.name, fix="give a file with at least one sample")

    def rows(self) -> Iterator[Row]:
        """Entries one by one: lines of JSONL or CSV, elements of a JSON list, rows of Parquet."""
        for row in self.tolerant_rows():
            if isinstance(row, InputError):
                raise row
            yield row

    def tolerant_rows(self) -> Iterator[Row | InputError]:
        """Like `rows`, but a line that cannot be parsed comes as an error and the rest goes on."""
        if self.shape == "jsonl":
            yield from self._json_lines()
        elif self.shape == "json":
            values = self.document if isinstance(self.document, list) else [self.document]
            for index, value in enumerate(values, 1):
                yield Row(value, self.name, index)
        elif self.shape == "csv":
            yield from self._csv_rows()
        elif self.shape == "parquet":
            yield from self._parquet_rows()
        else:
            raise InputError("a zip archive has no rows", file=self.name)

    def digest(self) -> str:
        """sha256 of the file as it lies on disk."""
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _text_lines(self) -> Iterator[tuple[int, bytes]]:
        with self.open() as stream:
            try:
                for number, line in enumerate(stream, 1):
                    if number == 1:
                        line = self._strip_bom(line)
                    line = line.strip()
                    if line:
                        yield number, line
            except (OSError, EOFError) as error:
                raise InputError(f"the file cannot be unpacked: {error}", file=self.name) from None

    def _strip_bom(self, data: bytes) -> bytes:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(
                "the text is UTF-16, not UTF-8",
                file=self.name,
                fix="save it as UTF-8, e.g. iconv -f UTF-16 -t UTF-8",
            )
        if data.startswith(b"\xef\xbb\xbf"):
            self.notes["byte order mark at the beginning, ignored"] += 1
            return data[3:]
        return data

    def _parse(self, data: bytes) -> Any:
        """JSON, strict and fast first; what strict JSON forbids but tools write is read, and noted."""
        try:
            return _decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as strict:
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ValueError(f"not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})") from None
            odd: Counter[str] = Counter()

            def constant(name: str) -> None:
                odd[f"{name} read as null"] += 1

            try:
                value = json.loads(text, parse_constant=constant)
            except (ValueError, RecursionError):
                raise ValueError(str(strict)) from None
            if not odd:
                odd["lone surrogates or other odd JSON, read as it is"] += 1
                value = _replace_surrogates(value)
            self.notes.update(odd)
            return value

    def _json_lines(self) -> Iterator[Row | InputError]:
        parse, name = self._parse, self.name
        for number, line in self._text_lines():
            try:
                yield Row(parse(line), name, number)
            except ValueError as error:
                yield InputError(
                    f"broken JSON: {error}",
                    file=name,
                    line=number,
                    fix="mend the line, or pass over such lines with --skip-bad",
                )

    def _csv_rows(self) -> Iterator[Row | InputError]:
        with self.open() as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
            reader = csv.DictReader(text, delimiter="\t" if self.suffix == ".tsv" else ",", strict=True)
            csv.field_size_limit(2**31 - 1)
            while True:
                try:
                    row = next(reader)
                except StopIteration:
                    return
                except UnicodeDecodeError as error:
                    raise InputError(
                        f"not UTF-8 text: {error.reason}",
                        file=self.name,
                        line=reader.line_num,
                        fix="save it as UTF-8",
                    ) from None
                except csv.Error as error:
                    yield InputError(f"broken CSV: {error}", file=self.name, line=reader.line_num)
                    continue
                if None in row:
                    yield InputError(
                        "more cells than the header has columns",
                        file=self.name,
                        line=reader.line_num,
                        fix="quote cells that hold commas",
                    )
                    continue
                yield Row(row, self.name, reader.line_num)

    def _parquet_rows(self) -> Iterator[Row]:
        try:
            import pyarrow.parquet as parquet
        except ModuleNotFoundError:
            raise InputError(
                "reading Parquet needs pyarrow", file=self.name, fix="pip install 'adjudge[parquet]'"
            ) from None
        number = 0
        for batch in parquet.ParquetFile(self.path).iter_batches(batch_size=256):
            for value in batch.to_pylist():
                number += 1
                yield Row(value, self.name, number)


def _replace_surrogates(value: Any) -> Any:
    """Lone surrogates cannot be written as UTF-8; the replacement mark keeps offsets in place."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    if isinstance(value, list):
        return [_replace_surrogates(entry) for entry in value]
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(entry) for key, entry in value.items()}
    return value
