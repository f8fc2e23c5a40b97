"""What files add up to where their publisher does not say: recorded when they first came, checked ever after.

`SHA256SUMS` in a data set's folder has the form that `sha256sum -c SHA256SUMS` checks.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

RECORD = "SHA256SUMS"


def read_record(folder: Path) -> dict[str, str]:
    """Checksums by path below the folder; none where nothing was recorded."""
    path = folder / RECORD
    if not path.exists():
        return {}
    lines = (line.split(None, 1) for line in path.read_text("utf-8").splitlines())
    return {parts[1].lstrip("*"): parts[0] for parts in lines if len(parts) == 2}


def record(folder: Path, path: Path) -> str:
    """Add a file's checksum, which from now on it must keep."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    _write(folder, read_record(folder) | {path.relative_to(folder).as_posix(): digest})
    return digest


def forget(folder: Path, path: Path) -> None:
    """Take a file's checksum out again."""
    kept = read_record(folder)
    if kept.pop(path.relative_to(folder).as_posix(), None) is not None:
        _write(folder, kept)


def _write(folder: Path, sums: dict[str, str]) -> None:
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
    unfinished = folder / f".{RECORD}"
    unfinished.write_text(text, "utf-8")
    unfinished.replace(folder / RECORD)
