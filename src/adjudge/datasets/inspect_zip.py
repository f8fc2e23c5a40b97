"""Reading an `.eval` archive, whose entries newer versions of Inspect pack with zstd."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from adjudge.errors import InputError

_ZSTD = 93
_LOCAL = struct.Struct("<26xHH")


class Archive:
    """A zip archive that also unpacks zstd entries, where Python or the package zstandard can."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise self._damaged(error) from None
        self.names = self._zip.namelist()

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """An entry, unpacked."""
        info = self._zip.getinfo(name)
        try:
            if info.compress_type != _ZSTD:
                return self._zip.read(info)
            return self._read_zstd(info)
        except (zipfile.BadZipFile, OSError, EOFError, zlib.error) as error:
            raise self._damaged(error) from None

    def _read_zstd(self, info: zipfile.ZipInfo) -> bytes:
        with self._path.open("rb") as stream:
            stream.seek(info.header_offset)
            # the local header repeats name and extra with lengths of its own
            name_length, extra_length = _LOCAL.unpack(stream.read(_LOCAL.size))
            stream.seek(name_length + extra_length, io.SEEK_CUR)
            return self._unpack(stream.read(info.compress_size))

    def _unpack(self, packed: bytes) -> bytes:
        zstd = _module("compression.zstd") or _module("zstandard")
        if zstd is None:
            raise InputError(
                "the log is packed with zstd, which this Python cannot unpack",
                file=self._name,
                fix="pip install zstandard, or: inspect log convert --to json --output-dir json "
                + self._path.name,
            )
        try:
            if hasattr(zstd, "ZstdDecompressionReader"):
                with zstd.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                    return bytes(reader.read())
            return bytes(zstd.decompress(packed))
        except zstd.ZstdError as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> InputError:
        return InputError(
            f"it cannot be unpacked: {error}",
            file=self._name,
            fix="the file is cut short or damaged; copy it again",
        )


def _module(name: str) -> Any | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
