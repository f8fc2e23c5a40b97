"""`adjudge run` and `adjudge demo`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.api import Result, evaluate
from adjudge.datasets.inspect_log import scored_with
from adjudge.datasets.registry import detect, find_writer, parse_mapping
from adjudge.datasets.source import Source
from adjudge.errors import JudgeError, RunFolderError, UsageError
from adjudge.judges.registry import make_judge
from adjudge.judges.usage import usage_of
from adjudge.protocols.ragchecker import RagChecker
from adjudge.report.progress import progress_bar
from adjudge.run.profile import ACCESS, Merged, shortcuts
from adjudge.run.rescore import deep_merge
from adjudge.run.store import read_info
from adjudge.types import Summary
from adjudge.verbs.check import check_for_run
from adjudge.verbs.common import (
    check,
    input_file,
    make_gates,
    print_summary,
    say_not_scored,
    say_skipped,
    say_unused_access,
)
from adjudge.verbs.convert import refuse_to_overwrite, write_run
from adjudge.verbs.profile import with_profile
from adjudge.verbs.streams import unless_unread


def run_verb(
    input: str,
    *,
    protocols: tuple[str, ...],
    parameters: tuple[str, ...],
    mapping: str | None,
    format_: str | None,
    out: str | None,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
    where: tuple[str, ...],
    side: str | None,
    profile: str | None,
    checker: str | None,
    **options: Any,
) -> int:
    """Score a file into a run folder; the exit code tells whether the gates held."""
    given, merged = with_profile(
        click.get_current_context(), {**options, "parameters": parameters, "protocols": protocols}, profile
    )
    options = {name: value for name, value in given.items() if name not in ("parameters", "protocols")}
    protocols = tuple(given["protocols"])
    options["where"] = (*where, f"side={side}") if side else where
    short = shortcuts({name: options.pop(name) for name in ("evidence", "steps")})
    settings = deep_merge(merged.parameters, short)
    access = {name: options.pop(name) for name in ACCESS}
    if options.pop("dry_run"):
        if checker is not None:
            raise UsageError(
                "--dry-run knows nothing of what a checker will flag; 'adjudge check' writes its predictions,"
                " which can be run dry"
            )
        return _dry_run(input, protocols, settings, mapping, format_, access, as_json, options)
    gates = make_gates(fail_under, fail_over, protocols, settings)
    with input_file(input) as path:
        _say_how_it_was_scored(path, settings)
        annotated = _annotated(out, path, overwrite=options["overwrite"])
        folder = annotated.with_suffix(".run") if annotated else Path(out) if out else _new_folder(input)
        if options["lean"] and path != input:
            raise UsageError("--lean refers to a file, and standard input is none")
        if checker is not None:
            path = check_for_run(path, folder, checker=checker, format=format_, skip_bad=options["skip_bad"])
            format_ = "violations"
        judge = make_judge(
            options.pop("judge"),
            similarity=options.pop("similarity"),
            concurrency=options["concurrency"],
            calls_path=str(folder / "calls.jsonl"),
            **access,
        )
        say_unused_access(judge, access, searches=_evidence(settings) == "web")
        live = lambda: "; ".join(usage_text(used) for used in usage_of(judge).values())  # noqa: E731
        with (
            progress_bar(path, live) as advance,
            _told_how_to_go_on(input, folder, overwrite=options["overwrite"]),
        ):
            result = evaluate(
                path,
                protocols or None,
                judge=judge,
                profile=Merged(options={}, parameters=settings, mark=merged.mark),
                mapping=parse_mapping(mapping) if mapping else None,
                format=format_,
                out=folder,
                access=access,
                on_progress=advance,
                **options,
            )
    if annotated is not None:
        write_run(folder, annotated, find_writer("safe_annotated"), overwrite=options["overwrite"])
    print_summary(result.summary, as_json)
    with unless_unread():
        _say_what_was_odd(result)
        say_not_scored(result.summary)
    if not as_json:
        with unless_unread():
            _say_how_it_went(result, folder)
            if annotated is not None:
                click.echo(f"annotated as {annotated}")
    failed = check(gates, result.summary)
    if not failed and _unanswered(result.usage):
        with unless_unread():
            click.echo("no question got an answer, so nothing that needs a judge has a score", err=True)
        return JudgeError.exit_code
    return failed


def _say_how_it_was_scored(path: str, settings: dict[str, dict[str, Any]]) -> None:
    """Where an Inspect log was scored with other parameters than it will be now."""
    if Path(path).suffix not in (".eval", ".json"):
        return
    for name, parameters in scored_with(Source(path)).items():
        given = settings.get(name, {})
        other = [f"--set {name}.{k}={_written(v)}" for k, v in parameters.items() if k not in given]
        if other:
            click.echo(
                f"the log was scored with other parameters; for its numbers: {' '.join(other)}", err=True
            )


def _written(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _unanswered(usage: dict[str, dict[str, Any]]) -> bool:
    """Whether models were asked and none ever answered."""
    failures = sum(used["failed"] for used in usage.values())
    return failures > 0 and not any(used["answered"] for used in usage.values())


def demo_verb(out: str, as_json: bool) -> None:
    """Score the bundled samples and say where to look next."""
    if (Path(out) / "run.json").exists():
        bundled = Path(str(read_info(Path(out)).input.get("path", ""))).parts[-2:] == (
            "demo",
            "samples.jsonl",
        )
        if not bundled:
            raise RunFolderError(f"{out} holds a run of yours; choose another folder with -o")
    with as_file(files("adjudge") / "demo" / "samples.jsonl") as path:
        result = evaluate(str(path), out=out, overwrite=True)
    print_summary(result.summary, as_json)
    if as_json:
        return
    click.echo(f"{result.summary.samples} bundled samples scored into {out}. Where to look next:")
    for line in (
        f"adjudge explain {out} paris-partial          the claims, sentences and phrases behind one sample",
        f"adjudge show {out} --by language             the same numbers, grouped",
        f"adjudge rescore {out} --set safe.k=3         another K, no new labels",
        "adjudge list metrics                         every metric with its formula and source",
        "adjudge run YOUR_FILE                        your own data; 'adjudge list formats' says which",
    ):
        click.echo(f"  {line}")


def _annotated(out: str | None, path: str, *, overwrite: bool) -> Path | None:
    """`-o result.json` for a long-form result file: it is written again with SAFE's results, as SAFE does."""
    if out is None or not out.endswith(".json"):
        return None
    if detect(Source(path)).name != "longform":
        raise UsageError(f"-o {out}: only long-form result files are annotated; -o names a folder otherwise")
    refuse_to_overwrite(Path(out), Path(path), overwrite=overwrite)
    return Path(out)


@contextlib.contextmanager
def _told_how_to_go_on(input: str, folder: Path, *, overwrite: bool) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if (folder / "run.json").exists() and input != "-":
            but = " and without --overwrite" if overwrite else ""
            click.echo(
                f"what is done is kept: the same command with -o {folder}{but} goes on there", err=True
            )
        raise


def _evidence(parameters: dict[str, dict[str, Any]]) -> str | None:
    return parameters.get("safe", {}).get("evidence")


def _dry_run(
    input: str,
    protocols: Sequence[str],
    parameters: dict[str, dict[str, Any]],
    mapping: str | None,
    format_: str | None,
    access: dict[str, Any],
    as_json: bool,
    options: dict[str, Any],
) -> int:
    """Go through all samples with guessed answers, to tell what a real run would ask and cost."""
    from adjudge.judges.llm.dry import Dry
    from adjudge.report.dry import estimate_lines, estimates

    asked: dict[str, Dry] = {}
    judge = make_judge(options["judge"], similarity=options["similarity"], dry=asked, **access)
    if _evidence(parameters) == "web":
        parameters = {**parameters, "safe": {**parameters["safe"], "evidence": "dry"}}
    with input_file(input) as path:
        result = evaluate(
            path,
            protocols or None,
            judge=judge,
            parameters=parameters,
            metrics=options["metrics"],
            labels=options["labels"],
            where=options["where"],
            mapping=parse_mapping(mapping) if mapping else None,
            format=format_,
            skip_bad=options["skip_bad"],
        )
    rows = estimates(asked, access)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2))
        return 0
    for line in estimate_lines(rows, result.summary.samples):
        click.echo(line)
    return 0


def _say_what_was_odd(result: Result) -> None:
    """What the numbers do not tell of themselves; on standard error, beside JSON too."""
    say_skipped(result.skipped)
    for note, times in result.notes.items():
        click.echo(f"read all the same: {note} ({times} ×)", err=True)
    for why, number in result.passed_over.items():
        click.echo(f"not scored, {number} samples: {why}; see --judge", err=True)
    for protocol, signatures in result.summary.signatures.items():
        if " ; " in signatures:
            click.echo(f"note: the numbers of {protocol} mix {_mixed(signatures)}", err=True)
    if _half_labelled(result.summary):
        click.echo(
            "note: verdicts that the file lacks leave numbers of ragchecker unscored; with --labels judge"
            " they come from the judge, as do all others",
            err=True,
        )
    for name in result.summary.by:
        if all(row.group.get(name) is None for row in result.summary.rows):
            click.echo(f"note: no sample has an attribute {name!r} to group by", err=True)


def _say_how_it_went(result: Result, folder: Path) -> None:
    for model, used in result.usage.items():
        if used["answered"] or used["failed"] or used["sent"]:
            click.echo(f"{model}: {usage_text(used)}")
    if result.already_finished:
        click.echo(f"{folder} already held this finished run; nothing was scored again")
    elif result.resumed:
        click.echo(f"resumed: {result.resumed} samples were already there")
    count = result.summary.samples
    click.echo(f"{count} sample{'s' * (count != 1)} in {folder}")
    click.echo(f"next: adjudge explain {folder} SAMPLE [METRIC]")


def _mixed(signatures: str) -> str:
    """What tells several signatures of one run apart, and how to keep to one."""
    parts = {part for signature in signatures.split(" ; ") for part in signature.split("|")}
    if sum(part.startswith(("judge:", "labels:")) for part in parts) > 1:
        return "labellers; choose one with --labels"
    return "samples that declare different parameters; choose some with --where"


def _half_labelled(summary: Summary) -> bool:
    """Whether results of RAGChecker came with verdicts for some metrics only, as it writes them."""
    given = "|labels:" in summary.signatures.get(RagChecker.name, "")
    specs = {spec.name for spec in RagChecker.specs}
    return given and any(row.metric in specs and row.samples.get("unscored") for row in summary.rows)


def usage_text(used: dict[str, Any]) -> str:
    cost = "cost unknown" if used["cost"] is None else f"${used['cost']:.4f}"
    return (
        f"{used['answered']} answers, {used['cached']} of them from the cache, {used['failed']} failed;"
        f" {used['prompt_tokens']:,} + {used['completion_tokens']:,} tokens, {cost}"
    )


def _new_folder(input: str) -> Path:
    """`runs/answers-20240607-120000`, free of earlier runs."""
    stem = "stdin" if input == "-" else Path(input).name.split(".")[0] or "run"
    base = Path("runs") / f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder, number = base, 1
    while folder.exists():
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder
