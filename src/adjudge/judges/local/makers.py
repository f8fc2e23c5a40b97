"""Who made what: "Tom Okafor directed Night Ferry", where the evidence says that Paula Renn did.

Such a claim has all the words of a true one, and a small model passes it. Founders, writers, directors,
designers and the like are therefore read by pattern, with the name of what they made. A claim that names
another is contradicted, unless the evidence has the one that it names beside a word for the same work, or
says that somebody has two names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import BESIDE, NAME, Finding, name_words, same_name

_DID = {
    "founded": "founded", "co-founded": "founded", "established": "founded",
    "wrote": "written", "co-wrote": "written", "authored": "written", "penned": "written",
    "directed": "directed", "co-directed": "directed", "designed": "designed", "composed": "composed",
    "painted": "painted", "invented": "invented", "discovered": "discovered", "created": "created",
    "co-created": "created", "sculpted": "sculpted", "illustrated": "illustrated",
}  # fmt: skip
_DONE = {word: what for word, what in _DID.items() if not word.endswith("wrote")} | {
    "written": "written", "co-written": "written",
}  # fmt: skip
_WHO = {
    "founder": "founded", "co-founder": "founded", "author": "written", "designer": "designed",
    "composer": "composed", "inventor": "invented", "discoverer": "discovered", "creator": "created",
    "co-creator": "created", "illustrator": "illustrated",
}  # fmt: skip
_WHAT = _DID | _DONE | _WHO
_ALSO_CALLED = {
    "founded": "found|establish|start|set up|creat",
    "written": "writ|wrot|author|penn|story|lyric",
    "directed": "direct",
    "designed": "design|architect|built|plan",
    "composed": "compos|music|score|writ|wrot",
    "painted": "paint",
    "invented": "invent|develop|creat",
    "discovered": "discover|found|observ",
    "created": "creat|develop|invent|writ|wrot|found",
    "sculpted": "sculpt|statue",
    "illustrated": "illustrat|draw|drew",
}
"""Beginnings of words that may tell of the same kind of work."""


def _any(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_PLAIN = r"(?:(?!\b(?:who|whose|which|that|where|when)\b)[^.;()])"
_LITTLE = (
    r"(?:in|on|at|from|for|and|with|of|to|as|is|was|has|had|who|which|while|but|under|by|after|before"
    r"|during)\b"
)
_OF_WHAT_KIND = rf"(?:(?:the |an? )?(?:[A-Z]\w+ )?(?:(?!{_LITTLE})[a-z-]+ ){{1,4}})?"
"""Before a maker's name: "by the British architect"."""
_ENDS = rf"(?! (?!{_LITTLE})[a-z])"
"""Behind it: "by a British person" names nobody."""
_BY = (
    rf"(?P<what>{_any(_DONE)})\b(?P<more>{_PLAIN}{{0,40}}?) by {_OF_WHAT_KIND}"
    rf"(?P<who>{NAME}(?:, {NAME})*(?:,? (?:and|with) {NAME})?)\b{_ENDS}"
)
_BE = r"(?:was|were|is|are|has been|had been)"
_SOON = r"(?:first |originally |jointly |also |officially |later )?"
_PASSIVE = (
    re.compile(rf"(?P<thing>{NAME})\W?{BESIDE} (?:(?:which |that )?{_BE} )?{_SOON}{_BY}"),
    re.compile(rf"(?P<thing>{NAME})\W?{BESIDE} (?:is|are|was|were) (?:an?|the) {_PLAIN}{{0,100}}? {_BY}"),
)
_THEN = re.compile(rf",?(?: and| also)* (?:was )?{_BY}")
"""What goes on about the same thing: "and written by"."""
_ACTIVE = (
    re.compile(
        rf"(?P<who>{NAME}){BESIDE} (?:who )?{_SOON}(?P<what>{_any(_DID)}) "
        rf"(?:the |an? )?(?:[a-z]+ )?(?P<thing>{NAME})"
    ),
    re.compile(
        rf"(?P<who>{NAME}){BESIDE} (?:(?:is|was) )?(?:the |an? )?(?:[a-z]+ (?:and )?)?(?P<what>{_any(_WHO)}) "
        rf"of (?:the )?(?:[a-z]+ )?(?P<thing>{NAME})"
    ),
)
_NO_SUBJECT = re.compile(r"\b(?:of|by|with|for|from|to|in|at|on|than|near|under|and|or) (?:the )?$")
"""Before a name that the verb is not said of."""
_TWO_NAMES = re.compile(
    r"\b(?:known as|called|alias|pseudonym|pen name|stage name|née|nee|aka|nicknamed|real name|credited as"
    r"|born (?!in\b|on\b|at\b)(?=[A-Z]))|\ba\.k\.a\."
)
_PROFESSION = re.compile(
    r"\b(?:is|was) an? (?:[\w-]+,? ){0,4}?(?:director|writer|author|designer|architect|composer|painter"
    r"|inventor|sculptor|illustrator|planner|poet)\b(?! (?:of|who|behind)\b)"
)
"""What somebody does for a living, which is no word for the one work."""
_DENIED = re.compile(r"\b(?:not|never|wrongly|falsely|mistakenly|if|might|may|could)\b|n['’]t\b")


class Made(NamedTuple):
    """Of what kind a work is, what it is called, and who made it."""

    what: str
    thing: frozenset[str]
    who: frozenset[str]
    shown: str


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Whether the evidence names other makers of what is claimed; none where it does not speak of it."""
    claimed = list(made(claim))
    known = _known(tuple(evidence.sentences)) if claimed else ()
    for one in claimed:
        own = [k for k in known if k.what == one.what and same_name(k.thing, one.thing)]
        if own and not any(_one_name(one.who, k.who) for k in own) and not _may_be_too(one, evidence):
            return Finding(False, True, f"{one.shown}; there: {own[0].shown}")
    return None


def _one_name(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two may be names of the same: one is part of the other, or has its first letters."""
    return same_name(one, other) or _short_for(one, other) or _short_for(other, one)


def _short_for(short: frozenset[str], long: frozenset[str]) -> bool:
    """WWE, World Wrestling Entertainment; the order of a name's words is not kept."""
    letters = Counter("".join(short)) if len(short) == 1 else Counter()
    first = Counter(word[0] for word in long)
    return letters.total() >= 2 and not letters - first and (first - letters).total() <= 1


def _may_be_too(claimed: Made, evidence: Evidence) -> bool:
    """Whether a sentence has the claimed maker beside a word for the work, apart from what patterns read
    there, or beside another name.
    """
    work = re.compile(rf"\b(?:co-)?(?:{_ALSO_CALLED[claimed.what]})", re.IGNORECASE)
    for text in evidence.sentences:
        if claimed.who <= name_words(text):
            rest = text
            for known in made(text):
                rest = rest.replace(known.shown, " ")
            beside_work = claimed.who <= name_words(rest) and work.search(_PROFESSION.sub(" ", text))
            if _TWO_NAMES.search(text) or beside_work:
                return True
    return False


@kept(KEPT)
def _known(sentences: tuple[str, ...]) -> tuple[Made, ...]:
    return tuple(one for sentence in sentences for one in made(sentence))


def made(text: str) -> Iterator[Made]:
    """What is told to have been made by whom."""
    if _DENIED.search(text):
        return
    for pattern in (*_PASSIVE, *_ACTIVE):
        for found in pattern.finditer(text):
            if not _NO_SUBJECT.search(text, 0, found.start()):
                for part in _parts(text, found, pattern in _PASSIVE):
                    yield from _made(part, found["thing"])


def _parts(text: str, found: re.Match[str], passive: bool) -> Iterator[re.Match[str]]:
    """A match, and those that go on about the same thing."""
    yield found
    more = _THEN.match(text, found.end()) if passive else None
    while more:
        yield more
        more = _THEN.match(text, more.end())


def _made(found: re.Match[str], thing: str) -> Iterator[Made]:
    things = name_words(thing)
    who = frozenset(word for word in name_words(found["who"]) if not word[0].isdigit())
    # "written and directed by": verbs joined to the first are said of the same names.
    joined = re.findall(rf"(?:,|\band) ({_any(_DONE)})\b", found.groupdict().get("more", ""))
    kinds = {_WHAT[verb] for verb in (found["what"], *joined)}
    if who and things:
        for what in sorted(kinds):
            yield Made(what, things, who, found[0].strip(" ,"))
