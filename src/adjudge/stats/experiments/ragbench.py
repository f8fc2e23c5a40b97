"""RAGBench's comparison of judges: hallucination (AUROC), relevance and utilization (RMSE), subset by subset.

Hallucination is the contrary of adherence. Predictions that are missing are left out, pair by pair. The
stored columns of GPT-3.5, RAGAS and TruLens are measured again from the data, so that the judge stands next
to what the same rows give for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from adjudge.datasets.ragbench import READER
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.judges.base import describe
from adjudge.protocols.trace import Trace
from adjudge.stats.experiments.data import data_folder, pick
from adjudge.stats.experiments.measures import auroc, rmse
from adjudge.stats.experiments.outcome import (
    Figure,
    Kind,
    Outcome,
    Request,
    Result,
    Row,
    Table,
    chosen,
    published,
)
from adjudge.stats.experiments.runs import Scored, score_samples
from adjudge.stats.experiments.words import covered
from adjudge.types import Record, Sample

HALLUCINATION, RELEVANCE, UTILIZATION = "hallucination AUROC", "relevance RMSE", "utilization RMSE"
COLUMNS = (HALLUCINATION, RELEVANCE, UTILIZATION)
STORED = {
    "GPT-3.5": ("gpt3_adherence", "gpt3_context_relevance", "gpt35_utilization"),
    "RAGAS": ("ragas_faithfulness", "ragas_context_relevance", None),
    "TruLens": ("trulens_groundedness", "trulens_context_relevance", None),
}
PAPER: dict[str, dict[str, tuple[float, ...]]] = {
    "covidqa": {
        "GPT-3.5": (0.57, 0.18, 0.11),
        "RAGAS": (0.58, 0.17),
        "TruLens": (0.62, 0.58),
        "DeBERTa, trained": (0.77,),
    },
    "hotpotqa": {
        "GPT-3.5": (0.59, 0.11, 0.08),
        "RAGAS": (0.62, 0.14),
        "TruLens": (0.64, 0.73),
        "DeBERTa, trained": (0.85,),
    },
    "msmarco": {
        "GPT-3.5": (0.65, 0.23, 0.11),
        "RAGAS": (0.63, 0.25),
        "TruLens": (0.62, 0.61),
        "DeBERTa, trained": (0.70,),
    },
    "hagrid": {
        "GPT-3.5": (0.58, 0.22, 0.15),
        "RAGAS": (0.62, 0.22),
        "TruLens": (0.67, 0.69),
        "DeBERTa, trained": (0.81,),
    },
    "expertqa": {
        "GPT-3.5": (0.55, 0.31, 0.23),
        "RAGAS": (0.57, 0.28),
        "TruLens": (0.70, 0.60),
        "DeBERTa, trained": (0.87,),
    },
    "delucionqa": {
        "GPT-3.5": (0.57, 0.18, 0.10),
        "RAGAS": (0.70, 0.22),
        "TruLens": (0.55, 0.64),
        "DeBERTa, trained": (0.64,),
    },
    "emanual": {
        "GPT-3.5": (0.54, 0.17, 0.11),
        "RAGAS": (0.57, 0.27),
        "TruLens": (0.61, 0.64),
        "DeBERTa, trained": (0.76,),
    },
}
LEAKS = {
    "emanual": "nearly all documents of emanual's test split also occur in its other splits",
    "delucionqa": "about a quarter of delucionqa's test documents also occur in its other splits",
}
_SPLITS = ("train", "validation", "test")
_METRICS = ("trace.adherence", "trace.supported_sentences", "trace.relevance", "trace.utilization")


class Subset(Struct, frozen=True):
    """Rows of one subset, and those whose question occurs in another split of it."""

    samples: list[Sample]
    seen: frozenset[str]


def load_subset(folder: Path, split: str, limit: int | None = None) -> Subset:
    """A subset's split, and which of its questions the other splits here hold too."""
    samples = pick(_read(folder, split), limit)
    if not samples:
        raise InputError(
            f"there is no {split}-*.parquet here", file=str(folder), fix="choose another --split"
        )
    elsewhere = {s.question for other in _SPLITS if other != split for s in _read(folder, other)}
    return Subset(samples, frozenset(s.id for s in samples if s.question in elsewhere))


def _read(folder: Path, split: str) -> list[Sample]:
    found: list[Sample] = []
    for path in sorted(folder.glob(f"{split}-*.parquet")):
        for row in READER.rows(Source(path)):
            if isinstance(row, InputError):
                raise row
            found += READER.convert(row)
    return found


async def run(request: Request) -> Result:
    """One table a subset."""
    folder = data_folder(request.data, "ragbench", f"*/{request.split}-*.parquet")
    present = sorted({path.parent.name for path in folder.glob(f"*/{request.split}-*.parquet")})
    subsets = {
        name: load_subset(folder / name, request.split, request.limit)
        for name in chosen(present, request, "subset")
    }
    scored = None
    if request.judge is not None:
        trace = Trace(metrics=_METRICS, steps=request.steps)
        samples = [_named(name, sample) for name, subset in subsets.items() for sample in subset.samples]
        scored = await score_samples(trace, samples, request.judge, request, "ragbench")
    tables = tuple(_table(name, subset, scored, request) for name, subset in subsets.items())
    absent = [name for name in PAPER if name not in present]
    outcome = Outcome(
        experiment="ragbench",
        judge=describe(request.judge) if request.judge else None,
        signatures={"trace": scored.signature} if scored else {},
        samples=sum(len(subset.samples) for subset in subsets.values()),
        tables=tables,
        notes=(f"there is no data here for {', '.join(absent)}",) if absent else (),
    )
    return Result(outcome=outcome)


def _named(subset: str, sample: Sample) -> Sample:
    """Ids are unique within a subset only."""
    return Sample(
        id=f"{subset}|{sample.id}",
        item=f"{subset}|{sample.item}",
        question=sample.question,
        response=sample.response,
        contexts=sample.contexts,
        attributes={"subset": subset},
    )


class Truth(Struct, frozen=True):
    """What RAGBench says of each row."""

    hallucinated: list[bool]
    relevance: list[float | None]
    utilization: list[float | None]
    items: list[str]


def _stored(samples: Sequence[Sample], key: str | None) -> list[float | None]:
    values = [sample.attributes.get(f"ragbench_{key}") for sample in samples]
    return [None if value is None else float(value) for value in values]


def _truth(samples: Sequence[Sample]) -> Truth:
    adherence = [sample.attributes.get("ragbench_adherence_score") for sample in samples]
    if any(value is None for value in adherence):
        lacking = samples[adherence.index(None)]
        raise InputError("the row has no adherence_score", sample=lacking.id, fix="use RAGBench's own files")
    return Truth(
        [not value for value in adherence],
        _stored(samples, "relevance_score"),
        _stored(samples, "utilization_score"),
        [sample.item for sample in samples],
    )


def _row(
    name: str,
    kind: Kind,
    truth: Truth,
    adherent: Sequence[float | None] | None,
    relevance: Sequence[float | None] | None,
    utilization: Sequence[float | None] | None,
    resamples: int,
) -> Row:
    figures = dict.fromkeys(COLUMNS, Figure(reason="not predicted"))
    if adherent is not None:
        doubt = [None if value is None else 1 - value for value in adherent]
        figures[HALLUCINATION] = auroc(doubt, truth.hallucinated, truth.items, resamples)
    if relevance is not None:
        figures[RELEVANCE] = rmse(relevance, truth.relevance, truth.items, resamples)
    if utilization is not None:
        figures[UTILIZATION] = rmse(utilization, truth.utilization, truth.items, resamples)
    return Row(name, kind, figures)


def _table(name: str, subset: Subset, scored: Scored | None, request: Request) -> Table:
    truth = _truth(subset.samples)
    rows = _judge_rows(name, subset, scored, request) if scored is not None else []
    for tool, keys in STORED.items():
        given, relevant, used = (_stored(subset.samples, key) if key else None for key in keys)
        title = f"{tool}, stored predictions"
        rows.append(_row(title, "stored", truth, given, relevant, used, request.resamples))
    for tool, values in PAPER.get(name, {}).items():
        rows.append(published(f"{tool}, as published", dict(zip(COLUMNS, values, strict=False))))
    rows += _floors(subset.samples, truth, request.resamples)
    notes = [LEAKS[name]] if name in LEAKS else []
    if subset.seen:
        notes.append(f"questions that another split here holds too: {len(subset.seen)} rows")
    title = f"{name}, {request.split}: {len(subset.samples)} rows, {sum(truth.hallucinated)} hallucinated"
    return Table(title, COLUMNS, tuple(rows), notes=tuple(notes), lower=(RELEVANCE, UTILIZATION))


def _judge_rows(name: str, subset: Subset, scored: Scored, request: Request) -> list[Row]:
    """The judge over all rows: yes or no, share of sentences, its probability; then over unseen questions.

    The stored columns are over all rows, as published.
    """
    groups = {"judge": subset.samples}
    fresh = [sample for sample in subset.samples if sample.id not in subset.seen]
    if len(fresh) < len(subset.samples):
        groups["judge, unseen questions"] = fresh
    rows = []
    for title, samples in groups.items():
        if not samples:
            continue
        truth = _truth(samples)
        ids = [f"{name}|{sample.id}" for sample in samples]
        adherent, share, relevance, utilization = (scored.values(ids, metric) for metric in _METRICS)
        rows.append(_row(title, "judge", truth, adherent, relevance, utilization, request.resamples))
        graded = f"{title}, share of sentences"
        rows.append(_row(graded, "judge", truth, share, None, None, request.resamples))
        sure = [_probability(scored.records[i]) for i in ids]
        if any(value is not None for value in sure):
            rows.append(_row(f"{title}, probability", "judge", truth, sure, None, None, request.resamples))
    return rows


def _probability(record: Record) -> float | None:
    """How surely the judge takes the whole response to be supported, where it says so."""
    for label in record.labels:
        if label.name == "overall_supported" and label.probabilities:
            return label.probabilities.get("true")
    return None


def _floors(samples: Sequence[Sample], truth: Truth, resamples: int) -> list[Row]:
    """Words of the response that the contexts lack; and every value at the mean of the very rows."""
    share = [covered(sample.response or "", " ".join(sample.contexts or ())) for sample in samples]
    means = []
    for values in (truth.relevance, truth.utilization):
        known = [value for value in values if value is not None]
        mean = sum(known) / len(known) if known else None
        means.append([mean] * len(values))
    return [
        _row("words found in the contexts", "floor", truth, share, None, None, resamples),
        _row("always the mean", "floor", truth, None, means[0], means[1], resamples),
    ]
