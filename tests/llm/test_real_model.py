"""A real model behind a real server, all the way: `make test-llm`. Structure is asserted, never quality."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import adjudge
from adjudge.chat.cache import FAILED
from adjudge.judges.base import ExtractClaims, Reply, opened
from adjudge.judges.registry import make_judge

pytestmark = pytest.mark.skipif(
    os.environ.get("ADJUDGE_TEST_LLM") != "1", reason="opt-in, takes minutes: run `make test-llm`"
)

HERE = Path(__file__).parent
PYTHON = HERE.parent.parent / ".venv-llm" / "bin" / "python"
START_SECONDS = 120
JUDGE = "openai/smollm2"
ALL = ("trace", "ragchecker", "safe")
SAMPLES: list[dict[str, Any]] = [
    {
        "id": "ferry",
        "question": "When does the ferry leave?",
        "contexts": ["The ferry leaves at eight.", "Dogs travel free."],
        "response": "The ferry leaves at eight. It is blue.",
        "reference": "The ferry leaves at eight.",
    },
    {
        "id": "tower",
        "question": "Who built the water tower?",
        "contexts": ["Anna Berg built the water tower in 1911."],
        "response": "Anna Berg built it.",
        "reference": "Anna Berg built the tower.",
    },
]
LOGBOOK = ExtractClaims(
    " ".join(f"On day {day} the harbour master counted {day + 3} boats." for day in range(70)),
    "What was seen?",
)
"""Longer than the window."""
FIELDS = {frozenset({"claims"}), frozenset({"rows"}), frozenset({"facts"}), frozenset(
    {"why_relevant", "relevant", "why_supported", "overall_supported", "sentences", "used"}
)}  # fmt: skip
"""Top-level fields of the answers that the schemas of the questions asked here allow."""


class Runs(NamedTuple):
    """What two runs left: one with the server, one from the stored answers after it was gone."""

    folder: Path
    first: adjudge.Result
    again: adjudge.Result
    long: Reply
    long_again: Reply

    @property
    def cache(self) -> Path:
        return self.folder / "cache.sqlite"

    def calls(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name / "calls.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The base URL and the process behind it."""
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [PYTHON, HERE / "serve.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    patience = threading.Timer(START_SECONDS, process.kill)
    patience.start()
    try:
        url = process.stdout.readline().strip()
        patience.cancel()
        if not url:
            pytest.fail(f"the server did not start:\n{log.read_text()[-2000:]}")
        yield url, process
    finally:
        patience.cancel()
        stop(process)
        process.stdout.close()


def stop(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def runs(served: tuple[str, subprocess.Popen[str]], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    url, process = served
    folder = tmp_path_factory.mktemp("runs")
    access = {"base_url": url, "cache_path": str(folder / "cache.sqlite"), "timeout": 300}

    def evaluate(name: str, **more: Any) -> adjudge.Result:
        return adjudge.evaluate(
            SAMPLES, ALL, judge=JUDGE, access=access | more, out=folder / name, concurrency=2
        )

    async def ask(name: str, **more: Any) -> Reply:
        judge = make_judge(JUDGE, calls_path=str(folder / name / "calls.jsonl"), **access | more)
        async with opened(judge):
            return (await judge.ask([LOGBOOK]))[0]

    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "ADJUDGE_API_KEY"):
            patch.delenv(name, raising=False)
        first = evaluate("first")
        long = asyncio.run(ask("long"))
        stop(process)
        again = evaluate("again", cache="replay")
        long_again = asyncio.run(ask("long-again", cache="replay"))
    tell(first)
    return Runs(folder, first, again, long, long_again)


def tell(result: adjudge.Result) -> None:
    """What came of it, for whoever reads the output of `make test-llm`."""
    scores = [score for record in result.records for score in record.scores]
    scored = sum(score.value is not None for score in scores)
    print(f"{scored} of {len(scores)} scores have a value; {result.usage[JUDGE]}")


def test_every_sample_has_a_record_of_every_protocol(runs: Runs) -> None:
    found = {(record.id, record.protocol) for record in runs.first.records}
    assert found == {(sample["id"], protocol) for sample in SAMPLES for protocol in ALL}
    assert runs.first.summary.samples == len(SAMPLES)
    assert not runs.first.skipped


def test_every_score_has_a_value_or_a_reason(runs: Runs) -> None:
    for record in runs.first.records:
        assert record.scores, (record.id, record.protocol)
        for score in record.scores:
            if score.value is None:
                assert score.reason, (record.id, score.metric)
                assert score.state in ("unscored", "not_applicable")
            else:
                assert score.value >= 0
        assert JUDGE in record.labeller


def test_the_run_folder_is_complete(runs: Runs) -> None:
    names = {path.name for path in (runs.folder / "first").iterdir()}
    assert {"run.json", "records-00000.jsonl", "calls.jsonl", "summary.json"} <= names
    info = json.loads((runs.folder / "first" / "run.json").read_text())
    assert info["finished"] is True
    assert set(info["protocols"]) == set(info["signatures"]) == set(ALL)
    assert info["usage"][JUDGE]["sent"] == runs.first.usage[JUDGE]["sent"]


def test_every_call_tells_the_tokens_that_the_server_counted(runs: Runs) -> None:
    calls = runs.calls("first")
    assert len(calls) >= len(SAMPLES) * len(ALL)
    for call in calls:
        assert call["outcome"] in ("ok", "GaveUp: BadReply: length", "ContextTooLong"), call
        assert call["attempts"] == 1, "nothing refused, neither the schema nor any other parameter"
        if call["outcome"] == "ok":
            assert call["prompt_tokens"] > 100
            assert call["completion_tokens"] > 0
    used = runs.first.usage[JUDGE]
    assert used["prompt_tokens"] == sum(call["prompt_tokens"] for call in calls)
    assert used["completion_tokens"] == sum(call["completion_tokens"] for call in calls)


def test_the_schemas_bind_the_model(runs: Runs) -> None:
    """So small a model keeps to no form of its own accord: what is JSON here was made so by the grammar."""
    with closing(sqlite3.connect(runs.cache)) as database:
        stored = dict(database.execute("SELECT key, value FROM answers"))
    answers = [json.loads(reply) for key, reply in stored.items() if not key.endswith(FAILED)]
    assert answers
    for answer in answers:
        assert frozenset(json.loads(answer["text"])) in FIELDS


def test_a_question_longer_than_the_window_is_split(runs: Runs) -> None:
    outcomes = [call["outcome"] for call in runs.calls("long")]
    assert outcomes[0] == "ContextTooLong"
    assert outcomes.count("ok") >= 2
    assert runs.long.value is not None or runs.long.reason


def test_a_second_run_comes_from_the_stored_answers_without_a_server(runs: Runs) -> None:
    assert runs.again.usage[JUDGE]["sent"] == 0
    assert runs.again.usage[JUDGE]["cached"] == runs.first.usage[JUDGE]["answered"]
    assert runs.again.summary == runs.first.summary
    records = [(runs.folder / name / "records-00000.jsonl").read_bytes() for name in ("first", "again")]
    assert records[0] == records[1]
    assert runs.long_again == runs.long
