"""Small steps that several readers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from adjudge.datasets.cells import attribute_cell, list_cell
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import Answer, Attribute


def numbered(rows: Iterable[Row | InputError]) -> Iterator[Row | InputError]:
    """Rows with an `id` of text: a number becomes text, a missing id the row's position from 0."""
    for position, row in enumerate(rows):
        if isinstance(row, Row):
            data = row.data
            if isinstance(data, dict) and type(data.get("id")) is not str:
                row = Row(data | {"id": id_text(data.get("id"), position)}, row.file, row.line)
        yield row


def id_text(value: Any, position: int) -> Any:
    """An id as text; what cannot be one is left for the type check to name."""
    if value is None or value == "":
        return str(position)
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def scalars(data: Mapping[str, Any], without: Iterable[str] = ()) -> dict[str, Attribute]:
    """The entries that can be attributes: text, numbers and truth values."""
    left_out = set(without)
    return {
        name: value
        for name, value in data.items()
        if name not in left_out and isinstance(value, (str, bool, int, float)) and value != ""
    }


def table_rows(
    source: Source,
    *,
    texts: Collection[str],
    lists: Collection[str],
    answers: Collection[str],
    split: Callable[[str], list[str]] = lambda cell: [cell],
) -> Iterator[Row | InputError]:
    """Rows of any shape, numbered; the cells of a CSV are unpacked: `texts` stay text, `lists` become lists
    (`split` says how where a cell spells none), all else is a number where it looks like one. An empty cell
    is absent, but among `answers` it is an empty answer.
    """
    rows = source.tolerant_rows()
    if source.shape != "csv":
        return numbered(rows)

    def unpack(name: str, cell: str) -> Any:
        if name in lists:
            spelt = list_cell(cell)
            return split(cell) if spelt is None else spelt
        return cell if name in texts else attribute_cell(cell)

    def unpacked() -> Iterator[Row | InputError]:
        for row in rows:
            if isinstance(row, Row):
                data = {
                    name: unpack(name, cell) for name, cell in row.data.items() if cell or name in answers
                }
                row = Row(data, row.file, row.line)
            yield row

    return numbered(unpacked())


def any_of(values: tuple[str, ...] | None) -> Answer | None:
    """Several right answers of which one is enough, as an Answer; one alone is plain text."""
    if not values:
        return None
    return values[0] if len(values) == 1 else (values,)
