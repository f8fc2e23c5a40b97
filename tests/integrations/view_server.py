"""`inspect view` on loopback, as a user would start it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

START_SECONDS = 60


@contextmanager
def inspect_view(logs: Path) -> Iterator[str]:
    """The server's address; it ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = "from inspect_ai._cli.main import main; main()"
    options = ["view", "start", "--log-dir", str(logs), "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + START_SECONDS
        while not _answers(address):
            assert server.poll() is None, "inspect view ended by itself"
            assert time.monotonic() < until, "inspect view did not start"
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(10)


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/api/logs", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, ConnectionError, TimeoutError):
        return False
