"""Who or what holds a place that only one can: "The capital of France is Lyon", where the evidence has Paris.

A small model passes such a claim wherever Lyon is spoken of too. Read by pattern, in the present only: over
time a place has many holders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import BESIDE, NAME, Finding, name_words, same_name

_RANK = r"(?:(?P<rank>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)[- ])?"
_MOST = r"(?:[a-z]{3,9}est|most [a-z]+) [a-z]+(?: [a-z]+)?"
_ONE = (
    r"capital(?: city)?|president|prime minister|king|queen|emperor|chancellor|mayor|governor|currency|"
    r"CEO|chief executive(?: officer)?|chair(?:man|woman|person)|national anthem|author|director|composer|"
    rf"{_MOST}"
)
_PLACE = rf"[Tt]he (?:current )?{_RANK}(?P<place>{_ONE}) (?:of|in) (?:the )?(?P<of>{NAME})"
_END = r"(?=[.,;:]|$| and | but | while )"
_ALIAS = re.compile(r"\b(?:known as|called|or|and) $")
"""Before a name that may be another for one told before, or one of several."""
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_PLACE},? is (?:the )?(?P<who>{NAME}){_END}",
        rf"(?P<who>{NAME}){BESIDE} is {_PLACE}",
        rf"(?P<who>{NAME}), {_PLACE},",
        rf"(?P<of>{NAME})['’]s (?:current )?{_RANK}(?P<place>{_ONE}) is (?P<who>{NAME}){_END}",
    )
)


class Held(NamedTuple):
    """A place, by its name and of what, its rank, and who holds it."""

    place: str
    of: frozenset[str]
    rank: str
    who: frozenset[str]
    shown: str


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Whether the evidence tells another holder, or another rank; none where it does not speak of it."""
    claimed = list(held(claim))
    known = _known(tuple(evidence.sentences)) if claimed else ()
    for one in claimed:
        # All words alike: the capital of Guinea is not that of Papua New Guinea.
        same = [k for k in known if k.place == one.place and k.of == one.of]
        others = [k for k in same if k.rank == one.rank]
        ranks = [k for k in same if k.rank != one.rank and same_name(k.who, one.who)]
        if any(same_name(k.who, one.who) for k in others):
            continue
        for other in (*others, *ranks):
            return Finding(False, True, f"{one.shown}; there: {other.shown}")
    return None


@kept(2_000_000)
def _known(sentences: tuple[str, ...]) -> tuple[Held, ...]:
    return tuple(one for sentence in sentences for one in held(sentence))


def held(text: str) -> Iterator[Held]:
    """Places told in a text, with their holders."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            who, of = name_words(found["who"]), name_words(found["of"])
            if who and of and not _ALIAS.search(text, 0, found.start()):
                yield Held(found["place"], of, found["rank"] or "", who, found[0].strip(" ,"))
