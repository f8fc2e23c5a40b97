"""Verdicts of facts: against a sample's own contexts in one question, or by searching, step after step."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from adjudge.evidence.base import Evidence, Passage, SearchFailed
from adjudge.judges.base import CheckClaims, Judge, NextQuery, RateFact, Reply
from adjudge.protocols.asking import all_said, ask_once, failure, failures, reason_of

_VERDICTS = frozenset({"entailed", "contradicted", "neutral"})
_SHOWN = 160


class Claim(NamedTuple):
    """A fact to be checked, in words that stand alone."""

    unit: str
    words: str


class Verdict(NamedTuple):
    """What became of a claim; without a value it says why."""

    value: str | None = None
    why: str | None = None
    reason: str | None = None
    against: str | None = None
    probabilities: dict[str, float] | None = None


class Manner(NamedTuple):
    """How to search."""

    max_steps: int
    results: int
    early_stop: bool


async def check_contexts(
    claims: Sequence[Claim], contexts: Sequence[str], judge: Judge
) -> tuple[list[Verdict], list[dict[str, Any]]]:
    """All claims against all contexts, in one question."""
    if not claims or not contexts:
        return [Verdict("neutral", "the sample has no contexts") for _ in claims], []
    question = CheckClaims(tuple(claim.words for claim in claims), tuple(contexts), passages=len(contexts))
    (reply,) = await judge.ask([question])
    unread = failures("response", [question], [reply])
    if reply.value is None:
        return [Verdict(reason=reason_of(reply)) for _ in claims], unread
    rows = [str(row) for row in reply.value]
    rows += [""] * (len(claims) - len(rows))
    return [_over_contexts(row, contexts, reply.reason) for row in rows[: len(claims)]], unread


def _over_contexts(row: str, contexts: Sequence[str], reason: str | None) -> Verdict:
    """Entailed if any context entails it, else contradicted if any contradicts it, else neutral."""
    cells = row[: len(contexts)].ljust(len(contexts), "-")
    place = cells.find("e")
    if place < 0:
        lacking = [f"ctx:{k}" for k, cell in enumerate(cells) if cell not in "cn"]
        if lacking:
            # Any of them might entail it, which would decide.
            why = f": {reason}" if reason else ""
            return Verdict(reason=f"the judge gave no verdict against {', '.join(lacking)}{why}")
        place = cells.find("c")
    if place < 0:
        return Verdict("neutral")
    value = "entailed" if cells[place] == "e" else "contradicted"
    return Verdict(value, _shorten(contexts[place]), None, f"ctx:{place}")


class _Inquiry(Struct):
    """What is known about one claim so far."""

    claim: Claim
    knowledge: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Searches that brought nothing new: the next query should know, a rating must not see them."""
    queries: list[str] = field(default_factory=list)
    open: bool = True
    verdict: Verdict | None = None
    trouble: str | None = None
    """Why there was no query."""
    last: str | None = None
    """The last search and the best of what it found."""

    def next_query(self) -> NextQuery:
        return NextQuery(self.claim.words, (*self.knowledge, *self.notes))

    def rating(self) -> RateFact:
        return RateFact(self.claim.words, tuple(self.knowledge))

    def take(self, passages: list[Passage], nothing: str, *, all_of_them: bool) -> bool:
        """Add what the last query found; says if there is anything new."""
        query = self.queries[-1]
        texts = [p.text for p in passages if all_of_them or p.text not in self.knowledge]
        self.knowledge += texts
        if texts:
            self.last = f"searched {query!r}: {_shorten(texts[0])}"
        else:
            self.notes.append(f"{nothing}: {query}")
        return bool(texts)

    def settle(self, reply: Reply) -> None:
        """Take a rating, which may be none."""
        if reply.value in _VERDICTS:
            told = reply.probabilities if isinstance(reply.probabilities, dict) else None
            self.verdict = Verdict(reply.value, all_said(reply.why, self.last), None, None, told)
        elif reply.value is None:
            self.verdict = Verdict(reason=reason_of(reply), why=self.last)
        else:
            self.verdict = Verdict(reason=f"the judge answered {reply.value!r}, which is no verdict")

    def outcome(self) -> Verdict:
        if self.verdict is not None:
            return self.verdict
        if self.queries:
            return Verdict("neutral", f"nothing was found for {', '.join(map(repr, self.queries))}")
        return Verdict(reason=f"no search was made: {self.trouble}")


async def look_up(
    claims: Iterable[Claim], evidence: Evidence, judge: Judge, manner: Manner
) -> tuple[list[Verdict], list[dict[str, Any]]]:
    """Search for all claims at once, a step at a time, and rate them.

    With `early_stop` each step is rated, and a claim is done once entailed or contradicted, or when its query
    is one asked before. Without, all steps are taken and rated once at the end.
    """
    inquiries = [_Inquiry(claim) for claim in claims]
    steps: list[dict[str, Any]] = []
    for _ in range(manner.max_steps):
        searching = await _choose_queries(inquiries, judge, steps, early_stop=manner.early_stop)
        if not searching:
            break
        found = await _search_all([x.queries[-1] for x in searching], evidence, manner.results)
        fresh = []
        for inquiry, passages in zip(searching, found, strict=True):
            if isinstance(passages, SearchFailed):
                inquiry.open, inquiry.verdict = False, Verdict(reason=str(passages))
                continue
            steps.append(_step(inquiry, passages, evidence.nothing))
            if inquiry.take(passages, evidence.nothing, all_of_them=not manner.early_stop):
                fresh.append(inquiry)
        if manner.early_stop:
            await _rate(fresh, judge, steps)
    if not manner.early_stop:
        await _rate([x for x in inquiries if x.verdict is None], judge, steps)
    return [inquiry.outcome() for inquiry in inquiries], steps


async def _choose_queries(
    inquiries: list[_Inquiry], judge: Judge, steps: list[dict[str, Any]], *, early_stop: bool
) -> list[_Inquiry]:
    """Give every open inquiry its next query; those without one, or with an old one, are closed."""
    waiting = [inquiry for inquiry in inquiries if inquiry.open]
    replies = await ask_once(judge, [inquiry.next_query() for inquiry in waiting])
    for inquiry, reply in zip(waiting, replies, strict=True):
        query = reply.value.strip() if isinstance(reply.value, str) else ""
        if not query:
            inquiry.open, inquiry.trouble = False, reason_of(reply)
            steps += failure(inquiry.claim.unit, NextQuery, reply)
        elif early_stop and query in inquiry.queries:
            inquiry.open = False
        else:
            inquiry.queries.append(query)
    return [inquiry for inquiry in waiting if inquiry.open]


async def _search_all(
    queries: list[str], evidence: Evidence, limit: int
) -> list[list[Passage] | SearchFailed]:
    """All at once. A search that failed is a value; what ends the run is raised when none is under way."""
    found = await asyncio.gather(
        *(evidence.search(query, limit) for query in queries), return_exceptions=True
    )
    outcomes: list[list[Passage] | SearchFailed] = []
    for result in found:
        if isinstance(result, BaseException) and not isinstance(result, SearchFailed):
            raise result
        outcomes.append(result)
    return outcomes


async def _rate(inquiries: list[_Inquiry], judge: Judge, steps: list[dict[str, Any]]) -> None:
    replies = await ask_once(judge, [inquiry.rating() for inquiry in inquiries])
    for inquiry, reply in zip(inquiries, replies, strict=True):
        inquiry.settle(reply)
        if reply.value is None:
            steps += failure(inquiry.claim.unit, RateFact, reply)
        inquiry.open = reply.value not in ("entailed", "contradicted")


def _step(inquiry: _Inquiry, passages: list[Passage], nothing: str) -> dict[str, Any]:
    step: dict[str, Any] = {
        "unit": inquiry.claim.unit,
        "query": inquiry.queries[-1],
        "result": " ".join(passage.text for passage in passages) or nothing,
    }
    if sources := [passage.source for passage in passages if passage.source]:
        step["sources"] = sources
    return step


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
