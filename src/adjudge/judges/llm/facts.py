"""SAFE's facts: all of a response at once (`ExtractFacts`), or step by step."""

# ruff: noqa: ARG002 - handlers share one interface, and not each needs all of it

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from adjudge.judges.base import ExtractFacts, Fact, IsRelevant, MakeSelfContained, Reply, SplitSentence
from adjudge.judges.llm.claims import text_list
from adjudge.judges.llm.fields import as_bool, as_number, as_text, field, to_json
from adjudge.judges.llm.handler import (
    Handler,
    Reading,
    Unreadable,
    failure,
    groups,
    halves,
    need_objects,
    raws,
    tokens,
    whys,
)
from adjudge.judges.llm.loose_json import find_object
from adjudge.judges.llm.parse import code_block, verdict
from adjudge.prompts.blocks import Value

_LIST = ("facts", "claims")
_RELEVANCE = {
    "relevant": True, "foo": True, "yes": True, "true": True,
    "not relevant": False, "irrelevant": False, "not foo": False, "no": False, "false": False,
}  # fmt: skip


class Facts(Handler[ExtractFacts]):
    """Responses longer than the budget are split between sentences, each part with what precedes it."""

    prompt = "safe/facts@1"

    def shortcut(self, question: ExtractFacts) -> Reply | None:
        return (
            None if any(text.strip() for text in question.sentences) else Reply((), "the response is empty")
        )

    def values(self, question: ExtractFacts) -> dict[str, Value]:
        lines = [(str(number), text) for number, text in enumerate(question.sentences, 1)]
        before = "" if _covers(question) else question.response
        return {"prompt": question.prompt, "before": before, "response": lines}

    def read(self, question: ExtractFacts, text: str) -> Reading:
        entries, truncated = need_objects(text, "facts")
        if truncated:
            raise Unreadable("it breaks off before its end")
        places: dict[int, int] = {}
        facts: list[Fact] = []
        stray = 0
        for number, entry in enumerate(entries, 1):
            fact, repeats = _fact(entry, len(question.sentences), places)
            if fact is None:
                stray += 1
                continue
            if repeats is not None:
                fact = replace(fact, duplicate_of=_root(facts, repeats))
            places[number] = len(facts)
            facts.append(fact)
        if stray:
            problem = f"{stray} facts have no text, or a number that names no sentence"
            # Facts of which none can be used are not the same as no facts.
            partial = Reading(tuple(facts), notes=(f"passed over: {problem}",)) if facts else None
            raise Unreadable(problem, partial)
        unsaid = sum(fact.relevant is None for fact in facts)
        if unsaid:
            problem = f"relevant is neither true nor false in {unsaid} facts"
            raise Unreadable(problem, Reading(tuple(facts), notes=(problem,)))
        return Reading(tuple(facts))

    def split(
        self, question: ExtractFacts, size: int, target: int, *, answer: bool = False
    ) -> list[ExtractFacts]:
        texts = question.sentences
        if len(texts) < 2:
            return []
        lead = target // 4
        before = () if _covers(question) else (question.response,)
        found = groups([tokens(text) + 2 for text in texts], size, target - lead)
        if len(found) < 2:
            found = halves(len(texts))
        return [
            replace(question, response=_lead((*before, *texts[: part.start]), lead), sentences=texts[part])
            for part in found
        ]

    def merge(self, question: ExtractFacts, parts: Sequence[ExtractFacts], replies: Sequence[Reply]) -> Reply:
        """Numbers of sentences and facts count from the first part; facts equal across parts are repeats."""
        if (failed := failure(replies)) is not None:
            return failed
        facts: list[Fact] = []
        seen: dict[str, int] = {}
        sentences = 0
        for part, reply in zip(parts, replies, strict=True):
            start = len(facts)
            for fact in reply.value:
                words = " ".join((fact.self_contained or fact.text).casefold().split())
                earlier = seen.setdefault(words, len(facts))
                root = earlier if earlier < len(facts) else None
                if fact.duplicate_of is not None:
                    root = start + fact.duplicate_of
                if root is not None:
                    root = _root(facts, root)
                facts.append(replace(fact, sentence=fact.sentence + sentences, duplicate_of=root))
            sentences += len(part.sentences)
        return Reply(tuple(facts), whys(replies), raw=raws(replies))

    def guess(self, question: ExtractFacts) -> str:
        entries = [
            {"sentence": n, "fact": text, "self_contained": text, "relevant": True, "repeats": None}
            for n, text in enumerate(question.sentences, 1)
        ]
        return to_json({"facts": entries})


def _fact(entry: dict[str, Any], sentences: int, places: dict[int, int]) -> tuple[Fact | None, int | None]:
    """The fact, and the place in our list of the earlier one that it repeats."""
    number = as_number(field(entry, "sentence", "sentence_number"))
    text = as_text(field(entry, "fact", "text"))
    if number is None or not 1 <= number <= sentences or not text:
        return None, None
    repeats = as_number(field(entry, "repeats", "duplicate_of"))
    found = Fact(
        number - 1,
        text,
        as_text(field(entry, "self_contained", "revised")) or None,
        as_bool(field(entry, "relevant", "is_relevant")),
        why=as_text(field(entry, "why")) or None,
    )
    return found, places.get(repeats) if repeats is not None else None


def _root(facts: Sequence[Fact], place: int) -> int:
    earlier = facts[place].duplicate_of
    return place if earlier is None else earlier


def _covers(question: ExtractFacts) -> bool:
    """Whether the sentences are the response, so that it need not be shown once more."""
    whole = _squeezed(question.response)
    pieces = [_squeezed(text) for text in question.sentences]
    return sum(map(len, pieces)) >= 0.8 * len(whole) and all(piece in whole for piece in pieces)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _lead(texts: Sequence[str], most: int) -> str:
    """As many of the last sentences as fit."""
    taken: list[str] = []
    for text in reversed(texts):
        most -= tokens(text)
        if most < 0:
            break
        taken.append(text)
    return " ".join(reversed(taken))


class Split(Handler[SplitSentence]):
    """Step 1."""

    prompt = "safe/split@1"

    def shortcut(self, question: SplitSentence) -> Reply | None:
        return None if question.sentence.strip() else Reply((), "the sentence is empty")

    def values(self, question: SplitSentence) -> dict[str, Value]:
        return {"response": question.response, "sentence": question.sentence}

    def read(self, question: SplitSentence, text: str) -> Reading:
        return Reading(tuple(dict.fromkeys(text_list(text, _LIST))))

    def guess(self, question: SplitSentence) -> str:
        return to_json({"facts": [question.sentence]})


class Revise(Handler[MakeSelfContained]):
    """Step 2."""

    prompt = "safe/revise@1"

    def shortcut(self, question: MakeSelfContained) -> Reply | None:
        return None if question.fact.strip() else Reply(None, reason="the fact is empty")

    def values(self, question: MakeSelfContained) -> dict[str, Value]:
        return {"response": question.response, "statement": question.fact}

    def read(self, question: MakeSelfContained, text: str) -> Reading:
        return one_text(text, "statement", "fact", "self_contained")

    def guess(self, question: MakeSelfContained) -> str:
        return to_json({"why": "…" * 20, "statement": question.fact})


class Relevance(Handler[IsRelevant]):
    """Step 3."""

    prompt = "safe/relevance@1"

    def shortcut(self, question: IsRelevant) -> Reply | None:
        return None if question.fact.strip() else Reply(None, reason="the fact is empty")

    def values(self, question: IsRelevant) -> dict[str, Value]:
        return {"prompt": question.prompt, "response": question.response, "statement": question.fact}

    def read(self, question: IsRelevant, text: str) -> Reading:
        return yes_or_no(text, _RELEVANCE, "relevant", "is_relevant")

    def guess(self, question: IsRelevant) -> str:
        return to_json({"why": "…" * 30, "relevant": True})


def one_text(text: str, *names: str) -> Reading:
    """A text in a field, or in a code block."""
    found = find_object(text, names)
    if found is not None and not (found.truncated and not as_text(field(found.value, *names))):
        said = as_text(field(found.value, *names))
        why = as_text(field(found.value, "why")) or None
    else:
        said, why = code_block(text), None
    if not said:
        raise Unreadable(f"there is no JSON object with the field {names[0]} in it")
    return Reading(said, why)


def yes_or_no(text: str, words: dict[str, bool], *names: str) -> Reading:
    """True or false in a field, or one of the words in brackets."""
    found = find_object(text, names)
    if found is not None:
        value = as_bool(field(found.value, *names))
        if value is not None:
            return Reading(value, as_text(field(found.value, "why")) or None)
    value = verdict(text, words)
    if value is None:
        raise Unreadable(f"the field {names[0]} is neither true nor false")
    return Reading(value, text.strip() or None)
