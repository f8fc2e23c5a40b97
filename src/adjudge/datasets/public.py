"""Public data sets: what they are, where they live, and how they come onto this machine, checked.

They are described in public.toml. A folder with them (`ADJUDGE_DATA`, or what `adjudge data get` made) has a
folder for each: `rgb/en_fact.json`, `longfact/…`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import IO, Literal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import msgspec
from msgspec import Struct

from adjudge._version import __version__
from adjudge.errors import InputError, UsageError

LOCAL = "ADJUDGE_DATA"
"""Environment variable that names a folder with data sets."""
DEFAULT_FOLDER = "data"
_BLOCK = 1 << 16
TIMEOUT = 30.0
SHOWN = 10
"""How many missing files an error names."""
Came = Literal["there", "copied", "downloaded"]


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file: where it stands in a data folder, where it is fetched from, what it must add up to."""

    path: str
    url: str
    bytes: int | None = None
    sha256: str | None = None
    git: str | None = None
    """Git's id of the content, which tells its size and SHA-1."""


class Dataset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One data set."""

    name: str
    title: str
    licence: str
    home: str
    base: str
    use: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        """Bytes of the files whose size is known."""
        return sum(file.bytes or 0 for file in self.files)


class Fetched(Struct, frozen=True):
    """What became of one file."""

    file: File
    path: Path
    came: Came


@cache
def datasets() -> dict[str, Dataset]:
    """All of them, by name."""
    described = tomllib.loads((files("adjudge.datasets") / "public.toml").read_text("utf-8"))
    return {name: msgspec.convert({"name": name, **entry}, Dataset) for name, entry in described.items()}


def find_dataset(name: str) -> Dataset:
    """The data set of that name."""
    known = datasets()
    if name not in known:
        raise UsageError(f"there is no data set {name!r}; there are {', '.join(known)}")
    return known[name]


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


def fetch(
    dataset: Dataset,
    folder: Path,
    *,
    local: Path | None = None,
    on_bytes: Callable[[int], None] | None = None,
    timeout: float = TIMEOUT,
) -> Iterator[Fetched]:
    """Bring the files into a folder one by one, each whole and checked, or not at all.

    A file that is there and right stays; one that `local` holds is copied; then the others are downloaded.
    Those that do not come are told together at the end.
    """
    absent = []
    for file in dataset.files:
        target = folder / file.path
        beside = local / file.path if local is not None else None
        if target.exists() and problem(file, target) is None:
            came: Came = "there"
        elif beside is not None and beside.exists() and beside.resolve() != target.resolve():
            with beside.open("rb") as stream:
                _save(file, stream, target, str(beside), on_bytes)
            came = "copied"
        else:
            absent.append(file)
            continue
        yield Fetched(file, target, came)
    missing: dict[str, InputError] = {}
    offline: Unreachable | None = None
    for file in absent:
        target = folder / file.path
        try:
            if offline is not None:  # trying each would only wait as often
                raise offline
            _download(dataset, file, target, on_bytes, timeout)
        except InputError as error:
            missing[file.path] = error
            offline = error if isinstance(error, Unreachable) else None
        else:
            yield Fetched(file, target, "downloaded")
    if missing:
        raise _all_missing(dataset, folder, missing)


class Unreachable(InputError):
    """The home of a data set cannot be reached at all."""


def _all_missing(dataset: Dataset, folder: Path, missing: dict[str, InputError]) -> InputError:
    """One error for all files that did not come, with the reason of the first."""
    first = next(iter(missing.values()))
    if len(missing) == 1:
        return first
    shown = ", ".join(list(missing)[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
    return InputError(
        f"{first.problem}; {len(missing)} of {len(dataset.files)} files are missing: {shown}",
        file=first.file,
        fix=f"fetch them from {dataset.home} by other means into {folder}, or set {LOCAL} to a folder "
        "that has them",
    )


def problem(file: File, path: Path) -> str | None:
    """What is wrong with a file on disk; None if it is what it should be, or that cannot be told."""
    size = path.stat().st_size
    if file.bytes is not None and size != file.bytes:
        return f"it has {size:,} bytes instead of {file.bytes:,}"
    with path.open("rb") as stream:
        if file.sha256 is not None and hashlib.file_digest(stream, "sha256").hexdigest() != file.sha256:
            return "its SHA-256 is not the expected one"
        stream.seek(0)
        if file.git is not None and _git_id(stream, size) != file.git:
            return "its content is not the expected one (git id differs)"
    return None


def _git_id(stream: IO[bytes], size: int) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while block := stream.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _download(
    dataset: Dataset, file: File, target: Path, on_bytes: Callable[[int], None] | None, timeout: float
) -> None:
    url = dataset.base + file.url
    request = Request(url, headers={"User-Agent": f"adjudge/{__version__}"})
    fix = (
        f"fetch it from {dataset.home} by other means into {target}, or set {LOCAL} to a folder that has "
        f"{file.path}"
    )
    try:
        with urlopen(request, timeout=timeout) as answer:
            _save(file, answer, target, url, on_bytes)
    except HTTPError as error:
        error.close()
        raise InputError(f"the server answered {error.code} {error.reason}", file=url, fix=fix) from None
    except (URLError, TimeoutError, HTTPException, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        raise Unreachable(
            f"it cannot be reached; is this machine offline? ({reason})", file=url, fix=fix
        ) from None


def _save(
    file: File, stream: IO[bytes], target: Path, origin: str, on_bytes: Callable[[int], None] | None
) -> None:
    """Write beside the target, check, and only then put it in place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as out:
            shutil.copyfileobj(_Told(stream, on_bytes) if on_bytes else stream, out, _BLOCK)
        wrong = problem(file, unfinished)
        if wrong is not None:
            raise InputError(
                f"what came is not the file that is wanted: {wrong}",
                file=origin,
                fix="try again; if it stays so, the file has changed at its home",
            )
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


class _Told:
    """A stream that tells how much of it was read."""

    def __init__(self, stream: IO[bytes], on_bytes: Callable[[int], None]) -> None:
        self._stream = stream
        self._on_bytes = on_bytes

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self._on_bytes(len(block))
        return block


def present(dataset: Dataset, folders: Iterable[Path]) -> dict[str, Path]:
    """Files of a data set that are on this machine, and where; contents are not checked."""
    found: dict[str, Path] = {}
    for folder in folders:
        for file in dataset.files:
            if file.path not in found and (folder / file.path).exists():
                found[file.path] = folder / file.path
    return found
