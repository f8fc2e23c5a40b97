"""What our scorers add to an eval of Inspect, with judges that ask no model. Prints one table.

    python benchmarks/inspect_overhead.py [--samples 1000] [--rounds 8]

Processor time. "eval" is a whole `inspect_ai.eval`, log included, the least of the rounds, since other work
on the machine only adds; "added" is what it takes more than Inspect's own string match, mostly Inspect
writing units and labels to its log, and "share" its part of that. Beside it, for how noisy the machine is:
"median" and quartiles of the share, each round compared with the string match in the same round. "scorer" is
our code. With few samples an eval's fixed costs weigh more: metrics, and the table that Inspect lays out.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import tempfile
import time
from collections.abc import Callable
from statistics import quantiles

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Scorer, Target, includes
from inspect_ai.solver import TaskState, generate

from adjudge.integrations.inspect import ragchecker_scorer, rgb_scorer

OWN = "Inspect's includes()"
ANSWER = "The lighthouse of Karvik was finished in 1893. It is 41 metres tall."


def samples(number: int) -> list[Sample]:
    """Questions with an answer to look for, and three passages."""
    passages = [f"{ANSWER} It stands on a rock." for _ in range(3)]
    return [
        Sample(id=index, input="When was it finished?", target="1893", metadata={"contexts": passages})
        for index in range(number)
    ]


def eval_ms(scorer: Scorer, data: list[Sample]) -> float:
    """Milliseconds of processor time a sample of a whole eval takes."""
    # Else a round pays for collecting what the one before it left.
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        (log,) = eval(
            Task(dataset=data, solver=generate(), scorer=scorer),
            model="adjudge/scripted",
            model_args={"answers": {"finished?": ANSWER}},
            display="none",
            log_dir=folder,
            max_connections=50,
        )
        seconds = time.process_time() - started
    if log.status != "success":
        raise SystemExit(str(log.error))
    return 1000 * seconds / len(data)


def scorer_ms(scorer: Scorer, data: list[Sample]) -> float:
    """Milliseconds of processor time a sample of the scorer alone takes."""
    output = ModelOutput.from_content("adjudge/scripted", ANSWER)
    states = [
        TaskState(
            ModelName("adjudge/scripted"),
            sample.id or 0,
            1,
            str(sample.input),
            [],
            Target(sample.target),
            output=output,
            metadata=sample.metadata,
        )
        for sample in data
    ]

    async def score_all() -> float:
        started = time.process_time()
        for state in states:
            await scorer(state, state.target)
        return time.process_time() - started

    return 1000 * asyncio.run(score_all()) / len(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    data = samples(options.samples)
    logging.disable(logging.WARNING)
    makers: dict[str, Callable[[], Scorer]] = {
        OWN: includes,
        "rgb_scorer, rules": lambda: rgb_scorer(judge="rules"),
        "ragchecker_scorer, local": lambda: ragchecker_scorer(judge="local"),
    }
    eval_ms(includes(), data[:20])  # imports and first use
    # In turn, and compared within a round: other work on the machine comes and goes.
    rounds = [{name: eval_ms(make(), data) for name, make in makers.items()} for _ in range(options.rounds)]
    base = min(found[OWN] for found in rounds)
    titles = ("eval", "added", "share", "from", "median", "to", "scorer")
    print(f"{'ms per sample':<28}" + "".join(f"{title:>9}" for title in titles))
    for name, make in makers.items():
        least = min(found[name] for found in rounds)
        spread = quantiles((found[name] / found[OWN] - 1 for found in rounds), method="inclusive")
        alone = min(scorer_ms(make(), data) for _ in range(3))
        shares = "".join(f"{part:>9.1%}" for part in (least / base - 1, *spread))
        print(f"{name:<28}{least:>9.2f}{least - base:>9.2f}{shares}{alone:>9.3f}")


if __name__ == "__main__":
    main()
