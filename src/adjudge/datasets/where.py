"""Samples chosen by their attributes: `side=1,2`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from adjudge.errors import InputError, UsageError
from adjudge.types import Attribute, Sample

SHOWN = 10
"""How many values of an attribute an error lists."""


def parse_where(given: Iterable[str]) -> dict[str, frozenset[str]]:
    """Attributes and the values allowed, from texts such as `side=1,2`; all of them must hold."""
    wanted: dict[str, frozenset[str]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        allowed = frozenset(value.strip() for value in values.split(",") if value.strip())
        if not equals or not name.strip() or not allowed:
            raise UsageError(f"{text!r}: write ATTRIBUTE=VALUE or ATTRIBUTE=VALUE,VALUE, as in side=1")
        wanted[name.strip()] = allowed
    return wanted


def select(samples: Iterable[Sample], where: str | Mapping[str, frozenset[str]]) -> Iterator[Sample]:
    """The samples whose attributes have one of the wanted values each; an error if none has."""
    wanted = parse_where([where]) if isinstance(where, str) else where
    matched = False
    seen: dict[str, dict[Attribute, None]] = {name: {} for name in wanted}
    empty = True
    for sample in samples:
        empty = False
        if all(_one_of(sample.attributes.get(name), allowed) for name, allowed in wanted.items()):
            matched = True
            yield sample
        elif not matched:
            for name, values in seen.items():
                if len(values) <= SHOWN:
                    values[sample.attributes.get(name)] = None
    if not matched and not empty:
        raise _nothing_matched(wanted, seen)


def _nothing_matched(
    wanted: Mapping[str, frozenset[str]], seen: Mapping[str, Mapping[Attribute, None]]
) -> InputError:
    asked = " and ".join(f"{name}={','.join(sorted(allowed))}" for name, allowed in wanted.items())
    there = []
    for name, values in seen.items():
        shown = sorted(f"{v:g}" if isinstance(v, float) else str(v) for v in values if v is not None)
        more = ", …" if len(shown) > SHOWN else ""
        there.append(f"{name} is {', '.join(shown[:SHOWN])}{more}" if shown else f"none has a {name}")
    return InputError(f"no sample has {asked}; {'; '.join(there)}")


def _one_of(value: Attribute, allowed: frozenset[str]) -> bool:
    return any(means(written, value) for written in allowed)


def means(written: str, value: Attribute) -> bool:
    """Whether a person who writes this means the value.

    0.4 and 1 are also .4 and 1.0, true is so in any case, none is what is absent; a text is itself alone.
    """
    if isinstance(value, str):
        return written == value
    if value is None or isinstance(value, bool):
        return written.lower() == str(value).lower()
    try:
        return float(written) == value or written == f"{value:g}"
    except ValueError:
        return False
