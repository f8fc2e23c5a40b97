"""Result files of long-form-factuality: prompts with one or two responses each, plain or annotated by SAFE.

Every side that holds a real response is a sample, `0.side1`, `0.side2` …; both share the item `0`. What a
system of one's own retrieved may stand beside its response, as `side2_contexts`; the reference has no such.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.datasets.base import Reader, text_field, text_list
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.protocols.safe import fact_units
from adjudge.types import Attribute, Label, Sample, Unit

SOURCE = "judge:safe"
SIDES = {"side1": "side_1", "side2": "side_2"}
"""Prefix of a side's fields in a prompt, and the document's field that names its method."""

_SKIPPED = frozenset({"none", "placeholder"})
_RATED = {
    "supported": (True, "entailed"),
    "not supported": (True, "neutral"),
    "irrelevant": (False, None),
}


def is_result(document: Any) -> bool:
    """Whether this is such a file, as a whole."""
    if not isinstance(document, dict) or not isinstance(document.get("per_prompt_data"), list):
        return False
    entries = document["per_prompt_data"]
    return not entries or (
        isinstance(entries[0], dict)
        and "prompt" in entries[0]
        and any(f"{side}_response" in entries[0] for side in SIDES)
    )


def evaluated_sides(document: dict[str, Any]) -> dict[str, str | None]:
    """Sides with real responses, and the method that made them."""
    found = {}
    for side, key in SIDES.items():
        method = document.get(key)
        if not isinstance(method, str) or method not in _SKIPPED:
            found[side] = None if method is None else str(method)
    return found


def _detect(source: Source) -> bool:
    return is_result(source.first)


def _rows(source: Source) -> Iterator[Row | InputError]:
    """Entries of `per_prompt_data`, each with what the document says of its sides."""
    for row in source.tolerant_rows():
        if isinstance(row, InputError):
            yield row
        elif not is_result(row.data):
            yield row.error("expected an object with prompts and responses", field="per_prompt_data")
        else:
            for key in SIDES.values():
                if row.data.get(key) in _SKIPPED:
                    source.notes[f"{key} is {row.data[key]!r}, so it has no responses and is skipped"] = 1
            system = row.data.get("responder_model")
            shared = {"methods": evaluated_sides(row.data), "system": None if system is None else str(system)}
            for position, entry in enumerate(row.data["per_prompt_data"], 1):
                yield Row({"entry": entry, **shared}, row.file, position)


def _convert(row: Row) -> list[Sample]:
    entry, methods, system = (row.data[key] for key in ("entry", "methods", "system"))
    if not isinstance(entry, dict):
        raise row.error(f"expected an object, found {type(entry).__name__}", field="per_prompt_data")
    fields = Row(entry, row.file, row.line)
    item = str(row.line - 1)
    samples = []
    for side, method in methods.items():
        name = f"{item}.{side}"
        response = text_field(fields, f"{side}_response", sample=name)
        if response is None:
            continue
        attributes: dict[str, Attribute] = {"side": int(side[-1])}
        attributes |= {} if method is None else {"method": method}
        attributes |= {} if system is None else {"system": system}
        punted = entry.get(f"{side}_is_idk")
        attributes |= {"is_idk": punted} if isinstance(punted, bool) else {}
        units, labels = _annotations(fields, f"{side}_posthoc_eval_data", name)
        samples.append(
            Sample(
                id=name,
                item=item,
                question=text_field(fields, "prompt", sample=name, required=True),
                response=response,
                contexts=text_list(fields, f"{side}_contexts", sample=name),
                units=units,
                labels=labels,
                attributes=attributes,
            )
        )
    return samples


def _annotations(row: Row, field: str, name: str) -> tuple[tuple[Unit, ...], tuple[Label, ...]]:
    """Facts and their ratings; a fact that SAFE gave up on has a label without a value."""
    data = row.data.get(field)
    if data is None:
        return (), ()
    try:
        split = [(entry["sentence"], entry["atomic_facts"]) for entry in data["all_atomic_facts"]]
        units = fact_units(split)
        checked = [(entry["sentence"], entry["atomic_fact"], entry) for entry in data["checked_statements"]]
        labels = _labels(units, checked)
    except KeyError as error:
        raise row.error(
            f"no such key or fact in it: {error}",
            sample=name,
            field=field,
            fix="take the field out to have the response annotated again",
        ) from None
    except (TypeError, AttributeError) as error:
        raise row.error(f"not SAFE's annotation: {error}", sample=name, field=field) from None
    return tuple(units), tuple(labels)


def _labels(units: list[Unit], checked: list[tuple[str, str, dict[str, Any]]]) -> list[Label]:
    open_facts: dict[tuple[str | None, str | None], list[str]] = {}
    facts = [unit for unit in units if unit.kind == "fact"]
    sentence = {unit.id.removeprefix("resp:"): unit.text for unit in units if unit.kind == "resp"}
    for unit in facts:
        key = unit.id.removeprefix("fact:").partition(".")[0]
        open_facts.setdefault((sentence[key], unit.text), []).append(unit.id)
    labels = [Label("facts", "response", len(facts), None, SOURCE)]
    for text, fact, entry in checked:
        waiting = open_facts[text, fact]
        if not waiting:
            raise KeyError(fact)
        labels += _fact_labels(waiting.pop(0), entry)
    for waiting in open_facts.values():
        labels += [Label("check", fact, None, None, SOURCE, None, "SAFE gave it up") for fact in waiting]
    return labels


def _fact_labels(fact: str, entry: dict[str, Any]) -> list[Label]:
    """The raw answers of SAFE's model are kept as the reason why, so that they can be written again."""
    annotation = str(entry["annotation"])
    asked = entry.get("relevance_data") or {}
    own_words = entry.get("self_contained_atomic_fact")
    labels = []
    if own_words is not None:
        labels.append(Label("self_contained", fact, str(own_words), None, SOURCE, asked.get("revised_fact")))
    known = _RATED.get(annotation.lower())
    if known is None:
        reason = f"SAFE's annotation {annotation!r} is not known"
        return [*labels, Label("check", fact, None, None, SOURCE, None, reason)]
    relevant, verdict = known
    labels.append(Label("relevant", fact, relevant, None, SOURCE, asked.get("is_relevant")))
    if verdict is not None:
        rating = (entry.get("rate_data") or {}).get("response")
        labels.append(Label("check", fact, verdict, None, SOURCE, rating))
    return labels


READER = Reader(
    name="longform",
    description="long-form-factuality results: prompts and responses, plain or annotated by SAFE",
    detect=_detect,
    convert=_convert,
    rows=_rows,
)
