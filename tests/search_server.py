"""A web search on loopback that, if told to, misbehaves. Runs in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from aiohttp import web

GOOD = {"organic": [{"snippet": f"snippet {k}", "title": f"T{k}", "link": f"http://x/{k}"} for k in range(5)]}


class SearchServer:
    """Answers `POST /search`; `faults` are met in the order of arrival, then all is well."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.always: str | None = None
        self.good: dict[str, Any] = GOOD
        self.requests: list[dict[str, Any]] = []
        self.delay = 0.0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        await self._runner.cleanup()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_post("/search", self._search)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def _search(self, request: web.Request) -> web.StreamResponse:
        entry = {"query": dict(request.query), "key": request.headers.get("X-API-KEY")}
        self.requests.append(entry)
        fault = self.faults.pop(0) if self.faults else self.always
        if self.delay:
            await asyncio.sleep(self.delay)
        if fault is None:
            return web.json_response(self.good)
        if fault == "reset":
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if fault == "hang":
            await asyncio.sleep(1)
        if fault == "empty":
            return web.json_response({"searchParameters": {"q": request.query.get("q")}, "organic": []})
        if fault == "html":
            return web.Response(text="<html>")
        if fault == "list":
            return web.json_response([1])
        if fault == "credits":
            return web.json_response({"message": "Not enough credits", "statusCode": 400}, status=400)
        if fault == "bad-query":
            return web.json_response({"message": "Query too long", "statusCode": 400}, status=400)
        if fault == "403":
            return web.json_response({"message": "Unauthorized.", "statusCode": 403}, status=403)
        if fault == "redirect":
            return web.Response(status=307, headers={"Location": f"{self.url}/search"})
        status, _, after = fault.partition("+")
        headers = {"Retry-After": after} if after else {}
        return web.Response(status=int(status) if status.isdigit() else 500, headers=headers)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
