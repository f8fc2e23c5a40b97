"""MQM annotations of translations: what each rater marked in a text, and rater held against rater.

TSV (also inside .tar.gz) or any rows with these columns, one row an error: `system`, `doc`, `docSegId` (or
`seg_id`), `rater`, `source`, `target` with the error between <v> and </v>, `category` such as
`Fluency/Punctuation`, `severity`. In a TSV file cells are as they stand: a quotation mark means nothing.

The raters of a segment are taken in the order of their names. Each two of them make a sample: the first one's
marks are gold, the other's predicted, `pair` is `1-2`, `1-3` or `2-3`. A segment of a single rater makes one
sample without predictions: a split for checkers. The source sentence is the item, since its translations by
several systems are not independent.

Rule is the category, category its family (before the slash): `--similarity families` compares them so. There
are no explanations and no corrections. Left out are rows without a mark in the target: no error, marked in
the source, tests of the rater. A space at the end of the text stands in the file only where it is marked, so
the longest form of a text is the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from adjudge.datasets.base import Reader
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.judges.families import family
from adjudge.types import Attribute, Sample, Span, Violation

SPLIT = "mqm@1"
_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")
_SEGMENT = ("docSegId", "seg_id")
_OPEN, _CLOSE = "<v>", "</v>"


class Mark(NamedTuple):
    """One error that a rater marked."""

    span: Span
    category: str


class Segment(NamedTuple):
    """One translation of one source segment, and what each rater marked in it."""

    system: str
    doc: str
    number: str
    text: str
    marks: dict[str, list[Mark]]

    @property
    def place(self) -> str:
        return f"{self.doc}:{self.number}"


def detect(source: Source) -> bool:
    """Whether the columns are those of MQM data."""
    if source.shape == "zip":
        return False
    first = source.first
    return isinstance(first, dict) and _fits(first)


def _fits(names: Iterable[str]) -> bool:
    found = set(names)
    return found.issuperset(_NEEDED) and not found.isdisjoint(_SEGMENT)


def rows(source: Source) -> Iterator[Row | InputError]:
    """Segments in the order of their first rows; a bad row is an error of its own."""
    segments: dict[tuple[str, str, str], tuple[Segment, int]] = {}
    for row in _cells(source) if source.suffix == ".tsv" else source.tolerant_rows():
        if isinstance(row, InputError):
            yield row
            continue
        problem = _add(row, segments, source)
        if problem is not None:
            yield problem
    for segment, line in segments.values():
        yield Row({"segment": segment}, source.name, line)


def _cells(source: Source) -> Iterator[Row | InputError]:
    """Lines cut at tabs and nowhere else: quotes are part of the text."""
    with source.open() as stream:
        header: list[str] = []
        for number, line in enumerate(stream, 1):
            try:
                cells = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n").split("\t")
            except UnicodeDecodeError:
                yield InputError("not UTF-8 text", file=source.name, line=number, fix="save it as UTF-8")
                continue
            if not header:
                header = [name.strip() for name in cells]
            elif any(cells):
                yield Row(dict(zip(header, cells, strict=False)), source.name, number)


def _add(
    row: Row, segments: dict[tuple[str, str, str], tuple[Segment, int]], source: Source
) -> InputError | None:
    if not isinstance(row.data, dict) or not _fits(row.data):
        return row.error("the row lacks a column", fix=f"give it {', '.join(_NEEDED)} and docSegId or seg_id")
    data = {name: "" if value is None else str(value) for name, value in row.data.items()}
    number = next(data[name] for name in _SEGMENT if name in data)
    name = f"{data['system']}|{data['doc']}:{number}"
    marked = data["target"]
    if marked.count(_OPEN) > 1 or marked.count(_OPEN) != marked.count(_CLOSE):
        return row.error("it must hold one <v>…</v> or none", sample=name, field="target")
    before, _, rest = marked.partition(_OPEN)
    inside, _, after = rest.partition(_CLOSE)
    text = before + inside + after
    key = data["system"], data["doc"], number
    segment, line = segments.get(key) or (Segment(*key, text, {}), row.line)
    if text.rstrip() != segment.text.rstrip():
        return row.error("its text is not that of the segment's other rows", sample=name, field="target")
    if len(text) > len(segment.text):
        segment = segment._replace(text=text)
    segments[key] = segment, line
    marks = segment.marks.setdefault(data["rater"], [])
    if inside:
        span = len(before), len(before) + len(inside)
        marks.append(Mark(span, data["category"].strip()))
    elif data["category"].lower() not in ("no-error", "no error"):
        source.notes["row that marks nothing in the target, left out"] += 1
    return None


def convert(row: Row) -> Iterator[Sample]:
    """A sample for each two raters of a segment, or one with gold alone."""
    segment: Segment = row.data["segment"]
    raters = sorted(segment.marks)
    if len(raters) == 1:
        yield _sample(segment, raters[0])
    for (i, first), (j, second) in combinations(enumerate(raters, 1), 2):
        yield _sample(segment, first, second, f"{i}-{j}")


def _sample(segment: Segment, gold: str, predicted: str | None = None, pair: str | None = None) -> Sample:
    attributes: dict[str, Attribute] = {
        "split": SPLIT,
        "without": "explanation,correction",
        "system": segment.system,
        "gold_rater": gold,
    }
    id = f"{segment.system}|{segment.place}"
    extra: dict[str, Any] = {}
    if predicted is not None:
        attributes |= {"rater": predicted, "pair": pair}
        id = f"{id}|{gold}>{predicted}"
        extra["predicted"] = _violations(segment.marks[predicted])
    return Sample(
        id=id,
        item=segment.place,
        text=segment.text,
        gold=_violations(segment.marks[gold]),
        attributes=attributes,
        **extra,
    )


def _violations(marks: Iterable[Mark]) -> tuple[Violation, ...]:
    return tuple(
        Violation(spans=(mark.span,), rule=mark.category, category=family(mark.category)) for mark in marks
    )


READER = Reader(
    name="mqm",
    description="MQM annotations of translations (TSV): spans that raters marked, rater against rater.",
    detect=detect,
    convert=convert,
    rows=rows,
)
