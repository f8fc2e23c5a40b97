"""`adjudge data list`, `info` and `get`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from adjudge.datasets.fetching import fetch, known_files
from adjudge.datasets.public import DEFAULT_FOLDER, LOCAL, Dataset, File, datasets, find_dataset, present
from adjudge.datasets.recorded import RECORD

FIRST = "sha256 recorded when it first comes"


def _folders() -> list[Path]:
    given = os.environ.get(LOCAL)
    return [Path(folder) for folder in (given, DEFAULT_FOLDER) if folder]


def _told(dataset: Dataset) -> dict[str, Any]:
    here = present(dataset, _folders())
    return {
        "name": dataset.name,
        "title": dataset.title,
        "licence": dataset.licence,
        "home": dataset.home,
        "files": len(dataset.files),
        "bytes": dataset.size,
        "bytes_known": dataset.size_known,
        "here": len(here),
        "use": dataset.use,
    }


def _size(told: dict[str, Any]) -> str:
    more = "" if told["bytes_known"] else "more than "
    return f"{more}{told['bytes'] / 1e6:.1f} MB"


def list_verb(as_json: bool) -> None:
    """One line a data set."""
    rows = [_told(dataset) for dataset in datasets().values()]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1))
        return
    for told in rows:
        here = f"{told['here']} of {told['files']} files here"
        click.echo(f"{told['name']:11} {told['licence']:16} {_size(told):18} {here}")
        click.echo(f"{'':11} {told['title']}")
    click.echo("next: adjudge data info NAME, adjudge data get NAME")


def info_verb(name: str, as_json: bool) -> None:
    """Licence, home, files and checksums of one data set."""
    dataset = find_dataset(name)
    here = present(dataset, _folders())
    told = _told(dataset)
    if as_json:
        listed = [
            {**msgspec.to_builtins(file), "url": dataset.base + file.url, "here": _text(here.get(file.path))}
            for file in _files(dataset)
        ]
        click.echo(msgspec.json.format(msgspec.json.encode({**told, "files": listed}), indent=1))
        return
    click.echo(f"{dataset.title}\n  licence  {dataset.licence}\n  home     {dataset.home}")
    click.echo(f"  size     {_size(told)} in {told['files']} files\n  use      {dataset.use}\n  files")
    for file, given in zip(_files(dataset), dataset.files, strict=True):
        git = f"git {file.git[:12]}…" if file.git else FIRST
        check = f"sha256 {file.sha256[:12]}…" if file.sha256 else git
        if file is not given:
            check += f" (as recorded in {RECORD})"
        click.echo(f"    {file.path}  {check}  {_text(here.get(file.path)) or 'not here'}")
    for part, stated in dataset.sums.items():
        click.echo(f"    {part}: {stated:,} bytes in all, as its publisher states")


def _files(dataset: Dataset) -> list[File]:
    """With the checksums that were recorded where the files are."""
    found = {file.path: file for file in dataset.files}
    for folder in reversed(_folders()):
        found |= {
            file.path: file
            for file, given in zip(known_files(dataset, folder), dataset.files, strict=True)
            if file is not given
        }
    return [found[file.path] for file in dataset.files]


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def get_verb(name: str, out: str | None) -> None:
    """Bring a data set into a folder, from `ADJUDGE_DATA` where it is there, else from its home."""
    dataset = find_dataset(name)
    given = os.environ.get(LOCAL)
    folder = Path(out or given or DEFAULT_FOLDER)
    click.echo(f"{dataset.title}\nlicence: {dataset.licence}; home: {dataset.home}", err=True)
    came: Counter[str] = Counter()
    said = {"there": "already there", "copied": f"copied from {given}", "downloaded": "downloaded"}
    unknown = sum(not file.has_checksum for file in known_files(dataset, folder))
    try:
        with _bar(dataset) as on_bytes:
            for fetched in fetch(dataset, folder, local=Path(given) if given else None, on_bytes=on_bytes):
                came[fetched.came] += 1
    finally:
        if came:
            click.echo("; ".join(f"{number} files {said[how]}" for how, number in came.items()), err=True)
        left = sum(not file.has_checksum for file in known_files(dataset, folder))
        if left < unknown:
            click.echo(
                f"of {unknown - left} files no checksum was known; theirs are now in "
                f"{folder / dataset.name / RECORD} and are checked from now on",
                err=True,
            )
    click.echo(folder / dataset.name)


@contextmanager
def _bar(dataset: Dataset) -> Iterator[Callable[[int], None] | None]:
    """A bar on a terminal, over as many bytes as are known."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=max(1, dataset.size), label=dataset.name, file=sys.stderr) as bar:
        yield bar.update
