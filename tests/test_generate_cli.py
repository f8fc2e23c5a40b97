"""`adjudge generate` and `adjudge bench` as people use them, also when they are killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from chat.server import MisbehavingServer
from generate.rgb_helpers import CASES, answer, base, make_folder, write_rows


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def reach(server: MisbehavingServer) -> list[str]:
    return ["--model", "openai/m", "--base-url", server.base_url, "--cache", "off"]


def test_generate_then_run(tmp_path: Path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        done = invoke("generate", "rgb", "--data", data, "-o", out, *reach(server))
        assert done.exit_code == 0, done.output
        assert f"{CASES} asked, 0 failed; {CASES} written to {out}" in done.stdout
        again = invoke("generate", "rgb", "--data", data, "-o", out, *reach(server))
        assert f"0 asked, {CASES} answers were already there" in again.stdout
        assert len(server.requests) == CASES
    scored = invoke("run", out, "-p", "rgb", "--judge", "rules", "-o", tmp_path / "run", "--json")
    assert scored.exit_code == 0, scored.output
    rows = json.loads(scored.stdout)["rows"]
    curve = [
        (row["group"]["noise"], row["value"])
        for row in rows
        if row["metric"] == "rgb.accuracy_official" and row["group"].get("ability") == "noise"
        if "noise" in row["group"]
    ]
    assert curve == [(0.0, 1.0), (0.2, 1.0), (0.4, 1.0), (0.6, 1.0), (0.8, 0.75)]


def test_a_bench_compares_models_with_each_other_and_with_the_paper(tmp_path: Path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "bench"

    def two(body: dict[str, Any]) -> str:
        return answer(body) if body["model"] == "good" else "I have no idea."

    options = ["--model", "openai/good", "--model", "openai/bad", "--cache", "off"]
    with MisbehavingServer(answer=two) as server:
        options += ["--base-url", server.base_url, "--data", str(data), "-o", str(out)]
        done = invoke("bench", "rgb", *options)
        assert done.exit_code == 0, done.output
        told = json.loads(invoke("bench", "rgb", *options, "--json").stdout)
        assert len(server.requests) == 2 * CASES
    tables = {entry["title"]: entry for entry in told["comparisons"]}
    noise = tables["noise robustness: accuracy, en"]
    assert noise["ours"]["good"] == [1, 1, 1, 1, 0.75]
    assert noise["ours"]["bad"] == [0, 0, 0, 0, 0]
    assert noise["published"]["ChatGPT"] == pytest.approx([0.9633, 0.9467, 0.94, 0.90, 0.76])
    false = tables["counterfactual robustness, en"]
    assert false["columns"][:6] == ["Acc", "Acc_doc", "ED", "ED*", "CR", "CR (script)"]
    assert false["ours"]["good"][:3] == [0.5, 0.5, 0.5]
    assert false["published"]["ChatGPT"][:5] == pytest.approx([0.89, 0.09, 0.08, 0.07, 0.5714])
    assert tables["negative rejection, en"]["ours"]["good"][0] == 0.75
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["good", "100.0", "100.0", "100.0", "100.0", "75.0"] in lines
    assert ["ChatGPT", "(published)", "96.3", "94.7", "94.0", "90.0", "76.0"] in lines


def test_a_bench_without_any_answer_says_so_by_its_exit_code(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "en.json", [{**base(0), "negative": []}])
    options = ["--data", data, "--abilities", "rejection"]
    with MisbehavingServer(answer=answer) as server:
        done = invoke("bench", "rgb", *options, *reach(server), "-o", tmp_path / "a")
        told = invoke("bench", "rgb", *options, *reach(server), "-o", tmp_path / "b", "--json")
    assert (done.exit_code, told.exit_code) == (3, 3)
    assert "1 of 1 questions have no answer" in done.stderr
    assert "1 of 1 questions have no answer" in told.stderr
    found = json.loads(told.stdout)
    assert (found["summary"], found["comparisons"]) == (None, [])
    assert [failure["id"] for failure in found["failures"]] == ["en/0@1"]


def test_a_bench_in_json_tells_failures_beside_it(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "en.json", [base(0), {**base(1), "negative": []}])
    options = ["--data", data, "--abilities", "rejection", "--judge", "rules", "-o", tmp_path / "bench"]
    with MisbehavingServer(answer=answer) as server:
        told = invoke("bench", "rgb", *options, *reach(server), "--json")
    assert told.exit_code == 0
    assert "1 of 2 questions have no answer" in told.stderr
    found = json.loads(told.stdout)
    assert len(found["failures"]) == 1


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_process_goes_on_where_it_was(tmp_path: Path, how: signal.Signals) -> None:
    rows = [
        {**base(n % 4), "id": n, "query": f"Who is the keeper of tower {n % 4}? ({n})"} for n in range(25)
    ]
    data, out = write_rows(tmp_path / "en.json", rows), tmp_path / "answers.jsonl"
    cases = 25 * 6
    with MisbehavingServer(answer=answer, latency=0.05) as server:
        command = [sys.executable, "-m", "adjudge", "generate", "rgb", "--data", str(data), "-o", str(out)]
        command += [*reach(server), "--concurrency", "4"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 30
        while len(server.answered) < 40 and time.monotonic() < deadline:
            time.sleep(0.002)
        process.send_signal(how)
        _, said = process.communicate(timeout=20)
        before = len(server.answered)
        assert 40 <= before < cases
        assert not out.exists()
        if how is signal.SIGINT:
            assert process.returncode == 130
            assert "the same command goes on" in said
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        again = [prompt for prompt, times in server.times_asked().items() if times > 1]
        # An interrupt waits for what is under way; a kill cannot, so at most that is asked again.
        assert len(again) <= (4 if how is signal.SIGKILL else 0)
    ids = [sample.id for sample in read(Source(out))]
    assert len(ids) == len(set(ids)) == cases


def test_a_cache_makes_another_output_free(tmp_path: Path) -> None:
    data = make_folder(tmp_path / "rgb")
    with MisbehavingServer(answer=answer) as server:
        options = ["--model", "openai/m", "--base-url", server.base_url, "--data", data]
        options += ["--cache-path", tmp_path / "cache.sqlite"]
        invoke("generate", "rgb", *options, "-o", tmp_path / "a.jsonl")
        invoke("generate", "rgb", *options, "-o", tmp_path / "b.jsonl")
        assert len(server.requests) == CASES
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_dry_run_asks_nobody(tmp_path: Path) -> None:
    data = make_folder(tmp_path / "rgb")
    with MisbehavingServer(answer=answer) as server:
        told = invoke("generate", "rgb", "--data", data, *reach(server), "--dry-run")
        assert server.requests == []
    assert told.exit_code == 0, told.output
    assert f"openai/m: {CASES} calls for {CASES} samples" in told.stdout


def test_failures_are_told_at_the_end_with_the_way_to_retry(tmp_path: Path) -> None:
    rows = [base(0), {**base(1), "negative": []}]
    data, out = write_rows(tmp_path / "en.json", rows), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        done = invoke("generate", "rgb", "--data", data, "-o", out, *reach(server))
    assert done.exit_code == 0
    assert "failed: en/1@1: sample '1', field 'negative': too few negative documents" in done.stderr
    assert f"all 1 are in {tmp_path / 'answers.failed.jsonl'}; --retry-failed" in done.stderr
    # Without negative documents every noise rate shows the second question the same: it is asked once.
    assert f"7 asked, 1 failed; 11 written to {out}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rgb", "--model", "openai/m", "--data", "nowhere.json"], 3, "adjudge data get rgb"),
        (["rgb", "--model", "openai/m", "--data", "en.json", "--noise", "2"], 2, "from 0 to 1"),
        (["rgb", "--model", "openai/m", "--data", "en.json", "--noise", "much"], 2, "--noise takes rates"),
        (["rgb", "--model", "openai/m", "--data", "en.json", "--abilities", "flying"], 2, "no ability"),
        (["rgb", "--model", "m", "--data", "en.json"], 2, "PROVIDER/MODEL"),
        (["longfact", "--model", "openai/m", "--data", "nowhere"], 3, "adjudge data get longfact"),
        (
            ["longfact", "--model", "openai/m", "--data", "en.json", "--side1", "loud"],
            2,
            "no response method",
        ),
        (["answers", "--data", "en.json", "--target", "ftp://x"], 2, "a target is"),
    ],
)
def test_bad_usage_gets_one_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    write_rows(tmp_path / "en.json", [base(0)])
    done = invoke("generate", *arguments)
    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert sorted(os.listdir(tmp_path)) == ["en.json"]


def test_longfact_and_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "topic.jsonl").write_text('{"prompt": "What is snow?"}\n{"prompt": "What is snow?"}\n')
    with MisbehavingServer(answer=lambda body: "Snow is frozen water.") as server:
        out = tmp_path / "longfact.json"
        done = invoke("generate", "longfact", "--data", tmp_path, "-o", out, *reach(server))
        assert done.exit_code == 0, done.output
        assert len(server.requests) == 1
    assert "1 prompts occur more than once" in done.stderr
    assert [entry["side2_response"] for entry in json.loads(out.read_text())["per_prompt_data"]] == [
        "Snow is frozen water."
    ] * 2
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_rag_system.py").write_text(
        "def answer(question):\n    return {'response': question[::-1], 'contexts': ['page 1']}\n"
    )
    (tmp_path / "asked.jsonl").write_text('{"id": "a", "query": "abc"}\n')
    done = invoke(
        *("generate", "answers", "--data", "asked.jsonl", "--map", "id=id,question=query"),
        *("--target", "python:own_rag_system.answer", "-o", "out.jsonl"),
    )
    assert done.exit_code == 0, done.output
    (sample,) = read(Source("out.jsonl"))
    assert (sample.response, sample.contexts) == ("cba", ("page 1",))
    assert Counter(line.split(":")[0] for line in done.stdout.splitlines())["next"] == 1


def test_where_all_fails_the_exit_code_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "failing_system.py").write_text(
        "def answer(question):\n    if 'b' in question: return 'yes'\n    raise ValueError('no index')\n"
    )
    (tmp_path / "asked.jsonl").write_text('{"id": "1", "question": "a"}\n{"id": "2", "question": "c"}\n')
    command = ["generate", "answers", "--data", "asked.jsonl", "--target", "python:failing_system.answer"]
    none = invoke(*command, "-o", "none.jsonl")
    assert none.exit_code == 3
    assert "WARNING: 2 of 2 questions have no answer" in none.stderr
    assert "next:" not in none.output
    (tmp_path / "asked.jsonl").write_text('{"id": "1", "question": "a"}\n{"id": "2", "question": "b"}\n')
    some = invoke(*command, "-o", "some.jsonl")
    assert some.exit_code == 0
    assert "WARNING: 1 of 2 questions have no answer" in some.stderr
    assert "next: adjudge run some.jsonl" in some.stdout


def test_noise_that_leaves_no_place_is_said_once_and_is_no_failure(tmp_path: Path) -> None:
    data, out = write_rows(tmp_path / "en.json", [base(0), base(1)]), tmp_path / "answers.jsonl"
    said = "3 passages at noise 0.8 leave no place for a positive document"
    with MisbehavingServer(answer=answer) as server:
        given = ["generate", "rgb", "--data", data, "--passages", "3", *reach(server)]
        done = invoke(*given, "-o", out)
        alone = invoke(*given, "--noise", ".8", "--abilities", "noise", "-o", tmp_path / "none.jsonl")
    assert done.exit_code == 0, done.output
    assert done.stderr.count(said) == 1
    assert ", 0 failed; 10 written" in done.stdout  # 4 of 5 noise rates and rejection, twice
    assert not (tmp_path / "answers.failed.jsonl").exists()
    assert alone.exit_code == 3
    assert said in alone.stderr
