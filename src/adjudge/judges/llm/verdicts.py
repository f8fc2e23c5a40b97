"""SAFE's search steps (`NextQuery`, `RateFact`) and RGB's two questions about a response."""

# ruff: noqa: ARG002 - handlers share one interface, and not each needs all of it

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from adjudge.judges.base import IsRefusal, NextQuery, PointsOutError, RateFact, Reply
from adjudge.judges.llm.facts import one_text, yes_or_no
from adjudge.judges.llm.fields import as_text, field, to_json
from adjudge.judges.llm.handler import (
    Handler,
    Reading,
    Unreadable,
    failure,
    groups,
    halves,
    raws,
    tokens,
    whys,
)
from adjudge.judges.llm.loose_json import find_object
from adjudge.judges.llm.parse import verdict
from adjudge.prompts.blocks import Value, one_line

_RATING = {
    "supported": "entailed", "entailed": "entailed", "entailment": "entailed",
    "contradicted": "contradicted", "contradiction": "contradicted", "refuted": "contradicted",
    "not supported": "neutral", "unsupported": "neutral", "neutral": "neutral", "irrelevant": "neutral",
}  # fmt: skip
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


class Query(Handler[NextQuery]):
    """What to search next."""

    prompt = "safe/query@1"

    def shortcut(self, question: NextQuery) -> Reply | None:
        return None if question.fact.strip() else Reply(None, reason="the fact is empty")

    def values(self, question: NextQuery) -> dict[str, Value]:
        return {"statement": question.fact, "findings": question.knowledge}

    def read(self, question: NextQuery, text: str) -> Reading:
        reading = one_text(text, "query", "search_query")
        return replace(reading, value=one_line(reading.value))

    def guess(self, question: NextQuery) -> str:
        # Another query each time, as a model would ask: equal searches are made once.
        return to_json({"why": "…" * 20, "query": f"{question.fact} {len(question.knowledge) or ''}".strip()})


class Rate(Handler[RateFact]):
    """Findings longer than the budget are rated in groups; one that entails decides, else a contradiction."""

    prompt = "safe/rate@1"

    def shortcut(self, question: RateFact) -> Reply | None:
        return None if question.fact.strip() else Reply(None, reason="the fact is empty")

    def values(self, question: RateFact) -> dict[str, Value]:
        return {"statement": question.fact, "findings": question.knowledge}

    def read(self, question: RateFact, text: str) -> Reading:
        found = find_object(text, ("verdict", "answer", "rating"))
        if found is not None:
            said = as_text(field(found.value, "verdict", "answer", "rating"))
            if (value := verdict(said, _RATING)) is not None:
                return Reading(value, as_text(field(found.value, "why")) or None)
        value = verdict(text, _RATING)
        if value is None:
            raise Unreadable("verdict is none of supported, contradicted, not_supported")
        return Reading(value, text.strip())

    def split(self, question: RateFact, size: int, target: int, *, answer: bool = False) -> list[RateFact]:
        known = question.knowledge
        if len(known) < 2:
            return []
        found = groups([tokens(text) + 16 for text in known], size, target)
        return [
            replace(question, knowledge=known[part])
            for part in (found if len(found) > 1 else halves(len(known)))
        ]

    def merge(self, question: RateFact, parts: Sequence[RateFact], replies: Sequence[Reply]) -> Reply:
        verdicts = [reply.value for reply in replies]
        if "entailed" not in verdicts and (failed := failure(replies)) is not None:
            return failed
        value = next((v for v in ("entailed", "contradicted") if v in verdicts), "neutral")
        return Reply(value, whys(replies), raw=raws(replies))

    def guess(self, question: RateFact) -> str:
        return to_json({"why": "…" * 40, "verdict": "not_supported"})


class Refusal(Handler[IsRefusal]):
    """Does the response decline?"""

    prompt = "rgb/refusal@1"

    def shortcut(self, question: IsRefusal) -> Reply | None:
        return None if question.response.strip() else Reply(False, "the response is empty")

    def values(self, question: IsRefusal) -> dict[str, Value]:
        return {"question": question.question, "response": question.response}

    def read(self, question: IsRefusal, text: str) -> Reading:
        return yes_or_no(text, _YES_NO, "refusal", "is_refusal")

    def guess(self, question: IsRefusal) -> str:
        return to_json({"why": "…" * 20, "refusal": False})


class ErrorPointedOut(Handler[PointsOutError]):
    """Does the response say that the documents are wrong?"""

    prompt = "rgb/error@1"

    def shortcut(self, question: PointsOutError) -> Reply | None:
        return None if question.response.strip() else Reply(False, "the response is empty")

    def values(self, question: PointsOutError) -> dict[str, Value]:
        return {"response": question.response}

    def read(self, question: PointsOutError, text: str) -> Reading:
        return yes_or_no(text, _YES_NO, "points_out_error", "error")

    def guess(self, question: PointsOutError) -> str:
        return to_json({"why": "…" * 20, "points_out_error": False})
