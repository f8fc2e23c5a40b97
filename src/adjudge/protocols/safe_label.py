"""Facts of a response from raw text: split, made self-contained, told relevant or not, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.evidence.registry import open_evidence
from adjudge.evidence.shared import shared_evidence
from adjudge.judges.base import (
    ExtractFacts,
    Fact,
    IsRelevant,
    Judge,
    MakeSelfContained,
    Question,
    Reply,
    SplitSentence,
)
from adjudge.protocols.asking import all_said, ask_once, failure, reason_of
from adjudge.protocols.safe import Safe, fact_units
from adjudge.protocols.safe_search import Claim, Manner, Verdict, check_contexts, look_up
from adjudge.segment.keys import letters
from adjudge.segment.sentences import split_sentences
from adjudge.segment.units import named_language
from adjudge.types import Label, Labelled, Sample, Span, Unit


class _Fact(Struct):
    """A fact on its way."""

    sentence: int
    text: str
    words: str
    """Those that are checked: self-contained, or else its own."""
    relevant: bool | None = None
    why: str | None = None
    same_as: int | None = None
    """Place in the judge's list of the fact it repeats."""
    failed: dict[str, str] = field(default_factory=dict)
    """Why a label is missing, by its name."""
    raw: list[dict[str, Any]] = field(default_factory=list)
    """Steps that keep what a model said of it in vain."""
    unit: str = ""
    original: str | None = None
    verdict: Verdict | None = None


class _Split(Struct):
    """What the response was split into."""

    facts: list[_Fact] = field(default_factory=list)
    unsplit: dict[int, str] = field(default_factory=dict)
    """Sentences that could not be split, and why."""
    reason: str | None = None
    """Why there is no list of facts at all."""
    why: str | None = None
    """What the judge says of the list: how it was made, what was passed over."""
    steps: list[dict[str, Any]] = field(default_factory=list)


async def label_facts(safe: Safe, sample: Sample, judge: Judge) -> Labelled:
    """All units and labels of one response; no call for an empty one."""
    response, source = sample.response or "", f"judge:{judge.name}"
    spans = split_sentences(response, named_language(sample))
    sentences = tuple(response[start:end] for start, end in spans)
    checking = "check" in safe.wanted_labels
    split = _Split()
    if checking and sentences and safe.evidence != "contexts":
        await shared_evidence(safe.evidence)  # a missing key or corpus shows before a question is paid for
    if sentences and safe.steps:
        split = await _split_by_steps(sample, sentences, judge, checking=checking)
    elif sentences:
        split = await _extract(sample, sentences, judge)
    split.facts.sort(key=lambda fact: fact.sentence)
    units = _name_units(split.facts, sentences, spans)
    split.steps += [{**step, "unit": fact.unit} for fact in split.facts for step in fact.raw]
    if checking:
        split.steps += await _check(safe, sample, split.facts, judge)
        if safe.evidence == "contexts":
            units += [Unit(f"ctx:{k}", field=f"contexts.{k}") for k in range(len(sample.contexts or ()))]
    labels = [_marker(split, source)]
    keys = {sentence: letters(k) for k, sentence in enumerate(dict.fromkeys(sentences))}
    for place, reason in split.unsplit.items():
        unit = f"resp:{keys[sentences[place]]}"
        labels.append(Label("facts", unit, None, None, source, None, reason))
    for fact in split.facts:
        labels += _labels(fact, source, checking=checking)
    return Labelled(
        sample.id,
        sample.item,
        safe.attributes(sample),
        tuple(units),
        tuple(labels),
        (),
        steps=tuple(split.steps),
    )


async def _extract(sample: Sample, sentences: tuple[str, ...], judge: Judge) -> _Split:
    """Everything about the facts in one question."""
    question = ExtractFacts(sample.question or "", sample.response or "", sentences)
    (reply,) = await judge.ask([question])
    if reply.value is None:
        return _Split(reason=reason_of(reply), steps=failure("response", ExtractFacts, reply))
    facts = [_from_reply(fact, place, len(sentences)) for place, fact in enumerate(reply.value)]
    _link(facts)
    # Only now, for the places that repeats name are those of the judge's own list.
    told = [fact for fact in facts if fact.text]
    steps = failure("response", ExtractFacts, reply) if reply.reason else []
    return _Split(told, why=all_said(reply.why, reply.reason), steps=steps)


def _from_reply(fact: Fact, place: int, sentences: int) -> _Fact:
    own = (fact.self_contained or "").strip()
    failed = {} if fact.relevant is not None else {"relevant": "the judge did not say"}
    earlier = fact.duplicate_of if fact.duplicate_of is not None and 0 <= fact.duplicate_of < place else None
    sentence = min(max(fact.sentence, 0), sentences - 1)
    text = fact.text.strip() or own
    return _Fact(sentence, text, own or text, fact.relevant, fact.why, earlier, failed)


async def _split_by_steps(
    sample: Sample, sentences: tuple[str, ...], judge: Judge, *, checking: bool
) -> _Split:
    """A question a sentence; then, for all facts, self-contained words, then relevance."""
    response, prompt = sample.response or "", sample.question or ""
    split = _Split()
    replies = await ask_once(judge, [SplitSentence(sentence, response) for sentence in sentences])
    for place, reply in enumerate(replies):
        if reply.value is None:
            split.unsplit[place] = reason_of(reply)
            split.steps += failure("response", SplitSentence, reply)
            continue
        texts = [text.strip() for text in reply.value if text.strip()]
        split.facts += [_Fact(place, text, text) for text in texts]
    if len(split.unsplit) == len(sentences):
        split.reason = split.unsplit[0]
    if not checking:
        return split
    revised = await ask_once(judge, [MakeSelfContained(fact.text, response) for fact in split.facts])
    for fact, reply in zip(split.facts, revised, strict=True):
        words = reply.value.strip() if isinstance(reply.value, str) else ""
        fact.words = words or fact.text
        if not words:
            _note_failure(fact, "self_contained", MakeSelfContained, reply)
    relevant = await ask_once(judge, [IsRelevant(fact.words, prompt, response) for fact in split.facts])
    for fact, reply in zip(split.facts, relevant, strict=True):
        fact.relevant, fact.why = reply.value, reply.why
        if reply.value is None:
            _note_failure(fact, "relevant", IsRelevant, reply)
    return split


def _note_failure(fact: _Fact, name: str, asked: type[Question], reply: Reply) -> None:
    fact.failed[name] = reason_of(reply)
    fact.raw += failure("response", asked, reply)


def _link(facts: list[_Fact]) -> None:
    """Let every repeat point at the first of its kind, through other repeats."""
    for fact in facts:
        if fact.same_as is not None:
            earlier = facts[fact.same_as]
            fact.same_as = earlier.same_as if earlier.same_as is not None else fact.same_as
    for place, fact in enumerate(facts):
        fact.same_as = fact.same_as if fact.same_as is not None else place


def _name_units(facts: list[_Fact], sentences: tuple[str, ...], spans: Sequence[Span]) -> list[Unit]:
    """Units of sentences (with all places of a repeated one) and facts, whose ids the facts then carry."""
    texts: list[tuple[str, list[_Fact]]] = [(sentence, []) for sentence in sentences]
    for fact in facts:
        texts[fact.sentence][1].append(fact)
    units = fact_units((sentence, [fact.text for fact in said]) for sentence, said in texts)
    merged: dict[str, list[_Fact]] = {}
    places: dict[str, list[Span]] = {}
    for (sentence, said), span in zip(texts, spans, strict=True):
        merged.setdefault(sentence, []).extend(said)
        places.setdefault(sentence, []).append(span)
    for index, said in enumerate(merged.values()):
        for n, fact in enumerate(said, 1):
            fact.unit = f"fact:{letters(index)}.{n}"
    return [
        replace(unit, spans=tuple(places[unit.text or ""])) if unit.kind == "resp" else unit for unit in units
    ]


async def _check(safe: Safe, sample: Sample, facts: list[_Fact], judge: Judge) -> list[dict[str, Any]]:
    """Give every relevant fact a verdict; a repeat takes that of what it repeats. Returns the steps taken."""
    groups = _groups(facts)
    asked = [next((f for f in group if f.relevant is not False), None) for group in groups]
    claims = [Claim(fact.unit, fact.words) for fact in asked if fact is not None]
    contexts = sample.contexts or ()
    if safe.evidence == "contexts" and not safe.steps:
        verdicts, steps = await check_contexts(claims, contexts, judge)
    elif claims:
        own = safe.evidence == "contexts"
        evidence = open_evidence("contexts", contexts) if own else await shared_evidence(safe.evidence)
        manner = Manner(safe.max_steps, safe.results, safe.early_stop)
        verdicts, steps = await look_up(claims, evidence, judge, manner)
    else:
        return []
    outcome = iter(verdicts)
    for group, first in zip(groups, asked, strict=True):
        verdict = next(outcome) if first is not None else None
        for fact in group:
            # A fact that counts never repeats one that does not.
            counts = fact.relevant is not False
            original = first if counts and first is not None else group[0]
            fact.original = original.unit if fact is not original else None
            fact.verdict = verdict if counts else None
    return steps


def _groups(facts: list[_Fact]) -> list[list[_Fact]]:
    """Facts that say the same, by the judge's word or in the same words, first one first."""
    found: list[list[_Fact]] = []
    by_judge: dict[int, list[_Fact]] = {}
    by_words: dict[str, list[_Fact]] = {}
    for fact in facts:
        words = " ".join(fact.words.casefold().split())
        group = by_words.get(words)
        if group is None and fact.same_as is not None:
            group = by_judge.get(fact.same_as)
        if group is None:
            group = []
            found.append(group)
        group.append(fact)
        by_words.setdefault(words, group)
        if fact.same_as is not None:
            by_judge.setdefault(fact.same_as, group)
    return found


def _marker(split: _Split, source: str) -> Label:
    if split.reason is not None:
        return Label("facts", "response", None, None, source, None, split.reason)
    return Label("facts", "response", len(split.facts), None, source, split.why)


def _labels(fact: _Fact, source: str, *, checking: bool) -> list[Label]:
    """Labels of one fact; what failed has a label too, without a value and with the reason."""
    if not checking:
        return []
    unit, failed = fact.unit, fact.failed
    why = fact.why if "relevant" not in failed else "taken as relevant, since nobody could tell"
    labels = [Label("relevant", unit, fact.relevant, None, source, why, failed.get("relevant"))]
    if "self_contained" in failed:
        why = "checked in the response's own words"
        labels.append(Label("self_contained", unit, None, None, source, why, failed["self_contained"]))
    elif fact.words != fact.text:
        labels.append(Label("self_contained", unit, fact.words, None, source))
    if fact.original is not None:
        labels.append(Label("duplicate_of", unit, True, fact.original, source))
    if fact.verdict is not None:
        value, said, reason, against, probabilities = fact.verdict
        labels.append(Label("check", unit, value, against, source, said, reason, probabilities))
    return labels
