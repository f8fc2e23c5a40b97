"""What a clause's verb is made of, and what a second verb after `and` shares with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjudge.segment.claims.cuts import Cut, is_passive
from adjudge.segment.claims.tokens import Token, group_end, words_of
from adjudge.segment.claims.verbs import ACTIVE, BASE_FORMS, DONE, PAST, base_of
from adjudge.segment.claims.words import (
    BE,
    DETERMINERS,
    FORMS_OF_BE,
    HAVE,
    NUMERALS,
    PAST_AUXILIARIES,
    word_set,
)

_REPORTED = word_set(
    "likely unlikely mentioned known believed estimated said reported noted concluded argued assumed"
    " considered stated thought announced inferred deduced seen shown understood"
)
"""What is said so of something before `to`, and of what follows before `that`: "It is known to bite"."""
_VALUED = _REPORTED | word_set(
    "important possible impossible necessary recommended essential best difficult easy hard common worth"
    " crucial helpful clear unclear advisable suggested help true useful better vital"
)
_MANY = word_set("you they we i")
_IRREGULAR = word_set("people children men women police cattle mice teeth feet")
_EITHER = word_set(
    "series species means headquarters crossroads news mathematics physics economics politics ethics"
    " genetics linguistics electronics athletics gymnastics diabetes measles rabies"
)
"""Nouns in -s that may be one or several: what stands before or their verb tells."""
_SEVERAL = word_set("these those many several few both various two three four five six seven eight nine ten")
_AMOUNTS = word_set(
    "all most many some several few both half none any plenty number lot lots variety majority minority"
    " couple range percent % two three four five six seven eight nine ten"
)
"""What tells how many of what follows `of` there are."""
_TIMES = word_set("year month week day hour minute decade centurie")
_ABOUT = word_set("over about around under up near at")


class Group(NamedTuple):
    """A finite verb with its helpers."""

    past: bool = False
    many: bool = False
    passive: bool = False
    helper: str = ""
    """`will` or `began to`, which a second verb shares."""
    being: str = ""
    """`was` or `can be`, which a second participle shares."""

    @property
    def be(self) -> str:
        """The form of be for something else said of the same subject."""
        return "was" if self.past else "is"


def group_of(text: str, tokens: Sequence[Token], verb: int, end: int) -> Group:
    """The group that begins with the finite verb at `verb`, within [verb, end)."""
    own = tokens[:end]
    word = tokens[verb].lower
    perfect = word in HAVE and verb + 1 < end and tokens[verb + 1].tag in "EA"
    plain = (word in PAST and word not in BASE_FORMS) or word.endswith("ed")
    after = group_end(own, verb)
    first = next((at for at in range(verb, after) if tokens[at].tag == "I"), verb)
    bes = [at for at in range(verb, after) if tokens[at].lower in FORMS_OF_BE]
    return Group(
        past=perfect or word in PAST_AUXILIARIES or plain,
        many=word in ("are", "have", "were"),
        passive=is_passive(own, verb),
        helper=words_of(text, tokens, verb, first) + " " if first > verb else "",
        being=words_of(text, tokens, verb, bes[-1] + 1) + " " if bes else "",
    )


def helper_for(group: Group, tokens: Sequence[Token], start: int, end: int) -> str:
    """What a verb at `start` takes from the group before it: "was born in Lund and [was] raised in Malmö"."""
    at = start
    while at < end - 1 and tokens[at].tag == "A":
        at += 1
    if tokens[at].tag == "I":
        return group.helper
    if not group.passive or tokens[at].lower in ACTIVE or tokens[at].lower not in DONE:
        return ""
    if at + 1 >= end:
        return group.being
    after = tokens[at + 1]
    counted = after.lower in _ABOUT and tokens[min(at + 2, end - 1)].tag == "#"
    later = after.tag == "#" and tokens[min(at + 2, end - 1)].lower.rstrip("s") in _TIMES
    shares = later or (
        after.text in ".," or after.tag == "A" or after.lower == "in" or (after.tag == "R" and not counted)
    )
    return group.being if shares else ""


def shared_complement(text: str, tokens: Sequence[Token], bounds: Sequence[Cut], end: int) -> str:
    """What a verb shares with the next: "wrote and directed the film", "born and raised in Leeds"."""
    verbs = [at for at in range(bounds[0].at, end) if tokens[at].tag == "V"]
    if len(bounds) < 2 or bounds[1].kind != "verb" or len(verbs) != 1 or group_end(tokens, verbs[0]) < end:
        return ""
    stop = bounds[2].at - bounds[2].drop if len(bounds) > 2 else len(tokens)
    after = group_end(tokens, bounds[1].at)
    if after >= stop or tokens[end - 1].lower in ACTIVE or tokens[bounds[1].at].lower in ACTIVE:
        return ""
    passive = tokens[verbs[0]].lower in BE
    shared = tokens[after].lower in ("in", "by", "at") if passive else tokens[after].tag in "DM#"
    return " " + words_of(text, tokens, after, stop) if shared else ""


def is_expletive(own: Sequence[Token]) -> bool:
    """Whether `it` before these words stands for what follows: "it is important to", "it costs $5 to"."""
    words = [token.lower for token in own[:5]]
    seems = base_of(words[0]) in ("appear", "seem")
    if seems and any(token.tag == "T" for token in own[1:]):
        return own[1].tag != "T"  # "It seems to work", but "It seems fair to ask"
    if seems or (not _REPORTED.isdisjoint(words) and _VALUED.isdisjoint({*words} - _REPORTED)):
        # "It has been shown to work" says so of something.
        later = next((token.tag for token in own if token.tag in "TS"), "")
        return later == "S"
    valued = not _VALUED.isdisjoint(words) or base_of(words[0]) in ("cost", "take")
    return valued and any(token.tag in "TS" for token in own)


def told_as_many(subject: str, tokens: Sequence[Token], end: int) -> bool:
    """Whether a subject seems to be plural, by the verb behind `end` where its noun does not tell."""
    if subject.rpartition(" ")[2].lower() in _EITHER and end < len(tokens):
        return tokens[end].lower in ("are", "were", "have")
    return is_many(subject)


def is_many(subject: str) -> bool:
    """Whether a subject seems to be plural: of "the walls of a house" the walls."""
    head, of, _ = subject.partition(" of ")
    if of and head.rpartition(" ")[2].lower() not in _AMOUNTS:
        subject = head
    first, *others = subject.lower().split() or [""]
    last = subject.rpartition(" ")[2]
    if subject.lower() in _MANY or last.lower() in _IRREGULAR:
        return True
    if last.lower() in _EITHER:
        return first in _SEVERAL
    counted = bool(others) and (first in DETERMINERS or first in NUMERALS) and last.islower()
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return plural and (counted or not subject[:1].isupper())
