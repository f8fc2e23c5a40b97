"""One sample in, its records out. Every driver (local, Ray, integrations) calls `score_batch`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct, field

from adjudge.errors import InputError, JudgeError, UsageError
from adjudge.judges.base import Judge, describe
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols import protocol_names
from adjudge.protocols.base import Protocol
from adjudge.run.settings import Settings
from adjudge.types import Labelled, Record, Sample

HEAD = 100
"""How many samples are looked at to tell which protocols a file allows."""


class Plan(Struct, frozen=True, kw_only=True):
    """Everything decided before the first sample is scored."""

    protocols: tuple[Protocol, ...]
    explicit: bool
    """Protocols were named: a sample that lacks a field is then an error, not one to pass over."""
    judge: Judge
    labels: str = "auto"
    lean: bool = False
    labelled: frozenset[str] = frozenset()
    """Protocols for which the file brings labels: in `auto` mode no judge is then mixed in."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Samples that a protocol nobody named does not speak of, per protocol."""
    signatures: dict[tuple[str, str], str] = {}
    """Built once per protocol and labeller, not once per sample."""

    @property
    def labeller(self) -> str:
        return f"judge:{describe(self.judge)}"

    def signature(self, protocol: Protocol, labeller: str) -> str:
        known = self.signatures.get((protocol.name, labeller))
        if known is None:
            known = self.signatures[protocol.name, labeller] = protocol.signature(labeller)
        return known

    def can_label(self, protocol: Protocol) -> bool:
        if protocol.name in self.labelled:
            return False
        return protocol.questions <= self.judge.answers

    def fold(self, by: Sequence[str] = ()) -> SummaryFold:
        """An empty fold of the right shape: overall, as asked, and as each protocol always shows."""
        specs = [spec for protocol in self.protocols for spec in protocol.wanted]
        return SummaryFold(specs, {p.name: views_of(p, by) for p in self.protocols})


def views_of(protocol: Protocol, by: Sequence[str]) -> list[tuple[str, ...]]:
    """The attribute names of each grouping; what is never averaged across is part of every one."""
    within = protocol.specs[0].within
    views = [within, (*within, *(name for name in by if name not in within))]
    return views + [(*within, *view) for view in protocol.groupings]


def plan_run(settings: Settings, judge: Judge, head: Sequence[Sample]) -> Plan:
    """Choose protocols and check, before any call, that there is somebody to label for them."""
    explicit = settings.protocols is not None
    names = settings.protocols if settings.protocols is not None else protocol_names()
    protocols = settings.build(names)
    plan = Plan(
        protocols=protocols, explicit=explicit, judge=judge, labels=settings.labels, lean=settings.lean
    )
    allowed = [protocol for protocol in protocols if _allowed(plan, protocol, head)]
    if not allowed and not explicit:
        # Nothing offers itself: then whatever the fields allow is better than nothing.
        plan = msgspec.structs.replace(plan, explicit=True)
        allowed = [protocol for protocol in protocols if _allowed(plan, protocol, head)]
    if not allowed:
        raise _nothing_fits(plan, head)
    if explicit and len(allowed) < len(protocols):
        refused = next(protocol for protocol in protocols if protocol not in allowed)
        _refuse(plan, refused, head)
    labelled = [p.name for p in allowed if any(_source(plan, p, sample) is not None for sample in head)]
    return msgspec.structs.replace(plan, protocols=tuple(allowed), labelled=frozenset(labelled))


def _allowed(plan: Plan, protocol: Protocol, head: Sequence[Sample]) -> bool:
    if any(_source(plan, protocol, sample) is not None for sample in head):
        return True
    if plan.labels not in ("auto", "judge") or not plan.can_label(protocol):
        return False
    fits = (lambda sample: protocol.missing(sample) is None) if plan.explicit else protocol.offers
    return any(fits(sample) for sample in head)


def _refuse(plan: Plan, protocol: Protocol, head: Sequence[Sample]) -> None:
    """Say why a protocol that was asked for cannot run."""
    if plan.labels not in ("auto", "judge"):
        found = sorted({source for sample in head for source in protocol.sources(sample)})
        there = f"there are {', '.join(found)}" if found else "there are none"
        raise UsageError(f"no labels of source {plan.labels!r} for protocol '{protocol.name}': {there}")
    if not plan.can_label(protocol):
        questions = ", ".join(sorted(kind.__name__ for kind in protocol.questions - plan.judge.answers))
        raise JudgeError(
            f"judge '{plan.judge.name}' cannot label for protocol '{protocol.name}' (it does not answer"
            f" {questions}) and the samples carry no labels; choose another --judge or give labelled data"
        )
    for sample in head:
        protocol.require(sample)


def _nothing_fits(plan: Plan, head: Sequence[Sample]) -> Exception:
    if not head:
        return InputError("there are no samples", fix="give a file with at least one sample")
    if len(plan.protocols) == 1:
        try:
            _refuse(plan, plan.protocols[0], head)
        except (UsageError, JudgeError, InputError) as error:
            return error
    lacks = [
        f"{protocol.name} lacks {protocol.missing(sample)}"
        if protocol.missing(sample)
        else f"{protocol.name} needs labels or another judge than '{plan.judge.name}'"
        for sample in head[:1]
        for protocol in plan.protocols
    ]
    return InputError(
        f"no protocol fits what this sample holds: {'; '.join(lacks)}",
        sample=head[0].id,
        fix="add the fields or labels, or choose a --judge that can label",
    )


def _source(plan: Plan, protocol: Protocol, sample: Sample) -> str | None:
    """The source of given labels that scoring uses for this sample, or None to ask the judge."""
    if plan.labels == "judge":
        return None
    sources = protocol.sources(sample)
    if plan.labels != "auto":
        return plan.labels if plan.labels in sources else None
    if len(sources) > 1:
        raise UsageError(
            f"sample {sample.id!r} carries labels of {len(sources)} sources for '{protocol.name}'"
            f" ({', '.join(sources)}); choose one with --labels"
        )
    return sources[0] if sources else None


async def score_sample(sample: Sample, plan: Plan, place: str | None = None) -> list[Record]:
    """The records of one sample: one a protocol that speaks of it."""
    records = []
    for protocol in plan.protocols:
        source = _source(plan, protocol, sample)
        if source is not None:
            labelled, labeller = protocol.given(sample, source), f"labels:{source}"
        elif plan.labels not in ("auto", "judge"):
            labelled, labeller = _bare(protocol, sample), f"labels:{plan.labels}"
        elif not plan.explicit and not (plan.can_label(protocol) and protocol.offers(sample)):
            plan.passed_over[protocol.name] += 1
            continue
        elif not plan.can_label(protocol):
            labelled, labeller = _bare(protocol, sample), plan.labeller
        else:
            protocol.require(sample)
            labelled, labeller = await protocol.label(sample, plan.judge), plan.labeller
        scores = tuple(protocol.score(labelled))
        records.append(
            Record(
                protocol=protocol.name,
                sample=None if plan.lean else sample,
                id=sample.id,
                item=sample.item,
                attributes=labelled.attributes,
                units=labelled.units,
                labels=labelled.labels,
                grids=labelled.grids,
                scores=scores,
                signature=plan.signature(protocol, labeller),
                input=place if plan.lean else None,
                steps=labelled.steps,
            )
        )
    return records


def _bare(protocol: Protocol, sample: Sample) -> Labelled:
    """A sample that nobody labelled: scoring it says so."""
    return Labelled(sample.id, sample.item, protocol.attributes(sample), (), ())


async def score_batch(samples: Sequence[Sample], plan: Plan) -> list[list[Record]]:
    """The records of several samples, in their order; those that wait wait together."""
    if plan.judge.immediate:
        return [await score_sample(sample, plan) for sample in samples]
    return list(await asyncio.gather(*(score_sample(sample, plan) for sample in samples)))


def take_head(samples: Iterable[Sample]) -> tuple[list[Sample], Iterator[Sample]]:
    """The first samples, and an iterator over all of them."""
    iterator = iter(samples)
    head = list(islice(iterator, HEAD))

    def everything() -> Iterator[Sample]:
        yield from head
        yield from iterator

    return head, everything()
