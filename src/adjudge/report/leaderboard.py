"""A leaderboard of checkers as text and table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.report.table import percent
from adjudge.run.board import Board, Cell, Standing

if TYPE_CHECKING:
    from rich.console import RenderableType

_COLUMNS = {
    "std_precision": "std P",
    "std_recall": "std R",
    "std_f1": "std F1",
    "ha_precision": "ha P",
    "ha_recall": "ha R",
    "ha_f1": "ha F1",
    "match_score": "match",
}
_RARE = {"match_score_std": "std match"}
"""Shown only where it decides the order."""
_PLAIN = ("std_precision", "std_recall", "ha_precision", "ha_recall")
"""Shown without interval, to leave room; JSON has them all."""


def board_parts(board: Board) -> Iterator[RenderableType]:
    """Heading, a line on each checker, the table, and what to beware of."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    yield Text("\n".join(heading(board)) + "\n")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("checker", overflow="fold")
    columns = _COLUMNS | {name: title for name, title in _RARE.items() if name == board.ranked_by}
    for name in ("n", *columns.values(), "behind"):
        table.add_column(name, justify="right", no_wrap=True)
    for standing in board.standings:
        cells = [cell_text(standing.metrics[name], name not in _PLAIN) for name in columns]
        table.add_row(standing.checker, str(standing.samples), *cells, behind_text(standing))
    yield table
    for warning in board.warnings:
        yield Text(f"warning: {warning}")
    yield Text(f"behind: how much higher the first one's {board.ranked_by} is, on the same items")
    yield Text(f"signature {board.signature}")


def heading(board: Board) -> list[str]:
    """What the split is and who is on the board."""
    lines = [board.split, *([board.description] if board.description else [])]
    lines += [f"samples: {board.samples}", f"violations: {board.violations}", ""]
    for standing in board.standings:
        flagged = f"{standing.flagged} flagged"
        lines.append(f"{standing.checker}: {standing.about or 'no description'} ({flagged})")
    return lines


def cell_text(cell: Cell, interval: bool = True) -> str:
    """`24.9` over `21.1–30.0`."""
    if cell.value is None or cell.interval is None or not interval:
        return percent(cell.value)
    low, high = cell.interval
    return f"{percent(cell.value)}\n{percent(low)}–{percent(high)}"


def behind_text(standing: Standing) -> str:
    """The difference, and whether it is one."""
    gap = standing.behind
    if gap is None:
        return ""
    if gap.value is None:
        return gap.reason or "–"
    if gap.interval is None:
        return f"{percent(gap.value)}\nno interval"
    low, high = gap.interval
    said = f"{percent(gap.value)}\n{percent(low)}–{percent(high)}"
    return f"{said}\nnot shown" if low <= 0 <= high else said
