"""When what happened to whom, and which of two came first: what a small model cannot read off figures.

"Hall was born in 1846, Terman in 1877" has the same words with the years exchanged, and the model finds both
about as likely. Births, deaths, foundings, openings and releases are therefore read by pattern: few of those
told, but surely. A claim that tells another date of one, or the opposite order of two, is contradicted,
unless the evidence has the claimed name beside the claimed year somewhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.judges.local.dates import Date, date_differs
from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import BESIDE, NAME, Finding, name_words, same_name
from adjudge.judges.local.numbers import find_numbers
from adjudge.judges.local.numerals import MONTH

_HAPPENED = {
    "born": "born", "died": "died", "founded": "founded", "established": "founded", "formed": "founded",
    "launched": "launched", "opened": "opened", "released": "released", "published": "published",
}  # fmt: skip
_TO_THE_DAY = frozenset({"born", "died"})
"""Of the others there is often more than one day in the same year: a film's, by country."""
_VERB = "|".join(_HAPPENED)
_PLAIN = r"(?:(?!\b(?:who|whose|which|that|where|was|were)\b)[^.;()])"
_REST = r"(?:[^.;]|(?<=\b[A-Z])\.)*"
_BE = r"(?:was|were|is|are|has been|had been)"
_PLAIN_BE = ("was", "were", "is", "are", "has", "had")
_LIFE = re.compile(rf"(?P<who>{NAME}),? \((?P<inside>[^()]*[0-9]{{4}}[^()]*)\)")
_TOLD = re.compile(
    rf"(?P<who>{NAME})(?P<beside>{BESIDE}) (?P<be>(?:which |who )?{_BE} )?(?:first |officially |originally )?"
    rf"(?P<what>{_VERB})\b(?=(?P<rest>{_REST}))"
)
_NO_SUBJECT = re.compile(r"\b(?:of|by|with|for|from|to|in|at|on|than|married|near|under) (?:the )?$")
"""Before a name that only tells more of the one it happened to: "the daughter of Lord Byron, was born"."""
_OBJECT = re.compile(rf" (?:the |its |his |her |their )?(?P<who>{NAME})(?= (?:in|on) )")
_NO_OBJECT = re.compile(r",? (?:in|on|at|by|around|circa|c\.|[0-9(])|[,.;)]|$")
_KIND = re.compile(
    rf"^\W?(?P<who>{NAME})\W?{BESIDE} (?:is|are|was|were) (?:an?|the) {_PLAIN}{{0,120}}?"
    rf"(?P<what>founded|established|formed|launched|opened|released|published)\b(?P<rest>{_REST})"
)
_WORK = re.compile(
    rf"(?P<who>{NAME})\W?{BESIDE} (?:is|was) an? (?P<year>[12][0-9]{{3}}) (?:[\w-]+ ){{0,7}}"
    r"(?:film|movie|album|song|single|game|musical|comedy|documentary|drama|thriller|EP)\b"
)
_ALSO = re.compile(
    rf"(?:[,;]| and| while| but)+ (?:and |while |but )?(?P<who>{NAME}) (?:in|on) (?P<rest>[^.;]*)"
)
_UP_TO = re.compile(
    r"(?: \w+){0,3}? ?(?:in|on|,|around|circa|c\.)? ?(?:the )?(?:[A-Z][\w ,]{0,30}(?:in|on) )?"
)
"""What may stand between the verb and its date."""
_OPEN = re.compile(r"\b(?:before|after|since|until|between|from|either|or|and [a-z]+)\b|\bby $")
_ROUGH = re.compile(r"['’]?s\b|,? or\b|,? and [12][0-9]{3}|\s?[–-]")
"""Before and behind a date that is not one day or year: "before 1900", "the 1970's", "1964 or 1965"."""
_TO = re.compile(r"\s*[–—-]{1,2}\s*")
_REIGN = re.compile(r"\b(?:[IVX]+|King|Queen|Emperor|Empress|Pope|President|Chancellor)\b")
_LEAST_LIFE, _LONGEST_LIFE = 15, 115
"""Years; other spans in brackets are mostly terms of office."""
_ORDER = re.compile(
    rf"(?P<a>{NAME}){BESIDE} (?:{_BE} )?(?:(?P<what>{_VERB}) )?"
    rf"(?P<order>before|after|first|earlier|later|older|younger|prior to)\b(?: than)?(?=(?P<rest>{_REST}))"
)
_ASKED = re.compile(
    rf"^(?:Who|Which|What)\b[^?]*?(?:\b(?P<what>{_VERB}) )?"
    rf"(?P<order>first|earlier|later|last|older|younger),? "
    rf"(?P<a>{NAME}),? or (?P<b>{NAME})\s*\? (?P<told>{NAME})\W*$"
)
_EARLY = frozenset(("before", "first", "earlier", "older", "prior to"))
_YES = len("Yes, .")
"""Letters that a claim may have beside what it says."""
_IS_MONTH = re.compile(MONTH, re.IGNORECASE)


class Event(NamedTuple):
    """What happened to whom, and when."""

    who: frozenset[str]
    what: str
    when: Date


class Order(NamedTuple):
    """What is claimed to have happened to one before it did to another."""

    first: frozenset[str]
    second: frozenset[str]
    what: str
    alone: bool
    """Whether the claim says nothing else."""


def check(claim: str, evidence: Evidence) -> Finding | None:
    """What the evidence's events say of the claim's; none where they do not meet."""
    claimed, ordered = list(events(claim)), list(orders(claim))
    known = _known(tuple(evidence.sentences)) if claimed or ordered else ()
    met = [
        *(_dated(event, known, evidence) for event in claimed),
        *(_ordered(order, known) for order in ordered),
    ]
    found = [finding for finding in met if finding is not None]
    wrong = [finding for finding in found if not finding.agrees]
    return wrong[0] if wrong else found[0] if found else None


@kept(KEPT)
def _known(sentences: tuple[str, ...]) -> tuple[Event, ...]:
    return tuple(event for sentence in sentences for event in events(sentence))


def _dated(event: Event, known: Sequence[Event], evidence: Evidence) -> Finding | None:
    own = _own(event.who, event.what, known)
    if not own or not all(_differ(event, other.when) for other in own):
        return Finding(True, False, "") if own else None
    if _namesakes(event.who, own[0].who, event.what, evidence) or _told_elsewhere(event, own, evidence):
        return None
    return Finding(False, True, f"{event.what} {event.when.text}, there {own[0].when.text.strip()}")


def _own(who: frozenset[str], what: str, known: Sequence[Event]) -> list[Event]:
    """Events of the one named: by the same name, else by a longer or shorter one."""
    alike = [event for event in known if event.what == what and same_name(who, event.who)]
    return [event for event in alike if event.who == who] or alike


def _namesakes(claimed: frozenset[str], known: frozenset[str], what: str, evidence: Evidence) -> bool:
    """Whether the evidence may tell of two: it has another name that the claimed one is part of, or has the
    claimed one where it does not have the known one. Only people are also called by one of their names.
    """
    told = [{name_words(found[0]) for found in re.finditer(NAME, text)} for text in evidence.sentences]
    if any(claimed <= name and not same_name(name, known) for names in told for name in names):
        return True
    surname = what in _TO_THE_DAY and min(len(claimed), len(known)) == 1
    return claimed != known and not surname and any(claimed in names and known not in names for names in told)


def _told_elsewhere(event: Event, own: Sequence[Event], evidence: Evidence) -> bool:
    """Whether a sentence that tells no event of theirs has the claimed name and the claimed year."""
    return any(
        any(date.year == event.when.year for date in figures.dates)
        and event.who <= name_words(text)
        and not any(other in own for other in events(text))
        for text, figures in zip(evidence.sentences, evidence.figures, strict=True)
    )


def _differ(event: Event, when: Date) -> bool:
    """Whether a year differs; for births and deaths any part that both tell."""
    claimed = event.when if event.what in _TO_THE_DAY else event.when._replace(month=None, day=None)
    return date_differs(claimed, when)


def _ordered(order: Order, known: Sequence[Event]) -> Finding | None:
    one, two = ({event.when[:3] for event in _own(who, order.what, known)} for who in order[:2])
    if len(one) != 1 or len(two) != 1:
        return None
    a, b = _span(*one.pop()), _span(*two.pop())
    if a[1] < b[0]:
        return Finding(True, order.alone, f"{order.what} in this order")
    return Finding(False, True, f"{order.what} in the other order") if b[1] < a[0] else None


_Day = tuple[int, int, int]


def _span(year: int | None, month: int | None, day: int | None) -> tuple[_Day, _Day]:
    """First and last day of a date."""
    return (year or 0, month or 1, day or 1), (year or 0, month or 12, day or 31)


def events(text: str) -> Iterator[Event]:
    """Events told in a text, with the name of what they happened to."""
    for life in _LIFE.finditer(text):
        yield from _life(life["who"], life["inside"])
    for work in _WORK.finditer(text):
        yield from _event(work["who"], "released", f" {work['year']}")
    kind = _KIND.match(text)
    told = [(kind, kind["who"], kind["rest"])] if kind else _subjects(text)
    for found, who, rest in told:
        yield from _event(who, _HAPPENED[found["what"]], rest)
        for more in _ALSO.finditer(rest):
            yield from _event(more["who"], _HAPPENED[found["what"]], f" in {more['rest']}")


def _subjects(text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Verbs with the name of what they happened to, and what follows: for "A founded B" that is B."""
    for found in _TOLD.finditer(text):
        who, rest = found["who"], found["rest"]
        closing = found["beside"].endswith(",") and (found["be"] or "").startswith(_PLAIN_BE)
        # "Her first novel, Poison Study, was published": there the name is what the subject is called.
        closing = closing and not text.endswith(", ", 0, found.start())
        if closing or _NO_SUBJECT.search(text, 0, found.start()):
            continue
        if found["be"] or found["what"] in _TO_THE_DAY or _NO_OBJECT.match(rest):
            yield found, who, rest
        elif founded := _OBJECT.match(rest):
            yield found, founded["who"], rest[founded.end() :]


def _event(who: str, what: str, rest: str) -> Iterator[Event]:
    """The first date behind a verb, unless too much stands before it."""
    # With the verb, or what follows it at once would be a year: "opened 1200 shops".
    text = what + rest
    words, dates = name_words(who), find_numbers(text).dates
    if not words or not dates or not dates[0].year:
        return
    before, after = text[len(what) : dates[0].start], text[dates[0].end :]
    if _UP_TO.fullmatch(before) and not _OPEN.search(before) and not _ROUGH.match(after):
        yield Event(words, what, dates[0])


def _life(who: str, inside: str) -> Iterator[Event]:
    """Years of a life in brackets behind a name."""
    words = name_words(who)
    dates = [date for date in find_numbers(inside).dates if date.year]
    if not words or not dates or " or " in inside:
        return
    if re.search(r"\b(?:born|b\.)", inside):
        yield Event(words, "born", dates[0])
    elif len(dates) == 2 and _TO.fullmatch(inside[dates[0].end : dates[1].start]) and _lived(who, *dates):
        yield Event(words, "born", dates[0])
        yield Event(words, "died", dates[1])


def _lived(who: str, first: Date, last: Date) -> bool:
    """Whether a span may be a life: of those who reign or preside, years alone may be of that."""
    years = (last.year or 0) - (first.year or 0)
    return _LEAST_LIFE <= years <= _LONGEST_LIFE and bool(first.month or not _REIGN.search(who))


def orders(claim: str) -> Iterator[Order]:
    """Which of two is claimed to have come first."""
    asked = _ASKED.match(claim)
    if asked:
        told, pair = name_words(asked["told"]), (name_words(asked["a"]), name_words(asked["b"]))
        chosen = [n for n, who in enumerate(pair) if who and told and same_name(told, who)]
        if len(chosen) == 1:
            yield from _order(asked, pair[chosen[0]], pair[1 - chosen[0]], True)
        return
    for found in _ORDER.finditer(claim):
        a, others = name_words(found["a"]), _against(claim, found)
        if a and len(others) == 1 and not same_name(a, others[0]):
            plain = found["rest"].strip(" .").count(" ") < 6 and not find_numbers(found["rest"]).dates
            alone = plain and len(claim) - len(found[0]) - len(found["rest"]) <= _YES
            yield from _order(found, a, others[0], alone)


def _order(found: re.Match[str], a: frozenset[str], b: frozenset[str], alone: bool) -> Iterator[Order]:
    word = found["order"]
    what = _HAPPENED.get(found["what"] or "", "born" if word in ("older", "younger") else "")
    if what:
        yield Order(a, b, what, alone) if word in _EARLY else Order(b, a, what, alone)


def _against(claim: str, found: re.Match[str]) -> list[frozenset[str]]:
    """Names that the order is against: behind "before" or "than", else all others of the claim."""
    behind = re.match(rf" (?P<b>{NAME})", found["rest"])
    if behind and found["order"] != "first":
        return [words] if (words := name_words(behind["b"])) else []
    distinct: list[frozenset[str]] = [name_words(found["a"])]
    for name in re.finditer(NAME, claim):
        words = frozenset(w for w in name_words(name[0]) if not w.isdigit() and not _IS_MONTH.fullmatch(w))
        if words and not any(same_name(words, other) for other in distinct):
            distinct.append(words)
    return distinct[1:]
