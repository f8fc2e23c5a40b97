"""A record as Inspect's Score: one number as its value, the rest in words and in metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from inspect_ai.scorer import Score
from msgspec import Struct

from adjudge.errors import InputError
from adjudge.integrations.inspect.judging import failed_by_judge
from adjudge.integrations.inspect.metrics import VALUES
from adjudge.integrations.inspect.verdicts import verdicts
from adjudge.protocols.base import Protocol
from adjudge.types import Record
from adjudge.types import Score as OurScore


class Face(Struct, frozen=True):
    """What of a protocol a score shows: its value, and the numbers of its explanation, by short name."""

    headline: str
    shown: tuple[tuple[str, str], ...]
    """(name, words) in the order shown."""
    yes_or_no: bool = False
    """Whether a sample's numbers are 0 or 1, and said in words."""


_CORRECT = (("accuracy", "Correct"), ("accuracy_official", "Officially correct"))
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
    "noise": Face("accuracy", _CORRECT, yes_or_no=True),
    "integration": Face("accuracy", _CORRECT, yes_or_no=True),
    "rejection": Face(
        "rejection", (("rejection", "Refused"), ("rejection_official", "Officially refused")), yes_or_no=True
    ),
    "counterfactual": Face(
        "error_correction",
        (
            ("accuracy", "Correct"),
            ("error_detection", "Error detected"),
            ("error_correction", "Error corrected"),
        ),
        yes_or_no=True,
    ),
}


GIVEN_BY: Mapping[str, str] = {
    "reference": "give the Sample a target",
    "contexts": "give the Sample passages in metadata['retrieved_context'] or ['contexts']",
    "response": "the model gave no answer",
    "gold": "give the Sample marked violations in metadata['adjudge']['gold']",
}
"""Where in Inspect a sample's field comes from; the command line's own advice would not help here."""


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
    return Score(value=headline.value, answer=answer, explanation=explain(face, scores), metadata=metadata)


def explain(face: Face, scores: Mapping[str, OurScore]) -> str:
    """`Precision: 50.0%, Recall: 33.3%, F1: 40.0%`; what is a convention is said so."""
    parts, notes = [], []
    for name, words in face.shown:
        score = scores.get(name)
        if score is None or score.state == "not_applicable":
            continue
        parts.append(f"{words}: {_figure(score.value, face.yes_or_no)}")
        if score.state == "by_convention" and score.reason and score.reason not in notes:
            notes.append(score.reason)
    return ", ".join(parts) + (f" (by convention: {'; '.join(notes)})" if notes else "")


def _figure(value: float | None, yes_or_no: bool) -> str:
    if value is None:
        return "unscored"
    if yes_or_no and value in (0, 1):
        return "yes" if value else "no"
    return f"{100 * value:.1f}%"


def _metadata(record: Record, protocol: Protocol) -> dict[str, Any]:
    """Each share in percent under its short name, the verdicts in words, and all that the numbers rest on.

    Inspect walks and writes this several times a sample, so no number stands in it twice, and metrics that do
    not apply are left out.
    """
    shares = {spec.name for spec in protocol.wanted if spec.scale == "unit"}
    found: dict[str, Any] = {}
    values: dict[str, float] = {}
    notes: dict[str, str] = {}
    for score in record.scores:
        name = score.metric.partition(".")[2]
        if score.value is not None:
            if score.metric in shares:
                found[name] = 100 * score.value
            else:
                values[name] = score.value
        if score.state in ("by_convention", "unscored"):
            notes[name] = f"{score.state}: {score.reason}"
    found["verdicts"] = verdicts(record)
    found["signature"] = record.signature
    if values:
        found[VALUES] = values
    if notes:
        found["notes"] = notes
    for part in ("units", "labels", "grids", "steps"):
        if entries := getattr(record, part):
            found[part] = msgspec.to_builtins(entries)
    sources = {label.source for label in record.labels}
    if len(sources) == 1:
        found["source"] = sources.pop()
        for label in found["labels"]:
            label.pop("source", None)
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
    field = f"{error.field!r}: " if error.field else ""
    fix = GIVEN_BY.get(error.field or "", error.fix)
    words = f"Unscored: {field}{error.problem}" + (f"; {fix}" if fix else "")
    return Score.unscored(reason=reason, answer=answer, explanation=words)
