"""What the entry point loads: importing it registers everything with Inspect."""

from __future__ import annotations

from adjudge.integrations.inspect.metrics import named_values, noise_curve
from adjudge.integrations.inspect.scorers import (
    ragchecker_scorer,
    rgb_scorer,
    safe_scorer,
    trace_scorer,
    violations_scorer,
)
from adjudge.integrations.inspect.scripted import adjudge
from adjudge.integrations.inspect.solvers import answer_from_documents, ask_for_detail
from adjudge.integrations.inspect.tasks import (
    longfact,
    ragchecker_qa,
    rgb_counterfactual,
    rgb_integration,
    rgb_noise,
    rgb_rejection,
)

__all__ = [
    "adjudge",
    "answer_from_documents",
    "ask_for_detail",
    "longfact",
    "named_values",
    "noise_curve",
    "ragchecker_qa",
    "ragchecker_scorer",
    "rgb_counterfactual",
    "rgb_integration",
    "rgb_noise",
    "rgb_rejection",
    "rgb_scorer",
    "safe_scorer",
    "trace_scorer",
    "violations_scorer",
]
