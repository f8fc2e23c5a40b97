"""RAGChecker's JSON: `results`, each with question, answer, response and passages, and perhaps cached claims,
label matrices and metrics. Metrics in a file are never trusted: scoring starts from the labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from adjudge.datasets.base import Reader, Writer, text_field
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.metrics.entailment import numpy_mean, numpy_round
from adjudge.protocols.ragchecker import RagChecker, claim_tables
from adjudge.protocols.ragchecker_claims import claim_of, claim_unit
from adjudge.segment.units import answer_text
from adjudge.types import Grid, Label, Labelled, Record, Sample, Unit

SOURCE = "judge:ragchecker"

_CHARS = {"Entailment": "e", "Contradiction": "c", "Neutral": "n"}
_WORDS = {"e": "Entailment", "c": "Contradiction", "n": "Neutral", "x": "Unknown"}
# our name of the text, its fields here: text, claims, labels against the other text, labels against passages
_SIDES = (
    ("response", "reference", "response_claims", "answer2response", "retrieved2response"),
    ("reference", "response", "gt_answer_claims", "response2answer", "retrieved2answer"),
)
_GROUPS: dict[str, tuple[str, ...]] = {}
for _one in RagChecker.specs:
    if "all_metrics" in _one.groups:
        _GROUPS[_one.groups[0]] = (*_GROUPS.get(_one.groups[0], ()), _one.name)


def _detect(source: Source) -> bool:
    document = source.first
    if not isinstance(document, dict) or not isinstance(document.get("results"), list):
        return False
    results = document["results"]
    if not results:
        return document.keys() <= {"results", "metrics"}
    return isinstance(results[0], dict) and results[0].keys() >= {"query", "response"}


def _rows(source: Source) -> Iterator[Row | InputError]:
    for row in source.tolerant_rows():
        if isinstance(row, InputError):
            yield row
        elif not isinstance(row.data, dict) or not isinstance(row.data.get("results"), list):
            yield row.error("expected an object with a list under 'results'", field="results")
        else:
            for position, result in enumerate(row.data["results"], 1):
                yield Row(result, row.file, position)


def _convert(row: Row) -> list[Sample]:
    if not isinstance(row.data, dict):
        raise row.error(f"expected an object, found {type(row.data).__name__}", field="results")
    given = row.data.get("query_id")
    name = str(row.line - 1) if given is None or given == "" else str(given)
    contexts, context_ids = _passages(row, name)
    width = None if contexts is None else len(contexts)
    units: list[Unit] = []
    labels: list[Label] = []
    grids: list[Grid] = []
    for text, other, claims_field, whole_field, passages_field in _SIDES:
        claims = _claims(row, claims_field, name)
        whole = _labels(row, whole_field, name)
        matrix, width = _matrix(row, passages_field, name, width)
        count = _agree(row, name, {claims_field: claims, whole_field: whole, passages_field: matrix})
        if count is None:
            continue
        units += [claim_unit(text, k, claims[k] if claims is not None else None) for k in range(count)]
        labels.append(Label("claims", text, count, None, SOURCE))
        grid = _grid(text, other, count, whole, matrix, width or 0)
        if grid is not None:
            grids.append(grid)
    return [
        Sample(
            id=name,
            question=text_field(row, "query", sample=name),
            response=text_field(row, "response", sample=name),
            contexts=contexts,
            context_ids=context_ids,
            reference=text_field(row, "gt_answer", sample=name),
            units=tuple(units),
            labels=tuple(labels),
            grids=tuple(grids),
        )
    ]


def _passages(row: Row, name: str) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    field = "retrieved_context"
    value = row.data.get(field)
    if value is None:
        return None, None
    if not isinstance(value, list):
        raise row.error(
            f"expected a list of passages, found {type(value).__name__}", sample=name, field=field
        )
    texts, ids = [], []
    for k, entry in enumerate(value):
        text = entry.get("text") if isinstance(entry, dict) else entry
        if not isinstance(text, str):
            raise row.error(
                "a passage needs a text", sample=name, field=f"{field}.{k}", fix='write {"text": "…"}'
            )
        texts.append(text)
        found = entry.get("doc_id") if isinstance(entry, dict) else None
        ids.append("" if found is None else str(found))
    return tuple(texts), tuple(ids) if any(ids) else None


def _claims(row: Row, field: str, name: str) -> list[str | list[str]] | None:
    value = row.data.get(field)
    if value is None:
        return None
    if not isinstance(value, list):
        raise row.error(f"expected a list of claims, found {type(value).__name__}", sample=name, field=field)
    for k, claim in enumerate(value):
        parts = claim if isinstance(claim, list) else [claim]
        if not all(isinstance(part, str) for part in parts):
            raise row.error("a claim is a text or a list of texts", sample=name, field=f"{field}.{k}")
    return value


def _labels(row: Row, field: str, name: str) -> str | None:
    """One character a label."""
    value = row.data.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or not all(label is None or isinstance(label, str) for label in value):
        raise row.error("expected a list of labels", sample=name, field=field)
    return "".join("-" if label is None else _CHARS.get(label, "x") for label in value)


def _matrix(row: Row, field: str, name: str, width: int | None) -> tuple[list[str] | None, int | None]:
    """One string a claim, one character a passage; and the number of passages, known now if not before."""
    value = row.data.get(field)
    if value is None:
        return None, width
    if not isinstance(value, list):
        raise row.error("expected a list of lists of labels", sample=name, field=field)
    found = []
    for k, labels in enumerate(value):
        cells = _labels(Row({field: labels}, row.file, row.line), field, name)
        if cells is None:
            raise row.error("expected a list of labels, found null", sample=name, field=f"{field}.{k}")
        width = len(cells) if width is None else width
        if len(cells) != width:
            problem = f"claim {k} has {len(cells)} labels for {width} passages"
            raise row.error(problem, sample=name, field=field, fix="give one label a passage, in every row")
        found.append(cells)
    # Without passages there are no labels to give, and both [] and a list of [] say so.
    return (found if found or width != 0 else None), width


def _agree(row: Row, name: str, fields: dict[str, Sequence[Any] | None]) -> int | None:
    """The number of claims on which all fields agree; None if the text was never split."""
    sizes = {field: len(value) for field, value in fields.items() if value is not None}
    if not sizes:
        return None
    first, count = next(iter(sizes.items()))
    for field, size in sizes.items():
        if size != count:
            raise row.error(
                f"{size} entries, but {count} in {first!r}",
                sample=name,
                field=field,
                fix="give one entry a claim, or null to have it labelled again",
            )
    return count


def _grid(
    text: str, other: str, count: int, whole: str | None, matrix: list[str] | None, width: int
) -> Grid | None:
    columns = ((other,) if whole is not None else ()) + (
        tuple(f"ctx:{k}" for k in range(width)) if matrix is not None else ()
    )
    if not columns or not count:
        return None
    rows = tuple(f"claim:{text}:{k}" for k in range(count))
    left = whole if whole is not None else [""] * count
    right = matrix or [""] * count
    return Grid("check", rows, columns, tuple(a + b for a, b in zip(left, right, strict=True)), SOURCE)


READER = Reader(
    name="ragchecker",
    description="RAGChecker inputs and results: {results: [...]}, with or without cached claims and labels",
    detect=_detect,
    convert=_convert,
    rows=_rows,
)


def _write(records: Iterable[Record], path: Path, original: Path | None) -> None:
    originals: dict[str, Sample] | None = None
    results = []
    values: dict[str, list[float]] = {}
    for record in records:
        if record.protocol not in ("", RagChecker.name):
            continue
        sample = record.sample
        if sample is None:
            originals = _samples(original) if originals is None else originals
            sample = originals.get(record.id)
        if sample is None:
            raise UsageError(
                f"the input has no sample {record.id!r}; give the file that the run was made from"
            )
        results.append(_result(record, sample))
        for score in record.scores:
            found = values.setdefault(score.metric, [])
            if score.value is not None:
                found.append(score.value)
    metrics = {
        group: {name.partition(".")[2]: _percent(values[name]) for name in names if name in values}
        for group, names in _GROUPS.items()
    }
    path.write_text(json.dumps({"results": results, "metrics": metrics}, indent=2), "utf-8")


def _percent(values: list[float]) -> float | None:
    return numpy_round(numpy_mean(values) * 100) if values else None


def _samples(original: Path | None) -> dict[str, Sample]:
    """Samples of the input by id, for runs that did not store their text."""
    if original is None:
        raise UsageError("these records hold no text; give the file that the run was made from")
    source = Source(original)
    rows = [row for row in _rows(source) if isinstance(row, Row)]
    return {sample.id: sample for row in rows for sample in _convert(row)}


def _result(record: Record, sample: Sample) -> dict[str, Any]:
    protocol = RagChecker()
    if record.protocol:
        labelled = record.labelled()
    else:
        sources = protocol.sources(sample)
        labelled = protocol.given(sample, SOURCE if SOURCE in sources or not sources else sources[0])
    ids = sample.context_ids or ()
    contexts = None
    if sample.contexts is not None:
        contexts = [
            {"doc_id": (ids[k] or None) if k < len(ids) else None, "text": text}
            for k, text in enumerate(sample.contexts)
        ]
    result: dict[str, Any] = {
        "query_id": sample.id,
        "query": sample.question,
        "gt_answer": _reference(labelled, sample),
        "response": sample.response,
        "retrieved_context": contexts,
    }
    result |= _cached(labelled, 0 if sample.contexts is None else len(sample.contexts))
    published = {name for names in _GROUPS.values() for name in names}
    result["metrics"] = {
        score.metric.partition(".")[2]: score.value
        for score in record.scores
        if score.metric in published and score.value is not None
    }
    return result


def _reference(labelled: Labelled, sample: Sample) -> str | None:
    """The words that the claims were made of: one right answer, where several are given."""
    used = next((unit.text for unit in labelled.units if unit.id == "reference"), None)
    return used if used is not None or sample.reference is None else answer_text(sample.reference)


def _cached(labelled: Labelled, width: int) -> dict[str, Any]:
    """Claims and labels in the file's own words and order; null for what is not complete."""
    units = {unit.id: unit for unit in labelled.units}
    width = width or sum(name.startswith("ctx:") for name in units)
    passages = [f"ctx:{k}" for k in range(width)]
    claims: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    matrices: dict[str, Any] = {}
    for (_, other, *fields), table in zip(_SIDES, claim_tables(labelled), strict=True):
        claims[fields[0]] = whole[fields[1]] = matrices[fields[2]] = None
        if table is None:
            continue
        words = [claim_of(units[name]) if name in units else None for name in table.claims]
        claims[fields[0]] = None if None in words else words
        if not table.missing((other,)):
            whole[fields[1]] = [_WORDS[char] for char in table.columns.get(other, "")]
        if not table.missing(passages) and (passages or "contexts" in units):
            columns = [table.columns.get(passage, "") for passage in passages]
            matrices[fields[2]] = [
                [_WORDS[column[k]] for column in columns] for k in range(len(table.claims))
            ]
    return claims | whole | matrices


WRITER = Writer(
    name="ragchecker",
    description="RAGChecker results: claims, label matrices, metrics per result and over all in percent",
    write=_write,
)
