"""Checkers compared on one split: std and ha scores with intervals, and who is behind whom beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from adjudge.datasets.source import Source
from adjudge.datasets.violations import read_header
from adjudge.errors import InputError, UsageError
from adjudge.metrics.resample import percentile_interval, resampled_sums
from adjudge.protocols.base import Protocol
from adjudge.run.board import Board, Cell, Standing
from adjudge.run.session import fold_records, stored_protocols
from adjudge.run.store import RunInfo, read_info, read_records
from adjudge.stats.calibrate import Array, f1
from adjudge.types import Record, Summary

METRICS = (
    *("std_precision", "std_recall", "std_f1"),
    *("ha_precision", "ha_recall", "ha_f1"),
    *("match_score", "match_score_std"),
)
RANKED_BY = "ha_f1"
RESAMPLES = 2000


class _Entry(Struct):
    """What is gathered on one checker."""

    records: list[Record] = []
    run: str = ""

    def golds(self) -> int:
        return sum(unit.kind == "gold" for record in self.records for unit in record.units)

    def flagged(self) -> int:
        return sum(unit.kind == "pred" for record in self.records for unit in record.units)


def leaderboard(
    runs: Sequence[Path],
    *,
    split: str | None = None,
    ranked_by: str = RANKED_BY,
    about: Mapping[str, str] | None = None,
) -> Board:
    """The board of all checkers in these runs, on one split."""
    if ranked_by not in METRICS:
        raise UsageError(f"--rank-by {ranked_by}: there are {', '.join(METRICS)}")
    infos = {folder: read_info(folder) for folder in runs}
    entries, protocol, found_split = _gather(infos, split)
    description, lines = _headers(infos.values(), found_split)
    lines |= dict(about or {})
    fullest = max(entries.values(), key=lambda entry: len(entry.records))
    summaries = {name: fold_records(entry.records, (protocol,), ()) for name, entry in entries.items()}
    cells = {name: _cells(summary) for name, summary in summaries.items()}
    order = sorted(entries, key=lambda name: (-(cells[name][ranked_by].value or 0.0), name))
    leader = entries[order[0]]
    standings = tuple(
        Standing(
            checker=name,
            about=lines.get(name, ""),
            samples=len(entries[name].records),
            flagged=entries[name].flagged(),
            missing=len(fullest.records) - len(entries[name].records),
            metrics=cells[name],
            behind=None if name == order[0] else behind(leader.records, entries[name].records, ranked_by),
        )
        for name in order
    )
    signatures = sorted({record.signature for entry in entries.values() for record in entry.records})
    return Board(
        split=found_split,
        description=description,
        samples=len(fullest.records),
        violations=fullest.golds(),
        ranked_by=ranked_by,
        standings=standings,
        signature=" ; ".join(signatures),
        warnings=tuple(_warnings(signatures, standings, entries)),
    )


def _gather(infos: Mapping[Path, RunInfo], split: str | None) -> tuple[dict[str, _Entry], Protocol, str]:
    entries: dict[str, _Entry] = {}
    splits: dict[str, None] = {}
    protocols: list[Protocol] = []
    for folder, info in infos.items():
        mine = [protocol for protocol in stored_protocols(info) if protocol.name == "violations"]
        if not mine:
            raise InputError(f"{folder} scores no violations", fix="run it with -p violations")
        protocols += mine
        for record in read_records(folder):
            name = str(record.attributes.get("split") or "split@0")
            if record.protocol != "violations" or (split is not None and name != split):
                continue
            splits[name] = None
            checker = str(record.attributes.get("checker") or folder.name)
            entry = entries.setdefault(checker, _Entry([], str(folder)))
            if entry.run != str(folder):
                raise UsageError(
                    f"{checker} is in {entry.run} and in {folder}: a leaderboard has it once; leave one out"
                )
            entry.records.append(record)
    if len(splits) > 1:
        raise UsageError(f"several splits are here: {', '.join(splits)}; choose one with --split")
    if not entries:
        raise InputError(f"no record of split {split!r}" if split else "the runs hold no record")
    return entries, protocols[0], next(iter(splits))


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


def behind(leader: Sequence[Record], other: Sequence[Record], metric: str) -> Cell:
    """How much higher the leader's metric is on common items, with a paired bootstrap interval.

    Items in which either has something to count, so false alarms in clean texts count as well.
    """
    kind = metric if metric.endswith("_f1") else RANKED_BY
    first, second = _counts(leader, kind), _counts(other, kind)
    shared = sorted(first.keys() & second.keys())
    common = [item for item in shared if first[item].any() or second[item].any()]
    if len(common) < 2:
        return Cell(None, None, f"{len(common)} items in common are too few to compare")
    one, two = (np.array([table[item] for item in common]) for table in (first, second))
    gap = f1(one.sum(axis=0)) - f1(two.sum(axis=0))
    if np.isnan(gap):
        return Cell(None, None, "one of them has neither golds nor predictions")
    drawn: Array = f1(resampled_sums(one, RESAMPLES)) - f1(resampled_sums(two, RESAMPLES))
    return Cell(float(gap), percentile_interval(drawn))


def _counts(records: Sequence[Record], kind: str) -> dict[str, Array]:
    """tp, fp, fn of each item; zeros where there is nothing to count, nothing where it is not known."""
    found: dict[str, Array] = {}
    for record in records:
        for score in record.scores:
            if score.metric == f"violations.{kind}" and (score.counts or score.state == "not_applicable"):
                amounts = {count.name: float(count.n) for count in score.counts}
                row = np.array([amounts.get(name, 0.0) for name in ("tp", "fp", "fn")])
                found[record.item] = found.get(record.item, np.zeros(3)) + row
    return found


def _warnings(
    signatures: Sequence[str], standings: Sequence[Standing], entries: Mapping[str, _Entry]
) -> Iterable[str]:
    if len(signatures) > 1:
        yield "the signatures differ, so the numbers cannot be compared: score all with the same settings"
    for standing in standings:
        if standing.missing:
            yield f"{standing.checker} lacks {standing.missing} samples of the split (it failed on them?)"
    golds = {name: _gold_of(entry.records) for name, entry in entries.items()}
    known: dict[str, int] = {}
    for name, numbers in golds.items():
        for sample, number in numbers.items():
            if known.setdefault(sample, number) != number:
                yield f"{name} was scored against other golds in {sample!r}: not the same split"
                return


def _gold_of(records: Iterable[Record]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for record in records:
        golds = sum(unit.kind == "gold" for unit in record.units)
        numbers[record.item] = numbers.get(record.item, 0) + golds
    return numbers
