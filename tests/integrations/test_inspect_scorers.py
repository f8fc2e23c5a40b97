"""The scorers inside real evals of Inspect: values, words, metadata, judges, unscored samples."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import Epochs, Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer
from inspect_ai.solver import generate

import adjudge
from adjudge.errors import JudgeError
from adjudge.integrations.inspect import (
    ragchecker_scorer,
    rgb_scorer,
    safe_scorer,
    trace_scorer,
    violations_scorer,
)
from chat.server import MisbehavingServer
from integrations.inspect_helpers import WARNINGS, clean, metrics  # noqa: F401
from judges.llm_helpers import blocks_of, lines_of

pytestmark = WARNINGS
FRANCE = "What is the capital of France?"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., EvalLog]:
    """Runs samples with scripted answers (question to answer) under a scorer."""

    def _run(samples: list[Sample], answers: dict[str, str], scorer: Scorer, **options: Any) -> EvalLog:
        model = get_model("adjudge/scripted", answers=answers, memoize=False)
        (log,) = eval(
            Task(dataset=samples, solver=generate(), scorer=scorer),
            model=model,
            display="none",
            log_dir=str(tmp_path),
            **options,
        )
        assert log.status == "success", log.error
        return log

    return _run


def scores(log: EvalLog) -> list[Score]:
    return [next(iter(_scores(sample).values())) for sample in log.samples or []]


def _scores(sample: EvalSample) -> dict[str, Score]:
    assert sample.scores
    return sample.scores


WORKED = [
    (
        "Paris is the capital of France. It covers 105 square kilometers and has 2M people.",
        "The capital of France is Paris and it's 105.4 square kilometers with a population of 2.1M",
        (100.0, 100.0, 100.0),
        "Precision: 100.0%, Recall: 100.0%, F1: 100.0%",
    ),
    (
        "Paris is the capital of France with 5 million people.",
        "Paris is the capital of France and it's 105.4 square kilometers with a population of 2.1 million"
        " people.",
        (50.0, 100 / 3, 40.0),
        "Precision: 50.0%, Recall: 33.3%, F1: 40.0%",
    ),
]


@pytest.mark.parametrize(("response", "target", "percent", "words"), WORKED)
def test_the_worked_examples_with_the_local_judge(
    run: Callable[..., EvalLog], response: str, target: str, percent: tuple[float, ...], words: str
) -> None:
    log = run([Sample(input=FRANCE, target=target)], {FRANCE: response}, ragchecker_scorer())
    (score,) = scores(log)
    assert score.value == pytest.approx(percent[2] / 100)
    assert score.explanation == words
    assert score.answer == response
    metadata = score.metadata or {}
    assert [metadata[name] for name in ("precision", "recall", "f1")] == pytest.approx(percent)
    assert {unit["id"] for unit in metadata["units"]} >= {"response", "reference", "claim:response:0"}
    assert metadata["grids"][0]["source"] == "judge:local"
    assert metadata["signature"].startswith("ragchecker|v1|judge:local@")
    assert "faithfulness" not in metadata  # no passages: only the overall metrics
    assert metrics(log)["mean"] == score.value
    assert metrics(log)["recall"] == pytest.approx(percent[1] / 100)
    assert "faithfulness" not in metrics(log)


@pytest.mark.parametrize(
    "metadata",
    [
        {"retrieved_context": ["The door is green."]},
        {"contexts": [{"text": "The door is green.", "doc_id": "d1"}]},
    ],
)
def test_passages_come_from_the_metadata(run: Callable[..., EvalLog], metadata: dict[str, Any]) -> None:
    sample = Sample(input="Which colour?", target="The door is green.", metadata=metadata)
    log = run([sample], {"Which colour?": "The door is green."}, ragchecker_scorer(judge="local"))
    assert metrics(log)["faithfulness"] == 1.0
    assert metrics(log)["claim_recall"] == 1.0


def test_an_empty_list_of_passages_is_none(run: Callable[..., EvalLog]) -> None:
    sample = Sample(input="Which colour?", target="The door is green.", metadata={"retrieved_context": []})
    log = run([sample], {"Which colour?": "The door is green."}, ragchecker_scorer(judge="local"))
    assert metrics(log)["f1"] == 1.0
    assert "faithfulness" not in metrics(log)


DOORS = {
    "Which door?": "The door is 2 metres high.",
    "Which roof?": "The roof was built in 1890. Bees keep honey in the attic.",
    "Which wall?": "The wall is 4 metres high.",
}
DOOR_SAMPLES = [
    Sample(id=1, input="Which door?", target="The door is 2 metres high."),
    Sample(id=2, input="Which roof?", target="The roof was built in 1890."),
    Sample(id=3, input="Which wall?", target="The wall is 7 metres high. Ada painted it in 1720."),
]


def test_mean_and_stderr_of_every_value(run: Callable[..., EvalLog]) -> None:
    log = run(DOOR_SAMPLES, DOORS, ragchecker_scorer())
    found = metrics(log)
    for name in ("precision", "recall", "f1"):
        values = [(score.metadata or {})[name] / 100 for score in scores(log)]
        assert len(set(values)) > 1
        assert found[name] == pytest.approx(fmean(values))
        assert found[f"{name}_stderr"] == pytest.approx(stdev(values) / math.sqrt(3))
    assert (found["mean"], found["stderr"]) == pytest.approx((found["f1"], found["f1_stderr"]))


def test_epochs_are_averaged_within_a_sample(tmp_path: Path) -> None:
    """Right and wrong in turn: every sample has a half, so there is no error between samples."""
    turns = {"a": 0, "b": 0}

    def answer(messages: Any, *_: Any) -> ModelOutput:
        question = messages[-1].text
        turns[question] += 1
        return told("yes" if turns[question] == 1 else "no")

    samples = [Sample(id=name, input=name, target="yes") for name in turns]
    (log,) = eval(
        Task(dataset=samples, solver=generate(), scorer=rgb_scorer(judge="rules"), epochs=Epochs(2)),
        model=get_model("mockllm/model", custom_outputs=answer),
        display="none",
        log_dir=str(tmp_path),
    )
    found = metrics(log)
    assert (found["mean"], found["accuracy"], found["accuracy_stderr"]) == (0.5, 0.5, 0.0)


def told(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=5, output_tokens=2, total_tokens=7)
    return output


def grade(user: str) -> str:
    """A grader that takes each sentence for a claim, and finds it entailed where the words are the same."""
    found = blocks_of(user)
    if "text" in found:
        return json.dumps({"claims": [part.strip(" .") for part in found["text"][0].split(". ")]})
    claims, texts = [text for _, text in lines_of(found["claims"][0])], found["evidence"]
    rows = [
        {
            "claim": number,
            "entailed_by": [place for place, text in enumerate(texts, 1) if claim in text],
            "contradicted_by": [],
        }
        for number, claim in enumerate(claims, 1)
    ]
    return json.dumps({"rows": rows})


def test_the_grader_role_judges(run: Callable[..., EvalLog]) -> None:
    grader = get_model("mockllm/model", custom_outputs=lambda messages, *_: told(grade(messages[-1].text)))
    log = run(DOOR_SAMPLES, DOORS, ragchecker_scorer(), model_roles={"grader": grader})
    assert [score.value for score in scores(log)] == pytest.approx([1.0, 2 / 3, 0.0])
    metadata = scores(log)[0].metadata or {}
    assert "judge:inspect/mockllm/model,prompts:" in metadata["signature"]
    assert (log.stats.model_usage["mockllm/model"]).input_tokens > 0  # counted by Inspect


def test_what_the_grader_cannot_answer_goes_to_the_local_judge(run: Callable[..., EvalLog]) -> None:
    grader = get_model("mockllm/model", custom_outputs=lambda *_: told("{}"))
    fields = {"text": "Teh door", "gold": [{"quote": "Teh", "rule": "spelling"}]}
    said = json.dumps({"violations": [{"quote": "Teh", "rule": "spelling", "sure": True}]})
    sample = Sample(input="Check.", metadata={"adjudge": fields})
    log = run([sample], {"Check.": f"Here:\n{said}"}, violations_scorer(), model_roles={"grader": grader})
    (score,) = scores(log)
    assert score.value == 1.0
    assert "similarity=local" in (score.metadata or {})["signature"]
    again = adjudge.evaluate(log.location, "violations", judge="local", metrics="violations.ha_f1")
    assert again.value("violations.ha_f1") == 1.0


def test_an_unreadable_grader_leaves_samples_unscored(run: Callable[..., EvalLog]) -> None:
    grader = get_model("mockllm/model", custom_outputs=lambda *_: told("Well, hard to say."))
    log = run(DOOR_SAMPLES[:2], DOORS, ragchecker_scorer(), model_roles={"grader": grader})
    for score in scores(log):
        assert isinstance(score.value, float)
        assert math.isnan(score.value)
        assert score.reason == "grader_failed"
        assert "could not be used" in str(score.explanation)
    assert log.results
    assert [(s.scored_samples, s.unscored_samples) for s in log.results.scores] == [(0, 2)] * 2


def test_samples_that_lack_a_field_are_unscored_and_the_rest_is_not(run: Callable[..., EvalLog]) -> None:
    bad = Sample(id="bad", input="Which door?", target="x", metadata={"contexts": [{"body": "y"}]})
    log = run([DOOR_SAMPLES[0], bad], DOORS, ragchecker_scorer(judge="local"))
    good, unscored = scores(log)
    assert good.value == 1.0
    assert unscored.reason == "scoring_failed"
    assert "metadata.contexts[0]" in str(unscored.explanation)
    assert metrics(log)["mean"] == 1.0


def test_answers_that_list_no_violations_are_told_apart(run: Callable[..., EvalLog]) -> None:
    sample = Sample(input="Check.", metadata={"adjudge": {"text": "Teh door", "gold": []}})
    (score,) = scores(run([sample], {"Check.": "All is well."}, violations_scorer(judge="local")))
    assert score.reason == "invalid_response_format"


def test_trace_and_safe(run: Callable[..., EvalLog]) -> None:
    metadata = {"contexts": ["The door is green. The roof is red."]}
    sample = Sample(input="Which colour is the door?", metadata=metadata)
    said = {"Which colour is the door?": "The door is green."}
    (traced,) = scores(run([sample], said, trace_scorer()))
    assert (traced.metadata or {})["adherence"] == 100.0
    assert "Adherence: 100.0%" in str(traced.explanation)
    log = run([sample], said, safe_scorer(k=2))
    (safe,) = scores(log)
    # one supported fact of two wanted: precision 1, recall 1/2
    assert safe.value == pytest.approx(2 / 3)
    assert safe.explanation == "Precision: 100.0%, Recall@2: 50.0%, F1@2: 66.7%"
    assert metrics(log)["supported"] == 1.0


def test_each_ability_of_rgb_has_its_own_value(run: Callable[..., EvalLog]) -> None:
    def sample(question: str, **fields: Any) -> Sample:
        return Sample(id=question, input=question, metadata={"adjudge": fields})

    samples = [
        sample("n", ability="noise", reference="Oslo"),
        sample("i", ability="integration", reference=["1872", ["1903", "nineteen three"]]),
        sample("r", ability="rejection"),
        sample("c", ability="counterfactual", reference="Oslo", counterfactual="Bergen"),
    ]
    said = {"n": "It is Oslo.", "i": "1872 only.", "r": "I cannot answer that.", "c": "Oslo, not Bergen."}
    log = run(samples, said, rgb_scorer(judge="rules"))
    assert [score.value for score in scores(log)] == [1.0, 0.0, 1.0, 1.0]
    assert metrics(log)["accuracy"] == pytest.approx(2 / 3)  # of noise, integration, counterfactual
    assert metrics(log)["rejection"] == 1.0


def test_a_judge_that_cannot_label_is_refused_at_once() -> None:
    words = r"'rules' cannot label for protocol 'ragchecker' .*ExtractClaims"
    with pytest.raises(PrerequisiteError, match=words) as raised:
        ragchecker_scorer(judge="rules")
    assert isinstance(raised.value.__cause__, JudgeError)


def test_extractor_and_checker_by_name(
    run: Callable[..., EvalLog], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "answers.sqlite"))
    with MisbehavingServer(answer=lambda body: grade(body["messages"][-1]["content"])) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        scorer = ragchecker_scorer(extractor_name="openai/splits", checker_name="local")
        log = run(DOOR_SAMPLES, DOORS, scorer)
        assert {seen.body["model"] for seen in server.requests} == {"splits"}
    assert [score.value for score in scores(log)] == pytest.approx([1.0, 2 / 3, 0.0])
    assert "check=local@" in (scores(log)[0].metadata or {})["signature"]
