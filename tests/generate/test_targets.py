"""The user's own system: functions and HTTP servers, good ones and bad ones."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import adjudge
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.errors import JudgeError, UsageError
from adjudge.generate.answers import generate_answers
from adjudge.generate.engine import CaseError, Progress
from adjudge.generate.targets import check_answer, make_target

SHELF = {"oak": "The oak is 12 m high.", "elm": "The elm is 9 m high."}


def retrieve(question: str) -> dict[str, Any]:
    found = [text for word, text in SHELF.items() if word in question]
    return {"response": " ".join(found) or "I do not know.", "contexts": found}


def questions(folder: Path, *texts: str) -> Path:
    path = folder / "questions.jsonl"
    rows = [{"id": f"q{n}", "question": text, "reference": "12 m"} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Puts a function where `python:my_app.answer` finds it."""

    def put(function: Any) -> str:
        module = ModuleType("my_app")
        module.answer = function  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "my_app", module)
        return "python:my_app.answer"

    return put


def go(path: Path, target: str, out: Path, *, timeout: float = 5.0, **options: Any) -> Progress:
    return asyncio.run(generate_answers(path, out, make_target(target, timeout=timeout), **options))


class Server:
    """An HTTP target; `script` gets the body and gives status, answer and, if any, headers."""

    def __init__(self, script: Callable[[dict[str, Any]], tuple[Any, ...]]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.paths.append(self.path)
                status, said, *more = script(body)
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                for name, value in more[0].items() if more else ():
                    self.send_header(name, value)
                with contextlib.suppress(OSError):  # a client that did not wait
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, *args: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/ask"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(script: Callable[[dict[str, Any]], tuple[int, Any]]) -> Server:
        started.append(Server(script))
        return started[-1]

    yield start
    for server in started:
        server.http.shutdown()
        server.http.server_close()


async def later(question: str) -> dict[str, Any]:
    await asyncio.sleep(0.001)
    return retrieve(question)


@pytest.mark.parametrize("function", [retrieve, later, lambda question: later(question)])
def test_retrieval_is_kept_with_the_answer(tmp_path, install, function: Any) -> None:
    path, out = questions(tmp_path, "How high is the oak?", "How high is the elm?"), tmp_path / "out.jsonl"
    progress = go(path, install(function), out)
    assert (progress.asked, progress.failures) == (2, [])
    first, second = read(Source(out))
    assert (first.id, first.response, first.contexts) == ("q0", SHELF["oak"], (SHELF["oak"],))
    assert (second.reference, second.attributes["system"]) == ("12 m", "python:my_app.answer")
    result = adjudge.evaluate(out, ["rgb", "ragchecker"], judge="local")
    assert result.value("rgb.accuracy") == 0.5
    assert result.row("ragchecker.claim_recall").samples


def test_over_http(tmp_path, serve) -> None:
    server = serve(lambda body: (200, {**retrieve(body["question"]), "attributes": {"hops": 1}}))
    path, out = questions(tmp_path, "How high is the oak?"), tmp_path / "out.jsonl"
    go(path, server.url, out, system="mine")
    (sample,) = read(Source(out))
    assert (sample.contexts, sample.attributes) == ((SHELF["oak"],), {"system": "mine", "hops": 1})
    assert server.bodies == [{"question": "How high is the oak?"}]


def test_what_a_target_says_of_an_answer_leaves_the_question_as_it_was(tmp_path, install) -> None:
    more = {"system": "other", "topic": "mills", "hops": 1}
    path, out = tmp_path / "questions.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"id": "q", "question": "oak?", "attributes": {"topic": "trees", "system": "old"}}\n')
    go(path, install(lambda question: {"response": "r", "attributes": more}), out, system="mine")
    (sample,) = read(Source(out))
    assert sample.attributes == {"topic": "trees", "system": "mine", "hops": 1}


def test_a_number_that_no_reader_takes_is_a_failure_of_that_question(tmp_path, install) -> None:
    path, out = questions(tmp_path, "70", "63"), tmp_path / "out.jsonl"
    target = install(lambda question: {"response": "r", "attributes": {"n": 2 ** int(question)}})
    progress = go(path, target, out)
    assert [failure.error for failure in progress.failures] == [
        "wrong shape: attribute 'n' is a number of more than 64 bits; give it as text"
    ]
    assert [sample.attributes["n"] for sample in read(Source(out))] == [2**63]


def test_one_that_throws_hangs_or_misbehaves_fails_alone(tmp_path, install) -> None:
    def moody(question: str) -> Any:
        if "throw" in question:
            raise KeyError("index")
        if "exit" in question:
            raise SystemExit(3)
        if "hang" in question:
            time.sleep(60)
        return {"list": [], "number": 7, "odd": "\ud800", "wrong": {"answer": "x"}, "none": None}.get(
            question, "fine"
        )

    bad = ("throw", "exit", "hang", "list", "number", "odd", "wrong", "none")
    path, out = questions(tmp_path, *bad, "good"), tmp_path / "out.jsonl"
    started = time.monotonic()
    progress = go(path, install(moody), out, timeout=0.3)
    assert time.monotonic() - started < 5
    assert [sample.response for sample in read(Source(out))] == ["fine"]
    errors = {failure.question: failure.error for failure in progress.failures}
    assert set(errors) == set(bad)
    assert errors["throw"] == "the target raised KeyError: 'index'"
    assert "SystemExit" in errors["exit"]
    assert errors["hang"] == "no answer within 0.3 s"
    assert all(errors[name].startswith("wrong shape") for name in ("list", "number", "odd", "wrong", "none"))
    listed = (tmp_path / "out.failed.jsonl").read_text().splitlines()
    assert len(listed) == len(bad)
    progress = go(path, install(lambda question: f"now {question}"), out, retry_failed=True)
    assert (progress.asked, progress.kept, progress.failures) == (len(bad), 1, [])
    assert [sample.response for sample in read(Source(out))] == [*(f"now {name}" for name in bad), "fine"]


def test_a_bad_http_target_fails_question_by_question(tmp_path, serve, monkeypatch) -> None:
    monkeypatch.setattr("adjudge.generate.targets.PAUSE", 0.001)
    calls: dict[str, int] = {}

    def script(body: dict[str, Any]) -> tuple[int, Any]:
        question = body["question"]
        calls[question] = calls.get(question, 0) + 1
        if question == "busy":
            return (503, {}) if calls[question] < 3 else (200, "at last")
        if question == "slow":
            time.sleep(1)
        return {"crash": (500, b"stack trace"), "html": (200, b"<html>"), "gone": (404, {})}.get(
            question, (200, {"response": "ok"})
        )

    server = serve(script)
    path = questions(tmp_path, "busy", "crash", "html", "gone", "slow", "fine")
    out = tmp_path / "out.jsonl"
    progress = go(path, server.url, out, timeout=0.5)
    errors = {failure.question: failure.error for failure in progress.failures}
    assert sorted(errors) == ["crash", "gone", "html", "slow"]
    assert errors["crash"] == "the target answered HTTP 500: stack trace"
    assert "not JSON" in errors["html"]
    assert errors["slow"] == "no answer within 0.5 s"
    assert (calls["busy"], calls["crash"]) == (3, 1)
    assert [sample.response for sample in read(Source(out))] == ["at last", "ok"]


def test_a_busy_target_is_asked_again_when_it_says(tmp_path, serve, monkeypatch) -> None:
    monkeypatch.setattr("adjudge.generate.targets.PAUSE", 60.0)
    calls: dict[str, int] = {}

    def script(body: dict[str, Any]) -> tuple[Any, ...]:
        question = body["question"]
        calls[question] = calls.get(question, 0) + 1
        if question == "never":
            return 429, {}, {"Retry-After": "3600"}
        return (200, "at last", {}) if calls[question] > 1 else (503, {}, {"Retry-After": "0.2"})

    started = time.monotonic()
    progress = go(questions(tmp_path, "busy", "never"), serve(script).url, tmp_path / "out.jsonl")
    assert 0.2 <= time.monotonic() - started < 5
    (failure,) = progress.failures
    assert failure.error == "the target answered HTTP 429 (it asks to wait 3600 s, more than --timeout): {}"
    assert calls == {"busy": 2, "never": 1}


def test_addresses_that_differ_in_their_query_are_different_targets(tmp_path, serve) -> None:
    server = serve(lambda body: (200, "yes"))
    path, out = questions(tmp_path, "Anyone?"), tmp_path / "out.jsonl"
    first, second = (f"{server.url}?index={name}&token=hush" for name in "ab")
    assert go(path, first, out).asked == 1
    assert go(path, second, out).asked == 1
    assert go(path, first, out).asked == 0
    assert server.paths == ["/ask?index=a&token=hush", "/ask?index=b&token=hush"]
    names = [make_target(url).name for url in (first, second)]
    assert names[0] != names[1]
    for name in names:
        assert name.startswith(f"{server.url}#")
        assert "hush" not in name
    assert make_target(server.url).name == server.url
    assert make_target(f"{server.url}/?api-version=1").name == f"{server.url}?api-version=1"
    mine, yours, other = (
        make_target(f"http://{user}@127.0.0.1:8/ask").name for user in ("me:hush", "you:hush", "me:hash")
    )
    assert mine == other != yours


def test_nobody_there(tmp_path) -> None:
    path, out = questions(tmp_path, "Anyone?"), tmp_path / "out.jsonl"
    progress = go(path, "http://127.0.0.1:9/ask", out)
    assert "cannot be reached" in progress.failures[0].error


def test_bad_lines_and_missing_questions_are_failures(tmp_path, install) -> None:
    path, out = tmp_path / "questions.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"id": "a", "question": "oak?"}\n{"id": "b", "response": "x"}\n{oops\n')
    progress = go(path, install(retrieve), out)
    assert sorted(failure.id for failure in progress.failures) == ["b", "line 3"]
    assert [sample.id for sample in read(Source(out))] == ["a"]


def test_an_interrupted_run_asks_the_target_nothing_twice(tmp_path, install) -> None:
    """What is under way at the interruption is waited for, and kept."""
    path, out = questions(tmp_path, *(f"oak {n}?" for n in range(12))), tmp_path / "out.jsonl"
    asked: list[str] = []

    async def slow(question: str) -> Any:
        asked.append(question)
        await asyncio.sleep(0.02)
        return retrieve(question)

    target = install(slow)

    async def interrupted() -> None:
        task = asyncio.create_task(generate_answers(path, out, make_target(target), concurrency=2))
        while len(asked) < 4:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    first = len(asked)
    assert 4 <= first < 12
    assert not out.exists()
    progress = go(path, target, out)
    assert (progress.kept, progress.asked) == (first, 12 - first)
    assert sorted(asked) == sorted(f"oak {n}?" for n in range(12))
    assert [sample.id for sample in read(Source(out))] == [f"q{n}" for n in range(12)]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("my_app.answer", "python:module.function or http"),
        ("python:answer", "python:module.function"),
        ("python:no_such_module_here.answer", "no module 'no_such_module_here'"),
        ("python:json.no_such", "has no 'no_such'"),
        ("python:json.__name__", "is str, not a function"),
    ],
)
def test_targets_that_cannot_be(target: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_target(target)


def test_names_must_fit_the_passages() -> None:
    good = check_answer({"response": "r", "contexts": ["a"], "context_ids": ["doc 1"]})
    assert good == {"response": "r", "contexts": ["a"], "context_ids": ["doc 1"]}
    with pytest.raises(CaseError, match="one name for each"):
        check_answer({"response": "r", "contexts": ["a", "b"], "context_ids": ["doc 1"]})


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_target_that_refuses_connections_ends_the_run_soon(tmp_path, concurrency: int) -> None:
    """Nothing is noted as failed, so the same command goes on once the server is there."""
    path, out = questions(tmp_path, *(f"oak {n}?" for n in range(20))), tmp_path / "out.jsonl"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/ask"
        with pytest.raises(JudgeError, match=r"cannot be reached.*stopped after 3 in a row"):
            go(path, address, out, concurrency=concurrency)
    assert (tmp_path / "out.journal.jsonl").read_text() == ""
    assert not out.exists()


@pytest.mark.parametrize("function", [lambda: "x", lambda question, context: "x"])
def test_a_function_of_another_arity_is_refused_before_anything_is_asked(install, function: Any) -> None:
    with pytest.raises(UsageError, match="cannot be called with the question alone"):
        make_target(install(function))


def test_functions_that_take_more_if_they_must_are_fine(install) -> None:
    for function in (lambda question, k=5: "x", lambda *all: "x", str):
        make_target(install(function))


def test_an_async_function_that_blocks_does_not_defeat_the_time_out(tmp_path, install) -> None:
    """It stops the loop that it shares with the others; ours goes on, and later questions get a new loop."""

    async def answer(question: str) -> str:
        if "slow" in question:
            time.sleep(2.5)
        await asyncio.sleep(0.01)
        return question

    path, out = questions(tmp_path, "slow", *(f"q{n}" for n in range(4))), tmp_path / "out.jsonl"
    started = time.monotonic()
    progress = go(path, install(answer), out, timeout=0.5, concurrency=1)
    assert time.monotonic() - started < 2.4
    (failure,) = progress.failures
    assert failure.error == "no answer within 0.5 s; an async function that blocks holds up all others"
    assert [sample.response for sample in read(Source(out))] == ["q0", "q1", "q2", "q3"]


def test_async_calls_share_one_loop_and_are_cancelled_at_their_time(tmp_path, install) -> None:
    loops: set[int] = set()
    ended: list[str] = []

    async def answer(question: str) -> str:
        loops.add(id(asyncio.get_running_loop()))
        try:
            await asyncio.sleep(30 if "hang" in question else 0.01)
        except asyncio.CancelledError:
            ended.append(question)
            raise
        return question

    path, out = questions(tmp_path, "a", "hang", "b", "c"), tmp_path / "out.jsonl"
    progress = go(path, install(answer), out, timeout=0.5)
    assert [(failure.id, failure.error) for failure in progress.failures] == [
        ("q1", "no answer within 0.5 s")
    ]
    assert ended == ["hang"]
    assert len(loops) == 1


def test_a_time_out_of_its_own_is_not_taken_for_ours(tmp_path, install) -> None:
    async def answer(question: str) -> str:
        raise TimeoutError("upstream took too long")

    progress = go(questions(tmp_path, "a"), install(answer), tmp_path / "out.jsonl")
    assert progress.failures[0].error == "the target raised TimeoutError: upstream took too long"
