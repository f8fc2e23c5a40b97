"""Whole evals of the registered tasks: by the command line, offline, read back, scored again from the log."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState, generate

import adjudge
from adjudge.cli import main
from adjudge.integrations.inspect import ragchecker_scorer, rgb_scorer
from adjudge.integrations.inspect.metrics import numbers
from adjudge.integrations.inspect.scripted import UNKNOWN, answer, refusal
from adjudge.integrations.inspect.tasks import longfact, ragchecker_qa, rgb_counterfactual, rgb_noise
from integrations.inspect_helpers import WARNINGS, clean, metrics  # noqa: F401

pytestmark = WARNINGS
ROOT = Path(__file__).parents[2]
TASKS = {
    "rgb_noise": "rgb",
    "rgb_rejection": "rgb",
    "rgb_integration": "rgb",
    "rgb_counterfactual": "rgb",
    "longfact": "safe",
    "ragchecker_qa": "ragchecker",
}
NO_NETWORK = """
import socket, sys

def refuse(self, address, *rest):
    if self.family != socket.AF_UNIX:
        raise SystemExit(f"the network was used: {address}")

socket.socket.connect = refuse
from inspect_ai._cli.main import main
sys.argv[0] = "inspect"
main()
"""


def inspect_eval(task: str, folder: Path, *more: str) -> EvalLog:
    """`inspect eval` in a process of its own that cannot reach the network."""
    names = ("PATH", "HOME", "LANG", "TMPDIR")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    command = ["eval", task, "--model", "adjudge/scripted", "--log-dir", str(folder), "--display", "plain"]
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, *command, *more],
        cwd=ROOT,
        env=environment | {"INSPECT_LOG_LEVEL": "warning"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success"
    return log


def in_process(task: Any, folder: Path) -> EvalLog:
    (log,) = eval(task, model="adjudge/scripted", display="none", log_dir=str(folder))
    assert log.status == "success", log.error
    return log


def test_the_command_of_the_benchmark(tmp_path: Path) -> None:
    """15 samples: 3 questions under 5 rates. One document with the answer is always shown, and found."""
    log = inspect_eval("adjudge/rgb_noise", tmp_path)
    found = metrics(log)
    assert len(log.samples or []) == 15
    assert [found[f"noise {rate}%"] for rate in (0, 20, 40, 60, 80)] == [1.0] * 5
    assert (found["mean"], found["accuracy_official"], found["accuracy_strict"]) == (1.0, 1.0, 0.0)
    path = next(tmp_path.glob("*.eval"))
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 0, done.output
    assert "rgb.accuracy" in done.output
    assert adjudge.evaluate(str(path)).value("rgb.accuracy", noise=0.8) == 1.0


def test_the_command_of_the_example(tmp_path: Path) -> None:
    """The bundled model knows 1 of 3 claims about Paris; who flew, and that they did, but not when."""
    log = inspect_eval("examples/custom_scorer/custom_scorer.py", tmp_path)
    told = {sample.id: (sample.scores or {})["ragchecker_scorer"] for sample in log.samples or []}
    assert told["france"].explanation == "Precision: 50.0%, Recall: 33.3%, F1: 40.0%"
    assert told["founding"].explanation == "Precision: 100.0%, Recall: 100.0%, F1: 100.0%"
    assert told["airplane"].value == pytest.approx(2 / 3)
    assert metrics(log)["mean"] == pytest.approx((0.4 + 1.0 + 2 / 3) / 3)


@pytest.mark.parametrize("name", TASKS)
def test_a_log_scored_again_gives_the_same(name: str, tmp_path: Path) -> None:
    log = in_process(f"adjudge/{name}", tmp_path)
    result = adjudge.evaluate(log.location, TASKS[name])
    again = {
        (record.id, score.metric.partition(".")[2]): score.value
        for record in result.records
        for score in record.scores
        if score.value is not None
    }
    first = {
        (str(sample.id), metric): value
        for sample in log.samples or []
        for metric, value in numbers(next(iter((sample.scores or {}).values())).metadata or {}).items()
    }
    assert len(first) >= 12
    assert first == pytest.approx(again, abs=1e-12)
    signatures = {
        (next(iter((sample.scores or {}).values())).metadata or {})["signature"]
        for sample in log.samples or []
    }
    assert signatures == set(result.summary.signatures.values())


def test_values_of_the_tasks(tmp_path: Path) -> None:
    """By hand: the model refuses noise, joins what stands apart, and repeats a planted answer."""
    refused = metrics(in_process("adjudge/rgb_rejection", tmp_path / "r"))
    assert (refused["rejection"], refused["rejection_official"]) == (1.0, 1.0)
    joined = metrics(in_process("adjudge/rgb_integration", tmp_path / "i"))
    assert (joined["noise 0%"], joined["noise 40%"], joined["mean"]) == (1.0, 1.0, 1.0)
    misled = metrics(in_process("adjudge/rgb_counterfactual", tmp_path / "c"))
    assert (misled["mean"], misled["accuracy"], misled["error_detection"]) == (0.0, 0.0, 0.0)


def test_questions_of_the_real_data_set(
    tmp_path: Path, data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_DATA", str(data("rgb/en_fact.json").parents[1]))
    task = rgb_counterfactual()
    assert (len(task.dataset), task.dataset.name) == (100, "en_fact.json")
    (first,) = [sample for sample in task.dataset if sample.id == "0"]
    assert sorted(c["doc_id"] for c in (first.metadata or {})["contexts"]) == ["W0", "W1", "W2"]
    assert len(rgb_noise(language="zh", noise=0.4).dataset) == 300
    monkeypatch.delenv("ADJUDGE_DATA")
    assert rgb_counterfactual().dataset.name == "bundled samples"


def test_data_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"id": "x", "question": "Why?", "reference": [["because", "so"]]}) + "\n")
    (sample,) = ragchecker_qa(data=str(own)).dataset
    assert (sample.id, sample.input, sample.target) == ("x", "Why?", ["because", "so"])
    (tmp_path / "b.jsonl").write_text('{"prompt": "Tell."}\n{"prompt": "Say."}\n{"prompt": "Tell."}\n')
    prompts = str(tmp_path / "b.jsonl")
    with pytest.raises(PrerequisiteError, match="evidence=corpus:PATH"):
        longfact(data=prompts)
    made = longfact(data=prompts, evidence=f"corpus:{own}")
    assert [sample.input for sample in made.dataset] == ["Tell.", "Say."]


def test_bundled_samples_in_place_of_the_data_pointed_to_are_said(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADJUDGE_DATA", str(tmp_path))
    assert rgb_noise(noise=0.4).dataset.name == longfact().dataset.name == "bundled samples"
    said = capsys.readouterr().err.splitlines()
    assert [line.split(" in ")[0] for line in said] == [
        "adjudge: there is no rgb/en_refine.json",
        "adjudge: there is no longfact",
    ]
    monkeypatch.delenv("ADJUDGE_DATA")
    rgb_noise(noise=0.4)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rgb_noise(noise="much"), "noise must be numbers"),
        (lambda: rgb_noise(noise=2), "from 0 to 1"),
        (lambda: rgb_noise(language="fr"), "in en and zh, not 'fr'"),
        (lambda: rgb_noise(passages="two"), "passages must be a whole number, 0 or more, not 'two'"),
        (lambda: rgb_noise(data="no/such/folder"), "data="),
        (lambda: rgb_noise(judge="wrong"), "there is no judge 'wrong'"),
        (lambda: rgb_counterfactual(correct="some"), "correct must be a number"),
        (lambda: ragchecker_qa(data="no/such.jsonl"), "data="),
        (lambda: ragchecker_qa(checker_name="wrong"), "there is no judge 'wrong'"),
        (lambda: longfact(k="many"), "positive whole numbers, not 'many'"),
        (lambda: longfact(evidence="magic"), "no evidence 'magic'"),
        (lambda: longfact(evidence="corpus:no/such"), "no/such: there is no such corpus"),
    ],
)
def test_what_cannot_be_is_said(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(PrerequisiteError, match=words):
        make()


def test_the_command_line_says_it_without_a_traceback(tmp_path: Path) -> None:
    data = tmp_path / "odd[name].json"
    command = [sys.executable, "-c", NO_NETWORK, "eval", "adjudge/rgb_noise", "--model", "adjudge/scripted"]
    done = subprocess.run(
        [*command, "-T", f"data={data}", "--log-dir", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "400"},
    )
    assert done.returncode == 1
    said = f"adjudge: {data}: there is no such file or folder\n  fix: correct -T data=…"
    assert done.stdout.strip() == said
    assert "Traceback" not in done.stderr


def test_a_log_is_scored_again_as_its_scorer_says(tmp_path: Path) -> None:
    """A target of one word would do for rgb too; the log says that claims were compared."""
    samples = [
        Sample(id="short", input="Which colour?", target="The door is green."),
        Sample(id="shorter", input="Which colour?", target="Green."),
    ]
    task = Task(dataset=samples, solver=generate(), scorer=ragchecker_scorer())
    in_process(task, tmp_path)
    (path,) = tmp_path.glob("*.eval")
    found = [record.protocol for record in adjudge.evaluate(str(path)).records]
    assert found == ["ragchecker", "ragchecker"]
    assert {record.protocol for record in adjudge.evaluate(str(path), "rgb").records} == {"rgb"}


def test_the_scripted_model_answers_from_documents() -> None:
    said = "The Orrin ferry began in 1911. It is blue."
    asked = "When did the Orrin ferry begin?"
    assert answer(f"Document:\n{said}\n\nQuestion:\n{asked}", {}) == "The Orrin ferry began in 1911."
    assert answer(f"Document:\nCherries are red.\n\nQuestion:\n{asked}", {}) == refusal("en")
    chinese = "奥林湖渡轮始于1911年。"
    assert answer(f"文档：\n{chinese}\n\n问题：\n奥林湖渡轮始于哪一年？", {}) == chinese
    assert answer(asked, {}) == UNKNOWN
    assert answer(f"{asked} Please.", {asked: "In spring."}) == "In spring."


def test_a_thousand_samples(tmp_path: Path) -> None:
    """A real eval; then our scorer alone, which may take a tenth of Inspect's own 17 ms a sample."""
    number = 1000
    samples = [
        Sample(
            id=index,
            input=f"Which colour has door {index}?",
            target="green" if index % 4 else "red",
            metadata={"contexts": [f"Door {index} has the colour green."], "noise": 0.0},
        )
        for index in range(number)
    ]
    scorer = rgb_scorer(judge="rules")
    (log,) = eval(
        Task(dataset=samples, solver=generate(), scorer=scorer),
        model="adjudge/scripted",
        model_args={"answers": {f"door {index}?": "It is green." for index in range(number - 1, -1, -1)}},
        display="none",
        log_dir=str(tmp_path),
        max_connections=50,
    )
    assert log.status == "success"
    assert log.results
    assert log.results.completed_samples == number
    assert metrics(log)["mean"] == metrics(log)["accuracy"] == 0.75
    assert adjudge.evaluate(log.location, "rgb", judge="rules").value("rgb.accuracy") == 0.75
    assert seconds_of(scorer, samples) / number < 0.0017


def seconds_of(scorer: Any, samples: list[Sample]) -> float:
    """What the scorer takes for these samples, answered."""
    states = [
        TaskState(
            ModelName("adjudge/scripted"), sample.id or 0, 1, str(sample.input), [], Target(sample.target),
            output=ModelOutput.from_content("adjudge/scripted", "It is green."), metadata=sample.metadata,
        )
        for sample in samples
    ]  # fmt: skip

    async def score_all() -> float:
        started = time.perf_counter()
        for state in states:
            await scorer(state, state.target)
        return time.perf_counter() - started

    return asyncio.run(score_all())


def test_adjudge_alone_imports_no_inspect() -> None:
    code = "import adjudge, adjudge.api, adjudge.cli, sys; sys.exit('inspect_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_run_says_how_the_log_was_scored(tmp_path: Path) -> None:
    """Its evidence is told and not taken over: a log from elsewhere must not make anybody read a folder."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("The ferry leaves every hour.")
    evidence = f"corpus:{tmp_path / 'corpus'}"
    (log,) = eval(longfact(evidence=evidence, k=[64, 178]), model="adjudge/scripted", limit=1,
                             display="none", log_dir=str(tmp_path / "logs"))  # fmt: skip
    runner = CliRunner()
    told = runner.invoke(main, ["run", log.location, "-o", str(tmp_path / "a")])
    assert f"--set safe.evidence={evidence}" in told.stderr
    assert "--set safe.k=64,178" in told.stderr
    done = runner.invoke(
        main,
        ["run", log.location, "-o", str(tmp_path / "b"), "--evidence", evidence, "--set", "safe.k=64,178"],
    )
    assert "scored with other parameters" not in done.stderr
    (sample,) = log.samples or []
    first = numbers(next(iter((sample.scores or {}).values())).metadata or {})
    again = json.loads(runner.invoke(main, ["show", str(tmp_path / "b"), "--json"]).stdout)
    assert first["f1@64"] == pytest.approx(
        next(m["value"] for m in again["rows"] if m["metric"] == "safe.f1@64")
    )
