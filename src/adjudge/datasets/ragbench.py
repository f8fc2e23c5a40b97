"""RAGBench: responses with TRACe labels, its own sentences and its stored scores. Parquet or JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isnan
from typing import Any

from adjudge.datasets.base import Reader, text_field, text_list
from adjudge.datasets.source import Row, Source
from adjudge.datasets.trace_rows import (
    flag,
    is_ragbench,
    judged_lists,
    key_list,
    response_key,
    sentence_units,
    support_entries,
    supporting_keys,
    text_or_none,
)
from adjudge.errors import InputError
from adjudge.protocols.trace_label import SentenceSupport, support_labels
from adjudge.types import Attribute, Label, Sample

_STORED = (
    "relevance_score",
    "utilization_score",
    "completeness_score",
    "adherence_score",
    "trulens_groundedness",
    "trulens_context_relevance",
    "ragas_faithfulness",
    "ragas_context_relevance",
    "gpt3_adherence",
    "gpt3_context_relevance",
    "gpt35_utilization",
)
_NUMBER = "_occurrence"


def _detect(source: Source) -> bool:
    if source.shape not in ("parquet", "json", "jsonl"):
        return False
    return isinstance(source.first, dict) and is_ragbench(source.first)


def _rows(source: Source) -> Iterator[Row | InputError]:
    """Rows that know how often their id and model came before, since several responses share an id."""
    seen: Counter[tuple[str, str]] = Counter()
    for row in source.tolerant_rows():
        if isinstance(row, Row) and isinstance(row.data, dict):
            key = (str(row.data.get("id")), str(row.data.get("generation_model_name")))
            seen[key] += 1
            row.data[_NUMBER] = seen[key]
        yield row


def _convert(row: Row) -> Iterator[Sample]:
    if not isinstance(row.data, dict):
        raise row.error(f"expected an object with RAGBench's columns, found {type(row.data).__name__}")
    item = text_field(row, "id", required=True) or ""
    model = text_field(row, "generation_model_name", sample=item)
    parts = [item] if model is None else [item, model]
    if row.data.get(_NUMBER, 1) > 1:
        parts.append(str(row.data[_NUMBER]))
    name = "|".join(parts)
    units = [
        *sentence_units(row, "documents_sentences", name, None, locate=False),
        *sentence_units(row, "response_sentences", name, None, locate=False),
    ]
    yield Sample(
        id=name,
        item=item,
        question=text_field(row, "question", sample=name),
        response=text_field(row, "response", sample=name),
        contexts=text_list(row, "documents", sample=name),
        units=tuple(units),
        labels=tuple(_labels(row, name)),
        attributes=_attributes(row.data, model),
    )


def _attributes(data: dict[str, Any], model: str | None) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    if isinstance(data.get("dataset_name"), str):
        found["dataset_name"] = data["dataset_name"]
    if model is not None:
        found["system"] = model
    for key in _STORED:
        value = data.get(key)
        if isinstance(value, (bool, int, float)) and not isnan(value):
            found[f"ragbench_{key}"] = value
    return found


def _labels(row: Row, sample: str) -> list[Label]:
    source = f"judge:{text_field(row, 'annotating_model_name', sample=sample) or 'ragbench'}"
    labels = judged_lists(row, sample, source)
    entries = support_entries(row, sample)
    unsupported = key_list(row, row.data, "unsupported_response_sentence_keys", sample)
    if entries is None and unsupported is None:
        return labels
    support = [_support(row, entry, unsupported, sample) for entry in entries or ()]
    why = text_field(row, "overall_supported_explanation", sample=sample)
    labels += support_labels(support, source, why)
    listed = {entry.key for entry in support}
    labels += [
        Label("grounded", f"resp:{key}", False, None, source, "listed as unsupported, without an entry")
        for key in unsupported or ()
        if key not in listed
    ]
    return labels


def _support(row: Row, entry: dict[str, Any], unsupported: list[str] | None, sample: str) -> SentenceSupport:
    """The list of unsupported sentences decides; flags are often null, and then what supports it tells."""
    key = response_key(row, entry, sample)
    supporting = supporting_keys(row, entry, sample)
    full = flag(row, entry, "fully_supported", sample)
    by_entry = full is not False and bool(supporting)
    grounded = by_entry if unsupported is None else key not in unsupported
    note = None
    if full is False and grounded:
        note = "flagged as not fully supported, yet not listed as unsupported"
    elif full and not grounded:
        note = (
            "flagged as fully supported, yet listed as unsupported" if unsupported else "nothing supports it"
        )
    return SentenceSupport(
        key,
        supporting,
        "full" if full or (full is None and supporting) else "partial" if supporting else "none",
        grounded,
        text_or_none(entry.get("explanation")),
        note,
    )


READER = Reader(
    name="ragbench",
    description="RAGBench rows: sentences, TRACe labels and stored scores, as Parquet or JSON lines",
    detect=_detect,
    convert=_convert,
    rows=_rows,
)
