"""`adjudge convert`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from adjudge.datasets.registry import detect, find_reader, find_writer, parse_mapping, read
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.run.store import read_info, read_records
from adjudge.types import Record, Sample
from adjudge.verbs.common import input_file, say_skipped


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
        with input_file(input) as path:
            source = Source(path)
            reader = find_reader(format_) if format_ else None if mapping else detect(source)
            samples = read(
                source,
                format=reader.name if reader else None,
                mapping=parse_mapping(mapping) if mapping else None,
                on_error=skipped.append if skip_bad else None,
            )
            writer.write(_plain_records(samples), output, Path(path))
    say_skipped(skipped)
    click.echo(f"written to {output}", err=True)


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
