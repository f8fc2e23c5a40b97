"""`adjudge list`."""

from __future__ import annotations

import click
import msgspec

from adjudge.protocols import protocol_class
from adjudge.report import catalogue
from adjudge.verbs.common import print_tables


def list_verb(what: str, protocol: str | None, as_json: bool) -> None:
    """Print a catalogue."""
    if protocol is not None:
        protocol_class(protocol)
    rows = {
        "protocols": catalogue.protocol_rows,
        "metrics": lambda: catalogue.metric_rows(protocol),
        "formats": catalogue.format_rows,
        "judges": catalogue.judge_rows,
    }[what]()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    hidden = {"groups", "empty", "fold"} if what == "metrics" else set()
    names = [name for name in rows[0] if name not in hidden]
    for name in names:
        table.add_column(name, no_wrap=name in ("metric", "protocol", "format", "judge", "better"))
    for row in rows:
        table.add_row(*(Text(str(row[name])) for name in names))
    print_tables([table])
