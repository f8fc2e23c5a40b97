"""How fast the embedded judge labels raw text, on this machine, and how much it reads. Prints one table.

    python benchmarks/local.py [--samples 24]

The samples are those of benchmarks/peers.py: question, 5 short passages, response, reference. Inputs and
tokens are what the model is given for a sample; they do not depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

import adjudge
from adjudge.judges.local.model import bundled_model
from adjudge.judges.registry import make_judge

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from samples import make_samples  # type: ignore[import-not-found, unused-ignore]

ALL = ("trace", "safe", "ragchecker")
ROWS = (*((name,) for name in ALL), ALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=24)
    number = parser.parse_args().samples
    # Each row has samples and a judge of its own, so that nothing was prepared or asked by another.
    first, *samples = make_samples(1 + number * len(ROWS))
    adjudge.evaluate([first], ALL)  # loads the model
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, load {os.getloadavg()[0]:.1f}, {number} samples a row")
    print(f"{'protocols':26} {'samples/s':>10} {'CPU s':>8} {'inputs':>8} {'tokens':>8}   a sample")
    model = bundled_model()
    for place, protocols in enumerate(ROWS):
        judge = make_judge("local")
        inputs, tokens = model.inputs, model.tokens
        started, used = time.perf_counter(), time.process_time()
        adjudge.evaluate(samples[place * number : (place + 1) * number], protocols, judge=judge)
        rate = number / (time.perf_counter() - started)
        used = (time.process_time() - used) / number
        inputs, tokens = (model.inputs - inputs) / number, (model.tokens - tokens) / number
        print(f"{' + '.join(protocols):26} {rate:>10.2f} {used:>8.2f} {inputs:>8.1f} {tokens:>8.0f}")


if __name__ == "__main__":
    main()
