"""Inspect AI: the five protocols as scorers, benchmarks as tasks, and a model for dry runs.

`inspect` finds all of it under the prefix `adjudge/` through the entry point group `inspect_ai`:

    inspect eval adjudge/rgb_noise --model adjudge/scripted
    inspect score log.eval --scorer adjudge/ragchecker_scorer

In a task of one's own: ``from adjudge.integrations.inspect import ragchecker_scorer``.
"""

from __future__ import annotations

from adjudge.integrations.inspect.metrics import named_values
from adjudge.integrations.inspect.scorers import (
    ragchecker_scorer,
    rgb_scorer,
    safe_scorer,
    trace_scorer,
    violations_scorer,
)
from adjudge.integrations.inspect.solvers import answer_from_documents

__all__ = [
    "answer_from_documents",
    "named_values",
    "ragchecker_scorer",
    "rgb_scorer",
    "safe_scorer",
    "trace_scorer",
    "violations_scorer",
]
