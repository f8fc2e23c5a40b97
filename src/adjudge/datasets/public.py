"""Public data sets: what they are, where they live, and where they lie on this machine.

They are described in public.toml. A folder with them (`ADJUDGE_DATA`, or what `adjudge data get` made) has a
folder for each: `rgb/en_fact.json`, `longfact/…`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from adjudge.errors import InputError, UsageError

LOCAL = "ADJUDGE_DATA"
"""Environment variable that names a folder with data sets."""
DEFAULT_FOLDER = "data"


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file: where it stands in a data folder, where it is fetched from, what it must add up to."""

    path: str
    url: str
    bytes: int | None = None
    sha256: str | None = None
    git: str | None = None
    """Git's id of the content, which tells its size and SHA-1."""

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def has_checksum(self) -> bool:
        return self.sha256 is not None or self.git is not None


class Dataset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One data set."""

    name: str
    title: str
    licence: str
    home: str
    base: str
    use: str
    files: tuple[File, ...]
    sums: dict[str, int] = {}
    """Bytes of all files in a folder, where the publisher tells only that."""

    @property
    def size(self) -> int:
        """Bytes of the files whose size is known."""
        alone = (file.bytes or 0 for file in self.files if file.folder not in self.sums)
        return sum(alone) + sum(self.sums.values())

    @property
    def size_known(self) -> bool:
        """Whether that is all of them."""
        return all(file.bytes is not None or file.folder in self.sums for file in self.files)


@cache
def datasets() -> dict[str, Dataset]:
    """All of them, by name."""
    described = tomllib.loads((files("adjudge.datasets") / "public.toml").read_text("utf-8"))
    return {name: msgspec.convert({"name": name, **entry}, Dataset) for name, entry in described.items()}


def find_dataset(name: str) -> Dataset:
    """The data set of that name, or a part of one: `ragbench/emanual`."""
    known = datasets()
    whole, _, part = name.partition("/")
    if whole not in known:
        raise UsageError(f"there is no data set {whole!r}; there are {', '.join(known)}")
    dataset = known[whole]
    if not part:
        return dataset
    files = tuple(file for file in dataset.files if file.folder == name)
    if not files:
        parts = dict.fromkeys(file.folder for file in dataset.files if file.folder != whole)
        there = f"; there are {', '.join(parts)}" if parts else ": it has no parts"
        raise UsageError(f"there is no part {name!r}{there}")
    sums = {folder: total for folder, total in dataset.sums.items() if folder == name}
    return msgspec.structs.replace(dataset, files=files, sums=sums)


def local_folder(dataset: str) -> Path | None:
    """Where a data set lies on this machine: below `ADJUDGE_DATA`, or where `data get` puts it."""
    for folder in (os.environ.get(LOCAL), DEFAULT_FOLDER):
        if folder and (Path(folder) / dataset).is_dir():
            return Path(folder) / dataset
    return None


def find_data(given: str | None, dataset: str) -> Path:
    """The file or folder that was given, or the data set of that name on this machine."""
    if given is not None and given != dataset and not Path(given).exists():
        raise InputError("there is no such file or folder", file=given, fix=_how_to_get(dataset))
    if given is not None and Path(given).exists():
        return Path(given)
    found = local_folder(dataset)
    if found is None:
        raise InputError(f"the data set {dataset} is not on this machine", fix=_how_to_get(dataset))
    return found


def _how_to_get(dataset: str) -> str:
    return f"'adjudge data get {dataset}' fetches it; or name a file or folder with --data, or set {LOCAL}"


def present(dataset: Dataset, folders: Iterable[Path]) -> dict[str, Path]:
    """Files of a data set that are on this machine, and where; contents are not checked."""
    found: dict[str, Path] = {}
    for folder in folders:
        for file in dataset.files:
            if file.path not in found and (folder / file.path).exists():
                found[file.path] = folder / file.path
    return found
