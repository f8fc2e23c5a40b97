"""JSON, strict and fast first; what strict JSON forbids but tools write is read all the same, and noted."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode


def parse_json(data: bytes, notes: Counter[str]) -> Any:
    """The value; oddities are counted in `notes`. Raises ValueError saying what is wrong and where."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _parse_odd(data, notes)


def _parse_odd(data: bytes, notes: Counter[str]) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})") from None
    odd: Counter[str] = Counter()

    def constant(name: str) -> None:
        odd[f"{name} read as null"] += 1

    def number(digits: str) -> float | None:
        value = float(digits)
        if math.isinf(value):
            odd["number too large for a float read as null"] += 1
            return None
        return value

    try:
        value = json.loads(text, parse_constant=constant, parse_float=number, strict=False)
        value = without_surrogates(value, odd)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise ValueError(f"{error.msg} ({where})") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    notes.update(odd or {"control characters inside a text, read as they are": 1})
    return value


def without_surrogates(value: Any, odd: Counter[str]) -> Any:
    """Lone surrogates cannot be written as UTF-8; the replacement mark keeps offsets in place."""
    if isinstance(value, str):
        if not any("\ud800" <= char <= "\udfff" for char in value):
            return value
        odd["text with lone surrogates, replaced by U+FFFD"] += 1
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    if isinstance(value, list):
        return [without_surrogates(entry, odd) for entry in value]
    if isinstance(value, dict):
        return {without_surrogates(key, odd): without_surrogates(entry, odd) for key, entry in value.items()}
    return value
