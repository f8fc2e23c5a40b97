"""The label JSON of TRACe: lists of sentence keys and one entry a response sentence, alone or beside texts.

One object, a list of them, or one a line. Beside the labels there may be `id`, `item`, `question`,
`documents` (or `contexts`), `response`, the sentences that the keys name (`documents_sentences`,
`response_sentences`), `source`; other plain values become attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adjudge.datasets.base import Reader, Writer, text_field, text_list
from adjudge.datasets.source import Row, Source
from adjudge.datasets.trace_rows import (
    LABEL_KEYS,
    RAGBENCH_KEYS,
    SENTENCE_KEYS,
    flag,
    is_ragbench,
    judged_lists,
    response_key,
    sentence_units,
    support_entries,
    supporting_keys,
    text_or_none,
)
from adjudge.errors import UsageError
from adjudge.protocols.trace import Trace
from adjudge.protocols.trace_label import SentenceSupport, support_labels
from adjudge.segment.keys import parse_key
from adjudge.segment.units import unit_text
from adjudge.types import Label, Record, Sample, Unit

_OWN_KEYS = (LABEL_KEYS | SENTENCE_KEYS | RAGBENCH_KEYS) | {
    "id", "item", "question", "documents", "contexts", "response", "source",
    "relevance_explanation", "overall_supported", "overall_supported_explanation",
}  # fmt: skip
_SOURCE = "judge:trace_labels"


def _detect(source: Source) -> bool:
    if source.shape not in ("json", "jsonl") or not isinstance(source.first, dict):
        return False
    return not LABEL_KEYS.isdisjoint(source.first) and not is_ragbench(source.first)


def _convert(row: Row) -> Iterator[Sample]:
    if not isinstance(row.data, dict):
        raise row.error(f"expected an object with labels, found {type(row.data).__name__}")
    data = row.data
    name = str(row.line if data.get("id") is None else data["id"])
    contexts = text_list(row, "documents" if "documents" in data else "contexts", sample=name)
    response = text_field(row, "response", sample=name)
    source = text_field(row, "source", sample=name) or _SOURCE
    units = [
        *sentence_units(row, "documents_sentences", name, contexts),
        *sentence_units(row, "response_sentences", name, response),
    ]
    yield Sample(
        id=name,
        item=str(data.get("item") or name),
        question=text_field(row, "question", sample=name),
        response=response,
        contexts=contexts,
        units=tuple(units),
        labels=tuple(_labels(row, name, source)),
        attributes={
            key: value
            for key, value in data.items()
            if key not in _OWN_KEYS and isinstance(value, (str, bool, int, float))
        },
    )


def _labels(row: Row, sample: str, source: str) -> list[Label]:
    labels = judged_lists(row, sample, source)
    entries = support_entries(row, sample)
    overall = flag(row, row.data, "overall_supported", sample)
    why = text_field(row, "overall_supported_explanation", sample=sample)
    if entries is not None:
        support = [_supported_by_flag(row, entry, sample) for entry in entries]
        labels += support_labels(support, source, why)
        why = None if overall is None else _contradiction(overall, support)
    if overall is not None:
        labels.append(Label("overall_supported", "response", overall, None, source, why))
    return labels


def _supported_by_flag(row: Row, entry: dict[str, Any], sample: str) -> SentenceSupport:
    """As the TRACE guide has it: only a true flag is support; none at all is the same as a false one."""
    supporting = supporting_keys(row, entry, sample)
    full = flag(row, entry, "fully_supported", sample)
    return SentenceSupport(
        response_key(row, entry, sample),
        supporting,
        "full" if full else "partial" if supporting else "none",
        full is True,
        text_or_none(entry.get("explanation")),
        "no fully_supported flag: not supported" if full is None else None,
    )


def _contradiction(overall: bool, support: Sequence[SentenceSupport]) -> str | None:
    unsupported = [entry.key for entry in support if not entry.grounded]
    if overall and unsupported:
        return f"contradicts the sentence labels: not fully supported are {', '.join(unsupported)}"
    if not overall and not unsupported:
        return "contradicts the sentence labels: every sentence is fully supported"
    return None


def _write(records: Iterable[Record], path: Path, original: Path | None) -> None:  # noqa: ARG001
    written = 0
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as stream:
        for record in records:
            for row in _rows(record):
                stream.write(encode(row) + b"\n")
                written += 1
    if not written:
        path.unlink()
        raise UsageError(
            "nothing was written: no record holds TRACe labels; run with -p trace, or give data that has them"
        )


def _rows(record: Record) -> Iterator[dict[str, Any]]:
    """One object a source of labels."""
    trace = Trace()
    sample = record.sample
    given = record.labels or (sample.labels if sample else ())
    by_source: dict[str, list[Label]] = {}
    for label in given if record.protocol in ("", trace.name) else ():
        if trace.owns(label):
            by_source.setdefault(label.source, []).append(label)
    if not by_source:
        return
    units = record.units or (trace.given_units(sample) if sample else ())
    name = record.id or (sample.id if sample else "")
    item = record.item or (sample.item if sample else name)
    attributes = record.attributes or (sample.attributes if sample else {})
    for source, labels in by_source.items():
        row: dict[str, Any] = {"id": name if len(by_source) == 1 else f"{name}@{source}"}
        if item != row["id"]:
            row["item"] = item
        row["source"] = source
        row |= {key: value for key, value in attributes.items() if key not in _OWN_KEYS}
        yield row | _texts(sample, units) | _judgements(labels)


def _texts(sample: Sample | None, units: Sequence[Unit]) -> dict[str, Any]:
    """The texts, as far as the record has them, and the sentences that the keys name."""
    row: dict[str, Any] = {}
    if sample is not None:
        texts = {"question": sample.question, "documents": sample.contexts, "response": sample.response}
        row |= {key: value for key, value in texts.items() if value is not None}
    elif any(unit.text is None for unit in units):
        return row
    passages: list[list[tuple[str, str]]] = [[] for _ in row.get("documents", ())]
    response: list[tuple[str, str]] = []
    for unit in units:
        key = unit.id.partition(":")[2]
        place = parse_key(key)
        if place is None or unit.kind not in ("ctx", "resp"):
            continue
        words = unit.text if sample is None else unit_text(unit, sample)
        target = response
        if place[0] is not None:
            passages += [[] for _ in range(place[0] + 1 - len(passages))]
            target = passages[place[0]]
        target.append((key, words or ""))
    if passages:
        row["documents_sentences"] = passages
    if response:
        row["response_sentences"] = response
    return row


def _judgements(labels: Sequence[Label]) -> dict[str, Any]:
    """The label JSON; a list that nobody judged is left out."""
    row: dict[str, Any] = {}
    entries: dict[str, dict[str, Any]] = {}
    overall: str | None = None
    for label in labels:
        name, _, key = label.unit.partition(":")
        if label.name in _LISTS and label.value is not None:
            keys = row.setdefault(_LISTS[label.name], [])
            if key and label.value is True:
                keys.append(key)
        if label.name == "relevant" and not key and label.why:
            row["relevance_explanation"] = label.why
        elif label.name == "overall_supported" and label.value is not None:
            row["overall_supported"] = label.value
            overall = label.why
        elif label.name == "support" and not key:
            row |= {"overall_supported_explanation": label.why} if label.why else {}
            row.setdefault("sentence_support_information", [])
        elif name == "resp":
            _add_support(entries.setdefault(key, {"response_sentence_key": key}), label)
    if entries:
        row["sentence_support_information"] = list(entries.values())
    elif overall and "sentence_support_information" not in row:
        row["overall_supported_explanation"] = overall
    return row


_LISTS = {"relevant": "all_relevant_sentence_keys", "used": "all_utilized_sentence_keys"}


def _add_support(entry: dict[str, Any], label: Label) -> None:
    supporting = entry.setdefault("supporting_sentence_keys", [])
    if label.name == "support":
        entry |= {"explanation": label.why} if label.why else {}
        entry.setdefault("fully_supported", label.value == "full")
    elif label.name == "grounded":
        entry["fully_supported"] = label.value
    elif label.name == "support_marker":
        supporting.append(label.value)
    elif label.against is not None:
        supporting.append(label.against.removeprefix("ctx:"))


READER = Reader(
    name="trace_labels",
    description="TRACe label JSON: relevant, used and supported sentence keys, alone or beside the texts",
    detect=_detect,
    convert=_convert,
)
WRITER = Writer(
    name="trace_labels",
    description="TRACe label JSON, one object a line, with the texts and sentences beside the labels",
    write=_write,
)
