"""Checkers compared on one split: std and ha scores with intervals, and who is behind whom beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from adjudge.datasets.source import Source
from adjudge.datasets.violations import read_header
from adjudge.errors import InputError, UsageError
from adjudge.metrics.fold import SMALL
from adjudge.metrics.resample import measure_of
from adjudge.protocols.base import Protocol
from adjudge.run.board import Board, Cell, Standing
from adjudge.run.session import fold_records, stored_protocols
from adjudge.run.store import RunInfo, read_info, read_records
from adjudge.stats.difference import difference_of
from adjudge.stats.paired import Side, pair, specs_of
from adjudge.stats.permute import Contest, bootstrap_differences
from adjudge.types import Record, Span, Summary, Unit, Violation

METRICS = (
    *("std_precision", "std_recall", "std_f1"),
    *("ha_precision", "ha_recall", "ha_f1"),
    *("match_score", "match_score_std"),
)
RANKED_BY = ("ha_f1", "std_f1")
"""What decides the order where nobody says: the first that every run has."""


class _Item(Struct):
    """What a checker's run holds of one item: how many samples, and against which golds they were scored."""

    samples: int = 0
    marked: Counter[tuple[str | None, tuple[Span, ...]]] = field(default_factory=Counter)
    said: Counter[Violation] | None = field(default_factory=Counter)
    """The golds as the file has them; None in a lean run."""

    def add(self, record: Record) -> None:
        self.samples += 1
        self.marked.update(_mark(unit) for unit in record.units if unit.kind == "gold")
        if self.said is not None and record.sample is not None:
            self.said.update(record.sample.gold or ())
        else:
            self.said = None

    def unlike(self, other: _Item) -> bool:
        """Whether as many samples were scored against other golds."""
        if self.samples != other.samples:
            return False
        told = self.said is not None and other.said is not None and self.said != other.said
        return told or self.marked != other.marked


class _Entry(Struct):
    """What is gathered on one checker."""

    run: str
    protocol: Protocol
    records: list[Record] = field(default_factory=list)
    items: dict[str, _Item] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        self.records.append(record)
        self.items.setdefault(record.item, _Item()).add(record)

    def flagged(self) -> int:
        return sum(unit.kind == "pred" for record in self.records for unit in record.units)

    def lacks(self, whole: Mapping[str, _Item]) -> int:
        """Samples of the split that it has not."""
        mine = {item: found.samples for item, found in self.items.items()}
        return sum(found.samples - mine.get(item, 0) for item, found in whole.items())

    def side(self, name: str) -> Side:
        side = Side(name, specs_of((self.protocol,)))
        for record in self.records:
            side.add(record, ())
        return side


def leaderboard(
    runs: Sequence[Path],
    *,
    split: str | None = None,
    ranked_by: str | None = None,
    about: Mapping[str, str] | None = None,
) -> Board:
    """The board of all checkers in these runs, on one split."""
    infos = {folder: read_info(folder) for folder in runs}
    entries, found_split = _gather(infos, split)
    ranking = _ranking(entries, ranked_by)
    description, lines = _headers(infos.values(), found_split)
    lines |= dict(about or {})
    whole = _whole(entries.values())
    cells = {
        name: _cells(fold_records(entry.records, (entry.protocol,), ())) for name, entry in entries.items()
    }
    order = sorted(entries, key=lambda name: (*_rank(cells[name][ranking]), name))
    leader = entries[order[0]].side(order[0])
    standings = tuple(
        Standing(
            checker=name,
            about=lines.get(name, ""),
            samples=len(entries[name].records),
            flagged=entries[name].flagged(),
            missing=entries[name].lacks(whole),
            metrics=cells[name],
            behind=behind(leader, entries[name].side(name), ranking) if name != order[0] else None,
        )
        for name in order
    )
    signatures = sorted({record.signature for entry in entries.values() for record in entry.records})
    return Board(
        split=found_split,
        description=description,
        samples=sum(found.samples for found in whole.values()),
        violations=sum(found.marked.total() for found in whole.values()),
        ranked_by=ranking,
        standings=standings,
        signature=" ; ".join(signatures),
        warnings=tuple(_warnings(signatures, standings, entries, whole)),
    )


def _gather(infos: Mapping[Path, RunInfo], split: str | None) -> tuple[dict[str, _Entry], str]:
    entries: dict[str, _Entry] = {}
    splits: dict[str, None] = {}
    for folder, info in infos.items():
        mine = [protocol for protocol in stored_protocols(info) if protocol.name == "violations"]
        if not mine:
            raise InputError(f"{folder} scores no violations", fix="run it with -p violations")
        for record in read_records(folder):
            name = str(record.attributes.get("split") or "split@0")
            if record.protocol != "violations" or (split is not None and name != split):
                continue
            splits[name] = None
            checker = str(record.attributes.get("checker") or folder.name)
            entry = entries.setdefault(checker, _Entry(str(folder), mine[0]))
            if entry.run != str(folder):
                raise UsageError(
                    f"{checker} is in {entry.run} and in {folder}: a leaderboard has it once; leave one out"
                )
            entry.add(record)
    if len(splits) > 1:
        raise UsageError(f"several splits are here: {', '.join(splits)}; choose one with --split")
    if not entries:
        raise InputError(f"no record of split {split!r}" if split else "the runs hold no record")
    return entries, next(iter(splits))


def _ranking(entries: Mapping[str, _Entry], wanted: str | None) -> str:
    """The metric that decides the order: one that every run has, or nothing could be said of some."""
    if wanted is not None and wanted not in METRICS:
        raise UsageError(f"--rank-by {wanted}: there are {', '.join(METRICS)}")
    known = {name: specs_of((entry.protocol,)) for name, entry in entries.items()}
    common = [name for name in METRICS if all(f"violations.{name}" in specs for specs in known.values())]
    for name in (wanted,) if wanted is not None else RANKED_BY:
        if name in common:
            return name
    name = wanted or RANKED_BY[0]
    lacking = next(entry.run for at, entry in entries.items() if f"violations.{name}" not in known[at])
    cure = f"--rank-by {' or '.join(common)}" if common else "run it again without --metrics"
    raise UsageError(f"{lacking} was limited to other metrics than {name}, which decides the order; {cure}")


def _rank(cell: Cell) -> tuple[bool, float]:
    """Highest first; who has no value comes last, not among those that have 0."""
    return cell.value is None, -(cell.value or 0.0)


def _whole(entries: Iterable[_Entry]) -> dict[str, _Item]:
    """The split as far as the entries show it: of each item the most that any of them has."""
    whole: dict[str, _Item] = {}
    for entry in entries:
        for item, found in entry.items.items():
            if item not in whole or found.samples > whole[item].samples:
                whole[item] = found
    return whole


def _headers(infos: Iterable[RunInfo], split: str) -> tuple[str, dict[str, str]]:
    """Description of the split and a line on each checker, from the files the runs were made of."""
    description = ""
    lines: dict[str, str] = {}
    for info in infos:
        path = Path(str(info.input.get("path", "")))
        if not path.is_file() or info.input.get("format") != "violations":
            continue
        header = read_header(Source(path))
        if header is not None and header.split == split:
            description = description or header.description or ""
            lines |= header.checkers
    return description, lines


def _cells(summary: Summary) -> dict[str, Cell]:
    rows = {row.metric.partition(".")[2]: row for row in summary.rows if not row.group}
    found = {}
    for name in METRICS:
        row = rows.get(name)
        if row is None:
            found[name] = Cell(None, None, "the run was limited to other metrics")
        else:
            reason = next(iter(row.reasons), "no sample can be scored") if row.value is None else None
            found[name] = Cell(row.value, row.interval, reason)
    return found


def behind(leader: Side, other: Side, metric: str) -> Cell:
    """How much higher the leader's metric is on common items, and its interval, as `compare` has them.

    Items in which either has something to count, so false alarms in clean texts count as well.
    """
    if leader.items.isdisjoint(other.items):
        return Cell(None, None, "0 items in common are too few to compare")
    pairs = next(pair(other, leader, (f"violations.{metric}",)), None)
    items = 0 if pairs is None else len(pairs.items)
    if pairs is None or items < 2:
        return Cell(None, None, f"{items} items in common are too few to compare")
    contest = Contest(*pairs.tables, measure_of(pairs.spec, pairs.names))
    drawn = bootstrap_differences([contest])[0] if items >= SMALL else None
    found = difference_of(pairs, (other.name, leader.name), contest, None, drawn, 0)
    return Cell(found.difference, found.interval, found.reason)


def _warnings(
    signatures: Sequence[str],
    standings: Sequence[Standing],
    entries: Mapping[str, _Entry],
    whole: Mapping[str, _Item],
) -> Iterable[str]:
    if len(signatures) > 1:
        yield "the signatures differ, so the numbers cannot be compared: score all with the same settings"
    for standing in standings:
        if standing.missing:
            yield f"{standing.checker} lacks {standing.missing} samples of the split (it failed on them?)"
    for name, entry in entries.items():
        for item, found in entry.items.items():
            if found.unlike(whole[item]):
                yield f"{name} was scored against other golds in {item!r}: not the same split"
                return


def _mark(unit: Unit) -> tuple[str | None, tuple[Span, ...]]:
    """Words, rule and place of a gold; of a quote that occurs several times they follow the predictions."""
    return (None, ()) if "ambiguous" in (unit.note or "") else (unit.digest, unit.spans)
