"""Fields of an answer, read without fuss about case, spelling and type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from adjudge.judges.llm.loose_json import normal_name

_TRUE = frozenset({"true", "yes", "y", "1", "relevant", "supported", "refusal", "foo"})
_FALSE = frozenset({"false", "no", "n", "0", "irrelevant", "not_relevant", "unsupported", "not_foo"})


def field(value: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there, or None."""
    if names[0] in value:
        return value[names[0]]
    known = {normal_name(name): found for name, found in value.items()}
    return next((known[name] for name in names if name in known), None)


def as_text(value: Any) -> str:
    """A text without blanks around it; anything that is not one is empty."""
    return value.strip() if isinstance(value, str) else ""


def as_bool(value: Any) -> bool | None:
    """True or false, also in words; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int):
        word = normal_name(str(value))
        return True if word in _TRUE else False if word in _FALSE else None
    return None


def as_number(value: Any) -> int | None:
    """A whole number, also as a text such as `claim 3`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        found = re.findall(r"-?[0-9]+", value)
        return int(found[0]) if len(found) == 1 and len(found[0]) < 10 else None
    return None


def each(value: Any) -> Iterator[Any]:
    """Items of a list; a single value is a list of one; a text may list several; None is none.

    An object lists its names, but for those that it calls false: `{"0a": "the date", "0b": false}`.
    """
    if isinstance(value, list):
        for item in value:
            yield from each(item) if isinstance(item, list) else (item,)
    elif isinstance(value, str):
        yield from (part for part in re.split(r"[,;]", value) if part.strip())
    elif isinstance(value, dict):
        yield from (name for name, said in value.items() if as_bool(said) is not False)
    elif value is not None:
        yield value


def as_objects(value: Any) -> list[dict[str, Any]] | None:
    """A list of objects; None if it is something else."""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    return value


def to_json(value: Any) -> str:
    """Compact JSON; lone surrogates become replacement marks."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value).encode("utf-8", "replace").decode()
