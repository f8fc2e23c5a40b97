"""The commands that make or fetch what is scored: `generate`, `bench`, `data`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import click

from adjudge.cli.options import REACH, with_options

P = ParamSpec("P")
R = TypeVar("R")

_KEEPING = (
    click.option("--retry-failed", is_flag=True, help="Ask again what failed before, and only that."),
    click.option("--overwrite", is_flag=True, help="Forget earlier answers in -o and begin anew."),
)
_WHO = (
    click.option("--model", "models", multiple=True, metavar="NAME", help="openai/MODEL; may be repeated."),
    click.option(
        "--target",
        "targets",
        multiple=True,
        metavar="TARGET",
        help="Your own system: python:module.function or http://…; may be repeated.",
    ),
    click.option(
        "--system", metavar="NAME", help="What to call the target in the results; default: its address."
    ),
)
"""Who answers: models, targets, or both."""
_RGB = (
    *_WHO,
    click.option(
        "--data",
        metavar="PATH",
        default="rgb",
        show_default=True,
        help="A question file, or a folder of them; 'rgb': where 'adjudge data' keeps it.",
    ),
    click.option(
        "--noise",
        default="0,.2,.4,.6,.8",
        show_default=True,
        metavar="RATES",
        help="Noise rates; integration takes those up to .4.",
    ),
    click.option("--passages", default=5, show_default=True, help="Documents shown with a question."),
    click.option(
        "--abilities",
        default="noise,rejection,integration,counterfactual",
        show_default=True,
        metavar="NAMES",
        help="Which abilities to test.",
    ),
    click.option("--limit", type=int, metavar="N", help="Only the first N questions of each file."),
    click.option("--language", type=click.Choice(["en", "zh"]), help="Only questions in this language."),
    click.option("--temperature", type=float, default=0.2, show_default=True, help="Of the model."),
    click.option("--max-tokens", type=int, help="Longest answer."),
)


_concurrency = click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="Questions in work at once, for each model or target.  [default: 32; 8 for a target]",
)


_dry = click.option("--dry-run", is_flag=True, help="Tell calls, tokens, cost and time, and ask nobody.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")


def _out(default: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    return click.option(
        "-o", "--out", default=default, show_default=True, metavar="FILE", help="File to write."
    )


@click.group()
def generate() -> None:
    """Have a model or your own system answer, and write a file to score.

    An interrupted command goes on where it was: give it again. Failures are listed in OUT.failed.jsonl.
    """


@generate.command("rgb")
@with_options(*_RGB, _out("rgb-answers.jsonl"), *REACH, _concurrency, *_KEEPING, _dry)
def generate_rgb(**options: Any) -> None:
    """RGB: questions under noise, with no answer in the documents, with scattered and with false ones.

    A target is called with the question and the documents of the condition: function(question, contexts).
    """
    from adjudge.verbs.generate import rgb_verb

    sys.exit(rgb_verb(**options))


@generate.command("longfact")
@with_options(*_WHO)
@click.option(
    "--data",
    metavar="PATH",
    default="longfact",
    show_default=True,
    help="A folder or file of prompts, or an earlier result; 'longfact': where 'adjudge data' keeps it.",
)
@click.option(
    "--task",
    default="longfact_objects",
    show_default=True,
    metavar="NAME",
    help="longfact_objects or longfact_concepts.",
)
@click.option(
    "--side1",
    "side_1",
    default="placeholder",
    show_default=True,
    metavar="METHOD",
    help="Who answers as side 1.",
)
@click.option(
    "--side2",
    "side_2",
    default="vanilla_prompting",
    show_default=True,
    metavar="METHOD",
    help="vanilla_prompting, naive_factuality_prompt, punt_if_unsure, placeholder or none.",
)
@click.option("--limit", type=int, metavar="N", help="Only the first N prompts, after shuffling.")
@click.option("--no-shuffle", is_flag=True, help="Leave the prompts in the order of files.")
@click.option("--no-postamble", is_flag=True, help="Do not ask for detail and examples.")
@click.option("--sentences", type=int, metavar="N", help="Ask for exactly N sentences.")
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the model.")
@click.option("--max-tokens", type=int, default=1024, show_default=True, help="Longest answer.")
@with_options(_out("longfact.json"), *REACH, _concurrency, *_KEEPING)
def generate_longfact(**options: Any) -> None:
    """LongFact: long answers to prompts, side by side, as long-form-factuality writes them.

    Several models or targets give a file each: longfact.MODEL.json.
    """
    from adjudge.verbs.generate import longfact_verb

    sys.exit(longfact_verb(**options))


@generate.command("answers")
@click.option("--data", required=True, metavar="FILE", help="Questions, in any format that is read.")
@click.option("--target", required=True, metavar="TARGET", help="python:module.function or http://…")
@click.option("--system", metavar="NAME", help="What to call it in the results; default: the target.")
@click.option("--format", "format_", metavar="NAME", help="Format of the questions, if not recognised.")
@click.option("--map", "mapping", metavar="FIELD=KEY,…", help="Read any rows: question=query,reference=gold.")
@click.option("--limit", type=int, metavar="N", help="Only the first N questions.")
@click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds for one question.")
@click.option("--attempts", type=int, default=3, show_default=True, help="Attempts at a busy HTTP target.")
@click.option(
    "--concurrency",
    default=8,
    type=click.IntRange(min=1),
    show_default=True,
    help="Questions in work at once.",
)
@with_options(_out("answers.jsonl"), *_KEEPING)
def generate_answers(**options: Any) -> None:
    """Your own RAG system: question in, {response, contexts} out; what it retrieved is kept too."""
    from adjudge.verbs.generate import answers_verb

    sys.exit(answers_verb(**options))


@click.group()
def bench() -> None:
    """A whole benchmark in one go: generate, then run."""


@bench.command("rgb")
@with_options(*_RGB)
@click.option("--judge", default="local", show_default=True, metavar="NAME", help="Who labels (Rej*, ED*).")
@click.option(
    "-o", "--out", default="rgb-bench", show_default=True, metavar="FOLDER", help="Folder to write."
)
@with_options(*REACH, _concurrency, *_KEEPING, _json)
def bench_rgb(**options: Any) -> None:
    """RGB's four abilities of models or your own systems, beside the figures that the paper published."""
    from adjudge.verbs.bench import bench_rgb_verb

    sys.exit(bench_rgb_verb(**options))


@click.group()
def data() -> None:
    """Public data sets: list them, see licence and files, fetch them."""


@data.command("list")
@_json
def data_list(as_json: bool) -> None:
    """All data sets, with licence and size."""
    from adjudge.verbs.data import list_verb

    list_verb(as_json)


@data.command("info")
@click.argument("name")
@_json
def data_info(name: str, as_json: bool) -> None:
    """Licence, home, files and checksums of NAME."""
    from adjudge.verbs.data import info_verb

    info_verb(name, as_json)


@data.command("get")
@click.argument("name")
@click.option("-o", "--out", metavar="FOLDER", help="Default: ADJUDGE_DATA, else ./data.")
def data_get(name: str, out: str | None) -> None:
    """Fetch NAME from its home, checked; or copy it from the folder that ADJUDGE_DATA names.

    NAME may be one part of a data set: ragbench/emanual.
    """
    from adjudge.verbs.data import get_verb

    get_verb(name, out)


COMMANDS: tuple[click.Command, ...] = (generate, bench, data)
