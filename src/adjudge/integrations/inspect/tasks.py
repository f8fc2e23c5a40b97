"""Whole benchmarks as Inspect tasks: `inspect eval adjudge/rgb_noise --model PROVIDER/MODEL`.

Every task takes `data` (a file or folder), else what ADJUDGE_DATA names, else a few bundled samples, and
`judge` (see `scorers`).
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.scorer import mean, stderr
from inspect_ai.viewer import ScoreColorScale, TaskSamplesView, ViewerConfig

from adjudge.errors import UsageError
from adjudge.integrations.inspect.data import longfact_dataset, qa_dataset, rgb_dataset
from adjudge.integrations.inspect.metrics import named_values, noise_curve
from adjudge.integrations.inspect.refusals import said_plainly
from adjudge.integrations.inspect.scorers import ragchecker_scorer, rgb_scorer, safe_scorer
from adjudge.integrations.inspect.solvers import answer_from_documents, ask_for_detail
from adjudge.types import Ability

Rates = float | str | list[float] | list[str]


def _rates(given: Rates) -> list[float]:
    """`0.4`, `0,0.2` or a list, as Inspect's command line may hand it over."""
    parts = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else [given]
    try:
        found = [float(part) for part in parts]
    except (TypeError, ValueError):
        raise UsageError(f"noise must be numbers from 0 to 1, not {given!r}") from None
    if not found:
        raise UsageError("noise must name at least one rate")
    return list(dict.fromkeys(found))


def _check(passages: int, correct: float, language: str) -> None:
    """Inspect hands over as text what is no number."""
    if language not in ("en", "zh"):
        raise UsageError(f"RGB is in en and zh, not {language!r}")
    if not isinstance(passages, int) or passages < 0:
        raise UsageError(f"passages must be a whole number, 0 or more, not {passages!r}")
    if not isinstance(correct, int | float):
        raise UsageError(f"correct must be a number from 0 to 1, not {correct!r}")


def _viewer(scorer: str) -> ViewerConfig:
    """The list of samples in `inspect view`, with scores coloured from 0 to 1."""
    view = TaskSamplesView(
        name="adjudge",
        score_color_scales={scorer: ScoreColorScale(palette="good-high", min=0, max=1)},
        color_scales_enabled=True,
    )
    return ViewerConfig(task_samples_view=view)


def _rgb(
    ability: Ability,
    noise: Rates,
    passages: int,
    language: str,
    data: str | None,
    judge: str | None,
    correct: float = 0.0,
) -> Task:
    with said_plainly():
        rates = _rates(noise)
        _check(passages, correct, language)
        dataset = rgb_dataset(
            ability, rates, passages=passages, language=language, data=data, correct=correct
        )
    return Task(
        dataset=dataset,
        solver=answer_from_documents(),
        scorer=rgb_scorer(judge=judge),
        metrics=[mean(), stderr(), *([noise_curve()] if len(rates) > 1 else []), named_values()],
        viewer=_viewer("rgb_scorer"),
    )


@task
def rgb_noise(
    noise: Rates = "0,0.2,0.4,0.6,0.8",
    passages: int = 5,
    language: str = "en",
    data: str | None = None,
    judge: str | None = None,
) -> Task:
    """Right answers among documents of which a share is beside the point, for each share."""
    return _rgb("noise", noise, passages, language, data, judge)


@task
def rgb_rejection(
    passages: int = 5, language: str = "en", data: str | None = None, judge: str | None = None
) -> Task:
    """Refusals where no document holds the answer."""
    return _rgb("rejection", 1.0, passages, language, data, judge)


@task
def rgb_integration(
    noise: Rates = "0,0.2,0.4",
    passages: int = 5,
    language: str = "en",
    data: str | None = None,
    judge: str | None = None,
) -> Task:
    """Answers whose parts stand in different documents."""
    return _rgb("integration", noise, passages, language, data, judge)


@task
def rgb_counterfactual(
    passages: int = 5,
    noise: float = 0.0,
    correct: float = 0.0,
    language: str = "en",
    data: str | None = None,
    judge: str | None = None,
) -> Task:
    """Documents with a false answer put in. With `passages=0` the model answers from what it knows."""
    return _rgb("counterfactual", noise, passages, language, data, judge, correct)


@task
def longfact(
    data: str | None = None,
    evidence: str = "contexts",
    k: int | str | list[int] | None = None,
    judge: str | None = None,
) -> Task:
    """Long answers, rated by SAFE. LongFact has no evidence: name some (`corpus:PATH` or `web`)."""
    with said_plainly():
        dataset = longfact_dataset(data)
        if evidence == "contexts" and not any((sample.metadata or {}).get("contexts") for sample in dataset):
            raise UsageError(
                "these prompts come without contexts, so there is nothing to rate the answers by: "
                "name evidence with -T evidence=corpus:PATH or -T evidence=web"
            )
    return Task(
        dataset=dataset,
        solver=ask_for_detail(),
        scorer=safe_scorer(judge=judge, k=k, evidence=evidence),
        viewer=_viewer("safe_scorer"),
    )


@task
def ragchecker_qa(
    data: str | None = None,
    extractor_name: str | None = None,
    checker_name: str | None = None,
    judge: str | None = None,
) -> Task:
    """Questions with passages and a full reference, rated by RAGChecker."""
    with said_plainly():
        dataset = qa_dataset(data)
    return Task(
        dataset=dataset,
        solver=answer_from_documents(style="full"),
        scorer=ragchecker_scorer(extractor_name=extractor_name, checker_name=checker_name, judge=judge),
        viewer=_viewer("ragchecker_scorer"),
    )
