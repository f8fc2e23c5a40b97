"""How fast rules-only work is, on one core. Prints one table.

    python benchmarks/speed.py [--samples 50000]

"in memory" is labelling and scoring alone; "file to run folder" is all; "reading" is what any tool pays.
Exits with 1 where a rate is below its floor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import adjudge
from adjudge.judges.rules import RulesJudge
from adjudge.protocols import make_protocol
from adjudge.run.engine import Plan
from adjudge.run.local import score_stream
from adjudge.types import Grid, Labelled, Record, Sample, Unit

WORDS = [
    "The",
    "lighthouse",
    "of",
    "Karvik",
    "was",
    "finished",
    "in",
    "1893",
    "and",
    "is",
    "41",
    "metres",
    "tall",
]


def rgb_samples(number: int) -> list[Sample]:
    """Noise samples with answers of at most 200 characters, a third of them wrong."""
    rng = random.Random(1)
    samples = []
    for index in range(number):
        response = " ".join(rng.choices(WORDS, k=24))[:180] + (" in Osted." if index % 3 else ".")
        samples.append(
            Sample(
                id=str(index),
                question="Where does the lighthouse of Karvik stand?",
                response=response,
                reference=(("Osted", f"Osted {index % 50}"),),
                attributes={"noise": (index % 5) / 5},
            )
        )
    return samples


def ragchecker_labels(number: int, passages: int = 10) -> list[Labelled]:
    """Stored labels: 20 response claims and 15 reference claims against 10 passages."""
    rng = random.Random(2)
    columns = tuple(f"ctx:{index}" for index in range(passages))
    found = []
    for index in range(number):
        grids, units = [], [Unit(name, None, f"contexts.{i}") for i, name in enumerate(columns)]
        for side, other, claims in (("response", "reference", 20), ("reference", "response", 15)):
            rows = tuple(f"claim:{side}:{n}" for n in range(claims))
            cells = tuple("".join(rng.choices("eennc", k=passages + 1)) for _ in rows)
            grids.append(Grid("check", rows, (other, *columns), cells, "judge:bench"))
            units += [Unit(row, "a claim") for row in rows]
        found.append(Labelled(str(index), str(index), {}, tuple(units), (), tuple(grids)))
    return found


async def scored(samples: list[Sample], plan: Plan) -> list[list[Record]]:
    """The records of all samples, from the driver that runs use."""
    return [records async for _, records in score_stream(enumerate(samples), plan)]


def per_second(number: int, work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return number / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=50_000)
    number = parser.parse_args().samples
    samples = rgb_samples(number)
    plan = Plan(protocols=(make_protocol("rgb"),), judge=RulesJudge())
    labels = ragchecker_labels(min(number, 5_000))
    ragchecker = make_protocol("ragchecker")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        with path.open("wb") as stream:
            stream.writelines(adjudge.types.to_json(sample) + b"\n" for sample in samples)
        rows = [
            (
                "rgb, label and score in memory",
                20_000,
                per_second(number, lambda: asyncio.run(scored(samples, plan))),
            ),
            (
                "ragchecker, rescore 35 claims x 10 passages",
                5_000,
                per_second(len(labels), lambda: [ragchecker.score(labelled) for labelled in labels]),
            ),
            (
                "rgb, file to run folder",
                5_000,
                per_second(number, lambda: adjudge.evaluate(path, out=Path(folder) / "run")),
            ),
            (
                "reading the file with json.loads",
                0,
                per_second(number, lambda: [json.loads(line) for line in path.open("rb")]),
            ),
        ]
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, {number} samples")
    print(f"{'what':46} {'samples/s':>10} {'floor':>8}")
    for name, floor, rate in rows:
        print(f"{name:46} {rate:>10,.0f} {floor or '':>8}")
    sys.exit(any(rate < floor for _, floor, rate in rows))


if __name__ == "__main__":
    main()
