"""`adjudge show`, `rescore` and `explain`: what a run folder holds."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from adjudge.errors import UsageError
from adjudge.report import catalogue
from adjudge.report.explain import explain_lines, find_records
from adjudge.report.progress import progress_bar
from adjudge.run.originals import with_samples
from adjudge.run.rescore import rescore_run
from adjudge.run.session import rebuild_summary, stored_protocols
from adjudge.run.settings import expand_metrics, one_metric, parse_parameters
from adjudge.run.store import read_info, read_records
from adjudge.types import to_json
from adjudge.verbs.common import check, make_gates, parse_gates, print_summary, say_not_scored
from adjudge.verbs.streams import unless_unread


def show_verb(
    folder: Path,
    *,
    by: tuple[str, ...],
    metrics: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print a stored run's numbers."""
    info = read_info(folder)
    protocols = stored_protocols(info)
    specs = catalogue.all_specs(protocols)
    gates = parse_gates(fail_under, fail_over, specs)
    with progress_bar(None) as advance:
        summary = rebuild_summary(folder, by or None, on_progress=advance)
    if metrics:
        wanted = expand_metrics(metrics, protocols)
        rows = tuple(row for row in summary.rows if row.metric in wanted)
        if not rows:
            there = ", ".join(dict.fromkeys(row.metric for row in summary.rows))
            raise UsageError(f"this run has no {', '.join(metrics)}; it has {there}")
        summary = msgspec.structs.replace(summary, rows=rows, views={})
    print_summary(summary, as_json)
    with unless_unread():
        say_not_scored(summary)
        if not info.finished:
            click.echo("this run has not finished; the numbers are of what is there so far", err=True)
    return check(gates, summary)


def rescore_verb(
    folder: Path,
    *,
    parameters: tuple[str, ...],
    labels: str | None,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    out: str | None,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
) -> int:
    """Score stored labels again."""
    settings = parse_parameters(parameters)
    gates = make_gates(fail_under, fail_over, tuple(read_info(folder).protocols), settings)
    with progress_bar(None) as advance:
        summary = rescore_run(
            folder,
            parameters=settings,
            metrics=metrics,
            labels=labels,
            by=by,
            out=Path(out) if out else None,
            on_progress=advance,
        )
    print_summary(summary, as_json)
    if out and not as_json:
        with unless_unread():
            click.echo(f"written to {out}")
    return check(gates, summary)


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}
"""Characters in data that would command the terminal, spelled out."""


def explain_verb(folder: Path, sample_id: str, metric: str | None, as_json: bool) -> None:
    """From a sample's numbers to the words behind them."""
    info = read_info(folder)
    protocols = {protocol.name: protocol for protocol in stored_protocols(info)}
    wanted = None if metric in (None, *protocols) else one_metric(str(metric), list(protocols.values()))
    protocol = metric if wanted is None else wanted.partition(".")[0]
    there = [spec.name for one in protocols.values() for spec in one.wanted]
    if wanted is not None and wanted not in there:
        raise UsageError(f"this run has no {wanted}; it has {', '.join(there)}")
    records, near = find_records(read_records(folder), sample_id)
    if not records:
        raise UsageError(f"{folder} holds no sample {sample_id!r}; it holds {', '.join(near)} …")
    chosen = [record for record in records if protocol in (None, record.protocol)]
    if not chosen:
        raise UsageError(f"sample {sample_id!r} was not scored for {metric}")
    if as_json:
        click.echo(b"[" + b",".join(to_json(record) for record in chosen) + b"]")
        return
    for record in with_samples(chosen, info.input):
        for line in explain_lines(record, protocols[record.protocol], wanted, record.sample):
            click.echo(line.translate(_CONTROLS))
        click.echo()
