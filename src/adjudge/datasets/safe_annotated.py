"""Writes SAFE's ratings into the long-form-factuality result file that the responses came from.

A response that is annotated already stays as it is, unless a judge rated it in this run. Of what our judges
leave unsaid, the file's fields hold the plain answer (`[Foo]` for relevant, as SAFE's prompt has it).
Searches come from a record's `steps`, dicts with `unit` (the fact), `query` and `result`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from adjudge.datasets.base import Writer
from adjudge.datasets.longform import SIDES, SOURCE, evaluated_sides, is_result
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.metrics.entailment import numpy_mean
from adjudge.metrics.f_at_k import DEFAULT_K, f1_at_k
from adjudge.protocols.safe import Safe
from adjudge.protocols.safe_metrics import rate_facts
from adjudge.types import Label, Labelled, Record

_COUNTED = ("Supported", "Irrelevant", "Not Supported")
Outcome = Literal["rated", "kept", "unchecked", "unsplit"]
"""What became of a response in the file."""
_NOTES: dict[Outcome, str] = {
    "kept": "{} of the responses keep the ratings that the file had",
    "unchecked": "{} of the responses got no ratings: the run did not check their facts; leave out --metrics",
}


def _write(records: Iterable[Record], path: Path, original: Path | None) -> list[str]:
    if original is None:
        raise UsageError(
            "format 'safe_annotated' is the result file with ratings added; give the file that the run read"
        )
    document: Any = None
    why = ""
    try:
        document = Source(original).document
    except InputError as error:
        if not original.exists():
            raise
        why = f" ({error.problem})"
    if not is_result(document):
        raise InputError(
            f"this is no long-form-factuality result file{why}",
            file=str(original),
            field="per_prompt_data",
            fix="give the file that the run read, or choose another format to write",
        )
    ks: dict[int, None] = {}
    signature = ""
    became: Counter[Outcome] = Counter()
    for record in records:
        if record.protocol not in ("", Safe.name):
            continue
        ks |= dict.fromkeys(_ks(record))
        outcome = _annotate(document, record)
        became[outcome] += 1
        if outcome == "rated":
            signature = record.signature
    if signature:
        # What is kept was rated as the file says; the rest, as we say.
        told = document.get("autoeval_configs") if _annotated(document) > became["rated"] else None
        given = {"signature": signature, "max_claims": ",".join(map(str, ks))}
        document["autoeval_configs"] = {**(told if isinstance(told, dict) else {}), **given}
    for side in evaluated_sides(document):
        _aggregate(document, side, list(ks))
    path.write_text(json.dumps(document), "utf-8")
    return [text.format(became[outcome]) for outcome, text in _NOTES.items() if became[outcome]]


def _ks(record: Record) -> list[int]:
    return [int(s.metric.partition("@")[2]) for s in record.scores if s.metric.startswith("safe.f1@")]


def _annotated(document: dict[str, Any]) -> int:
    return sum(
        f"{side}_posthoc_eval_data" in entry for entry in document["per_prompt_data"] for side in SIDES
    )


def _annotate(document: dict[str, Any], record: Record) -> Outcome:
    """Put a record's ratings where its sample came from; a judge's take the place of those that are there."""
    index, _, side = record.id.partition(".")
    entries = document["per_prompt_data"]
    if side not in SIDES or not index.isdecimal() or int(index) >= len(entries):
        raise UsageError(f"the file has no response {record.id!r}; give the file that the run read")
    entry, field = entries[int(index)], f"{side}_posthoc_eval_data"
    there = field in entry
    if there and not record.labeller.startswith("judge:"):
        return "kept"
    labelled = record.labelled()
    if not record.protocol and record.sample is not None:
        sources = Safe().sources(record.sample)
        labelled = Safe().given(record.sample, SOURCE if SOURCE in sources or not sources else sources[0])
    rated = rate_facts(labelled)
    if rated is not None and rated.unrated and not any(label.name == "check" for label in labelled.labels):
        return "unchecked"
    if rated is None:
        return "kept" if there else "unsplit"
    if there:
        _forget_aggregates(document, side, entry[field])
    entry[field] = eval_data(entry["prompt"], entry[f"{side}_response"], labelled, record.steps)
    return "rated"


def _forget_aggregates(document: dict[str, Any], side: str, data: Any) -> None:
    """Means of numbers that ratings bring with them, lest some outlive the ratings (F1 at another K)."""
    for name in data if isinstance(data, dict) else ():
        document.pop(f"{side}_avg_{name}", None)
        document.pop(f"{side}_std_{name}", None)


def eval_data(
    prompt: str, response: str, labelled: Labelled, steps: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """What SAFE found out about one response, in its own form."""
    texts = {unit.id: unit.text or "" for unit in labelled.units}
    facts: dict[str, list[str]] = {unit[5:]: [] for unit in texts if unit.startswith("resp:")}
    for unit in texts:
        if unit.startswith("fact:"):
            facts.setdefault(unit[5:].partition(".")[0], []).append(unit)
    split = [(texts.get(f"resp:{key}", ""), [texts[fact] for fact in facts[key]]) for key in facts]
    labels = {(label.unit, label.name): label for label in labelled.labels if label.value is not None}
    searches: dict[str, list[dict[str, Any]]] = {}
    for step in steps:
        if "query" in step:
            found = {"query": step["query"], "result": step.get("result", "")}
            searches.setdefault(step.get("unit", ""), []).append(found)
    checked, past = [], []
    for key, ids in facts.items():
        for fact in ids:
            statement = _statement(fact, texts.get(f"resp:{key}", ""), texts[fact], labels)
            if statement is not None:
                checked.append(statement)
                past.append({"google_searches": searches[fact]} if fact in searches else {})
    return {
        "prompt": prompt,
        "response": response,
        "num_claims": sum(map(len, facts.values())),
        "sentences_and_atomic_facts": [[sentence, list(said)] for sentence, said in split],
        "all_atomic_facts": [{"sentence": sentence, "atomic_facts": said} for sentence, said in split],
        "checked_statements": checked,
        "revised_fact_jsonified_all": [statement["relevance_data"] for statement in checked],
        "past_steps_jsonified_all": past,
        **{name: sum(s["annotation"] == name for s in checked) for name in _COUNTED},
    }


def _statement(
    fact: str, sentence: str, text: str, labels: dict[tuple[str, str], Label]
) -> dict[str, Any] | None:
    """A rated fact as SAFE writes it; None for one without a verdict, which SAFE leaves out."""
    relevant, check = labels.get((fact, "relevant")), labels.get((fact, "check"))
    is_relevant = relevant is None or relevant.value is not False
    if is_relevant and check is None:
        return None
    own = labels.get((fact, "self_contained"))
    words = text if own is None else str(own.value)
    annotation, rating = "Irrelevant", None
    if is_relevant and check is not None:
        annotation = "Supported" if check.value == "entailed" else "Not Supported"
        rating = {"response": check.why or f"[{annotation}]", "answer": annotation}
    said = relevant.why if relevant is not None else None
    return {
        "sentence": sentence,
        "atomic_fact": text,
        "self_contained_atomic_fact": words,
        "relevance_data": {
            "atomic_fact": text,
            "revised_fact": (own.why if own is not None else None) or words,
            "is_relevant": said or ("[Foo]" if is_relevant else "[Not Foo]"),
        },
        "rate_data": rating,
        "annotation": annotation,
    }


def _aggregate(document: dict[str, Any], side: str, ks: list[int]) -> None:
    """F1 of each response, then mean and population deviation of every number over the responses."""
    field = f"{side}_posthoc_eval_data"
    rated = [entry[field] for entry in document["per_prompt_data"] if isinstance(entry.get(field), dict)]
    for data in rated:
        if all(name in data for name in _COUNTED):
            for k in ks:
                # The reference tool's default writes -1 into the name and counts up to 100.
                key = "f1_-1" if k == DEFAULT_K else f"f1_{k}"
                data.setdefault(key, f1_at_k(data["Supported"], data["Not Supported"], k))
    for name, example in rated[0].items() if rated else ():
        if isinstance(example, (int, float)) and not isinstance(example, bool):
            values = [data[name] for data in rated if name in data]
            document[f"{side}_avg_{name}"] = numpy_mean(values)
            document[f"{side}_std_{name}"] = _deviation(values)


def _deviation(values: list[float]) -> float:
    import numpy

    return float(numpy.std(numpy.asarray(values, dtype=numpy.float64)))


WRITER = Writer(
    name="safe_annotated",
    description="long-form-factuality results with SAFE's ratings, F1@K and aggregates added to the input",
    write=_write,
)
