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
        if all(_spellings(sample.attributes.get(name)) & allowed for name, allowed in wanted.items()):
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


def _spellings(value: Attribute) -> frozenset[str]:
    """How a person may write a value: 0.4 and 1 also as .4 and 1.0, true in any case, none for absent."""
    if value is None:
        return frozenset({"none"})
    if isinstance(value, bool):
        return frozenset({str(value), str(value).lower()})
    if isinstance(value, (int, float)):
        short = f"{value:g}"
        return frozenset({str(value), short, f"{float(value)}", short.removeprefix("0") or "0"})
    return frozenset({value})
