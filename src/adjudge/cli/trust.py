"""Commands that say how far the numbers can be trusted: agreement with people, comparison of systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.options import access_options, by_option, json_option, split_names

_metrics = click.option(
    "--metrics",
    "--metric",
    multiple=True,
    callback=split_names,
    metavar="NAME",
    help="Only these metrics, protocols or groups.",
)


@click.command()
@click.argument("runs", metavar="A [B C…]", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--systems",
    metavar="ATTRIBUTE",
    help="Compare the systems within one run that this attribute tells apart.",
)
@_metrics
@by_option
@click.option("--force", is_flag=True, help="Compare even where versions or metrics do not fit.")
@click.option(
    "--resamples",
    default=10_000,
    type=click.IntRange(min=100),
    show_default=True,
    help="Resamples and permutations.",
)
@click.option(
    "--moved", default=5, type=click.IntRange(min=0), show_default=True, help="Samples kept a metric."
)
@json_option
def compare(runs: tuple[Path, ...], **options: Any) -> None:
    """Tell whether B (and C …) differs from A, paired on the samples or items that both have.

    A, B and C are run folders; the first is what the others are held against. Metrics that are counts are
    compared only if --metrics names them.
    """
    from adjudge.verbs.compare import compare_verb

    compare_verb(runs, **options)


@click.command()
@click.argument("tested", metavar="RUN")
@click.option(
    "--with",
    "with_",
    multiple=True,
    callback=split_names,
    metavar="WHOM",
    help="human (all people in the samples), human:NAME, attribute:NAME, or a file or run. Default: human.",
)
@click.option("--labels", metavar="SOURCE", help="Whose labels are tested, where RUN carries several.")
@_metrics
@click.option(
    "--statistic",
    "statistics",
    multiple=True,
    callback=split_names,
    metavar="NAME",
    help="Only these: kappa, alpha, spearman, auroc, f1 …",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    callback=split_names,
    metavar="LEVEL",
    help="label, unit, sample. Default: label and sample.",
)
@by_option
@json_option
def agree(tested: str, **options: Any) -> None:
    """Tell how far the labels and scores of RUN agree with people's.

    RUN is a run folder, or a file of samples that carry labels of a judge and of people. Where there are
    several people, their agreement with each other stands beside: no judge can be expected to pass it.
    """
    from adjudge.verbs.agree import agree_verb

    agree_verb(tested, **options)


_bool: dict[str, Any] = {"type": bool, "is_flag": False, "flag_value": "true", "hidden": True}


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--judge",
    default="local",
    show_default=True,
    metavar="NAME",
    help="Who is held against people; none: only what is stored.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Folder that holds the data; default: ADJUDGE_DATA.",
)
@click.option(
    "--only", multiple=True, callback=split_names, metavar="NAME", help="Only these files or subsets."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most N of each file, by a fixed seed: a quick look.",
)
@click.option(
    "--experiment",
    "parts",
    multiple=True,
    callback=split_names,
    metavar="PART",
    help="factscore: identify, rate, entire.",
)
@click.option("--samples", type=int, metavar="N", help="factscore: N responses, drawn as the original does.")
@click.option("--split", metavar="NAME", help="ragbench: test (default), validation or train.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write results there; an unfinished run there is resumed. factscore: results.",
)
@click.option("--overwrite", is_flag=True, help="Start anew where FOLDER holds runs.")
@click.option(
    "--resamples",
    default=1000,
    type=click.IntRange(min=100),
    show_default=True,
    help="Bootstrap resamples behind an interval.",
)
@click.option(
    "--concurrency",
    default=32,
    type=click.IntRange(min=1),
    show_default=True,
    help="Samples in work at once.",
)
@click.option("--eval_identify_atomic_facts_ablated", default=False, **_bool)
@click.option("--eval_rate_atomic_facts_ablated", default=False, **_bool)
@click.option("--eval_entire_safe", default=False, **_bool)
@click.option("--eval_in_parallel", default=True, **_bool)
@click.option("--save_results", default=None, **_bool)
@access_options
@json_option
def experiment(name: str, **options: Any) -> None:
    """Run a published experiment that holds a judge against people.

    NAME is factscore, ragchecker-meta, ragbench or support. What was published, what came with the data and
    what trivial rules reach stands beside the judge's figures.
    """
    from adjudge.verbs.experiment import experiment_verb

    experiment_verb(name, **options)


COMMANDS = (compare, agree, experiment)
