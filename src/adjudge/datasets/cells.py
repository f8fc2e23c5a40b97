"""What a table cell holds: lists, numbers and truth values as text, and back."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from typing import Any

from adjudge.types import Attribute, Sample

FIELDS = frozenset(Sample.__struct_fields__)
STRUCTURED = frozenset(
    {"contexts", "context_ids", "rules", "gold", "predicted", "units", "labels", "grids", "attributes"}
)
"""Fields that a cell holds as JSON text."""
ANSWERS = frozenset({"reference", "counterfactual"})
"""Fields that are text or a list; a list is JSON text."""
FOREIGN = frozenset(
    {
        *("answer", "answers", "ground_truth", "ground_truths", "gt_answer", "prediction", "output"),
        *(
            "actual_output",
            "expected_output",
            "user_input",
            "input",
            "query",
            "retrieved_contexts",
            "documents",
        ),
    }
)
"""Columns that name a question, response or answer in other tools: a CSV with one of them is not ours."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def attribute_cell(cell: str) -> Attribute:
    """A cell as number, truth value or text. `007`, `1_000` and `nan` stay text; so do very long digits."""
    if cell in _TRUTH:
        return _TRUTH[cell]
    if not _NUMBER.fullmatch(cell):
        return cell
    if cell.lstrip("-").isdigit():
        return int(cell)
    value = float(cell)
    return value if abs(value) != float("inf") else cell


def attribute_text(value: Attribute) -> str | None:
    """The cell that `attribute_cell` reads back as the same value, or None where there is none."""
    if value is None or value == "":
        return None
    cell = value if isinstance(value, str) else json.dumps(value)
    back = attribute_cell(cell)
    return cell if type(back) is type(value) and back == value else None


def list_cell(cell: str) -> list[Any] | None:
    """The list that a cell spells in JSON, in Python (as ragas and pandas do) or as numpy prints it."""
    text = cell.strip()
    if text[:1] != "[" or text[-1:] != "]":
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _numpy_strings(text) or _python_list(text)
    return value if isinstance(value, list) else None


def list_or_text(cell: Any) -> Any:
    """The list that a cell spells, or the cell as it is."""
    spelt = list_cell(cell) if isinstance(cell, str) else None
    return cell if spelt is None else spelt


def _python_list(text: str) -> list[Any] | None:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, list) else None


def _numpy_strings(text: str) -> list[str] | None:
    """numpy sets no commas between strings, which Python would silently join into one."""
    try:
        tokens = [
            token
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type in {tokenize.STRING, tokenize.OP, tokenize.NAME, tokenize.NUMBER}
        ]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    inner = tokens[1:-1]
    if len(inner) < 2 or any(token.type != tokenize.STRING for token in inner):
        return None
    try:
        return [ast.literal_eval(token.string) for token in inner]
    except (ValueError, SyntaxError):
        return None
