"""Gates for continuous integration: `--fail-under trace.adherence=0.7`, `--fail-over …`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from adjudge.datasets.where import means
from adjudge.errors import UsageError
from adjudge.run.settings import unknown_metric
from adjudge.types import MetricSpec, Summary, SummaryRow

_GATE = re.compile(r"^(?P<metric>[^=\[\]]+)(?:\[(?P<group>[^\]]*)\])?=(?P<bound>[-+0-9.eE]+)(?P<percent>%?)$")


class Gate(Struct, frozen=True):
    """A metric, perhaps in one group, and the bound it must keep."""

    metric: str
    group: dict[str, str]
    bound: float
    side: Literal["under", "over"]

    def __str__(self) -> str:
        group = "".join(f"[{name}={value}]" for name, value in self.group.items())
        return f"--fail-{self.side} {self.metric}{group}={self.bound:g}"


def parse_gate(text: str, side: Literal["under", "over"], specs: Sequence[MetricSpec]) -> Gate:
    """`metric=0.7`, `metric=70%` or `metric[noise=0.4]=0.7`, checked against the metric's direction."""
    found = _GATE.match(text.strip())
    if found is None:
        raise UsageError(f"--fail-{side} {text!r}: write metric=value, e.g. trace.adherence=0.7 or =70%")
    metric = found["metric"].strip()
    spec = next((spec for spec in specs if spec.name == metric), None)
    if spec is None:
        raise UsageError(f"--fail-{side}: {unknown_metric(metric, specs)}")
    if spec.higher_is_better != (side == "under"):
        other = "under" if spec.higher_is_better else "over"
        better = "higher" if spec.higher_is_better else "lower"
        raise UsageError(f"for {metric} {better} is better: use --fail-{other}")
    try:
        bound = float(found["bound"]) / (100 if found["percent"] else 1)
    except ValueError:
        raise UsageError(f"--fail-{side} {text!r}: {found['bound']!r} is not a number") from None
    if spec.scale == "count" and found["percent"]:
        raise UsageError(f"--fail-{side} {text!r}: {metric} is a count, not a share; write it without %")
    if spec.scale == "unit" and not 0 <= bound <= 1:
        raise UsageError(f"--fail-{side} {text!r}: {metric} goes from 0 to 1; write 0.7 or 70%")
    return Gate(metric, _group(found["group"] or "", text), bound, side)


def _group(text: str, gate: str) -> dict[str, str]:
    group = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"{gate!r}: write the group as [attribute=value]")
        group[name.strip()] = value.strip()
    return group


def failures(gates: Sequence[Gate], summary: Summary) -> list[str]:
    """One line for each gate that does not hold, in every group it speaks of."""
    lines = []
    for gate in gates:
        rows = [row for row in summary.rows if row.metric == gate.metric and _applies(gate, row, summary)]
        if not rows:
            lines.append(f"{gate}: this run has no such number")
        for row in rows:
            where = ", ".join(f"{name} {value}" for name, value in row.group.items())
            told = f" ({where})" if where else ""
            if row.value is None:
                lines.append(f"{gate}: no value{told}: {next(iter(row.reasons), 'no sample was scored')}")
            elif (row.value < gate.bound) if gate.side == "under" else (row.value > gate.bound):
                lines.append(f"{gate}: it is {row.value:.4g}{told}")
    return lines


def _applies(gate: Gate, row: SummaryRow, summary: Summary) -> bool:
    """A gate with a group speaks of rows of that group; one without, of the overall rows."""
    if not set(row.samples) - {"not_applicable"}:
        return False
    if gate.group:
        # A row that is not grouped by an attribute says nothing of samples that lack it.
        return all(n in row.group and means(value, row.group[n]) for n, value in gate.group.items())
    fewest = min(len(other.group) for other in summary.rows if other.metric == row.metric)
    return len(row.group) == fewest
