"""FActScore's labelled biographies: JSON lines of a response whose facts people rated S, NS or IR."""

from __future__ import annotations

from typing import Any

from adjudge.datasets.base import Reader, text_field
from adjudge.datasets.source import Row, Source
from adjudge.protocols.safe import fact_units
from adjudge.types import Attribute, Label, Sample, Unit

SOURCE = "human:factscore"

_KEYS = frozenset({"input", "output", "topic", "annotations"})
_RATED: dict[str, tuple[bool, str | None]] = {
    "S": (True, "entailed"),
    "NS": (True, "neutral"),
    "IR": (False, None),
}


def _detect(source: Source) -> bool:
    first = source.first
    return isinstance(first, dict) and first.keys() >= _KEYS


def _convert(row: Row) -> list[Sample]:
    if not isinstance(row.data, dict):
        raise row.error(f"expected an object, found {type(row.data).__name__}")
    name = text_field(row, "topic", required=True) or ""
    attributes: dict[str, Attribute] = {"topic": name}
    category = row.data.get("cat")
    if isinstance(category, list) and len(category) == 2:
        attributes |= {"rarity": str(category[0]), "region": str(category[1])}
    units: list[Unit] = []
    labels: list[Label] = []
    if row.data.get("annotations") is None:
        attributes["abstained"] = True
    else:
        units, labels = _annotations(row, name)
    return [
        Sample(
            id=name,
            question=text_field(row, "input", sample=name),
            response=text_field(row, "output", sample=name),
            units=tuple(units),
            labels=tuple(labels),
            attributes=attributes,
        )
    ]


def _annotations(row: Row, name: str) -> tuple[list[Unit], list[Label]]:
    """Sentences, their facts, and the ratings; a sentence in which people saw no fact has none."""
    given = row.data["annotations"]
    if not isinstance(given, list):
        raise row.error("expected a list of sentences", sample=name, field="annotations")
    sentences: dict[str, list[tuple[str, str]]] = {}
    for k, sentence in enumerate(given):
        field = f"annotations.{k}"
        if not isinstance(sentence, dict) or not isinstance(sentence.get("text"), str):
            raise row.error("expected an object with a 'text'", sample=name, field=field)
        facts = sentence.get("human-atomic-facts") or []
        rated = sentences.setdefault(sentence["text"], [])
        rated += [_fact(row, fact, name, f"{field}.human-atomic-facts.{n}") for n, fact in enumerate(facts)]
    units = fact_units((text, [fact for fact, _ in facts]) for text, facts in sentences.items())
    ratings = [rating for facts in sentences.values() for _, rating in facts]
    if not ratings:
        return units, []
    labels = [Label("facts", "response", len(ratings), None, SOURCE)]
    ids = [unit.id for unit in units if unit.kind == "fact"]
    for fact, rating in zip(ids, ratings, strict=True):
        relevant, verdict = _RATED[rating]
        labels.append(Label("relevant", fact, relevant, None, SOURCE))
        if verdict is not None:
            labels.append(Label("check", fact, verdict, None, SOURCE))
    return units, labels


def _fact(row: Row, fact: Any, name: str, field: str) -> tuple[str, str]:
    if not isinstance(fact, dict) or not isinstance(fact.get("text"), str):
        raise row.error("expected an object with 'text' and 'label'", sample=name, field=field)
    rating = fact.get("label")
    if rating not in _RATED:
        raise row.error(f"expected a label S, NS or IR, found {rating!r}", sample=name, field=field)
    return fact["text"], rating


READER = Reader(
    name="factscore",
    description="FActScore biographies with facts rated by people (ChatGPT.jsonl …)",
    detect=_detect,
    convert=_convert,
)
