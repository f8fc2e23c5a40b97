"""Splits of marked violations: what people marked in a text (gold) and what a checker flagged (predicted).

JSONL: a header line, then one sample a line. Or one JSON object: the header with a list `samples` in it.

    {"adjudge": "violations", "format": 1, "split": "slogans@0.3.2", "description": "…",
     "rules": [{"id": "R1", "text": "…", "category": "…"}], "without": ["correction"],
     "checker": "baseline@1.1.0|some-model", "checkers": {"baseline@1.1.0|some-model": "one simple prompt"}}
    {"id": "s1", "text": "…", "gold": [{"start": 4, "end": 9, "rule": "R1"}],
     "predicted": [{"quote": "…", "rule": "R1", "explanation": "…"}]}

A violation has its place as `spans` ([start, end) code points), as `start` and `end`, as a `quote`, or as
offsets and a quote, and any of `rule` (an id or words), `category`, `explanation`, `correction`. An absent
`gold` or `predicted` is unknown, an empty list is none. `without` names what the whole split does not carry.
Only `adjudge`, `format` and `split` must be in the header, only `id` in a sample. A sample may have its own
`checker`: its id is then `id|checker` and its item `id`, unless it gives an `item`; and further `attributes`
and `labels`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from adjudge.datasets.base import Reader, Writer
from adjudge.datasets.native_write import samples_of
from adjudge.datasets.source import Row, Source
from adjudge.datasets.violation_names import CHECKER_FORM, SPLIT_FORM, as_name
from adjudge.errors import InputError
from adjudge.protocols.violation_families import Term, declared, in_order
from adjudge.types import FORMAT, Attribute, Label, Record, Rule, Sample, Span, Violation

_SEE = "see 'adjudge list formats' for what a split holds"
_HEADER_ATTRIBUTES = ("split", "checker", "without")
_encode = msgspec.json.encode


class Header(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """First line of a split."""

    adjudge: str
    format: int
    split: str
    description: str | None = None
    rules: tuple[Rule, ...] | None = None
    without: tuple[Term, ...] = ()
    checker: str | None = None
    checkers: dict[str, str] = {}
    """A line on each checker, for a leaderboard."""


class Mark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A violation as it stands in a file."""

    spans: tuple[Span, ...] | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    rule: str | None = None
    category: str | None = None
    explanation: str | None = None
    correction: str | None = None


class Line(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sample as it stands in a file."""

    id: str | int
    item: str | None = None
    text: str | None = None
    gold: tuple[Mark, ...] | None = None
    predicted: tuple[Mark, ...] | None = None
    checker: str | UnsetType | None = UNSET
    attributes: dict[str, Attribute] = {}
    labels: tuple[Label, ...] = ()


def detect(source: Source) -> bool:
    """Whether the first object says it is the header of a split."""
    if source.shape not in ("json", "jsonl"):
        return False
    first = source.first
    return isinstance(first, dict) and first.get("adjudge") == "violations"


def rows(source: Source) -> Iterator[Row | InputError]:
    """The samples, each beside the header of its split."""
    header: Header | None = None
    for row in source.tolerant_rows():
        if isinstance(row, InputError):
            if header is None:
                raise row
            yield row
        elif header is None:
            header, inside = _header(row)
            for index, entry in enumerate(inside, 1):
                yield Row({"header": header, "sample": entry}, row.file, index)
        else:
            yield Row({"header": header, "sample": row.data}, row.file, row.line)


def convert(row: Row) -> Iterable[Sample]:
    """The sample of one row."""
    header, data = row.data["header"], row.data["sample"]
    name = str(data.get("id")) if isinstance(data, dict) and data.get("id") is not None else None
    try:
        line = msgspec.convert(data, Line)
    except msgspec.ValidationError as error:
        raise row.error(f"not a sample of a split: {error}", sample=name, fix=_SEE) from None
    own = line.checker if isinstance(line.checker, str) else None
    checker = header.checker if line.checker is UNSET else own
    _check_name(row, "checker", own, CHECKER_FORM, "name@version|model", sample=name)
    attributes: dict[str, Attribute] = {"split": header.split}
    if checker is not None:
        attributes["checker"] = checker
    if header.without:
        attributes["without"] = ",".join(in_order(header.without))
    source_id = str(line.id)
    yield Sample(
        id=f"{source_id}|{own}" if own is not None and line.item is None else source_id,
        item=line.item or source_id,
        text=line.text,
        rules=header.rules,
        gold=violations_of(row, "gold", line.gold, source_id),
        predicted=violations_of(row, "predicted", line.predicted, source_id),
        labels=line.labels,
        attributes={**attributes, **line.attributes},
    )


def read_header(source: Source) -> Header | None:
    """The header of a split; None if the file is something else."""
    return _header(next(iter(source.rows())))[0] if detect(source) else None


def _header(row: Row) -> tuple[Header, list[Any]]:
    data = dict(row.data) if isinstance(row.data, dict) else {}
    inside = data.pop("samples", [])
    if not isinstance(inside, list):
        raise row.error("expected a list of samples", field="samples")
    try:
        header = msgspec.convert(data, Header)
    except msgspec.ValidationError as error:
        raise row.error(f"not the header of a split: {error}", fix=_SEE) from None
    if header.format > FORMAT:
        raise row.error(
            f"format {header.format} is newer than this version reads ({FORMAT})",
            field="format",
            fix="upgrade adjudge",
        )
    _check_name(row, "split", header.split, SPLIT_FORM, "name@version")
    for checker in (header.checker, *header.checkers):
        _check_name(row, "checker", checker, CHECKER_FORM, "name@version|model")
    ids = [rule.id for rule in header.rules or ()]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise row.error(f"rule {twice[0]!r} is given twice", field="rules", fix="give each rule its own id")
    return header, inside


def _check_name(
    row: Row, field: str, value: str | None, form: re.Pattern[str], shown: str, *, sample: str | None = None
) -> None:
    if value is not None and form.fullmatch(value) is None:
        raise row.error(f"{value!r} is not of the form {shown}", sample=sample, field=field, fix="rename it")


def violations_of(
    row: Row, field: str, marks: tuple[Mark, ...] | None, sample: str
) -> tuple[Violation, ...] | None:
    """Violations from marks as they stand in a file, each with a place."""
    if marks is None:
        return None
    return tuple(_violation(row, f"{field}.{index}", mark, sample) for index, mark in enumerate(marks))


def _violation(row: Row, field: str, mark: Mark, sample: str) -> Violation:
    spans = mark.spans
    if mark.start is not None or mark.end is not None:
        if spans is not None or mark.start is None or mark.end is None:
            raise row.error(
                "give either spans, or both start and end", sample=sample, field=field, fix="drop one of them"
            )
        spans = ((mark.start, mark.end),)
    for start, end in spans or ():
        if not 0 <= start <= end:
            raise row.error(
                f"[{start}, {end}) is no span",
                sample=sample,
                field=field,
                fix="count code points from 0, end after the last",
            )
    if not spans and not mark.quote:
        raise row.error(
            "it has no place in the text",
            sample=sample,
            field=field,
            fix="give spans, start and end, or a quote",
        )
    return Violation(
        spans=spans or None,
        quote=mark.quote,
        rule=mark.rule,
        category=mark.category,
        explanation=mark.explanation,
        correction=mark.correction,
    )


def write(records: Iterable[Record], path: Path, original: Path | None) -> None:  # noqa: ARG001
    """The samples behind the records as one split, whole or not at all."""
    write_split(samples_of(records), path)


def write_split(samples: Iterable[Sample], path: Path, base: Header | None = None) -> None:
    """Samples as one split, under the header of the split they came from if that is known."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    header: Header | None = None
    try:
        with unfinished.open("wb") as stream:
            for sample in samples:
                wanted = header_for(sample, path.stem)
                if header is None:
                    first, header = wanted, base or wanted
                    stream.write(_encode(header) + b"\n")
                for field in ("split", "rules", "without"):
                    if getattr(wanted, field) != getattr(first, field):
                        raise InputError(
                            "it differs from the first sample's, and a file holds one split",
                            sample=sample.id,
                            field=field,
                            fix="write each split to a file of its own",
                        )
                stream.write(_encode(_line(sample, header)) + b"\n")
            if header is None:
                stream.write(_encode(base or header_for(None, path.stem)) + b"\n")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def header_for(sample: Sample | None, name: str) -> Header:
    """The header of a sample's split as far as the sample tells; `name` names a split that has no name."""
    attributes = sample.attributes if sample is not None else {}
    return Header(
        adjudge="violations",
        format=FORMAT,
        split=_named(attributes.get("split"), SPLIT_FORM) or _named(name, SPLIT_FORM) or "split@0",
        rules=sample.rules if sample is not None else None,
        without=in_order(declared(attributes.get("without"))),
        checker=_named(attributes.get("checker"), CHECKER_FORM),
    )


def _named(value: Attribute, form: re.Pattern[str]) -> str | None:
    """A name as the format wants it; one without a version gets version 0."""
    if not isinstance(value, str) or not value:
        return None
    return value if form.fullmatch(value) else as_name(value) + "@0"


def _line(sample: Sample, header: Header) -> dict[str, Any]:
    checker = _named(sample.attributes.get("checker"), CHECKER_FORM)
    rest = {name: v for name, v in sample.attributes.items() if name not in _HEADER_ATTRIBUTES}
    line: dict[str, Any] = {"id": sample.id}
    if sample.item != sample.id or checker != header.checker:
        line["item"] = sample.item
    for name in ("text", "gold", "predicted"):
        if getattr(sample, name) is not None:
            line[name] = getattr(sample, name)
    if checker != header.checker:
        line["checker"] = checker
    if rest:
        line["attributes"] = rest
    labels = [label for label in sample.labels if label.unit.startswith("gold:")]
    if labels:
        line["labels"] = labels
    return line


READER = Reader(
    name="violations",
    description="Marked violations of a split: a header line with its rules, then one sample a line.",
    detect=detect,
    convert=convert,
    rows=rows,
)
WRITER = Writer(
    name="violations",
    description="The samples as a split of marked violations, one file a split.",
    write=write,
)
