"""Samples scored by the run engine for an experiment: in memory, or in a run folder that can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from adjudge.errors import JudgeError
from adjudge.judges.base import Judge, describe
from adjudge.protocols.base import Protocol
from adjudge.run.engine import Plan
from adjudge.run.session import Session
from adjudge.run.settings import Settings
from adjudge.run.store import read_records
from adjudge.stats.experiments.outcome import Request
from adjudge.types import Record, Sample


class Scored(Struct, frozen=True):
    """Records by sample id, and the signature of their numbers."""

    records: dict[str, Record]
    signature: str

    def values(self, ids: Sequence[str], metric: str) -> list[float | None]:
        """A metric's value for each sample, None where there is none."""
        found = []
        for name in ids:
            scores = {score.metric: score.value for score in self.records[name].scores}
            found.append(scores.get(metric))
        return found


class _Session(Session):
    """A run under a protocol that is given as it is, and not by name."""

    def __init__(self, protocol: Protocol, settings: Settings, judge: Judge, request: Request) -> None:
        super().__init__(settings, judge, concurrency=request.concurrency, on_progress=request.on_progress)
        self.protocol = protocol

    def _plan(self, head: list[Sample]) -> Plan:  # noqa: ARG002
        return Plan(protocols=(self.protocol,), judge=self.judge, labels="judge")


def must_answer(protocol: Protocol, judge: Judge) -> None:
    """Raise before the first question if the judge cannot answer all that will be asked."""
    lacking = sorted(kind.__name__ for kind in protocol.questions - judge.answers)
    if lacking:
        raise JudgeError(
            f"judge '{judge.name}' does not answer {', '.join(lacking)}, which this experiment asks;"
            " choose another --judge"
        )


async def score_samples(
    protocol: Protocol, samples: Sequence[Sample], judge: Judge, request: Request, name: str
) -> Scored:
    """Label all samples with the judge, whatever labels they carry, and score them."""
    must_answer(protocol, judge)
    for sample in samples:
        protocol.require(sample)
    signature = protocol.signature(f"judge:{describe(judge)}")
    settings = Settings(protocols=(protocol.name,), judge=signature, labels="judge", metrics=protocol.metrics)
    session = _Session(protocol, settings, judge, request)
    if request.out is None:
        outcome = await session.in_memory(samples)
        records = outcome.records or []
    else:
        folder = request.out / name
        folder.mkdir(parents=True, exist_ok=True)
        source = {"sha256": _digest(samples)}
        await session.in_folder(samples, folder, source=source, overwrite=request.overwrite)
        records = list(read_records(folder))
    return Scored({record.id: record for record in records}, signature)


def _digest(samples: Sequence[Sample]) -> str:
    content = hashlib.sha256()
    for sample in samples:
        content.update(msgspec.json.encode(sample))
    return content.hexdigest()
