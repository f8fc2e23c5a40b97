"""How fast the embedded judge labels raw text, on this machine. Prints one table.

    python benchmarks/local.py [--samples 12]

The samples are those of benchmarks/peers.py: question, 5 short passages, response, reference.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

import adjudge
from adjudge.judges.registry import make_judge

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from samples import make_samples  # type: ignore[import-not-found, unused-ignore]

ALL = ("trace", "safe", "ragchecker")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=12)
    samples = make_samples(parser.parse_args().samples + 1)
    adjudge.evaluate(samples[:1], ALL)  # loads the model
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(
        f"{time.strftime('%Y-%m-%d')}, {machine}, load {os.getloadavg()[0]:.1f}, {len(samples) - 1} samples"
    )
    print(f"{'protocols':26} {'samples/s':>10}")
    for protocols in (*((name,) for name in ALL), ALL):
        # A judge of its own, so that nothing comes from what another row has already asked.
        judge = make_judge("local")
        started = time.perf_counter()
        adjudge.evaluate(samples[1:], protocols, judge=judge)
        rate = (len(samples) - 1) / (time.perf_counter() - started)
        print(f"{' + '.join(protocols):26} {rate:>10.2f}")


if __name__ == "__main__":
    main()
