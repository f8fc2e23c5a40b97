"""Whom pronouns stand for: the last person and the last thing that a subject named."""

from __future__ import annotations

from typing import NamedTuple

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


class Topic(NamedTuple):
    """What `he` or `she`, and what `it`, would mean in the next clause."""

    person: str | None = None
    thing: str | None = None
    last: str | None = None
    """Whichever of them was named last, for `they`."""
    labelled: bool = False
    """Whether a label before a colon named it: "Louvre: It holds …"."""

    def meant_by(self, pronoun: str) -> str | None:
        if pronoun in PERSONAL:
            return self.person
        return (self.thing if pronoun in ("it", "its") else self.last) or self.person


def remembered(topic: Topic, subject: str) -> Topic:
    """The topic after a clause with this subject."""
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
