"""RAGChecker labels from raw text: split response and reference into claims, check them against each other.

Jointly, four questions a sample: two extractions, then all response claims against the reference and all
passages, and all reference claims against the response and all passages. Step by step, as in the paper, each
text is checked on its own, five claims at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from adjudge.judges.base import CheckClaims, ExtractClaims, Judge, Question, Reply
from adjudge.protocols.asking import ask_once, failures, reason_of
from adjudge.protocols.ragchecker_claims import claim_unit
from adjudge.segment.units import nearest_answer
from adjudge.types import Grid, Label, Sample, Unit

STEP_CLAIMS = 5
"""Claims checked together in the step-by-step form."""

T = TypeVar("T")
Side = tuple[str, str, tuple[str, ...]]
"""A text's name, its words, and the names of what its claims are held against."""


def reference_text(sample: Sample) -> str:
    """The reference that claims are made of: any of its aliases is right, so the nearest to the response."""
    return "" if sample.reference is None else nearest_answer(sample.reference, sample.response or "")


def sides_of(sample: Sample, metrics: Sequence[str]) -> list[Side]:
    """Which texts must be split, and against what their claims must be checked, for these metrics."""
    names = {name.partition(".")[2] for name in metrics}
    passages = tuple(f"ctx:{index}" for index in range(len(sample.contexts or ())))
    texts = {
        "response": sample.response,
        "reference": None if sample.reference is None else reference_text(sample),
    }
    found = []
    for text, other in (("response", "reference"), ("reference", "response")):
        words = texts[text]
        against: tuple[str, ...] = (
            (other,) if names & _AGAINST_OTHER[text] and texts[other] is not None else ()
        )
        against += passages if names & _AGAINST_PASSAGES[text] else ()
        if words is not None and names & (_AGAINST_OTHER[text] | _AGAINST_PASSAGES[text]):
            found.append((text, words, against))
    return found


_FROM_PASSAGES = {"noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant"}
_UNFAITHFUL = {"hallucination", "self_knowledge"}
_VERDICTS = ("entailed", "neutral", "contradicted")
_AGAINST_OTHER = {
    "response": {
        "precision",
        "f1",
        "precision_expected",
        "f1_expected",
        *_FROM_PASSAGES,
        *_UNFAITHFUL,
        *(f"response_{v}" for v in _VERDICTS),
    },
    "reference": {
        "recall",
        "f1",
        "recall_expected",
        "f1_expected",
        "context_utilization",
        *(f"reference_{v}" for v in _VERDICTS),
    },
}
_AGAINST_PASSAGES = {
    "response": {"faithfulness", *_FROM_PASSAGES, *_UNFAITHFUL},
    "reference": {"claim_recall", "context_precision", "context_utilization", *_FROM_PASSAGES},
}


async def label_claims(
    sample: Sample,
    judge: Judge,
    source: str,
    metrics: Sequence[str],
    *,
    steps: bool,
    given: Mapping[str, tuple[Unit, ...]],
) -> tuple[list[Unit], list[Label], list[Grid], list[dict[str, Any]]]:
    """Claim units, labels that say how many there are, grids of verdicts, and what could not be read.

    A text whose claims are `given` is not split again.
    """
    question = sample.question or ""
    sides = sides_of(sample, metrics)
    to_extract = [ExtractClaims(words, question) for text, words, _ in sides if text not in given]
    asked = await ask_once(judge, to_extract)
    steps_taken = failures("response", to_extract, asked)
    extracted = iter(asked)
    units: list[Unit] = []
    labels: list[Label] = []
    to_check: list[tuple[Side, tuple[str, ...]]] = []
    for side in sides:
        text = side[0]
        if text in given:
            labels.append(Label("claims", text, len(given[text]), None, source, "as given"))
            units += given[text]
            to_check.append((side, tuple(str(unit.text) for unit in given[text])))
            continue
        reply = next(extracted)
        if reply.value is None:
            labels.append(Label("claims", text, None, None, source, reply.why, reason_of(reply)))
            continue
        claims: tuple[str, ...] = reply.value
        labels.append(Label("claims", text, len(claims), None, source, reply.why))
        units += [claim_unit(text, index, claim) for index, claim in enumerate(claims)]
        to_check.append((side, claims))
    grids, unread = await _check(sample, judge, source, to_check, steps=steps)
    return units, labels, grids, steps_taken + unread


async def _check(
    sample: Sample,
    judge: Judge,
    source: str,
    sides: Sequence[tuple[Side, tuple[str, ...]]],
    *,
    steps: bool,
) -> tuple[list[Grid], list[dict[str, Any]]]:
    """One grid a side, from as many questions as the form has, all asked together."""
    questions: list[Question] = []
    places: list[tuple[int, range, range]] = []
    for number, ((_, _, against), claims) in enumerate(sides):
        for rows, columns in _blocks(len(claims), len(against), steps=steps):
            evidence = tuple(_words(sample, against[column]) for column in columns)
            passages = sum(against[column].startswith("ctx:") for column in columns)
            chosen = tuple(claims[row] for row in rows)
            questions.append(CheckClaims(chosen, evidence, sample.question or "", passages))
            places.append((number, rows, columns))
    replies = await ask_once(judge, questions)
    tables = [[["-"] * len(against) for _ in claims] for (_, _, against), claims in sides]
    shares = [[[-1.0] * len(against) for _ in claims] for (_, _, against), claims in sides]
    reasons: list[str | None] = [None] * len(sides)
    whys: list[dict[str, None]] = [{} for _ in sides]
    for (number, rows, columns), reply in zip(places, replies, strict=True):
        _fill(tables[number], rows, columns, reply.value)
        _fill(shares[number], rows, columns, _entailed(reply))
        reasons[number] = reasons[number] or reply.reason
        whys[number] |= {reply.why: None} if reply.why else {}
    grids = [
        Grid(
            "check",
            tuple(f"claim:{text}:{index}" for index in range(len(claims))),
            against,
            tuple("".join(row) for row in table),
            source,
            reason,
            None if any(-1.0 in row for row in likely) else tuple(map(tuple, likely)),
            "\n".join(why) or None,
        )
        for ((text, _, against), claims), table, reason, likely, why in zip(
            sides, tables, reasons, shares, whys, strict=True
        )
        if claims and against
    ]
    return grids, failures("response", questions, replies)


def _blocks(claims: int, against: int, *, steps: bool) -> list[tuple[range, range]]:
    if not claims or not against:
        return []
    if not steps:
        return [(range(claims), range(against))]
    return [
        (range(row, min(row + STEP_CLAIMS, claims)), range(column, column + 1))
        for column in range(against)
        for row in range(0, claims, STEP_CLAIMS)
    ]


def _fill(table: list[list[T]], rows: range, columns: range, block: Sequence[Sequence[T]] | None) -> None:
    if block is None:
        return
    for row, cells in zip(rows, block, strict=True):
        for column, cell in zip(columns, cells, strict=True):
            table[row][column] = cell


def _entailed(reply: Reply) -> list[list[float]] | None:
    """How likely each cell is entailed; two more digits than anybody reads."""
    if reply.value is None or reply.probabilities is None:
        return None
    return [[round(float(cell[0]), 4) for cell in row] for row in reply.probabilities]


def _words(sample: Sample, name: str) -> str:
    if name == "response":
        return sample.response or ""
    if name == "reference":
        return reference_text(sample)
    return (sample.contexts or ())[int(name[4:])]
