"""`adjudge check` and `adjudge data perturb`: predictions for a split, by a checker or made up."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec
from msgspec import Struct

from adjudge.api import run_coroutine
from adjudge.datasets.registry import detect, read
from adjudge.datasets.source import Source
from adjudge.datasets.violations import Header, header_for, read_header, write_split
from adjudge.errors import InputError, UsageError
from adjudge.generate.checkers import TIMEOUT, Checker, distinct_texts, make_checker, run_checker
from adjudge.generate.perturb import Mishaps, perturb
from adjudge.run.store import write_atomic
from adjudge.types import Sample
from adjudge.verbs.common import say_skipped


class CheckOutcome(Struct, frozen=True):
    """What became of a split under a checker."""

    path: Path
    checker: str
    samples: int
    flagged: int
    failures: tuple[tuple[str, str], ...]
    """Sample and problem."""
    skipped: tuple[InputError, ...] = ()
    """Bad lines that were passed over."""


class _Split(Struct, frozen=True):
    """A split to be checked: its samples, its header if it has one, and what it is called else."""

    samples: Iterator[Sample]
    header: Header | None
    name: str
    skipped: list[InputError]

    def predictions_header(self, samples: Sequence[Sample], checker: str, about: str) -> Header:
        """The header of these predictions: the split's own, or one after the file it was read from."""
        head = self.header or header_for(samples[0] if samples else None, self.name)
        lines = {**head.checkers, **({checker: about} if about else {})}
        return msgspec.structs.replace(head, checker=checker, checkers=lines)


def check_split(
    split: str,
    checker: Checker,
    out: Path,
    *,
    format: str | None = None,
    timeout: float = TIMEOUT,
    concurrency: int = 8,
    skip_bad: bool = False,
) -> CheckOutcome:
    """Run a checker over a split and write its predictions; samples it failed on are listed apart.

    They are not in the file, since nothing is known of them: neither that nothing is wrong, nor what is.
    """
    opened = _open(split, format, out, skip_bad=skip_bad)
    checked, failures = run_coroutine(_gather(checker, opened.samples, timeout, concurrency))
    if failures and not checked:
        raise InputError(
            f"the checker failed on all {len(failures)} samples, first: {failures[0][1]}",
            sample=failures[0][0],
            fix="mend the checker",
        )
    name = str(checker.name)
    write_split(checked, out, opened.predictions_header(checked, name, checker.about))
    listed = out.with_name(f"{out.name}.failed.jsonl")
    if failures:
        rows = [msgspec.json.encode({"id": id, "problem": problem}) for id, problem in failures]
        write_atomic(listed, b"\n".join(rows) + b"\n")
    else:
        listed.unlink(missing_ok=True)
    flagged = sum(len(sample.predicted or ()) for sample in checked)
    return CheckOutcome(out, name, len(checked), flagged, tuple(failures), tuple(opened.skipped))


def _open(split: str, format: str | None, out: Path, *, skip_bad: bool) -> _Split:
    """The split, once it is clear that what is made of it can be written: a checker's work may be dear."""
    source = Source(split)
    reader = format or detect(source).name
    header = read_header(source) if reader == "violations" else None
    if out.is_dir():
        raise UsageError(f"-o {out}: this is a folder; name a file")
    out.parent.mkdir(parents=True, exist_ok=True)
    skipped: list[InputError] = []
    samples = read(source, format=reader, on_error=skipped.append if skip_bad else None)
    return _Split(samples, header, Path(source.name).stem, skipped)


async def _gather(
    checker: Checker, samples: Iterable[Sample], timeout: float, concurrency: int
) -> tuple[list[Sample], list[tuple[str, str]]]:
    checked: list[Sample] = []
    failures: list[tuple[str, str]] = []
    async with _opened(checker):
        found = run_checker(checker, distinct_texts(samples), timeout=timeout, concurrency=concurrency)
        async for one in found:
            if one.problem is None:
                checked.append(one.sample)
            else:
                failures.append((one.sample.id, one.problem))
    return checked, failures


@asynccontextmanager
async def _opened(checker: Checker) -> AsyncIterator[None]:
    if isinstance(checker, AbstractAsyncContextManager):
        async with checker:
            yield
    else:
        yield


def checker_of(
    choice: str,
    *,
    name: str | None = None,
    model: str | None = None,
    votes: int = 1,
    temperature: float | None = None,
    **access: Any,
) -> Checker:
    """The checker that the command line names; modules beside the user are found."""
    here = os.getcwd()
    if choice.startswith("python:") and here not in sys.path:
        sys.path.insert(0, here)
    if choice == "prompt":
        return make_checker(choice, name=name, model=model, votes=votes, temperature=temperature, **access)
    if model is not None or votes != 1 or temperature is not None:
        raise UsageError("--model, --votes and --temperature are for --checker prompt")
    return make_checker(choice, name=name)


def check_verb(
    split: str,
    *,
    checker: str,
    out: str,
    format_: str | None,
    check_timeout: float,
    concurrency: int,
    skip_bad: bool,
    **options: Any,
) -> None:
    """Run, write, and say how it went."""
    made = checker_of(checker, **options)
    outcome = check_split(
        split,
        made,
        Path(out),
        format=format_,
        timeout=check_timeout,
        concurrency=concurrency,
        skip_bad=skip_bad,
    )
    say_outcome(outcome)
    click.echo(f"next: adjudge run {out} -p violations")


def check_for_run(
    split: str, folder: Path, *, checker: str, format: str | None = None, skip_bad: bool = False
) -> str:
    """For `run --checker`: the file of predictions to score, beside the run's folder, and how it went."""
    if checker == "prompt":
        raise UsageError(
            "run --checker prompt: there is no model to ask; 'adjudge check SPLIT --checker prompt"
            " --model openai/MODEL -o FILE' writes a file of predictions to run"
        )
    made = checker_of(checker)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as room:
        fresh = Path(room) / f"{folder.name}.predictions.jsonl"
        outcome = check_split(split, made, fresh, format=format, concurrency=1, skip_bad=skip_bad)
        out = _place_for(folder, outcome.checker, fresh)
        failed = [path.with_name(f"{path.name}.failed.jsonl") for path in (fresh, out)]
        fresh.replace(out)
        if failed[0].exists():
            failed[0].replace(failed[1])
        else:
            failed[1].unlink(missing_ok=True)
    say_outcome(msgspec.structs.replace(outcome, path=out))
    return str(out)


def _place_for(folder: Path, checker: str, fresh: Path) -> Path:
    """Beside the run's folder, under the checker's name; other predictions that a run rests on stay."""
    name = f"{folder.name}.{re.sub(r'[^A-Za-z0-9.@-]+', '_', checker)}"
    out = folder.with_name(f"{name}.predictions.jsonl")
    content = fresh.read_bytes()
    if (folder / "run.json").exists() and out.exists() and out.read_bytes() != content:
        return folder.with_name(f"{name}.{sha256(content).hexdigest()[:8]}.predictions.jsonl")
    return out


def say_outcome(outcome: CheckOutcome) -> None:
    """Numbers, and every failure in one line up to ten."""
    say_skipped(outcome.skipped)
    click.echo(f"{outcome.checker}: {outcome.flagged} violations flagged in {outcome.samples} samples")
    if outcome.failures:
        click.echo(
            f"it failed on {len(outcome.failures)} samples, which are not in {outcome.path}:", err=True
        )
        for id, problem in outcome.failures[:10]:
            click.echo(f"  sample {id!r}: {problem}", err=True)
        if len(outcome.failures) > 10:
            click.echo(f"  … and {len(outcome.failures) - 10} more in {outcome.path}.failed.jsonl", err=True)


def perturb_verb(split: str, *, out: str, format_: str | None, skip_bad: bool, **shares: Any) -> None:
    """Write predictions made from gold."""
    mishaps = Mishaps(**shares)
    opened = _open(split, format_, Path(out), skip_bad=skip_bad)
    made = list(perturb(distinct_texts(opened.samples), mishaps))
    write_split(
        made, Path(out), opened.predictions_header(made, mishaps.checker, "made from the gold violations")
    )
    say_skipped(opened.skipped)
    flagged = sum(len(sample.predicted or ()) for sample in made)
    click.echo(f"{mishaps.checker}: {flagged} predictions for {len(made)} samples in {out}")
