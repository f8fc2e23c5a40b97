"""What tokens cost: a dated list that comes with the package, and the user's own over it."""

from __future__ import annotations

import os
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.errors import UsageError

_FORM = 'write [models."provider/model"] with input = and output = in dollars per million tokens'
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")


class Price(Struct, frozen=True):
    """US dollars for a million tokens."""

    input: float
    output: float = 0.0

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """US dollars for that many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1e6


class Prices(Struct, frozen=True):
    """Prices by `provider/model`; `own` come from the user and hold for any address."""

    as_of: str
    listed: dict[str, Price]
    own: dict[str, Price]

    def find(self, name: str, *, listed: bool = True) -> Price | None:
        """The price of a model: by its name, else without the date at its end, else None.

        `listed=False` for servers other than the provider's own, where the list says nothing.
        """
        name = name.removeprefix("inspect/")
        names = (name, _DATED.sub("", name), name.partition("/")[2])
        tables = (self.own, self.listed) if listed else (self.own,)
        return next((table[n] for table in tables for n in names if n in table), None)


def load_prices(path: str | Path | None = None) -> Prices:
    """The package's list, with the user's file (or ADJUDGE_PRICES) over it."""
    known = tomllib.loads(files("adjudge.chat").joinpath("prices.toml").read_text("utf-8"))
    path = path or os.environ.get("ADJUDGE_PRICES") or None
    own: dict[str, Price] = {}
    if path is not None:
        try:
            with open(path, "rb") as file:
                own = _read_own(tomllib.load(file), str(path))
        except OSError as error:
            raise UsageError(f"the price file {path} cannot be read: {error.strerror}") from None
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"the price file {path} is not TOML: {error}") from None
    return Prices(str(known["as_of"]), _read(known, "prices.toml"), own)


def _read_own(table: dict[str, Any], source: str) -> dict[str, Price]:
    """The user's file, in which a slip must not pass for a price that is not known."""
    unknown = sorted(set(table) - {"as_of", "models"})
    if unknown:
        raise UsageError(f"{source}: {unknown[0]!r} is not known there; {_FORM}")
    if not isinstance(table.get("models"), dict):
        raise UsageError(f"{source}: there is no table [models]; {_FORM}")
    return _read(table, source)


def _read(table: dict[str, Any], source: str) -> dict[str, Price]:
    found = {}
    for name, row in table.get("models", {}).items():
        try:
            price = Price(float(row["input"]), float(row.get("output", 0.0)))
            fine = price.input >= 0 and price.output >= 0
        except (KeyError, TypeError, ValueError, AttributeError):
            fine = False
        if not fine:
            raise UsageError(f"{source}: the price of {name!r} is {row!r}; {_FORM}")
        found[name] = price
    return found
