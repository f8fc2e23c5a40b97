"""`adjudge bench rgb`: generate and run in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.api import evaluate
from adjudge.datasets.public import find_data
from adjudge.generate.engine import Progress
from adjudge.judges.registry import make_judge
from adjudge.report.progress import progress_bar
from adjudge.report.rgb_published import BY, comparison_tables, comparisons, published
from adjudge.types import Summary, to_json
from adjudge.verbs.common import console
from adjudge.verbs.generate import ask_rgb, rgb_plan, say, take_asked


def bench_rgb_verb(
    *,
    models: tuple[str, ...],
    targets: tuple[str, ...],
    data: str,
    out: str,
    judge: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Ask models and targets, score the answers into FOLDER/run, and lay the numbers beside the paper's."""
    from rich.text import Text

    plan, asked = rgb_plan(options), take_asked(models, targets, options, with_contexts=True)
    the_judge = make_judge(judge, concurrency=asked.concurrency["concurrency"], **asked.access)
    folder = Path(out)
    answers = folder / "answers.jsonl"
    progress = ask_rgb(asked, find_data(data, "rgb"), answers, plan, options)
    following = f"adjudge show {folder / 'run'} (all metrics, with intervals)"
    if not progress.written:
        if as_json:
            _print_json(None, progress)
        return say(progress, answers, following=following, err=as_json)
    with progress_bar(str(answers)) as advance:
        result = evaluate(
            str(answers),
            "rgb",
            judge=the_judge,
            by=BY,
            out=folder / "run",
            overwrite=True,
            on_progress=advance,
        )
    if as_json:
        _print_json(result.summary, progress)
        return say(progress, answers, following=following, err=True)
    screen = console()
    for part in comparison_tables(result.summary):
        screen.print(part, soft_wrap=isinstance(part, Text))
    click.echo(f"published: {published()['source']}; accuracy there is the official one")
    if plan.passages != 5:
        click.echo(f"note: the paper shows 5 passages, this run {plan.passages}")
    return say(progress, answers, following=following)


def _print_json(summary: Summary | None, progress: Progress) -> None:
    found = {
        "summary": None if summary is None else msgspec.Raw(to_json(summary)),
        "comparisons": [] if summary is None else list(comparisons(summary)),
        "source": published()["source"],
        "failures": progress.failures,
    }
    click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1))
