"""RGB: does a model survive noisy, missing, scattered and false documents?

A sample tests one of four abilities, and only that ability's metrics speak of it. The unit judged is the
whole response (`answer`), held against the parts of the true answer (`truth:0` …); `false:0` … are those of
the answer that was planted in the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from adjudge.judges.base import IsRefusal, Judge, PointsOutError, Question
from adjudge.metrics import answers
from adjudge.metrics.answers import Finding, Group, Response
from adjudge.protocols.base import Protocol
from adjudge.protocols.rgb_metrics import ALL_NOISE, EMPTY, SPECS, Scorer, abilities, gather, scorer
from adjudge.protocols.rgb_view import result_objects
from adjudge.types import (
    Ability,
    Answer,
    Grid,
    Label,
    Labelled,
    MetricSpec,
    Sample,
    Score,
    SummaryRow,
    Unit,
    digest,
)

_PARTS: dict[str, Callable[[Response, Group], Finding]] = {
    "match": answers.flexible,
    "match_strict": answers.strict,
    "match_official": answers.official,
}
_Groups = tuple[Group, ...]
_WHOLE: dict[str, Callable[[Response, _Groups, _Groups], Finding]] = {
    "refusal": lambda response, _truth, _false: answers.refusal(response),
    "refusal_official": lambda response, _truth, _false: answers.refusal_official(response),
    "error_flag": lambda response, _truth, false: answers.error_flag(response, false),
    "error_flag_official": lambda response, _truth, _false: answers.error_flag_official(response),
    "correction": answers.correction,
}
_JUDGED: dict[str, type[Question]] = {"refusal_judge": IsRefusal, "error_flag_judge": PointsOutError}
SHORT_ANSWER = 8
"""Words up to which a plain reference is taken for an answer that a response should contain."""
_LABELS = frozenset((*_PARTS, *_WHOLE, *_JUDGED))
_NO_RESPONSE = "the response is empty"


class _Asked(Struct, frozen=True):
    """What is labelled on samples of one ability."""

    parts: tuple[tuple[str, Callable[[Response, Group], Finding]], ...]
    whole: tuple[tuple[str, Callable[[Response, _Groups, _Groups], Finding]], ...]
    judged: tuple[tuple[str, type[Question]], ...]


@lru_cache(maxsize=256)
def _asked(metrics: tuple[str, ...], ability: Ability) -> _Asked:
    specs = [spec for spec in Rgb(metrics=metrics).wanted if ability in abilities(spec)]
    names = {name for spec in specs for name in spec.labels}
    return _Asked(
        tuple(pair for pair in _PARTS.items() if pair[0] in names),
        tuple(pair for pair in _WHOLE.items() if pair[0] in names),
        tuple(pair for pair in _JUDGED.items() if pair[0] in names),
    )


@lru_cache(maxsize=4096)
def _parts(kind: str, field: str, answer: Answer) -> tuple[_Groups, tuple[Unit, ...]]:
    """Groups of an answer and their units; the same answers come again with every noise level and system."""
    groups = answers.groups(answer)
    units = (
        Unit(f"{kind}:{index}", group.text, field, (), None, None if group.aliases else EMPTY)
        for index, group in enumerate(groups)
    )
    return groups, tuple(units)


_NONE: tuple[_Groups, tuple[Unit, ...]] = ((), ())


def _truth(sample: Sample) -> tuple[_Groups, tuple[Unit, ...]]:
    return _NONE if sample.reference is None else _parts("truth", "reference", sample.reference)


def _false(sample: Sample) -> tuple[_Groups, tuple[Unit, ...]]:
    return _parts("false", "counterfactual", sample.counterfactual) if sample.counterfactual else _NONE


def _answer_unit(text: str, empty: bool) -> Unit:
    return Unit("answer", None, "response", ((0, len(text)),), None, EMPTY if empty else None)


def ability_of(sample: Sample) -> Ability:
    """The ability a sample tests: as given, else told from its fields."""
    if sample.attributes.get("documents") == 0:
        return "closed_book"
    if sample.ability is not None:
        return sample.ability
    if sample.counterfactual:
        return "counterfactual"
    if sample.attributes.get("noise") in ALL_NOISE:
        return "rejection"
    return "integration" if sample.attributes.get("grouped") is True else "noise"


def _is_chinese(sample: Sample) -> bool:
    language = sample.attributes.get("language")
    if language is None:
        return answers.is_chinese(sample.question or "")
    return isinstance(language, str) and language.lower().startswith("zh")


async def _judge(name: str, kind: type[Question], sample: Sample, judge: Judge, source: str) -> Label:
    """A judge's yes or no; what cannot be asked or answered is a label that says why it has no value.

    Judges are asked about what a model answers, not about what it thinks aloud before that.
    """
    text = answers.without_reasoning(sample.response or "")
    if not text.strip():
        why = "the response holds nothing but reasoning" if (sample.response or "").strip() else _NO_RESPONSE
        return Label(name, "answer", None, None, source, None, why)
    if kind is PointsOutError:
        question: Question = PointsOutError(text)
    elif sample.question is None:
        return Label(name, "answer", None, None, source, None, "the sample has no question")
    else:
        question = IsRefusal(sample.question, text)
    (reply,) = await judge.ask([question])
    value, reason = reply.value, reply.reason
    if value is not None and not isinstance(value, bool):
        value, reason = None, f"the judge answered {reply.value!r}, not yes or no"
    return Label(name, "answer", value, None, source, reply.why, reason, reply.probabilities)


class Rgb(Protocol, frozen=True, kw_only=True):
    """Four abilities of a model that answers from documents; see `types.Ability`."""

    name: ClassVar[str] = "rgb"
    summary: ClassVar[str] = "Does the model survive noisy, missing, scattered and false documents?"
    specs: ClassVar[tuple[MetricSpec, ...]] = SPECS
    groupings: ClassVar[tuple[tuple[str, ...], ...]] = (("noise",),)
    relabels: ClassVar[bool] = True

    refusal_phrases: tuple[str, ...] = ()
    """What counts as a refusal for the label `refusal`, in any case; none: the phrases of RGBMetrics."""
    error_phrases: tuple[str, ...] = ()
    """What counts as pointing out an error for `error_flag`; none: the keywords of RGBMetrics."""
    reasoning: Literal["keep", "strip"] = "keep"
    """Whether string rules look into `<think>…</think>` too, as the documents' do. Judges never see it."""

    def __post_init__(self) -> None:
        for name in ("refusal_phrases", "error_phrases"):
            force_setattr(self, name, tuple(map(answers.searchable, getattr(self, name))))

    def labelling(self) -> list[str]:
        chosen = (("refusal_phrases", self.refusal_phrases), ("error_phrases", self.error_phrases))
        found = [f"{name}:{digest(chr(10).join(phrases))}" for name, phrases in chosen if phrases]
        return found if self.reasoning == "keep" else [*found, f"reasoning:{self.reasoning}"]

    def missing(self, sample: Sample) -> str | None:
        if sample.response is None:
            return "response"
        if sample.reference is None and ability_of(sample) != "rejection":
            return "reference"
        return None

    def offers(self, sample: Sample) -> bool:
        """A short answer can be looked for in a response; a long plain reference is for other protocols."""
        reference = sample.reference
        short = isinstance(reference, tuple) or len((reference or "").split()) <= SHORT_ANSWER
        means_it = "noise" in sample.attributes or sample.ability or sample.counterfactual or short
        return bool(means_it) and self.missing(sample) is None

    def view(self, rows: Sequence[SummaryRow]) -> list[dict[str, Any]]:
        return result_objects(rows)

    def owns(self, label: Label | Grid) -> bool:
        return isinstance(label, Label) and label.unit == "answer" and label.name in _LABELS

    def attributes(self, sample: Sample) -> dict[str, Any]:
        return {**sample.attributes, "ability": ability_of(sample)}

    def given_units(self, sample: Sample) -> tuple[Unit, ...]:
        text = sample.response or ""
        own = (_answer_unit(text, not answers.normalise(text)), *_truth(sample)[1], *_false(sample)[1])
        ids = {unit.id for unit in own}
        return own + tuple(unit for unit in sample.units if unit.id not in ids)

    async def label(self, sample: Sample, judge: Judge) -> Labelled:
        source = "rules" if judge.name == "rules" else f"judge:{judge.name}"
        labelled = self._by_rules(sample, source)
        asked = _asked(self.metrics, labelled.attributes["ability"])
        judged = [
            await _judge(name, kind, sample, judge, source)
            for name, kind in asked.judged
            if kind in judge.answers
        ]
        return replace(labelled, labels=(*labelled.labels, *judged))

    def relabel(self, sample: Sample, labelled: Labelled) -> Labelled:
        judged = tuple(label for label in labelled.labels if label.name in _JUDGED)
        source = next((label.source for label in labelled.labels), "rules")
        found = self._by_rules(sample, source)
        return replace(found, labels=(*found.labels, *judged))

    def _by_rules(self, sample: Sample, source: str) -> Labelled:
        """The labels that string rules make."""
        attributes = self.attributes(sample)
        asked = _asked(self.metrics, attributes["ability"])
        text = sample.response or ""
        read = answers.without_reasoning(text) if self.reasoning == "strip" else text
        response = answers.prepare(read, chinese=_is_chinese(sample))
        truth, truth_units = _truth(sample)
        false, false_units = _false(sample)
        labels = []
        for name, rule in asked.parts:
            for unit, group in zip(truth_units, truth, strict=True):
                value, why = rule(response, group)
                labels.append(Label(name, "answer", value, unit.id, source, why))
        for name, whole in asked.whole:
            if name == "refusal" and self.refusal_phrases:
                value, why = answers.refusal(response, self.refusal_phrases)
            elif name == "error_flag" and self.error_phrases:
                value, why = answers.error_flag(response, false, self.error_phrases)
            else:
                value, why = whole(response, truth, false)
            labels.append(Label(name, "answer", value, None, source, why))
        units = (_answer_unit(text, not response.normal), *truth_units, *false_units)
        return Labelled(sample.id, sample.item, attributes, units, tuple(labels))

    def score(self, labelled: Labelled) -> list[Score]:
        facts = gather(labelled)
        return [
            entry(facts) if isinstance(entry, Scorer) else entry
            for entry in _scorers(self.metrics, labelled.attributes["ability"])
        ]


@lru_cache(maxsize=256)
def _scorers(metrics: tuple[str, ...], ability: Ability) -> tuple[Scorer | Score, ...]:
    return tuple(scorer(spec, ability) for spec in Rgb(metrics=metrics).wanted)
