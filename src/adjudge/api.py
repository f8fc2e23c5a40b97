"""The Python API: `evaluate` for scripts and notebooks, `aevaluate` inside a running event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.datasets.objects import Objects
from adjudge.datasets.registry import detect, find_reader, read
from adjudge.datasets.source import Source
from adjudge.datasets.where import parse_where, select
from adjudge.errors import InputError, UsageError
from adjudge.evidence.shared import searches_kept
from adjudge.judges.base import Judge
from adjudge.judges.registry import make_judge
from adjudge.run.outcome import Outcome, finish
from adjudge.run.profile import ACCESS, Merged, of_profile
from adjudge.run.session import Session, rebuild_summary
from adjudge.run.settings import Settings
from adjudge.run.store import RunFolder, read_records
from adjudge.types import Record, Sample, Summary, SummaryRow

if TYPE_CHECKING:
    import pandas

Samples = str | PathLike[str] | Iterable[Sample | Mapping[str, Any]]
T = TypeVar("T")


def _speaks(row: SummaryRow) -> bool:
    return bool(set(row.samples) - {"not_applicable"})


class Result:
    """What a run found: `summary`, `records`, and ways to carry them on."""

    def __init__(self, outcome: Outcome, folder: Path | None, session: Session | None = None) -> None:
        self.summary: Summary = outcome.summary
        self.skipped: list[InputError] = outcome.skipped
        self.folder = folder
        self.notes = outcome.notes
        """Odd things in the input that were read all the same, with how often."""
        self.passed_over: dict[str, int] = dict(outcome.plan.passed_over) if outcome.plan else {}
        """Samples that a protocol nobody named does not speak of, per protocol."""
        self.resumed = outcome.resumed
        self.usage = outcome.usage
        """Calls, tokens and cost of each model that was asked; a resumed run tells of all its parts."""
        self.already_finished = outcome.already_finished
        self._records = outcome.records
        self._outcome = outcome
        self._session = session

    @classmethod
    def load(cls, folder: str | PathLike[str], by: Sequence[str] | None = None) -> Result:
        """The result that a run folder holds."""
        path = Path(folder)
        summary = rebuild_summary(path, by)
        return cls(Outcome(summary=summary, plan=None, records=None, skipped=[]), path)

    @property
    def records(self) -> Iterator[Record]:
        """One record a sample and protocol: units, labels, scores. Read from disk where there is a folder."""
        if self._records is not None:
            return iter(self._records)
        assert self.folder is not None
        return read_records(self.folder)

    def row(self, metric: str, **group: Any) -> SummaryRow:
        """The summary of one metric, in one group if several are there: `row("rgb.accuracy", noise=0.4)`."""
        found = [
            row
            for row in self.summary.rows
            if row.metric == metric and all(row.group.get(name) == value for name, value in group.items())
        ]
        if not found:
            known = ", ".join(sorted({row.metric for row in self.summary.rows}))
            raise UsageError(f"there is no {metric!r} {group or ''} in this result; there are {known}")
        fewest = min(len(row.group) for row in found)
        overall = [row for row in found if len(row.group) == fewest and _speaks(row)]
        if len(overall) > 1:
            groups = "; ".join(", ".join(f"{k}={v!r}" for k, v in row.group.items()) for row in overall)
            raise UsageError(f"{metric!r} has several values here; say which: {groups}")
        return overall[0] if overall else next(row for row in found if len(row.group) == fewest)

    def value(self, metric: str, **group: Any) -> float | None:
        """The headline value of a metric, 0 to 1."""
        return self.row(metric, **group).value

    def to_pandas(self) -> pandas.DataFrame:
        """One row a sample, protocol and metric: id, item, attributes, metric, value, state, reason."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise UsageError("to_pandas() needs pandas: pip install 'adjudge[pandas]'") from None
        rows = [
            {
                "id": record.id,
                "item": record.item,
                "protocol": record.protocol,
                "metric": score.metric,
                "value": score.value,
                "state": score.state,
                "reason": score.reason,
                **{f"attribute.{name}": value for name, value in record.attributes.items()},
            }
            for record in self.records
            for score in record.scores
        ]
        return pandas.DataFrame(rows)

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the run folder, as `adjudge run -o` does."""
        if self._session is None or self._records is None or self._outcome.plan is None:
            raise UsageError(f"this result already lies in {self.folder}")
        path = Path(folder)
        if path.is_dir() and any(path.iterdir()) and not overwrite:
            raise UsageError(f"{path} is not empty; choose another folder or overwrite=True")
        with RunFolder(path) as out:
            out.clear()
            out.begin()
            for _, group in groupby(self._records, lambda record: record.id):
                out.append(list(group))
            finish(out, self._session.info(self._outcome.plan, self._session.described), self._outcome)
        self.folder = path
        return path

    def __repr__(self) -> str:
        heads = [f"{row.metric}={row.value:.3f}" for row in self.summary.rows if row.value is not None]
        more = f" … {len(heads) - 6} more" if len(heads) > 6 else ""
        return f"<Result of {self.summary.samples} samples: {', '.join(heads[:6])}{more}>"

    def _repr_html_(self) -> str:
        from adjudge.report.table import summary_html

        return summary_html(self.summary)


async def aevaluate(
    samples: Samples,
    protocols: str | Sequence[str] | None = None,
    judge: str | Judge | None = None,
    *,
    metrics: str | Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    labels: str | None = None,
    by: str | Sequence[str] | None = None,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    skip_bad: bool | None = None,
    lean: bool | None = None,
    concurrency: int | None = None,
    where: str | Sequence[str] = (),
    profile: str | Path | Merged | None = None,
    similarity: str | None = None,
    access: Mapping[str, Any] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Result:
    """Score samples: a path, or Sample objects, or dicts with a Sample's fields (or others, with `mapping`).

    What is not given is as `profile` says, else `DEFAULTS`: judge "local", labels "auto", all metrics.
    `protocols` None means those that the fields allow. `parameters` e.g. ``{"safe": {"k": [64, 178]}}``.
    With `out` the run is written to that folder (and resumed from it); without, records stay in memory.
    `similarity` says who compares short texts, `access` how models are reached: ``{"base_url": …}``
    (see `adjudge.chat.stack.StackOptions`); its cache also keeps web searches.
    """
    given: dict[str, Any] = {
        "protocols": protocols,
        "judge": judge,
        "metrics": metrics,
        "labels": labels,
        "by": by,
    }
    given |= {"skip_bad": skip_bad, "lean": lean, "concurrency": concurrency, "similarity": similarity}
    settled = _settle(
        profile, {name: _parameters(name, values) for name, values in (parameters or {}).items()}
    )
    chosen = DEFAULTS | settled.options | {name: value for name, value in given.items() if value is not None}
    the_judge = chosen["judge"]
    if isinstance(the_judge, str):
        the_judge = _make_judge(chosen, access or {}, out)
    settings = Settings(
        protocols=None if chosen["protocols"] is None else _names(chosen["protocols"]),
        parameters=settled.parameters,
        metrics=_names(chosen["metrics"]),
        judge=the_judge.name,
        labels=chosen["labels"],
        lean=chosen["lean"],
        where=_names(where),
        profile=settled.mark,
    )
    session = Session(
        settings,
        the_judge,
        by=_names(chosen["by"]),
        concurrency=chosen["concurrency"],
        skip_bad=chosen["skip_bad"],
        on_progress=on_progress,
    )
    stream, source = open_samples(
        samples, format=format, mapping=mapping, session=session, hashed=out is not None
    )
    if settings.where:
        stream = select(stream, parse_where(settings.where))
    path = None if out is None else Path(out)
    if path is None and settings.lean:
        raise UsageError("lean needs out=: in memory there is nothing to refer to")
    with searches_kept(_reached(chosen, access or {})):
        if path is None:
            outcome = await session.in_memory(stream)
        else:
            outcome = await session.in_folder(stream, path, source=source, overwrite=overwrite)
    return Result(outcome, path, session)


DEFAULTS: dict[str, Any] = {
    "protocols": None,
    "judge": "local",
    "similarity": None,
    "metrics": (),
    "labels": "auto",
    "by": (),
    "skip_bad": False,
    "lean": False,
    "concurrency": 32,
}
"""Options of `aevaluate` that a profile may set, where neither it nor the caller does."""


def _settle(profile: str | Path | Merged | None, parameters: dict[str, dict[str, Any]]) -> Merged:
    if isinstance(profile, Merged):
        return profile
    if profile is None:
        return Merged(options={}, parameters=parameters)
    return of_profile(profile, parameters)


def _reached(chosen: Mapping[str, Any], access: Mapping[str, Any]) -> dict[str, Any]:
    """How models are reached: by the profile's options, and by what the caller says over them."""
    return {name: chosen[name] for name in (*ACCESS, "concurrency") if name in chosen} | dict(access)


def _make_judge(
    chosen: Mapping[str, Any], access: Mapping[str, Any], out: str | PathLike[str] | None
) -> Judge:
    reached = _reached(chosen, access)
    if out is not None:
        reached.setdefault("calls_path", str(Path(out) / "calls.jsonl"))
    return make_judge(chosen["judge"], similarity=chosen["similarity"], **reached)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _parameters(name: str, values: Any) -> dict[str, Any]:
    """The parameters of one protocol; another shape is a slip that is told with the right one."""
    if isinstance(values, Mapping):
        return dict(values)
    protocol, _, parameter = name.partition(".")
    form = f'{{"{protocol}": {{"{parameter or "NAME"}": {values!r}}}}}'
    raise UsageError(f"parameters: {name!r} must hold the parameters of a protocol by name: {form}")


def open_samples(
    samples: Samples,
    *,
    format: str | None,
    mapping: Mapping[str, str] | None,
    session: Session,
    hashed: bool,
) -> tuple[Iterator[Sample], dict[str, Any]]:
    """The stream of samples and what run.json says of where it came from."""
    if format is not None and mapping:
        raise UsageError("a format and a mapping exclude each other: a mapping says itself how to read")
    described: dict[str, Any]
    if not isinstance(samples, (str, PathLike)):
        _check_for_objects(format, session.settings)
        objects = Objects(samples, mapping)
        stream, described = objects.read(session.bad), {}
        digest = objects.digest() if hashed else None
        session.source = objects
    else:
        source = Source(fspath(samples))
        reader = None if mapping else (find_reader(format) if format else detect(source))
        stream = read(
            source,
            format=reader.name if reader else None,
            mapping=dict(mapping) if mapping else None,
            on_error=session.bad,
        )
        described = {"path": source.origin, "format": reader.name if reader else "mapped"}
        digest = source.digest() if hashed else None
        session.source = source
    if mapping:
        described["map"] = dict(mapping)
    if digest is not None:
        described["sha256"] = digest
    session.described = described
    return stream, described


def _check_for_objects(format: str | None, settings: Settings) -> None:
    """What is said of a file and makes no sense for samples in memory."""
    if format not in (None, "native"):
        raise UsageError(
            f"format={format!r} is of files: give a path, or say with mapping= which key is which field"
        )
    if settings.lean:
        raise UsageError("lean refers to a file, and samples in memory are in none")


def evaluate(samples: Samples, protocols: str | Sequence[str] | None = None, **options: Any) -> Result:
    """`aevaluate`, waited for; works in a notebook, where an event loop is already running."""
    return run_coroutine(aevaluate(samples, protocols, **options))


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end: in this thread, or in one of its own where this one's loop is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    outcome: list[T] = []
    failure: list[BaseException] = []
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def main() -> T:
        task = asyncio.ensure_future(coroutine)
        loops.append((asyncio.get_running_loop(), task))
        return await task

    def work() -> None:
        try:
            outcome.append(asyncio.run(main()))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, name="adjudge", daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        for loop, task in loops:
            loop.call_soon_threadsafe(task.cancel)
        thread.join(5)
        raise
    if failure:
        raise failure[0]
    return outcome[0]
