"""Human decisions on which flagged violation is which true one, beside the values that matching goes by.

Decisions are lines `{"sample": ID, "gold": 0, "pred": 2, "match": true}`; pairs that share no character
cannot match under any setting, and are counted as missed where a person matched them. Or they are derived
from a third rater: a pair is one error if a single mark of the third rater shares characters with both
(`place`), and is moreover of the category of both (`family`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.metrics.spans import overlap
from adjudge.protocols.violation_families import declared, in_order
from adjudge.protocols.violation_matching import board, sides
from adjudge.types import Record, Span

Spans = tuple[Span, ...]


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a file of decisions."""

    sample: str
    gold: int
    pred: int
    match: bool
    by: str | None = None


class HumanPair(Struct, frozen=True):
    """A pair of violations: the values of its terms, and whether a person called it one error.

    Without values the two share no character.
    """

    item: str
    sample: str
    gold: int
    pred: int
    values: dict[str, float]
    match: bool
    without: tuple[str, ...] = ()


def read_decisions(path: str | Path) -> dict[str, dict[tuple[int, int], bool]]:
    """Decisions by sample and pair; of several people, the majority's, and no match where they are even."""
    votes: dict[str, dict[tuple[int, int], list[bool]]] = {}
    for row in Source(path).rows():
        try:
            one = msgspec.convert(row.data, Decision)
        except msgspec.ValidationError as error:
            raise row.error(
                f"not a decision: {error}", fix='write {"sample": ID, "gold": 0, "pred": 2, "match": true}'
            ) from None
        votes.setdefault(one.sample, {}).setdefault((one.gold, one.pred), []).append(one.match)
    return {
        sample: {pair: 2 * sum(said) > len(said) for pair, said in pairs.items()}
        for sample, pairs in votes.items()
    }


def pairs_by_people(
    records: Iterable[Record],
    decisions: Mapping[str, Mapping[tuple[int, int], bool]],
    without: Collection[str] = (),
) -> Iterator[HumanPair]:
    """The pairs that people decided on; samples nobody looked at are left out.

    `without`: terms that the run was told to do without, besides those that its data declares.
    """
    seen = set()
    for record in records:
        if record.protocol != "violations" or record.id not in decisions:
            continue
        seen.add(record.id)
        golds, preds = sides(record.units)
        values = _values(record)
        for (gold, pred), match in decisions[record.id].items():
            if not (0 <= gold < len(golds) and 0 <= pred < len(preds)):
                raise InputError(
                    f"a decision speaks of gold {gold} and pred {pred};"
                    f" there are {len(golds)} golds and {len(preds)} predictions",
                    sample=record.id,
                    fix="count violations from 0, in the order of the run",
                )
            yield _pair(record, gold, pred, values, match, without)
        told = decisions[record.id]
        for gold, pred in values:
            if (gold, pred) not in told:
                yield _pair(record, gold, pred, values, False, without)
    missing = sorted(decisions.keys() - seen)
    if missing:
        raise InputError(
            f"{len(missing)} decisions are about samples that the run does not hold",
            sample=missing[0],
            fix="use the ids of the run's samples",
        )


def pairs_by_third_rater(
    records: Iterable[Record], without: Collection[str] = (), *, same_category: bool = False
) -> Iterator[HumanPair]:
    """Pairs of two raters, decided by what a third marked in the same text.

    Raters are told by the attributes `gold_rater` and `rater`. A pair counts for each third rater there is.
    """
    texts: dict[str, list[Record]] = {}
    marks: dict[str, dict[str, list[_Marked]]] = {}
    for record in records:
        first, second = record.attributes.get("gold_rater"), record.attributes.get("rater")
        if record.protocol != "violations" or not isinstance(first, str) or not isinstance(second, str):
            continue
        place = f"{record.attributes.get('system', '')}|{record.item}"
        of_first, of_second = _marked(record, same_category)
        marks.setdefault(place, {}).update({first: of_first, second: of_second})
        texts.setdefault(place, []).append(record)
    if not texts:
        raise InputError(
            "no sample names its raters", fix="attributes `gold_rater` and `rater` tell who marked"
        )
    for place, several in texts.items():
        for record in several:
            pair = {record.attributes["gold_rater"], record.attributes["rater"]}
            golds, preds = _marked(record, same_category)
            values = _values(record)
            for third in sorted(marks[place].keys() - pair):
                for gold, pred in values:
                    match = any(_same(golds[gold], preds[pred], mark) for mark in marks[place][third])
                    yield _pair(record, gold, pred, values, match, without)


class _Marked(NamedTuple):
    """A mark; its category only where that matters."""

    spans: Spans
    category: str | None


def _marked(record: Record, same_category: bool) -> tuple[list[_Marked], list[_Marked]]:
    """What the two raters of a record marked."""
    golds, preds = sides(record.units)
    if not same_category:
        return [_Marked(unit.spans, None) for unit in golds], [_Marked(unit.spans, None) for unit in preds]
    if record.sample is None:
        raise InputError("the run holds no categories of it", sample=record.id, fix="run without --lean")
    told = [[one.category for one in side or ()] for side in (record.sample.gold, record.sample.predicted)]
    return (
        [_Marked(unit.spans, category) for unit, category in zip(golds, told[0], strict=True)],
        [_Marked(unit.spans, category) for unit, category in zip(preds, told[1], strict=True)],
    )


def _same(gold: _Marked, pred: _Marked, third: _Marked) -> bool:
    if not gold.category == pred.category == third.category:
        return False
    return overlap(gold.spans, third.spans)[0] > 0 and overlap(pred.spans, third.spans)[0] > 0


Values = dict[tuple[int, int], dict[str, float]]


def _values(record: Record) -> Values:
    found = board(record.labelled())
    if isinstance(found, str):
        raise InputError(found, sample=record.id, fix="run it again")
    return {
        pair: {term: value for term, value in values.items() if isinstance(value, float)}
        for pair, values in found.values.items()
    }


def _pair(
    record: Record, gold: int, pred: int, values: Values, match: bool, without: Collection[str]
) -> HumanPair:
    left_out = in_order((*without, *declared(record.attributes.get("without"))))
    return HumanPair(record.item, record.id, gold, pred, values.get((gold, pred), {}), match, left_out)
