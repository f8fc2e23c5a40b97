"""A server on loopback that speaks the OpenAI API and, if told to, misbehaves. Runs in a thread of its own.

with MisbehavingServer(faults=scripted_faults(["429", "500"])) as server:
    build_stack("openai/m", base_url=server.base_url, ...)
    server.requests   # what arrived, in order
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

FAULTS = (
    "429",
    "429-after",
    "500",
    "503",
    "timeout",
    "half",
    "reset",
    "not-json",
    "wrong-json",
    "no-choices",
    "empty",
    "null",
    "refusal",
    "length",
    "content_filter",
)


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    fault: str | None

    @property
    def prompt(self) -> str:
        """The last message."""
        return str(self.body["messages"][-1]["content"]) if "messages" in self.body else ""


Faults = Callable[[dict[str, Any], int], str | None]
"""From a request's body and its number to the fault it shall meet."""


def scripted_faults(names: Iterable[str | None]) -> Faults:
    """These faults in the order of arrival, then none."""
    todo = list(names)
    return lambda body, number: todo[number] if number < len(todo) else None


def random_faults(share: float, seed: int = 0, kinds: Iterable[str] = FAULTS) -> Faults:
    """That share of the requests, at random."""
    rng, choice = random.Random(seed), tuple(kinds)
    return lambda body, number: rng.choice(choice) if rng.random() < share else None


def echo(body: dict[str, Any]) -> str:
    """The default answer."""
    return f"echo: {body['messages'][-1]['content']}"


class MisbehavingServer:
    """`faults` decides what each request meets, `answer` what the good ones get."""

    def __init__(
        self,
        *,
        faults: Faults | None = None,
        answer: Callable[[dict[str, Any]], str] = echo,
        latency: float = 0.0,
        hang: float = 30.0,
        retry_after: str = "0.05",
        key: str | None = None,
        models: Iterable[str] | None = None,
        schema: bool = True,
        usage: bool = True,
        refuses: Iterable[str] = (),
    ) -> None:
        self.requests: list[Seen] = []
        self.answered: list[str] = []
        """Prompts whose answer was handed to the network."""
        self.most_at_once = 0
        self._now = 0
        self._faults = faults
        self._answer = answer
        self._latency = latency
        self._hang = hang
        self._retry_after = retry_after
        self._key = key
        self._models = set(models) if models is not None else None
        self._schema = schema
        self._usage = usage
        self._refuses = tuple(refuses)
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def times_asked(self) -> Counter[str]:
        """How often each prompt arrived."""
        return Counter(seen.prompt for seen in self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_post("/openai/deployments/d/chat/completions", self._chat)
        runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _note(self, request: web.Request) -> Seen:
        body = json.loads(await request.read())
        fault = self._faults(body, len(self.requests)) if self._faults else None
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen = Seen(request.path, request.query_string, headers, body, time.monotonic(), fault)
        self.requests.append(seen)
        return seen

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        seen = await self._note(request)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            if self._latency:
                await asyncio.sleep(self._latency)
            return self._complaint(seen) or await self._reply(request, seen)
        finally:
            self._now -= 1

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        seen = await self._note(request)
        if seen.fault is not None:
            return await self._reply(request, seen)
        rows = [
            {"index": i, "embedding": [float(len(text)), 1.0, 0.1]}
            for i, text in enumerate(seen.body["input"])
        ]
        usage = {"prompt_tokens": len(rows), "total_tokens": len(rows)}
        return web.json_response({"data": rows[::-1], "usage": usage, "model": "e"})

    def _complaint(self, seen: Seen) -> web.Response | None:
        """What a server in good order finds wrong with a request."""
        told = seen.headers.get("authorization", "").removeprefix("Bearer ") or seen.headers.get("api-key")
        if self._key is not None and told != self._key:
            return _error(401, f"Incorrect API key provided: {told}", code="invalid_api_key")
        if self._models is not None and seen.body["model"] not in self._models:
            return _error(404, f"The model `{seen.body['model']}` does not exist", code="model_not_found")
        if not self._schema and "response_format" in seen.body:
            return _error(
                400, "response_format of type json_schema is not supported", param="response_format"
            )
        for name in self._refuses:
            if name in seen.body:
                return _error(
                    400, f"Unsupported parameter: '{name}'", param=name, code="unsupported_parameter"
                )
        return None

    async def _reply(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        fault = seen.fault
        if fault in ("429", "429-after"):
            headers = {"Retry-After": self._retry_after} if fault == "429-after" else {}
            return _error(429, "slow down", headers=headers)
        if fault in ("500", "503"):
            return web.Response(status=int(fault), text="<html>oops</html>")
        if fault == "timeout":
            await asyncio.sleep(self._hang)
        if fault == "reset":
            assert request.transport is not None
            request.transport.abort()
        if fault == "not-json":
            return web.Response(text="certainly! here you are")
        body = self._body(seen)
        if fault == "half":
            response = web.StreamResponse(headers={"Content-Length": str(len(body))})
            await response.prepare(request)
            await response.write(body[: len(body) // 2])
            assert request.transport is not None
            request.transport.close()
            return response
        if fault is None:
            self.answered.append(seen.prompt)
        return web.Response(body=body, content_type="application/json")

    def _body(self, seen: Seen) -> bytes:
        fault = seen.fault
        message: dict[str, Any] = {"role": "assistant", "content": self._answer(seen.body)}
        finish = fault if fault in ("length", "content_filter") else "stop"
        if fault in ("empty", "null"):
            message["content"] = "" if fault == "empty" else None
        if fault == "refusal":
            message = {"role": "assistant", "content": None, "refusal": "I would rather not."}
        choices = [] if fault == "no-choices" else [{"index": 0, "message": message, "finish_reason": finish}]
        reply: dict[str, Any] = {"model": seen.body["model"], "choices": choices}
        if self._usage:
            reply["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        if fault == "wrong-json":
            reply["choices"] = {"oh": "no"}
        return json.dumps(reply).encode()


def _error(status: int, message: str, *, headers: dict[str, str] | None = None, **more: str) -> web.Response:
    return web.json_response({"error": {"message": message, **more}}, status=status, headers=headers)
