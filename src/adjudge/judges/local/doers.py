"""Who did what to whom, and what is more, part or north of what: "The fox chased the cat", where the evidence
says that the cat chased the fox; "Iron is dearer than copper", where copper is.

Such a claim has all the words of a true one in another order, and a small model passes it. Read from the tags
of words, where both sides are told plainly. A claim that has them exchanged is contradicted, unless the
evidence has it the claimed way too, or all of its words together somewhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import Finding
from adjudge.judges.local.noun_phrases import Phrase, phrase_after, phrase_before, stem_of
from adjudge.segment.claims.tokens import Token, denial_at, group_end, tokens_of, words_of
from adjudge.segment.claims.verbs import base_of
from adjudge.segment.claims.words import BE, FORMS_OF_BE, HAVE, MODALS, word_set

_EITHER_WAY = word_set(
    "be have do become remain seem equal match resemble meet marry divorce date face fight play join border"
    " accompany touch neighbour overlap intersect cross contain include mean call name like love hate know"
    " contact replace follow see ask tell answer thank use feature represent"
)
"""Verbs that may be true both ways, or that tell little of who acts."""
_MUTUAL = word_set(
    "brother sister sibling twin cousin spouse wife husband partner friend rival colleague neighbour ally"
    " synonym opposite different similar similarly equal equally close adjacent far away next same kind type"
    " marry engage relate link connect attach introduce compare adjoin pair unite bind oppose"
    " form percent half one kilometre kilometer km mile mi metre meter minute hour"
)
"""Words of what holds both ways, or of what is no more than a class."""
_TURNS = word_set("to of than against over above below under behind before after on")
"""Words behind which the other side stands, exchanged."""
_SURE_MODALS = word_set("did does do will would")
_LONGEST = 3
"""Words between a verb and such a word."""


class Deed(NamedTuple):
    """Who does what to whom, or is what beside what; and the words that tell it."""

    who: Phrase
    does: str
    whom: Phrase
    shown: str


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Whether the evidence tells what is claimed the other way round; none where it does not speak of it."""
    claimed = [deed for deed in deeds(claim) if not deed.who.same(deed.whom)]
    known = _known(tuple(evidence.sentences)) if claimed else ()
    for one in claimed:
        alike = [k for k in known if k.does == one.does]
        turned = [k for k in alike if k.who.same(one.whom) and k.whom.same(one.who)]
        told = any(k.who.same(one.who) and k.whom.same(one.whom) for k in alike)
        if turned and not told and not _told_elsewhere(one, turned, evidence):
            return Finding(False, True, f"{one.shown}; there: {turned[0].shown}")
    return None


def _told_elsewhere(claimed: Deed, turned: Sequence[Deed], evidence: Evidence) -> bool:
    """Whether, apart from where the evidence has it turned, a sentence has both sides and what is between."""
    wanted = claimed.who.words | claimed.whom.words
    does = set(claimed.does.split()) - _TURNS
    for sentence in evidence.sentences:
        rest = sentence
        for known in turned:
            rest = rest.replace(known.shown, " ")
        lowers = [token.lower for token in tokens_of(rest)]
        if wanted <= set(map(stem_of, lowers)) and does <= {*map(base_of, lowers), *map(stem_of, lowers)}:
            return True
    return False


@kept(KEPT)
def _known(sentences: tuple[str, ...]) -> tuple[Deed, ...]:
    return tuple(deed for sentence in sentences for deed in deeds(sentence))


def deeds(text: str) -> Iterator[Deed]:
    """What a sentence tells plainly; nothing where it denies, or says what may be."""
    tokens = tokens_of(text)
    if denial_at(tokens, 0, len(tokens)) is not None:
        return
    for at, token in enumerate(tokens):
        if token.tag == "V" and not token.depth:
            yield from _deed(text, tokens, at)


def _deed(text: str, tokens: Sequence[Token], verb: int) -> Iterator[Deed]:
    end = group_end(tokens, verb)
    group = [token.lower for token in tokens[verb:end]]
    subject, start = phrase_before(tokens, verb)
    if subject is None or any(word in MODALS and word not in _SURE_MODALS for word in group):
        return
    main = next((at for at in range(end - 1, verb - 1, -1) if tokens[at].tag in "VEI"), verb)
    be = any(word in FORMS_OF_BE for word in group[:-1])
    passive = be and tokens[main].tag == "E" and not tokens[main].lower.endswith("ing")
    does = base_of(tokens[main].lower)
    if passive and tokens[end : end + 1] and tokens[end].lower == "by":
        agent, stop = phrase_after(tokens, end + 1)
        if agent and does not in _EITHER_WAY:
            yield Deed(agent, does, subject, words_of(text, tokens, start, stop))
    elif tokens[main].lower not in HAVE:
        patient, stop = phrase_after(tokens, end)
        if not passive and tokens[main].lower not in BE and does not in _EITHER_WAY and patient:
            yield Deed(subject, does, patient, words_of(text, tokens, start, stop))
        yield from _beside(text, tokens, (start, main, end), subject, "be " if passive else "")


def _beside(
    text: str, tokens: Sequence[Token], at: tuple[int, int, int], subject: Phrase, being: str
) -> Iterator[Deed]:
    """What something is or does to, of or than another: "is a part of", "lost to", "grew faster than"."""
    start, main, end = at
    turn = next((i for i in range(end, min(end + _LONGEST + 2, len(tokens))) if tokens[i].tag == "R"), None)
    if turn is None or tokens[turn].lower not in _TURNS:
        return
    between = tokens[end:turn]
    words = [token.lower for token in between if token.tag != "D"]
    plain = all(token.tag in "DNAP" and token.text.islower() for token in between) and len(words) <= _LONGEST
    be = tokens[main].lower in BE
    if not plain or not _MUTUAL.isdisjoint((base_of(tokens[main].lower), *words)) or (be and not words):
        return
    other, stop = phrase_after(tokens, turn + 1)
    if other:
        verb = "be" if be else being + base_of(tokens[main].lower)
        does = " ".join((verb, *map(stem_of, words), tokens[turn].lower))
        yield Deed(subject, does, other, words_of(text, tokens, start, stop))
