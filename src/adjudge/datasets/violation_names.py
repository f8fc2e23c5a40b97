"""Names of splits (`split@version`) and of checkers (`checker@version|model`)."""

from __future__ import annotations

import re
from typing import Self

from msgspec import Struct

from adjudge.errors import UsageError

_PART = r"[^@|\s]+"
SPLIT_FORM = re.compile(rf"({_PART})@({_PART})")
CHECKER_FORM = re.compile(rf"({_PART})@({_PART})(?:\|(\S+))?")


class SplitName(Struct, frozen=True, order=True):
    """Texts with marked violations, in one version: `slogans@0.3.2`."""

    name: str
    version: str

    @classmethod
    def parse(cls, text: str) -> Self:
        found = SPLIT_FORM.fullmatch(text)
        if found is None:
            raise UsageError(f"{text!r} is no name of a split; write name@version, e.g. slogans@0.3.2")
        return cls(found[1], found[2])

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


class CheckerName(Struct, frozen=True, order=True):
    """What flags violations, in one version, and the model behind it if any: `baseline@1.1.0|some-model`."""

    name: str
    version: str
    model: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        found = CHECKER_FORM.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text!r} is no name of a checker; write name@version or name@version|model,"
                " e.g. baseline@1.1.0|some-model"
            )
        return cls(found[1], found[2], found[3])

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" + (f"|{self.model}" if self.model else "")


def as_name(text: str) -> str:
    """Any text as a part of a name: what separates parts becomes an underscore."""
    return re.sub(r"[@|\s]+", "_", text.strip()) or "unnamed"
