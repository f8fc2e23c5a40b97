"""What there is to know about asking one kind of question: how to put it, read it, split it, merge it."""

# ruff: noqa: ARG002 - handlers share one interface, and not each needs all of it

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from adjudge.judges.base import Question, Reply
from adjudge.judges.llm.fields import as_objects, field
from adjudge.judges.llm.loose_json import Found, find_list, find_object
from adjudge.prompts.blocks import Value

Q = TypeVar("Q", bound=Question)
S = TypeVar("S", str, tuple[str, str])


class Reading(Struct, frozen=True):
    """What was made of an answer."""

    value: Any
    why: str | None = None
    reason: str | None = None
    """Why part of the value is missing."""
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    """The answer's words, where they could not all be used."""


class Unreadable(Exception):
    """The answer cannot be used as it is. `partial` is what can be, if it comes to nothing better."""

    def __init__(self, problem: str, partial: Reading | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.partial = partial


class Handler(Generic[Q]):
    """One kind of question. Stateless."""

    prompt: ClassVar[str]

    def shortcut(self, question: Q) -> Reply | None:
        """The reply where none has to be asked for, as for an empty text."""
        return None

    def values(self, question: Q) -> dict[str, Value]:
        """Values of the prompt's variables."""
        raise NotImplementedError

    def read(self, question: Q, text: str) -> Reading:
        """The answer as a value; raises Unreadable."""
        raise NotImplementedError

    def conflict(self, reading: Reading) -> str | None:
        """What contradicts itself in the answer, so that it should be asked for again."""
        return None

    def split(self, question: Q, size: int, target: int, *, answer: bool = False) -> list[Q]:
        """Smaller questions of about `target` tokens at most, `size` being this one's; [] if none.

        With `answer` it is the answer that was too long, so what makes it long is to be split.
        """
        return []

    def merge(self, question: Q, parts: Sequence[Q], replies: Sequence[Reply]) -> Reply:
        """The reply to a question that was split."""
        raise NotImplementedError

    def across(self, question: Q, replies: Sequence[Reply]) -> Q | None:
        """What is left to ask once all parts are answered, since no part alone could tell; None: nothing."""
        return None

    def settle(self, merged: Reply, again: Reply) -> Reply:
        """The merged reply with what `across` brought."""
        raise NotImplementedError

    def guess(self, question: Q) -> str:
        """A plausible short answer, for estimates."""
        raise NotImplementedError


def need_object(text: str, names: Collection[str]) -> Found:
    """The answer's object; one that broke off is refused."""
    found = find_object(text, names)
    if found is None:
        raise Unreadable(f"there is no JSON object with the field {next(iter(names))} in it")
    if found.truncated:
        raise Unreadable("it breaks off before its end")
    return found


def need_objects(text: str, name: str) -> tuple[list[dict[str, Any]], bool]:
    """The objects listed in that field, or in a bare list; and whether the list broke off."""
    found = find_object(text, (name,))
    if found is None:
        bare = find_list(text)
        entries = as_objects(bare.value) if bare is not None else None
        if entries:
            return entries, False
        raise Unreadable(f"there is no JSON object with the field {name} in it")
    entries = as_objects(field(found.value, name))
    if entries is None:
        raise Unreadable(f"{name} is not a list of objects")
    return entries, found.truncated


def tokens(text: str) -> int:
    """Estimated tokens, as `ChatRequest.prompt_size` counts them."""
    return len(text.encode("utf-8", "surrogatepass")) // 4 + 1


def groups(weights: Sequence[int], size: int, target: int) -> list[slice]:
    """Neighbouring items packed so that each group with all that is shown besides stays below the target.

    If what is shown besides takes more than half of the target, groups may take half of it all the same.
    """
    room = max(target - (size - sum(weights)), target // 2)
    found: list[slice] = []
    start = total = 0
    for index, weight in enumerate(weights):
        if total and total + weight > room:
            found.append(slice(start, index))
            start, total = index, 0
        total += weight
    return [*found, slice(start, len(weights))]


def halves(count: int) -> list[slice]:
    """Two groups of about equal number."""
    return [slice(0, count // 2), slice(count // 2, count)]


def joined_why(reading: Reading) -> str | None:
    """Explanation and notes, as one text."""
    return "; ".join(part for part in (reading.why, *reading.notes) if part) or None


def failure(replies: Sequence[Reply]) -> Reply | None:
    """The reply to a question of which a part could not be answered; None if all were."""
    failed = [reply for reply in replies if reply.value is None]
    if not failed:
        return None
    reason = f"{len(failed)} of {len(replies)} parts of the question have no answer: {failed[0].reason}"
    return Reply(None, reason=reason, raw=raws(failed))


def raws(replies: Sequence[Reply]) -> tuple[str, ...]:
    """Raw answers of all replies."""
    return tuple(text for reply in replies for text in reply.raw)


def whys(replies: Sequence[Reply]) -> str | None:
    """Explanations of all replies, each once."""
    return "; ".join(dict.fromkeys(reply.why for reply in replies if reply.why)) or None
