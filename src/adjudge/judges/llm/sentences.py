"""TRACe's labels: which context sentences matter, which were used, what supports each response sentence."""

# ruff: noqa: ARG002 - handlers share one interface, and not each needs all of it

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from adjudge.judges.base import (
    LabelSentences,
    RelevantSentences,
    Reply,
    SentenceLabels,
    Support,
    SupportSentence,
)
from adjudge.judges.llm.fields import as_bool, as_objects, as_text, field, to_json
from adjudge.judges.llm.handler import (
    Handler,
    Reading,
    Unreadable,
    failure,
    groups,
    halves,
    need_object,
    raws,
    tokens,
    whys,
)
from adjudge.judges.llm.keyed import Keys, Lines
from adjudge.judges.llm.support import BY, apart, best_support, read_support, together
from adjudge.prompts.blocks import Value

_RELEVANT = ("relevant", "all_relevant_sentence_keys", "relevant_sentence_keys")
_USED = ("used", "all_utilized_sentence_keys", "utilized", "used_sentence_keys")
_ENTRIES = ("sentences", "sentence_support_information")


def _grouped(lines: Lines, size: int, target: int) -> list[Lines]:
    found = groups([_weight(line) for line in lines], size, target)
    return [lines[part] for part in found] if len(found) > 1 else []


def _weight(line: tuple[str, str]) -> int:
    return tokens(line[1]) + 2


def _in_two(lines: Lines) -> list[Lines]:
    return [lines[part] for part in halves(len(lines))] if len(lines) > 1 else []


class Label(Handler[LabelSentences]):
    """Questions longer than the budget are split by contexts first, then by response sentences."""

    prompt = "trace/label@1"

    def shortcut(self, question: LabelSentences) -> Reply | None:
        if question.contexts or question.response:
            return None
        return Reply(SentenceLabels((), (), ()), "no sentences")

    def values(self, question: LabelSentences) -> dict[str, Value]:
        return {"question": question.question, "documents": question.contexts, "answer": question.response}

    def read(self, question: LabelSentences, text: str) -> Reading:
        found = need_object(text, (*_RELEVANT, *_ENTRIES)).value
        keys = Keys(question.contexts)
        relevant, used = field(found, *_RELEVANT), field(found, *_USED)
        if relevant is None or used is None:
            raise Unreadable(f"the field {'relevant' if relevant is None else 'used'} is missing")
        support, notes = self._entries(question, field(found, *_ENTRIES), keys)
        value = SentenceLabels(
            keys.all(relevant, "relevant"),
            keys.all(used, "used"),
            support,
            as_bool(field(found, "overall_supported")),
            as_text(field(found, "why_relevant", "relevance_explanation")) or None,
            as_text(field(found, "why_supported", "overall_supported_explanation")) or None,
        )
        return Reading(value, notes=(*notes, *keys.notes()))

    def _entries(
        self, question: LabelSentences, given: Any, keys: Keys
    ) -> tuple[tuple[Support, ...], list[str]]:
        entries = as_objects(given)
        if entries is None and not (given is None and not question.response):
            raise Unreadable("sentences is not a list of objects")
        own, found, notes = Keys(question.response), {}, []
        for entry in entries or ():
            key = own.find(field(entry, "key", "response_sentence_key", "sentence"))
            if key is not None and key not in found:
                found[key], note = read_support(entry, key, keys)
                notes += [note] if note else []
        missing = [key for key, _ in question.response if key not in found]
        if missing:
            raise Unreadable(
                f"no entry in sentences for {len(missing)} of {len(question.response)} sentences"
            )
        return tuple(found[key] for key, _ in question.response), [*notes, *own.notes()]

    def conflict(self, reading: Reading) -> str | None:
        labels: SentenceLabels = reading.value
        if labels.overall_supported is None or not labels.support:
            return None
        all_full = all(entry.support == "full" for entry in labels.support)
        if labels.overall_supported == all_full:
            return None
        return f"overall_supported is {str(not all_full).lower()}, against the labels of the sentences"

    def split(
        self, question: LabelSentences, size: int, target: int, *, answer: bool = False
    ) -> list[LabelSentences]:
        contexts, response = question.contexts, question.response
        response_in_two = [replace(question, response=part) for part in _in_two(response)]
        if answer and response_in_two:
            return response_in_two
        if found := _grouped(contexts, size, target):
            return [replace(question, contexts=part) for part in found]
        if found := _grouped(response, size, target):
            return [replace(question, response=part) for part in found]
        return [replace(question, contexts=part) for part in _in_two(contexts)] or response_in_two

    def merge(
        self, question: LabelSentences, parts: Sequence[LabelSentences], replies: Sequence[Reply]
    ) -> Reply:
        """A sentence's support is the best that any group of contexts gives it."""
        if (failed := failure(replies)) is not None:
            return failed
        labels: list[SentenceLabels] = [reply.value for reply in replies]
        support = [best_support(_told(replies, key)) for key, _ in question.response]
        value = SentenceLabels(
            _in_order(question.contexts, (key for part in labels for key in part.relevant)),
            _in_order(question.contexts, (key for part in labels for key in part.used)),
            tuple(support),
            all(entry.support == "full" for entry in support),
            _joined(part.why_relevant for part in labels),
            _joined(part.why_supported for part in labels),
        )
        return Reply(value, whys(replies), raw=raws(replies))

    def across(self, question: LabelSentences, replies: Sequence[Reply]) -> LabelSentences | None:
        named = {key: together(_told(replies, key), question.contexts) for key, _ in question.response}
        if not any(named.values()):
            return None
        keys = frozenset().union(*named.values())
        return replace(
            question,
            contexts=tuple(line for line in question.contexts if line[0] in keys),
            response=tuple(line for line in question.response if named[line[0]]),
        )

    def settle(self, merged: Reply, again: Reply) -> Reply:
        if again.value is None:
            return apart(merged, again)
        seen = {entry.key: entry for entry in again.value.support}
        support = tuple(
            best_support([seen[entry.key], entry]) if entry.key in seen else entry
            for entry in merged.value.support
        )
        full = all(entry.support == "full" for entry in support)
        value = replace(merged.value, support=support, overall_supported=full)
        return Reply(value, whys((merged, again)), raw=raws((merged, again)))

    def guess(self, question: LabelSentences) -> str:
        entries = [
            {"key": key, "why": _words(text, 20), "supported_by": [], "support": "none"}
            for key, text in question.response
        ]
        said = {"why_relevant": "…" * 40, "relevant": [key for key, _ in question.contexts[:3]]}
        text = " ".join(text for _, text in question.response)
        overall = {"why_supported": _words(text, 80), "overall_supported": not entries}
        return to_json(said | overall | {"sentences": entries, "used": said["relevant"]})


class Relevant(Handler[RelevantSentences]):
    """The first half of `Label`."""

    prompt = "trace/relevant@1"

    def shortcut(self, question: RelevantSentences) -> Reply | None:
        return None if question.contexts else Reply((), "no context sentences")

    def values(self, question: RelevantSentences) -> dict[str, Value]:
        return {"question": question.question, "documents": question.contexts}

    def read(self, question: RelevantSentences, text: str) -> Reading:
        found = need_object(text, _RELEVANT).value
        keys = Keys(question.contexts)
        relevant = keys.all(field(found, *_RELEVANT), "relevant")
        why = as_text(field(found, "why", "why_relevant", "relevance_explanation")) or None
        return Reading(relevant, why, notes=keys.notes())

    def split(
        self, question: RelevantSentences, size: int, target: int, *, answer: bool = False
    ) -> list[RelevantSentences]:
        found = _grouped(question.contexts, size, target) or _in_two(question.contexts)
        return [replace(question, contexts=part) for part in found]

    def merge(
        self, question: RelevantSentences, parts: Sequence[RelevantSentences], replies: Sequence[Reply]
    ) -> Reply:
        if (failed := failure(replies)) is not None:
            return failed
        keys = (key for reply in replies for key in reply.value)
        return Reply(_in_order(question.contexts, keys), whys(replies), raw=raws(replies))

    def guess(self, question: RelevantSentences) -> str:
        return to_json({"why": "…" * 40, "relevant": [key for key, _ in question.contexts[:3]]})


class SupportOne(Handler[SupportSentence]):
    """The second half of `Label`, for one sentence."""

    prompt = "trace/support@1"

    def shortcut(self, question: SupportSentence) -> Reply | None:
        if question.key in (key for key, _ in question.response):
            return None
        return Reply(None, reason=f"the response has no sentence {question.key!r}")

    def values(self, question: SupportSentence) -> dict[str, Value]:
        return {"documents": question.contexts, "answer": question.response, "key": question.key}

    def read(self, question: SupportSentence, text: str) -> Reading:
        found = need_object(text, (*BY, "support", "fully_supported")).value
        keys = Keys(question.contexts)
        value, note = read_support(found, question.key, keys)
        return Reading(value, value.why, notes=(*([note] if note else []), *keys.notes()))

    def split(
        self, question: SupportSentence, size: int, target: int, *, answer: bool = False
    ) -> list[SupportSentence]:
        found = _grouped(question.contexts, size, target) or _in_two(question.contexts)
        return [replace(question, contexts=part) for part in found]

    def merge(
        self, question: SupportSentence, parts: Sequence[SupportSentence], replies: Sequence[Reply]
    ) -> Reply:
        if (failed := failure(replies)) is not None:
            return failed
        return Reply(best_support([reply.value for reply in replies]), whys(replies), raw=raws(replies))

    def across(self, question: SupportSentence, replies: Sequence[Reply]) -> SupportSentence | None:
        keys = together([reply.value for reply in replies], question.contexts)
        shown = tuple(line for line in question.contexts if line[0] in keys)
        return replace(question, contexts=shown) if keys else None

    def settle(self, merged: Reply, again: Reply) -> Reply:
        if again.value is None:
            return apart(merged, again)
        both = (merged, again)
        return Reply(best_support((again.value, merged.value)), whys(both), raw=raws(both))

    def guess(self, question: SupportSentence) -> str:
        return to_json({"why": "…" * 25, "supported_by": [], "support": "none"})


def _told(replies: Sequence[Reply], key: str) -> list[Support]:
    """What the parts say of one response sentence."""
    return [entry for reply in replies for entry in reply.value.support if entry.key == key]


def _in_order(lines: Lines, keys: Iterable[str]) -> tuple[str, ...]:
    wanted = set(keys)
    return tuple(key for key, _ in lines if key in wanted)


def _joined(texts: Iterable[str | None]) -> str | None:
    return " | ".join(text for text in texts if text) or None


def _words(text: str, most: int) -> str:
    return " ".join(text.split()[:most])
