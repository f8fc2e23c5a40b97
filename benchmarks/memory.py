"""How much memory `adjudge run` takes, whatever the number of samples. Prints one table.

    python benchmarks/memory.py [--samples 1000000] [--long 150]

"rules" scores a million small samples with intervals; "local judge" holds claims against documents of some
16,000 characters, three a sample, of which the judge keeps but a part prepared.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LIMIT_MB = {"rules": 300, "local judge": 650}


def small_samples(number: int) -> Iterator[str]:
    for index in range(number):
        colour = "red" if index % 3 else "blue"
        yield (
            f'{{"id":"s{index}","item":"q{index // 2}","response":"It is {colour}.","reference":"red",'
            f'"attributes":{{"noise":{index % 5 / 5}}}}}\n'
        )


def long_samples(number: int) -> Iterator[str]:
    rng = random.Random(1)

    def word() -> str:
        return "".join(rng.choice("bdfgklmnprstv") + rng.choice("aeiou") for _ in range(rng.randint(2, 5)))

    words = [word() for _ in range(20_000)]

    def sentence(length: int) -> str:
        return " ".join(rng.choices(words, k=length)).capitalize() + "."

    for index in range(number):
        contexts = [" ".join(sentence(18) for _ in range(120)) for _ in range(3)]
        fields = {"response": sentence(9), "reference": sentence(9), "contexts": contexts}
        yield json.dumps({"id": str(index), "question": "What is told?", **fields}) + "\n"


def measure(what: str, protocol: str, make: Callable[[int], Iterator[str]], number: int) -> bool:
    """One row of the table; whether the run ended well within its limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        with path.open("w") as stream:
            stream.writelines(make(number))
        command = [sys.executable, "-m", "adjudge", "run", str(path), "-p", protocol, "-o", f"{folder}/run"]
        started = time.perf_counter()
        process = subprocess.Popen([*command, "--json"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        size = sum(file.stat().st_size for file in (Path(folder) / "run").iterdir()) / 1e6
    peak, limit = usage.ru_maxrss / 1024, LIMIT_MB[what]
    rate = f"{number / seconds:,.{0 if number > seconds else 2}f}"
    print(f"{what:12} {number:>10,} {seconds:>8.0f} {rate:>10} {peak:>8.0f} {limit:>8} {size:>9,.0f}")
    return not status and peak <= limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--long", type=int, default=150)
    given = parser.parse_args()
    print(f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {platform.machine()}")
    print(
        f"{'':12} {'samples':>10} {'seconds':>8} {'samples/s':>10} {'peak MB':>8} {'limit MB':>8}"
        f" {'folder MB':>9}"
    )
    rules = measure("rules", "rgb", small_samples, given.samples)
    local = measure("local judge", "ragchecker", long_samples, given.long)
    sys.exit(0 if rules and local else 1)


if __name__ == "__main__":
    main()
