"""Two systems' scores brought together: read from run folders, paired on samples or items, summed by item."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zlib import crc32

from msgspec import Struct, field

from adjudge.errors import UsageError
from adjudge.protocols.base import Protocol
from adjudge.run.session import stored_protocols
from adjudge.run.store import read_info, read_records
from adjudge.types import Attribute, MeanOf, MetricSpec, Record, Score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_ITEMS = 20_000
BUCKETS = 8192
"""Above `MOST_ITEMS`, items are joined in this many groups by a hash; groups are then what is resampled."""

Group = tuple[tuple[str, Attribute], ...]
Key = tuple[str, Group]
"""A metric and the attributes that it is not averaged across."""


class Column(Struct):
    """One metric's scored samples, in columns, since there may be very many.

    Of a metric folded from counts it also holds those that there is nothing to count in (`valued` is 0):
    they have no value of their own, yet are no reason to leave out what the other side did in them.
    """

    ids: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    valued: array[float] = field(default_factory=lambda: array("d"))
    counts: dict[str, array[float]] = field(default_factory=dict)

    def add(self, record: Record, score: Score) -> None:
        """Take in a score; one without a value as a row of zeros."""
        n = len(self.ids)
        self.ids.append(record.id)
        self.items.append(record.item)
        self.values.append(score.value or 0.0)
        self.valued.append(float(score.value is not None))
        for count in score.counts if score.value is not None else ():
            column = self.counts.get(count.name)
            if column is None:
                column = self.counts[count.name] = array("d", bytes(8 * n))
            column.append(count.n)
        for column in self.counts.values():
            if len(column) <= n:
                column.append(0.0)


class Side(Struct):
    """One system: a run, or the samples of a run that share an attribute's value."""

    name: str
    specs: dict[str, MetricSpec]
    columns: dict[Key, Column] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    signatures: dict[str, set[str]] = field(default_factory=dict)

    def add(self, record: Record, by: Sequence[str]) -> None:
        """Take in one record's scores."""
        self.ids.add(record.id)
        self.items.add(record.item)
        self.signatures.setdefault(record.protocol, set()).add(record.signature)
        for score in record.scores:
            spec = self.specs.get(score.metric)
            if spec is None or (score.value is None and not _nothing_to_count(spec, score)):
                continue
            names = dict.fromkeys((*spec.within, *by))
            key = (score.metric, tuple((name, record.attributes.get(name)) for name in names))
            column = self.columns.get(key)
            if column is None:
                column = self.columns[key] = Column()
            column.add(record, score)


def _nothing_to_count(spec: MetricSpec, score: Score) -> bool:
    """Whether the sample was looked at and adds nothing to the sums that the metric is divided from."""
    summed = spec.headline == "micro" and not isinstance(spec.formula, MeanOf)
    return summed and score.state == "not_applicable"


class Pairs(Struct, frozen=True):
    """A metric of two sides over what both have scored: rows of (samples, value sum, counts …) an item."""

    spec: MetricSpec
    group: Group
    names: tuple[str, ...]
    ids: list[str]
    """What was paired: samples, or items where the two sides share no sample."""
    values: tuple[Array, Array]
    """NaN where one side has nothing to count."""
    items: tuple[str, ...]
    tables: tuple[Array, Array]
    means: tuple[Array, Array]
    """Of each item's values; NaN where there is none."""
    only: tuple[int, int]
    """Scored on one side only, and so left out."""


def read_sides(folders: Sequence[Path], systems: str | None = None, by: Sequence[str] = ()) -> list[Side]:
    """One side a run folder, or one a value of the attribute `systems` in a single run."""
    if systems is None:
        if len(folders) < 2:
            raise UsageError("compare needs two runs, or one run and --systems ATTRIBUTE")
        return [_read_run(folder, name, by) for folder, name in zip(folders, _names(folders), strict=True)]
    if len(folders) != 1:
        raise UsageError(f"--systems {systems} compares the systems in one run; {len(folders)} were given")
    specs = specs_of(stored_protocols(read_info(folders[0])))
    sides: dict[Attribute, Side] = {}
    for record in read_records(folders[0]):
        value = record.attributes.get(systems)
        if value is not None:
            sides.setdefault(value, Side(str(value), specs)).add(record, by)
    if len(sides) < 2:
        found = ", ".join(side.name for side in sides.values()) or "none"
        raise UsageError(
            f"attribute {systems!r} has no two values in {folders[0]} (found: {found});"
            " give two runs, or the attribute that tells the systems apart"
        )
    return list(sides.values())


def _read_run(folder: Path, name: str, by: Sequence[str]) -> Side:
    side = Side(name, specs_of(stored_protocols(read_info(folder))))
    for record in read_records(folder):
        side.add(record, by)
    if not side.ids:
        raise UsageError(f"{folder} holds no records")
    return side


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' own names, or the paths as given where two are called the same."""
    short = [folder.resolve().name for folder in folders]
    return short if len(set(short)) == len(short) else [str(folder) for folder in folders]


def specs_of(protocols: Iterable[Protocol]) -> dict[str, MetricSpec]:
    """The metrics that a run computed, by name."""
    return {spec.name: spec for protocol in protocols for spec in protocol.wanted}


def pairing(first: Side, second: Side) -> Literal["sample", "item"]:
    """By sample where the two share any, else by item."""
    if not first.ids.isdisjoint(second.ids):
        return "sample"
    if not first.items.isdisjoint(second.items):
        return "item"
    raise UsageError(
        f"{first.name} and {second.name} share neither sample ids nor items (such as"
        f" {min(first.ids)!r} and {min(second.ids)!r}), so nothing can be paired;"
        " give samples of the same question the same 'item'"
    )


def pair(first: Side, second: Side, metrics: Sequence[str]) -> Iterator[Pairs]:
    """The metrics, group by group, over what both sides have scored."""
    how = pairing(first, second)
    wanted = {name: at for at, name in enumerate(metrics)}
    shared = [
        key
        for key, column in first.columns.items()
        if key in second.columns
        and key[0] in wanted
        and (any(column.valued) or any(second.columns[key].valued))
    ]
    for key in sorted(shared, key=lambda key: (wanted[key[0]], str(key[1]))):
        columns = first.columns[key], second.columns[key]
        spec = first.specs[key[0]]
        names = tuple(dict.fromkeys(name for column in columns for name in column.counts))
        yield _paired(spec, key[1], names, columns, how)


def _paired(
    spec: MetricSpec, group: Group, names: tuple[str, ...], columns: tuple[Column, Column], how: str
) -> Pairs:
    import numpy as np

    keys = [column.ids if how == "sample" else column.items for column in columns]
    known = [dict.fromkeys(side) for side in keys]
    scored = [
        {key for key, valued in zip(side, column.valued, strict=True) if valued}
        for column, side in zip(columns, keys, strict=True)
    ]
    both = [key for key in known[0] if key in known[1] and (key in scored[0] or key in scored[1])]
    place = {key: at for at, key in enumerate(both)}
    raw = [
        _summed(column, [place.get(key, -1) for key in side], names, len(both))
        for column, side in zip(columns, keys, strict=True)
    ]
    of_item = dict(zip(keys[0], columns[0].items, strict=True))
    items = [of_item[key] for key in both]
    if len(set(items)) > MOST_ITEMS:
        items = [str(crc32(item.encode("utf-8", "surrogatepass")) % BUCKETS) for item in items]
    order = tuple(sorted(set(items)))
    code = {item: at for at, item in enumerate(order)}
    codes = np.array([code[item] for item in items], dtype=np.int64)
    tables, means = [], []
    for rows in raw:
        table = np.zeros((len(order), rows.shape[1]))
        np.add.at(table, codes, rows)
        tables.append(np.ascontiguousarray(table[:, :-1]))
        means.append(_means(table))
    values = [_means(rows) for rows in raw]
    return Pairs(
        spec,
        group,
        names,
        both,
        (values[0], values[1]),
        order,
        (tables[0], tables[1]),
        (means[0], means[1]),
        (len(scored[0].difference(place)), len(scored[1].difference(place))),
    )


def _means(rows: Array) -> Array:
    """Value sums over the numbers of values, which stand last."""
    import numpy as np

    found = np.full(len(rows), np.nan)
    np.divide(rows[:, 1], rows[:, -1], out=found, where=rows[:, -1] > 0)
    return found


def _summed(column: Column, places: Sequence[int], names: Sequence[str], size: int) -> Array:
    """Rows of (samples, value sum, counts …, values), one a pair; what has no partner goes nowhere."""
    import numpy as np

    n = len(column.ids)
    zeros = np.zeros(n)
    rows = np.stack(
        [
            np.ones(n),
            np.array(column.values),
            *(np.array(column.counts[name]) if name in column.counts else zeros for name in names),
            np.array(column.valued),
        ],
        axis=1,
    )
    at = np.array(places, dtype=np.int64)
    table = np.zeros((size, rows.shape[1]))
    np.add.at(table, at[at >= 0], rows[at >= 0])
    return table
