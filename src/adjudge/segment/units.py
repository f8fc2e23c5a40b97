"""Units cut from a sample's fields, and the words of a unit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.errors import InputError
from adjudge.segment.keys import context_key, letters
from adjudge.segment.sentences import split_sentences
from adjudge.types import Answer, Sample, Unit

_CODE = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_].*)?", re.DOTALL)


def named_language(sample: Sample) -> str | None:
    """The language that a sample's attribute names, `de` for `de-AT`; None leaves it to a guess."""
    found = _CODE.fullmatch(str(sample.attributes.get("language", "")))
    return found[1].lower() if found else None


def context_units(contexts: Sequence[str], language: str | None = None) -> tuple[Unit, ...]:
    """One unit a sentence of each passage: `ctx:0a`, `ctx:0b`, `ctx:1a` …"""
    return tuple(
        Unit(f"ctx:{context_key(passage, index)}", None, f"contexts.{passage}", (span,))
        for passage, text in enumerate(contexts)
        for index, span in enumerate(split_sentences(text, language))
    )


def response_units(response: str, language: str | None = None) -> tuple[Unit, ...]:
    """One unit a sentence of the response: `resp:a`, `resp:b` …"""
    return tuple(
        Unit(f"resp:{letters(index)}", None, "response", (span,))
        for index, span in enumerate(split_sentences(response, language))
    )


def answer_text(answer: Answer) -> str:
    """A correct answer as one text: a line a group, aliases with slashes between."""
    if isinstance(answer, str):
        return answer
    return "\n".join(group if isinstance(group, str) else " / ".join(group) for group in answer)


_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W_]+")


def nearest_answer(answer: Answer, response: str) -> str:
    """A correct answer as one text: a line a group, of each the alias that shares most with the response.

    Of several that share as much, the first.
    """
    if isinstance(answer, str):
        return answer
    told = set(_WORD.findall(response.lower()))

    def shared(alias: str) -> float:
        words = set(_WORD.findall(alias.lower()))
        return len(words & told) / (len(words) + len(told) or 1)

    return "\n".join(group if isinstance(group, str) else max(group, key=shared) for group in answer)


def has_aliases(answer: Answer | None) -> bool:
    """Whether there is any choice of words for a correct answer."""
    if answer is None or isinstance(answer, str):
        return False
    return any(not isinstance(group, str) and len(group) > 1 for group in answer)


def field_text(sample: Sample, field: str) -> str | None:
    """The text that offsets into `field` count in, or None if the sample has none."""
    if field == "response":
        return sample.response
    if field == "text":
        return sample.text
    if field == "question":
        return sample.question
    if field == "reference":
        return None if sample.reference is None else answer_text(sample.reference)
    name, _, number = field.partition(".")
    if name == "contexts" and number.isdecimal() and sample.contexts is not None:
        passage = int(number)
        return sample.contexts[passage] if passage < len(sample.contexts) else None
    return None


def unit_text(unit: Unit, sample: Sample) -> str:
    """The unit's words: its own, or its slices of a field of the sample with a space between."""
    if unit.text is not None:
        return unit.text
    text = None if unit.field is None else field_text(sample, unit.field)
    if text is None:
        raise InputError(
            f"unit {unit.id!r} has no text of its own and the sample has no such field",
            sample=sample.id,
            field=unit.field,
            fix="give the unit a 'text', or the sample the field that it was cut from",
        )
    if not unit.spans:
        return text
    return " ".join(text[start:end] for start, end in unit.spans)
