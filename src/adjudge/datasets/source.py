"""An input file: opened through `.gz`, its shape told from its contents, its rows streamed with places."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal, cast

from msgspec import Struct

from adjudge.datasets.odd_json import parse_json
from adjudge.datasets.packed import is_tar, open_single
from adjudge.datasets.seen import SeenIds
from adjudge.datasets.tables import Entry, csv_rows, parquet_rows
from adjudge.errors import InputError
from adjudge.paths import path_text

Shape = Literal["jsonl", "json", "csv", "parquet", "zip"]

_MAGIC: dict[bytes, Shape] = {b"PAR1": "parquet", b"PK\x03\x04": "zip"}
_BOM = "byte order mark at the beginning, ignored"


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


class Copy(str):
    """The path of a copy of something that can be read only once."""

    given: str
    """What the user named, who knows nothing of the copy."""

    def __new__(cls, path: str, given: str) -> Copy:
        copy = super().__new__(cls, path)
        copy.given = given
        return copy


class Source:
    """A file to read samples from."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = path.given if isinstance(path, Copy) else str(path)
        self.origin = path.given if isinstance(path, Copy) else path_text(self.path.absolute())
        """Where samples came from, for a run's record."""
        self.notes: Counter[str] = Counter()
        """Odd things that were read all the same (NaN, byte order mark, lone surrogates), with how often."""
        self.seen: SeenIds | None = None
        """Ids read so far and their lines, kept by whoever reads samples."""
        with self._plain_errors():
            if not self.path.exists():
                raise InputError("there is no such file", file=self.name, fix="check the path")
            if self.path.is_dir():
                raise InputError("this is a folder, not a file", file=self.name, fix="name a file in it")
            if not self.path.is_file():
                raise InputError(
                    "this is not a regular file, and it must be read more than once",
                    file=self.name,
                    fix="save it to a file first",
                )

    def open(self) -> IO[bytes]:
        """The bytes, unpacked."""
        with self._plain_errors():
            with self.path.open("rb") as stream:
                packed = stream.read(2) == b"\x1f\x8b"
            opener = gzip.open if packed else open
            unpacked = cast("IO[bytes]", opener(self.path, "rb"))
            try:
                return open_single(unpacked, self.name) if is_tar(unpacked) else unpacked
            except BaseException:
                unpacked.close()
                raise

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """Errors of the disk and of unpacking, said as an InputError."""
        try:
            yield
        except PermissionError:
            raise InputError(
                "no permission to read it", file=self.name, fix="change its permissions"
            ) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(
                f"it cannot be unpacked: {error}",
                file=self.name,
                fix="the file is cut short or damaged; copy or pack it again",
            ) from None
        except OSError as error:
            raise InputError(f"it cannot be read: {error.strerror or error}", file=self.name) from None

    @cached_property
    def suffix(self) -> str:
        """The file's ending without `.gz`, `.tar` and `.tgz`, in lower case: `.csv`."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        while suffixes and suffixes[-1] in {".gz", ".tar", ".tgz"}:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @cached_property
    def shape(self) -> Shape:
        """Told from the contents; only CSV is also told by its ending."""
        with self._plain_errors(), self.open() as stream:
            start = stream.read(4)
        if start in _MAGIC:
            return _MAGIC[start]
        if self.suffix in {".csv", ".tsv"}:
            return "csv"
        lines = self._text_lines()
        for _, line in lines:
            if line[:1] == b"[":
                return "json"
            if line[:1] != b"{":
                raise InputError(
                    f"neither JSON nor Parquet: it begins with {line[:20]!r}",
                    file=self.name,
                    fix="give a .jsonl, .json, .csv or .parquet file (a CSV file must be named .csv)",
                )
            if self._parses(line):
                return "jsonl"
            return self._shape_after_odd_line(line, next(lines, (0, b""))[1])
        raise InputError("the file is empty", file=self.name, fix="give a file with at least one sample")

    def _shape_after_odd_line(self, first: bytes, second: bytes) -> Shape:
        """The first line is no JSON by itself: the beginning of one document, or a broken line of many."""
        if first[-1:] == b"}" and second[:1] == b"{":
            return "jsonl"
        try:
            self.document  # noqa: B018
        except InputError:
            return "jsonl" if self._parses(second) and second[:1] == b"{" else "json"
        return "json"

    def _parses(self, line: bytes) -> bool:
        try:
            parse_json(line, Counter())
        except ValueError:
            return False
        return True

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value."""
        with self._plain_errors(), self.open() as stream:
            data = self._strip_bom(stream.read())
        try:
            return parse_json(data, self.notes)
        except ValueError as error:
            raise InputError(f"broken JSON: {error}", file=self.name, fix="mend the JSON there") from None

    @cached_property
    def first(self) -> Any:
        """What formats are recognised by: the first sound row, or the whole document of a JSON object."""
        if self.shape == "json" and isinstance(self.document, dict):
            return self.document
        if self.shape == "zip":
            return None
        broken: InputError | None = None
        for row in self.tolerant_rows():
            if isinstance(row, Row):
                return row.data
            broken = broken or row
        raise broken or InputError(
            "the file holds no rows", file=self.name, fix="give a file with at least one sample"
        )

    def rows(self) -> Iterator[Row]:
        """Entries one by one: lines of JSONL or CSV, elements of a JSON list, rows of Parquet."""
        for row in self.tolerant_rows():
            if isinstance(row, InputError):
                raise row
            yield row

    def tolerant_rows(self) -> Iterator[Row | InputError]:
        """Like `rows`, but a line that cannot be parsed comes as an error and the rest goes on."""
        if self.shape == "json":
            values = self.document if isinstance(self.document, list) else [self.document]
            for index, value in enumerate(values, 1):
                yield Row(value, self.name, index)
        elif self.shape == "zip":
            raise InputError("a zip archive has no rows", file=self.name, fix="unpack it and name a file")
        else:
            self.notes.clear()  # a second pass must not count the same oddities twice
            yield from self._json_lines() if self.shape == "jsonl" else self._table_rows()

    def digest(self) -> str:
        """sha256 of the file as it lies on disk."""
        with self._plain_errors(), self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _text_lines(self) -> Iterator[tuple[int, bytes]]:
        """Lines that are not blank, with their numbers."""
        with self._plain_errors(), self.open() as stream:
            for number, line in enumerate(stream, 1):
                if number == 1:
                    line = self._strip_bom(line)
                line = line.strip()
                if line:
                    yield number, line

    def _strip_bom(self, data: bytes) -> bytes:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]:
            raise InputError(
                "the text is UTF-16 (or no text at all), not UTF-8",
                file=self.name,
                fix="save it as UTF-8, e.g. iconv -f UTF-16 -t UTF-8",
            )
        if data.startswith(b"\xef\xbb\xbf"):
            self.notes[_BOM] = 1
            return data[3:]
        return data

    def _json_lines(self) -> Iterator[Row | InputError]:
        notes, name = self.notes, self.name
        for number, line in self._text_lines():
            try:
                value = parse_json(line, notes)
            except ValueError as error:
                yield InputError(
                    f"broken JSON: {error}",
                    file=name,
                    line=number,
                    fix="mend the line, or pass over such lines with --skip-bad",
                )
                continue
            yield Row(value, name, number)

    def _table_rows(self) -> Iterator[Row | InputError]:
        with self._plain_errors(), self.open() as stream:
            entries: Iterator[Entry | InputError]
            if self.shape == "parquet":
                entries = parquet_rows(stream, self.name, self.notes)
            else:
                self._strip_bom(stream.read(4))
                stream.seek(0)
                entries = csv_rows(stream, self.name, self.suffix, self.notes)
            for entry in entries:
                yield entry if isinstance(entry, InputError) else Row(entry[1], self.name, entry[0])
