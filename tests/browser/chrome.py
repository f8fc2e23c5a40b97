"""A headless Chromium, spoken to through its own DevTools protocol: no further package is needed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--remote-debugging-port=0", "--window-size=1400,1000"),
)
WAIT = 30.0


def find_chrome() -> str | None:
    """A browser of this machine, or None."""
    given = os.environ.get("ADJUDGE_BROWSER")
    names = (given,) if given else ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class Page:
    """One tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.errors: list[str] = []
        """What scripts of the page raised and nobody caught."""

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        async for message in self._socket:
            told = json.loads(message.data)
            if told.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(told["params"]["exceptionDetails"].get("text")))
            if told.get("id") == number:
                assert "error" not in told, told["error"]
                return dict(told["result"])
        raise AssertionError("the browser has gone")

    async def run(self, script: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return found["result"].get("value")

    async def text(self, *awaited: str) -> str:
        """All that the page shows, once it shows these words."""
        until = asyncio.get_running_loop().time() + WAIT
        while True:
            shown = str(await self.run("document.body.innerText"))
            lacking = [words for words in awaited if words not in shown]
            if not lacking:
                return shown
            assert asyncio.get_running_loop().time() < until, f"never shown: {lacking}; but:\n{shown}"
            await asyncio.sleep(0.2)

    async def open(self, address: str, *awaited: str) -> str:
        """Go there, afresh even where only the part after # differs."""
        await self.call("Page.navigate", url="about:blank")
        await self.call("Page.navigate", url=address)
        return await self.text(*awaited)

    async def click(self, words: str) -> None:
        """The innermost element with exactly these words."""
        script = f"""(() => {{
            const found = [...document.querySelectorAll("*")].filter(
                (element) => element.innerText && element.innerText.trim() === {json.dumps(words)});
            if (found.length) found.at(-1).click();
            return found.length;
        }})()"""
        assert await self.run(script), f"nothing to click says {words!r}"

    async def picture(self, path: Path) -> None:
        found = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))


@asynccontextmanager
async def chrome(folder: Path) -> AsyncIterator[Page]:
    """A browser with a profile of its own in `folder`, and its page."""
    program = find_chrome()
    assert program is not None
    profile = folder / "profile"
    browser = subprocess.Popen(
        [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                tabs = await answer.json()
            address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
            async with session.ws_connect(address, max_msg_size=0) as socket:
                page = Page(socket)
                await page.call("Page.enable")
                await page.call("Runtime.enable")
                yield page
    finally:
        browser.terminate()
        browser.wait(10)


async def _port(file: Path) -> int:
    until = asyncio.get_running_loop().time() + WAIT
    while True:
        if file.exists() and (lines := file.read_text().split()):
            return int(lines[0])
        assert asyncio.get_running_loop().time() < until, "the browser did not start"
        await asyncio.sleep(0.1)
