"""Tables and plots of the FActScore experiment: the judge, what was published, and the floors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudge.protocols.safe_metrics import rate_facts
from adjudge.stats.experiments.factscore_data import F1, Biography
from adjudge.stats.experiments.factscore_floors import COUNTS, KINDS, RATERS
from adjudge.stats.experiments.measures import accuracy, balanced_accuracy, pearson, spearman
from adjudge.stats.experiments.outcome import Figure, Kind, Plot, Row, Table, published
from adjudge.stats.experiments.runs import Scored

METHOD = "search_augmented_factuality_eval"
PARTS = {"identify": "identify_facts", "rate": "rate_facts", "entire": "entire_safe"}
"""Names here, and in the output file."""
COLUMNS = ("Pearson", "Spearman")
_RATED = ("supported", "irrelevant", "not_supported", F1)
METRICS = {"identify": ("num_claims",), "rate": _RATED, "entire": ("num_claims", *_RATED)}
PUBLISHED = {
    ("identify", "num_claims"): (0.80, 0.85),
    ("rate", "supported"): (0.90, 0.90),
    ("rate", "irrelevant"): (0.30, 0.00),
    ("rate", "not_supported"): (0.63, 0.65),
}
AGREEMENT = 0.72
"""Facts on which SAFE and people agree, as published."""
_LABELLED = ("same label", "supported or not, balanced")

Numbers = Sequence[float | None]


class Side(Struct, frozen=True):
    """A response's numbers by the judge, and all that SAFE's own file says of it."""

    measured: dict[str, float]
    data: dict[str, Any]


def tables_of(
    part: str, found: Sequence[Biography], sides: Sequence[Side | None], resamples: int
) -> list[Table]:
    """A table a number: the judge, over all and within each system, what was published, and the floors."""
    people = [biography.measured() for biography in found]
    rated = {name: _measured(found, rate(found)) for name, rate in RATERS.items()}
    tables = []
    for metric in METRICS[part]:
        said = [None if side is None else side.measured[metric] for side in sides]
        if metric == "num_claims":
            floors = {name: [float(count(b)) for b in found] for name, count in COUNTS.items()}
        else:
            floors = {name: [values[metric] for values in given] for name, given in rated.items()}
        true = [values[metric] for values in people]
        rows = _judge_rows(found, true, said, resamples)
        if (part, metric) in PUBLISHED:
            printed = dict(zip(COLUMNS, PUBLISHED[part, metric], strict=True))
            rows.append(published("SAFE, as published", printed))
        for name, given in floors.items():
            rows.append(_row(name, KINDS.get(name, "floor"), found, true, given, resamples))
        tables.append(Table(f"{PARTS[part]}: {metric} against people's", COLUMNS, tuple(rows)))
    return tables


def _measured(found: Sequence[Biography], labels: Sequence[list[str]]) -> list[dict[str, float]]:
    return [biography.measured(given) for biography, given in zip(found, labels, strict=True)]


def _judge_rows(found: Sequence[Biography], true: Numbers, said: Numbers, resamples: int) -> list[Row]:
    """Within one system too: part of the overall figure is that systems differ in length and quality."""
    rows = [_row("judge", "judge", found, true, said, resamples)]
    systems = list(dict.fromkeys(biography.system for biography in found))
    for system in systems if len(systems) > 1 else ():
        kept = [k for k, biography in enumerate(found) if biography.system == system]
        mine = [found[k] for k in kept]
        own = [true[k] for k in kept], [said[k] for k in kept]
        rows.append(_row(f"judge, {system} only", "judge", mine, own[0], own[1], resamples))
    return rows


def _row(
    name: str, kind: Kind, found: Sequence[Biography], true: Numbers, predicted: Numbers, resamples: int
) -> Row:
    """Responses about the same person are resampled together."""
    of = [biography.sample.item for biography in found]
    figures = {
        "Pearson": pearson(true, predicted, of, resamples),
        "Spearman": spearman(true, predicted, of, resamples),
    }
    return Row(name, kind, figures)


def fact_by_fact(found: Sequence[Biography], scored: Scored, resamples: int) -> Table:
    """The judge's label of each fact against the annotator's."""
    said = [label for biography in found for label in _said(biography, scored)]
    true = [label for biography in found for label in biography.labels]
    of = [biography.sample.item for biography in found for _ in biography.labels]
    rows = (
        Row("judge", "judge", _agreement(said, true, of, resamples)),
        published("SAFE, as published", {"same label": AGREEMENT}),
        Row("everything supported", "floor", _agreement(["S"] * len(true), true, of, resamples)),
    )
    return Table(f"rate_facts: fact by fact, {len(true)} facts", _LABELLED, rows)


def _said(biography: Biography, scored: Scored) -> list[str | None]:
    """The judge's labels of people's facts, spelt as theirs; None for one it could not rate."""
    rated = rate_facts(scored.records[biography.sample.id].labelled())
    names: dict[str, str] = {}
    if rated is not None:
        names |= dict.fromkeys(rated.supported, "S")
        names |= dict.fromkeys(rated.not_supported, "NS")
        names |= dict.fromkeys(rated.irrelevant, "IR")
    return [names.get(unit.id) for unit in biography.sample.units if unit.kind == "fact"]


def _agreement(
    said: Sequence[str | None], true: Sequence[str], of: Sequence[str], resamples: int
) -> dict[str, Figure]:
    rows = zip(said, true, of, strict=True)
    apart = [entry for entry in rows if entry[0] is not None and "IR" not in entry[:2]]
    same = accuracy(said, true, of, resamples)
    told = balanced_accuracy(
        [a == "S" for a, _, _ in apart],
        [b == "S" for _, b, _ in apart],
        [group for *_, group in apart],
        resamples,
    )
    return dict(zip(_LABELLED, (same, told), strict=True))


def plots_of(part: str, found: Sequence[Biography], sides: Sequence[Side | None]) -> list[Plot]:
    """People's number across, the judge's up; a plot a number."""
    plots = []
    for metric in METRICS[part]:
        points = tuple(
            (float(biography.measured()[metric]), float(side.measured[metric]))
            for biography, side in zip(found, sides, strict=True)
            if side is not None
        )
        plots.append(Plot(f"{PARTS[part]}-{metric}", "factscore", METHOD, points))
    return plots
