"""Each protocol as an Inspect scorer.

`judge` is a name as on adjudge's command line (`local`, `rules`, `openai/MODEL`, `inspect/PROVIDER/MODEL`).
Without one the model of the role `grader` judges, and without such a role `local`, which needs no key and no
network. Passages come from the sample's metadata: `retrieved_context` or `contexts`, a list of texts or of
objects with `text`. What else a protocol needs stands in `metadata.adjudge` (see `datasets.inspect_fields`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from adjudge.errors import InputError
from adjudge.integrations.inspect.judging import Judging, named_judge
from adjudge.integrations.inspect.metrics import named_values
from adjudge.integrations.inspect.refusals import said_plainly
from adjudge.integrations.inspect.scoring import as_failure, as_score
from adjudge.integrations.inspect.states import sample_of
from adjudge.protocols import make_protocol
from adjudge.run.engine import score_sample

METRICS = [mean(), stderr(), named_values()]


def _scorer(
    name: str, parameters: dict[str, Any], judge: str | None, roles: dict[str, str | None] | None = None
) -> Scorer:
    with said_plainly():
        judging = Judging(make_protocol(name, parameters), named_judge(judge, roles or {}))

    async def score(state: TaskState, target: Target) -> Score:
        try:
            sample = sample_of(state, target)
            async with judging.plan() as plan:
                (record,) = await score_sample(sample, plan)
        except InputError as error:
            return as_failure(error, state.output.completion or None)
        return as_score(record, judging.protocol)

    return score


@scorer(metrics=METRICS)
def ragchecker_scorer(
    extractor_name: str | None = None,
    checker_name: str | None = None,
    judge: str | None = None,
    steps: bool = False,
) -> Scorer:
    """F1 of the claims of answer and target; with passages also the retriever's and generator's metrics.

    `extractor_name` splits texts into claims, `checker_name` holds claims against texts; `steps` asks text by
    text, as the paper does.
    """
    roles = {"claims": extractor_name, "check": checker_name}
    return _scorer("ragchecker", {"steps": steps}, judge, roles)


@scorer(metrics=METRICS)
def trace_scorer(judge: str | None = None, steps: bool = False) -> Scorer:
    """TRACe's average; relevance, utilization, completeness and adherence beside it. Needs passages."""
    return _scorer("trace", {"steps": steps}, judge)


@scorer(metrics=METRICS)
def safe_scorer(
    judge: str | None = None,
    k: int | str | list[int] | None = None,
    evidence: str = "contexts",
    steps: bool = False,
) -> Scorer:
    """SAFE's F1@K of the facts in a long answer. `evidence`: `contexts`, `corpus:PATH` or `web`."""
    parameters: dict[str, Any] = {"evidence": evidence, "steps": steps}
    if k is not None:
        # `-T k=64,178` comes as a list.
        parameters["k"] = ",".join(map(str, k)) if isinstance(k, list) else k
    with said_plainly():
        _check_corpus(evidence)
    return _scorer("safe", parameters, judge)


def _check_corpus(evidence: str) -> None:
    """Before the model under test is asked anything."""
    kind, _, path = evidence.partition(":")
    if kind == "corpus" and path and not Path(path).expanduser().exists():
        raise InputError("there is no such corpus", file=path, fix="give a folder of texts or a JSONL file")


@scorer(metrics=METRICS)
def rgb_scorer(judge: str | None = None) -> Scorer:
    """Right or wrong under RGB: accuracy, rejection or error correction, by the sample's ability."""
    return _scorer("rgb", {}, judge)


@scorer(metrics=METRICS)
def violations_scorer(judge: str | None = None, without: str = "") -> Scorer:
    """Human-aligned F1 of the violations that the answer lists as JSON against the marked ones."""
    return _scorer("violations", {"without": without} if without else {}, judge)
