"""Who said what: a run's labels and people's, sample by sample, in one form that can be matched.

Labels come sparse (only the relevant sentences are named), as grids, and with units whose ids depend on the
order in which a judge wrote its claims. Here each rater has one value for every unit that was put before it,
and units are matched by id where the words agree, else by the digest of their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.protocols import make_protocol, protocol_names
from adjudge.protocols.base import Protocol
from adjudge.run.session import stored_protocols
from adjudge.run.store import read_info, read_records
from adjudge.segment.units import unit_text
from adjudge.types import Attribute, Label, Labelled, Record, Sample, Score, Unit, Value, digest

Place = tuple[str, str, str | None]
"""Name of a label, the unit judged, and what it was held against."""

_CELLS: dict[str, str] = {"e": "entailed", "c": "contradicted", "n": "neutral"}
_SURE = {True: "true", "full": "full", "entailed": "entailed"}
"""The value a probability is taken of, and its spelling among the probabilities."""


class Rated(Struct):
    """One rater's word on one sample under one protocol."""

    by: str
    item: str
    attributes: dict[str, Attribute]
    values: dict[Place, Value] = field(default_factory=dict)
    sure: dict[Place, float] = field(default_factory=dict)
    """Probability of the positive value, where the judge gave one."""
    units: dict[str, str | None] = field(default_factory=dict)
    """Units and the digests of their words, as far as known."""
    scores: dict[str, float] = field(default_factory=dict)
    overall: float | None = None
    """One rating of the whole sample, whatever the metric (an attribute)."""


class Rater(Struct):
    """A judge or a person."""

    name: str
    rated: dict[tuple[str, str], Rated] = field(default_factory=dict)
    """By protocol and sample id."""

    @property
    def human(self) -> bool:
        return self.name.startswith(("human", "attribute:"))


def kind_of(unit: str) -> str:
    """`claim:response` of `claim:response:3`, `ctx` of `ctx:0a`, `response` of itself."""
    head, _, rest = unit.partition(":")
    return f"{head}:{rest.partition(':')[0]}" if head == "claim" else head


def rated_by(
    by: str, protocol: Protocol, labelled: Labelled, sample: Sample | None, scores: Iterable[Score]
) -> Rated:
    """One rater's labels and scores of a sample."""
    found = Rated(by, labelled.item, labelled.attributes)
    for unit in labelled.units:
        found.units[unit.id] = _digest_of(unit, sample)
    for label in labelled.labels:
        # A number on a whole field says how many units were judged there; it is no judgement itself.
        judged = ":" in label.unit or label.unit == "answer" or isinstance(label.value, (bool, str))
        if judged and label.name != "support_marker":
            _take(found, label)
    for grid in labelled.grids:
        for row, cells in zip(grid.rows, grid.cells, strict=True):
            for column, cell in zip(grid.columns, cells, strict=True):
                found.values[grid.name, row, column] = _CELLS.get(cell)
    if protocol.name == "trace":
        _fill_trace(found, labelled)
    elif protocol.name == "safe":
        _fill_safe(found, labelled)
    binary = {spec.name for spec in protocol.wanted if spec.binary}
    for score in scores:
        if score.value is not None:
            yes_or_no = score.metric in binary and score.value in (0.0, 1.0)
            found.scores[score.metric] = bool(score.value) if yes_or_no else score.value
    return found


def _take(found: Rated, label: Label) -> None:
    place = (label.name, label.unit, label.against)
    found.values[place] = label.value
    if label.probabilities:
        for value, spelling in _SURE.items():
            chance = label.probabilities.get(spelling, label.probabilities.get(str(value)))
            if chance is not None:
                found.sure[place] = chance


def _digest_of(unit: Unit, sample: Sample | None) -> str | None:
    if unit.digest is not None:
        return unit.digest
    try:
        words = unit.text if sample is None else unit_text(unit, sample)
    except InputError:
        return None
    return digest(words) if words else None


def _fill_trace(found: Rated, labelled: Labelled) -> None:
    """Sentences that a finished list leaves out are not relevant or used; grounded means full support."""
    judged = {x.name for x in labelled.labels if x.unit in ("contexts", "response") and x.value is not None}
    sentences = [unit for unit in found.units if unit.startswith("ctx:") and not unit[-1].isdigit()]
    answers = [unit for unit in found.units if unit.startswith("resp:")]
    for name in {"relevant", "used"} & judged:
        for unit in sentences:
            found.values.setdefault((name, unit, None), False)
    # Who names supporting sentences at all names none only where nothing is supported.
    named = any(name == "supported_by" for name, _, _ in found.values)
    nothing = all(value == "none" for (name, _, _), value in found.values.items() if name == "support")
    if "support" in judged and (named or nothing):
        for unit in answers:
            for sentence in sentences:
                found.values.setdefault(("supported_by", unit, sentence), False)
    if not any(name == "grounded" for name, _, _ in found.values):
        supports = [(place, value) for place, value in found.values.items() if place[0] == "support"]
        for (_, unit, _), value in supports:
            found.values["grounded", unit, None] = None if value is None else value == "full"


def _fill_safe(found: Rated, labelled: Labelled) -> None:
    """A fact is supported or not; one that is not said to repeat another does not."""
    facts = [unit for unit in found.units if unit.startswith("fact:")]
    repeated = {unit for name, unit, _ in found.values if name == "duplicate_of"}
    values: dict[Place, Value] = {}
    for (name, unit, against), value in found.values.items():
        if name == "check":
            values[name, unit, None] = None if value is None else value == "entailed"
        elif name != "duplicate_of":
            values[name, unit, against] = value
    found.sure = {("check", unit, None): p for (name, unit, _), p in found.sure.items() if name == "check"}
    if any(label.name == "duplicate_of" for label in labelled.labels):
        values |= {("duplicate", unit, None): unit in repeated for unit in facts}
    found.values = values


def match_units(first: Rated, second: Rated) -> dict[str, str]:
    """Units of the second in terms of the first: same id and same words, else same words of the same kind."""
    matched: dict[str, str] = {}
    free: dict[tuple[str, str], list[str]] = {}
    for unit, mark in first.units.items():
        theirs = second.units.get(unit, "")
        if unit in second.units and (mark is None or theirs is None or mark == theirs):
            matched[unit] = unit
        elif mark is not None:
            free.setdefault((kind_of(unit), mark), []).append(unit)
    taken = set(matched.values())
    for unit, mark in second.units.items():
        if unit not in taken and mark is not None:
            candidates = free.get((kind_of(unit), mark))
            if candidates:
                matched[unit] = candidates.pop(0)
    # Whole texts and units that only labels speak of have ids that mean the same everywhere.
    spoken = {name for _, *both in second.values for name in both if name is not None}
    for name in spoken.difference(second.units, first.units):
        matched.setdefault(name, name)
    return matched


def matched_values(first: Rated, second: Rated) -> Iterator[tuple[Place, Value, Value]]:
    """Each place that both raters speak of, in the first's terms, with their two values."""
    same = match_units(first, second)
    for (name, unit, against), value in second.values.items():
        mine = same.get(unit)
        other = None if against is None else same.get(against)
        if mine is None or (against is not None and other is None):
            continue
        place = (name, mine, other)
        if place in first.values:
            yield place, first.values[place], value


def run_rater(folder: Path) -> tuple[Rater, list[Record], tuple[Protocol, ...]]:
    """A run's own labels as those of one rater, with its records and protocols for more."""
    info = read_info(folder)
    protocols = stored_protocols(info)
    known = {protocol.name: protocol for protocol in protocols}
    records = list(read_records(folder))
    rater = Rater("")
    names: dict[str, None] = {}
    for record in records:
        by = record.labeller.removeprefix("labels:")
        names[by] = None
        rater.rated[record.protocol, record.id] = rated_by(
            by, known[record.protocol], record.labelled(), record.sample, record.scores
        )
    rater.name = next(iter(names)) if len(names) == 1 else folder.resolve().name
    return rater, records, protocols


def sample_raters(samples: Iterable[Sample], protocols: Sequence[Protocol]) -> dict[str, Rater]:
    """Everyone whose labels the samples carry."""
    raters: dict[str, Rater] = {}
    for sample in samples:
        for protocol in protocols:
            for source in protocol.sources(sample):
                labelled = protocol.given(sample, source)
                rater = raters.setdefault(source, Rater(source))
                scores = protocol.score(labelled)
                rater.rated[protocol.name, sample.id] = rated_by(source, protocol, labelled, sample, scores)
    return raters


def attribute_rater(name: str, rater: Rater) -> Rater:
    """People's ratings of whole samples that stand in an attribute."""
    found = Rater(f"attribute:{name}")
    for key, rated in rater.rated.items():
        value = rated.attributes.get(name)
        if isinstance(value, (bool, int, float)):
            found.rated[key] = Rated(found.name, rated.item, rated.attributes, overall=float(value))
    if all(rated.overall in (0.0, 1.0) for rated in found.rated.values()):
        for rated in found.rated.values():
            rated.overall = bool(rated.overall)
    if not found.rated:
        raise UsageError(f"no sample has a number in attribute {name!r}")
    return found


def file_raters(path: str, protocols: Sequence[Protocol] = ()) -> dict[str, Rater]:
    """Everyone whose labels a file of samples carries."""
    built = protocols or [make_protocol(name) for name in protocol_names()]
    return sample_raters(read(Source(path)), built)


def carried(records: Sequence[Record], protocols: Sequence[Protocol]) -> dict[str, Rater]:
    """Everyone whose labels the samples of a run carry."""
    if any(record.sample is None for record in records):
        raise UsageError(
            "a lean run holds no samples, so no one else's labels; give the file that has them: --with FILE"
        )
    samples: Mapping[str, Any] = {record.id: record.sample for record in records}
    return sample_raters(samples.values(), protocols)
