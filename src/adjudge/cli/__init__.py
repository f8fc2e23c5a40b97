"""The command line: verbs only; each one calls the library and prints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from adjudge._version import __version__
from adjudge.cli import checkers, generate, trust
from adjudge.cli.ends import INTERRUPTED, TERMINATED, terminated_like_interrupted
from adjudge.cli.options import (
    access_options,
    by_option,
    gate_options,
    json_option,
    metrics_option,
    set_option,
    split_names,
)
from adjudge.errors import AdjudgeError
from adjudge.verbs.streams import forget_unread, print_anything

GUIDE = """Measure how far a language model's answer can be trusted.

\b
  adjudge demo                          see it work on bundled samples
  adjudge run answers.jsonl             score a file; the format is recognised
  adjudge show RUN --by system          the same numbers, grouped
  adjudge explain RUN SAMPLE METRIC     from a number to the sentences behind it
  adjudge rescore RUN --set safe.k=64   other parameters, same labels, no judge
  adjudge convert IN OUT --to FORMAT    between formats
  adjudge compare RUN_A RUN_B           is the difference real?
  adjudge agree RUN --with human:NAME   do people agree with the judge?
  adjudge bench rgb --model openai/M    a whole benchmark, from model to score
  adjudge list metrics                  every metric, formula and source
"""

EXIT_CODES = """\b
Exit codes: 0 done; 1 a --fail-under or --fail-over gate failed; 2 wrong usage;
3 bad input; 4 run folder; 5 judge; 130 interrupted; 143 terminated."""


class _Group(click.Group):
    """Verbs in the order of use, and our errors as one clear message instead of a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        print_anything()
        with terminated_like_interrupted() as terminated:
            return self._invoke(ctx, terminated)

    def _invoke(self, ctx: click.Context, terminated: list[int]) -> Any:
        try:
            return super().invoke(ctx)
        except AdjudgeError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("terminated" if terminated else "interrupted", err=True)
            ctx.exit(TERMINATED if terminated else INTERRUPTED)
        except BrokenPipeError:
            # The reader of our pipe has seen enough (adjudge … | head): not an error.
            forget_unread()
            ctx.exit(0)
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            click.echo(f"error: {named}{error.strerror or error}", err=True)
            ctx.exit(3)


@click.group(
    cls=_Group, help=GUIDE, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="adjudge")
def main() -> None:
    pass


@main.command()
@click.argument("input", metavar="FILE")
@click.option(
    "-p",
    "--protocol",
    "protocols",
    multiple=True,
    callback=split_names,
    metavar="NAME",
    help="rgb, trace, safe, ragchecker, violations. Default: those the file's fields allow.",
)
@click.option("--judge", default="local", show_default=True, metavar="NAME", help="Who labels.")
@click.option(
    "--labels",
    default="auto",
    show_default=True,
    metavar="SOURCE",
    help="auto: the file's labels, else the judge's; judge; or a source such as human:NAME.",
)
@metrics_option
@by_option
@set_option
@click.option(
    "-o",
    "--out",
    metavar="FOLDER",
    help="Run folder; an unfinished run there is resumed. OUT.json: a long-form result file, annotated.",
)
@click.option("--overwrite", is_flag=True, help="Start anew in a folder that holds another run.")
@click.option("--format", "format_", metavar="NAME", help="Format of the file, if it is not recognised.")
@click.option("--map", "mapping", metavar="FIELD=KEY,…", help="Read any rows: response=answer,contexts=docs.")
@click.option("--profile", metavar="FILE", help="Settings from 'adjudge calibrate', named in signatures.")
@click.option(
    "--checker", metavar="NAME", help="Run this checker over the split first: python:mod.fn, cmd:…."
)
@click.option(
    "--where", multiple=True, metavar="NAME=VALUE", help="Only samples with this attribute: noise=0,.4."
)
@click.option("--side", metavar="1,2", help="Short for --where side=1,2.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines and say how many.")
@click.option("--lean", is_flag=True, help="Store a reference to each sample instead of its text.")
@access_options
@click.option(
    "--concurrency",
    default=32,
    type=click.IntRange(min=1),
    show_default=True,
    help="Samples in work at once.",
)
@gate_options
@json_option
def run(input: str, **options: Any) -> None:
    """Score FILE and write a run folder.

    FILE may be any format of 'adjudge list formats', also .gz, or - for standard input.
    """
    from adjudge.verbs.run import run_verb

    sys.exit(run_verb(input, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@by_option
@metrics_option
@gate_options
@json_option
def show(folder: Path, **options: Any) -> None:
    """Show the numbers of RUN again, perhaps grouped by other attributes."""
    from adjudge.verbs.show import show_verb

    sys.exit(show_verb(folder, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@set_option
@click.option(
    "--labels", default=None, metavar="SOURCE", help="Score labels of this source that the samples carry."
)
@metrics_option
@by_option
@click.option("-o", "--out", metavar="FOLDER", help="Write the rescored run there.")
@gate_options
@json_option
def rescore(folder: Path, **options: Any) -> None:
    """Score the stored labels of RUN again with other parameters; nobody is asked anything."""
    from adjudge.verbs.show import rescore_verb

    sys.exit(rescore_verb(folder, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("sample", metavar="SAMPLE")
@click.argument("metric", metavar="[METRIC]", required=False)
@json_option
def explain(folder: Path, sample: str, metric: str | None, as_json: bool) -> None:
    """Show what is behind SAMPLE's numbers: counts, units, labels, words, and what is missing."""
    from adjudge.verbs.show import explain_verb

    explain_verb(folder, sample, metric, as_json)


@main.command()
@click.argument("input", metavar="IN")
@click.argument("output", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--to", "to", required=True, metavar="FORMAT", help="Format to write; see 'adjudge list formats'."
)
@click.option("--format", "format_", metavar="NAME", help="Format of IN, if it is not recognised.")
@click.option("--map", "mapping", metavar="FIELD=KEY,…", help="Read any rows.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines and say how many.")
@click.option("--overwrite", is_flag=True, help="Write over OUT; never over IN.")
def convert(input: str, output: Path, **options: Any) -> None:
    """Convert IN, a file or a run folder, to another format."""
    from adjudge.verbs.convert import convert_verb

    convert_verb(input, output, **options)


@main.command("list")
@click.argument("what", type=click.Choice(["protocols", "metrics", "formats", "judges"]))
@click.argument("protocol", required=False)
@json_option
def list_(what: str, protocol: str | None, as_json: bool) -> None:
    """List protocols, metrics (of one PROTOCOL), formats or judges."""
    from adjudge.verbs.list import list_verb

    list_verb(what, protocol, as_json)


@main.command()
@click.option("-o", "--out", default="demo-run", show_default=True, metavar="FOLDER", help="Run folder.")
@json_option
def demo(out: str, as_json: bool) -> None:
    """Score the bundled samples: every protocol, including awkward cases."""
    from adjudge.verbs.run import demo_verb

    demo_verb(out, as_json)


for command in (*generate.COMMANDS, *checkers.COMMANDS, *trust.COMMANDS):
    main.add_command(command)
generate.data.add_command(checkers.perturb)
