"""Text into claims that stand on their own, by rules: no model, no network.

English sentences are cut into clauses (`clauses`); a subject left out or put as a pronoun is filled in with
the one meant. Lists of objects become a claim an item (`lists`), or with `fine` every phrase and attribute a
fact (`facts`). Chinese is cut at clause punctuation, Japanese if `fine` after joining verb forms (`cjk`),
every other language at sentences. What is said about the answer rather than the world ("I hope this helps",
"no information is available"), questions and headings make no claims (`statements`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from adjudge.segment.claims.cjk import chinese_clauses, chinese_items, has_kana, japanese_clauses
from adjudge.segment.claims.clauses import Piece, clauses_of
from adjudge.segment.claims.facts import facts_of
from adjudge.segment.claims.frames import source_speaks, unframed, without_frame
from adjudge.segment.claims.layout import items_under, labelled_members, lines_of
from adjudge.segment.claims.statements import bare, is_heading, is_statement, tidy, without_marks
from adjudge.segment.claims.topics import Topic
from adjudge.segment.sentences import guess_language, split_sentences
from adjudge.types import Span


class Claim(Struct, frozen=True):
    """One statement: its words made self-contained, the sentence it is from, and where it stands."""

    text: str
    sentence: int
    span: Span


def split_claims(text: str, language: str | None = None, *, fine: bool = False) -> list[Claim]:
    """Claims of a text in order, none if it states nothing; `fine` splits them into atomic facts."""
    return claims_of_sentences(text, split_sentences(text, language), language, fine=fine)


def main_topic(text: str) -> Topic:
    """The person and the thing that an English text names first as a subject."""
    person = thing = None
    topic = Topic()
    for start, end in split_sentences(text, "en"):
        sentence, _ = bare(text[start:end], start)
        if is_statement(sentence):
            topic = clauses_of(without_marks(sentence), topic)[1]
        person, thing = person or topic.person, thing or topic.thing
        if person and thing:
            break
    return Topic(person, thing, person or thing)


def claims_of_sentences(
    text: str,
    spans: Sequence[Span],
    language: str | None = None,
    *,
    person: str | None = None,
    fine: bool = False,
) -> list[Claim]:
    """The same for sentences that are already found, given as offsets into the text.

    `person`: whom `he` or `she` means before anybody is named.
    """
    code = language or guess_language(text)
    claims: list[Claim] = []
    topic = Topic(person=person)
    sourced = False
    for sentence, start, number, lead in lines_of(text, spans):
        if not is_statement(sentence) or (len(spans) > 1 and is_heading(sentence)):
            continue
        sentence, start = bare(sentence, start)
        sourced = source_speaks(sentence, sourced)
        sentence, start = without_frame(sentence, start, sourced)
        if lead or (listed := labelled_members(sentence)):
            pieces = [
                (words, 0, len(sentence)) for words in (items_under(lead, sentence) if lead else listed)
            ]
        else:
            pieces, topic = _pieces(sentence, topic, code, fine)
        told: set[str] = set()
        for words, first, last in pieces:
            said = tidy(words)
            said = said[:1].upper() + said[1:] if code.startswith("en") else said
            if said and said not in told:
                told.add(said)
                claims.append(Claim(said, number, (start + first, start + last)))
    return claims


def _pieces(sentence: str, topic: Topic, code: str, fine: bool) -> tuple[list[Piece], Topic]:
    if code.startswith("ja") or (code.startswith("zh") and has_kana(sentence)):
        return (japanese_clauses(sentence) if fine else [(sentence, 0, len(sentence))]), topic
    if code.startswith("zh"):
        pieces, name = chinese_clauses(sentence, topic.last)
        if fine:
            pieces = [(item, start, end) for words, start, end in pieces for item in chinese_items(words)]
        return pieces, Topic(name, name, name)
    if not code.startswith("en"):
        return [(sentence, 0, len(sentence))], topic
    pieces, topic = clauses_of(without_marks(sentence), topic, fine=fine)
    # "… and passage 2 mentions that …"
    pieces = [(unframed(words), start, end) for words, start, end in pieces]
    if fine:
        pieces = [(fact, start, end) for words, start, end in pieces for fact in facts_of(words)]
    return pieces, topic
