"""Evaluation sets of ragas: `user_input`, `retrieved_contexts`, `response`, `reference`, or the older names
`question`, `contexts`, `answer`, `ground_truth(s)`; as JSONL, JSON, CSV or Parquet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from adjudge.datasets.base import Reader, text_field, text_list
from adjudge.datasets.rows import any_of, scalars, table_rows
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.types import Answer, Attribute, Sample

_NEW = {"question": "user_input", "response": "response", "contexts": "retrieved_contexts"}
_OLD = {"question": "question", "response": "answer", "contexts": "contexts"}
_TRUTHS = ("ground_truth", "ground_truths")
_LISTS = frozenset(
    {"retrieved_contexts", "retrieved_context_ids", "reference_contexts", "reference_context_ids"}
    | {"contexts", "ground_truths", "multi_responses"}
)
_TEXTS = frozenset({"id", "user_input", "question", "response", "answer", "reference", "ground_truth"})
_USED = _LISTS | _TEXTS | {"rubrics", "Unnamed: 0"}


def detect(source: Source) -> bool:
    """`user_input` occurs nowhere else; `answer` is a response only where `ground_truth` is the answer."""
    first = source.first
    if not isinstance(first, dict):
        return False
    return "user_input" in first or ("question" in first and any(key in first for key in _TRUTHS))


def rows(source: Source) -> Iterator[Row | InputError]:
    return table_rows(source, texts=_TEXTS, lists=_LISTS, answers={"response", "answer"})


def convert(row: Row) -> Iterable[Sample]:
    """One sample a row; several where `multi_responses` holds several answers to the question."""
    data: dict[str, Any] = row.data
    id: str = data["id"]
    names = _NEW if "user_input" in data else _OLD
    if isinstance(data.get("user_input"), list):
        question, response = _last_turns(row, id)
    else:
        question = text_field(row, names["question"], sample=id)
        response = text_field(row, names["response"], sample=id)
    contexts = text_list(row, names["contexts"], sample=id)
    reference = _reference(row, id)
    context_ids = _context_ids(data, contexts)
    attributes = scalars(data, without=_USED)
    several = text_list(row, "multi_responses", sample=id) or ()
    if response is not None or not several:
        return (_sample(id, id, question, response, contexts, context_ids, reference, attributes),)
    return [
        _sample(f"{id}/{index}", id, question, each, contexts, context_ids, reference, attributes)
        for index, each in enumerate(several)
    ]


def _sample(
    id: str,
    item: str,
    question: str | None,
    response: str | None,
    contexts: tuple[str, ...] | None,
    context_ids: tuple[str, ...] | None,
    reference: Answer | None,
    attributes: dict[str, Attribute],
) -> Sample:
    return Sample(
        id=id,
        item=item,
        question=question,
        response=response,
        contexts=contexts,
        context_ids=context_ids,
        reference=reference,
        attributes=attributes,
    )


def _reference(row: Row, id: str) -> Answer | None:
    """`reference`, `ground_truth`, or the list `ground_truths`, of which any one is right."""
    for key in ("reference", *_TRUTHS):
        value = row.data.get(key)
        if isinstance(value, list):
            return any_of(text_list(row, key, sample=id))
        if value is not None:
            return text_field(row, key, sample=id) or None
    return None


def _context_ids(data: dict[str, Any], contexts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Names of the passages, if there is one each."""
    names = data.get("retrieved_context_ids")
    if not isinstance(names, list) or not contexts or len(names) != len(contexts):
        return None
    return tuple(map(str, names))


def _last_turns(row: Row, id: str) -> tuple[str | None, str | None]:
    """Of a conversation: what the person asked last, and what the model answered last."""
    last: dict[str, str] = {}
    for index, message in enumerate(row.data["user_input"]):
        if not isinstance(message, dict) or not isinstance(message.get("content"), str):
            raise row.error("expected a message with text", sample=id, field=f"user_input[{index}]")
        last[str(message.get("type"))] = message["content"]
    return last.get("human"), last.get("ai")


READER = Reader(
    name="ragas",
    description="ragas evaluation sets, new names (user_input) and old (question, answer, ground_truth)",
    detect=detect,
    convert=convert,
    rows=rows,
)
