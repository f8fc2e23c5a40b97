"""What the models behind a judge were asked and cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from adjudge.chat.calls import read_calls
from adjudge.chat.totals import Totals
from adjudge.judges.base import Judge


def usage_of(judge: Judge) -> dict[str, dict[str, Any]]:
    """Totals by model name since the judge was made; nothing for judges that ask no model."""
    return {name: totals.to_dict() for name, totals in _totals(judge).items()}


class RunUsage:
    """What one run used: a judge may have served others before, and a run may go on with an earlier part."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._before = {name: replace(totals) for name, totals in _totals(judge).items()}
        self._earlier: dict[str, Totals] = {}

    def go_on(self, told: Mapping[str, Mapping[str, Any]], calls: Path) -> None:
        """Count in an earlier part: by its call log, which a kill leaves whole, else as run.json told."""
        logged = read_calls(calls)
        for name in self._before:
            model = name.partition("/")[2] or name
            if model in logged:
                self._earlier[name] = logged.pop(model)
            elif name in told:
                self._earlier[name] = Totals.from_dict(told[name])

    def so_far(self) -> dict[str, dict[str, Any]]:
        """Calls, tokens and cost by model name, of all parts."""
        nothing = Totals()
        return {
            name: now.plus(self._before[name], -1).plus(self._earlier.get(name, nothing)).to_dict()
            for name, now in _totals(self._judge).items()
        }


def _totals(judge: Judge) -> dict[str, Totals]:
    parts = getattr(judge, "parts", [judge])
    return {part.name: part.totals for part in parts if getattr(part, "totals", None) is not None}
