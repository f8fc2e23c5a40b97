"""SAFE against FActScore: do a judge's facts and ratings follow those of people, response by response?

    identify   number of facts the judge finds in the response
    rate       the judge's ratings of the facts that people found
    entire     the whole of SAFE

"Supported" alone says little: longer responses have more supported facts, so that rating everything as
supported already correlates at about .76. The floors beside each figure show this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.datasets.safe_annotated import eval_data
from adjudge.errors import UsageError
from adjudge.evidence.registry import check_evidence, evidence_name
from adjudge.evidence.shared import shared_evidence
from adjudge.judges.base import Judge, describe
from adjudge.metrics.f_at_k import DEFAULT_K, f1_at_k
from adjudge.protocols.safe import Safe
from adjudge.protocols.safe_metrics import rate_facts
from adjudge.stats.experiments.data import data_folder
from adjudge.stats.experiments.factscore_data import F1, Biography, load_biographies, raw_data
from adjudge.stats.experiments.factscore_rating import RateGiven
from adjudge.stats.experiments.factscore_tables import (
    COLUMNS,
    METHOD,
    METRICS,
    PARTS,
    Side,
    fact_by_fact,
    plots_of,
    tables_of,
)
from adjudge.stats.experiments.outcome import Outcome, Plot, Request, Result, Table
from adjudge.stats.experiments.runs import must_answer, score_samples
from adjudge.types import Record

_SPLIT_KEYS = ("num_claims", "sentences_and_atomic_facts", "all_atomic_facts")
_COUNTS = ("supported", "not_supported", "irrelevant", "claims")


def parse_parts(names: Sequence[str]) -> tuple[str, ...]:
    """The experiments asked for, in their order; none is an error, and so is one that does not exist."""
    unknown = [name for name in names if name not in PARTS]
    if unknown or not names:
        found = f"there is no {unknown[0]!r}" if unknown else "none was chosen"
        raise UsageError(f"choose with --experiment one or more of {', '.join(PARTS)}: {found}")
    return tuple(part for part in PARTS if part in names)


async def run(request: Request) -> Result:
    """The parts asked for, one after another."""
    parts = parse_parts(request.parts)
    if request.judge is None:
        raise UsageError("factscore needs a judge: nothing is stored that could stand for one")
    looking = [part for part in parts if part != "identify"]
    if looking and request.evidence is None:
        raise UsageError(
            f"--experiment {','.join(looking)} looks facts up somewhere: add --evidence corpus:PATH, web or"
            " contexts"
        )
    found = load_biographies(data_folder(request.data, "factscore", "*.jsonl"), request)
    protocols = {part: _protocol(part, request) for part in parts}
    await _ready(protocols, found, request.judge, request.evidence)
    document = _head(request, request.judge)
    tables: list[Table] = []
    plots: list[Plot] = []
    signatures = {}
    for part, protocol in protocols.items():
        samples = [biography.sample for biography in found]
        scored = await score_samples(protocol, samples, request.judge, request, PARTS[part])
        signatures[PARTS[part]] = scored.signature
        sides = [_side(part, scored.records.get(biography.sample.id)) for biography in found]
        judged = tables_of(part, found, sides, request.resamples)
        tables += judged
        if part == "rate":
            tables.append(fact_by_fact(found, scored, request.resamples))
        plots += plots_of(part, found, sides)
        document[PARTS[part]] = _section(part, found, sides, judged)
    outcome = Outcome(
        experiment="factscore",
        judge=describe(request.judge),
        signatures=signatures,
        samples=len(found),
        tables=tuple(tables),
        notes=("published figures are GPT-3.5 with web search, over all 496 responses",),
    )
    return Result(
        outcome=outcome,
        document=document,
        document_name="correlation_vs_factscore",
        plots=tuple(plots),
    )


def _protocol(part: str, request: Request) -> Safe:
    if part == "identify":
        return Safe(metrics=("safe.claims",), steps=request.steps)
    metrics = (f"safe.f1@{DEFAULT_K}", *(f"safe.{name}" for name in _COUNTS))
    kind = RateGiven if part == "rate" else Safe
    return kind(metrics=metrics, steps=request.steps, evidence=request.evidence or "")


async def _ready(
    protocols: dict[str, Safe], found: Sequence[Biography], judge: Judge, evidence: str | None
) -> None:
    """Raise now what would otherwise show after the first part was paid for."""
    for protocol in protocols.values():
        must_answer(protocol, judge)
    if evidence is None or set(protocols) == {"identify"}:
        return
    check_evidence(evidence)
    if evidence != "contexts":
        await shared_evidence(evidence)
        return
    lacking = next((b.sample.id for b in found if b.sample.contexts is None), None)
    if lacking is not None:
        raise UsageError(
            f"--evidence contexts: response {lacking!r} has no 'contexts', and FActScore's files have none;"
            " add a list of passages to each line, or use --evidence corpus:PATH or web"
        )


def _side(part: str, record: Record | None) -> Side | None:
    """What the judge found for one response; None where it failed."""
    if record is None:
        return None
    labelled = record.labelled()
    rated = rate_facts(labelled)
    if rated is None or (part != "identify" and len(rated.unrated) == len(rated.claims) > 0):
        return None
    sample = record.sample
    prompt, response = (sample.question or "", sample.response or "") if sample else ("", "")
    data = eval_data(prompt, response, labelled, record.steps)
    measured: dict[str, float] = {}
    if part != "rate":
        measured["num_claims"] = len(rated.claims)
    if part != "identify":
        supported, against = len(rated.supported), len(rated.not_supported)
        measured |= {
            "supported": supported,
            "irrelevant": len(rated.irrelevant),
            "not_supported": against,
            F1: f1_at_k(supported, against),
        }
    if part == "identify":
        data = {key: data[key] for key in _SPLIT_KEYS}
    elif part == "rate":
        data = {key: value for key, value in data.items() if key not in _SPLIT_KEYS}
    return Side(measured, data)


def _head(request: Request, judge: Judge) -> dict[str, Any]:
    """What stands before the parts in the reference tool's file; its settings are texts."""
    safe = Safe()
    return {
        "eval_method": METHOD,
        "samples": request.samples,
        "model": describe(judge),
        "model_short": judge.name,
        "max_steps": str(safe.max_steps),
        "num_searches": str(safe.results),
        "search_type": evidence_name(request.evidence) if request.evidence else "none",
        "early_stop": str(safe.early_stop),
        "steps": str(request.steps),
    }


def _section(
    part: str, found: Sequence[Biography], sides: Sequence[Side | None], tables: Sequence[Table]
) -> dict[str, Any]:
    """One part in the reference tool's form; a failed response has empty entries, a missing number null."""
    people, method, prompts = [], [], []
    for biography, side in zip(found, sides, strict=True):
        people.append(_split(biography.measured() if side is not None else {}))
        method.append(_split(side.measured if side is not None else {}))
        prompts.append({"": None} if side is None else {**raw_data(biography), **side.data})
    scores = {}
    for metric, table in zip(METRICS[part], tables, strict=True):
        judge = table.rows[0].figures
        scores[metric] = {
            name: {"correlation": judge[name].value, "p_value": judge[name].p} for name in COLUMNS
        }
    return {
        "factscore": people,
        METHOD: method,
        "per_prompt_data": prompts,
        "correlation_scores": scores,
    }


def _split(measured: dict[str, float]) -> dict[str, dict[str, float]]:
    return {
        "raw": {name: value for name, value in measured.items() if name != F1},
        "aggregated": {name: value for name, value in measured.items() if name == F1},
    }
