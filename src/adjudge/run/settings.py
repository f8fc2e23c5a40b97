"""What a run was asked to do. Stored in run.json, so that a resumed run is the same run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.protocols import make_protocol, protocol_class, protocol_names
from adjudge.protocols.base import Protocol
from adjudge.types import MetricSpec


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The choices that decide what ends up in the records."""

    protocols: tuple[str, ...] | None = None
    """None: those that the fields of the file allow."""
    parameters: dict[str, dict[str, Any]] = {}
    metrics: tuple[str, ...] = ()
    judge: str = "local"
    labels: str = "auto"
    """`auto`: those that came with the data, else the judge's. `judge`: always the judge's. Or a source."""
    lean: bool = False
    where: tuple[str, ...] = ()
    """Only samples whose attributes have these values: `side=1,2`."""

    profile: str = ""
    """`profile:NAME@DIGEST` where a profile set parameters."""

    def build(self, names: Iterable[str]) -> tuple[Protocol, ...]:
        """The named protocols, parameters and wanted metrics set; one left without a metric is dropped."""
        kinds = list(dict.fromkeys(names))
        unknown = sorted(set(self.parameters) - set(kinds) - set(protocol_names()))
        if unknown:
            raise UsageError(f"--set names protocol {unknown[0]!r}; there are {', '.join(protocol_names())}")
        built = [make_protocol(name, self.parameters.get(name)) for name in kinds]
        if not self.metrics:
            return tuple(built)
        wanted = expand_metrics(self.metrics, built)
        chosen = []
        for protocol in built:
            mine = tuple(spec.name for spec in protocol.all_specs() if spec.name in wanted)
            if mine:
                chosen.append(msgspec.structs.replace(protocol, metrics=mine))
        return tuple(chosen)


def expand_metrics(names: Sequence[str], protocols: Sequence[Protocol]) -> frozenset[str]:
    """Metric names from names, protocol names and groups: `rgb`, `ragchecker.overall_metrics`, `ha`."""
    specs = [spec for protocol in protocols for spec in protocol.all_specs()]
    found: set[str] = set()
    for name in names:
        matching = {spec.name for spec in specs if matches(spec, name)}
        if not matching:
            raise UsageError(unknown_metric(name, specs))
        found |= matching
    return frozenset(found)


def one_metric(name: str, protocols: Sequence[Protocol]) -> str:
    """The full name of one metric: `trace.adherence`, or `adherence` where only one protocol has it."""
    specs = [spec for protocol in protocols for spec in protocol.all_specs()]
    found = [spec.name for spec in specs if name in (spec.name, spec.name.partition(".")[2])]
    if not found:
        found = sorted(expand_metrics((name,), protocols))
    if len(found) > 1:
        raise UsageError(f"{name!r} means several metrics: {', '.join(found)}; give one of them")
    return found[0]


def matches(spec: MetricSpec, name: str) -> bool:
    """Whether a name means this metric: its own, its protocol's, or one of its groups'."""
    if name in (spec.name, spec.protocol):
        return True
    return any(name in (group, f"{spec.protocol}.{group}") for group in spec.groups)


def unknown_metric(name: str, specs: Sequence[MetricSpec]) -> str:
    """A message for a metric that does not exist, with the nearest that do."""
    from difflib import get_close_matches

    names = [spec.name for spec in specs]
    near = get_close_matches(name, names, 3, 0.5) or get_close_matches(
        name, [n.partition(".")[2] for n in names], 3
    )
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"there is no metric or group {name!r} here{hint} ('adjudge list metrics' lists all)"


def parse_parameters(entries: Iterable[str]) -> dict[str, dict[str, Any]]:
    """`["safe.k=64", "violations.ha.weights.rule=0.4"]` as nested settings per protocol."""
    result: dict[str, dict[str, Any]] = {}
    for entry in entries:
        path, equals, value = entry.partition("=")
        protocol, *keys = path.strip().split(".")
        if not equals or not keys:
            raise UsageError(f"--set {entry!r}: write protocol.parameter=value, e.g. safe.k=64")
        protocol_class(protocol)
        place: dict[str, Any] = result.setdefault(protocol, {})
        for key in keys[:-1]:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise UsageError(f"--set {entry!r}: {key!r} was already given a value")
        place[keys[-1]] = value.strip()
    return result
