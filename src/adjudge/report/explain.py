"""From a number back to the text behind it: value, counts, units, labels, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from adjudge.errors import InputError
from adjudge.metrics.ratios import describe
from adjudge.protocols.base import Protocol
from adjudge.segment.units import unit_text
from adjudge.types import Count, Label, Record, Sample, Score, Unit

WORDS = 160
RAW = 600
LISTED = 40
_CELL = {"e": "entailed", "c": "contradicted", "n": "neutral", "x": "not recognised", "-": "no verdict"}


def explain_lines(
    record: Record, protocol: Protocol, metric: str | None, sample: Sample | None
) -> Iterator[str]:
    """The explanation of a record's scores, or of one metric, as indented lines."""
    specs = {spec.name: spec for spec in protocol.all_specs()}
    shown = set(specs[metric].labels) if metric in specs else set()
    book = _Book(record, sample, shown)
    formulas = {name: describe(spec.formula) for name, spec in specs.items()}
    yield f"sample {record.id} · {record.protocol}"
    yield f"signature {record.signature}"
    yield from _sample_lines(sample)
    for score in record.scores:
        if metric is not None and score.metric != metric:
            continue
        if metric is None and score.state == "not_applicable":
            continue
        yield ""
        yield from _score_lines(score, formulas.get(score.metric, ""), book)
    narrowed = protocol if metric is None else msgspec.structs.replace(protocol, metrics=(metric,))
    notes = narrowed.notes(record.labelled())
    if notes:
        yield ""
        yield from notes
    gaps = {title: ids for title, ids in narrowed.gaps(record.labelled()).items() if ids}
    for title, ids in gaps.items():
        yield ""
        yield f"{title}:"
        for unit in ids:
            yield from book.unit_lines(unit, "  ")
    yield from _whole_texts(record, book)
    yield from _unused_answers(record)


def _whole_texts(record: Record, book: _Book) -> Iterator[str]:
    """What a labeller noted on a field as a whole, where no count has shown it."""
    noted = dict.fromkeys(label.unit for label in record.labels if label.why)
    rest = [unit for unit in noted if unit in Sample.__struct_fields__ and unit not in book.told]
    if rest:
        yield ""
        yield "noted on whole texts:"
    for unit in rest:
        yield from book.unit_lines(unit, "  ")


def _unused_answers(record: Record) -> Iterator[str]:
    """What a model said where nothing could be made of it."""
    failed = [step for step in record.steps if step.get("raw")]
    if failed:
        yield ""
        yield "answers that could not be used:"
    for step in failed[:LISTED]:
        yield f"  {step.get('unit')}, asked {step.get('asked')}: {step.get('reason')}"
        for text in step["raw"]:
            said = f"answer {text[5:17]} of calls.jsonl" if text.startswith("call:") else shorten(text, RAW)
            yield f"    {said}"
    if len(failed) > LISTED:
        yield f"  … and {len(failed) - LISTED} more"


def _sample_lines(sample: Sample | None) -> Iterator[str]:
    if sample is None:
        yield "  (the text is not at hand: this is a lean run, and its input is gone or has changed)"
        return
    for name in ("question", "response", "text"):
        value = getattr(sample, name)
        if value is not None:
            yield f"  {name}: {shorten(value)}"
    if sample.reference is not None:
        yield f"  reference: {shorten(_answer_text(sample.reference))}"


def _answer_text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    return " AND ".join(part if isinstance(part, str) else " OR ".join(part) for part in answer)


def _score_lines(score: Score, formula: str, book: _Book) -> Iterator[str]:
    if score.value is None:
        yield f"{score.metric}: {score.state.replace('_', ' ')}: {score.reason}"
        return
    yield f"{score.metric} = {score.value:.6g}"
    if formula:
        yield f"  = {formula}"
    if score.state == "by_convention":
        yield f"  by convention: {score.reason}"
    elif score.reason:
        yield f"  note: {score.reason}"
    for count in score.counts:
        yield from _count_lines(count, book)


def _count_lines(count: Count, book: _Book) -> Iterator[str]:
    if count.constant:
        yield f"  {count.name} = {count.n} (a parameter)"
        return
    yield f"  {count.name} = {count.n:.6g}"
    amounts = count.amounts or ()
    for index, (unit, times) in enumerate(Counter(count.units).items()):
        if index == LISTED:
            yield f"    … and {len(set(count.units)) - LISTED} more"
            return
        again = f" × {times}" if times > 1 else ""
        amount = f" ({amounts[index]:.4g})" if len(amounts) == len(set(count.units)) else ""
        yield from book.unit_lines(unit, "    ", f"{again}{amount}")


class _Book:
    """A record's units and labels by unit id."""

    def __init__(self, record: Record, sample: Sample | None, shown: set[str]) -> None:
        """`shown` limits a unit's labels to those that one metric rests on, if it has any of them, and to
        those that give a reason where these give none.
        """
        self.sample = sample
        self.units: dict[str, Unit] = {unit.id: unit for unit in record.units}
        self.labels: dict[str, list[str]] = {}
        self.told: set[str] = set()
        meant = {label.unit for label in record.labels if label.name in shown}
        reasoned = {label.unit for label in record.labels if label.name in shown and label.why}
        for label in record.labels:
            reason = bool(label.why) and label.unit not in reasoned
            if label.unit not in meant or label.name in shown or reason:
                self.labels.setdefault(label.unit, []).append(_label_text(label))
        for grid in record.grids:
            for row, cells in zip(grid.rows, grid.cells, strict=True):
                verdicts = [
                    f"{column} {_CELL.get(cell, cell)}"
                    for column, cell in zip(grid.columns, cells, strict=True)
                    if cell != "n"
                ]
                rest = (
                    ""
                    if len(verdicts) == len(grid.columns)
                    else "neutral" + (" to the others" if verdicts else "")
                )
                told = "; ".join([*verdicts, *([rest] if rest else [])])
                self.labels.setdefault(row, []).append(f"{grid.name}: {told} [{grid.source}]")
            for index, column in enumerate(grid.columns):
                entailed = [
                    row for row, cells in zip(grid.rows, grid.cells, strict=True) if cells[index] == "e"
                ]
                if entailed:
                    self.labels.setdefault(column, []).append(
                        f"entails {', '.join(entailed)} [{grid.source}]"
                    )

    def unit_lines(self, unit_id: str, indent: str, suffix: str = "") -> Iterator[str]:
        """The unit's words, and its labels the first time it is named."""
        unit = self.units.get(unit_id)
        yield f"{indent}{unit_id}{suffix}: {self._words(unit_id, unit)}"
        if unit_id in self.told:
            return
        self.told.add(unit_id)
        if unit is not None and unit.note and not unit.note.startswith("["):
            yield f"{indent}  note: {unit.note}"
        for text in self.labels.get(unit_id, ()):
            yield f"{indent}  {text}"

    def _words(self, unit_id: str, unit: Unit | None) -> str:
        if unit is None:
            return self._field(unit_id) or "(no such unit in the text)"
        if unit.text is not None:
            return shorten(unit.text)
        if self.sample is None:
            places = ", ".join(f"{start}–{end}" for start, end in unit.spans)
            return f"({unit.field} {places})".replace(" )", ")")
        try:
            return shorten(unit_text(unit, self.sample))
        except InputError:
            return "(outside the text)"

    def _field(self, name: str) -> str | None:
        """A whole field that stands where a unit would, such as `response`."""
        value = getattr(self.sample, name, None)
        if isinstance(value, tuple):
            return f"({len(value)} in all)"
        return shorten(value) if isinstance(value, str) else None


def _label_text(label: Label) -> str:
    against = f" against {label.against}" if label.against else ""
    value = f"none ({label.reason})" if label.value is None else str(label.value)
    why = f": {label.why}" if label.why else ""
    return f"{label.name}{against} = {value}{why} [{label.source}]"


def shorten(text: str, width: int = WORDS) -> str:
    """One line of at most `width` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def find_records(records: Iterator[Record], sample_id: str) -> tuple[list[Record], Sequence[str]]:
    """The records of one sample, and the nearest ids where there is none."""
    from difflib import get_close_matches

    found: list[Record] = []
    ids: dict[str, None] = {}
    for record in records:
        if record.id == sample_id:
            found.append(record)
        elif found:
            break
        elif len(ids) < 10_000:
            ids[record.id] = None
    return found, [] if found else get_close_matches(sample_id, ids, 3, 0.3) or list(ids)[:3]
