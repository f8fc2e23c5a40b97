"""Answers of the user's own system to a file of questions, with what it retrieved.

adjudge generate answers --data questions.jsonl --target python:my_app.answer -o answers.jsonl
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.datasets.native_write import form_of, write
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.generate.engine import Failure, Progress, answer_all, answered, write_failures
from adjudge.generate.journal import Journal, check_out
from adjudge.generate.targets import Target
from adjudge.generate.turns import TARGET_CONCURRENCY, request_of
from adjudge.types import Record, Sample


class QuestionCase(Struct, frozen=True):
    """One question for the target."""

    sample: Sample
    request: str

    @property
    def id(self) -> str:
        return self.sample.id

    @property
    def question(self) -> str:
        return self.sample.question or ""


def read_questions(
    path: Path, target: str, *, format: str | None, mapping: Mapping[str, str] | None, limit: int | None
) -> tuple[list[QuestionCase], list[Failure]]:
    """Cases of a file in any format; samples without a question, and bad lines, are failures."""
    failures: list[Failure] = []

    def bad(error: InputError) -> None:
        failures.append(Failure(error.sample or f"line {error.line}", str(error)))

    cases = []
    for sample in islice(read(Source(path), format=format, mapping=mapping, on_error=bad), limit):
        if not (sample.question or "").strip():
            failures.append(Failure(sample.id, "there is no question to ask"))
            continue
        cases.append(QuestionCase(sample, request_of(target, sample.question or "")))
    return cases, failures


async def generate_answers(
    path: Path,
    out: Path,
    target: Target,
    *,
    system: str | None = None,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    concurrency: int = TARGET_CONCURRENCY,
    retry_failed: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Progress:
    """Ask the target everything that is not answered yet and write the native file `out`, in order."""
    check_out(out)
    form_of(out)  # before anything is asked and paid for
    cases, bad = read_questions(path, target.name, format=format, mapping=mapping, limit=limit)
    with Journal(out, overwrite=overwrite) as journal:
        async with target:
            progress = await answer_all(
                cases,
                lambda case: target.ask(case.question),
                journal,
                concurrency=concurrency,
                retry_failed=retry_failed,
                on_progress=on_progress,
            )
        progress.failures += bad
        found = answered(cases, journal, progress)
        write((_record(case, answer, system or target.name) for case, answer in found), out, None)
        write_failures(out, progress.failures)
    return progress


def _record(case: QuestionCase, answer: dict[str, Any], system: str) -> Record:
    """The question's sample with the answer in place of whatever it held; old labels spoke of another one."""
    contexts, names = answer.get("contexts"), answer.get("context_ids")
    sample = msgspec.structs.replace(
        case.sample,
        response=answer["response"],
        contexts=None if contexts is None else tuple(contexts),
        context_ids=None if names is None else tuple(names),
        units=(),
        labels=(),
        grids=(),
        attributes={**answer.get("attributes", {}), **case.sample.attributes, "system": system},
    )
    return Record(protocol="", sample=sample, id=sample.id, item=sample.item)
