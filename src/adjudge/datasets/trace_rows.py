"""What rows with TRACe labels have in common, whoever wrote them: sentences, keys, support entries, flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from adjudge.datasets.base import text_field
from adjudge.datasets.source import Row
from adjudge.protocols.trace_label import list_labels
from adjudge.segment.keys import tidy_key
from adjudge.types import Label, Span, Unit

LABEL_KEYS = frozenset(
    {"all_relevant_sentence_keys", "all_utilized_sentence_keys", "sentence_support_information"}
)
SENTENCE_KEYS = frozenset({"documents_sentences", "response_sentences"})
RAGBENCH_KEYS = frozenset(
    {
        "unsupported_response_sentence_keys",
        "annotating_model_name",
        "generation_model_name",
        "adherence_score",
    }
)
"""Columns that only RAGBench has."""


def is_ragbench(data: dict[str, Any]) -> bool:
    """Whether a row is RAGBench's and not merely the label JSON with sentences beside it."""
    return data.keys() >= SENTENCE_KEYS and not RAGBENCH_KEYS.isdisjoint(data)


def sentence_units(
    row: Row, key: str, sample: str, texts: str | Sequence[str] | None, *, locate: bool = True
) -> Iterator[Unit]:
    """Units of given sentences ([[key, words], …], for documents a list of these).

    With `locate` a unit is a slice of the stored text where the words stand there in order.
    """
    given = row.data.get(key)
    if given is None:
        return
    documents = key.startswith("documents")
    kind = "ctx" if documents else "resp"
    try:
        passages = msgspec.convert(given if documents else [given], list[list[tuple[str, str]]])
    except msgspec.ValidationError as error:
        raise row.error(f"expected [key, sentence] pairs: {error}", sample=sample, field=key) from None
    stored = [texts] if isinstance(texts, str) else texts or ()
    for number, sentences in enumerate(passages):
        spans = None
        if locate and number < len(stored):
            spans = _locate(stored[number], [words for _, words in sentences])
        field = f"contexts.{number}" if documents else "response"
        for index, (name, words) in enumerate(sentences):
            unit = f"{kind}:{tidy_key(name)}"
            yield Unit(unit, words) if spans is None else Unit(unit, None, field, (spans[index],))


def _locate(text: str, sentences: Iterable[str]) -> list[Span] | None:
    spans: list[Span] = []
    end = 0
    for words in sentences:
        start = text.find(words, end)
        if start < 0:
            return None
        end = start + len(words)
        spans.append((start, end))
    return spans


def key_list(row: Row, data: dict[str, Any], key: str, sample: str) -> list[str] | None:
    """A list of sentence keys, less the dots after them; None when absent."""
    value = data.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise row.error('expected a list of sentence keys such as ["0a", "1c"]', sample=sample, field=key)
    return [tidy_key(entry) for entry in value]


def support_entries(row: Row, sample: str) -> list[dict[str, Any]] | None:
    """The entries of `sentence_support_information`; None when absent."""
    key = "sentence_support_information"
    value = row.data.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise row.error("expected a list of objects, one a response sentence", sample=sample, field=key)
    return value


def response_key(row: Row, entry: dict[str, Any], sample: str) -> str:
    """The response sentence that a support entry speaks of."""
    key = entry.get("response_sentence_key")
    if not isinstance(key, str) or not key.strip():
        raise row.error(
            f"an entry names no response sentence (found {key!r})",
            sample=sample,
            field="sentence_support_information.response_sentence_key",
            fix="give each entry the key of its sentence, such as 'a'",
        )
    return tidy_key(key)


def supporting_keys(row: Row, entry: dict[str, Any], sample: str) -> list[str]:
    """Keys of what supports a response sentence; judges also write `supported_sentence_keys`."""
    name = "supporting_sentence_keys"
    return key_list(row, entry, name if name in entry else "supported_sentence_keys", sample) or []


def flag(row: Row, data: dict[str, Any], key: str, sample: str) -> bool | None:
    """True, false or None; also in words, since a non-empty text "false" must not count as true."""
    value = data.get(key)
    if value is None or isinstance(value, bool):
        return value
    known = {"true": True, "false": False}
    if isinstance(value, str) and value.strip().lower() in known:
        return known[value.strip().lower()]
    raise row.error(f"expected true or false, found {value!r}", sample=sample, field=key)


def text_or_none(value: Any) -> str | None:
    """An explanation, if it is text."""
    return value if isinstance(value, str) and value else None


def judged_lists(row: Row, sample: str, source: str) -> list[Label]:
    """Labels of the relevant and the used sentences, as far as the row lists them."""
    labels: list[Label] = []
    relevant = key_list(row, row.data, "all_relevant_sentence_keys", sample)
    if relevant is not None:
        why = text_field(row, "relevance_explanation", sample=sample)
        labels += list_labels("relevant", relevant, source, why)
    used = key_list(row, row.data, "all_utilized_sentence_keys", sample)
    if used is not None:
        labels += list_labels("used", used, source)
    return labels
