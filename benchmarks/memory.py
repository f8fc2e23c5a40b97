"""A million samples through `adjudge run`, with intervals: how much memory? Prints one table.

python benchmarks/memory.py [--samples 1000000]
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_MB = 300


def write_samples(path: Path, number: int) -> None:
    with path.open("w") as stream:
        for index in range(number):
            colour = "red" if index % 3 else "blue"
            stream.write(
                f'{{"id":"s{index}","item":"q{index // 2}","response":"It is {colour}.","reference":"red",'
                f'"attributes":{{"noise":{index % 5 / 5}}}}}\n'
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    number = parser.parse_args().samples
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        write_samples(path, number)
        command = [sys.executable, "-m", "adjudge", "run", str(path), "-o", f"{folder}/run", "--json"]
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        size = sum(file.stat().st_size for file in (Path(folder) / "run").iterdir()) / 1e6
    peak = usage.ru_maxrss / 1024
    print(f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {platform.machine()}")
    print(f"{'samples':>10} {'seconds':>8} {'samples/s':>10} {'peak MB':>8} {'limit MB':>8} {'folder MB':>9}")
    print(
        f"{number:>10,} {seconds:>8.0f} {number / seconds:>10,.0f} {peak:>8.0f} {LIMIT_MB:>8} {size:>9,.0f}"
    )
    if status or peak > LIMIT_MB:
        sys.exit(1)


if __name__ == "__main__":
    main()
