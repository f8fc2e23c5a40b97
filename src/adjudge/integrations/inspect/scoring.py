"""A record as Inspect's Score: one number as its value, the rest in words and in metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from inspect_ai.scorer import Score
from msgspec import Struct

from adjudge.errors import InputError
from adjudge.integrations.inspect.judging import failed_by_judge
from adjudge.integrations.inspect.metrics import VALUES
from adjudge.protocols.base import Protocol
from adjudge.types import Record
from adjudge.types import Score as OurScore


class Face(Struct, frozen=True):
    """What of a protocol a score shows: its value, and the numbers of its explanation, by short name."""

    headline: str
    shown: tuple[tuple[str, str], ...]
    """(name, words) in the order shown."""


FACES: Mapping[str, Face] = {
    "ragchecker": Face("f1", (("precision", "Precision"), ("recall", "Recall"), ("f1", "F1"))),
    "trace": Face(
        "average",
        (
            ("relevance", "Relevance"),
            ("utilization", "Utilization"),
            ("completeness", "Completeness"),
            ("adherence", "Adherence"),
            ("average", "Average"),
        ),
    ),
    "violations": Face(
        "ha_f1", (("ha_precision", "Precision"), ("ha_recall", "Recall"), ("ha_f1", "Human-aligned F1"))
    ),
    "noise": Face("accuracy", (("accuracy", "Correct"), ("accuracy_official", "Officially correct"))),
    "integration": Face("accuracy", (("accuracy", "Correct"), ("accuracy_official", "Officially correct"))),
    "rejection": Face("rejection", (("rejection", "Refused"), ("rejection_official", "Officially refused"))),
    "counterfactual": Face(
        "error_correction",
        (
            ("accuracy", "Correct"),
            ("error_detection", "Error detected"),
            ("error_correction", "Error corrected"),
        ),
    ),
}


def face_of(protocol: Protocol, record: Record) -> Face:
    """The face of a protocol; rgb has one for each ability, safe one for its first K."""
    if protocol.name == "rgb":
        return FACES[str(record.attributes["ability"])]
    if protocol.name != "safe":
        return FACES[protocol.name]
    k = getattr(protocol, "ks")[0]  # noqa: B009
    shown = (("precision", "Precision"), (f"recall@{k}", f"Recall@{k}"), (f"f1@{k}", f"F1@{k}"))
    return Face(f"f1@{k}", shown)


def as_score(record: Record, protocol: Protocol) -> Score:
    """The value, or an unscored Score that says why there is none."""
    face = face_of(protocol, record)
    scores = {score.metric.partition(".")[2]: score for score in record.scores}
    headline = scores.get(face.headline)
    metadata = _metadata(record, protocol)
    answer = record.sample.response if record.sample is not None else None
    if headline is None or headline.value is None:
        why = (headline.reason if headline is not None else None) or f"{face.headline} was not asked for"
        return Score.unscored(
            reason=_code(record, headline), answer=answer, explanation=f"Unscored: {why}", metadata=metadata
        )
    return Score(
        value=headline.value, answer=answer, explanation=explain(face.shown, scores), metadata=metadata
    )


def explain(shown: Sequence[tuple[str, str]], scores: Mapping[str, OurScore]) -> str:
    """`Precision: 50.0%, Recall: 33.3%, F1: 40.0%`; what is a convention is said so."""
    parts, notes = [], []
    for name, words in shown:
        score = scores.get(name)
        if score is None or score.state == "not_applicable":
            continue
        parts.append(f"{words}: {'unscored' if score.value is None else f'{100 * score.value:.1f}%'}")
        if score.state == "by_convention" and score.reason and score.reason not in notes:
            notes.append(score.reason)
    return ", ".join(parts) + (f" (by convention: {'; '.join(notes)})" if notes else "")


def _metadata(record: Record, protocol: Protocol) -> dict[str, Any]:
    """Each share in percent under its short name, and all that the numbers rest on.

    Inspect walks and writes this several times a sample, so counts, which follow from units and labels, and
    metrics that do not apply are left out.
    """
    shares = {spec.name for spec in protocol.wanted if spec.scale == "unit"}
    found: dict[str, Any] = {}
    values: dict[str, float] = {}
    notes: dict[str, str] = {}
    for score in record.scores:
        name = score.metric.partition(".")[2]
        if score.value is not None:
            values[name] = score.value
            if score.metric in shares:
                found[name] = 100 * score.value
        if score.state in ("by_convention", "unscored"):
            notes[name] = f"{score.state}: {score.reason}"
    found |= {"protocol": record.protocol, "signature": record.signature, VALUES: values}
    if notes:
        found["notes"] = notes
    for part in ("units", "labels", "grids", "steps"):
        if entries := getattr(record, part):
            found[part] = msgspec.to_builtins(entries)
    return found


def _code(record: Record, headline: OurScore | None) -> str:
    """Inspect's word for why there is no value."""
    if headline is not None and headline.state == "not_applicable":
        return "not_applicable"
    if record.sample is not None and not (record.sample.response or "").strip():
        return "no_response"
    return "grader_failed" if failed_by_judge(record) else "scoring_failed"


def as_failure(error: InputError, answer: str | None) -> Score:
    """A sample that could not be scored at all, reported and not counted."""
    reason = "invalid_response_format" if error.field == "output" else "scoring_failed"
    return Score.unscored(reason=reason, answer=answer, explanation=f"Unscored: {error}")
