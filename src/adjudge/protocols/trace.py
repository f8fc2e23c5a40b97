"""TRACe: which context sentences are relevant and used, and whether every response sentence is grounded.

Labels, all of them on sentence units (`ctx:0a`, `resp:b`) and whole fields (`contexts`, `response`):

    relevant        ctx:KEY   True    a label an entry of the judge's list, repeated and unknown keys too
    used            ctx:KEY   True    likewise
    support         resp:KEY  full | partial | none
    grounded        resp:KEY  bool    what adherence counts; where there is none, support is full
    supported_by    resp:KEY  True    against the ctx:KEY that supports it
    support_marker  resp:KEY  one of SUPPORT_MARKERS: supported, though by no sentence

That a list was judged and is empty is told from nobody having judged it by a label on the whole field:
`relevant` and `used` on `contexts`, `support` on `response`, each with the number of entries. A label without
a value means that its judge failed. `overall_supported` on `response` is kept beside, and scores nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace

from adjudge.judges.base import Judge, LabelSentences, Question, RelevantSentences, SupportSentence
from adjudge.metrics import grounding
from adjudge.metrics.grounding import Parts
from adjudge.metrics.ratios import scored, unscored
from adjudge.protocols.base import Protocol
from adjudge.protocols.trace_label import label_sentences
from adjudge.segment.keys import normal_key
from adjudge.segment.units import context_units, named_language, response_units
from adjudge.types import Formula, Grid, Label, Labelled, MeanOf, MetricSpec, Ratio, Sample, Score, Unit

_LABELS = frozenset(
    {"relevant", "used", "support", "grounded", "supported_by", "support_marker", "overall_supported"}
)
_FIELDS = frozenset({"contexts", "response"})
_R, _U, _G, _S = "relevant", "used", "grounded", "support"
_LACKS = {
    _R: "no relevance labels",
    _U: "no labels of what was used",
    _G: "no support labels",
    _S: "no support labels",
}
_AVERAGED = ("trace.relevance_20", "trace.utilization_relevant", "trace.completeness_001", "trace.adherence")


def _spec(
    name: str, formula: Formula, labels: tuple[str, ...], origin: str, empty: str, description: str
) -> MetricSpec:
    source, _, group = origin.partition("|")
    return MetricSpec(
        name=f"trace.{name}",
        formula=formula,
        description=description,
        source=source,
        empty=empty,
        folds=("macro",) if isinstance(formula, MeanOf) else ("macro", "micro"),
        groups=tuple(group.split()),
        labels=labels,
        binary=name == "adherence",
    )


def _share(top: str, bottom: str, cap: bool = False) -> Ratio:
    return Ratio({top: 1}, {bottom: 1}, cap)


_PAPER, _DOCUMENT, _OURS = "RAGBench|ragbench", "TRACE guide|001", "adjudge|clean"
_SPECS = (
    _spec("relevance", _share("relevant", "sentences"), (_R,), _PAPER, "no context sentences: unscored",
          "Share of the context sentences that are relevant to the question."),
    _spec("relevance_20", _share("relevant", "twenty", True), (_R,), _DOCUMENT, "none relevant: 0",
          "Relevant context sentences over 20, at most 1."),
    _spec("utilization", _share("used", "sentences"), (_U,), _PAPER, "no context sentences: unscored",
          "Share of the context sentences that the response used."),
    _spec("utilization_relevant", _share("used", "relevant", True), (_R, _U), _DOCUMENT, "none relevant: 0",
          "Used over relevant context sentences, at most 1."),
    _spec("completeness", _share("covered", "relevant"), (_R, _U), _PAPER, "none relevant: 1",
          "Share of the relevant context sentences that the response used."),
    _spec("completeness_001", _share("covered", "relevant_distinct"), (_R, _U), _DOCUMENT,
          "none relevant: 1 if none was used, else 0",
          "The same over distinct sentences, with another empty case."),
    _spec("adherence", _share("adherent", "responses"), (_G,), "RAGBench|ragbench 001",
          "no response sentences: 1", "Whether every response sentence is grounded in the contexts."),
    _spec("supported_sentences", Ratio({"full": 1}, {"full": 1, "partial": 1, "none": 1}), (_S,), "adjudge",
          "no response sentences: unscored", "Share of the response sentences that are fully supported."),
    _spec("average", MeanOf(_AVERAGED), (_R, _U, _G), _DOCUMENT, "follows from its parts",
          "Mean of relevance_20, utilization_relevant, completeness_001 and adherence."),
    _spec("relevance_clean", _share("relevant_clean", "sentences"), (_R,), _OURS,
          "no context sentences: unscored", "Relevance over distinct sentences that exist."),
    _spec("utilization_clean", _share("used_clean", "sentences"), (_U,), _OURS,
          "no context sentences: unscored", "Utilization over distinct sentences that exist."),
    _spec("completeness_clean", _share("covered_clean", "relevant_clean"), (_R, _U), _OURS,
          "none relevant: unscored", "Completeness over distinct sentences that exist."),
)  # fmt: skip
_BY_NAME = {spec.name: spec for spec in _SPECS}


class Trace(Protocol, frozen=True, kw_only=True):
    """Sentence-level labelling of a retrieval-augmented answer (RAGBench's TRACe)."""

    name: ClassVar[str] = "trace"
    summary: ClassVar[str] = "how much of the context was relevant, used and covered; is the answer grounded?"
    specs: ClassVar[tuple[MetricSpec, ...]] = _SPECS
    asks: ClassVar[frozenset[type[Question]]] = frozenset({LabelSentences})

    steps: bool = False
    """Ask for relevance, then for each response sentence, instead of all in one question."""

    def missing(self, sample: Sample) -> str | None:
        for field in ("question", "response", "contexts"):
            if getattr(sample, field) is None:
                return field
        return None

    def owns(self, label: Label | Grid) -> bool:
        if isinstance(label, Grid) or label.name not in _LABELS:
            return False
        return label.unit in _FIELDS or label.unit.startswith(("ctx:", "resp:"))

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        """The file's own sentences, or those that splitting the texts gives where it has none."""
        kinds = {unit.kind for unit in sample.units}
        units = sample.units
        if "ctx" not in kinds and sample.contexts is not None:
            units += context_units(sample.contexts, named_language(sample))
        if "resp" not in kinds and sample.response is not None:
            units += response_units(sample.response, named_language(sample))
        return units

    @property
    def questions(self) -> frozenset[type[Question]]:
        return frozenset({RelevantSentences, SupportSentence}) if self.steps else self.asks

    def labelling(self) -> list[str]:
        return ["steps:yes"] if self.steps else []

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        units, labels, steps = await label_sentences(sample, judge, f"judge:{judge.name}", steps=self.steps)
        attributes = self.attributes(sample)
        return Labelled(sample.id, sample.item, attributes, units, tuple(labels), (), tuple(steps))

    def gaps(self, labelled: Labelled) -> dict[str, tuple[str, ...]]:
        evidence = _Evidence(labelled)
        unsupported = dict.fromkeys(unit for unit, is_so in evidence.grounded if not is_so)
        judged = _R not in evidence.lacks and _U not in evidence.lacks
        unused = grounding.unused(evidence.relevant, evidence.used) if judged else ()
        return {
            "relevant sentences that the response did not use": unused,
            "response sentences without full support": tuple(unsupported),
        }

    def score(self, labelled: Labelled) -> list[Score]:
        evidence = _Evidence(labelled)
        done: dict[str, Score] = {}
        return [_score(spec, evidence, done) for spec in self.wanted]


class _Evidence:
    """A sample's labels as the lists that the maths takes, and why a list is missing."""

    __slots__ = ("_clean", "grounded", "lacks", "relevant", "response", "sentences", "support", "used")

    def __init__(self, labelled: Labelled) -> None:
        # `ctx:0` without a letter is a whole passage, which another protocol's labels may speak of.
        self.sentences = [
            unit.id for unit in labelled.units if unit.id.startswith("ctx:") and not unit.id[-1].isdigit()
        ]
        self.response = [unit.id for unit in labelled.units if unit.id.startswith("resp:")]
        self.relevant: list[str] = []
        self.used: list[str] = []
        self.grounded: list[tuple[str, bool]] = []
        self.support: list[tuple[str, str]] = []
        self.lacks = dict(_LACKS)
        self._clean: dict[str, list[str]] = {}
        failed: dict[str, str] = {}
        for label in labelled.labels:
            name = label.name
            if name not in _LACKS:
                continue
            whole = label.unit in _FIELDS
            judged = (_S, _G) if whole and name == _S else (name,)
            for kind in judged:
                self.lacks.pop(kind, None)
            if label.value is None:
                failed.update(dict.fromkeys(judged, label.reason or "the judge gave no label"))
            elif not whole:
                self._add(label, failed)
        if not self.grounded and self.support:
            self.grounded = [(unit, value == "full") for unit, value in self.support]
            self.lacks.pop(_G, None)
            if _S in failed:
                failed.setdefault(_G, failed[_S])
        self.lacks.update(failed)

    def _add(self, label: Label, failed: dict[str, str]) -> None:
        name, unit, value = label.name, label.unit, label.value
        if name == _S:
            if value in ("full", "partial", "none"):
                self.support.append((unit, str(value)))
            else:
                failed[_S] = f"support of {unit} is {value!r}, not full, partial or none"
        elif not isinstance(value, bool):
            failed[name] = f"{name} of {unit} is {value!r}, not true or false"
        elif name == _G:
            self.grounded.append((unit, value))
        elif value:
            (self.relevant if name == _R else self.used).append(unit)

    def clean(self, name: str) -> list[str]:
        """The relevant or used sentences in one spelling, each once, and only those that exist."""
        if name not in self._clean:
            known = set(self.sentences)
            found: dict[str, None] = {}
            for unit in self.relevant if name == _R else self.used:
                normal = unit if unit in known else f"ctx:{normal_key(unit.removeprefix('ctx:'))}"
                if normal in known:
                    found[normal] = None
            self._clean[name] = list(found)
        return self._clean[name]

    def odd_keys(self, names: tuple[str, ...]) -> str | None:
        """How many keys of these lists RAGBench counts though no sentence has them, or one twice."""
        told = []
        for name, keys in ((_R, self.relevant), (_U, self.used)):
            odd = len(keys) - len(self.clean(name)) if name in names and self.sentences else 0
            if odd:
                told.append(f"{odd} of {len(keys)} keys of {name} sentences are unknown or repeated")
        return "; ".join(told) or None


_MEASURES: dict[str, Callable[[_Evidence], Parts]] = {
    "trace.relevance": lambda e: grounding.relevance(e.relevant, e.sentences),
    "trace.relevance_20": lambda e: grounding.relevance_20(e.relevant),
    "trace.utilization": lambda e: grounding.utilization(e.used, e.sentences),
    "trace.utilization_relevant": lambda e: grounding.utilization_relevant(e.relevant, e.used),
    "trace.completeness": lambda e: grounding.completeness(e.relevant, e.used),
    "trace.completeness_001": lambda e: grounding.completeness_001(e.relevant, e.used),
    "trace.adherence": lambda e: grounding.adherence(e.grounded, e.response),
    "trace.supported_sentences": lambda e: grounding.supported_sentences(e.support, e.response),
    "trace.relevance_clean": lambda e: grounding.share_clean("relevant_clean", e.clean(_R), e.sentences),
    "trace.utilization_clean": lambda e: grounding.share_clean("used_clean", e.clean(_U), e.sentences),
    "trace.completeness_clean": lambda e: grounding.completeness_clean(e.clean(_R), e.clean(_U)),
}


def _score(spec: MetricSpec, evidence: _Evidence, done: dict[str, Score]) -> Score:
    score = done.get(spec.name)
    if score is None:
        score = done[spec.name] = _measure(spec, evidence, done)
    return score


def _measure(spec: MetricSpec, evidence: _Evidence, done: dict[str, Score]) -> Score:
    if isinstance(spec.formula, MeanOf):
        parts = [_score(_BY_NAME[name], evidence, done) for name in spec.formula.metrics]
        return grounding.mean_of(spec, parts)
    for name in spec.labels:
        if name in evidence.lacks:
            return unscored(spec.name, evidence.lacks[name])
    counts, convention, empty = _MEASURES[spec.name](evidence)
    score = scored(spec, counts, convention=convention, empty=empty)
    if score.state != "defined" or "clean" in spec.groups:
        return score
    note = evidence.odd_keys(spec.labels)
    return replace(score, reason=note) if note else score
