"""`adjudge convert`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from adjudge.datasets.base import Writer
from adjudge.datasets.registry import detect, find_reader, find_writer, parse_mapping, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.run.originals import with_samples
from adjudge.run.store import read_info, read_records
from adjudge.types import Record, Sample
from adjudge.verbs.common import input_file, say_skipped


def convert_verb(
    input: str,
    output: Path,
    *,
    to: str,
    format_: str | None,
    mapping: str | None,
    skip_bad: bool,
    overwrite: bool = False,
) -> None:
    """Read one format, or a run, and write another."""
    writer = find_writer(to)
    skipped: list[InputError] = []
    if Path(input).is_dir():
        write_run(Path(input), output, writer, overwrite=overwrite)
    else:
        refuse_to_overwrite(output, Path(input), overwrite=overwrite)
        with input_file(input) as path:
            source = Source(path)
            reader = find_reader(format_) if format_ else None if mapping else detect(source)
            samples = read(
                source,
                format=reader.name if reader else None,
                mapping=parse_mapping(mapping) if mapping else None,
                on_error=skipped.append if skip_bad else None,
            )
            _say(writer.write(_plain_records(samples), output, Path(path)))
    say_skipped(skipped)
    click.echo(f"written to {output}", err=True)


def write_run(folder: Path, output: Path, writer: Writer, *, overwrite: bool = False) -> None:
    """Write a run's records in a format; one that adds results to the input is given that input."""
    info = read_info(folder)
    named = Path(info.input["path"]) if info.input.get("path") else None
    original = named if named is not None and named.exists() else None
    refuse_to_overwrite(output, original, overwrite=overwrite)
    _say(writer.write(with_samples(read_records(folder), info.input), output, original))


def _say(notes: Sequence[str] | None) -> None:
    for note in notes or ():
        click.echo(f"note: {note}", err=True)


def refuse_to_overwrite(output: Path, input: Path | None, *, overwrite: bool) -> None:
    """Never write over the input, and over another file only if told to."""
    if input is not None and input.exists() and output.exists() and output.samefile(input):
        raise UsageError(f"{output} is the input itself; choose another name")
    if output.exists() and not overwrite:
        raise UsageError(f"{output} exists; choose another name, or --overwrite")


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
