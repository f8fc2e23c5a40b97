"""Samples in memory: Sample objects and dicts, under the same rules as the lines of a file."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from adjudge.datasets import native
from adjudge.datasets.mapping import mapping_reader
from adjudge.datasets.odd_json import without_surrogates
from adjudge.datasets.rows import id_text
from adjudge.datasets.seen import SeenIds
from adjudge.datasets.source import Row
from adjudge.errors import InputError, UsageError
from adjudge.types import Sample


class Objects:
    """What a file's `Source` is, for samples in memory."""

    name = "samples"

    def __init__(self, objects: Iterable[Any], mapping: Mapping[str, str] | None = None) -> None:
        if isinstance(objects, (Mapping, Sample)):
            raise UsageError("this is one sample; put it in a list")
        self._objects = objects
        self._mapping = mapping
        self._convert = mapping_reader(mapping).convert if mapping else native.convert
        self.notes: Counter[str] = Counter()
        """Odd things that were read all the same (NaN, lone surrogates), with how often."""
        self.seen = SeenIds()

    def digest(self) -> str | None:
        """sha256 of the samples, to tell another list from the one that a folder holds; None for a stream."""
        if not isinstance(self._objects, Sequence):
            return None
        content = hashlib.sha256()
        for entry in self._objects:
            content.update(msgspec.json.encode(plain(entry, Counter()), enc_hook=repr))
        return content.hexdigest()

    def read(self, on_error: Callable[[InputError], None]) -> Iterator[Sample]:
        """The samples, in order; bad ones are handed to `on_error` and passed over."""
        for index, entry in enumerate(self._objects):
            try:
                sample = self._sample(entry, index)
                if self.seen.add(sample.id, index + 1) is not None:
                    raise InputError(
                        f"two samples have this id (the second is number {index})",
                        sample=sample.id,
                        field="id",
                        fix="make ids unique; use item to say that samples belong together",
                    )
            except InputError as error:
                on_error(error)
                continue
            yield sample

    def _sample(self, entry: Any, index: int) -> Sample:
        if not isinstance(entry, (Mapping, Sample)):
            raise InputError(f"sample number {index} is {type(entry).__name__}, not a Sample or a dict")
        data = plain(entry, self.notes)
        if not self._mapping or "id" not in self._mapping:
            if data.get("item") == data.get("id"):  # as a Sample has made it, of an id that may be a number
                data.pop("item", None)
            data["id"] = id_text(data.get("id"), index)
        (sample,) = self._convert(Row(data, self.name, index + 1))
        return sample


def plain(value: Any, notes: Counter[str]) -> Any:
    """The value as JSON would bring it; oddities are counted in `notes`. What JSON has not is left alone."""
    if isinstance(value, str):
        text = value if type(value) is str else str.__str__(value)  # numpy has a kind of text of its own
        return text if text.isascii() else without_surrogates(text, notes)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return _finite(float(value), notes)
    if isinstance(value, (list, tuple)):
        return [plain(entry, notes) for entry in value]
    if isinstance(value, msgspec.Struct):
        given = [(name, getattr(value, name)) for name in value.__struct_fields__]
        return {name: plain(entry, notes) for name, entry in given if entry is not None}
    if isinstance(value, Mapping):
        return {plain(key, notes): plain(entry, notes) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return plain(value.tolist(), notes)
    return None if type(value).__name__ in _MISSING else value


_MISSING = ("NAType", "NaTType")
"""What pandas has where nothing is."""


def _finite(value: float, notes: Counter[str]) -> float | None:
    if math.isfinite(value):
        return value
    name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    notes[f"{name} read as null"] += 1
    return None
