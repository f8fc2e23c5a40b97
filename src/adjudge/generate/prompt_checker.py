"""A checker by one prompt: a chat model is given text and rules, once, or several times with a vote."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from adjudge.chat.base import ChatRequest, Message
from adjudge.chat.stack import Stack, build_stack
from adjudge.datasets.violation_names import CheckerName
from adjudge.errors import JudgeError, UsageError
from adjudge.generate.checkers import CheckerFailure, rules_text
from adjudge.generate.voting import vote
from adjudge.judges.llm.fields import as_text, field
from adjudge.judges.llm.handler import Unreadable, need_objects
from adjudge.prompts import load_prompt
from adjudge.types import Rule, Sample, Violation

PROMPT = "violations/check@1"
VERSION = "1"
TEMPERATURE = 0.7
"""Of several opinions; a single one is asked for without chance."""


class PromptChecker:
    """Asks a model; use inside `async with`."""

    def __init__(
        self,
        stack: Stack,
        *,
        votes: int = 1,
        temperature: float | None = None,
        name: CheckerName | None = None,
    ) -> None:
        if votes < 1:
            raise UsageError(f"votes={votes}: at least one opinion is needed")
        self._stack = stack
        self._prompt = load_prompt(PROMPT)
        self._votes = votes
        self._temperature = temperature if temperature is not None else (TEMPERATURE if votes > 1 else 0.0)
        base = "prompt" if votes == 1 else f"prompt-vote{votes}"
        self.name = name or CheckerName(base, VERSION, stack.model.replace(" ", "_"))
        told = f"one prompt ({PROMPT}, {self._prompt.digest[:6]})"
        self.about = told if votes == 1 else f"{told}, what most of {votes} answers say"

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def check(self, sample: Sample) -> tuple[Violation, ...]:
        """What the model, or most of its answers, flags."""
        rules = sample.rules or ()
        if not rules:
            raise CheckerFailure("the split has no rules, and a prompt needs them; put `rules` in its header")
        text = sample.text or ""
        messages = self._prompt.render(rules=rules_text(rules), text=text)
        opinions = await asyncio.gather(*(self._ask(messages, rules, turn) for turn in range(self._votes)))
        return opinions[0] if self._votes == 1 else vote(opinions, text)

    async def _ask(
        self, messages: tuple[Message, ...], rules: tuple[Rule, ...], turn: int
    ) -> tuple[Violation, ...]:
        """One opinion; an answer that cannot be read is asked for once more."""
        problem = ""
        for again in (0, 1):
            request = ChatRequest(
                model=self._stack.model,
                messages=messages,
                temperature=self._temperature,
                max_tokens=self._prompt.max_tokens,
                schema=self._prompt.schema,
                schema_name=self._prompt.schema_name,
                again=2 * turn + again,
            )
            try:
                reply = await self._stack.complete(request)
            except JudgeError as error:
                if getattr(error, "fatal", False):
                    raise
                raise CheckerFailure(f"the model gave no answer: {error}") from None
            try:
                return read_answer(reply.text, rules)
            except Unreadable as error:
                problem = error.problem
        raise CheckerFailure(f"the model's answer cannot be used: {problem}")


def read_answer(text: str, rules: tuple[Rule, ...]) -> tuple[Violation, ...]:
    """Violations from an answer; entries without a quote and doubles are dropped."""
    entries, truncated = need_objects(text, "violations")
    if truncated:
        raise Unreadable("it breaks off before its end")
    category = {rule.id: rule.category for rule in rules}
    known = {rule.id.casefold(): rule.id for rule in rules}
    found: dict[tuple[str, str | None], Violation] = {}
    for entry in entries:
        quote = as_text(field(entry, "quote", "passage", "text"))
        said = as_text(field(entry, "rule", "rule_id")).strip("[]")
        rule = known.get(said.casefold(), said) or None
        if quote and (quote, rule) not in found:
            found[quote, rule] = Violation(
                quote=quote,
                rule=rule,
                category=category.get(rule or ""),
                explanation=as_text(field(entry, "explanation", "why")) or None,
                correction=as_text(field(entry, "correction", "fix")) or None,
            )
    return tuple(found.values())


def make_prompt_checker(
    name: CheckerName | None = None,
    *,
    model: str | None = None,
    votes: int = 1,
    temperature: float | None = None,
    **access: Any,
) -> PromptChecker:
    """A prompt checker over a model that is reached as `access` says."""
    if not model:
        raise UsageError("--checker prompt needs --model, e.g. --model openai/gpt-4o-mini")
    stack = build_stack(model, **{key: value for key, value in access.items() if value is not None})
    return PromptChecker(stack, votes=votes, temperature=temperature, name=name)
