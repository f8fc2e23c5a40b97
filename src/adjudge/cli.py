"""The command line: verbs only; each one calls the library and prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from adjudge._version import __version__
from adjudge.errors import AdjudgeError

P = ParamSpec("P")
R = TypeVar("R")

GUIDE = """Measure how far a language model's answer can be trusted.

\b
  adjudge demo                          see it work on bundled samples
  adjudge run answers.jsonl             score a file; the format is recognised
  adjudge show RUN --by system          the same numbers, grouped
  adjudge explain RUN SAMPLE METRIC     from a number to the sentences behind it
  adjudge rescore RUN --set safe.k=64   other parameters, same labels, no judge
  adjudge convert IN OUT --to FORMAT    between formats
  adjudge list metrics                  every metric, formula and source
"""

EXIT_CODES = """\b
Exit codes: 0 done; 1 a --fail-under or --fail-over gate failed; 2 wrong usage;
3 bad input; 4 run folder; 5 judge; 130 interrupted."""


class _Group(click.Group):
    """Verbs in the order of use, and our errors as one clear message instead of a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AdjudgeError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # The reader of our pipe has seen enough (adjudge … | head): not an error. What is still buffered
            # goes nowhere, so that Python does not complain at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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


def _split(_: click.Context, __: click.Parameter, value: tuple[str, ...] | str | None) -> tuple[str, ...]:
    """Options that take several names: repeated, or separated by commas."""
    given = (value,) if isinstance(value, str) else value or ()
    return tuple(name.strip() for entry in given for name in entry.split(",") if name.strip())


def _gates(command: Callable[P, R]) -> Callable[P, R]:
    command = click.option(
        "--fail-over",
        multiple=True,
        metavar="METRIC=VALUE",
        help="Exit 1 if a lower-is-better metric is above.",
    )(command)
    return click.option(
        "--fail-under",
        multiple=True,
        metavar="METRIC=VALUE",
        help="Exit 1 if a higher-is-better metric is below: trace.adherence=0.7, or =70%,"
        " or rgb.accuracy[noise=0.4]=0.7.",
    )(command)


_ACCESS = (
    click.option("--similarity", metavar="NAME", help="jaccard, local, st:NAME or openai/EMBEDDING-MODEL."),
    click.option("--evidence", metavar="SOURCE", help="Where safe looks: contexts, corpus:PATH or web."),
    click.option("--steps", is_flag=True, help="Ask step by step, as the papers do; many more calls."),
    click.option(
        "--base-url", metavar="URL", help="A server that speaks OpenAI's API: vLLM, Ollama, Azure …"
    ),
    click.option("--key-env", metavar="NAME", help="Environment variable that holds the key."),
    click.option("--rpm", type=float, help="Requests per minute that are never exceeded."),
    click.option("--tpm", type=float, help="Tokens per minute that are never exceeded."),
    click.option("--timeout", type=float, help="Seconds for one attempt."),
    click.option("--attempts", type=int, help="Attempts before a question is given up."),
    click.option("--max-cost", type=float, metavar="USD", help="Stop before more than this is spent."),
    click.option("--prices", metavar="FILE", help="Your own prices, as TOML."),
    click.option(
        "--cache",
        type=click.Choice(["on", "off", "replay"]),
        help="on: equal questions are asked once, ever. replay: only stored answers, no network.",
    ),
    click.option("--cache-path", metavar="FILE", help="Where answers are kept."),
    click.option("--budget", type=int, metavar="TOKENS", help="Longest prompt; longer questions are split."),
    click.option("--dry-run", is_flag=True, help="Tell calls, tokens, cost and time, and ask nobody."),
)


def _access(command: Callable[P, R]) -> Callable[P, R]:
    """How models are reached."""
    for option in reversed(_ACCESS):
        command = option(command)
    return command


_by = click.option("--by", multiple=True, callback=_split, metavar="NAME", help="Group by these attributes.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
_set = click.option(
    "--set", "parameters", multiple=True, metavar="P.NAME=VALUE", help="Set a parameter: safe.k=64,178."
)
_metrics = click.option(
    "--metrics",
    multiple=True,
    callback=_split,
    metavar="NAME",
    help="Only these metrics, protocols or groups (ragchecker.overall_metrics); only their labels are made.",
)


@main.command()
@click.argument("input", metavar="FILE")
@click.option(
    "-p",
    "--protocol",
    "protocols",
    multiple=True,
    callback=_split,
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
@_metrics
@_by
@_set
@click.option("-o", "--out", metavar="FOLDER", help="Run folder; an unfinished run there is resumed.")
@click.option("--overwrite", is_flag=True, help="Start anew in a folder that holds another run.")
@click.option("--format", "format_", metavar="NAME", help="Format of the file, if it is not recognised.")
@click.option("--map", "mapping", metavar="FIELD=KEY,…", help="Read any rows: response=answer,contexts=docs.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines and say how many.")
@click.option("--lean", is_flag=True, help="Store a reference to each sample instead of its text.")
@_access
@click.option(
    "--concurrency",
    default=32,
    type=click.IntRange(min=1),
    show_default=True,
    help="Samples in work at once.",
)
@_gates
@_json
def run(input: str, **options: Any) -> None:
    """Score FILE and write a run folder.

    FILE may be any format of 'adjudge list formats', also .gz, or - for standard input.
    """
    from adjudge.verbs.run import run_verb

    sys.exit(run_verb(input, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@_by
@_metrics
@_gates
@_json
def show(folder: Path, **options: Any) -> None:
    """Show the numbers of RUN again, perhaps grouped by other attributes."""
    from adjudge.verbs.show import show_verb

    sys.exit(show_verb(folder, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@_set
@click.option(
    "--labels", default=None, metavar="SOURCE", help="Score labels of this source that the samples carry."
)
@_metrics
@_by
@click.option("-o", "--out", metavar="FOLDER", help="Write the rescored run there.")
@_gates
@_json
def rescore(folder: Path, **options: Any) -> None:
    """Score the stored labels of RUN again with other parameters; nobody is asked anything."""
    from adjudge.verbs.show import rescore_verb

    sys.exit(rescore_verb(folder, **options))


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("sample", metavar="SAMPLE")
@click.argument("metric", metavar="[METRIC]", required=False)
@_json
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
def convert(input: str, output: Path, **options: Any) -> None:
    """Convert IN, a file or a run folder, to another format."""
    from adjudge.verbs.convert import convert_verb

    convert_verb(input, output, **options)


@main.command("list")
@click.argument("what", type=click.Choice(["protocols", "metrics", "formats", "judges"]))
@click.argument("protocol", required=False)
@_json
def list_(what: str, protocol: str | None, as_json: bool) -> None:
    """List protocols, metrics (of one PROTOCOL), formats or judges."""
    from adjudge.verbs.list import list_verb

    list_verb(what, protocol, as_json)


@main.command()
@click.option("-o", "--out", default="demo-run", show_default=True, metavar="FOLDER", help="Run folder.")
@_json
def demo(out: str, as_json: bool) -> None:
    """Score the bundled samples: every protocol, including awkward cases."""
    from adjudge.verbs.run import demo_verb

    demo_verb(out, as_json)
