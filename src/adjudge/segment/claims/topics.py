"""Whom pronouns stand for: the last person and the last thing that a subject named."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.segment.claims.verbgroup import is_many
from adjudge.segment.claims.words import PERSONAL, POSSESSIVES, SUBJECT_PRONOUNS, word_set

_NOBODY = word_set(
    "there i we you it he she they this that these those one many some most all both who which"
)
_ARTICLES = word_set("the a an this these those some many most several both all other each every no another")
_PEOPLE = word_set(
    "man woman boy girl actor actress author writer poet novelist singer artist painter musician"
    " composer director politician player scientist professor doctor lawyer king queen president"
    " minister couple he she person student teacher engineer philosopher physicist chemist journalist"
    " athlete footballer general"
)
_BODIES = word_set(
    "company inc corporation university records bros club studio studios pictures party college school"
    " committee association council league institute foundation museum group team band ltd press museum"
)
_SAME = word_set("salmon trout fish deer sheep cattle aircraft spacecraft species series offspring")
"""Nouns that are several without an ending."""
_OF = re.compile(r" (?:of|in|for|from|with|at|on|to|who|that|which|responsible|known)\b")


class Topic(NamedTuple):
    """What `he` or `she`, and what `it`, would mean in the next clause."""

    person: str | None = None
    thing: str | None = None
    last: str | None = None
    """Whichever of them was named last, for `they`."""
    labelled: bool = False
    """Whether a label before a colon named it: "Louvre: It holds …"."""
    many: str | None = None
    """What a sentence has named so far that is several, for `they` where the last named is one thing."""

    def meant_by(self, pronoun: str) -> str | None:
        if pronoun in PERSONAL:
            return self.person
        if pronoun in ("it", "its"):
            several = self.thing and is_many(_OF.split(self.thing, maxsplit=1)[0]) and self.thing not in _SAME
            return None if several else self.thing or self.person
        last = self.last or self.person
        one = pronoun in ("they", "their") and last and _is_one_thing(last)
        return self.many if one else last


def _is_one_thing(name: str) -> bool:
    """Whether `they` cannot mean this: "the old syllabus"; a company, somebody, and names it can."""
    head = _OF.split(name, maxsplit=1)[0]
    first, last = head.partition(" ")[0], head.rpartition(" ")[2].strip(".")
    named = last[:1].isupper() or (first[:1].isupper() and first.lower() not in _ARTICLES)
    somebody = last.endswith(("er", "or", "ist", "ian", "ant")) or last in _PEOPLE or last in _BODIES
    return not (named or somebody or is_many(head) or " and " in name or last in _SAME)


def remembered(topic: Topic, subject: str) -> Topic:
    """The topic after a clause with this subject."""
    after = _remembered(topic, subject)
    several = after.last and after.last != topic.last and (is_many(after.last) or " and " in after.last)
    return after._replace(many=after.last if several else topic.many)


def _remembered(topic: Topic, subject: str) -> Topic:
    words = subject.lower().split()
    if not words or words[0] in _NOBODY or words[0] in POSSESSIVES:
        return topic
    if ("'s " in subject or "s' " in subject) and topic.last is not None:
        return topic
    if topic.person and subject == topic.thing != topic.person:
        # A name that `it` stood for is no person's.
        return Topic(topic.person, subject, subject)
    if subject == topic.person:
        return topic._replace(last=subject)
    if topic.labelled and subject == topic.last:
        return topic
    name = subject.partition(" (")[0].partition(",")[0]
    if name.count("[") != name.count("]"):
        name = subject  # "the ring Z[4, 14]"
    if words[0] in _ARTICLES:
        if topic.person and words[-1] in _PEOPLE:
            return topic
        return Topic(name if words[-1] in _PEOPLE else topic.person, name, name)
    if topic.person and (words[-1].strip(".") in _BODIES or not subject[0].isupper()):
        return Topic(topic.person, name, name)
    if topic.person and set(words) < set(topic.person.lower().split()):
        # "Bo Lund … Lund …": the full name stays
        return Topic(topic.person, topic.person, topic.person)
    return Topic(name, name, name)


def labelled(topic: Topic, label: str, sure: bool) -> Topic:
    """The topic after a label; one that is not `sure` to be a name counts only if a label named the last."""
    if not (sure or topic.labelled):
        return topic
    return remembered(Topic(), label)._replace(labelled=True)


def filled(words: str, topic: Topic) -> str:
    """A subject with its pronoun or possessive replaced where it is clear whom it means."""
    first, _, rest = words.partition(" ")
    lower = first.lower()
    if not rest and (lower in SUBJECT_PRONOUNS or lower in ("which", "who")):
        return topic.meant_by(lower) or words
    if rest and lower in POSSESSIVES and (owner := topic.meant_by(lower)):
        return f"{owner}'{'' if owner.endswith('s') else 's'} {rest}"
    return words
