"""A comparison of systems as tables. Takes the comparison as plain data, which is also its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

MOVED = 8
"""Samples listed as having moved most."""

Row = dict[str, Any]


def comparison_tables(comparison: Row) -> Iterator[RenderableType]:
    """One table for each system held against the first, then what moved, then what to know."""
    from rich.text import Text

    first, *others = comparison["systems"]
    for second in others:
        rows = named_rows([row for row in comparison["rows"] if row["second"] == second])
        yield _table(first, second, rows)
        for line in _notes(comparison, first, second, rows):
            yield Text(f"  {line}", style="dim")
        yield Text(conclusion(first, second, rows) + "\n", style="bold")
        lines = moved_lines(rows)
        if lines:
            yield Text(f"moved most, {first} → {second}:")
            for line in lines:
                yield Text(f"  {line}")
            yield Text("")


def conclusion(first: str, second: str, rows: Sequence[Row]) -> str:
    """In one sentence, what is shown and what is not."""
    better, worse = (
        [_named(row) for row in rows if row["verdict"] == verdict] for verdict in ("better", "worse")
    )
    if not better and not worse:
        return f"{second} against {first}: no difference shown"
    parts = [
        f"{word} in {', '.join(found)}" for word, found in (("better", better), ("worse", worse)) if found
    ]
    rest = len(rows) - len(better) - len(worse)
    if rest:
        parts.append(f"no difference shown in {rest} other{'s' if rest > 1 else ''}")
    return f"{second} against {first}: {'; '.join(parts)}"


def _table(first: str, second: str, rows: Sequence[Row]) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title = f"{second} against {first}"
    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    numbers = (first, second, "difference", "95 % interval", "p", "p Holm", "effect", "w/t/l", "shows")
    table.add_column("metric", overflow="fold")
    for name in numbers:
        # In a narrow terminal names are folded, numbers never cut.
        table.add_column(name, justify="right", no_wrap=name not in (first, second), overflow="fold")
    table.add_column("verdict", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in _cells(row)))
    return table


def named_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows with the name they are shown by: with the group only where there is more than one."""
    groups = {tuple(row["group"].items()) for row in rows}
    return [{**row, "shown": _full_name(row) if len(groups) > 1 else row["metric"]} for row in rows]


def _cells(row: Row) -> list[str]:
    one, other = row["values"]
    interval = row["interval"]
    verdict = row["verdict"] if row["difference"] is not None else f"– ({row['reason']})"
    return [
        _named(row),
        _number(row, one),
        _number(row, other),
        _number(row, row["difference"], signed=True),
        "–" if interval is None else " – ".join(_number(row, bound, signed=True) for bound in interval),
        _chance(row["p"]),
        _chance(row["p_holm"]),
        "–" if row["effect"] is None else f"{row['effect']:+.2f}",
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        "–" if row["detectable"] is None else f"±{_number(row, row['detectable'])}",
        verdict,
    ]


def _named(row: Row) -> str:
    return str(row.get("shown") or _full_name(row))


def _full_name(row: Row) -> str:
    group = ", ".join(f"{name} {value}" for name, value in row["group"].items() if value is not None)
    return f"{row['metric']} [{group}]" if group else str(row["metric"])


def _number(row: Row, value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "–"
    shown = value if row["scale"] == "count" else 100 * value
    digits = 2 if row["scale"] == "count" else 1
    # Less than half a digit below 0 is 0, which has no minus.
    shown = round(shown, digits) + 0.0
    return f"{shown:+.{digits}f}" if signed else f"{shown:.{digits}f}"


def _chance(p: float | None) -> str:
    if p is None:
        return "–"
    # Near the threshold a third digit would decide what the verdict says.
    return "<.001" if p < 0.001 else f"{p:.{4 if p < 0.1 else 2}f}".removeprefix("0")


def _notes(comparison: Row, first: str, second: str, rows: Sequence[Row]) -> Iterator[str]:
    what = comparison["paired_on"][second]
    pairs = max((row["pairs"] for row in rows), default=0)
    yield (
        f"paired on {what}s: up to {pairs} pairs; {comparison['resamples']} resamples;"
        f" Holm's correction over {comparison['tests']} tests"
    )
    yield "w/t/l: items won, tied, lost; shows: the smallest difference that so many items show 4 times in 5"
    alone = comparison["only"][second]
    if any(alone.values()):
        told = ", ".join(f"{n} in {name} only" for name, n in alone.items() if n)
        yield f"left out, having no partner: {told}"
    uneven = [row for row in rows if any(row["left_out"])]
    for row in uneven[:3]:
        yield (
            f"{_named(row)}: left out {row['left_out'][0]} scored in {first} only,"
            f" {row['left_out'][1]} in {second} only"
        )
    if len(uneven) > 3:
        yield f"… and likewise {len(uneven) - 3} more metrics"
    for reason in dict.fromkeys(row["reason"] for row in rows if row["reason"]):
        named = [_named(row) for row in rows if row["reason"] == reason]
        yield f"{', '.join(named[:4])}{' …' if len(named) > 4 else ''}: {reason}"


def moved_lines(rows: Sequence[Row], most: int = MOVED) -> list[str]:
    """The samples whose share-valued metrics moved most, each once with its largest move."""
    moves = sorted(
        ((abs(m["second"] - m["first"]), m["id"], row, m) for row in rows for m in row["moved"]),
        key=lambda move: (-move[0] if move[2]["scale"] == "unit" else 0.0, move[1]),
    )
    lines: dict[str, str] = {}
    for _, name, row, move in moves:
        if name not in lines:
            one, other = _number(row, move["first"]), _number(row, move["second"])
            lines[name] = f"{name}: {_named(row)} {one} → {other}"
    return list(lines.values())[:most]
