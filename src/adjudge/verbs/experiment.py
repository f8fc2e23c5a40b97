"""`adjudge experiment`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.api import run_coroutine
from adjudge.errors import UsageError
from adjudge.evidence.shared import searches_kept
from adjudge.judges.registry import make_judge
from adjudge.judges.usage import usage_of
from adjudge.report.experiment import outcome_parts, scatter_svg
from adjudge.report.progress import progress_bar
from adjudge.run.profile import ACCESS
from adjudge.run.store import write_atomic
from adjudge.stats.experiments import find_experiment
from adjudge.stats.experiments.outcome import Request, Result
from adjudge.verbs.common import print_tables, say_unused_access
from adjudge.verbs.run import usage_text

FLAGS = {
    "eval_identify_atomic_facts_ablated": "identify",
    "eval_rate_atomic_facts_ablated": "rate",
    "eval_entire_safe": "entire",
}
"""The reference tool's names for the parts of factscore."""
RESULTS = Path("results")
_OWN = {
    "parts": ("factscore",),
    "samples": ("factscore",),
    "evidence": ("factscore",),
    "split": ("ragbench",),
    "only": ("factscore", "ragbench", "support"),
    "steps": ("factscore", "ragchecker-meta", "ragbench"),
}
_SPELT = {"parts": "--experiment"}


def experiment_verb(
    name: str,
    *,
    judge: str,
    data: Path | None,
    out: Path | None,
    as_json: bool,
    dry_run: bool,
    similarity: str | None,
    eval_in_parallel: bool,
    save_results: bool | None,
    concurrency: int,
    **options: Any,
) -> None:
    """Run an experiment, write what it has to keep, and print its tables."""
    run = find_experiment(name)
    options["parts"] += tuple(part for flag, part in FLAGS.items() if options.pop(flag))
    _refuse_foreign(name, options)
    access = {key: options.pop(key) for key in ACCESS}
    given = {key: value for key, value in options.items() if value is not None}
    if dry_run and given.get("evidence") == "web":
        given["evidence"] = "dry"
    asked: dict[str, Any] = {}
    who = None
    if judge != "none":
        if out is not None and not dry_run:
            out.mkdir(parents=True, exist_ok=True)
        more = {"dry": asked} if dry_run else {"calls_path": str(out / "calls.jsonl")} if out else {}
        who = make_judge(judge, similarity=similarity, concurrency=concurrency, **access, **more)
        say_unused_access(who, access, searches=given.get("evidence") == "web")
    keep = (save_results or (save_results is None and name == "factscore")) and not dry_run
    folder = out or (RESULTS if keep else None)
    live = lambda: "; ".join(map(usage_text, usage_of(who).values())) if who else ""  # noqa: E731
    with progress_bar(None, live) as advance:
        request = Request(
            data=data,
            judge=who,
            out=None if dry_run else out,
            concurrency=concurrency if eval_in_parallel else 1,
            on_progress=advance,
            **given,
        )
        result: Result = run_coroutine(_awaited(run(request), access))
    if dry_run:
        _print_estimate(asked, access, result.outcome.samples, as_json)
        return
    files = _write(result, folder) if folder is not None and save_results is not False else []
    _print(result, files, as_json)
    if who is not None and not as_json:
        for model, used in usage_of(who).items():
            click.echo(f"{model}: {usage_text(used)}")


async def _awaited(running: Any, access: dict[str, Any]) -> Result:
    with searches_kept(access):
        result: Result = await running
    return result


def _refuse_foreign(name: str, options: dict[str, Any]) -> None:
    """An option that this experiment has no use for would be silently without effect."""
    for option, owners in _OWN.items():
        if name not in owners and options.get(option):
            spelt = _SPELT.get(option, f"--{option}")
            raise UsageError(f"{spelt} means nothing to {name}; it belongs to {', '.join(owners)}")


def _write(result: Result, folder: Path) -> list[Path]:
    """The outcome; and, in the reference tool's form and names where there is one, its file and its plots."""
    stamp = time.strftime("%Y-%m-%d-%H-%M-%S")
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{stamp}-{result.outcome.experiment}.json"]
    write_atomic(files[0], msgspec.json.format(msgspec.json.encode(result.outcome), indent=1))
    if result.document is not None:
        files.append(folder / f"{stamp}-{result.document_name}.json")
        write_atomic(files[1], msgspec.json.format(msgspec.json.encode(result.document), indent=1))
    figures = folder / "figures"
    for plot in result.plots:
        figures.mkdir(exist_ok=True)
        files.append(figures / f"{stamp}-{plot.name}-x={plot.x}-y={plot.y}.svg")
        write_atomic(files[-1], scatter_svg(plot.name, plot.x, plot.y, plot.points).encode())
    return files


def _print(result: Result, files: list[Path], as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result.outcome), indent=1).decode())
        return
    print_tables(outcome_parts(msgspec.to_builtins(result.outcome)))
    for path in files:
        click.echo(f"written: {path}")


def _print_estimate(asked: dict[str, Any], access: dict[str, Any], samples: int, as_json: bool) -> None:
    from adjudge.report.dry import estimate_lines, estimates

    rows = estimates(asked, access)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    for line in estimate_lines(rows, samples):
        click.echo(line)
