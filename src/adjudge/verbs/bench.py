"""`adjudge bench rgb`: generate and run in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.api import evaluate
from adjudge.datasets.public import find_data
from adjudge.errors import UsageError
from adjudge.judges.registry import make_judge
from adjudge.report.progress import progress_bar
from adjudge.report.rgb_published import BY, comparison_tables, comparisons, published
from adjudge.types import to_json
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
    plan, asked = rgb_plan(options), take_asked(models, targets, options, with_contexts=True)
    the_judge = make_judge(judge, concurrency=asked.concurrency["concurrency"], **asked.access)
    folder = Path(out)
    answers = folder / "answers.jsonl"
    progress = ask_rgb(asked, find_data(data, "rgb"), answers, plan, options)
    if not progress.written:
        say(progress, answers, following="mend what failed")
        raise UsageError("there is no answer to score")
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
        tables = [msgspec.to_builtins(entry) for entry in comparisons(result.summary)]
        found = {
            "summary": msgspec.Raw(to_json(result.summary)),
            "comparisons": tables,
            "source": published()["source"],
            "failures": progress.failures,
        }
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1))
        return 0
    screen = console()
    for table in comparison_tables(result.summary):
        screen.print(table)
    click.echo(f"published: {published()['source']}; accuracy there is the official one")
    if plan.passages != 5:
        click.echo(f"note: the paper shows 5 passages, this run {plan.passages}")
    say(progress, answers, following=f"adjudge show {folder / 'run'} (all metrics, with intervals)")
    return 0
