"""Data sets brought onto this machine: each file whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import IO, Literal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import msgspec
from msgspec import Struct

from adjudge._version import __version__
from adjudge.datasets.public import LOCAL, Dataset, File
from adjudge.datasets.recorded import forget, read_record, record
from adjudge.errors import InputError

_BLOCK = 1 << 16
TIMEOUT = 30.0
SHOWN = 3
"""How many missing files an error names."""
Came = Literal["there", "copied", "downloaded"]


class Fetched(Struct, frozen=True):
    """What became of one file."""

    file: File
    path: Path
    came: Came


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
    Those that do not come are told together at the end. What the registry has no checksum of is recorded as
    it comes, and must stay so.
    """
    absent = []
    fresh: set[str] = set()
    for file in known_files(dataset, folder):
        target = folder / file.path
        beside = local / file.path if local is not None else None
        if target.exists() and problem(file, target) is None:
            _record(dataset, file, folder)
            came: Came = "there"
        elif beside is not None and beside.exists() and beside.resolve() != target.resolve():
            with beside.open("rb") as stream:
                _save(file, stream, target, str(beside), on_bytes)
            _record(dataset, file, folder)
            fresh.add(file.path)
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
            _record(dataset, file, folder)
            fresh.add(file.path)
        except InputError as error:
            missing[file.path] = error
            offline = error if isinstance(error, Unreachable) else None
        else:
            yield Fetched(file, target, "downloaded")
    _check_sums(dataset, folder, fresh)
    if missing:
        raise _all_missing(dataset, folder, missing)


def known_files(dataset: Dataset, folder: Path) -> Iterator[File]:
    """Files with the checksums that were recorded in a folder, where the registry has none."""
    sums = read_record(folder / dataset.name)
    for file in dataset.files:
        told = sums.get(file.path.removeprefix(f"{dataset.name}/"))
        yield file if file.has_checksum or told is None else msgspec.structs.replace(file, sha256=told)


def _record(dataset: Dataset, file: File, folder: Path) -> None:
    if not file.has_checksum:
        record(folder / dataset.name, folder / file.path)


def _check_sums(dataset: Dataset, folder: Path, fresh: set[str]) -> None:
    """Whether the files of a part have the bytes that its publisher states for all of them together.

    If not, those of them that only just came are taken away again.
    """
    for part, stated in dataset.sums.items():
        files = [file for file in dataset.files if file.folder == part]
        paths = [folder / file.path for file in files]
        if not all(path.exists() for path in paths):
            continue
        found = sum(path.stat().st_size for path in paths)
        if found == stated:
            continue
        for file, path in zip(files, paths, strict=True):
            if not file.has_checksum and file.path in fresh:
                path.unlink()
                forget(folder / dataset.name, path)
        raise InputError(
            f"its files have {found:,} bytes together, and their publisher says {stated:,}",
            file=str(folder / part),
            fix="try again; if it stays so, one has changed at its home, or one that was there is wrong",
        )


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
            length = answer.headers.get("Content-Length")
            if file.bytes is None and length is not None:  # nothing else would tell that it broke off
                file = msgspec.structs.replace(file, bytes=int(length))
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
