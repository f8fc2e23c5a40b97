"""What every runner shares; only the standard library, since each runs in an environment of its own.

    python run_TOOL.py SAMPLES.json ADDRESS CALLER CONCURRENCY RESULT.json

The first two samples are run beforehand as `CALLER-warm`, so that imports and lazily loaded parts are not
measured.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Evaluate = Callable[[list[Any], str, int], dict[str, float]]
"""Samples, base URL and concurrency to the mean of each metric."""


def run(package: str, evaluate: Evaluate) -> None:
    """Measure `evaluate` and write what was found, or why nothing was."""
    samples_path, address, caller, concurrency, result_path = sys.argv[1:6]
    samples = json.loads(Path(samples_path).read_text("utf-8"))
    found: dict[str, Any] = {"version": version(package)}
    try:
        evaluate(samples[:2], f"{address}/{caller}-warm/v1", int(concurrency))
        wall, cpu = time.perf_counter(), time.process_time()
        scores = evaluate(samples[2:], f"{address}/{caller}/v1", int(concurrency))
        found["wall"], found["cpu"] = time.perf_counter() - wall, time.process_time() - cpu
        found["scores"] = scores
    except BaseException as error:
        traceback.print_exc()
        found["error"] = f"{type(error).__name__}: {error}"[:300]
    Path(result_path).write_text(json.dumps(found), "utf-8")
    if "error" in found:
        sys.exit(1)


def mean(values: list[Any]) -> float:
    """The mean of numbers; NaN or None among them is an error: the run is not to be counted then."""
    bad = [value for value in values if value is None or value != value]
    if bad or not values:
        raise ValueError(f"{len(bad)} of {len(values)} values are missing")
    return sum(float(value) for value in values) / len(values)
