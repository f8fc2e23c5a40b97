"""What the whole stack of model access costs beside a bare HTTP client that makes the same calls.

Both run in turn against one server on loopback, in a process of its own, that answers after a fixed time.
Prompts are all distinct and the cache is on. CPU is that of this process, all threads.

    python benchmarks/client.py [--calls 4000] [--in-flight 32] [--latency 0.05] [--repeats 3]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from adjudge.chat import ChatRequest, Message, build_stack

PASSAGE = "The old lighthouse stands on a reef a mile from the harbour and was last painted in spring. " * 10
ANSWER = '{"claims": ["the lighthouse stands on a reef", "it was painted in spring"]}' * 4


def serve(latency: float) -> None:
    """The other process: prints its port and answers until its parent closes the pipe."""
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(latency)
        message = {"role": "assistant", "content": ANSWER}
        usage = {"prompt_tokens": 240, "completion_tokens": 80}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()

    asyncio.run(main())


async def drive(one: Callable[[int], Awaitable[None]], calls: int, in_flight: int) -> tuple[float, float]:
    """Wall and CPU seconds of all calls, so many at a time."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            await one(number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    return time.perf_counter() - wall, time.process_time() - cpu


@asynccontextmanager
async def bare(base_url: str, in_flight: int) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
    """Nothing but aiohttp: post, read, decode."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:

        async def one(number: int) -> None:
            body = {"model": "m", "messages": [{"role": "user", "content": f"{number} {PASSAGE}"}]}
            async with session.post(f"{base_url}/chat/completions", json=body) as response:
                found = await response.json()
            assert found["choices"][0]["message"]["content"]

        yield one


@asynccontextmanager
async def stacked(base_url: str, in_flight: int) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
    """Ours, with everything on that a run has on."""
    with tempfile.TemporaryDirectory() as folder:
        async with build_stack(
            "openai/m",
            base_url=base_url,
            concurrency=in_flight,
            rpm=10_000_000,
            tpm=10_000_000_000,
            cache_path=Path(folder) / "answers.sqlite",
            calls_path=Path(folder) / "calls.jsonl",
        ) as stack:

            async def one(number: int) -> None:
                message = Message("user", f"{number} {PASSAGE}")
                reply = await stack.complete(ChatRequest(model="m", messages=(message,), max_tokens=500))
                assert reply.text
                assert not reply.cached

            yield one


async def measure(base_url: str, calls: int, in_flight: int, repeats: int) -> list[tuple[str, float, float]]:
    """Median wall and CPU a client, taking turns so that a busy machine hits both."""
    found: dict[str, list[tuple[float, float]]] = {"bare aiohttp": [], "adjudge": []}
    for _ in range(repeats):
        for name, client in (("bare aiohttp", bare), ("adjudge", stacked)):
            async with client(base_url, in_flight) as one:
                await drive(one, 2 * in_flight, in_flight) if name == "bare aiohttp" else None
                found[name].append(await drive(one, calls, in_flight))
    return [
        (name, statistics.median(w for w, _ in runs), statistics.median(c for _, c in runs))
        for name, runs in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        return serve(chosen.latency)
    calls, in_flight = min(chosen.calls, 50_000), min(chosen.in_flight, 256)
    command = [sys.executable, os.path.abspath(__file__), "--serve", "--latency", str(chosen.latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        rows = asyncio.run(
            asyncio.wait_for(measure(f"http://127.0.0.1:{port}/v1", calls, in_flight, chosen.repeats), 600)
        )
        server.communicate()
    ideal = calls * chosen.latency / in_flight
    print(
        f"{calls} calls, {in_flight} in flight, {chosen.latency * 1000:g} ms each, median of {chosen.repeats}"
    )
    print(f"{'client':<14}{'wall s':>9}{'/ ideal':>9}{'/ bare':>9}{'CPU ms a call':>15}")
    for name, wall, cpu in rows:
        print(
            f"{name:<14}{wall:>9.2f}{wall / ideal:>9.2f}{wall / rows[0][1]:>9.2f}{cpu / calls * 1000:>15.3f}"
        )
    return None


if __name__ == "__main__":
    main()
