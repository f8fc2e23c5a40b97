"""What a run does, decided beforehand, and one sample's records, or a few samples', by it.

`local.score_stream` drives runs; Inspect's scorers call `score_sample` themselves.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.errors import AdjudgeError, InputError, JudgeError, UsageError
from adjudge.judges.base import Judge, describe, gathered
from adjudge.judges.gathering import GatheringJudge
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols import protocol_names
from adjudge.protocols.base import MEANT, Protocol
from adjudge.run.settings import Settings
from adjudge.types import Attribute, Labelled, NotScored, Record, Sample

HEAD = 100
"""Samples looked at before a run, to say at once that nothing can be scored. They decide nothing else."""

GATHERED = 8
"""Samples that are labelled together where the judge gains by it. More gain no speed and come out later."""

NAMED = 5
"""Samples that nothing scores which are named, and not only counted."""

Chosen = tuple[tuple[Protocol, str | None], ...]
"""The protocols that score a sample, each with the source of its labels (None: the judge)."""
Choice = Literal["named", "metrics", "auto"]


class Plan(Struct, frozen=True, kw_only=True):
    """Everything decided before the first sample is scored. A sample's neighbours never decide on it."""

    protocols: tuple[Protocol, ...]
    choice: Choice = "named"
    """How protocols were chosen. `named`: a sample that lacks a field is an error. `metrics`: they were named
    through their metrics, and samples that lack a field are passed over. `auto`: each sample is scored by the
    protocols it is meant for."""
    judge: Judge
    labels: str = "auto"
    lean: bool = False
    profile: str = ""
    """Name and digest of the profile that set parameters, for signatures."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Samples that were not scored under a protocol nobody named, by protocol and reason."""
    not_scored: dict[str, NotScored] = {}
    """Samples that none of the protocols scored, by reason."""
    signatures: dict[tuple[Attribute, ...], str] = {}
    """Built once per protocol, labeller and what the data declares, not once per sample."""

    @property
    def labeller(self) -> str:
        return f"judge:{describe(self.judge)}"

    def signature(self, protocol: Protocol, labeller: str, attributes: Mapping[str, Attribute]) -> str:
        key = protocol.name, labeller, *(attributes.get(name) for name in protocol.declares)
        known = self.signatures.get(key)
        if known is None:
            known = self.signatures[key] = protocol.signature(labeller, self.profile, attributes)
        return known

    def can_label(self, protocol: Protocol) -> bool:
        return protocol.questions <= self.judge.answers

    def source(self, protocol: Protocol, sample: Sample) -> str | None:
        """The source of given labels that scoring uses for this sample, or None to ask the judge."""
        if self.labels == "judge":
            return None
        sources = protocol.sources(sample)
        if self.labels != "auto":
            return self.labels if self.labels in sources else None
        if len(sources) > 1:
            raise UsageError(
                f"sample {sample.id!r} carries labels of {len(sources)} sources for '{protocol.name}'"
                f" ({', '.join(sources)}); choose one with --labels"
            )
        return sources[0] if sources else None

    def gathering(self) -> frozenset[str]:
        """The protocols whose questions the judge answers faster for several samples at once."""
        kinds = gathered(self.judge)
        return frozenset(protocol.name for protocol in self.protocols if protocol.questions & kinds)

    def chosen(self, sample: Sample) -> Chosen:
        """The protocols that score this sample."""
        found = tuple((protocol, self.source(protocol, sample)) for protocol in self.protocols)
        if self.choice == "named":
            return found
        chosen = self._fitting(sample, found)
        if not chosen:
            why = self._why_not(sample)
            known = self.not_scored.get(why, NotScored(0))
            self.not_scored[why] = NotScored(known.samples + 1, (*known.ids, sample.id)[:NAMED])
        return chosen

    def _fitting(self, sample: Sample, found: Chosen) -> Chosen:
        """Those of the protocols that nobody named which speak of this sample."""
        given = tuple(pair for pair in found if pair[1] is not None)
        if self.labels not in ("auto", "judge"):
            return given
        fitting = [p for p, source in found if source is None and p.missing(sample) is None]
        askable = [p for p in fitting if self.can_label(p)]
        if self.choice == "auto":
            for protocol in fitting:
                if protocol not in askable and not given and protocol.offers(sample):
                    self.passed_over[f"{protocol.name}: judge '{self.judge.name}' cannot label for it"] += 1
            # A sample that brings labels is measured by those; one whose source says by what, by that; one
            # that means nothing else, by what fits it.
            meant = str(sample.attributes.get(MEANT, "")).split(",")
            offered = [p for p in askable if p.name in meant] or [p for p in askable if p.offers(sample)]
            askable = [] if given else offered or askable
        return given + tuple((protocol, None) for protocol in askable)

    def _why_not(self, sample: Sample) -> str:
        """Why nothing scores a sample."""
        if self.labels not in ("auto", "judge"):
            return f"no labels of {self.labels}"
        if sample.response is None and "error" in sample.attributes:
            return "it ended in an error"
        lacking = dict.fromkeys(filter(None, (protocol.missing(sample) for protocol in self.protocols)))
        if "response" in lacking:
            return "no 'response'"
        if any(protocol.missing(sample) is None for protocol in self.protocols):
            return f"judge '{self.judge.name}' cannot label for it"
        return f"no {' or '.join(map(repr, lacking))}"

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
    """Choose protocols and check, before any call, that there is something to score and somebody to label."""
    if not head:
        raise InputError("there are no samples", fix="give a file with at least one sample")
    choice: Choice = "named" if settings.protocols is not None else "metrics" if settings.metrics else "auto"
    protocols = settings.build(protocol_names() if settings.protocols is None else settings.protocols)
    plan = Plan(
        protocols=protocols,
        choice=choice,
        judge=judge,
        labels=settings.labels,
        lean=settings.lean,
        profile=settings.profile,
    )
    if choice == "named":
        for protocol in protocols:
            problem = _problem(plan, protocol, head)
            if problem is not None:
                raise problem
    elif not any(plan.chosen(sample) for sample in head):
        raise _nothing_fits(plan, head)
    plan.passed_over.clear()
    plan.not_scored.clear()
    return plan


def _problem(plan: Plan, protocol: Protocol, head: Sequence[Sample]) -> AdjudgeError | None:
    """Why a protocol that was asked for cannot run at all, if it cannot."""
    if any(plan.source(protocol, sample) is not None for sample in head):
        return None
    if plan.labels not in ("auto", "judge"):
        found = sorted({source for sample in head for source in protocol.sources(sample)})
        there = f"there are {', '.join(found)}" if found else "there are none"
        return UsageError(f"no labels of source {plan.labels!r} for protocol '{protocol.name}': {there}")
    if not plan.can_label(protocol):
        questions = ", ".join(sorted(kind.__name__ for kind in protocol.questions - plan.judge.answers))
        cure = "add --similarity local" if questions == "Similarity" else "choose another --judge"
        return JudgeError(
            f"judge '{plan.judge.name}' cannot label for protocol '{protocol.name}' (it does not answer"
            f" {questions}) and the samples carry no labels; {cure} or give labelled data"
        )
    if all(protocol.missing(sample) is not None for sample in head):
        try:
            protocol.require(head[0])
        except InputError as error:
            return error
    return None


def _nothing_fits(plan: Plan, head: Sequence[Sample]) -> AdjudgeError:
    problems = [(protocol, _problem(plan, protocol, head)) for protocol in plan.protocols]
    if len(problems) == 1 and problems[0][1] is not None:
        return problems[0][1]
    if plan.labels not in ("auto", "judge"):
        found = sorted({s for sample in head for p in plan.protocols for s in p.sources(sample)})
        there = f"there are {', '.join(found)}" if found else "there are none"
        return UsageError(f"no labels of source {plan.labels!r} in the file: {there}")
    lacks = [
        f"{protocol.name} lacks {protocol.missing(head[0])}"
        if protocol.missing(head[0])
        else f"{protocol.name} needs labels or another judge than '{plan.judge.name}'"
        for protocol in plan.protocols
    ]
    return InputError(
        f"no protocol fits what this sample holds: {'; '.join(lacks)}",
        sample=head[0].id,
        fix="add the fields or labels, or choose a --judge that can label",
    )


async def score_sample(
    sample: Sample, plan: Plan, place: str | None = None, chosen: Chosen | None = None
) -> list[Record]:
    """The records of one sample: one a protocol that scores it."""
    records = []
    for protocol, source in plan.chosen(sample) if chosen is None else chosen:
        if source is not None:
            labelled, labeller = protocol.given(sample, source), f"labels:{source}"
        elif plan.labels not in ("auto", "judge"):
            labelled, labeller = _bare(protocol, sample), f"labels:{plan.labels}"
        elif not plan.can_label(protocol):
            labelled, labeller = _bare(protocol, sample), plan.labeller
        else:
            protocol.require(sample)
            labelled, labeller = await protocol.label(sample, plan.judge), plan.labeller
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
                scores=tuple(protocol.score(labelled)),
                signature=plan.signature(protocol, labeller, labelled.attributes),
                labeller=labeller,
                input=place if plan.lean else None,
                steps=labelled.steps,
            )
        )
    return records


def _bare(protocol: Protocol, sample: Sample) -> Labelled:
    """A sample that nobody labelled: scoring it says so."""
    return Labelled(sample.id, sample.item, protocol.attributes(sample), (), ())


async def score_together(
    samples: Sequence[tuple[Sample, str | None]], plan: Plan
) -> list[list[Record] | BaseException]:
    """What comes of a few samples and their places, in their order, the judge asked for all of them at once.

    Errors are values here: a sample's neighbours are none of its business.
    """
    names = plan.gathering()
    shared = replace(plan, judge=GatheringJudge(plan.judge))
    done: dict[int, list[Record] | BaseException] = {}
    waiting: dict[int, asyncio.Task[list[Record]]] = {}
    for number, (sample, place) in enumerate(samples):
        try:
            chosen = plan.chosen(sample)
            if any(source is None and protocol.name in names for protocol, source in chosen):
                waiting[number] = asyncio.create_task(score_sample(sample, shared, place, chosen))
            else:
                done[number] = await score_sample(sample, plan, place, chosen)
        except Exception as error:
            done[number] = error
    if waiting:
        outcomes = await asyncio.gather(*waiting.values(), return_exceptions=True)
        done.update(zip(waiting, outcomes, strict=True))
    return [done[number] for number in range(len(samples))]


def take_head(samples: Iterable[Sample]) -> tuple[list[Sample], Iterator[Sample]]:
    """The first samples, and an iterator over all of them."""
    iterator = iter(samples)
    head = list(islice(iterator, HEAD))

    def everything() -> Iterator[Sample]:
        yield from head
        yield from iterator

    return head, everything()
