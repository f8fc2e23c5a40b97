"""RGB's question files: JSON lines of a question, its answer, and documents that hold it or do not.

There are no responses in them. As samples they say what is asked and what is true; generation takes the
documents as well (`read_rgb_items`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from msgspec import Struct

from adjudge.datasets.base import Reader, answer_field, text_field, text_list
from adjudge.datasets.source import Row, Source
from adjudge.metrics.answers import is_chinese
from adjudge.types import Answer, Attribute, Sample

_KEYS = frozenset({"id", "query", "answer", "positive", "negative"})
_LANGUAGE = re.compile(r"(?:^|_)(en|zh)(?=[_.])")


class RgbItem(Struct, frozen=True, kw_only=True):
    """One question with its documents."""

    id: str
    query: str
    answer: Answer
    positive: tuple[tuple[str, ...], ...]
    """Documents that hold the answer, by the part of it they hold; one group where it has no parts."""
    negative: tuple[str, ...]
    grouped: bool = False
    positive_wrong: tuple[str, ...] | None = None
    """The positive documents with the false answer in place of the true one."""
    counterfactual: Answer | None = None
    language: str = "en"


def language_of(question: str, file: str) -> str:
    """RGB is in two languages: names such as `zh_int.json` or `prediction_en_…` say which, or the script."""
    named = _LANGUAGE.search(PurePath(file).name)
    return named[1] if named else "zh" if is_chinese(question) else "en"


def source_id(row: Row) -> str:
    """The number or text under `id`."""
    if not isinstance(row.data, dict):
        raise row.error(f"expected an object, found {type(row.data).__name__}")
    value = row.data.get("id")
    if isinstance(value, bool) or not isinstance(value, (int, str)) or value == "":
        raise row.error(f"expected a number or text, found {value!r}", field="id", fix="add an 'id'")
    return str(value)


def needed_text(row: Row, key: str, sample: str) -> str:
    value = text_field(row, key, sample=sample, required=True)
    assert value is not None
    return value


def _positives(row: Row, name: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Groups of positive documents, and whether the file groups them."""
    value: Any = row.data.get("positive")
    if isinstance(value, list) and value and all(isinstance(group, list) for group in value):
        if not all(group and all(isinstance(text, str) for text in group) for group in value):
            raise row.error("expected lists of texts, none of them empty", sample=name, field="positive")
        return tuple(tuple(group) for group in value), True
    return (text_list(row, "positive", sample=name) or (),), False


def rgb_item(row: Row) -> RgbItem:
    """One row of a question file."""
    name = source_id(row)
    answer = answer_field(row, "answer", sample=name)
    if answer is None:
        raise row.error(
            "this field is needed and is missing", sample=name, field="answer", fix="add 'answer'"
        )
    positive, grouped = _positives(row, name)
    wrong = text_list(row, "positive_wrong", sample=name)
    if wrong is not None and (grouped or len(wrong) != len(positive[0])):
        raise row.error(
            f"expected one document for each of 'positive', found {len(wrong)}",
            sample=name,
            field="positive_wrong",
        )
    query = needed_text(row, "query", name)
    return RgbItem(
        id=name,
        query=query,
        answer=answer,
        positive=positive,
        negative=text_list(row, "negative", sample=name) or (),
        grouped=grouped,
        positive_wrong=wrong,
        counterfactual=answer_field(row, "fakeanswer", sample=name),
        language=language_of(query, row.file),
    )


def read_rgb_items(source: Source | str | Path) -> Iterator[RgbItem]:
    """The questions of a file with their documents; ids must be unique in it."""
    seen: set[str] = set()
    for row in (source if isinstance(source, Source) else Source(source)).rows():
        item = rgb_item(row)
        if item.id in seen:
            raise row.error("this id was used before", sample=item.id, field="id", fix="make ids unique")
        seen.add(item.id)
        yield item


def _detect(source: Source) -> bool:
    first = source.first
    return isinstance(first, dict) and first.keys() >= _KEYS and "prediction" not in first


def _convert(row: Row) -> list[Sample]:
    item = rgb_item(row)
    attributes: dict[str, Attribute] = {"language": item.language}
    if item.grouped:
        attributes["grouped"] = True
    return [
        Sample(
            id=item.id,
            question=item.query,
            reference=item.answer,
            counterfactual=item.counterfactual,
            attributes=attributes,
        )
    ]


READER = Reader(
    name="rgb",
    description="RGB questions with documents, no responses yet (en.json, zh_int.json, en_fact.json …)",
    detect=_detect,
    convert=_convert,
)
