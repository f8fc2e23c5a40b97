"""The run folder: what a run leaves behind, and how a killed one goes on.

    run.json               format, settings, signatures, versions, digest of the input, whether it finished
    records-00000.jsonl …  one line a sample and protocol, in input order
    calls.jsonl            one line a model call
    summary.json           rebuildable from the records

The same input and settings give the same bytes of records, whatever the concurrency and however often the run
was interrupted.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import msgspec
from msgspec import Struct

from adjudge.errors import AdjudgeError, RunFolderError
from adjudge.types import FORMAT, NotScored, Record, Summary, to_json

SHARD = 256 * 1024 * 1024
"""Bytes after which records go on in the next file."""
BUFFER = 1 << 20


class RunInfo(Struct, kw_only=True, omit_defaults=True, tag_field="format", tag=FORMAT):
    """run.json."""

    adjudge: str
    created: str
    settings: dict[str, Any]
    protocols: dict[str, dict[str, Any]]
    choice: str = "named"
    input: dict[str, Any] = {}
    evidence: dict[str, str] = {}
    """Where each protocol looked things up, a corpus with the digest of its content."""
    signatures: dict[str, str] = {}
    by: tuple[str, ...] = ()
    versions: dict[str, str] = {}
    skipped: dict[str, int] = {}
    not_scored: dict[str, NotScored] = {}
    """Samples that no protocol scored, by reason."""
    notes: dict[str, int] = {}
    labeller: str = ""
    """The judge as signatures name it, which its name alone does not tell."""
    servers: dict[str, str] = {}
    """Where each model was asked, without secrets."""
    usage: dict[str, dict[str, Any]] = {}
    """Calls, tokens and cost of each model that was asked."""
    finished: bool = False


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise RunFolderError(
            f"cannot write {path}: {error.strerror}; choose another folder with -o"
        ) from None


def read_info(folder: Path) -> RunInfo:
    """run.json of a folder, refused if it is not a run or of a newer format."""
    path = folder / "run.json"
    if not folder.is_dir():
        raise RunFolderError(f"there is no run folder {folder}; 'adjudge run FILE -o {folder}' makes one")
    if not path.exists():
        raise RunFolderError(f"{folder} holds no run.json, so it is not a run folder")
    try:
        raw = msgspec.json.decode(path.read_bytes())
        version = raw["format"]
        if version != FORMAT:
            raise RunFolderError(
                f"{folder} was written in format {version}, this adjudge reads format {FORMAT};"
                " use the version that wrote it, named in its run.json, or run again into another folder"
            )
        return msgspec.convert(raw, RunInfo)
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise RunFolderError(f"{path} is damaged ({error}); run again into another folder") from None


def refuse_foreign(folder: Path) -> None:
    """A folder that holds something, but no run, is the user's own: nothing is written or deleted there."""
    if not (folder / "run.json").exists() and any(entry.name != ".lock" for entry in folder.iterdir()):
        raise RunFolderError(f"{folder} is not empty and holds no run; choose another folder with -o")


def read_records(folder: Path) -> Iterator[Record]:
    """All records, in order; a torn last line is passed over."""
    decode = msgspec.json.Decoder(Record).decode
    shards = shard_paths(folder)
    for shard in shards:
        with shard.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield decode(line)
                except msgspec.MsgspecError as error:
                    if shard == shards[-1] and not line.endswith(b"\n"):
                        return
                    raise RunFolderError(f"{shard}:{number} is damaged: {error}") from None


def read_summary(folder: Path) -> Summary | None:
    """summary.json, or None where it is missing or unreadable and must be rebuilt."""
    try:
        return msgspec.json.decode((folder / "summary.json").read_bytes(), type=Summary)
    except (OSError, msgspec.MsgspecError):
        return None


def shard_paths(folder: Path) -> list[Path]:
    """The record files, in order."""
    return sorted(folder.glob("records-*.jsonl"))


class RunFolder:
    """A run folder open for writing, by one process at a time."""

    def __init__(self, path: Path, *, shard_bytes: int = SHARD) -> None:
        from filelock import FileLock, Timeout

        self.path = path
        self.shard_bytes = shard_bytes
        self._made = [folder for folder in (path, *path.parents) if not folder.exists()]
        self._fresh = not path.is_dir() or all(entry.name == ".lock" for entry in path.iterdir())
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path / ".lock")
            self._lock.acquire(timeout=0)
        except Timeout:
            raise RunFolderError(
                f"another process is writing to {path}; wait for it or choose another -o"
            ) from None
        except OSError as error:
            raise RunFolderError(
                f"cannot write to {path}: {error.strerror}; choose another folder with -o"
            ) from None
        self._stream: IO[bytes] | None = None
        self._size = 0
        self._encoder = msgspec.json.Encoder()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, AdjudgeError) and self._fresh:
            self._discard_if_empty()

    def _discard_if_empty(self) -> None:
        """A run that was refused leaves no folder, unless something was scored or paid for."""
        calls = self.path / "calls.jsonl"
        if any(shard.stat().st_size for shard in shard_paths(self.path)):
            return
        if calls.exists() and b'"outcome":"ok"' in calls.read_bytes():
            return
        for path in [*shard_paths(self.path), calls, self.path / "run.json", self.path / ".lock"]:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it holds something of the user's
            for folder in self._made:
                folder.rmdir()

    def close(self) -> None:
        """Write out what is buffered and let others in."""
        stream, self._stream = self._stream, None
        try:
            if stream is not None:
                with self._writing():
                    stream.close()
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A disk that is full, or gone, said as what it is: a fault of this folder."""
        try:
            yield
        except OSError as error:
            raise RunFolderError(
                f"cannot write records to {self.path}: {error.strerror};"
                " make room and give the same command again, or choose another folder with -o"
            ) from None

    def write_info(self, info: RunInfo) -> None:
        write_atomic(self.path / "run.json", msgspec.json.format(to_json(info), indent=2) + b"\n")

    def write_summary(self, summary: Summary) -> None:
        write_atomic(self.path / "summary.json", msgspec.json.format(to_json(summary), indent=1) + b"\n")

    def clear(self) -> None:
        """Forget an earlier run's records and summary."""
        refuse_foreign(self.path)
        for path in [*shard_paths(self.path), self.path / "summary.json", self.path / "calls.jsonl"]:
            path.unlink(missing_ok=True)

    def begin(self) -> None:
        """Open the last shard for appending."""
        shards = shard_paths(self.path)
        path = shards[-1] if shards else self._shard(0)
        with self._writing():
            self._stream = path.open("ab", buffering=BUFFER)
            self._size = path.stat().st_size
            (self.path / "calls.jsonl").touch()

    def append(self, records: list[Record]) -> None:
        """Write one sample's records. All of a sample's records go to the same shard."""
        assert self._stream is not None
        data = b"".join([self._encoder.encode(record) + b"\n" for record in records])
        with self._writing():
            if self._size and self._size + len(data) > self.shard_bytes:
                self._stream.close()
                self._stream = self._shard(len(shard_paths(self.path))).open("ab", buffering=BUFFER)
                self._size = 0
            self._stream.write(data)
        self._size += len(data)

    def flush(self) -> None:
        """Hand what is buffered to the system, so that a kill loses none of it."""
        if self._stream is not None:
            with self._writing():
                self._stream.flush()

    def cut_last_sample(self) -> None:
        """Drop a torn last line and the last sample, which may lack protocols; it is scored again."""
        decode = msgspec.json.Decoder(_Id).decode
        shards = shard_paths(self.path)
        while shards:
            start, last, good = 0, None, 0
            with shards[-1].open("rb") as stream:
                for line in stream:
                    try:
                        key = decode(line).id if line.endswith(b"\n") else None
                    except msgspec.MsgspecError:
                        key = None
                    if key is None:
                        if stream.read(1):
                            raise RunFolderError(
                                f"{shards[-1]} is damaged at byte {good}; run again into another folder"
                            )
                        break
                    if key != last:
                        start, last = good, key
                    good += len(line)
            if last is not None:
                os.truncate(shards[-1], start)
                return
            shards.pop().unlink()

    def _shard(self, index: int) -> Path:
        return self.path / f"records-{index:05}.jsonl"


class _Id(Struct):
    """Enough of a record to tell whose it is."""

    id: str
