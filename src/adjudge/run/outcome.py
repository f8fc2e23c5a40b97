"""What a run came to, and how it is written into its folder."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct

from adjudge.errors import InputError
from adjudge.run.engine import Plan
from adjudge.run.store import RunFolder, RunInfo
from adjudge.types import Record, Summary


class Outcome(Struct, kw_only=True):
    """What a run came to."""

    summary: Summary
    plan: Plan | None
    records: list[Record] | None
    skipped: list[InputError]
    usage: dict[str, dict[str, Any]] = {}
    """Calls, tokens and cost of each model that was asked; a resumed run tells of all its parts."""
    notes: dict[str, int] = {}
    """Odd things in the input that were read all the same, with how often."""
    resumed: int = 0
    """Samples taken over from an earlier, interrupted run."""
    already_finished: bool = False


def finish(folder: RunFolder, info: RunInfo, outcome: Outcome) -> None:
    """Write what a run came to; its records are in the folder."""
    folder.flush()
    folder.write_summary(outcome.summary)
    info.signatures = outcome.summary.signatures
    info.not_scored = outcome.summary.not_scored
    info.skipped = dict(Counter(error.problem for error in outcome.skipped))
    info.usage = outcome.usage
    info.notes = outcome.notes
    info.finished = True
    folder.write_info(info)
