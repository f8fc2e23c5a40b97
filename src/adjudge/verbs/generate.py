"""`adjudge generate rgb`, `longfact` and `answers`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from adjudge.api import run_coroutine
from adjudge.datasets.public import find_data
from adjudge.datasets.registry import parse_mapping
from adjudge.errors import UsageError
from adjudge.generate.engine import Progress
from adjudge.generate.journal import failed_path, journal_path
from adjudge.generate.rgb_data import Plan
from adjudge.generate.targets import Target, make_target
from adjudge.generate.turns import TARGET_CONCURRENCY
from adjudge.report.progress import progress_bar

REACH = (
    *("base_url", "key_env", "rpm", "tpm", "timeout", "attempts"),
    *("max_cost", "prices", "cache", "cache_path"),
)

CONCURRENCY = 32
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


class Asked(Struct, frozen=True):
    """Who answers, and how each is reached."""

    models: tuple[str, ...]
    targets: dict[str, Target]
    """By what they are called in the results."""
    access: dict[str, Any]
    concurrency: dict[str, Any]
    """`concurrency` and `target_concurrency` as the generators take them."""


def take_asked(
    models: tuple[str, ...], targets: tuple[str, ...], options: dict[str, Any], *, with_contexts: bool
) -> Asked:
    """Takes out the options of model access and targets; errors in them are told before anything is read."""
    from adjudge.generate.rgb import check_systems, system_name

    access, system, concurrency = take_access(options), options.pop("system"), options.pop("concurrency")
    if system is not None and len(targets) != 1:
        raise UsageError("--system names one target: give --target once")
    patience = {name: access[name] for name in ("timeout", "attempts") if name in access}
    made = [make_target(given, with_contexts=with_contexts, **patience) for given in targets]
    check_systems([*map(system_name, models), *(system or target.name for target in made)])
    return Asked(
        models,
        {system or target.name: target for target in made},
        access,
        {
            "concurrency": concurrency or CONCURRENCY,
            "target_concurrency": concurrency or TARGET_CONCURRENCY,
        },
    )


def rgb_verb(
    *,
    models: tuple[str, ...],
    targets: tuple[str, ...],
    data: str,
    out: str,
    dry_run: bool,
    **options: Any,
) -> int:
    """Ask RGB's questions and write the answers; the exit code."""
    plan, asked = rgb_plan(options), take_asked(models, targets, options, with_contexts=True)
    path = find_data(data, "rgb")
    if dry_run:
        _dry_run(path, plan, asked, options)
        return 0
    progress = ask_rgb(asked, path, Path(out), plan, options)
    return say(progress, Path(out), following=f"adjudge run {out} -p rgb --by system,language")


def ask_rgb(asked: Asked, path: Path, out: Path, plan: Plan, options: dict[str, Any]) -> Progress:
    """`generate_rgb` with a progress bar; `options` are its remaining ones."""
    from adjudge.generate.rgb import generate_rgb

    said = _say_what_noise_means(plan)
    with progress_bar(None, words="asking") as advance, told_how_to_go_on(out):
        progress = run_coroutine(
            generate_rgb(
                path,
                out,
                asked.models,
                plan,
                targets=asked.targets,
                access=asked.access,
                on_progress=advance,
                **asked.concurrency,
                **options,
            )
        )
    progress.notes = [note for note in progress.notes if note not in said]
    return progress


def _say_what_noise_means(plan: Plan) -> list[str]:
    """Before anything is asked and paid for; what was said."""
    notes = plan.left_out() + plan.rounded()
    for note in notes:
        click.echo(f"note: {note}", err=True)
    return notes


def _dry_run(path: Path, plan: Plan, asked: Asked, options: dict[str, Any]) -> None:
    from adjudge.generate.rgb import build_cases, system_name
    from adjudge.judges.llm.dry import Dry
    from adjudge.report.dry import estimate_lines, estimates

    _say_what_noise_means(plan)
    guessed = 60
    dry = {model: Dry() for model in asked.models}
    built = build_cases(
        path,
        plan,
        dict.fromkeys(asked.models, "dry"),
        targets=dict.fromkeys(asked.targets, "dry"),
        temperature=options["temperature"],
        max_tokens=options["max_tokens"],
    )
    by_system = {system_name(model): made for model, made in dry.items()}
    for case in built.cases:
        if case.chat is not None:
            by_system[case.system].plan.add(case.chat, guessed)
    for system in asked.targets:
        number = len({case.request for case in built.cases if case.system == system})
        click.echo(f"{system}: {number} questions")
    if dry:
        asked_of_models = sum(case.chat is not None for case in built.cases)
        for line in estimate_lines(estimates(dry, asked.access), asked_of_models):
            click.echo(line)


def longfact_verb(
    *,
    models: tuple[str, ...],
    targets: tuple[str, ...],
    data: str,
    out: str,
    no_shuffle: bool,
    no_postamble: bool,
    **options: Any,
) -> int:
    """Ask LongFact's prompts and write result files; the exit code."""
    from adjudge.generate.longfact import generate_longfact
    from adjudge.generate.longfact_form import LongfactPlan
    from adjudge.generate.rgb import system_name

    asked = take_asked(models, targets, options, with_contexts=False)
    fields = ("side_1", "side_2", "task", "limit", "sentences", "temperature", "max_tokens")
    plan = LongfactPlan(
        shuffle=not no_shuffle, postamble=not no_postamble, **{name: options.pop(name) for name in fields}
    )
    path = find_data(data, "longfact")
    systems = {system_name(model): model for model in asked.models} | asked.targets
    outs = _files(Path(out), list(systems))
    with progress_bar(None, words="asking") as advance, told_how_to_go_on(*outs.values()):
        progress = run_coroutine(
            generate_longfact(
                path,
                outs,
                systems,
                plan,
                access=asked.access,
                on_progress=advance,
                **asked.concurrency,
                **options,
            )
        )
    # A model's answer comes without contexts, so the facts are looked up elsewhere.
    how = "-p safe --evidence corpus:PATH" if asked.models else "-p safe"
    if len(outs) == 1:
        return say(progress, Path(out), following=f"adjudge run {out} {how}")
    runs = [f"adjudge run {file} {how} -o runs/{file.stem}" for file in outs.values()]
    compared = " ".join(f"runs/{file.stem}" for file in outs.values())
    return say(progress, *outs.values(), following="; ".join([*runs, f"adjudge compare {compared}"]))


def _files(out: Path, systems: list[str]) -> dict[str, Path]:
    """A file for each system: the one that was named, or with the system's name in it."""
    if len(systems) == 1:
        return {systems[0]: out}
    files = {
        system: out.with_name(f"{out.stem}.{re.sub(r'[^A-Za-z0-9._-]+', '-', system)}{out.suffix}")
        for system in systems
    }
    if len(set(files.values())) < len(files):
        raise UsageError(f"the names {', '.join(systems)} give the same file; name the target with --system")
    return files


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

    made = make_target(target, timeout=timeout, attempts=attempts)
    with progress_bar(None, words="asking") as advance, told_how_to_go_on(Path(out)):
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
    return say(progress, Path(out), following=f"adjudge run {out}")


@contextlib.contextmanager
def told_how_to_go_on(*outs: Path) -> Iterator[None]:
    """On Ctrl-C, say that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        kept = ", ".join(str(journal_path(out)) for out in outs if journal_path(out).exists())
        if kept:
            click.echo(f"what is answered is kept in {kept}: the same command goes on", err=True)
        raise


def say(progress: Progress, *outs: Path, following: str, err: bool = False) -> int:
    """How it went, failures first, and what to do next; the exit code, not 0 if all failed.

    `err`: nothing on standard output, which holds something else.
    """
    for note in progress.notes:
        click.echo(f"note: {note}", err=True)
    for failure in progress.failures[:5]:
        click.echo(f"failed: {failure.id}: {failure.error}", err=True)
    if progress.failures:
        whole = progress.written + len(progress.failures)
        click.echo(f"WARNING: {len(progress.failures)} of {whole} questions have no answer", err=True)
        more = len(progress.failures) - 5
        listed = ", ".join(str(failed_path(out)) for out in outs if failed_path(out).exists())
        click.echo(
            (f"… and {more} more; " if more > 0 else "")
            + f"all {len(progress.failures)} are in {listed}; --retry-failed asks just those again",
            err=True,
        )
    kept = f", {progress.kept} answers were already there" if progress.kept else ""
    click.echo(
        f"{progress.asked} asked{kept}, {len(progress.failures)} failed; {progress.written} written to "
        + ", ".join(map(str, outs)),
        err=err,
    )
    if not progress.written:
        return NOTHING
    click.echo(f"next: {following}", err=err)
    return 0
