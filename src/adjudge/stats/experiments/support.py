"""Claim against evidence: can the judge tell supported claims from others?

Any `*.jsonl` or `*.jsonl.gz` whose rows have `evidence`, `claim` and `label` (`supported` or
`not_supported`) is a set.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from adjudge.datasets.source import Row as SourceRow
from adjudge.datasets.source import Source
from adjudge.errors import InputError, JudgeError
from adjudge.judges.base import CheckClaims, Judge, Reply, describe, opened
from adjudge.stats.experiments import measures
from adjudge.stats.experiments.data import data_folder, pick
from adjudge.stats.experiments.outcome import Figure, Outcome, Request, Result, Row, Table, chosen
from adjudge.stats.experiments.words import covered, inverse_frequencies

COLUMNS = ("AUROC", "balanced accuracy", "at the best threshold")
BATCH = 256
_KEYS = frozenset({"evidence", "claim", "label"})
_LABELS = {"supported": True, "not_supported": False}


class Claim(Struct, frozen=True):
    """A claim, its evidence, and whether people say that the one supports the other."""

    id: str
    claim: str
    evidence: str
    supported: bool


class Opinion(Struct, frozen=True):
    """What the judge said: how sure it is of support, and its verdict. None where it said nothing."""

    score: float | None = None
    supported: bool | None = None


def load_set(path: Path) -> list[Claim] | None:
    """The claims of a file; None for a file of another form."""
    source = Source(path)
    if not isinstance(source.first, dict) or not source.first.keys() >= _KEYS:
        return None
    return [_claim(row, number) for number, row in enumerate(source.rows())]


def _claim(row: SourceRow, number: int) -> Claim:
    data = row.data
    if not isinstance(data, dict) or not data.keys() >= _KEYS:
        raise row.error("expected an object with evidence, claim and label")
    name = str(data.get("id", number))
    if data["label"] not in _LABELS:
        raise row.error(
            f"expected supported or not_supported, found {data['label']!r}", sample=name, field="label"
        )
    for field in ("claim", "evidence"):
        if not isinstance(data[field], str):
            raise row.error("expected text", sample=name, field=field)
    return Claim(name, data["claim"], data["evidence"], _LABELS[data["label"]])


def load_sets(folder: Path) -> tuple[dict[str, list[Claim]], list[str]]:
    """All sets of a folder by name, and the names of files of another form."""
    sets, others = {}, []
    for path in sorted(folder.glob("*.jsonl*")):
        found = load_set(path)
        if found is None:
            others.append(path.name)
        else:
            sets[path.name.partition(".")[0]] = found
    return sets, others


async def run(request: Request) -> Result:
    """One table a set."""
    folder = data_folder(request.data, "support", "*.jsonl*")
    sets, others = load_sets(folder)
    if not sets:
        raise InputError(
            "no file here has rows with evidence, claim and label",
            file=str(folder),
            fix="name another --data",
        )
    taken = {name: pick(sets[name], request.limit) for name in chosen(list(sets), request, "set")}
    opinions: dict[str, list[Opinion]] = {}
    if request.judge is not None:
        opinions = await _ask_all(taken, request.judge, request)
    tables = tuple(_table(name, claims, opinions.get(name), request) for name, claims in taken.items())
    notes = [
        "'at the best threshold' fits the threshold to the rows it is measured on: an upper bound",
        *(f"{name} is no set of claims and was passed over" for name in others),
    ]
    judge = describe(request.judge) if request.judge else None
    outcome = Outcome(
        experiment="support",
        judge=judge,
        signatures={"support": f"support|CheckClaims|judge:{judge}"} if judge else {},
        samples=sum(map(len, taken.values())),
        tables=tables,
        notes=tuple(notes),
    )
    return Result(outcome=outcome)


async def _ask_all(sets: dict[str, list[Claim]], judge: Judge, request: Request) -> dict[str, list[Opinion]]:
    """Opinions on all claims, in batches; with a folder, they are written there set by set."""
    if CheckClaims not in judge.answers:
        raise JudgeError(f"judge '{judge.name}' does not answer CheckClaims; choose another --judge")
    found: dict[str, list[Opinion]] = {}
    done = 0
    # A model on this machine works best on many pairs at once; others count what is under way.
    size = max(BATCH, request.concurrency) if judge.immediate else request.concurrency
    async with opened(judge):
        for name, claims in sets.items():
            found[name] = []
            for start in range(0, len(claims), size):
                batch = claims[start : start + size]
                replies = await judge.ask([CheckClaims((c.claim,), (c.evidence,)) for c in batch])
                found[name] += map(_opinion, replies)
                done += len(batch)
                request.on_progress(done)
            if request.out is not None:
                _keep(request.out / f"support-{name}.jsonl", claims, found[name])
    return found


def _opinion(reply: Reply) -> Opinion:
    """The verdict of the one cell; its probability where the judge gives one, else 1 or 0."""
    cell = reply.value[0][0] if reply.value and reply.value[0] else "-"
    if cell not in "ecn":
        return Opinion()
    supported = cell == "e"
    try:
        score = float(reply.probabilities[0][0][0])
    except (TypeError, IndexError, KeyError):
        score = float(supported)
    return Opinion(score, supported)


def _keep(path: Path, claims: Sequence[Claim], opinions: Sequence[Opinion]) -> None:
    """One line a claim: id, label, score, verdict; without the texts, which the data has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"id": c.id, "label": c.supported, "score": o.score, "supported": o.supported}
        for c, o in zip(claims, opinions, strict=True)
    ]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def _table(name: str, claims: Sequence[Claim], opinions: list[Opinion] | None, request: Request) -> Table:
    """Claims about one evidence stand or fall together, so evidence is what is resampled."""
    true = [claim.supported for claim in claims]
    of = [claim.evidence for claim in claims]
    rows, notes = [], []
    if opinions is not None:
        scores = [opinion.score for opinion in opinions]
        said = [opinion.supported for opinion in opinions]
        figures = {
            "AUROC": measures.auroc(scores, true, of, request.resamples),
            "balanced accuracy": measures.balanced_accuracy(said, true, of, request.resamples),
            "at the best threshold": measures.best_balanced_accuracy(scores, true),
        }
        rows.append(Row("judge", "judge", figures))
        lacking = sum(score is None for score in scores)
        if lacking:
            notes.append(f"the judge gave no verdict on {lacking} of {len(claims)} claims; they are left out")
    weights = inverse_frequencies(set(of))
    floors = {
        "words found in the evidence": [covered(c.claim, c.evidence) for c in claims],
        "the same, rare words count more": [covered(c.claim, c.evidence, weights) for c in claims],
    }
    for title, overlap in floors.items():
        figures = {
            "AUROC": measures.auroc(overlap, true, of, request.resamples),
            "balanced accuracy": Figure(reason="it gives no verdict of its own"),
            "at the best threshold": measures.best_balanced_accuracy(overlap, true),
        }
        rows.append(Row(title, "floor", figures))
    heading = f"{name}: {len(claims)} claims, {sum(true)} supported, {len(set(of))} different evidences"
    return Table(heading, COLUMNS, tuple(rows), notes=tuple(notes))
