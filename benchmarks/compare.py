"""How long a comparison takes: two runs of n samples, 10,000 resamples and as many permutations.

python benchmarks/compare.py [SAMPLES …]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from adjudge.protocols import make_protocol
from adjudge.stats.compare import compare_sides
from adjudge.stats.paired import Side, specs_of
from adjudge.types import Grid, Labelled, Record, Unit

CLAIMS = 6
PASSAGES = ("ctx:0", "ctx:1", "ctx:2")
RESAMPLES = 10_000


def make_side(name: str, samples: int, rate: float, seed: int) -> Side:
    """A system's ragchecker scores on so many samples, a few claims each."""
    rng = np.random.default_rng(seed)
    protocol = make_protocol("ragchecker")
    side = Side(name, specs_of([protocol]))
    rows = {text: tuple(f"claim:{text}:{at}" for at in range(CLAIMS)) for text in ("response", "reference")}
    units = tuple(Unit(unit) for unit in (*rows["response"], *rows["reference"], *PASSAGES))
    others = {"response": "reference", "reference": "response"}
    for index in range(samples):
        grids = []
        for text, other in others.items():
            yes = rng.random((CLAIMS, 1 + len(PASSAGES))) < rate
            cells = tuple("".join("e" if cell else "n" for cell in row) for row in yes)
            grids.append(Grid("check", rows[text], (other, *PASSAGES), cells, "judge:made"))
        labelled = Labelled(f"s{index}", f"s{index}", {}, units, (), tuple(grids))
        record = Record(
            protocol="ragchecker",
            id=labelled.id,
            item=labelled.item,
            scores=tuple(protocol.score(labelled)),
            signature="ragchecker|v1|judge:made",
        )
        side.add(record, ())
    return side


def main() -> None:
    """One row a size."""
    sizes = [int(argument) for argument in sys.argv[1:]] or [100, 1_000, 10_000]
    print(f"{'samples':>8} {'metrics':>8} {'resamples':>10} {'seconds':>8} {'peak MB':>8}")
    for samples in sizes:
        sides = [
            make_side(name, samples, rate, at) for at, (name, rate) in enumerate((("a", 0.6), ("b", 0.61)))
        ]
        start = time.perf_counter()
        found = compare_sides(sides, resamples=RESAMPLES)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{samples:>8} {len(found.rows):>8} {RESAMPLES:>10} {seconds:>8.2f} {peak:>8.0f}")


if __name__ == "__main__":
    main()
