"""proselint as a checker: its check is the rule, its message the explanation, its replacement the correction.

    pip install proselint
    adjudge check split.jsonl --checker python:proselint_checker.check -o predictions.jsonl

run in this folder, or with it on PYTHONPATH. proselint looks for its own rules, whatever those of the split;
where the split has rules, only what goes by the name of one of them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import proselint  # noqa: F401 - says at once, and by its name, what is missing
from proselint.checks import __register__
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

CHECKER = f"proselint@{version('proselint')}"
PADDING = 1
"""proselint puts a line break before the text and counts it."""


@lru_cache(maxsize=1)
def _register() -> None:
    CheckRegistry().register_many(__register__)


def check(text: str, rules: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """proselint's own checks of English style; no model."""
    _register()
    wanted = {rule.id for rule in rules}
    found = []
    for result in LintFile("text", text).lint():
        name, message, (start, end), replacement = result.check_result
        if wanted and name not in wanted:
            continue
        found.append(
            {
                "start": max(0, start - PADDING),
                "end": min(len(text), end - PADDING),
                "rule": name,
                "category": name.partition(".")[0],
                "explanation": message,
                "correction": replacement,
            }
        )
    return found
