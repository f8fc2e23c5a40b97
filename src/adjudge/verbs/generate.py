"""`adjudge generate rgb`, `longfact` and `answers`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from adjudge.api import run_coroutine
from adjudge.datasets.public import find_data
from adjudge.datasets.registry import parse_mapping
from adjudge.errors import UsageError
from adjudge.generate.engine import Progress
from adjudge.generate.journal import failed_path, journal_path
from adjudge.generate.rgb_data import Plan
from adjudge.report.progress import progress_bar

REACH = (
    *("base_url", "key_env", "rpm", "tpm", "timeout", "attempts"),
    *("max_cost", "prices", "cache", "cache_path"),
)

NOTHING = 3
"""Exit code where no question got an answer."""


def take_access(options: dict[str, Any]) -> dict[str, Any]:
    """Takes out the options of model access; those that were not given keep their defaults."""
    given = {name: options.pop(name) for name in REACH}
    return {name: value for name, value in given.items() if value is not None}


def rgb_plan(options: dict[str, Any]) -> Plan:
    """Takes out the options that say what is asked."""
    try:
        noise = tuple(float(rate) for rate in str(options.pop("noise")).split(",") if rate.strip())
    except ValueError as error:
        raise UsageError(f"--noise takes rates such as 0,.2,.4: {error}") from None
    abilities = tuple(name.strip() for name in options.pop("abilities").split(",") if name.strip())
    if not noise or not abilities:
        raise UsageError("--noise and --abilities need at least one entry each")
    return Plan(
        noise=tuple(dict.fromkeys(noise)),
        abilities=tuple(dict.fromkeys(abilities)),
        passages=options.pop("passages"),
        limit=options.pop("limit"),
        language=options.pop("language"),
    )


def rgb_verb(*, models: tuple[str, ...], data: str, out: str, dry_run: bool, **options: Any) -> int:
    """Ask RGB's questions and write the answers; the exit code."""
    access, plan = take_access(options), rgb_plan(options)
    path = find_data(data, "rgb")
    if dry_run:
        _dry_run(path, plan, models, access, options)
        return 0
    progress = ask_rgb(models, path, Path(out), plan, access, options)
    return say(progress, Path(out), f"adjudge run {out} -p rgb --by system,language")


def ask_rgb(
    models: tuple[str, ...],
    path: Path,
    out: Path,
    plan: Plan,
    access: dict[str, Any],
    options: dict[str, Any],
) -> Progress:
    """`generate_rgb` with a progress bar; `options` are its remaining ones."""
    from adjudge.generate.rgb import generate_rgb

    _say_without_place(plan)
    with progress_bar(None) as advance, told_how_to_go_on(out):
        progress = run_coroutine(
            generate_rgb(path, out, models, plan, access=access, on_progress=advance, **options)
        )
    progress.notes = [note for note in progress.notes if note not in plan.without_place()]
    return progress


def _say_without_place(plan: Plan) -> None:
    """Before anything is asked and paid for."""
    for note in plan.without_place():
        click.echo(f"note: {note}", err=True)


def _dry_run(
    path: Path, plan: Plan, models: tuple[str, ...], access: dict[str, Any], options: dict[str, Any]
) -> None:
    from adjudge.generate.rgb import build_cases
    from adjudge.judges.llm.dry import Dry
    from adjudge.report.dry import estimate_lines, estimates

    _say_without_place(plan)
    guessed = 60
    asked = {model: Dry() for model in models}
    built = build_cases(
        path,
        plan,
        dict.fromkeys(models, "dry"),
        temperature=options["temperature"],
        max_tokens=options["max_tokens"],
    )
    by_system = {model.partition("/")[2] or model: dry for model, dry in asked.items()}
    for case in built.cases:
        by_system[case.chat.model].plan.add(case.chat, guessed)
    for line in estimate_lines(estimates(asked, access), len(built.cases)):
        click.echo(line)


def longfact_verb(
    *, model: str, data: str, out: str, no_shuffle: bool, no_postamble: bool, **options: Any
) -> int:
    """Ask LongFact's prompts and write a result file; the exit code."""
    from adjudge.generate.longfact import LongfactPlan, generate_longfact

    access = take_access(options)
    fields = ("side_1", "side_2", "task", "limit", "sentences", "temperature", "max_tokens")
    plan = LongfactPlan(
        shuffle=not no_shuffle, postamble=not no_postamble, **{name: options.pop(name) for name in fields}
    )
    path = find_data(data, "longfact")
    with progress_bar(None) as advance, told_how_to_go_on(Path(out)):
        progress = run_coroutine(
            generate_longfact(path, Path(out), model, plan, access=access, on_progress=advance, **options)
        )
    return say(progress, Path(out), f"adjudge run {out} -p safe")


def answers_verb(
    *,
    data: str,
    target: str,
    out: str,
    format_: str | None,
    mapping: str | None,
    timeout: float,
    attempts: int,
    **options: Any,
) -> int:
    """Put questions to the user's own system; the exit code."""
    from adjudge.generate.answers import generate_answers
    from adjudge.generate.targets import make_target

    made = make_target(target, timeout=timeout, attempts=attempts)
    with progress_bar(None) as advance, told_how_to_go_on(Path(out)):
        progress = run_coroutine(
            generate_answers(
                Path(data),
                Path(out),
                made,
                format=format_,
                mapping=parse_mapping(mapping) if mapping else None,
                on_progress=advance,
                **options,
            )
        )
    return say(progress, Path(out), f"adjudge run {out}")


@contextlib.contextmanager
def told_how_to_go_on(out: Path) -> Iterator[None]:
    """On Ctrl-C, say that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        if journal_path(out).exists():
            click.echo(f"what is answered is kept in {journal_path(out)}: the same command goes on", err=True)
        raise


def say(progress: Progress, out: Path, following: str) -> int:
    """How it went, failures first, and what to do next; the exit code, not 0 if all failed."""
    for note in progress.notes:
        click.echo(f"note: {note}", err=True)
    for failure in progress.failures[:5]:
        click.echo(f"failed: {failure.id}: {failure.error}", err=True)
    if progress.failures:
        whole = progress.written + len(progress.failures)
        click.echo(f"WARNING: {len(progress.failures)} of {whole} questions have no answer", err=True)
        more = len(progress.failures) - 5
        click.echo(
            (f"… and {more} more; " if more > 0 else "")
            + f"all {len(progress.failures)} are in {failed_path(out)}; --retry-failed asks just those again",
            err=True,
        )
    kept = f", {progress.kept} answers were already there" if progress.kept else ""
    click.echo(
        f"{progress.asked} asked{kept}, {len(progress.failures)} failed; {progress.written} written to {out}"
    )
    if not progress.written:
        return NOTHING
    click.echo(f"next: {following}")
    return 0
