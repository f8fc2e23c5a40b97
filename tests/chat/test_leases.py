"""Processes that start together on one cache ask each question once, and nobody waits for the dead."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudge.chat import build_stack, leases
from adjudge.chat.answers import Answers
from adjudge.chat.answers_file import open_database
from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.cache import Cache
from adjudge.chat.embed import Embedder, pack
from adjudge.chat.errors import GaveUp, ServerFault
from adjudge.chat.scripted import Scripted
from chat.helpers import ask
from chat.server import MisbehavingServer, scripted_faults

ASKER = """
import asyncio, json, sys
from adjudge.chat import ChatRequest, Message, build_stack

base_url, path, questions = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])

async def main():
    async with build_stack("openai/m", base_url=base_url, cache_path=path, concurrency=8) as stack:
        print("ready", flush=True)
        sys.stdin.readline()
        requests = [ChatRequest(model="m", messages=(Message("user", text),)) for text in questions]
        replies = await asyncio.gather(*(stack.complete(request) for request in requests))
        vectors = await stack.embed(questions)
        print(json.dumps([[r.text for r in replies], sum(r.cached for r in replies), vectors]))

asyncio.run(main())
"""


def start(server: MisbehavingServer, path: Path, questions: list[str]) -> subprocess.Popen[str]:
    """Another process that has the cache open and waits for a line to begin."""
    command = [sys.executable, "-W", "error", "-c", ASKER, server.base_url, str(path), json.dumps(questions)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def finish(process: subprocess.Popen[str]) -> Any:
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    return json.loads(said)


def test_two_processes_at_once_ask_each_question_once(tmp_path: Path) -> None:
    questions = [f"question {n}" for n in range(40)]
    with MisbehavingServer(latency=0.05) as server:
        processes = [start(server, tmp_path / "a.sqlite", order) for order in (questions, questions[::-1])]
        for process in processes:
            begin(process)
        told = [finish(process) for process in processes]
        chats = [seen.prompt for seen in server.requests if "messages" in seen.body]
        embedded = [text for seen in server.requests for text in seen.body.get("input", ())]
    assert Counter(chats) == dict.fromkeys(questions, 1)
    assert Counter(embedded) == dict.fromkeys(questions, 1)
    (first, cached, vectors), (second, more, others) = told
    assert first == second[::-1] == [f"echo: {question}" for question in questions]
    assert vectors == others[::-1]
    assert cached + more == len(questions), "each answer was fetched by one and found by the other"


def test_a_killed_process_keeps_nobody_waiting(tmp_path: Path) -> None:
    with MisbehavingServer(faults=scripted_faults(["timeout"]), hang=60.0) as server:
        doomed, heir = (start(server, tmp_path / "a.sqlite", ["q"]) for _ in range(2))
        begin(doomed)
        while not server.requests:
            time.sleep(0.01)
        begin(heir)
        time.sleep(0.3)
        assert len(server.requests) == 1, "it waits for the other's answer"
        doomed.kill()
        doomed.communicate()
        killed = time.monotonic()
        assert finish(heir)[0] == ["echo: q"]
        assert time.monotonic() - killed < leases.SECONDS / 2
        assert sum("messages" in seen.body for seen in server.requests) == 2


@pytest.fixture
def database(tmp_path: Path) -> Any:
    found = open_database(tmp_path / "a.sqlite")
    assert found is not None
    yield found
    found.close()


def test_a_lease_holds_until_it_is_dropped_or_runs_out(database: sqlite3.Connection) -> None:
    assert leases.take(database, "k", "elsewhere:1:a", 100.0)
    assert not leases.take(database, "k", "elsewhere:1:b", 100.0 + leases.SECONDS)
    assert leases.take(database, "other", "elsewhere:1:b", 100.0)
    leases.renew(database, "elsewhere:1:a", 105.0)
    assert not leases.take(database, "k", "elsewhere:1:b", 100.0 + leases.SECONDS + 1)
    assert leases.take(database, "k", "elsewhere:1:b", 105.0 + leases.SECONDS + 1), "not renewed"
    leases.drop(database, ["k"], "elsewhere:1:a")
    assert not leases.is_free(database, "k", 117.0), "only its owner drops it"
    leases.drop(database, ["k"], "elsewhere:1:b")
    assert leases.is_free(database, "k", 117.0)


def test_a_clock_that_was_set_back_blocks_nothing(database: sqlite3.Connection) -> None:
    assert leases.take(database, "k", "elsewhere:1:a", 1e9)
    assert leases.is_free(database, "k", 1e9 - 3600)


def test_leases_of_processes_here_and_elsewhere(database: sqlite3.Connection) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host, mine, _ = leases.new_owner().split(":")
    assert int(mine) == os.getpid()
    assert leases.take(database, "a", f"{host}:{ended.pid}:x", 100.0)
    assert leases.is_free(database, "a", 100.0) is (os.name == "posix")
    assert leases.take(database, "b", f"{host}:{mine}:x", 100.0)
    assert not leases.is_free(database, "b", 100.0)
    assert leases.take(database, "c", f"not-{host}:{ended.pid}:x", 100.0)
    assert not leases.is_free(database, "c", 100.0), "nothing is known of processes elsewhere"


def asked_twice(path: Path, first: Any, second: Any) -> tuple[Any, Any]:
    """Two caches on one file, as two processes have them, ask the same; what each got."""

    async def main() -> tuple[Any, Any]:
        caches = [Cache(Scripted(answer), where="w", path=path) for answer in (first, second)]
        for cache in caches:
            await cache.open()
        try:
            ahead = asyncio.ensure_future(caches[0].complete(ask("q")))
            await asyncio.sleep(0.05)
            after = await asyncio.gather(caches[1].complete(ask("q")), return_exceptions=True)
            return (await asyncio.gather(ahead, return_exceptions=True))[0], after[0]
        finally:
            for cache in caches:
                await cache.close()

    return asyncio.run(main())


async def slow(request: ChatRequest) -> str:
    await asyncio.sleep(0.2)
    return "first"


def test_who_waits_asks_when_the_other_fails(tmp_path: Path) -> None:
    async def fail(request: ChatRequest) -> str:
        await asyncio.sleep(0.2)
        raise GaveUp(2, ServerFault("down"))

    failed, answered = asked_twice(tmp_path / "a.sqlite", fail, lambda request: "second")
    assert isinstance(failed, GaveUp)
    assert (answered.text, answered.cached) == ("second", False)


def test_who_waits_gets_the_others_answer(tmp_path: Path) -> None:
    first, second = asked_twice(tmp_path / "a.sqlite", slow, lambda request: "second")
    assert (first.text, first.cached) == ("first", False)
    assert (second.text, second.cached) == ("first", True)


def test_a_question_called_off_is_free_again(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"

    async def main() -> ChatReply:
        cache = await Cache(Scripted(slow), where="w", path=path).open()
        other = await Cache(Scripted(lambda request: "second"), where="w", path=path).open()
        for wait in (0.0, 0.05):  # before and after the question was its own to ask
            task = asyncio.ensure_future(cache.complete(ask("q")))
            await asyncio.sleep(wait)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        started = time.monotonic()
        reply = await other.complete(ask("q"))
        assert time.monotonic() - started < 1.0
        await cache.close()
        await other.close()
        return reply

    assert asyncio.run(main()).text == "second"
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM asking").fetchone() == (0,)
    database.close()


def test_leases_are_renewed_while_the_question_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "SECONDS", 0.4)
    monkeypatch.setattr(leases, "RENEW", 0.1)

    async def very_slow(request: ChatRequest) -> str:
        await asyncio.sleep(1.2)
        return "first"

    _, second = asked_twice(tmp_path / "a.sqlite", very_slow, lambda request: "second")
    assert second.text == "first"


def test_texts_are_embedded_once_by_tasks_that_run_together(tmp_path: Path) -> None:
    sent: list[str] = []

    async def vectors(request: ChatRequest) -> str:
        texts = [message.content for message in request.messages]
        sent.extend(texts)
        await asyncio.sleep(0.05)
        if "bad" in texts and sent.count("bad") == 1:
            raise GaveUp(1, ServerFault("down"))
        return " ".join(pack([float(len(text))]) for text in texts)

    async def main() -> list[Any]:
        inner = Scripted(vectors)
        cache = await Cache(inner, where="w", path=tmp_path / "a.sqlite").open()
        embedder = Embedder(inner, cache, model="e", where="w")
        try:
            lists = (["a", "bb"], ["bb", "ccc", "a"], ["bad"], ["bad"])
            return await asyncio.gather(*map(embedder.embed, lists), return_exceptions=True)
        finally:
            await cache.close()

    first, second, failed, again = asyncio.run(main())
    assert (first, second, again) == ([[1.0], [2.0]], [[2.0], [3.0], [1.0]], [[3.0]])
    assert isinstance(failed, GaveUp)
    assert Counter(sent) == {"a": 1, "bb": 1, "ccc": 1, "bad": 2}


def test_a_file_of_an_older_version_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    database = open_database(path)
    assert database is not None
    with database:
        database.execute("DROP TABLE asking")
        database.execute("INSERT INTO answers VALUES ('k', x'01', 0)")
    database.close()

    async def main() -> bytes | bool:
        answers = Answers(path)
        await answers.open()
        try:
            return await answers.claim("k")
        finally:
            await answers.close()

    assert asyncio.run(main()) == b"\x01"


def test_a_cache_that_breaks_lets_everybody_ask(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.sqlite"

    async def main() -> str:
        async with build_stack("x/m", backend=Scripted(lambda r: "said"), cache_path=path) as stack:
            other = sqlite3.connect(path)
            other.execute("DROP TABLE asking")
            other.commit()
            other.close()
            return (await stack.complete(ask("q"))).text

    assert asyncio.run(main()) == "said"
    assert "answers are not kept" in caplog.text
