"""RAGChecker's meta-evaluation: do differences of a metric between two answers follow people's preference?

280 pairs of answers, each compared by two annotators from -2 to 2 under three headings. A metric predicts the
heading by its difference between the two answers: precision for correctness, recall for completeness, F1
overall.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.judges.base import Judge, describe
from adjudge.protocols.ragchecker import RagChecker
from adjudge.stats.experiments.data import data_folder, pick
from adjudge.stats.experiments.measures import pearson, spearman
from adjudge.stats.experiments.outcome import Figure, Kind, Outcome, Request, Result, Row, Table, published
from adjudge.stats.experiments.runs import score_samples
from adjudge.stats.experiments.words import rouge_l, token_overlap, words
from adjudge.types import Sample

HUMAN, STORED = "human_labeled_data.json", "baseline_ragchecker.json"
HEADINGS = {"correctness": "precision", "completeness": "recall", "overall": "f1"}
PUBLISHED = {"correctness": (49.66, 46.95), "completeness": (60.67, 58.11), "overall": (61.93, 60.90)}
SIDES = ("model1", "model2")
COLUMNS = ("Pearson", "Spearman")

Deltas = list[float | None]


class Pair(Struct, frozen=True):
    """Two answers to one question, and what each annotator said of them."""

    id: str
    query: str
    reference: str
    responses: tuple[str, str]
    stored: tuple[dict[str, float | None], dict[str, float | None]] | None
    """Scores that came with the data, by heading, for each answer."""
    labels: tuple[dict[str, float], ...]


def load_pairs(folder: Path) -> list[Pair]:
    """Pairs in file order; the rows of one pair's annotators lie side by side."""
    stored: dict[Any, Any] = {}
    if (folder / STORED).exists():
        stored = {row.data["instance_id"]: row.data for row in Source(folder / STORED).rows()}
    found: dict[Any, list[Any]] = {}
    for row in Source(folder / HUMAN).rows():
        try:
            found.setdefault(row.data["instance_id"], []).append(row.data)
            _labels(row.data)
        except (KeyError, TypeError) as error:
            raise row.error(f"this is no row of {HUMAN}: {error!r} is missing") from None
    return [_pair(key, rows, stored.get(key)) for key, rows in found.items()]


def _pair(key: Any, rows: list[Any], stored: Any) -> Pair:
    first = rows[0]
    given = None
    if stored is not None:
        one, two = ({h: stored[side]["ragchecker"].get(f"{h}_label") for h in HEADINGS} for side in SIDES)
        given = (one, two)
    return Pair(
        str(key),
        first["query"],
        first["gt_answer"],
        (first["model1"]["response"], first["model2"]["response"]),
        given,
        tuple(_labels(row) for row in rows),
    )


def _labels(row: Any) -> dict[str, float]:
    return {heading: float(row[f"{heading}_label"]) for heading in HEADINGS}


async def run(request: Request) -> Result:
    """Stored scores, people, floors, and the judge if there is one."""
    folder = data_folder(request.data, "ragchecker", HUMAN)
    pairs = pick(load_pairs(folder), request.limit)
    if not pairs:
        raise InputError("there are no pairs to compare", file=str(folder / HUMAN))
    deltas: dict[tuple[str, Kind], dict[str, Deltas]] = {}
    signatures, notes = {}, []
    if request.judge is not None:
        deltas, signature = await _judge(pairs, request.judge, request)
        signatures["ragchecker"] = signature
        lacking = sum(delta is None for delta in deltas["judge", "judge"]["overall"])
        if lacking:
            notes.append(f"{lacking} pairs have no F1 by the judge; they take the median difference")
    if all(pair.stored is not None for pair in pairs):
        deltas["RAGChecker, stored scores", "stored"] = _stored(pairs)
    else:
        notes.append(f"{STORED} is not there, so nothing can be recomputed from stored scores")
    floors = {name: _floor(pairs, measure) for name, measure in FLOORS.items()}
    deltas |= {(name, "floor"): dict.fromkeys(HEADINGS, found) for name, found in floors.items()}
    tables = tuple(_table(heading, pairs, deltas, request.resamples) for heading in HEADINGS)
    outcome = Outcome(
        experiment="ragchecker-meta",
        judge=describe(request.judge) if request.judge else None,
        signatures=signatures,
        samples=len(pairs),
        tables=tables,
        notes=tuple(notes),
    )
    return Result(outcome=outcome)


async def _judge(
    pairs: Sequence[Pair], judge: Judge, request: Request
) -> tuple[dict[tuple[str, Kind], dict[str, Deltas]], str]:
    metrics = tuple(f"ragchecker.{m}{kind}" for m in HEADINGS.values() for kind in ("", "_expected"))
    samples = [
        Sample(
            id=f"{pair.id}|{side}",
            item=pair.id,
            question=pair.query,
            response=response,
            reference=pair.reference,
        )
        for pair in pairs
        for side, response in zip(SIDES, pair.responses, strict=True)
    ]
    scored = await score_samples(
        RagChecker(metrics=metrics, steps=request.steps), samples, judge, request, "ragchecker-meta"
    )
    ids = [sample.id for sample in samples]
    found = {heading: _steps(scored.values(ids, f"ragchecker.{m}")) for heading, m in HEADINGS.items()}
    rows: dict[tuple[str, Kind], dict[str, Deltas]] = {
        ("judge", "judge"): found,
        ("judge, F1 for every heading", "judge"): dict.fromkeys(HEADINGS, found["overall"]),
    }
    likely = {h: _steps(scored.values(ids, f"ragchecker.{m}_expected")) for h, m in HEADINGS.items()}
    if any(delta is not None for delta in likely["overall"]):
        rows["judge, by its probabilities", "judge"] = likely
    return rows, scored.signature


def _steps(values: Sequence[float | None]) -> Deltas:
    """Second answer less first, pair by pair."""
    return [
        None if first is None or second is None else second - first
        for first, second in zip(values[::2], values[1::2], strict=True)
    ]


def _stored(pairs: Sequence[Pair]) -> dict[str, Deltas]:
    found: dict[str, Deltas] = {}
    for heading in HEADINGS:
        values = [side[heading] for pair in pairs for side in pair.stored or ()]
        found[heading] = _steps(values)
    return found


FLOORS: dict[str, Callable[[list[str], list[str]], float]] = {
    "words shared with the reference (F1)": lambda a, b: token_overlap(a, b)[2],
    "words shared (precision)": lambda a, b: token_overlap(a, b)[0],
    "words shared (recall)": lambda a, b: token_overlap(a, b)[1],
    "ROUGE-L": rouge_l,
    "length of the answer": lambda a, _: float(len(a)),
}


def _floor(pairs: Sequence[Pair], measure: Callable[[list[str], list[str]], float]) -> Deltas:
    values: list[float | None] = []
    for pair in pairs:
        reference = words(pair.reference)
        values += [measure(words(response), reference) for response in pair.responses]
    return _steps(values)


def spread(deltas: Deltas) -> Deltas:
    """Stretched to -2 … 2, what is missing at the median.

    A linear map, yet in this very order of operations, since its rounding makes or breaks ties and shows in
    the second decimal of Spearman's correlation.
    """
    known = [delta for delta in deltas if delta is not None]
    if not known:
        return deltas
    middle = statistics.median(known)
    filled = [middle if delta is None else delta for delta in deltas]
    low, high = min(filled), max(filled)
    if low == high:
        return list(filled)
    return [((delta - low) / (high - low) - 0.5) * 4 for delta in filled]


def _table(
    heading: str,
    pairs: Sequence[Pair],
    deltas: dict[tuple[str, Kind], dict[str, Deltas]],
    resamples: int,
) -> Table:
    """Every delta stands against each annotator of its pair; pairs are resampled, not rows."""
    said: list[float | None] = [label[heading] for pair in pairs for label in pair.labels]
    of = [pair.id for pair in pairs for _ in pair.labels]
    rows = []
    for (name, kind), found in deltas.items():
        each = zip(pairs, spread(found[heading]), strict=True)
        predicted = [delta for pair, delta in each for _ in pair.labels]
        rows.append(Row(name, kind, _correlations(predicted, said, of, resamples)))
    twice = [pair for pair in pairs if len(pair.labels) > 1]
    first, second = ([pair.labels[k][heading] for pair in twice] for k in (0, 1))
    human = _correlations(first, second, [pair.id for pair in twice], resamples)
    printed = dict(zip(COLUMNS, (value / 100 for value in PUBLISHED[heading]), strict=True))
    at = next((k for k, row in enumerate(rows) if row.kind == "floor"), len(rows))
    rows[at:at] = [
        Row("one annotator against the other", "people", human),
        published("RAGChecker, as published", printed),
    ]
    title = f"{heading}: difference of {HEADINGS[heading]} against {len(of)} human preferences"
    return Table(title, COLUMNS, tuple(rows), percent=True)


def _correlations(
    first: Sequence[float | None], second: Sequence[float | None], of: Sequence[str], resamples: int
) -> dict[str, Figure]:
    return {
        "Pearson": pearson(first, second, of, resamples),
        "Spearman": spearman(first, second, of, resamples),
    }
