"""Summary tables. Rounding happens here and nowhere before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.metrics.fold import sort_key
from adjudge.types import Attribute, Summary, SummaryRow

if TYPE_CHECKING:
    from rich.console import RenderableType

NUMBERS = ("value", "95 % interval", "samples", "convention", "unscored")
RGB_FIELDS = ("total_samples", "correct", "incorrect", "rejected", "errors_detected", "errors_corrected")


class Section(Struct, frozen=True):
    """One table: a protocol's rows under one grouping."""

    protocol: str
    heading: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    notes: list[str]
    signature: str


def percent(value: float | None) -> str:
    """`76.4`; a dash where there is no value."""
    return "–" if value is None else f"{100 * value:.1f}"


def sections(summary: Summary) -> Iterator[Section]:
    """Tables of a summary: each protocol overall, then under each further grouping that tells something."""
    for protocol in dict.fromkeys(row.metric.partition(".")[0] for row in summary.rows):
        mine = [row for row in summary.rows if row.metric.startswith(f"{protocol}.") and _speaks(row)]
        views = list(dict.fromkeys(tuple(row.group) for row in mine))
        for view in views:
            rows = [row for row in mine if tuple(row.group) == view]
            overall = view == views[0]
            if not overall:
                rows = _ordered(rows if _asked(view, summary) else _telling(rows, view[-1]))
            if rows:
                yield _section(protocol, view, rows, summary, overall)


def _section(
    protocol: str, view: tuple[str, ...], rows: list[SummaryRow], summary: Summary, overall: bool
) -> Section:
    several = {name for name in view if len({row.group[name] for row in rows}) > 1}
    shown = tuple(name for name in view if name in several or not overall)
    lines, last = [], ""
    for row in rows:
        name = row.metric if row.metric != last or overall else ""
        last = row.metric
        lines.append([name, *(_text(row.group[key]) for key in shown), *_numbers(row)])
    return Section(
        protocol,
        "" if overall else f"by {', '.join(view)}",
        ("metric", *shown, *NUMBERS),
        lines,
        _notes(rows) if overall else [],
        summary.signatures.get(protocol, "") if overall else "",
    )


def _speaks(row: SummaryRow) -> bool:
    """Whether the metric speaks of any sample of the group."""
    return row.value is not None or bool(set(row.samples) - {"not_applicable"})


def _asked(view: tuple[str, ...], summary: Summary) -> bool:
    return bool(summary.by) and set(summary.by) <= set(view)


def _telling(rows: list[SummaryRow], attribute: str) -> list[SummaryRow]:
    """Rows of a grouping nobody asked for: only where it has several values, and something was scored."""
    values: dict[Any, set[Attribute]] = {}
    for row in rows:
        if row.value is not None and row.group[attribute] is not None:
            rest = tuple(value for name, value in row.group.items() if name != attribute)
            values.setdefault((row.metric, rest), set()).add(row.group[attribute])
    telling = {key for key, found in values.items() if len(found) > 1}
    return [
        row
        for row in rows
        if (row.metric, tuple(v for name, v in row.group.items() if name != attribute)) in telling
    ]


def _ordered(rows: list[SummaryRow]) -> list[SummaryRow]:
    """By metric first, so that a curve can be read downwards."""
    order: dict[str, int] = {}
    for row in rows:
        order.setdefault(row.metric, len(order))
    return sorted(
        rows, key=lambda row: (order[row.metric], [sort_key(v, name) for name, v in row.group.items()])
    )


def _text(value: Attribute) -> str:
    return "–" if value is None else str(value)


def _numbers(row: SummaryRow) -> list[str]:
    states = row.samples
    scored = states.get("defined", 0) + states.get("by_convention", 0)
    if row.scale == "count":
        value = "–" if row.value is None else f"{row.value:.2f} each"
        interval = "–" if row.interval is None else f"{row.interval[0]:.2f} – {row.interval[1]:.2f}"
    else:
        value = percent(row.value)
        interval = "–" if row.interval is None else f"{percent(row.interval[0])} – {percent(row.interval[1])}"
    convention, missing = states.get("by_convention", 0), states.get("unscored", 0)
    return [value, interval, str(scored), str(convention or ""), str(missing or "")]


def _notes(rows: Sequence[SummaryRow]) -> list[str]:
    """Why samples are unscored, each reason once with the metrics it holds for; and what passes 100."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for reason in row.reasons:
            found.setdefault(reason, {})[row.metric.partition(".")[2]] = None
    notes = [f"unscored ({', '.join(metrics)}): {reason}" for reason, metrics in found.items()]
    above = [row for row in rows if row.scale == "unit" and row.value is not None and row.value > 1]
    if above:
        names = ", ".join(dict.fromkeys(row.metric.partition(".")[2] for row in above))
        notes.append(f"above 100 ({names}): labels name what is not there, or one thing twice; see explain")
    return notes


def summary_tables(summary: Summary) -> Iterator[RenderableType]:
    """Tables for the terminal, each followed by its notes and signature."""
    from rich.text import Text

    for section in sections(summary):
        yield _rich(f"{section.protocol} {section.heading}".strip(), section.columns, section.rows)
        for note in section.notes:
            yield Text(f"  {note}", style="dim")
        if section.signature:
            yield Text(f"  signature {section.signature}\n", style="dim")
        if section.protocol == "rgb" and not section.heading and summary.views.get("rgb"):
            rows = [_rgb_cells(entry) for entry in summary.views["rgb"]]
            names = tuple(name.replace("_", " ").removesuffix(" samples") for name in RGB_FIELDS)
            yield _rich("rgb results", ("task", "model", "group", *names), rows, numeric=3)


_RGB_COUNTS = {
    "noise_robustness": ("correct", "incorrect"),
    "negative_rejection": ("rejected", "incorrect"),
    "information_integration": ("correct", "incorrect"),
    "counterfactual_robustness": ("correct", "incorrect", "errors_detected", "errors_corrected"),
}


def _rgb_cells(entry: dict[str, Any]) -> list[str]:
    """Counts of a result object: those that its ability has."""
    task = entry["task_type"]
    ability = next(name for name in _RGB_COUNTS if task.startswith(name))
    shown = ("total_samples", *_RGB_COUNTS[ability])
    counts = [
        str(entry[name]) if name in shown and entry.get(name) is not None else "" for name in RGB_FIELDS
    ]
    group, model = entry.get("group") or {}, entry.get("model_name")
    others = ", ".join(f"{name} {_text(value)}" for name, value in group.items())
    return [task, "" if model is None else str(model), others, *counts]


def _rich(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: int | None = None
) -> RenderableType:
    """A table; `numeric` is the first column of numbers, by default `value`."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    numeric = columns.index("value") if numeric is None else numeric
    # Columns in which nothing stands would only take room from those that say something.
    kept = [index for index in range(len(columns)) if any(row[index] for row in rows)]
    for index in kept:
        # In a narrow terminal names are folded, numbers never cut.
        named = index < numeric
        table.add_column(
            columns[index], overflow="fold", no_wrap=not named, justify="left" if named else "right"
        )
    for row in rows:
        # As plain text: an attribute may hold what rich would take for markup.
        table.add_row(*(Text(row[index]) for index in kept))
    return table


def summary_html(summary: Summary) -> str:
    """The same tables for a notebook."""
    parts = []
    for section in sections(summary):
        parts.append(f"<h4>{escape(f'{section.protocol} {section.heading}'.strip())}</h4><table><thead><tr>")
        parts += [f"<th>{escape(name)}</th>" for name in section.columns]
        parts.append("</tr></thead><tbody>")
        for row in section.rows:
            parts.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
        parts.append("</tbody></table>")
        parts += [
            f"<p><small>{escape(line)}</small></p>" for line in (*section.notes, section.signature) if line
        ]
    return "".join(parts)
