"""Starts the server, runs one runner at a time and puts what it found beside what the server counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envs import python_of

HERE = Path(__file__).resolve().parent
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Nothing else of the environment: no real key, proxy or setting reaches a tool."""


@dataclass
class Found:
    """One row: a tool at one concurrency."""

    tool: str
    concurrency: int
    samples: int
    version: str = ""
    calls: int = 0
    most_in_flight: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    scores: dict[str, float] = field(default_factory=dict)
    error: str = ""


class Server:
    """The stand-in for a model, in a process of its own."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def told(self, caller: str) -> dict[str, Any]:
        return self._ask(f"told/{caller}")

    def clear(self, caller: str) -> None:
        self._ask(f"clear/{caller}")

    def keep(self, caller: str, path: Path) -> None:
        """Write the bodies that this caller has sent, a JSON list of texts."""
        self._ask(f"keep/{caller}", str(path).encode())

    def _ask(self, what: str, body: bytes = b"") -> dict[str, Any]:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.address}/-/{what}", data=body, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


@contextmanager
def serving(latency: float) -> Iterator[Server]:
    command = [sys.executable, str(HERE / "server.py"), str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(int(process.stdout.readline()))
        finally:
            process.communicate()


class Driver:
    """Runs runners, each within `limit` seconds."""

    def __init__(self, server: Server, envs: Path, limit: float, folder: Path) -> None:
        self.server, self.envs, self.limit, self.folder = server, envs, limit, folder

    def run(self, tool: str, work: list[Any], concurrency: int, samples: int = 0) -> Found:
        """`tool` is RUNNER or RUNNER-VARIANT; the first two pieces of work only warm up."""
        found = Found(tool, concurrency, samples or len(work) - 2)
        try:
            self._run(found, work)
        except (RuntimeError, OSError, ValueError) as error:
            found.error = f"{error}" or type(error).__name__
        return found

    def _run(self, found: Found, work: list[Any]) -> None:
        runner, _, variant = found.tool.partition("-")
        caller = "adjudge-bare" if runner == "bare" else found.tool
        python = python_of(runner, self.envs)
        given, result = self.folder / "given.json", self.folder / "result.json"
        given.write_text(json.dumps(work), "utf-8")
        result.unlink(missing_ok=True)
        self.server.clear(caller)
        command = [python, HERE / f"run_{runner}.py", given, self.server.address, caller, found.concurrency]
        message = self._wait([*map(str, command), str(result)], variant)
        told = self.server.told(caller)
        found.calls, found.most_in_flight = told["calls"], told["most_in_flight"]
        if not result.exists():
            raise RuntimeError(f"the runner left no result: {message}")
        noted = json.loads(result.read_text("utf-8"))
        found.version = noted["version"]
        if "error" in noted:
            raise RuntimeError(noted["error"])
        if told["unknown"]:
            raise RuntimeError(f"{told['unknown']} prompts were not recognised")
        found.wall, found.cpu, found.scores = noted["wall"], noted["cpu"], noted["scores"]

    def _wait(self, command: list[str], variant: str) -> str:
        """The last line the runner wrote; it is ended, with what it started, when its time is over."""
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        with tempfile.TemporaryDirectory(dir=self.folder) as home:
            process = subprocess.Popen(
                command,
                cwd=home,
                env={**kept, "HOME": home, "PEERS_VARIANT": variant, "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            try:
                said, _ = process.communicate(timeout=self.limit)
            except BaseException as error:  # an interrupt, too, must not leave it running
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                if isinstance(error, subprocess.TimeoutExpired):
                    raise RuntimeError(f"not finished after {self.limit:g} s") from None
                raise
        return (said.strip().splitlines() or ["nothing said"])[-1][:200]
