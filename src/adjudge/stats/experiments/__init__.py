"""Published experiments that hold a judge against people, each ready to run over any judge.

One file an experiment, whose `run(request)` gives a `Result`. A new one is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module

from adjudge.errors import UsageError
from adjudge.stats.experiments.outcome import Request, Result

__all__ = ["EXPERIMENTS", "Request", "Result", "find_experiment"]

EXPERIMENTS = {
    "factscore": "SAFE's facts and ratings against 496 biographies that people took apart",
    "ragchecker-meta": "precision, recall and F1 against which of two answers people preferred",
    "ragbench": "hallucination, relevance and utilization against RAGBench's labels",
    "support": "claim against evidence: does the judge tell supported from not supported?",
}


def find_experiment(name: str) -> Callable[[Request], Awaitable[Result]]:
    """The function that runs an experiment."""
    if name not in EXPERIMENTS:
        raise UsageError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    module = import_module(f"adjudge.stats.experiments.{name.replace('-', '_')}")
    run: Callable[[Request], Awaitable[Result]] = module.run
    return run
