"""LongFact from prompts to a result file in the form that long-form-factuality writes.

    adjudge generate longfact --model openai/M --data longfact -o result.json --side2 vanilla_prompting

Two sides answer each prompt, each by a method; `none` and `placeholder` ask nobody. Several models or targets
give a file each, over the same prompts in the same places, so that runs over them can be compared.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.chat.base import ChatRequest
from adjudge.chat.stack import Stack, build_stack
from adjudge.errors import UsageError
from adjudge.generate.engine import Failure, Progress, answer_all, answered, ask_model, write_failures
from adjudge.generate.journal import Journal, check_out
from adjudge.generate.longfact_data import prepare_prompts
from adjudge.generate.longfact_form import SILENT, LongfactPlan, document, format_prompt
from adjudge.generate.targets import Target
from adjudge.generate.turns import TARGET_CONCURRENCY, Turns, request_of
from adjudge.prompts.plain import load_plain
from adjudge.run.store import write_atomic


class LongfactCase(Struct, frozen=True):
    """One prompt for one side."""

    id: str
    question: str
    asked: str | ChatRequest
    """What a model is sent, or the text that a target is given."""
    request: str


Responder = Stack | Turns


def _case(
    index: int, side: str, method: str, prompt: str, responder: Responder, plan: LongfactPlan
) -> LongfactCase:
    messages = load_plain(f"longfact/{method}@1").render(prompt=prompt)
    name = f"{index}.{side}"
    if isinstance(responder, Turns):
        text = "\n\n".join(message.content for message in messages)
        return LongfactCase(name, prompt, text, request_of(responder.address, text))
    chat = ChatRequest(
        model=responder.model, messages=messages, temperature=plan.temperature, max_tokens=plan.max_tokens
    )
    return LongfactCase(name, prompt, chat, chat.key(responder.where))


async def generate_longfact(
    path: Path,
    out: Path | Mapping[str, Path],
    model: str | Stack | Mapping[str, str | Stack | Target],
    plan: LongfactPlan | None = None,
    *,
    access: Mapping[str, Any] | None = None,
    concurrency: int = 32,
    target_concurrency: int = TARGET_CONCURRENCY,
    retry_failed: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Progress:
    """Ask every prompt that is not answered yet and write the result file, in the order of prompts.

    Several systems: `model` by what each is called in results, and the file for each as `out`.
    """
    plan = plan or LongfactPlan()
    given = {"concurrency": concurrency, **(access or {})}
    models = model if isinstance(model, Mapping) else {"": model}
    outs = dict.fromkeys(models, out) if isinstance(out, Path) else out
    for file in outs.values():
        check_out(file)
        if file.suffix.lower() != ".json":
            raise UsageError(f"a result file of LongFact is JSON: end {file.name!r} in .json")
    if len(set(outs.values())) < len(models):
        raise UsageError("several systems need a file each")
    prompts, notes = prepare_prompts(path, plan.task, shuffle=plan.shuffle, limit=plan.limit)
    texts = [format_prompt(prompt, plan) for prompt in prompts]
    started = time.monotonic()
    with ExitStack() as journals:
        systems = [
            _System(
                name,
                _responder(entry, given, target_concurrency),
                outs[name],
                journals.enter_context(Journal(outs[name], overwrite=overwrite)),
                concurrency if isinstance(entry, str | Stack) else target_concurrency,
            )
            for name, entry in models.items()
        ]
        total = _Total(on_progress)
        ended = await asyncio.gather(
            *(
                system.answer(texts, plan, retry_failed=retry_failed, on_progress=total.of(system))
                for system in systems
            ),
            return_exceptions=True,
        )
        for result in ended:
            if isinstance(result, BaseException):
                raise result
        seconds = time.monotonic() - started
        return _write(systems, plan, texts, notes, seconds)


def _responder(given: str | Stack | Target, access: Mapping[str, Any], concurrency: int) -> Responder:
    if isinstance(given, str):
        return build_stack(given, **access)
    return given if isinstance(given, Stack) else Turns(given, concurrency)


class _Total:
    """What several systems have answered, told as one number."""

    def __init__(self, on_progress: Callable[[int, int], None] | None) -> None:
        self._on_progress = on_progress
        self._done: dict[str, tuple[int, int]] = {}

    def of(self, system: _System) -> Callable[[int, int], None] | None:
        if self._on_progress is None:
            return None
        on_progress = self._on_progress

        def tell(done: int, total: int) -> None:
            self._done[system.name] = done, total
            on_progress(*(sum(column) for column in zip(*self._done.values(), strict=True)))

        return tell


class _System:
    """One that answers, its journal, and its answers by case."""

    def __init__(
        self, name: str, responder: Responder, out: Path, journal: Journal, concurrency: int
    ) -> None:
        self.name = name
        self.responder = responder
        self.out = out
        self.journal = journal
        self.concurrency = concurrency
        self.progress = Progress()
        self.found: dict[str, dict[str, Any]] = {}

    async def answer(self, texts: list[str], plan: LongfactPlan, **options: Any) -> None:
        """Ask what the journal has no answer to."""
        cases = [
            _case(index, side, method, text, self.responder, plan)
            for index, text in enumerate(texts)
            for side, method in plan.sides.items()
            if method not in SILENT
        ]
        async with self.responder:
            self.progress = await answer_all(
                cases, self._ask, self.journal, concurrency=self.concurrency, **options
            )
        self.found = {case.id: found for case, found in answered(cases, self.journal, self.progress)}

    async def _ask(self, case: LongfactCase) -> dict[str, Any]:
        if isinstance(case.asked, str):
            assert isinstance(self.responder, Turns)
            return await self.responder.ask(case.asked)
        assert isinstance(self.responder, Stack)
        return await ask_model(self.responder, case.asked)

    @property
    def label(self) -> tuple[str, str]:
        """Provider and name, as the file form has them."""
        if isinstance(self.responder, Turns):
            return "target", self.name or self.responder.address
        provider, _, name = self.responder.name.partition("/")
        return provider, name


def _write(
    systems: list[_System], plan: LongfactPlan, texts: list[str], notes: list[str], seconds: float
) -> Progress:
    """The files; a prompt that one system has no answer to is in none, so that places stay the same."""
    whole = Progress(notes=list(notes))
    sides = [side for side, method in plan.sides.items() if method not in SILENT]
    kept = [
        index
        for index in range(len(texts))
        if all(f"{index}.{side}" in system.found for side in sides for system in systems)
    ]
    for system in systems:
        whole_file = document(plan, system.label, texts, system.found, kept, seconds)
        write_atomic(system.out, json.dumps(whole_file).encode())
        write_failures(system.out, system.progress.failures)
        whole.cases += system.progress.cases
        whole.asked += system.progress.asked
        whole.kept += system.progress.kept
        suffix = f"|{system.name}" if len(systems) > 1 else ""
        whole.failures += (
            Failure(entry.id + suffix, entry.error, entry.question) for entry in system.progress.failures
        )
    whole.written = len(kept) * len(sides) * len(systems)
    if len(systems) > 1 and len(kept) < len(texts):
        whole.notes.append(
            f"{len(texts) - len(kept)} prompts have no answer of some system and are left out of all files"
        )
    return whole
