"""`adjudge leaderboard`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from adjudge.errors import UsageError
from adjudge.report.leaderboard import board_parts
from adjudge.stats.leaderboard import leaderboard
from adjudge.verbs.common import print_tables


def leaderboard_verb(
    runs: Sequence[Path], *, split: str | None, rank_by: str | None, about: Sequence[str], as_json: bool
) -> None:
    """Checkers on one split, best first."""
    lines = {}
    for entry in about:
        name, equals, line = entry.partition("=")
        if not equals:
            raise UsageError(f"--about {entry!r}: write CHECKER=LINE")
        lines[name] = line
    board = leaderboard(runs, split=split, ranked_by=rank_by, about=lines)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(board), indent=1))
        return
    print_tables(board_parts(board))
