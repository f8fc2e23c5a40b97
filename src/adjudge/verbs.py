"""What each verb of the command line does: call the library, print, and say how it went."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from adjudge.api import Result, evaluate
from adjudge.datasets.registry import detect, find_reader, find_writer, parse_mapping, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.protocols import protocol_class
from adjudge.report import catalogue
from adjudge.report.explain import explain_lines, find_records
from adjudge.report.gate import Gate, failures, parse_gate
from adjudge.report.progress import progress_bar
from adjudge.report.table import summary_tables
from adjudge.run.rescore import rescore_run
from adjudge.run.session import rebuild_summary, stored_protocols
from adjudge.run.settings import Settings, expand_metrics, parse_parameters
from adjudge.run.store import read_info, read_records
from adjudge.types import Record, Sample, Summary, to_json

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 120
_ACCESS = (
    *("base_url", "key_env", "rpm", "tpm", "timeout", "attempts"),
    *("max_cost", "prices", "cache", "cache_path", "budget"),
)


def run_verb(
    input: str,
    *,
    protocols: tuple[str, ...],
    parameters: tuple[str, ...],
    mapping: str | None,
    format_: str | None,
    out: str | None,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
    evidence: str | None,
    steps: bool,
    dry_run: bool,
    **options: Any,
) -> int:
    """Score a file into a run folder; the exit code tells whether the gates held."""
    settings = parse_parameters(_with_shortcuts(parameters, evidence, steps))
    access = {name: options.pop(name) for name in _ACCESS}
    if dry_run:
        return _dry_run(input, protocols, settings, mapping, format_, access, as_json, options)
    gates = _gates(fail_under, fail_over, protocols, settings)
    with _as_file(input) as path:
        folder = Path(out) if out else _new_folder(input)
        with progress_bar(path) as advance:
            result = evaluate(
                path,
                protocols or None,
                parameters=settings,
                mapping=parse_mapping(mapping) if mapping else None,
                format=format_,
                out=folder,
                on_progress=advance,
                access={name: value for name, value in access.items() if value is not None},
                **options,
            )
    _print_summary(result.summary, as_json)
    if not as_json:
        _say_how_it_went(result, folder)
    return _check(gates, result.summary)


def _with_shortcuts(parameters: Sequence[str], evidence: str | None, steps: bool) -> list[str]:
    """`--evidence` and `--steps` are short for parameters of protocols."""
    short = [f"safe.evidence={evidence}"] if evidence else []
    short += [f"{name}.steps=true" for name in ("trace", "safe", "ragchecker")] if steps else []
    return [*short, *parameters]


def _dry_run(
    input: str,
    protocols: Sequence[str],
    parameters: dict[str, dict[str, Any]],
    mapping: str | None,
    format_: str | None,
    access: dict[str, Any],
    as_json: bool,
    options: dict[str, Any],
) -> int:
    """Go through all samples with guessed answers, to tell what a real run would ask and cost."""
    from adjudge.judges.dry import dry_judge

    judge, estimate = dry_judge(options["judge"], similarity=options["similarity"], **access)
    with _as_file(input) as path:
        evaluate(
            path,
            protocols or None,
            judge=judge,
            parameters=parameters,
            metrics=options["metrics"],
            labels=options["labels"],
            mapping=parse_mapping(mapping) if mapping else None,
            format=format_,
            skip_bad=options["skip_bad"],
        )
    told = estimate(concurrency=options["concurrency"])
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2))
        return 0
    for line in told["lines"]:
        click.echo(line)
    return 0


def show_verb(
    folder: Path,
    *,
    by: tuple[str, ...],
    metrics: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
) -> int:
    """Print a stored run's numbers."""
    info = read_info(folder)
    protocols = stored_protocols(info)
    specs = catalogue.all_specs(protocols)
    gates = _parse_gates(fail_under, fail_over, specs)
    summary = rebuild_summary(folder, by or None)
    if metrics:
        wanted = expand_metrics(metrics, protocols)
        summary = msgspec.structs.replace(
            summary, rows=tuple(row for row in summary.rows if row.metric in wanted), views={}
        )
    _print_summary(summary, as_json)
    if not info.finished and not as_json:
        click.echo("this run has not finished; the numbers are of what is there so far", err=True)
    return _check(gates, summary)


def rescore_verb(
    folder: Path,
    *,
    parameters: tuple[str, ...],
    labels: str | None,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    out: str | None,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    as_json: bool,
) -> int:
    """Score stored labels again."""
    settings = parse_parameters(parameters)
    gates = _gates(fail_under, fail_over, tuple(read_info(folder).protocols), settings)
    summary = rescore_run(
        folder, parameters=settings, metrics=metrics, labels=labels, by=by, out=Path(out) if out else None
    )
    _print_summary(summary, as_json)
    if out and not as_json:
        click.echo(f"written to {out}")
    return _check(gates, summary)


def explain_verb(folder: Path, sample_id: str, metric: str | None, as_json: bool) -> None:
    """From a sample's numbers to the words behind them."""
    info = read_info(folder)
    protocols = {protocol.name: protocol for protocol in stored_protocols(info)}
    if metric is not None:
        expand_metrics((metric,), list(protocols.values()))
    records, near = find_records(read_records(folder), sample_id)
    if not records:
        raise UsageError(f"{folder} holds no sample {sample_id!r}; it holds {', '.join(near)} …")
    chosen = [record for record in records if metric is None or metric.startswith(f"{record.protocol}.")]
    if not chosen:
        raise UsageError(f"sample {sample_id!r} was not scored for {metric}")
    if as_json:
        click.echo(b"[" + b",".join(to_json(record) for record in chosen) + b"]")
        return
    for record in chosen:
        sample = record.sample if record.sample is not None else _lean_sample(record, info.input)
        for line in explain_lines(record, protocols[record.protocol], metric, sample):
            click.echo(line)
        click.echo()


def convert_verb(
    input: str, output: Path, *, to: str, format_: str | None, mapping: str | None, skip_bad: bool
) -> None:
    """Read one format, or a run, and write another."""
    writer = find_writer(to)
    skipped: list[InputError] = []
    if Path(input).is_dir():
        info = read_info(Path(input))
        original = Path(info.input["path"]) if info.input.get("path") else None
        original = original if original is not None and original.exists() else None
        writer.write(read_records(Path(input)), output, original)
    else:
        with _as_file(input) as path:
            source = Source(path)
            reader = find_reader(format_) if format_ else None if mapping else detect(source)
            samples = read(
                source,
                format=reader.name if reader else None,
                mapping=parse_mapping(mapping) if mapping else None,
                on_error=skipped.append if skip_bad else None,
            )
            writer.write(_plain_records(samples), output, Path(path))
    _say_skipped(skipped)
    click.echo(f"written to {output}", err=True)


def list_verb(what: str, protocol: str | None, as_json: bool) -> None:
    """Print a catalogue."""
    if protocol is not None:
        protocol_class(protocol)
    rows = {
        "protocols": catalogue.protocol_rows,
        "metrics": lambda: catalogue.metric_rows(protocol),
        "formats": catalogue.format_rows,
        "judges": catalogue.judge_rows,
    }[what]()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2))
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    hidden = {"groups", "empty", "fold"} if what == "metrics" else set()
    names = [name for name in rows[0] if name not in hidden]
    for name in names:
        table.add_column(name, no_wrap=name in ("metric", "protocol", "format", "judge", "better"))
    for row in rows:
        table.add_row(*(str(row[name]) for name in names))
    _console().print(table)


def demo_verb(out: str, as_json: bool) -> None:
    """Score the bundled samples and say where to look next."""
    with as_file(files("adjudge") / "demo" / "samples.jsonl") as path:
        result = evaluate(str(path), out=out, overwrite=True)
    _print_summary(result.summary, as_json)
    if as_json:
        return
    click.echo(f"{result.summary.samples} bundled samples scored into {out}. Where to look next:")
    for line in (
        f"adjudge explain {out} paris-partial          the claims, sentences and phrases behind one sample",
        f"adjudge show {out} --by language             the same numbers, grouped",
        f"adjudge rescore {out} --set safe.k=3         another K, no new labels",
        "adjudge list metrics                         every metric with its formula and source",
        "adjudge run YOUR_FILE                        your own data; 'adjudge list formats' says which",
    ):
        click.echo(f"  {line}")


def _gates(
    under: Sequence[str], over: Sequence[str], protocols: Sequence[str], parameters: dict[str, dict[str, Any]]
) -> list[Gate]:
    """Gates are checked for sense before anything is run."""
    if not under and not over:
        return []
    names = protocols or [protocol.name for protocol in catalogue.built_in()]
    built = Settings(parameters=parameters).build(names)
    return _parse_gates(under, over, catalogue.all_specs(built))


def _parse_gates(under: Sequence[str], over: Sequence[str], specs: Sequence[Any]) -> list[Gate]:
    return [
        *(parse_gate(text, "under", specs) for text in under),
        *(parse_gate(text, "over", specs) for text in over),
    ]


def _check(gates: Sequence[Gate], summary: Summary) -> int:
    failed = failures(gates, summary)
    for line in failed:
        click.echo(f"gate failed: {line}", err=True)
    return 1 if failed else 0


def _print_summary(summary: Summary, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.format(to_json(summary), indent=1))
        return
    from rich.text import Text

    console = _console()
    for part in summary_tables(summary):
        console.print(part, soft_wrap=isinstance(part, Text))


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def _say_how_it_went(result: Result, folder: Path) -> None:
    _say_skipped(result.skipped)
    for note, times in result.notes.items():
        click.echo(f"read all the same: {note} ({times} ×)", err=True)
    for protocol, number in result.passed_over.items():
        click.echo(f"{protocol} does not speak of {number} of the samples")
    for model, used in result.usage.items():
        if used["answered"] or used["failed"]:
            click.echo(f"{model}: {_usage_text(used)}")
    if result.already_finished:
        click.echo(f"{folder} already held this finished run; nothing was scored again")
    elif result.resumed:
        click.echo(f"resumed: {result.resumed} samples were already there")
    click.echo(f"{result.summary.samples} samples in {folder}")
    click.echo(f"next: adjudge explain {folder} SAMPLE [METRIC]")


def _usage_text(used: dict[str, Any]) -> str:
    cost = "cost unknown" if used["cost"] is None else f"${used['cost']:.4f}"
    return (
        f"{used['answered']} answers, {used['cached']} of them from the cache, {used['failed']} failed;"
        f" {used['prompt_tokens']:,} + {used['completion_tokens']:,} tokens, {cost}"
    )


def _say_skipped(skipped: Sequence[InputError]) -> None:
    if not skipped:
        return
    click.echo(f"skipped {len(skipped)} bad lines or samples:", err=True)
    for error in skipped[:5]:
        click.echo(f"  {error.place}: {error.problem}", err=True)
    if len(skipped) > 5:
        click.echo(f"  … and {len(skipped) - 5} more", err=True)


def _new_folder(input: str) -> Path:
    """`runs/answers-20240607-120000`, free of earlier runs."""
    stem = "stdin" if input == "-" else Path(input).name.split(".")[0] or "run"
    base = Path("runs") / f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder, number = base, 1
    while folder.exists():
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


@contextlib.contextmanager
def _as_file(input: str) -> Iterator[str]:
    """A path that can be read twice: standard input and pipes are copied first."""
    if input != "-" and (not Path(input).exists() or Path(input).is_file() or Path(input).is_dir()):
        yield input
        return
    with tempfile.NamedTemporaryFile(prefix="adjudge-", suffix=".jsonl") as copy:
        stream = sys.stdin.buffer if input == "-" else open(input, "rb")  # noqa: SIM115
        while block := stream.read(1 << 20):
            copy.write(block)
        copy.flush()
        yield copy.name


def _plain_records(samples: Iterable[Sample]) -> Iterator[Record]:
    """Samples as records without scores, for writers."""
    for sample in samples:
        yield Record(
            protocol="",
            sample=sample,
            id=sample.id,
            item=sample.item,
            attributes=sample.attributes,
            units=sample.units,
            labels=sample.labels,
            grids=sample.grids,
        )


def _lean_sample(record: Record, source: dict[str, Any]) -> Sample | None:
    """The sample that a lean record refers to, if its file is still there."""
    path = source.get("path")
    if not path or not Path(path).exists():
        return None
    mapping = source.get("map")
    samples = read(Source(path), format=None if mapping else source.get("format"), mapping=mapping)
    return next((sample for sample in samples if sample.id == record.id), None)
