"""What was answered so far, kept on disk as it comes, so that nothing is asked twice.

`out.journal.jsonl` beside the output has a line for each answer or failure, by the digest of what was asked.
The output itself is written from it, in order, when all is done. A torn last line is cut off.
"""

from __future__ import annotations

from errno import ENOSPC
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec import Struct

from adjudge.errors import RunFolderError, UsageError


class Entry(Struct, frozen=True, omit_defaults=True):
    """One line: an answer, or why there is none."""

    request: str
    answer: dict[str, Any] | None = None
    error: str | None = None


def check_out(out: Path) -> None:
    """Whether answers can be written there; told before anything is asked."""
    if str(out) == "-" or (out.exists() and not out.is_file()):
        raise UsageError(f"answers go to a file, with a journal beside it, not to {str(out)!r}")


def journal_path(out: Path) -> Path:
    """`answers.journal.jsonl` for `answers.jsonl`."""
    return out.with_name(f"{_stem(out)}.journal.jsonl")


def failed_path(out: Path) -> Path:
    """`answers.failed.jsonl` for `answers.jsonl`."""
    return out.with_name(f"{_stem(out)}.failed.jsonl")


def _stem(out: Path) -> str:
    name = out.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


class Journal:
    """Answers by request, on disk; only their places are held in memory. One process at a time."""

    def __init__(self, out: Path, *, overwrite: bool = False) -> None:
        from filelock import FileLock, Timeout

        check_out(out)
        self.path = journal_path(out)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise RunFolderError(
                f"another process is writing {out}; wait for it or choose another -o"
            ) from None
        self._places: dict[str, tuple[int, int]] = {}
        self._failed: dict[str, str] = {}
        try:
            self._file = self._open(out, overwrite)
        except BaseException:
            self._lock.release()
            raise
        try:
            self._end = self._index()
        except BaseException:
            self.close()
            raise

    def _open(self, out: Path, overwrite: bool) -> FileIO:
        """The journal to go on with. Called with the lock held: until then it may be another process's."""
        if overwrite:
            self.path.unlink(missing_ok=True)
        elif out.exists() and not self.path.exists():
            raise UsageError(
                f"{out} is there, and no journal of how it was made; choose another -o, or --overwrite"
            )
        self.path.touch()
        # Unbuffered: what was added is in the system's hands, whatever becomes of this process.
        return self.path.open("r+b", buffering=0)

    def _index(self) -> int:
        decode = msgspec.json.Decoder(Entry).decode
        end = 0
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    self._note(decode(line), end, len(line))
                except msgspec.MsgspecError as error:
                    raise RunFolderError(
                        f"{self.path}:{number} is damaged ({error}); delete the line, or --overwrite"
                    ) from None
                end += len(line)
        self._file.truncate(end)
        return end

    def _note(self, entry: Entry, start: int, length: int) -> None:
        if entry.answer is not None:
            self._places[entry.request] = (start, length)
            self._failed.pop(entry.request, None)
        else:
            self._failed[entry.request] = entry.error or "failed"

    def __contains__(self, request: str) -> bool:
        return request in self._places

    def error(self, request: str) -> str | None:
        """Why the last attempt failed; None if there is an answer, or was no attempt."""
        return self._failed.get(request)

    def answer(self, request: str) -> dict[str, Any]:
        """The answer, read from disk."""
        start, length = self._places[request]
        self._file.seek(start)
        found = msgspec.json.decode(self._file.read(length), type=Entry).answer
        assert found is not None
        return found

    def add(self, entry: Entry) -> None:
        """One write, so that a kill leaves a whole line or a torn last one."""
        line = msgspec.json.encode(entry) + b"\n"
        try:
            self._file.seek(self._end)
            if self._file.write(line) != len(line):
                raise OSError(ENOSPC, "the disk is full")
        except OSError as error:
            raise RunFolderError(f"cannot write {self.path}: {error.strerror}") from None
        self._note(entry, self._end, len(line))
        self._end += len(line)

    def close(self) -> None:
        """Let others in."""
        self._file.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
