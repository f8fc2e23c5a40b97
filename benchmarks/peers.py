"""adjudge beside ragas, deepeval and ragchecker: the same samples, one server on loopback, one run.

The server answers every prompt after a fixed time, so what is seen is how many calls a tool makes, how many
it keeps in flight and what it spends on each. Peers are installed on first use, each in its own environment
under --envs. A tool that fails gets a row with the reason. Nothing leaves the machine but pip's downloads.

    python benchmarks/peers.py [--tools adjudge,bare,ragas,deepeval,ragchecker] [--samples 100]
        [--concurrency 16,32] [--latency 0.05] [--long-samples 1000] [--repeats 3] [--envs FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))

from drive import Driver, Found, serving  # noqa: E402
from envs import default_folder  # noqa: E402
from samples import make_samples  # noqa: E402

TOOLS = ("adjudge", "bare", "ragas", "ragas-noise", "deepeval", "ragchecker")
NAMES = {"bare": "bare aiohttp, adjudge's calls", "ragas-noise": "ragas with noise sensitivity"}
MAX_CALLS, MAX_WALL, MAX_CPU_MS = 4.0, 1.15, 0.8
"""What adjudge must keep: calls a sample; on the long run wall over bare, and CPU a call."""


def bodies_of(driver: Driver) -> list[Any]:
    """What adjudge has just asked, with two more to warm up."""
    path = driver.folder / "bodies.json"
    driver.server.keep("adjudge", path)
    bodies: list[Any] = json.loads(path.read_text("utf-8"))
    return bodies[:2] + bodies


def side_by_side(driver: Driver, tools: list[str], number: int, levels: list[int]) -> list[Found]:
    samples: list[Any] = make_samples(number + 2)
    rows: list[Found] = []
    for concurrency in levels:
        if {"adjudge", "bare"} & set(tools):
            ours = driver.run("adjudge", samples, concurrency)
        for tool in tools:
            if tool == "adjudge":
                rows.append(ours)
            elif tool == "bare":
                rows.append(driver.run(tool, bodies_of(driver), concurrency, number))
            else:
                rows.append(driver.run(tool, samples, concurrency))
            shown(rows[-1])
    return rows


def long_run(driver: Driver, number: int, concurrency: int, repeats: int) -> tuple[list[Found], list[Found]]:
    """adjudge and the bare client by turns, so that a busy machine hits both."""
    samples: list[Any] = make_samples(number + 2, seed=11)
    ours: list[Found] = []
    bare: list[Found] = []
    for _ in range(repeats):
        ours.append(driver.run("adjudge", samples, concurrency))
        shown(ours[-1])
        bare.append(driver.run("bare", bodies_of(driver), concurrency, number))
        shown(bare[-1])
    return ours, bare


def shown(row: Found) -> None:
    told = row.error or f"{row.calls} calls, {row.wall:.1f} s"
    print(f"  {row.tool} at {row.concurrency}: {told}", file=sys.stderr, flush=True)


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    date = time.strftime("%Y-%m-%d")
    return f"{date}, {model}, {os.cpu_count()} cores, Python {platform.python_version()}{load}"


def table(rows: list[Found], latency: float) -> str:
    lines = [
        "| tool | version | concurrency | calls a sample | max in flight | wall s | ideal s | wall / ideal"
        " | CPU ms a call |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        head = f"| {NAMES.get(row.tool, row.tool)} | {row.version or '–'} | {row.concurrency} |"
        if row.error or not row.calls:
            lines.append(f"{head} failed: {row.error or 'no calls'} | | | | | |")
            continue
        ideal = row.calls * latency / row.concurrency
        lines.append(
            f"{head} {row.calls / row.samples:.1f} | {row.most_in_flight} | {row.wall:.2f} | {ideal:.2f} |"
            f" {row.wall / ideal:.2f} | {1000 * row.cpu / row.calls:.2f} |"
        )
    return "\n".join(lines)


def metrics_told(rows: list[Found]) -> str:
    """What each tool computed, once."""
    told = {row.tool: ", ".join(row.scores) for row in rows if row.scores and row.tool != "bare"}
    return "\n".join(f"{tool}: {names}" for tool, names in told.items())


def long_told(ours: list[Found], bare: list[Found], latency: float) -> tuple[str, list[str]]:
    """Table of the long run and the limits that adjudge did not keep."""
    for row in (*ours, *bare):
        if row.error:
            return f"long run failed: {row.tool}: {row.error}", [f"the long run failed: {row.error}"]
    lines = [
        f"{ours[0].calls} calls, {ours[0].concurrency} in flight, median of {len(ours)} (least to most)",
        "| client | wall s | wall / ideal | wall / bare | CPU ms a call |",
        "|---|--:|--:|--:|--:|",
    ]
    yardstick = statistics.median(row.wall for row in bare)
    for name, rows in (("bare aiohttp", bare), ("adjudge", ours)):
        walls, cpus = [row.wall for row in rows], [1000 * row.cpu / row.calls for row in rows]
        wall, cpu = statistics.median(walls), statistics.median(cpus)
        ideal = rows[0].calls * latency / rows[0].concurrency
        lines.append(
            f"| {name} | {wall:.2f} ({min(walls):.2f}–{max(walls):.2f}) | {wall / ideal:.2f} |"
            f" {wall / yardstick:.2f} | {cpu:.3f} ({min(cpus):.3f}–{max(cpus):.3f}) |"
        )
    missed = []
    if wall / yardstick > MAX_WALL:
        missed.append(f"wall is {wall / yardstick:.2f} × that of bare aiohttp, more than {MAX_WALL}")
    if cpu > MAX_CPU_MS:
        missed.append(f"CPU is {cpu:.3f} ms a call, more than {MAX_CPU_MS}")
    if ours[0].calls / ours[0].samples > MAX_CALLS:
        missed.append(f"{ours[0].calls / ours[0].samples:.2f} calls a sample, more than {MAX_CALLS:g}")
    return "\n".join(lines), missed


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tools", default=",".join(TOOLS), help="default: all")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--concurrency", default="16,32")
    parser.add_argument("--latency", type=float, default=0.05, help="seconds the server takes to answer")
    parser.add_argument("--long-samples", type=int, default=1000, help="0: no long run")
    parser.add_argument("--long-concurrency", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds that one tool may take")
    parser.add_argument("--envs", type=Path, default=default_folder(), help="where peers are installed")
    chosen = parser.parse_args()
    chosen.tools = [tool for tool in chosen.tools.split(",") if tool]
    chosen.levels = [int(level) for level in chosen.concurrency.split(",")]
    if unknown := set(chosen.tools) - set(TOOLS):
        parser.error(f"no tool {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    if not (1 <= chosen.samples <= 1000 and 0 <= chosen.long_samples <= 10_000 and 1 <= chosen.repeats <= 9):
        parser.error("at most 1000 samples, 10000 long samples and 9 repeats")
    if not (all(1 <= level <= 256 for level in chosen.levels) and 0 <= chosen.latency <= 2):
        parser.error("concurrency is 1 to 256, latency at most 2 s")
    if HERE.parent in chosen.envs.resolve().parents:
        parser.error("--envs must lie outside the project")
    return chosen


def main() -> None:
    chosen = options()
    line = machine()
    missed: list[str] = []
    with serving(chosen.latency) as server, tempfile.TemporaryDirectory() as folder:
        driver = Driver(server, chosen.envs, chosen.limit, Path(folder))
        rows = side_by_side(driver, chosen.tools, chosen.samples, chosen.levels) if chosen.tools else []
        print(f"{line}\n{chosen.samples} samples, {1000 * chosen.latency:g} ms a call\n")
        print(f"{table(rows, chosen.latency)}\n\n{metrics_told(rows)}\n")
        if chosen.long_samples:
            ours, bare = long_run(driver, chosen.long_samples, chosen.long_concurrency, chosen.repeats)
            told, missed = long_told(ours, bare, chosen.latency)
            print(told)
    for reason in missed:
        print(f"not kept: {reason}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
