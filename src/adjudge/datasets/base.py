"""What a reader and a writer are. Each foreign format is one file that defines `READER`, `WRITER` or both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import Answer, Record, Sample


def _rows(source: Source) -> Iterator[Row | InputError]:
    return source.tolerant_rows()


class Reader(Struct, frozen=True, kw_only=True):
    """One format: recognised as a whole from its first row or document, then read row by row."""

    name: str
    description: str
    detect: Callable[[Source], bool]
    """Whether the source is in this format. Must look at enough keys that no other format fits too."""
    convert: Callable[[Row], Iterable[Sample]]
    """The samples of one row (several where a row holds several responses). Raises row.error(...)."""
    rows: Callable[[Source], Iterable[Row | InputError]] = _rows
    """The rows of a source; only formats whose rows lie inside a document give their own."""


class Writer(Struct, frozen=True, kw_only=True):
    """One format to write: `write(records, path, original)`.

    `records` are a run's, or made from samples (protocol ``""``, no scores) when a plain file is converted.
    `original` is the file the samples came from, for formats that are the input with results added.
    Returned is what the user should be told, if anything.
    """

    name: str
    description: str
    write: Callable[[Iterable[Record], Path, Path | None], Sequence[str] | None]


def text_field(row: Row, key: str, *, sample: str | None = None, required: bool = False) -> str | None:
    """A text field of a row's object; absent or null gives None unless required, another type is an error."""
    value = row.data.get(key)
    if value is None:
        if required:
            raise row.error(
                "this field is needed and is missing", sample=sample, field=key, fix=f"add {key!r}"
            )
        return None
    if not isinstance(value, str):
        raise row.error(f"expected text, found {type(value).__name__}", sample=sample, field=key)
    return value


def text_list(row: Row, key: str, *, sample: str | None = None) -> tuple[str, ...] | None:
    """A field that is a list of texts, or None when absent."""
    value = row.data.get(key)
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
        raise row.error("expected a list of texts", sample=sample, field=key)
    return tuple(value)


def answer_field(row: Row, key: str, *, sample: str | None = None) -> Answer | None:
    """A nested all-of / any-of answer (numbers become text), or None when absent."""
    value = row.data.get(key)
    if value is None:
        return None
    try:
        return msgspec.convert(_as_text(value), Answer)  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        raise row.error(f"not an answer: {error}", sample=sample, field=key) from None


def _as_text(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_as_text(entry) for entry in value]
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
