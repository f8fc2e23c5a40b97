"""TRACe labels: made from judged keys, and asked of a judge where there is only raw text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, cast

from msgspec.structs import replace

from adjudge.judges.base import (
    Judge,
    LabelSentences,
    Question,
    RelevantSentences,
    Reply,
    SentenceLabels,
    Support,
    SupportSentence,
)
from adjudge.protocols.asking import all_said, ask_once, failures, reason_of
from adjudge.segment.units import context_units, named_language, response_units, unit_text
from adjudge.types import Label, Sample, Unit

Keyed = tuple[tuple[str, str], ...]
SupportValue = Literal["full", "partial", "none"]
SUPPORT_MARKERS = frozenset(
    {"general", "supported_without_sentence", "well_known_fact", "numerical_reasoning"}
)
"""What may stand where supporting sentences are named: supported, though by none of them."""


class SentenceSupport(NamedTuple):
    """One response sentence's support, before it becomes labels."""

    key: str
    supporting: Sequence[str]
    """Keys of context sentences, and markers."""
    value: SupportValue
    grounded: bool
    explanation: str | None = None
    note: str | None = None
    """Why `grounded` is not what the flag alone would say."""
    probability: float | None = None
    """Of full support."""


def list_labels(
    name: Literal["relevant", "used"], keys: Sequence[str], source: str, why: str | None = None
) -> list[Label]:
    """Labels of a judged list of context sentence keys, empty or not."""
    labels = [Label(name, "contexts", len(keys), None, source, why)]
    labels += [Label(name, f"ctx:{key}", True, None, source) for key in keys]
    return labels


def support_labels(entries: Iterable[SentenceSupport], source: str, why: str | None = None) -> list[Label]:
    """Labels of judged response sentences, none or many."""
    labels: list[Label] = []
    number = 0
    for entry in entries:
        number += 1
        unit = f"resp:{entry.key}"
        sure = None if entry.probability is None else {"full": entry.probability}
        labels.append(Label("support", unit, entry.value, None, source, entry.explanation, None, sure))
        labels.append(Label("grounded", unit, entry.grounded, None, source, entry.note))
        for key in entry.supporting:
            if key in SUPPORT_MARKERS:
                labels.append(Label("support_marker", unit, key, None, source))
            else:
                labels.append(Label("supported_by", unit, True, f"ctx:{key}", source))
    return [Label("support", "response", number, None, source, why), *labels]


async def label_sentences(
    sample: Sample, judge: Judge, source: str, *, steps: bool
) -> tuple[tuple[Unit, ...], list[Label], list[dict[str, Any]]]:
    """Sentence units of contexts and response, the judge's labels of them, and what could not be read.

    One joint question, or step by step: one for relevance and one a response sentence.
    """
    contexts = context_units(sample.contexts or (), named_language(sample))
    response = response_units(sample.response or "", named_language(sample))
    keyed = [
        tuple((unit.id.partition(":")[2], unit_text(unit, sample)) for unit in units)
        for units in (contexts, response)
    ]
    questions = (_steps if steps else _joint)(sample.question or "", keyed[0], keyed[1])
    replies = await ask_once(judge, questions)
    labels = _from_steps(replies, source) if steps else _from_joint(replies[0], source)
    return (*contexts, *response), labels, failures("response", questions, replies)


def _joint(question: str, contexts: Keyed, response: Keyed) -> list[Question]:
    return [LabelSentences(question, contexts, response)]


def _steps(question: str, contexts: Keyed, response: Keyed) -> list[Question]:
    support = [SupportSentence(contexts, response, key, question) for key, _ in response]
    return [RelevantSentences(question, contexts), *support]


def _from_joint(reply: Reply, source: str) -> list[Label]:
    if reply.value is None:
        fields = (("relevant", "contexts"), ("used", "contexts"), ("support", "response"))
        return [_failed(name, field, reply, source) for name, field in fields]
    found: SentenceLabels = reply.value
    labels = list_labels("relevant", found.relevant, source, found.why_relevant)
    labels += list_labels("used", found.used, source)
    why = all_said(found.why_supported, reply.why)
    labels += support_labels(map(_entry, found.support), source, why)
    if found.overall_supported is not None:
        sure = None if found.probability is None else {"true": found.probability}
        whole = found.overall_supported
        labels.append(Label("overall_supported", "response", whole, None, source, None, None, sure))
    return labels


def _from_steps(replies: Sequence[Reply], source: str) -> list[Label]:
    """Here `used` is what supports some response sentence: no question asks for it."""
    relevant, *supports = replies
    if relevant.value is None:
        labels = [_failed("relevant", "contexts", relevant, source)]
    else:
        labels = list_labels("relevant", relevant.value, source, relevant.why)
    for reply in supports:
        if reply.value is None:
            failed = (
                _failed("used", "contexts", reply, source),
                _failed("support", "response", reply, source),
            )
            return [*labels, *failed]
    # What a reply says besides its value (unknown keys, parts) belongs to its sentence.
    found: list[Support] = [replace(reply.value, why=reply.why or reply.value.why) for reply in supports]
    used = dict.fromkeys(key for entry in found for key in entry.supported_by if key not in SUPPORT_MARKERS)
    labels += list_labels("used", tuple(used), source)
    return labels + support_labels(map(_entry, found), source)


def _entry(found: Support) -> SentenceSupport:
    value = cast("SupportValue", found.support)
    full = value == "full"
    return SentenceSupport(
        found.key, found.supported_by, value, full, found.why, probability=found.probability
    )


def _failed(name: str, field: str, reply: Reply, source: str) -> Label:
    return Label(name, field, None, None, source, reply.why, reason_of(reply))
