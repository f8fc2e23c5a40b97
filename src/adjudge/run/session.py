"""A whole run: plan it, go on where an earlier one stopped, write records in order, fold them."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from adjudge._version import __version__
from adjudge.datasets.objects import Objects
from adjudge.datasets.source import Source
from adjudge.errors import InputError, RunFolderError
from adjudge.judges.base import Judge, describe, opened, servers
from adjudge.judges.usage import RunUsage
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols import make_protocol
from adjudge.protocols.base import Protocol
from adjudge.run.earlier import consulted, earlier_run
from adjudge.run.engine import Plan, plan_run, take_head, views_of
from adjudge.run.finished import Finished
from adjudge.run.local import score_stream
from adjudge.run.outcome import Outcome, finish
from adjudge.run.settings import Settings
from adjudge.run.store import RunFolder, RunInfo, read_info, read_records, read_summary
from adjudge.types import Record, Sample, Summary

FLUSHES = 200
"""A second, at most. Each takes microseconds: slow samples come to disk one by one, fast ones do not wait."""


class Session:
    """One run over one stream of samples."""

    def __init__(
        self,
        settings: Settings,
        judge: Judge,
        *,
        by: Sequence[str] = (),
        concurrency: int = 32,
        skip_bad: bool = False,
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        self.settings = settings
        self.judge = judge
        self.by = tuple(by)
        self.concurrency = concurrency
        self.skip_bad = skip_bad
        self.on_progress = on_progress
        self.skipped: list[InputError] = []
        self.usage = RunUsage(judge)
        self.source: Source | Objects | None = None
        """Where the samples are read from, for what it noted on the way."""
        self._done = 0
        self._scored = 0
        self._resumed = 0
        self._signatures: dict[str, dict[str, None]] = {}
        self.described: dict[str, Any] = {}
        """What run.json says of where the samples came from."""

    def bad(self, error: InputError) -> None:
        """What readers and scoring call for a bad row: pass it over and remember, or stop."""
        self._place(error)
        if not self.skip_bad:
            raise error
        self.skipped.append(error)

    def _place(self, error: InputError) -> None:
        """Say in which file and line the sample of an error stands, where that is known."""
        if self.source is not None and error.file is None:
            error.file = self.source.name
            if error.sample is not None and self.source.seen is not None:
                error.line = self.source.seen.line_of(error.sample)

    def _plan(self, head: list[Sample]) -> Plan:
        try:
            return plan_run(self.settings, self.judge, head)
        except InputError as error:
            self._place(error)
            raise

    async def in_memory(self, samples: Iterable[Sample]) -> Outcome:
        """Score without a folder and keep all records."""
        head, everything = take_head(samples)
        plan = self._plan(head)
        fold = plan.fold(self.by)
        records: list[Record] = []
        async with opened(self.judge):
            async for _, new in score_stream(
                enumerate(everything), plan, concurrency=self.concurrency, on_error=self.bad
            ):
                self._take(fold, new)
                records += new
        return self._outcome(plan, fold, records)

    async def in_folder(
        self, samples: Iterable[Sample], path: Path, *, source: dict[str, Any], overwrite: bool = False
    ) -> Outcome:
        """Score into a run folder, or go on with the run that it holds."""
        with RunFolder(path) as folder:
            earlier = None if overwrite else earlier_run(path, self.settings, self.judge, source)
            if earlier is not None and earlier.finished:
                summary = rebuild_summary(path, self.by)
                return Outcome(
                    summary=summary,
                    plan=None,
                    records=None,
                    skipped=[],
                    usage=self.usage.so_far(),
                    already_finished=True,
                )
            head, everything = take_head(samples)
            plan = self._plan(head)
            if earlier is None:
                folder.clear()
            else:
                folder.cut_last_sample()
            info = self.info(plan, source)
            if earlier is not None:
                info.created = earlier.created
                self.usage.go_on(earlier.usage, path / "calls.jsonl")
                info.usage = self.usage.so_far()
            folder.write_info(info)
            fold = plan.fold(self.by)
            finished = Finished(path if earlier is not None else None)
            folder.begin()
            try:
                async with opened(self.judge):
                    await self._fill(folder, plan, fold, self._pending(everything, finished, fold), finished)
            except BaseException:
                info.usage = self.usage.so_far()
                with suppress(RunFolderError):  # the disk may be what stopped the run
                    folder.write_info(info)
                raise
            outcome = self._outcome(plan, fold, None)
            finish(folder, info, outcome)
            return outcome

    async def _fill(
        self,
        folder: RunFolder,
        plan: Plan,
        fold: SummaryFold,
        pending: Iterator[tuple[int, Sample]],
        finished: Finished,
    ) -> None:
        started, flushes = time.monotonic(), 0
        async for sample, new in score_stream(pending, plan, concurrency=self.concurrency, on_error=self.bad):
            if new and finished.ahead:
                raise RunFolderError(
                    f"sample {sample.id!r} comes before {finished.ahead!r}, which {folder.path} already"
                    " holds: the input has changed; choose another folder with -o, or --overwrite"
                )
            folder.append(new)
            self._take(fold, new)
            if flushes < FLUSHES * (time.monotonic() - started):
                folder.flush()
                flushes += 1
        if finished.ahead:
            raise RunFolderError(
                f"{folder.path} holds sample {finished.ahead!r}, which the input does not;"
                " choose another folder with -o, or --overwrite"
            )

    def _pending(
        self, samples: Iterable[Sample], finished: Finished, fold: SummaryFold
    ) -> Iterator[tuple[int, Sample]]:
        """Samples not yet in the folder; those that are go straight to the fold."""
        for index, sample in enumerate(samples):
            if finished.ahead == sample.id:
                self._resumed += 1
                self._take(fold, finished.take())
            else:
                yield index, sample

    def _take(self, fold: SummaryFold, records: list[Record]) -> None:
        for record in records:
            fold.add(record.protocol, record.item, record.attributes, record.scores)
            self._signatures.setdefault(record.protocol, {})[record.signature] = None
        self._done += 1
        self._scored += bool(records)
        if self.on_progress is not None:
            self.on_progress(self._done)

    def info(self, plan: Plan, source: dict[str, Any]) -> RunInfo:
        return RunInfo(
            adjudge=__version__,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            settings=msgspec.to_builtins(self.settings),
            protocols={protocol.name: msgspec.to_builtins(protocol) for protocol in plan.protocols},
            choice=plan.choice,
            input=source,
            evidence=consulted(plan.protocols),
            by=self.by,
            versions={"python": platform.python_version()},
            labeller=describe(self.judge),
            servers=servers(self.judge),
        )

    def _outcome(self, plan: Plan, fold: SummaryFold, records: list[Record] | None) -> Outcome:
        signatures = {name: " ; ".join(sorted(found)) for name, found in self._signatures.items()}
        summary = make_summary(plan.protocols, fold, signatures, self.by, self._scored)
        summary = msgspec.structs.replace(summary, not_scored=dict(plan.not_scored))
        return Outcome(
            summary=summary,
            plan=plan,
            records=records,
            skipped=self.skipped,
            usage=self.usage.so_far(),
            notes=dict(self.source.notes) if self.source is not None else {},
            resumed=self._resumed,
        )


def make_summary(
    protocols: Sequence[Protocol],
    fold: SummaryFold,
    signatures: dict[str, str],
    by: Sequence[str],
    samples: int,
) -> Summary:
    """The fold with its signatures and the protocols' own views of it."""
    rows = tuple(fold.rows())
    # As JSON has it (keys are texts), so that a summary is the same before and after it was stored.
    views = {
        protocol.name: msgspec.json.decode(msgspec.json.encode(view))
        for protocol in protocols
        if (view := protocol.view(rows)) is not None
    }
    return Summary(signatures=signatures, by=tuple(by), samples=samples, rows=rows, views=views)


def stored_protocols(info: RunInfo) -> tuple[Protocol, ...]:
    """The protocols of a stored run with the parameters it used."""
    return tuple(make_protocol(name, parameters) for name, parameters in info.protocols.items())


def rebuild_summary(
    folder: Path, by: Sequence[str] | None = None, *, on_progress: Callable[[int], None] | None = None
) -> Summary:
    """The summary of a run folder: the stored one where it fits, else folded again from the records."""
    info = read_info(folder)
    wanted = info.by if by is None else tuple(by)
    stored = read_summary(folder)
    if stored is not None and stored.by == wanted:
        return stored
    records = read_records(folder)
    if on_progress is not None:
        records = counted(records, on_progress)
    summary = fold_records(records, stored_protocols(info), wanted)
    return msgspec.structs.replace(summary, not_scored=info.not_scored)


def counted(records: Iterator[Record], on_progress: Callable[[int], None]) -> Iterator[Record]:
    """The records, telling how many have passed."""
    for number, record in enumerate(records, 1):
        on_progress(number)
        yield record


def fold_records(records: Iterable[Record], protocols: Sequence[Protocol], by: Sequence[str]) -> Summary:
    """Fold stored records again, perhaps by other attributes."""
    specs = [spec for protocol in protocols for spec in protocol.wanted]
    fold = SummaryFold(specs, {protocol.name: views_of(protocol, by) for protocol in protocols})
    signatures: dict[str, set[str]] = {}
    samples, last = 0, None
    for record in records:
        fold.add(record.protocol, record.item, record.attributes, record.scores)
        signatures.setdefault(record.protocol, set()).add(record.signature)
        samples += record.id != last
        last = record.id
    joined = {name: " ; ".join(sorted(found)) for name, found in signatures.items()}
    return make_summary(protocols, fold, joined, by, samples)
