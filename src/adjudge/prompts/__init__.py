"""Prompts as data: `family/name@1.toml` with text, variables, output schema and source.

A version is added, never edited: a test pins every digest, and the digests are part of a score's signature.
Texts under examination reach a prompt only through its variables, each of which is put between marks that
the text cannot contain (see `blocks`); there is no way to insert a text bare.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.chat.base import Message
from adjudge.prompts.blocks import Value, Variable, marker_code, show

__all__ = ["Message", "Prompt", "Variable", "combined_digest", "load_prompt", "prompt_names"]

FRAME = "frame@1"
"""What every prompt with material says about it."""

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_NAME = re.compile(r"(?:[a-z]+/)?[a-z_]+@[0-9]+\Z")


class _File(Struct, forbid_unknown_fields=True):
    """A prompt file as it is written."""

    user: str
    source: str
    max_tokens: int
    system: str = ""
    variables: dict[str, Variable] = {}
    schema: dict[str, Any] | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """One version of one prompt."""

    name: str
    system: str
    """With the frame, unless empty."""
    user: str
    variables: dict[str, Variable]
    schema: dict[str, Any] | None
    source: str
    """The step of which paper or tool this stands for."""
    max_tokens: int
    digest: str
    pieces: tuple[str, ...]
    """`user` cut at its placeholders: text, name, text, name, …, text."""

    def render(self, **values: Value) -> tuple[Message, ...]:
        """The messages; a missing, unknown or mistyped value is an error."""
        if values.keys() != self.variables.keys():
            missing = sorted(self.variables.keys() - values.keys())
            unknown = sorted(values.keys() - self.variables.keys())
            told = [f"lacks {', '.join(missing)}"] if missing else []
            told += [f"has no variable {', '.join(unknown)}"] if unknown else []
            raise ValueError(f"prompt {self.name} {' and '.join(told)}")
        code = marker_code(self.name, values)
        parts = list(self.pieces)
        for place in range(1, len(parts), 2):
            name = parts[place]
            parts[place] = show(self.variables[name], values[name], code)
        user = Message("user", "".join(parts).strip())
        if not self.system:
            return (user,)
        return (Message("system", self.system), Message("user", f"Marker code: {code}\n\n{user.content}"))

    @property
    def schema_name(self) -> str:
        """The name under which the schema is sent."""
        return re.sub(r"\W", "_", self.name.partition("@")[0])


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt `family/name@version`; ValueError if there is none or its file is wrong."""
    raw = _read(name)
    try:
        file = msgspec.convert(raw, _File)
    except msgspec.ValidationError as error:
        raise ValueError(f"prompt {name}: {error}") from None
    pieces = tuple(_PLACEHOLDER.split(file.user))
    used = set(pieces[1::2])
    if used != file.variables.keys():
        odd = ", ".join(sorted(used ^ file.variables.keys()))
        raise ValueError(f"prompt {name}: placeholders and variables differ in {odd}")
    system, frame = file.system.strip(), {}
    if system:
        frame = _read(FRAME)
        system = f"{system}\n\n{frame['system'].strip()}"
    return Prompt(
        name=name,
        system=system,
        user=file.user,
        variables=file.variables,
        schema=file.schema,
        source=file.source,
        max_tokens=file.max_tokens,
        digest=blake2b(_canonical((name, raw, frame)), digest_size=10).hexdigest(),
        pieces=pieces,
    )


def prompt_names() -> tuple[str, ...]:
    """Every prompt there is, all versions, sorted; without the frame."""
    return tuple(sorted(name for name in _files() if name != FRAME))


def combined_digest(names: Iterable[str]) -> str:
    """Six characters that stand for these prompts in a signature."""
    known = sorted((name, load_prompt(name).digest) for name in set(names))
    return blake2b(_canonical(known), digest_size=3).hexdigest()


def _files() -> Iterator[str]:
    for entry in files(__name__).iterdir():
        if entry.is_dir():
            for inner in entry.iterdir():
                if inner.name.endswith(".toml"):
                    yield f"{entry.name}/{inner.name.removesuffix('.toml')}"
        elif entry.name.endswith(".toml"):
            yield entry.name.removesuffix(".toml")


def _read(name: str) -> dict[str, Any]:
    if _NAME.match(name) is None:
        raise ValueError(f"a prompt is named family/name@version, not {name!r}")
    place = files(__name__).joinpath(*f"{name}.toml".split("/"))
    if not place.is_file():
        raise ValueError(f"there is no prompt {name!r}")
    return tomllib.loads(place.read_text("utf-8"))


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")
