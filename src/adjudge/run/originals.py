"""The samples of lean runs, which store where a sample stands instead of its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.types import Record, Sample


def original_samples(source: dict[str, Any]) -> Iterator[Sample]:
    """The samples of a run's input, as run.json describes it; none if its file is gone or has changed."""
    path = source.get("path")
    if not path or not Path(path).is_file():
        return
    file = Source(path)
    if file.digest() != source.get("sha256"):
        return
    mapping = source.get("map")
    yield from read(
        file, format=None if mapping else source.get("format"), mapping=mapping, on_error=lambda _: None
    )


def with_samples(records: Iterable[Record], source: dict[str, Any]) -> Iterator[Record]:
    """The records of a run, those without text with their sample as far as it is at hand.

    Records stand in the order of the input, so one pass over it is enough.
    """
    samples = original_samples(source)
    current: Sample | None = None
    for record in records:
        if record.sample is None and (current is None or current.id != record.id):
            current = next((sample for sample in samples if sample.id == record.id), None)
        yield record if record.sample is not None or current is None else replace(record, sample=current)
