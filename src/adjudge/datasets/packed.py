"""A single file inside a tar archive, read as if it lay there unpacked."""

from __future__ import annotations

import tarfile
from io import BufferedReader, RawIOBase
from typing import IO, cast

from adjudge.errors import InputError

_MAGIC_AT = 257
_MAGIC = b"ustar"


def is_tar(stream: IO[bytes]) -> bool:
    """Whether the bytes are a tar archive's; the stream is left at its beginning."""
    start = stream.read(_MAGIC_AT + len(_MAGIC))
    stream.seek(0)
    return start[_MAGIC_AT:] == _MAGIC


class _Member(BufferedReader):
    """A file inside an archive; the archive's own stream is closed with it."""

    def __init__(self, inner: IO[bytes], stream: IO[bytes]) -> None:
        super().__init__(cast("RawIOBase", inner))
        self._stream = stream

    def close(self) -> None:
        super().close()
        self._stream.close()


def open_single(stream: IO[bytes], name: str) -> IO[bytes]:
    """The one file of a tar archive; several are an error, because nobody can tell which is meant."""
    try:
        # An archive over a stream of ours holds nothing itself, and the file read from it outlives us.
        archive = tarfile.open(fileobj=stream, mode="r:")  # noqa: SIM115
        members = [member for member in archive if member.isfile()]
        if len(members) != 1:
            shown = ", ".join(member.name for member in members[:5])
            raise InputError(
                f"the archive holds {len(members)} files: {shown}",
                file=name,
                fix="unpack it and name one of them",
            )
        inner = archive.extractfile(members[0])
    except tarfile.TarError as error:
        raise InputError(f"it cannot be unpacked: {error}", file=name, fix="pack it again") from None
    assert inner is not None, "a regular file has contents"
    return _Member(inner, stream)
