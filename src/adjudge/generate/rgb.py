"""RGB from model to file: every question under every condition, asked of one or several models.

    adjudge generate rgb --model openai/M --data rgb -o answers.jsonl
    adjudge generate rgb --target python:my_app.answer --data rgb -o answers.jsonl

A target is given the question and the documents of the condition, and no prompt of ours.
Each sample says its condition: `noise`, `language`, `system`, `set`, `documents` (how many; 0 where the
question was asked alone), `origins` (which, see `documents.Document`), `noise_shown` (their real share of
noise, where it is another: too few documents were there, or their number had to be rounded).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.chat.base import ChatRequest
from adjudge.chat.stack import Stack, build_stack
from adjudge.datasets.native_write import form_of, write
from adjudge.datasets.rgb import RgbItem
from adjudge.errors import InputError, UsageError
from adjudge.generate.engine import Failure, Progress, answer_all, answered, ask_model, write_failures
from adjudge.generate.journal import Journal, check_out
from adjudge.generate.rgb_data import (
    Condition,
    Plan,
    documents_for,
    question_files,
    read_questions,
    shown_noise,
)
from adjudge.generate.targets import Target
from adjudge.generate.turns import TARGET_CONCURRENCY, Turns, request_of
from adjudge.prompts.plain import load_plain
from adjudge.types import Attribute, Record, Sample

TEMPERATURE = 0.2
PROMPTS = {"en": "rgb/answer_en@1", "zh": "rgb/answer_zh@1"}


class RgbCase(Struct, frozen=True):
    """One question under one condition for one model or target."""

    sample: Sample
    """Without a response yet."""
    chat: ChatRequest | None
    """What a model is sent; None for a target, which gets question and documents."""
    request: str

    @property
    def id(self) -> str:
        return self.sample.id

    @property
    def question(self) -> str:
        return self.sample.question or ""

    @property
    def system(self) -> str:
        return str(self.sample.attributes["system"])


class Built(Struct):
    """All cases of a run, and what could not be built."""

    cases: list[RgbCase] = []
    failures: list[Failure] = []
    notes: list[str] = []


def build_cases(
    path: Path,
    plan: Plan,
    models: Mapping[str, str],
    *,
    targets: Mapping[str, str] | None = None,
    temperature: float | None = TEMPERATURE,
    max_tokens: int | None = None,
) -> Built:
    """Questions × conditions × systems, in that order. `models` and `targets`: where each is reached."""
    files, notes = question_files(path)
    built = Built(notes=notes + plan.left_out() + plan.rounded())
    inexact: Counter[str] = Counter()
    abilities: set[str] = set()
    for name, item in read_questions(files, plan):
        for condition in plan.conditions(item):
            abilities.add(condition.ability)
            try:
                shown = _shown(name, item, condition)
            except InputError as error:
                built.failures.append(Failure(f"{name}/{item.id}@{condition.name}", str(error), item.query))
                continue
            if _falls_short(shown, condition):
                inexact[f"{condition.ability} at noise {condition.name}"] += 1
            built.cases += (
                _case(shown, model, where, temperature, max_tokens) for model, where in models.items()
            )
            built.cases += (_target_case(shown, system, where) for system, where in (targets or {}).items())
    built.notes += [
        f"{number} questions lack documents of a kind{_OR_PARTS * what.startswith('integration')} for {what}:"
        " as in RGB, others or fewer are shown"
        for what, number in inexact.items()
    ]
    built.notes += [f"no question for {name}" for name in plan.abilities if name not in abilities]
    if not built.cases and not built.failures:
        why = "".join(f"; {note}" for note in plan.left_out())
        raise InputError(f"no question there fits --abilities and --language{why}", file=str(path))
    return built


_OR_PARTS = ", or have an answer in many parts,"


def _falls_short(shown: Sample, condition: Condition) -> bool:
    """Whether the documents are not those of the condition, as far as their number allows for its noise."""
    documents = len(shown.contexts or ())
    if not documents or documents < condition.passages:
        return documents > 0
    noise = shown.attributes.get("noise_shown", condition.noise)
    return isinstance(noise, float) and abs(noise - condition.whole_noise) > 1e-9


def _shown(name: str, item: RgbItem, condition: Condition) -> Sample:
    """What a model is shown, as a sample that waits for its response."""
    documents = documents_for(item, condition)
    attributes: dict[str, Attribute] = {"set": name, "language": item.language}
    if condition.noise is not None:
        attributes["noise"] = condition.noise
    attributes["documents"] = len(documents)
    if documents:
        attributes["origins"] = " ".join(document.origin for document in documents)
        if condition.ability != "counterfactual" and abs(shown_noise(documents) - condition.noise) > 1e-9:  # type: ignore[operator]
            attributes["noise_shown"] = shown_noise(documents)
    return Sample(
        id=f"{name}/{item.id}@{condition.name}",
        item=f"{name}/{item.id}",
        question=item.query,
        contexts=tuple(document.text for document in documents),
        reference=item.answer,
        counterfactual=item.counterfactual,
        ability=condition.ability,
        attributes=attributes,
    )


def _case(
    shown: Sample, model: str, where: str, temperature: float | None, max_tokens: int | None
) -> RgbCase:
    name = PROMPTS[str(shown.attributes["language"])]
    prompt = load_plain(name)
    question = shown.question or ""
    if shown.contexts:
        messages = prompt.render(documents="\n".join(shown.contexts), question=question)
    else:
        messages = prompt.render_bare(question=question)
    system = system_name(model)
    chat = ChatRequest(model=system, messages=messages, temperature=temperature, max_tokens=max_tokens)
    return RgbCase(_of(shown, system, prompt=name), chat, chat.key(where))


def _target_case(shown: Sample, system: str, where: str) -> RgbCase:
    return RgbCase(_of(shown, system), None, request_of(where, shown.question or "", shown.contexts))


def _of(shown: Sample, system: str, **more: Attribute) -> Sample:
    attributes = {**shown.attributes, **more, "system": system}
    return msgspec.structs.replace(shown, id=f"{shown.id}|{system}", attributes=attributes)


def system_name(model: str) -> str:
    """What a model is called in results: without its provider."""
    return model.partition("/")[2] or model


def check_systems(names: Sequence[str]) -> None:
    """Each system of a run has a name of its own, and there is one."""
    if not names:
        raise UsageError("name who answers: --model openai/MODEL or --target python:module.function")
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise UsageError(f"{twice[0]!r} is named twice")


async def generate_rgb(
    path: Path,
    out: Path,
    models: Sequence[str] | Mapping[str, Stack],
    plan: Plan | None = None,
    *,
    targets: Mapping[str, Target] | None = None,
    access: Mapping[str, Any] | None = None,
    temperature: float | None = TEMPERATURE,
    max_tokens: int | None = None,
    concurrency: int = 32,
    target_concurrency: int = TARGET_CONCURRENCY,
    retry_failed: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Progress:
    """Ask everything that is not answered yet and write the native file `out`, in order.

    `targets`: the user's own systems, by what they are called in the results.
    """
    check_out(out)
    form_of(out)  # before anything is asked and paid for
    given = {"concurrency": concurrency, **(access or {})}
    asked = {system: Turns(target, target_concurrency) for system, target in (targets or {}).items()}
    check_systems([*map(system_name, models), *asked])
    stacks = (
        dict(models)
        if isinstance(models, Mapping)
        else {model: build_stack(model, **given) for model in models}
    )
    built = build_cases(
        path,
        plan or Plan(),
        {model: stack.where for model, stack in stacks.items()},
        targets={system: target.address for system, target in asked.items()},
        temperature=temperature,
        max_tokens=max_tokens,
    )
    by_system = {stack.model: stack for stack in stacks.values()}

    async def ask(case: RgbCase) -> dict[str, Any]:
        if case.chat is None:
            return await asked[case.system].ask(case.question, case.sample.contexts)
        return await ask_model(by_system[case.system], case.chat)

    with Journal(out, overwrite=overwrite) as journal:
        async with AsyncExitStack() as opened:
            everyone: tuple[AbstractAsyncContextManager[Any], ...] = (*stacks.values(), *asked.values())
            for system in everyone:
                await opened.enter_async_context(system)
            progress = await answer_all(
                built.cases,
                ask,
                journal,
                concurrency=concurrency * len(stacks) + target_concurrency * len(asked),
                retry_failed=retry_failed,
                on_progress=on_progress,
            )
        progress.failures += built.failures
        progress.notes += built.notes
        found = answered(built.cases, journal, progress)
        write((_record(case, answer) for case, answer in found), out, None)
        write_failures(out, progress.failures)
    return progress


def _record(case: RgbCase, answer: dict[str, Any]) -> Record:
    attributes = {**answer.get("attributes", {}), **case.sample.attributes}
    if "finish" in answer:
        attributes["finish"] = answer["finish"]
    sample = msgspec.structs.replace(case.sample, response=answer["response"], attributes=attributes)
    return Record(protocol="", sample=sample, id=sample.id, item=sample.item)
