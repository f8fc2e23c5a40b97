"""What every protocol does around a question to a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.judges.base import Judge, Question, Reply


async def ask_once(judge: Judge, questions: Sequence[Question]) -> list[Reply]:
    """One reply a question; equal questions are asked once, and none costs no call."""
    unique = list(dict.fromkeys(questions))
    replies = await judge.ask(unique) if unique else []
    known = dict(zip(unique, replies, strict=True))
    return [known[question] for question in questions]


def reason_of(reply: Reply) -> str:
    """Why a reply has no value."""
    return reply.reason or "the judge gave no answer"


def all_said(*said: str | None) -> str | None:
    """Explanations and notes as one text, each once."""
    return "; ".join(dict.fromkeys(text for text in said if text)) or None


def failure(unit: str, asked: type[Question], reply: Reply) -> list[dict[str, Any]]:
    """The step that keeps what a model said when nothing, or not all, could be made of it."""
    if not reply.raw:
        return []
    return [{"unit": unit, "asked": asked.__name__, "reason": reason_of(reply), "raw": list(reply.raw)}]


def failures(unit: str, questions: Sequence[Question], replies: Sequence[Reply]) -> list[dict[str, Any]]:
    """Such steps for all questions that were left without a value, or without part of it."""
    return [
        step
        for question, reply in zip(questions, replies, strict=True)
        if reply.value is None or reply.reason is not None
        for step in failure(unit, type(question), reply)
    ]
