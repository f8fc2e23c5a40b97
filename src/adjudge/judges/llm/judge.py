"""The judge over a chat backend: asks everything at once, repairs once, splits what is too long."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self, cast

from msgspec.structs import replace

from adjudge.chat.base import Backend, ChatReply, ChatRequest, Message
from adjudge.chat.errors import BadReply, ChatError, ContextTooLong, GaveUp
from adjudge.errors import JudgeError, UsageError
from adjudge.judges import base
from adjudge.judges.base import Question, Reply
from adjudge.judges.llm import claims, facts, sentences, verdicts
from adjudge.judges.llm.handler import Handler, Reading, Unreadable, joined_why
from adjudge.prompts import combined_digest, load_prompt

HANDLERS: Mapping[type[Question], Handler[Any]] = {
    base.ExtractClaims: claims.Claims(),
    base.CheckClaims: claims.Check(),
    base.LabelSentences: sentences.Label(),
    base.RelevantSentences: sentences.Relevant(),
    base.SupportSentence: sentences.SupportOne(),
    base.ExtractFacts: facts.Facts(),
    base.SplitSentence: facts.Split(),
    base.MakeSelfContained: facts.Revise(),
    base.IsRelevant: facts.Relevance(),
    base.NextQuery: verdicts.Query(),
    base.RateFact: verdicts.Rate(),
    base.IsRefusal: verdicts.Refusal(),
    base.PointsOutError: verdicts.ErrorPointedOut(),
}
REPAIR = "repair@1"
BUDGET = 12_000
"""Tokens of a prompt, unless told."""

_MOST_AGAIN = 3
_SHOWN_ANSWER = 6000
_LEAST_ANSWER = 64


class _TooLong(Exception):
    """The model cannot take the question, or end its answer, in one go."""

    def __init__(self, reason: str, raw: str | None = None) -> None:
        super().__init__(reason)
        self.raw = raw or ""
        self.answer = raw is not None
        """True if it is the answer that was too long."""


class LlmJudge:
    """Answers every question but `Similarity` with a chat model.

    `budget`: estimated tokens of a prompt above which a question is split. `window`: the model's context
    length, if known; what cannot be split to fit is left unanswered without asking. `max_tokens`: of an
    answer, in place of each prompt's own. Fatal errors of model access end `ask`; any other failure is a
    reply without a value.
    """

    immediate = False
    answers: frozenset[type[Question]] = frozenset(HANDLERS)

    def __init__(
        self,
        backend: Backend,
        *,
        model: str | None = None,
        name: str | None = None,
        budget: int = BUDGET,
        window: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if budget < 1 or (window is not None and window < 1) or (max_tokens is not None and max_tokens < 1):
            raise UsageError("budget, window and max_tokens of a judge must be at least 1")
        self._backend = backend
        self.totals = getattr(backend, "totals", None)
        """What has been asked and spent so far, if the backend counts it."""
        self.model = model or getattr(backend, "model", None) or "model"
        self.name = name or getattr(backend, "name", None) or self.model
        self.where = str(getattr(backend, "where", ""))
        """Backend and address, without secrets."""
        self._budget = budget
        self._window = window
        self._max_tokens = max_tokens
        self._suppose = getattr(backend, "suppose", None)

    def __repr__(self) -> str:
        return f"LlmJudge({self.name!r})"

    async def __aenter__(self) -> Self:
        if isinstance(self._backend, AbstractAsyncContextManager):
            await self._backend.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(self._backend, AbstractAsyncContextManager):
            await self._backend.__aexit__(kind, error, trace)

    def prompts(self, asked: Iterable[type[Question]] | None = None) -> tuple[str, ...]:
        """Names of the prompts behind these questions, or behind all."""
        kinds = HANDLERS if asked is None else asked
        return tuple(sorted({HANDLERS[kind].prompt for kind in kinds if kind in HANDLERS} | {REPAIR}))

    def describe(self, asked: Iterable[type[Question]] | None = None) -> str:
        """For a signature: the model, a digest of the prompts, and limits that are not the usual ones."""
        parts = [self.name, f"prompts:{combined_digest(self.prompts(asked))}"]
        parts += [f"budget:{self._budget}"] if self._budget != BUDGET else []
        parts += [f"window:{self._window}"] if self._window is not None else []
        parts += [f"max_tokens:{self._max_tokens}"] if self._max_tokens is not None else []
        return ",".join(parts)

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        """Replies in order; all questions are asked at the same time."""
        for question in questions:
            if type(question) not in HANDLERS:
                raise JudgeError(
                    f"judge {self.name!r} cannot answer {type(question).__name__}; "
                    "choose one that can with --judge"
                )
        return await _together([self._answer(HANDLERS[type(question)], question) for question in questions])

    async def _answer(self, handler: Handler[Any], question: Question) -> Reply:
        done = handler.shortcut(question)
        if done is not None:
            return done
        request = self._request(handler, question)
        size = request.prompt_size()
        limit, hard = self._limits(request)
        if size > limit:
            parts = handler.split(question, size, limit)
            if len(parts) > 1:
                return await self._in_parts(handler, question, parts)
            if hard is not None and size > hard:
                reason = f"the prompt of about {size} tokens is longer than the window of {self._window}"
                return Reply(None, reason=f"{reason}, and cannot be split")
        try:
            return await self._converse(handler, question, request)
        except _TooLong as error:
            parts = handler.split(question, size, size // 2, answer=error.answer)
            if len(parts) > 1:
                return await self._in_parts(handler, question, parts)
            return _rest(handler, question, error)

    async def _in_parts(self, handler: Handler[Any], question: Question, parts: Sequence[Question]) -> Reply:
        replies = await _together([self._answer(handler, part) for part in parts])
        merged = handler.merge(question, parts, replies)
        rest = handler.across(question, replies) if merged.value is not None else None
        if rest is None:
            return merged
        if rest == question:  # which was split because it is too long
            return handler.settle(merged, Reply(None, reason="together they are too long"))
        return handler.settle(merged, await self._answer(handler, rest))

    def _limits(self, request: ChatRequest) -> tuple[int, int | None]:
        """Prompt tokens above which a question is split, and above which it is not sent."""
        if self._window is None:
            return self._budget, None
        room = self._window - (request.max_tokens or 0)
        return min(self._budget, max(room, self._window // 2)), self._window - _LEAST_ANSWER

    def _request(self, handler: Handler[Any], question: Question) -> ChatRequest:
        prompt = load_prompt(handler.prompt)
        allowed = self._max_tokens or prompt.max_tokens
        if self._window is not None:
            allowed = min(allowed, max(self._window // 2, _LEAST_ANSWER))
        return ChatRequest(
            model=self.model,
            messages=prompt.render(**handler.values(question)),
            max_tokens=allowed,
            schema=prompt.schema,
            schema_name=prompt.schema_name,
        )

    async def _converse(self, handler: Handler[Any], question: Question, request: ChatRequest) -> Reply:
        """Asks, and asks again where the answer contradicts itself; one repair turn in all."""
        talk = _Talk(self, handler, question)
        found, reference, asked = await talk.reading(request), talk.reference, 1
        while isinstance(found, Reading) and handler.conflict(found) is not None and asked <= _MOST_AGAIN:
            try:
                later = await talk.reading(replace(request, again=asked))
            except _TooLong:
                break
            asked += 1
            if isinstance(later, Reading):
                found, reference = later, talk.reference
        if isinstance(found, Reply):
            return found
        if (conflict := handler.conflict(found)) is not None:
            found = replace(found, notes=(*found.notes, f"asked {asked} times, still: {conflict}"))
        return Reply(found.value, joined_why(found), found.reason, raw=(reference, *found.raw))

    async def complete(self, handler: Handler[Any], question: Question, request: ChatRequest) -> ChatReply:
        """One request; raises _TooLong, fatal errors and other ChatErrors."""
        if self._suppose is not None:
            self._suppose(request, handler.guess(question))
        try:
            reply = await self._backend.complete(request)
        except ContextTooLong as error:
            raise _TooLong(str(error)) from None
        except (GaveUp, BadReply) as error:
            last = error.last if isinstance(error, GaveUp) else error
            if isinstance(last, BadReply) and last.kind == "length":
                raise _TooLong(str(last), last.raw) from None
            if isinstance(last, ContextTooLong):
                raise _TooLong(str(last)) from None
            raise
        if reply.finish_reason == "length":
            raise _TooLong(BadReply.KINDS["length"], reply.text)
        return reply

    def reference(self, request: ChatRequest) -> str:
        """Where the raw answer is found: the request's key in the cache and in the list of calls."""
        return f"call:{request.key(self.where)}"


class _Talk:
    """One question's exchange with the model."""

    def __init__(self, judge: LlmJudge, handler: Handler[Any], question: Question) -> None:
        self._judge = judge
        self._handler = handler
        self._question = question
        self._may_repair = True
        self.reference = ""

    async def reading(self, request: ChatRequest) -> Reading | Reply:
        """What the answer says, or a reply that says why there is none."""
        self.reference = self._judge.reference(request)
        try:
            reply = await self._judge.complete(self._handler, self._question, request)
        except ChatError as error:
            if error.fatal:
                raise
            return _failed(error)
        try:
            return self._handler.read(self._question, reply.text)
        except Unreadable as first:
            if not self._may_repair:
                return _left(first, reply.text)
            self._may_repair = False
            return await self._repaired(request, reply.text, first)

    async def _repaired(self, request: ChatRequest, text: str, first: Unreadable) -> Reading | Reply:
        shown = Message("assistant", text[:_SHOWN_ANSWER])
        turn = load_prompt(REPAIR).render(problem=first.problem)
        repair = replace(request, messages=(*request.messages, shown, *turn))
        try:
            reply = await self._judge.complete(self._handler, self._question, repair)
        except _TooLong:
            return _left(first, text)
        except ChatError as error:
            if error.fatal:
                raise
            return _left(first, text)
        self.reference = self._judge.reference(repair)
        try:
            return self._handler.read(self._question, reply.text)
        except Unreadable as second:
            return _left(second if second.partial or not first.partial else first, text, reply.text)


def _left(error: Unreadable, *raw: str) -> Reading | Reply:
    """What can be used of an answer, or why nothing can, with the words of it."""
    if error.partial is not None:
        return replace(error.partial, raw=raw)
    return Reply(None, reason=f"the model's answer could not be used: {error.problem}", raw=raw)


def _failed(error: ChatError) -> Reply:
    raw = getattr(error, "raw", "")
    return Reply(None, reason=str(error), raw=(raw,) if raw else ())


def _rest(handler: Handler[Any], question: Question, error: _TooLong) -> Reply:
    """A question that cannot be split further: what there is of the answer, if it is any use."""
    raw = (error.raw,) if error.raw else ()
    if error.raw:
        try:
            found = handler.read(question, error.raw)
        except Unreadable as problem:
            if problem.partial is not None:
                found = problem.partial
                return Reply(
                    found.value, joined_why(found), f"{error}; {found.reason or ''}".strip("; "), raw=raw
                )
        else:
            return Reply(found.value, joined_why(found), found.reason, raw=raw)
    return Reply(None, reason=f"{error}; the question cannot be split further", raw=raw)


async def _together(jobs: Sequence[Coroutine[Any, Any, Reply]]) -> list[Reply]:
    """All results in order; the first exception calls the others off."""
    if len(jobs) == 1:
        return [await jobs[0]]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return cast(list[Reply], await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
