"""SAFE: how many of the facts in a long answer does evidence support, as F1@K?

Units: `resp:KEY` (sentences, keys in order of first appearance) and `fact:KEY.N`, the N-th fact of sentence
KEY, counted from 1. Labels on facts: `relevant` (true or false), `check` (a verdict), `duplicate_of` (true,
against the earlier fact), `self_contained` (the fact in words that stand alone). Label `facts` on `response`
is the number of facts it was split into: it tells "no facts" from "never split"; without a value, on a
sentence, that this one could not be split.
A fact is supported if relevant and entailed, not supported if relevant and anything else; where nobody asked
for relevance, it is relevant. A fact without verdict counts among `claims` only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import force_setattr

from adjudge.errors import InputError, JudgeError, UsageError
from adjudge.evidence.registry import check_evidence, evidence_name
from adjudge.judges.base import (
    CheckClaims,
    ExtractFacts,
    IsRelevant,
    Judge,
    MakeSelfContained,
    NextQuery,
    Question,
    RateFact,
    SplitSentence,
)
from adjudge.metrics.f_at_k import DEFAULT_K
from adjudge.metrics.ratios import unscored
from adjudge.protocols.base import Protocol
from adjudge.protocols.safe_metrics import counts_of, rate_facts, score_of, specs_for
from adjudge.segment.keys import letters
from adjudge.types import Grid, Label, Labelled, MetricSpec, Sample, Score, Unit, digest

_LABELS = frozenset({"relevant", "check", "duplicate_of", "self_contained"})


def fact_units(sentences: Iterable[tuple[str, Iterable[str]]]) -> list[Unit]:
    """Units of sentences and their facts, a sentence's facts after it; equal sentences are one."""
    merged: dict[str, list[str]] = {}
    for sentence, facts in sentences:
        merged.setdefault(sentence, []).extend(facts)
    units = []
    for index, (sentence, facts) in enumerate(merged.items()):
        key = letters(index)
        units.append(Unit(f"resp:{key}", sentence, "response", digest=digest(sentence)))
        units += [Unit(f"fact:{key}.{n}", fact, digest=digest(fact)) for n, fact in enumerate(facts, 1)]
    return units


class Safe(Protocol, frozen=True, kw_only=True):
    """Facts of a long response, each relevant or not and supported or not."""

    name: ClassVar[str] = "safe"
    summary: ClassVar[str] = "facts of a long answer that evidence supports (F1@K)"
    specs: ClassVar[tuple[MetricSpec, ...]] = specs_for((DEFAULT_K,))
    asks: ClassVar[frozenset[type[Question]]] = frozenset({ExtractFacts, CheckClaims})

    k: int | str | tuple[int, ...] = (DEFAULT_K,)
    """How many supported facts make full recall; several give one set of metrics each: `64,178`."""

    evidence: str = "contexts"
    """Where facts are looked up: `contexts` (the sample's own), `corpus:PATH`, `web`."""
    steps: bool = False
    """Split, revise and tell relevance in questions of their own, and search, as the paper does."""
    max_steps: int = 5
    """Searches a fact at most."""
    results: int = 3
    """Results taken from each search."""
    early_stop: bool = True
    """Stop searching once the evidence found decides the fact; the paper's form does not."""

    def __post_init__(self) -> None:
        force_setattr(self, "k", _parse_ks(self.k))
        check_evidence(self.evidence)
        for name in ("max_steps", "results"):
            if getattr(self, name) < 1:
                raise UsageError(f"safe.{name} must be at least 1, not {getattr(self, name)}")

    @property
    def ks(self) -> tuple[int, ...]:
        """`k` as it is after parsing: always several."""
        assert isinstance(self.k, tuple)
        return self.k

    def all_specs(self) -> tuple[MetricSpec, ...]:
        return specs_for(self.ks)

    @property
    def questions(self) -> frozenset[type[Question]]:
        checking = "check" in self.wanted_labels
        if self.steps:
            split: set[type[Question]] = {SplitSentence}
            rest: set[type[Question]] = {MakeSelfContained, IsRelevant, NextQuery, RateFact}
        else:
            split = {ExtractFacts}
            rest = {CheckClaims} if self.evidence == "contexts" else {NextQuery, RateFact}
        return frozenset(split | rest if checking else split)

    def looks_in(self) -> str | None:
        searching = self.evidence != "contexts" and NextQuery in self.questions
        return evidence_name(self.evidence) if searching else None

    def parameters(self) -> list[str]:
        return [f"k:{','.join(map(str, self.ks))}"]

    def labelling(self) -> list[str]:
        parts = ["steps:yes"] if self.steps else []
        parts.append(f"evidence:{evidence_name(self.evidence)}")
        if NextQuery in self.questions:
            stop = "yes" if self.early_stop else "no"
            parts += [f"max_steps:{self.max_steps}", f"results:{self.results}", f"early_stop:{stop}"]
        return parts

    def missing(self, sample: Sample) -> str | None:
        if sample.response is None:
            return "response"
        if "relevant" not in self.wanted_labels:
            return None
        if sample.question is None:
            return "question"
        return "contexts" if self.evidence == "contexts" and sample.contexts is None else None

    def require(self, sample: Sample) -> None:
        try:
            super().require(sample)
        except InputError as error:
            if error.field == "contexts":
                error.fix = (
                    "add 'contexts', or look facts up elsewhere: --set safe.evidence=corpus:PATH, or web"
                )
            raise

    def owns(self, label: Label | Grid) -> bool:
        if isinstance(label, Grid):
            return False
        if label.unit.startswith("fact:"):
            return label.name in _LABELS
        return label.name == "facts" and (label.unit == "response" or label.unit.startswith("resp:"))

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        return tuple(unit for unit in sample.units if unit.id.startswith(("fact:", "resp:")))

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        if not self.questions <= judge.answers:
            raise JudgeError(
                f"sample {sample.id!r} has no labelled facts, and judge {judge.name!r} cannot label them;"
                " give a file that SAFE or people labelled, or choose a model with --judge"
            )
        from adjudge.protocols.safe_label import label_facts

        return await label_facts(self, sample, judge)

    def score(self, labelled: Labelled) -> list[Score]:
        rated = rate_facts(labelled)
        if rated is None:
            why = "the response was not split into facts"
            told = [f"{why}: {x.reason}" for x in labelled.labels if x.name == "facts" and x.reason]
            return [unscored(spec.name, told[0] if told else why) for spec in self.wanted]
        counts = counts_of(rated)
        return [score_of(spec, rated, counts) for spec in self.wanted]

    def gaps(self, labelled: Labelled) -> dict[str, tuple[str, ...]]:
        rated = rate_facts(labelled)
        if rated is None:
            return {}
        return {
            "facts that are not supported": rated.not_supported,
            "facts that have no bearing on the question": rated.irrelevant,
            "facts that repeat an earlier one": tuple(f for f in rated.claims if f in rated.repeats),
            "facts without a verdict": rated.unrated,
            "sentences that could not be split into facts": rated.unsplit,
        }


def _parse_ks(k: int | str | tuple[int, ...]) -> tuple[int, ...]:
    parts = k.split(",") if isinstance(k, str) else (k,) if isinstance(k, int) else k
    try:
        ks = tuple(dict.fromkeys(int(part) for part in parts))
    except ValueError:
        ks = ()
    if not ks or min(ks) <= 0:
        raise UsageError(f"safe.k must be one or more positive whole numbers, not {k!r}; e.g. 64 or 64,178")
    return ks
