"""Parts that several verbs share: gates, printing, input as a file."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

from adjudge.datasets.source import Copy
from adjudge.errors import InputError
from adjudge.judges.base import Judge
from adjudge.judges.usage import usage_of
from adjudge.report import catalogue
from adjudge.report.gate import Gate, failures, parse_gate
from adjudge.report.table import summary_tables
from adjudge.run.settings import Settings
from adjudge.types import Summary, to_json
from adjudge.verbs.streams import unless_unread

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

PIPE_WIDTH = 120
LEAST_WIDTH = 20
"""Columns below which COLUMNS is a slip and no terminal."""
NAME_WIDTH = 8
"""Characters of a name that always stand in one line."""


def make_gates(
    under: Sequence[str], over: Sequence[str], protocols: Sequence[str], parameters: dict[str, dict[str, Any]]
) -> list[Gate]:
    """Gates are checked for sense before anything is run."""
    if not under and not over:
        return []
    names = protocols or [protocol.name for protocol in catalogue.built_in()]
    built = Settings(parameters=parameters).build(names)
    return parse_gates(under, over, catalogue.all_specs(built))


def parse_gates(under: Sequence[str], over: Sequence[str], specs: Sequence[Any]) -> list[Gate]:
    return [
        *(parse_gate(text, "under", specs) for text in under),
        *(parse_gate(text, "over", specs) for text in over),
    ]


def check(gates: Sequence[Gate], summary: Summary) -> int:
    failed = failures(gates, summary)
    with unless_unread():
        for line in failed:
            click.echo(f"gate failed: {line}", err=True)
    return 1 if failed else 0


def print_summary(summary: Summary, as_json: bool) -> None:
    """Print it for machines or people, should either still be there: gates are checked all the same."""
    with unless_unread():
        if as_json:
            click.echo(msgspec.json.format(to_json(summary), indent=1))
        else:
            print_tables(summary_tables(summary))


def print_tables(parts: Iterable[RenderableType]) -> None:
    """Tables and the lines between them; a table for which the terminal is too narrow runs over its edge."""
    from rich.table import Table
    from rich.text import Text

    for part in parts:
        out = console()
        if isinstance(part, Table):
            out.width = max(out.width, _keep_readable(part, out))
        out.print(part, soft_wrap=isinstance(part, Text))


def _keep_readable(table: Table, out: Console) -> int:
    """Let no number be cut and no name be folded away, as rich would; gives the least width for that."""
    from rich.measure import measure_renderables

    boundless = out.options.update(width=1 << 16)
    for column in table.columns:
        content = measure_renderables(out, boundless, [column.header, *column.cells]).maximum
        column.min_width = content if column.no_wrap else min(content, NAME_WIDTH)
    # Beside each column stand a blank on either side and a line of blanks, as in every table of ours.
    return sum((column.min_width or 0) + 3 for column in table.columns) - 1


def console() -> Console:
    """Standard output as wide as the terminal, or wide enough for a table where there is none."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            # Rich would exit with 1, which means a failed gate here.
            raise BrokenPipeError

    return Plain(width=_width(), highlight=False)


def _width() -> int:
    told = os.environ.get("COLUMNS", "")
    if told.isdigit() and int(told) >= LEAST_WIDTH:
        return int(told)
    if sys.stdout is not None and sys.stdout.isatty():
        # A pseudo-terminal may say 0.
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    return PIPE_WIDTH


def say_unused_access(judge: Judge, access: Mapping[str, Any], *, searches: bool = False) -> None:
    """Options of model access that were given with a judge that asks no model: a slip worth a line.

    With `searches` the web is searched, which the cache is good for.
    """
    if usage_of(judge) or not judge.immediate:
        return
    context = click.get_current_context()
    unused = [
        f"--{name.replace('_', '-')}"
        for name, value in access.items()
        if value is not None
        and name not in (("threshold", "cache", "cache_path") if searches else ("threshold",))
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if unused:
        verb = "does" if len(unused) == 1 else "do"
        click.echo(f"note: judge '{judge.name}' asks no model: {', '.join(unused)} {verb} nothing", err=True)


def say_not_scored(summary: Summary) -> None:
    """Samples that are in none of the numbers, which nobody would notice otherwise."""
    for why, lost in summary.not_scored.items():
        number = "1 sample was" if lost.samples == 1 else f"{lost.samples} samples were"
        more = " …" if lost.samples > len(lost.ids) else ""
        click.echo(f"{number} scored by nothing ({why}): {', '.join(lost.ids)}{more}", err=True)


def say_skipped(skipped: Sequence[InputError]) -> None:
    if not skipped:
        return
    click.echo(f"skipped {len(skipped)} bad lines or samples:", err=True)
    for error in skipped[:5]:
        click.echo(f"  {error.place}: {error.problem}", err=True)
    if len(skipped) > 5:
        click.echo(f"  … and {len(skipped) - 5} more", err=True)


@contextlib.contextmanager
def input_file(input: str) -> Iterator[str]:
    """A path that can be read twice: standard input and pipes are copied first."""
    if input != "-" and (not Path(input).exists() or Path(input).is_file() or Path(input).is_dir()):
        yield input
        return
    with tempfile.NamedTemporaryFile(prefix="standard-input-", suffix=".jsonl") as copy:
        if input == "-" and sys.stdin is None:
            raise InputError("standard input is closed", fix="pipe the samples in, or name a file")
        stream = sys.stdin.buffer if input == "-" else open(input, "rb")  # noqa: SIM115
        while block := stream.read(1 << 20):
            copy.write(block)
        copy.flush()
        yield Copy(copy.name, given="standard input" if input == "-" else input)
