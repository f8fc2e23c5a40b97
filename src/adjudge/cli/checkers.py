"""The commands around checkers and calibration: `calibrate`, `check`, `perturb`, `leaderboard`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.options import REACH, with_options


@click.command()
@click.argument("what", type=click.Choice(["std", "ha", "threshold", "k", "refusal", "error"]))
@click.argument("input", metavar="RUN|FILE")
@click.option(
    "--decisions", metavar="FILE", help="std, ha: human decisions, one {sample, gold, pred, match} a line."
)
@click.option(
    "--third-rater",
    type=click.Choice(["place", "family"]),
    help="std, ha: decide by a third rater's mark that touches both; family: and is of the category of both.",
)
@click.option(
    "--preferences", metavar="FILE", help="k: one {preferred, over} a line; else the median is taken."
)
@click.option("--judge", default="local", show_default=True, metavar="NAME", help="threshold: whose.")
@click.option(
    "--objective",
    type=click.Choice(["balanced accuracy", "F1"]),
    default="balanced accuracy",
    show_default=True,
    help="threshold: what is made best.",
)
@click.option(
    "--folds", default=5, type=click.IntRange(min=2), show_default=True, help="For cross-validation."
)
@click.option("--seed", default=20240607, show_default=True, help="Of folds and resamples.")
@click.option("--name", metavar="NAME", help="Name of the profile; default: from -o.")
@click.option("-o", "--out", metavar="FILE", help="Write a profile that 'run --profile' takes.")
@click.option("--force", is_flag=True, help="Write it even if no gain was shown; it is marked so.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def calibrate(what: str, input: str, **options: Any) -> None:
    """Fit settings to human decisions and tell whether they beat the defaults on held-out items.

    \b
    std, ha     weights and thresholds of matching; RUN with --decisions or --third-rater
    threshold   of the local judge; FILE of claim, evidence, label, or of probability, label
    k           of F1@K; RUN of safe
    refusal     which phrases tell a refusal; FILE of response, refusal; or RUN of rgb with a judge
    error       which phrases tell that an error is pointed out; FILE of response, error; or RUN
    """
    from adjudge.verbs.calibrate import calibrate_verb

    calibrate_verb(what, input, **options)


_CHECKER = (
    click.option(
        "--checker",
        required=True,
        metavar="CHECKER",
        help="python:module.function, cmd:'command', prompt, or an installed one.",
    ),
    click.option("--name", metavar="NAME@VERSION[|MODEL]", help="What the checker is called."),
    click.option("--model", metavar="NAME", help="prompt: openai/MODEL."),
    click.option(
        "--votes", default=1, type=click.IntRange(min=1), help="prompt: what most of N answers say."
    ),
    click.option("--temperature", type=float, help="prompt: default 0, with --votes 0.7."),
)


@click.command()
@click.argument("split", metavar="SPLIT")
@with_options(*_CHECKER)
@click.option("-o", "--out", required=True, metavar="FILE", help="Predictions, as a split of its own.")
@click.option("--format", "format_", metavar="NAME", help="Format of SPLIT, if it is not recognised.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines and say how many.")
@click.option("--check-timeout", default=60.0, show_default=True, help="Seconds for one text.")
@click.option(
    "--concurrency", default=1, type=click.IntRange(min=1), show_default=True, help="Texts in work at once."
)
@with_options(*REACH)
def check(split: str, **options: Any) -> None:
    """Run a checker over SPLIT: it gets each text and the split's rules, and says what breaks them.

    Samples on which it fails are left out of FILE and listed, with the reason, in FILE.failed.jsonl.
    """
    from adjudge.verbs.check import check_verb

    check_verb(split, **options)


_SHARE = click.FloatRange(0, 1)


@click.command()
@click.argument("split", metavar="SPLIT")
@click.option("-o", "--out", required=True, metavar="FILE", help="Predictions, as a split of its own.")
@click.option("--shift", default=0.0, type=_SHARE, help="Share of violations whose span is shifted.")
@click.option("--shift-by", default=0.5, show_default=True, help="How far, as a share of the span's length.")
@click.option("--wrong-rule", default=0.0, type=_SHARE, help="Share that gets another rule.")
@click.option("--drop", default=0.0, type=_SHARE, help="Share that is not predicted.")
@click.option("--double", default=0.0, type=_SHARE, help="Share that is predicted twice.")
@click.option("--spurious", default=0.0, type=_SHARE, help="Share beside which one is made up.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same predictions.")
@click.option("--format", "format_", metavar="NAME", help="Format of SPLIT, if it is not recognised.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines and say how many.")
def perturb(split: str, **options: Any) -> None:
    """Make predictions out of SPLIT's gold violations, with mishaps, to see what each metric punishes."""
    from adjudge.verbs.check import perturb_verb

    perturb_verb(split, **options)


@click.command()
@click.argument("runs", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--split", metavar="NAME@VERSION", help="Which split, if the runs hold several.")
@click.option(
    "--rank-by", metavar="METRIC", help="What decides the order; ha_f1, or std_f1 where a run has no ha_f1."
)
@click.option("--about", multiple=True, metavar="CHECKER=LINE", help="A line on a checker.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def leaderboard(runs: tuple[Path, ...], **options: Any) -> None:
    """Compare the checkers of RUN… on one split, best first."""
    from adjudge.verbs.leaderboard import leaderboard_verb

    leaderboard_verb(runs, **options)


COMMANDS = (calibrate, check, leaderboard)
