"""What an interrupted run has already written."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from adjudge.run.store import read_records
from adjudge.types import Record


class Finished:
    """Samples that an earlier run already wrote, taken over one after another."""

    def __init__(self, path: Path | None) -> None:
        self._groups = groupby(read_records(path), lambda record: record.id) if path else iter(())
        self._records: list[Record] = []
        self.ahead: str | None = None
        """Id of the next such sample."""
        self._step()

    def take(self) -> list[Record]:
        records = self._records
        self._step()
        return records

    def _step(self) -> None:
        self.ahead, self._records = None, []
        for key, group in self._groups:
            self.ahead, self._records = key, list(group)
            return
