"""SemEval-2021 task 6, subtask 2: short texts with spans labelled by propaganda technique.

A list of `{"id", "text", "labels": [{"start", "end", "technique", "text_fragment"}]}`; `predicted`, in the
same form as `labels`, may stand beside them. A technique is the rule; categories, explanations and
corrections do not exist there, which every sample says in its attribute `without`. Offsets and fragment are
both kept: they disagree in a few places, which is settled when the violations are placed in their text.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.datasets.base import Reader, text_field
from adjudge.datasets.source import Row, Source
from adjudge.types import Sample, Violation

_WITHOUT = "category,explanation,correction"
_LOOK = 1000
"""Texts without labels are common; this many are looked at to find one that has some."""


class Mark(Struct, frozen=True):
    """One labelled span."""

    start: int
    end: int
    technique: str
    text_fragment: str | None = None


def detect(source: Source) -> bool:
    """Whether every row has id, text and labels, and the first label there is names a technique."""
    if source.shape not in ("json", "jsonl"):
        return False
    if source.shape == "json" and not isinstance(source.document, list):
        return False
    for row in islice(source.tolerant_rows(), _LOOK):
        if not isinstance(row, Row):
            continue
        if not isinstance(row.data, dict) or not {"id", "text", "labels"} <= row.data.keys():
            return False
        labels = row.data["labels"]
        if not isinstance(labels, list):
            return False
        if labels:
            return isinstance(labels[0], dict) and {"technique", "start", "end"} <= labels[0].keys()
    return False


def convert(row: Row) -> Iterable[Sample]:
    """The sample of one row."""
    if not isinstance(row.data, dict) or row.data.get("id") is None:
        raise row.error("expected an object with an id", field="id", fix="add 'id'")
    name = str(row.data["id"])
    yield Sample(
        id=name,
        text=text_field(row, "text", sample=name, required=True),
        gold=_violations(row, "labels", name, row.data.get("labels")),
        predicted=_violations(row, "predicted", name, row.data.get("predicted")),
        attributes={"without": _WITHOUT},
    )


def _violations(row: Row, field: str, sample: str, value: Any) -> tuple[Violation, ...] | None:
    if value is None:
        return None
    try:
        marks = msgspec.convert(value, tuple[Mark, ...])
    except msgspec.ValidationError as error:
        raise row.error(f"not a list of labelled spans: {error}", sample=sample, field=field) from None
    for mark in marks:
        if not 0 <= mark.start <= mark.end:
            raise row.error(
                f"[{mark.start}, {mark.end}) is no span",
                sample=sample,
                field=field,
                fix="count code points from 0, end after the last",
            )
    return tuple(
        Violation(spans=((mark.start, mark.end),), quote=mark.text_fragment, rule=mark.technique)
        for mark in marks
    )


READER = Reader(
    name="semeval",
    description="SemEval-2021 task 6 subtask 2: texts with technique spans (id, text, labels).",
    detect=detect,
    convert=convert,
)
