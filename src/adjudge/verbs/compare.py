"""`adjudge compare`: run folders, or the systems within one, held against each other."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from adjudge.report.compare import comparison_tables
from adjudge.run.store import read_info
from adjudge.stats.compare import compare_runs
from adjudge.types import to_json
from adjudge.verbs.common import print_tables


def compare_verb(
    folders: tuple[Path, ...],
    *,
    systems: str | None,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    force: bool,
    resamples: int,
    moved: int,
    as_json: bool,
) -> None:
    """Print the comparison; warnings go to standard error, loudly."""
    found = compare_runs(
        folders, systems=systems, metrics=metrics, by=by, force=force, resamples=resamples, moved=moved
    )
    for folder in folders:
        if not read_info(folder).finished:
            click.echo(f"WARNING: {folder} has not finished; what it lacks is left out", err=True)
    for warning in found.warnings:
        click.echo(f"WARNING: {warning}", err=True)
    if as_json:
        click.echo(msgspec.json.format(to_json(found), indent=1))
        return
    print_tables(comparison_tables(msgspec.to_builtins(found)))
