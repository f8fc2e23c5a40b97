"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import click

P = ParamSpec("P")
R = TypeVar("R")


def with_options(*options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Adds options to a command, in their order."""

    def add(command: Callable[P, R]) -> Callable[P, R]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def split_names(
    _: click.Context, __: click.Parameter, value: tuple[str, ...] | str | None
) -> tuple[str, ...]:
    """Options that take several names: repeated, or separated by commas."""
    given = (value,) if isinstance(value, str) else value or ()
    return tuple(name.strip() for entry in given for name in entry.split(",") if name.strip())


def gate_options(command: Callable[P, R]) -> Callable[P, R]:
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


REACH = (
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
        help="on: equal questions and web searches are asked once, ever. replay: only stored answers,"
        " no network.",
    ),
    click.option("--cache-path", metavar="FILE", help="Where answers are kept; web searches lie beside."),
)
"""How a model is reached."""
_ACCESS = (
    *REACH,
    click.option(
        "--similarity",
        metavar="NAME",
        help="jaccard, families, local, local/PATH, st:NAME or openai/EMBEDDING-MODEL.",
    ),
    click.option("--evidence", metavar="SOURCE", help="Where safe looks: contexts, corpus:PATH or web."),
    click.option("--steps", is_flag=True, help="Ask step by step, as the papers do; many more calls."),
    click.option("--budget", type=int, metavar="TOKENS", help="Longest prompt; longer questions are split."),
    click.option("--window", type=int, metavar="TOKENS", help="The model's context length, if it is small."),
    click.option("--max-tokens", type=int, metavar="TOKENS", help="Longest answer."),
    click.option(
        "--threshold", type=float, metavar="P", help="local: probability from which a claim is entailed."
    ),
    click.option("--dry-run", is_flag=True, help="Tell calls, tokens, cost and time, and ask nobody."),
)


def access_options(command: Callable[P, R]) -> Callable[P, R]:
    """How models are reached."""
    return with_options(*_ACCESS)(command)


by_option = click.option(
    "--by", multiple=True, callback=split_names, metavar="NAME", help="Group by these attributes."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
set_option = click.option(
    "--set", "parameters", multiple=True, metavar="P.NAME=VALUE", help="Set a parameter: safe.k=64,178."
)
metrics_option = click.option(
    "--metrics",
    multiple=True,
    callback=split_names,
    metavar="NAME",
    help="Only these metrics, protocols or groups (ragchecker.overall_metrics); only their labels are made.",
)
