"""Whole runs with a chat model behind a real server that misbehaves: nothing lost, nothing asked twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import adjudge
from adjudge.chat.totals import Totals
from adjudge.cli import main
from adjudge.errors import JudgeError
from adjudge.judges.registry import make_judge
from adjudge.run.store import read_records
from adjudge.verbs.run import _say_how_it_went
from chat.server import MisbehavingServer, random_faults, scripted_faults
from llm_run_helpers import ALL, access, answer, evaluate, sample

KEY = "sk-secret-0123456789"


def test_all_three_protocols_in_seven_calls_a_sample(tmp_path):
    with MisbehavingServer(answer=answer) as server:
        result = evaluate([sample(i) for i in range(5)], server, tmp_path)
    assert len(server.requests) == 5 * (4 + 1 + 2)
    assert result.value("ragchecker.precision") == 0.5
    assert result.value("ragchecker.recall") == 1.0
    assert result.value("ragchecker.faithfulness") == 0.5
    assert result.value("trace.adherence") == 0.0
    assert result.value("trace.supported_sentences") == 0.5
    assert result.value("safe.precision") == 0.5
    assert result.usage["openai/test-model"]["answered"] == 35
    assert "judge:openai/test-model,prompts:" in result.summary.signatures["trace"]


def test_with_thirty_percent_faults_every_sample_ends_labelled_or_with_a_reason(tmp_path):
    samples = [sample(i) for i in range(40)]
    with MisbehavingServer(answer=answer, faults=random_faults(0.3, seed=4), hang=2.0) as server:
        result = evaluate(samples, server, tmp_path)
    assert result.summary.samples == 40
    records = list(result.records)
    assert len(records) == 120, "no sample is lost"
    for record in records:
        for score in record.scores:
            assert score.value is not None or score.reason
    scored = sum(score.value is not None for record in records for score in record.scores)
    assert scored > 0.8 * sum(len(record.scores) for record in records)
    # A repair turn and a repeated conflict question are requests of their own, with attempts of their own.
    assert max(server.times_asked().values()) <= 4


def test_replay_repeats_a_run_without_a_network(tmp_path):
    with MisbehavingServer(answer=answer) as server:
        first = evaluate([sample(i) for i in range(4)], server, tmp_path, out=tmp_path / "first")
        options = access(server, tmp_path, cache="replay")
    again = adjudge.evaluate(
        [sample(i) for i in range(4)], ALL, judge="openai/test-model", access=options, out=tmp_path / "again"
    )
    assert again.summary == first.summary
    records = [(tmp_path / name / "records-00000.jsonl").read_bytes() for name in ("first", "again")]
    assert records[0] == records[1]
    unknown = adjudge.evaluate([sample(9)], "trace", judge="openai/test-model", access=options)
    assert "replay" in next(iter(unknown.row("trace.adherence").reasons))


def test_keys_are_written_nowhere(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("ADJUDGE_API_KEY", KEY)
    caplog.set_level("DEBUG")
    with MisbehavingServer(answer=answer, key=KEY, faults=random_faults(0.3, seed=1), hang=2.0) as server:
        result = evaluate([sample(i) for i in range(6)], server, tmp_path, out=tmp_path / "run")
        assert all(KEY in str(seen.headers) for seen in server.requests)
    assert result.summary.samples == 6
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"run.json", "calls.jsonl", "cache.sqlite"} <= {path.name for path in files}
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in caplog.text


def test_the_call_log_tells_times_and_tokens_but_no_prompt(tmp_path):
    with MisbehavingServer(answer=answer) as server:
        evaluate([sample(1)], server, tmp_path, out=tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "calls.jsonl").read_text().splitlines()]
    assert len(lines) == 7
    assert all(line["prompt_tokens"] > 0 and line["seconds"] >= 0 for line in lines)
    assert "ferry" not in (tmp_path / "run" / "calls.jsonl").read_text().lower()


@pytest.mark.parametrize(
    ("options", "server_options", "message"),
    [
        ({}, {"key": "another"}, "key"),
        ({}, {"models": ["other-model"]}, "test-model"),
        ({"base_url": "http://127.0.0.1:9/v1"}, {}, "127.0.0.1:9"),
    ],
)
def test_a_wrong_key_model_or_address_ends_the_run_in_seconds(tmp_path, options, server_options, message):
    started = time.monotonic()
    with MisbehavingServer(answer=answer, **server_options) as server:
        chosen = {"access": access(server, tmp_path, **options), "out": tmp_path / "run"}
        with pytest.raises(JudgeError, match=message):
            evaluate([sample(i) for i in range(50)], server, tmp_path, **chosen)
    assert time.monotonic() - started < 5
    assert not (tmp_path / "run").exists(), "nothing was scored, so nothing is left behind"
    assert len(server.requests) <= 32 * 2


def test_no_key_is_demanded_for_a_server_of_ones_own_but_is_for_openai(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ADJUDGE_API_KEY", raising=False)
    with MisbehavingServer(answer=answer) as server:
        assert evaluate([sample(1)], server, tmp_path).value("trace.adherence") == 0.0
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        adjudge.evaluate([sample(1)], "trace", judge="openai/gpt-4o-mini")


def test_a_server_without_structured_output_is_asked_without_it(tmp_path):
    def plain(body: dict[str, Any]) -> str:
        assert "response_format" not in body
        return (
            "Sure! Here it is:\n```json\n"
            + answer(body | {"response_format": {"json_schema": {"name": "trace_label"}}})
            + "\n```"
        )

    with MisbehavingServer(answer=plain, schema=False) as server:
        result = adjudge.evaluate(
            [sample(i) for i in range(3)], "trace", judge="openai/test-model", access=access(server, tmp_path)
        )
    assert result.value("trace.supported_sentences") == 0.5


def test_unreadable_answers_leave_samples_unscored_and_never_end_a_run(tmp_path):
    with MisbehavingServer(answer=lambda body: "I would rather not.") as server:
        result = evaluate([sample(1), sample(2)], server, tmp_path, out=tmp_path / "run")
    for record in result.records:
        assert all(
            score.value is None and score.reason for score in record.scores if score.metric != "safe.claims"
        )
        assert "I would rather not." in str(record.steps), "what the model said is kept"
    assert len(server.requests) <= 2 * 7 * 2, "one repair turn, no more"
    told = CliRunner().invoke(main, ["explain", str(tmp_path / "run"), "s1", "trace.adherence"]).output
    assert "trace.adherence: unscored: " in told
    assert "answers that could not be used:\n  response, asked LabelSentences: " in told
    assert "    I would rather not." in told


def test_two_runs_give_the_same_bytes_whatever_the_order_of_answers(tmp_path):
    written = []
    for name, latency in (("a", 0.0), ("b", 0.02)):
        with MisbehavingServer(answer=answer, latency=latency) as server:
            options = access(server, tmp_path, cache="off")
            evaluate(
                [sample(i) for i in range(8)],
                server,
                tmp_path,
                access=options,
                out=tmp_path / name,
                concurrency=3,
            )
        written.append((tmp_path / name / "records-00000.jsonl").read_bytes())
    assert written[0] == written[1]


def test_it_works_inside_a_running_loop_and_after_a_closed_one(tmp_path):
    async def notebook() -> Any:
        return evaluate([sample(1)], server, tmp_path).value("trace.relevance")

    with MisbehavingServer(answer=answer) as server:
        assert asyncio.run(notebook()) == asyncio.run(notebook()) == pytest.approx(1 / 3)


def test_one_judge_serves_two_runs_at_once(tmp_path):
    async def main(judge):
        few, many = [sample(0)], [sample(index) for index in range(1, 9)]
        return await asyncio.gather(
            *(adjudge.aevaluate(part, ALL, judge=judge, concurrency=1) for part in (few, many))
        )

    with MisbehavingServer(answer=answer) as server:
        judge = make_judge("openai/test-model", **access(server, tmp_path))
        results = asyncio.run(main(judge))
    assert [result.value("ragchecker.precision") for result in results] == [0.5, 0.5]
    assert len(server.requests) == 9 * 7


def test_a_long_context_is_split_and_never_cut(tmp_path):
    long = sample(1) | {
        "contexts": [f"Filler sentence number {n} says little." for n in range(400)]
        + ["Ferry 1 leaves at 8."]
    }
    with MisbehavingServer(answer=answer) as server:
        options = access(server, tmp_path, budget=2000)
        result = adjudge.evaluate([long], ["trace", "ragchecker"], judge="openai/test-model", access=options)
    assert len(server.requests) > 5
    assert result.value("trace.supported_sentences") == 0.5
    assert result.value("ragchecker.claim_recall") == 1.0


def test_a_dry_run_counts_the_calls_that_a_run_makes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("raw.jsonl").write_text("\n".join(json.dumps(sample(i)) for i in range(3)))
    told = CliRunner().invoke(
        main, ["run", "raw.jsonl", "--judge", "openai/gpt-4o-mini", "--dry-run", "--json"]
    )
    assert told.exit_code == 0, told.output
    (row,) = json.loads(told.output)
    with MisbehavingServer(answer=answer) as server:
        evaluate([sample(i) for i in range(3)], server, tmp_path)
    assert row["calls"] == len(server.requests)
    assert row["cost"] > 0
    assert not list(tmp_path.glob("runs"))


def test_a_killed_process_asks_nothing_twice(tmp_path):
    source = tmp_path / "raw.jsonl"
    source.write_text("\n".join(json.dumps(sample(i)) for i in range(60)))
    with MisbehavingServer(answer=answer, latency=0.02) as server:
        command = [
            sys.executable,
            "-m",
            "adjudge",
            "run",
            str(source),
            "-p",
            "ragchecker",
            "-o",
            str(tmp_path / "run"),
        ]
        command += ["--judge", "openai/test-model", "--base-url", server.base_url, "--concurrency", "4"]
        command += ["--cache-path", str(tmp_path / "cache.sqlite")]
        environment = {key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        deadline = time.monotonic() + 30
        while len(server.answered) < 60 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = len(server.requests)
        assert 60 <= before < 200
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        assert done.returncode == 0, done.stderr
        again = [prompt for prompt, times in server.times_asked().items() if times > 1]
    # Answers under way when the process was killed had not reached the cache: at most those in flight.
    assert len(again) <= 8
    assert len(list(read_records(tmp_path / "run"))) == 60
    used = json.loads((tmp_path / "run" / "run.json").read_text())["usage"]["openai/test-model"]
    lines = [json.loads(line) for line in (tmp_path / "run" / "calls.jsonl").read_text().splitlines()]
    paid = [line for line in lines if not line["cached"]]
    assert used["sent"] == len(paid) >= before - 8, "both parts"
    assert used["prompt_tokens"] == sum(line["prompt_tokens"] for line in paid)
    assert used["answered"] == len(lines)


def test_different_models_for_different_questions(tmp_path):
    with MisbehavingServer(answer=answer) as server:
        result = adjudge.evaluate(
            [sample(1)],
            "ragchecker",
            judge="claims=openai/model-a,check=openai/model-b",
            access=access(server, tmp_path),
        )
    models = {
        seen.body["response_format"]["json_schema"]["name"]: seen.body["model"] for seen in server.requests
    }
    assert models == {"ragchecker_claims": "model-a", "ragchecker_check": "model-b"}
    assert "check=openai/model-b" in result.summary.signatures["ragchecker"]
    assert "claims=openai/model-a" in result.summary.signatures["ragchecker"]


def test_the_cost_cap_stops_before_it_is_passed(tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text('as_of = "2026-01-01"\n[models."openai/test-model"]\ninput = 1000.0\noutput = 1000.0\n')
    with MisbehavingServer(answer=answer) as server:
        options = access(server, tmp_path, max_cost=1.0, prices=str(prices))
        with pytest.raises(JudgeError, match=r"(?i)cost"):
            evaluate([sample(i) for i in range(30)], server, tmp_path, access=options)
    assert len(server.requests) < 30


def test_the_cost_cap_holds_for_all_models_of_a_run_and_when_it_goes_on(tmp_path):
    prices = tmp_path / "prices.toml"
    names = ("openai/model-a", "openai/model-b")
    rates = [f'[models."{name}"]\ninput = 1e5\noutput = 0.0\n' for name in names]
    prices.write_text('as_of = "2026-01-01"\n' + "".join(rates))
    judge = f"claims={names[0]},check={names[1]}"
    many = [sample(i) for i in range(30)]
    with MisbehavingServer(answer=answer) as server:
        options = access(server, tmp_path, max_cost=60.0, prices=str(prices))
        for _ in range(4):
            with pytest.raises(JudgeError, match="would pass the cap of 60"):
                adjudge.evaluate(
                    many, "ragchecker", judge=judge, access=options, out=tmp_path / "run", concurrency=1
                )
    calls = [json.loads(line) for line in (tmp_path / "run" / "calls.jsonl").read_text().splitlines()]
    assert {call["model"] for call in calls if call["cost"]} == {"model-a", "model-b"}
    assert 0 < sum(call["cost"] for call in calls) <= 60.0


def test_first_failures_of_one_sample_do_not_touch_the_next(tmp_path):
    with MisbehavingServer(
        answer=answer, faults=scripted_faults(["429-after", "500", "half", None])
    ) as server:
        result = evaluate([sample(1), sample(2)], server, tmp_path)
    assert result.row("ragchecker.f1").samples == {"defined": 2}


@pytest.mark.parametrize(("sent", "told"), [(2, True), (0, False)])
def test_what_embeddings_cost_is_told_though_they_are_no_answers(capsys, sent, told):
    usage = {"openai/embedder": Totals(sent=sent, prompt_tokens=40 * sent).to_dict()}
    summary = SimpleNamespace(signatures={}, by=(), samples=1)
    result = SimpleNamespace(
        skipped=[], notes={}, passed_over={}, summary=summary, usage=usage, already_finished=False, resumed=0
    )
    _say_how_it_went(result, Path("run"))
    assert ("openai/embedder: " in capsys.readouterr().out) is told
