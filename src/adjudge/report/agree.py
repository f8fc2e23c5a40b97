"""Agreement as tables. Takes the agreement as plain data, which is also its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

Row = dict[str, Any]
SHORT = {"balanced_accuracy": "balanced", "kappa_linear": "κ linear", "kappa_quadratic": "κ quadratic"}
TITLES = {
    "label": "by label, over all units",
    "unit": "by label and kind of unit",
    "sample": "by sample",
}
KINDS = {"flag": "yes or no", "class": "classes", "rank": "ordered classes", "number": "numbers"}
LISTED = 5
"""Disagreements shown a row at the unit level."""


def agreement_tables(agreement: Row) -> Iterator[RenderableType]:
    """A table for each level, kind of values and pair of raters; people among themselves are the ceiling."""
    from rich.text import Text

    rows = agreement["rows"]
    for level in dict.fromkeys(row["level"] for row in rows):
        of_level = [row for row in rows if row["level"] == level]
        for kind, first, second in dict.fromkeys(map(_key, of_level)):
            mine = [row for row in of_level if _key(row) == (kind, first, second)]
            ceiling = " (people: the ceiling)" if mine[0]["ceiling"] else ""
            yield _table(f"{first} – {second}{ceiling}: {TITLES[level]}, {KINDS[kind]}", mine)
        for line in ceiling_lines(of_level):
            yield Text(f"  {line}")
    for line in joint_lines(agreement["joint"]):
        yield Text(f"  {line}")
    for line in (*reason_lines(rows), *unmatched_lines(agreement["unmatched"])):
        yield Text(f"  {line}", style="dim")
    if any(row["level"] == "unit" for row in rows):
        yield from map(Text, _disagreements(rows))


def _key(row: Row) -> tuple[str, str, str]:
    return row["kind"], row["first"], row["second"]


def _table(title: str, rows: Sequence[Row]) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    names = list(dict.fromkeys(name for row in rows for name in row["statistics"]))
    table.add_column("", overflow="fold")
    table.add_column("pairs", justify="right", no_wrap=True)
    for name in names:
        table.add_column(SHORT.get(name, name), justify="right", no_wrap=True)
    for row in rows:
        cells = [_cell(row["statistics"].get(name)) for name in names]
        table.add_row(*map(Text, [named(row), str(row["pairs"]), *cells]))
    return table


def _cell(estimate: Row | None) -> str:
    """The value, and its interval below."""
    if estimate is None or estimate.get("value") is None:
        return "–"
    interval = estimate.get("interval")
    below = "" if interval is None else f"\n{_short(interval[0])} – {_short(interval[1])}"
    return f"{_short(estimate['value'])}{below}"


def _short(value: float) -> str:
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def named(row: Row) -> str:
    """`trace.support [resp]`."""
    name = (
        row["name"] if row["name"].startswith(f"{row['protocol']}.") else f"{row['protocol']}.{row['name']}"
    )
    group = ", ".join(f"{key} {value}" for key, value in row.get("group", {}).items())
    told = ", ".join(part for part in (row.get("part", ""), group) if part)
    return f"{name} [{told}]" if told else str(name)


def ceiling_lines(rows: Sequence[Row]) -> list[str]:
    """What people reach among themselves, on the mean over all pairs of them, where there are several."""
    found: dict[str, dict[str, list[float]]] = {}
    pairs: dict[str, int] = {}
    for row in rows:
        if row["ceiling"]:
            pairs[named(row)] = pairs.get(named(row), 0) + 1
            for name, estimate in row["statistics"].items():
                if estimate.get("value") is not None:
                    found.setdefault(named(row), {}).setdefault(name, []).append(estimate["value"])
    return [
        f"ceiling of {what}, mean over {pairs[what]} pairs of people: "
        + ", ".join(f"{name} {_short(sum(values) / len(values))}" for name, values in statistics.items())
        for what, statistics in found.items()
        if pairs[what] > 1
    ]


def joint_lines(joint: Sequence[Row]) -> Iterator[str]:
    """Krippendorff's alpha of all people."""
    for row in joint:
        alpha = row["alpha"]
        value = (
            f"none ({alpha.get('reason')})"
            if alpha.get("value") is None
            else _cell(alpha).replace("\n", ", ")
        )
        of = f"{row['units']} {'samples' if row['level'] == 'sample' else 'units'}"
        yield f"alpha of {len(row['raters'])} people on {named(row)}: {value} ({of})"


def reason_lines(rows: Sequence[Row]) -> list[str]:
    """Why a number is missing: each reason once, with the statistics it holds for."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, estimate in row["statistics"].items():
            if estimate.get("reason"):
                lacks = "no interval" if estimate.get("value") is not None else "no value"
                found.setdefault(f"{lacks}: {estimate['reason']}", {})[f"{named(row)} {name}"] = None
    return [
        f"{', '.join(list(names)[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}: {reason}"
        for reason, names in found.items()
    ]


def unmatched_lines(unmatched: dict[str, dict[str, int]]) -> Iterator[str]:
    """What had no partner."""
    for other, found in unmatched.items():
        if found:
            yield f"without a partner ({other}): {', '.join(f'{n} {what}' for what, n in found.items())}"


def _disagreements(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row["level"] != "unit" or not row["disagreements"] or row["ceiling"]:
            continue
        yield f"\n{named(row)}: {row['first']} and {row['second']} differ, for example, on"
        for one in row["disagreements"][:LISTED]:
            against = f" against {one['against']}" if one.get("against") else ""
            yield f"  {one['sample']} {one['unit']}{against}: {one['first']} / {one['second']}"
