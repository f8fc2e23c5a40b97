"""Who or what holds a place that only one can: "The capital of France is Lyon", where the evidence has Paris.

A small model passes such a claim wherever Lyon is spoken of too. Read by pattern, in the present only: over
time a place has many holders. Where another sentence has the claimed one beside the word for the place, it is
left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import BESIDE, NAME, Finding, name_words, same_name

_RANK = r"(?:(?P<rank>second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)[- ])?"
_MOST = r"(?:[a-z]{3,9}est|most [a-z]+) [a-z]+(?: [a-z]+)?"
_ONE = (
    r"capital(?: city)?|president|prime minister|king|queen|emperor|chancellor|mayor|governor|currency|"
    rf"CEO|chief executive(?: officer)?|chair(?:man|woman|person)|national anthem|{_MOST}"
)
_PLACE = rf"[Tt]he (?:current )?{_RANK}(?P<place>{_ONE}) (?:of|in) (?:the )?(?P<of>{NAME})"
_END = r"(?=[.,;:]|$| and | but | while )"
_ALIAS = re.compile(r"\b(?:known as|called|or|and) $")
"""Before a name that may be another for one told before, or one of several."""
_SAID = re.compile(
    r"\b(?:believ|think|thought|claim|assum|suppos|imagin|say|said|argu|myth|misconception|mistak|contrary|if)\w*"
    r"|\b(?:not|never)\b",
    re.IGNORECASE,
)
"""Before what is only said to be so."""
_PAST = re.compile(
    r"\b(?:was|were|had|did|[a-z]{2,}ed|took|went|came|became|left|gave|made|got|won|lost|led|met|began|held|wrote"
    r"|spoke|told|ran|fell|rose|saw)\b"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_PLACE},? is (?:the )?(?P<who>{NAME}){_END}",
        rf"(?P<who>{NAME}){BESIDE} is {_PLACE}{_END}",
        rf"(?P<who>{NAME})(?P<then>,) {_PLACE},",
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
            if not _told_elsewhere(one, other, evidence):
                return Finding(False, True, f"{one.shown}; there: {other.shown}")
    return None


def _told_elsewhere(claimed: Held, known: Held, evidence: Evidence) -> bool:
    """Whether the evidence, apart from where it tells another, has the claimed holder beside the place."""
    place = claimed.place.split()[0].lower()
    texts = (name_words(text.replace(known.shown, " ")) for text in evidence.sentences)
    return any(place in words and claimed.who <= words for words in texts)


@kept(KEPT)
def _known(sentences: tuple[str, ...]) -> tuple[Held, ...]:
    return tuple(one for sentence in sentences for one in held(sentence))


def held(text: str) -> Iterator[Held]:
    """Places told in a text, with their holders."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            who, of = name_words(found["who"]), name_words(found["of"])
            if _ALIAS.search(text, 0, found.start()) or _SAID.search(text, 0, found.start()):
                continue
            # "Jobs, the CEO of Apple, died": what he was then.
            passing = "then" in found.groupdict() and _PAST.search(text)
            if who and of and not passing:
                yield Held(found["place"], of, found["rank"] or "", who, found[0].strip(" ,"))
