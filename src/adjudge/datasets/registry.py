"""All formats by name, which one a file is in, and the one loop that reads samples."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from adjudge.datasets.base import Reader, Writer
from adjudge.datasets.cells import FIELDS
from adjudge.datasets.mapping import mapping_reader, parse_mapping
from adjudge.datasets.seen import SeenIds
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.plugins import plugin
from adjudge.types import Sample

__all__ = ["detect", "find_reader", "find_writer", "parse_mapping", "read", "readers", "writers"]

_MODULES = (
    *("native", "ragchecker", "longform", "factscore", "rgb", "rgb_predictions", "ragbench"),
    *("trace_labels", "violations", "semeval", "ragas", "deepeval", "inspect_log", "safe_annotated", "mqm"),
)


@cache
def readers() -> tuple[Reader, ...]:
    """The built-in readers, ours first."""
    modules = [import_module(f"adjudge.datasets.{name}") for name in _MODULES]
    return tuple(module.READER for module in modules if hasattr(module, "READER"))


@cache
def writers() -> tuple[Writer, ...]:
    """The built-in writers, ours first."""
    modules = [import_module(f"adjudge.datasets.{name}") for name in _MODULES]
    return tuple(module.WRITER for module in modules if hasattr(module, "WRITER"))


def find_reader(name: str) -> Reader:
    """The reader of that name; entry points `adjudge.readers` are searched only for unknown names."""
    for reader in readers():
        if reader.name == name:
            return reader
    loaded = plugin("adjudge.readers", name)
    if loaded is None:
        raise _unknown("read", name, [reader.name for reader in readers()])
    return loaded  # type: ignore[no-any-return]


def find_writer(name: str) -> Writer:
    """The writer of that name; entry points `adjudge.writers` are searched only for unknown names."""
    for writer in writers():
        if writer.name == name:
            return writer
    loaded = plugin("adjudge.writers", name)
    if loaded is None:
        raise _unknown("written", name, [writer.name for writer in writers()])
    return loaded  # type: ignore[no-any-return]


def _unknown(done: str, name: str, names: list[str]) -> UsageError:
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return UsageError(f"there is no format {name!r} that can be {done}; {hint}There are {', '.join(names)}")


def detect(source: Source) -> Reader:
    """The one format the file is in; an error when none fits, or more than one."""
    fitting = [reader for reader in readers() if reader.detect(source)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " and ".join(reader.name for reader in fitting)
        raise InputError(
            f"more than one format fits: {names}",
            file=source.name,
            fix=f"say which with --format {fitting[0].name}, or which key is which field with --map",
        )
    raise InputError(
        f"no known format fits: {_found(source)}",
        file=source.name,
        fix="say which key is which field, e.g. --map question=query,response=answer,contexts=docs, "
        "or name the format with --format; see 'adjudge list formats'",
    )


def _found(source: Source) -> str:
    """What the file holds, and what keeps it from being ours if little does."""
    if source.shape == "zip":
        return "it is a zip archive (a spreadsheet must be saved as CSV)"
    first = source.first
    if not isinstance(first, dict):
        return f"its first entry is {type(first).__name__}, not an object"
    names = list(first)
    shown = ", ".join(map(repr, names[:20])) + (" …" if len(names) > 20 else "")
    foreign = [name for name in names if name not in FIELDS]
    if len(foreign) < len(names) - len(foreign):
        near = {name: difflib.get_close_matches(name, FIELDS, n=1) for name in foreign}
        hints = [
            f"{name!r} (did you mean {found[0]!r}?)" if found else repr(name) for name, found in near.items()
        ]
        return f"its first entry has {shown}; a native sample has no field {', '.join(hints)}"
    return f"its first entry has {shown or 'no keys'}"


def read(
    source: Source,
    *,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    on_error: Callable[[InputError], None] | None = None,
) -> Iterator[Sample]:
    """The samples of a file, in its order. Errors are raised, or handed to `on_error` and passed over."""
    if format is not None and mapping is not None:
        raise UsageError("--format and --map exclude each other: --map says itself how to read")
    if mapping is not None:
        reader = mapping_reader(mapping)
    else:
        reader = detect(source) if format is None else find_reader(format)
    return _read(source, reader, on_error)


def _read(source: Source, reader: Reader, on_error: Callable[[InputError], None] | None) -> Iterator[Sample]:
    source.seen = SeenIds()
    add = source.seen.add
    for row in reader.rows(source):
        try:
            if isinstance(row, InputError):
                raise row
            samples = _converted(reader, row)
        except InputError as error:
            if on_error is None:
                raise
            on_error(error)
            continue
        for sample in samples:
            line = add(sample.id, row.line)
            if line is None:
                yield sample
                continue
            twice = row.error(
                f"this id was already used at {row.file}:{line}",
                sample=sample.id,
                field="id",
                fix="make ids unique; responses to one question share `item`, not `id`",
            )
            if on_error is None:
                raise twice
            on_error(twice)


def _converted(reader: Reader, row: Row) -> tuple[Sample, ...]:
    """All samples of a row, or none should one of them be bad."""
    if row.data is None or isinstance(row.data, (list, str, int, float)):
        raise row.error(f"expected an object, found {type(row.data).__name__}")
    try:
        return tuple(reader.convert(row))
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        # a value of a kind that the reader did not foresee; the cause stays chained for whoever mends it
        raise row.error(
            f"a value is not what the format {reader.name} has there ({type(error).__name__}: {error})",
            fix="compare the row with docs/formats.md",
        ) from error
