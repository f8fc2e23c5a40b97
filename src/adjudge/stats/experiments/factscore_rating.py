"""SAFE from its second step on: facts that people wrote are made self-contained, told relevant and rated."""

from __future__ import annotations

from adjudge.evidence.registry import open_evidence
from adjudge.evidence.shared import shared_evidence
from adjudge.judges.base import (
    CheckClaims,
    IsRelevant,
    Judge,
    MakeSelfContained,
    NextQuery,
    Question,
    RateFact,
)
from adjudge.protocols.asking import ask_once, failures, reason_of
from adjudge.protocols.safe import Safe
from adjudge.protocols.safe_search import Claim, Manner, check_contexts, look_up
from adjudge.types import Label, Labelled, Sample, Unit


class RateGiven(Safe, frozen=True, kw_only=True):
    """`safe` over the facts that a sample carries, whoever labelled them."""

    @property
    def questions(self) -> frozenset[type[Question]]:
        joint = self.evidence == "contexts" and not self.steps
        asked: set[type[Question]] = {MakeSelfContained, IsRelevant}
        asked |= {CheckClaims} if joint else {NextQuery, RateFact}
        return frozenset(asked)

    def labelling(self) -> list[str]:
        return ["facts:given", *super().labelling()]

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        facts = [unit for unit in sample.units if unit.kind == "fact"]
        source, response = f"judge:{judge.name}", sample.response or ""
        revising = [MakeSelfContained(unit.text or "", response) for unit in facts]
        revised = await ask_once(judge, revising)
        words = [
            reply.value.strip() if isinstance(reply.value, str) and reply.value.strip() else unit.text or ""
            for unit, reply in zip(facts, revised, strict=True)
        ]
        relating = [IsRelevant(fact, sample.question or "", response) for fact in words]
        related = await ask_once(judge, relating)
        labels = [Label("facts", "response", len(facts), None, source)]
        claims = []
        for unit, fact, reply in zip(facts, words, related, strict=True):
            reason = reason_of(reply) if reply.value is None else None
            labels.append(Label("relevant", unit.id, reply.value, None, source, reply.why, reason))
            if fact != unit.text:
                labels.append(Label("self_contained", unit.id, fact, None, source))
            if reply.value is not False:
                claims.append(Claim(unit.id, fact))
        steps = failures("response", revising, revised) + failures("response", relating, related)
        checked, searches = await self._check(sample, claims, judge, source)
        units: tuple[Unit, ...] = sample.units
        if self.evidence == "contexts":
            passages = range(len(sample.contexts or ()))
            units += tuple(Unit(f"ctx:{k}", field=f"contexts.{k}") for k in passages)
        attributes = self.attributes(sample)
        found = (*labels, *checked)
        return Labelled(sample.id, sample.item, attributes, units, found, (), steps=(*steps, *searches))

    async def _check(
        self, sample: Sample, claims: list[Claim], judge: Judge, source: str
    ) -> tuple[list[Label], list[dict[str, object]]]:
        contexts = sample.contexts or ()
        if not claims:
            return [], []
        if CheckClaims in self.questions:
            verdicts, steps = await check_contexts(claims, contexts, judge)
        else:
            own = self.evidence == "contexts"
            evidence = open_evidence("contexts", contexts) if own else await shared_evidence(self.evidence)
            manner = Manner(self.max_steps, self.results, self.early_stop)
            verdicts, steps = await look_up(claims, evidence, judge, manner)
        labels = []
        for claim, (value, why, reason, against, shares) in zip(claims, verdicts, strict=True):
            labels.append(Label("check", claim.unit, value, against, source, why, reason, shares))
        return labels, steps
