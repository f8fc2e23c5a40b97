"""adjudge measures how far a language model's answer can be trusted.

    import adjudge
    result = adjudge.evaluate("answers.jsonl")
    print(result.summary)

Five published protocols over one data model; every number can be traced to the sentences, claims or spans
behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge._version import __version__
from adjudge.errors import AdjudgeError, InputError, JudgeError, RunFolderError, UsageError
from adjudge.types import Label, Record, Rule, Sample, Score, Summary, Unit, Violation

if TYPE_CHECKING:
    from adjudge.api import Result, aevaluate, evaluate

__all__ = [
    "AdjudgeError",
    "InputError",
    "JudgeError",
    "Label",
    "Record",
    "Result",
    "Rule",
    "RunFolderError",
    "Sample",
    "Score",
    "Summary",
    "Unit",
    "UsageError",
    "Violation",
    "__version__",
    "aevaluate",
    "evaluate",
]


def __getattr__(name: str) -> Any:
    # The engine is imported on first use, so that `import adjudge` stays cheap.
    if name in ("Result", "aevaluate", "evaluate"):
        from adjudge import api

        return getattr(api, name)
    raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
