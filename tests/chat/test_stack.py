from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.chat import ChatReply, Stack, build_stack
from adjudge.chat import errors as e
from adjudge.chat.scripted import Scripted
from adjudge.errors import UsageError
from chat.helpers import ask
from chat.server import MisbehavingServer, random_faults, scripted_faults

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ADJUDGE_API_KEY", "ADJUDGE_PRICES"):
        monkeypatch.delenv(name, raising=False)


def run(stack: Stack, *texts: str, **more: Any) -> list[ChatReply | BaseException]:
    async def main() -> list[ChatReply | BaseException]:
        async with stack:
            tasks = (stack.complete(ask(text, **more)) for text in texts)
            return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(main())


def local(server: MisbehavingServer, folder: Path, **more: Any) -> Stack:
    options = {"cache_path": folder / "a.sqlite", "first_pause": 0.01, "longest_pause": 0.05, "timeout": 0.4}
    return build_stack("openai/m", base_url=server.base_url, **{**options, **more})


def test_a_third_of_all_calls_fails_and_nothing_is_lost(tmp_path: Path) -> None:
    texts = [f"question {i}" for i in range(300)]
    with MisbehavingServer(faults=random_faults(0.3, seed=11)) as server:
        stack = local(server, tmp_path, concurrency=32, attempts=4, calls_path=tmp_path / "calls.jsonl")
        found = run(stack, *texts)
    assert len(found) == 300
    for text, ended in zip(texts, found, strict=True):
        if isinstance(ended, ChatReply):
            assert ended.text == f"echo: {text}"
        else:
            assert isinstance(ended, e.GaveUp)
            assert str(ended.last)
            assert 1 <= ended.attempts <= 4
    good = sum(isinstance(ended, ChatReply) for ended in found)
    assert 200 < good < 300
    asked = server.times_asked()
    assert set(asked) == set(texts)
    assert max(asked.values()) <= 4
    assert server.most_at_once <= 32 + sum(seen.fault == "timeout" for seen in server.requests)
    assert {seen.fault for seen in server.requests} >= {"timeout", "half", "reset", "refusal", "429-after"}
    totals = stack.totals
    assert (totals.answered, totals.failed, totals.sent) == (good, 300 - good, len(server.requests))
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert Counter(line["outcome"] == "ok" for line in lines) == {True: good, False: 300 - good}
    assert sum(line["attempts"] for line in lines) == len(server.requests)
    assert {key for line in lines for key in line} == {
        *("time", "model", "key", "prompt_tokens", "completion_tokens"),
        *("seconds", "attempts", "cached", "cost", "outcome"),
    }
    assert sum(line["prompt_tokens"] for line in lines) == totals.prompt_tokens


def test_one_fault_after_another_ends_well(tmp_path: Path) -> None:
    faults = ["429", "500", "timeout", "half", "not-json", None]
    with MisbehavingServer(faults=scripted_faults(faults)) as server:
        (reply,) = run(local(server, tmp_path, attempts=6), "one")
    assert isinstance(reply, ChatReply)
    assert (reply.text, reply.attempts) == ("echo: one", 6)


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    with MisbehavingServer(faults=scripted_faults(["429-after"]), retry_after="0.4") as server:
        run(local(server, tmp_path), "one")
    first, second = server.requests
    assert second.at - first.at >= 0.4


def test_equal_questions_reach_the_server_once(tmp_path: Path) -> None:
    with MisbehavingServer(latency=0.02) as server:
        stack = local(server, tmp_path)
        found = run(stack, *["one", "two"] * 20)
        assert [r.text for r in found if isinstance(r, ChatReply)] == ["echo: one", "echo: two"] * 20
        again = run(local(server, tmp_path), "one")
    assert server.times_asked() == {"one": 1, "two": 1}
    assert stack.totals.shared == 38
    assert isinstance(again[0], ChatReply)
    assert again[0].cached


def test_cached_answers_meet_no_limit_and_cost_nothing(tmp_path: Path) -> None:
    prices = tmp_path / "p.toml"
    prices.write_text('[models]\n"openai/m" = {input = 1000000, output = 1000000}\n')
    texts = [str(i) for i in range(20)]
    with MisbehavingServer() as server:
        run(local(server, tmp_path), *texts)
        strict = local(server, tmp_path, rpm=1, tpm=1, max_cost=0, prices=prices)
        started = time.monotonic()
        found = run(strict, *texts, "new")
        assert time.monotonic() - started < 5
    assert all(isinstance(r, ChatReply) and r.cached for r in found[:20])
    assert isinstance(found[20], e.CostExceeded)
    assert strict.totals.cost == 0
    assert len(server.requests) == 20


def test_replay_needs_no_server_and_no_key(tmp_path: Path) -> None:
    with MisbehavingServer() as server:
        first = run(local(server, tmp_path), "one", "two")
        url = server.base_url
    stack = build_stack("openai/m", base_url=url, cache="replay", cache_path=tmp_path / "a.sqlite")
    again = run(stack, "one", "two", "three")
    assert [r.text for r in again[:2]] == [r.text for r in first]  # type: ignore[union-attr]
    assert isinstance(again[2], e.NotRecorded)
    build_stack("openai/gpt-4o-mini", cache="replay")


@pytest.mark.parametrize(
    ("server_options", "path", "kind"),
    [
        ({"key": "right"}, "/v1", e.WrongKey),
        ({"models": ["other"]}, "/v1", e.WrongModel),
        ({}, "/nowhere", e.WrongAddress),
    ],
)
def test_the_first_failure_says_what_is_wrong_and_ends_it(
    tmp_path: Path, server_options: dict[str, Any], path: str, kind: type[Exception]
) -> None:
    with MisbehavingServer(**server_options) as server:
        url = f"http://127.0.0.1:{server.port}{path}"
        stack = build_stack("openai/m", base_url=url, cache_path=tmp_path / "a.sqlite", concurrency=2)
        started = time.monotonic()
        found = run(stack, *(str(i) for i in range(50)))
        assert time.monotonic() - started < 5
    assert {type(ended) for ended in found} == {kind}
    assert len(server.requests) <= 50


def test_after_a_fatal_error_nothing_more_is_sent(tmp_path: Path) -> None:
    async def main() -> None:
        async with stack:
            for _ in range(5):
                with pytest.raises(e.WrongKey):
                    await stack.complete(ask())

    with MisbehavingServer(key="right") as server:
        stack = local(server, tmp_path)
        asyncio.run(main())
    assert len(server.requests) == 1


def test_nobody_there_is_told_within_seconds(tmp_path: Path) -> None:
    stack = build_stack("openai/m", base_url="http://127.0.0.1:9/v1", cache_path=tmp_path / "a.sqlite")
    started = time.monotonic()
    (ended,) = run(stack, "one")
    assert isinstance(ended, e.WrongAddress)
    assert time.monotonic() - started < 5


def test_a_model_without_structured_output_is_asked_without(tmp_path: Path) -> None:
    with MisbehavingServer(schema=False, refuses=["max_tokens"]) as server:
        stack = local(server, tmp_path, concurrency=1)
        found = run(stack, "one", "two", "three", schema={"type": "object"}, max_tokens=50)
    assert [r.text for r in found] == ["echo: one", "echo: two", "echo: three"]  # type: ignore[union-attr]
    assert len(server.requests) == 5
    assert server.requests[-1].body["max_completion_tokens"] == 50


def test_the_key_is_nowhere_to_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_API_KEY", KEY)
    with MisbehavingServer(
        key=KEY, faults=random_faults(0.5, seed=3), answer=lambda body: f"{KEY} is your key"
    ) as server:
        stack = local(server, tmp_path, attempts=2, calls_path=tmp_path / "run" / "calls.jsonl")
        found = run(stack, *(f"question {i}" for i in range(60)))
    with MisbehavingServer(key="right") as server:
        found += run(local(server, tmp_path), "refused")
    assert isinstance(found[-1], e.WrongKey)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert b"question" not in (tmp_path / "run" / "calls.jsonl").read_bytes()
    for ended in (*found, stack):
        chain: BaseException | None = ended if isinstance(ended, BaseException) else None
        shown = [repr(ended), str(ended)]
        while chain is not None:
            shown += [repr(chain), str(chain), repr(vars(chain))]
            chain = chain.__cause__
        assert not any(KEY in text for text in shown)


CLIENT = """
import asyncio, sys
from adjudge.chat import ChatRequest, Message, build_stack

async def main():
    async with build_stack("openai/m", base_url=sys.argv[1], cache_path=sys.argv[2], concurrency=16) as stack:
        ask = lambda i: stack.complete(ChatRequest(model="m", messages=(Message("user", f"question {i}"),)))
        replies = await asyncio.gather(*(ask(i) for i in range(200)))
        assert [r.text for r in replies] == [f"echo: question {i}" for i in range(200)]

asyncio.run(main())
"""


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(5000):
        if condition():
            return
        time.sleep(0.002)
    raise AssertionError("waited for 10 s in vain")


def test_a_killed_run_asks_nothing_twice_that_was_in_the_cache(tmp_path: Path) -> None:
    """Killed twice at some moment. The server stalls later requests, so that no run can finish before."""
    path, stall_from = tmp_path / "a.sqlite", 120
    kills: list[tuple[int, set[str]]] = []
    with MisbehavingServer(
        latency=0.02, faults=lambda _, n: "timeout" if n >= stall_from else None
    ) as server:
        command = [sys.executable, "-W", "error", "-c", CLIENT, server.base_url, str(path)]
        key = {f"question {i}": ask(f"question {i}").key(server.base_url) for i in range(200)}
        for _ in range(2):
            enough = len(server.answered) + 40
            client = subprocess.Popen(command)
            wait_for(lambda enough=enough: len(server.answered) >= enough)  # type: ignore[misc]
            os.kill(client.pid, signal.SIGKILL)
            client.wait()
            kills.append((len(server.requests), keys_in(path)))
            assert kills[-1][1] <= {key[prompt] for prompt in server.answered}
            stall_from = len(server.requests) + 60
        stall_from = sys.maxsize
        subprocess.run(command, check=True, timeout=20)
        asked = [key[seen.prompt] for seen in server.requests]
    assert 0 < len(kills[0][1]) < len(kills[1][1]) < 200
    for count, finished in kills:
        assert not finished & set(asked[count:])
    assert set(asked) == keys_in(path) == set(key.values())
    assert max(Counter(asked).values()) <= 3


def keys_in(path: Path) -> set[str]:
    database = sqlite3.connect(path)
    try:
        return {row[0] for row in database.execute("SELECT key FROM answers")}
    finally:
        database.close()


def test_one_stack_serves_two_loops_in_turn(tmp_path: Path) -> None:
    with MisbehavingServer() as server:
        stack = local(server, tmp_path)
        assert [r.text for r in run(stack, "one")] == ["echo: one"]  # type: ignore[union-attr]
        assert [r.text for r in run(stack, "two")] == ["echo: two"]  # type: ignore[union-attr]

    async def inside() -> None:
        with pytest.raises(RuntimeError, match="async with"):
            await stack.complete(ask())

    asyncio.run(inside())


def test_cancelling_everything_leaves_nothing_open(tmp_path: Path) -> None:
    async def main() -> None:
        async with stack:
            tasks = [asyncio.create_task(stack.complete(ask(str(i)))) for i in range(40)]
            await asyncio.to_thread(wait_for, lambda: len(server.requests) == 8)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert len(asyncio.all_tasks()) == 1

    with MisbehavingServer(latency=30) as server:
        stack = local(server, tmp_path, concurrency=8, timeout=20)
        asyncio.run(main())
    assert len(server.requests) == 8


def test_leaving_early_calls_off_what_is_under_way(tmp_path: Path) -> None:
    async def main() -> list[BaseException | ChatReply]:
        async with stack:
            tasks = [asyncio.create_task(stack.complete(ask(str(i)))) for i in range(5)]
            await asyncio.to_thread(wait_for, lambda: len(server.requests) == 5)
        return await asyncio.gather(*tasks, return_exceptions=True)

    with MisbehavingServer(latency=30) as server:
        stack = local(server, tmp_path, timeout=20)
        found = asyncio.run(main())
    assert {type(ended) for ended in found} == {asyncio.CancelledError}


def test_vectors_are_cached_text_by_text(tmp_path: Path) -> None:
    async def main(*texts: str) -> list[list[float]]:
        async with stack:
            return await stack.embed(texts)

    with MisbehavingServer(faults=scripted_faults(["500", None, "429"])) as server:
        stack = local(server, tmp_path)
        first = asyncio.run(main("a", "bb", "a"))
        assert [v[0] for v in first] == [1.0, 2.0, 1.0]
        assert [v[0] for v in asyncio.run(main("bb", "ccc"))] == [2.0, 3.0]
        assert asyncio.run(main("a", "bb", "a")) == first
        many = asyncio.run(main(*("x" * n for n in range(10, 310))))
    assert [v[0] for v in many] == [float(n) for n in range(10, 310)]
    sizes = [len(seen.body["input"]) for seen in server.requests]
    assert sizes[:4] == [2, 2, 1, 1]
    assert sum(sizes[4:]) == 300
    assert max(sizes) <= 128
    assert asyncio.run(main()) == []
    assert (stack.totals.answered, stack.totals.cached, stack.totals.failed) == (2 + 2 + 2 + 300, 3, 0)


def test_each_batch_of_texts_sent_is_a_line_of_the_call_log(tmp_path: Path) -> None:
    async def main(*texts: str) -> None:
        async with stack:
            await stack.embed(texts)

    with MisbehavingServer(faults=scripted_faults([None, "500"])) as server:
        stack = local(server, tmp_path, calls_path=tmp_path / "calls.jsonl")
        asyncio.run(main("a", "bb", "a"))
        asyncio.run(main("bb", "ccc"))
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [(line["texts"], line["attempts"], line["outcome"]) for line in lines] == [
        (2, 1, "ok"),
        (1, 2, "ok"),
    ]
    assert sum(line["prompt_tokens"] for line in lines) == stack.totals.prompt_tokens == 3
    assert sum(line["attempts"] for line in lines) == stack.totals.sent == len(server.requests)
    assert (stack.totals.answered, stack.totals.cached, stack.totals.failed) == (4, 1, 0)


def test_a_batch_that_fails_is_a_line_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with stack:
            await stack.embed(["a", "bb"])

    with MisbehavingServer(faults=scripted_faults(["500"] * 2)) as server:
        stack = local(server, tmp_path, attempts=2, calls_path=tmp_path / "calls.jsonl")
        with pytest.raises(e.GaveUp):
            asyncio.run(main())
    (line,) = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert (line["texts"], line["attempts"], line["outcome"]) == (2, 2, "GaveUp: ServerFault")
    assert (stack.totals.answered, stack.totals.failed) == (0, 2)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gpt-4o", {}, "PROVIDER/MODEL"),
        ("openai/", {}, "PROVIDER/MODEL"),
        ("nobody/x", {}, "no provider 'nobody'"),
        ("openai/m", {"attempts": 0}, "attempts"),
        ("openai/m", {"concurrency": 0}, "concurrency"),
        ("openai/m", {"rpm": 0}, "rpm"),
        ("openai/m", {"timeout": -1.0}, "timeout"),
        ("openai/m", {"max_cost": -1.0}, "max_cost"),
        ("openai/m", {"cache": "Replay"}, "cache is one of on, read_only, off, replay, not 'Replay'"),
        ("openai/m", {"retires": 3}, "retires"),
    ],
)
def test_what_cannot_be_is_told_at_once(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build_stack(name, **options)


def test_a_backend_of_ones_own(tmp_path: Path) -> None:
    stack = build_stack("mine/m", backend=Scripted({"one": "1"}), cache_path=tmp_path / "a.sqlite")
    found = run(stack, "one", "two")
    assert isinstance(found[0], ChatReply)
    assert found[0].text == "1"
    assert isinstance(found[1], e.NotRecorded)
