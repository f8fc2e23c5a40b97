"""Text into claims that stand on their own, by rules: no model, no network.

English sentences are cut into clauses (`clauses`), lists of objects into items (`lists`), and a
subject left out or put as a pronoun is filled in with the last one named. Chinese is cut at clause
punctuation, every other language at sentences. What was said about the writer rather than the world ("I hope
this helps"), questions and headings make no claims.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from adjudge.segment.claims.adjuncts import facts_of
from adjudge.segment.claims.clauses import Piece, clauses_of
from adjudge.segment.sentences import guess_language, split_sentences
from adjudge.types import Span

_LEADING_MARK = re.compile(r"(?:[-*+•‣◦▪–#>]+|\(?(?:[0-9]{1,3}|[a-zA-Z])[.)])\s+")
_CITATION = re.compile(r"\s*\[(?:[0-9]{1,3}(?:\s*[,–-]\s*[0-9]{1,3})*|citation needed)\]")
_META = re.compile(
    r"(?:I(?:'m| am|’m) (?:sorry|not|afraid|unable|happy|glad)|I (?:cannot|can't|can’t|could not"
    r"|couldn't|don't|don’t"
    r"|do not|hope|would be|apologi[sz]e|have no)|As an AI|Let me know|Please (?:note|let|feel"
    r"|contact|provide|see)"
    r"|Feel free|Sure[,!.]|Certainly[,!.]|Of course[,!.]|Here (?:is|are) |Thank you|If you (?:have|need|want)"
    r"|Based on the (?:context|documents?|passages?|information)(?: provided)?, (?:I|there is (?:no|not)))",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_ZH_CUT = re.compile("[，；,;]")
_ZH_SUBJECT = re.compile(
    "([^\\s，。；：、（）()0-9]{2,12}?)(?:是|位于|有|为|于|成立|出生|拥有|曾|属于|建于|在|获得|毕业|担任)"
)
_ZH_BARE = re.compile(
    "(?:面积|人口|位于|是|有|拥有|成立|并|也|还|其|于|曾|毕业|出生|获|后|现|又|而且|同时|担任|占地)"
)
_ZH_PRONOUN = re.compile("(?:他们|她们|它们|[他她它该])(?!人|的士)")
_ZH_SHORTEST = 4
_CLOSED = ("!", "！", "?", "？", "…", "।", "॥", "؟", "۔", "።", "။", "។", "։", "｡")
"""Stops of their own, after which none is put."""
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c80-\u2dff\u2e80-\ua71f\ua800-\uab2f\uab70-\ufaff\ufb07-\uffef]")
"""Neither Latin letters nor the signs of any script."""


class Claim(Struct, frozen=True):
    """One statement: its words made self-contained, the sentence it is from, and where it stands."""

    text: str
    sentence: int
    span: Span


def split_claims(text: str, language: str | None = None, *, fine: bool = False) -> list[Claim]:
    """Claims of a text in order, none if it states nothing; `fine` splits them into atomic facts."""
    return claims_of_sentences(text, split_sentences(text, language), language, fine=fine)


def claims_of_sentences(
    text: str, spans: Sequence[Span], language: str | None = None, *, fine: bool = False
) -> list[Claim]:
    """The same for sentences that are already found, given as offsets into the text."""
    code = language or guess_language(text)
    claims: list[Claim] = []
    topic: str | None = None
    for number, (start, end) in enumerate(spans):
        sentence, start = _without_mark(text[start:end], start)
        if not _is_statement(sentence):
            continue
        if code.startswith("zh"):
            pieces, topic = _chinese(sentence, topic)
        elif code.startswith("en"):
            pieces, topic = clauses_of(sentence, topic)
            if fine:
                pieces = _facts(pieces)
        else:
            pieces = [(sentence, 0, len(sentence))]
        for words, first, last in pieces:
            tidy = _tidy(words)
            if _WORD.search(tidy):
                claims.append(Claim(tidy, number, (start + first, start + last)))
    return claims


def _facts(pieces: list[Piece]) -> list[Piece]:
    """Atomic facts of clauses; items of one list share their adjuncts, told once."""
    spans = Counter((start, end) for _, start, end in pieces)
    return [
        (fact, start, end)
        for words, start, end in pieces
        for fact in (facts_of(words) if spans[start, end] == 1 else [words])
    ]


def _without_mark(sentence: str, start: int) -> tuple[str, int]:
    """A sentence without its list mark or heading sign."""
    found = _LEADING_MARK.match(sentence)
    if found and found.end() < len(sentence):
        return sentence[found.end() :], start + found.end()
    return sentence, start


def _is_statement(sentence: str) -> bool:
    if not _WORD.search(sentence):
        return False
    return not (sentence.rstrip("*_ ").endswith(("?", "？", "؟", ":", "：")) or _META.match(sentence))


def _tidy(words: str) -> str:
    """A claim without citation marks, emphasis signs and punctuation around it, closed by a stop.

    In scripts other than Latin and Chinese it has the stop it came with, if any: each has its own.
    """
    words = _CITATION.sub("", words).replace("**", "").replace("__", "")
    words = " ".join(words.split()).replace(" ,", ",")
    whole = words.strip(" ,;:—–-")
    words = whole.rstrip(".。 ,;；，")
    if not words or words.endswith(_CLOSED):
        return words
    if "\u4e00" <= words[-1] <= "\u9fff":
        return words + "。"
    if _OTHER_SCRIPT.match(words[-1]):
        return words + next((stop for stop in "。." if stop in whole[len(words) :]), "")
    return words + "."


def _chinese(sentence: str, topic: str | None) -> tuple[list[Piece], str | None]:
    """Clauses between commas; one that begins without a subject gets that of its sentence."""
    pieces: list[Piece] = []
    for start, end in _zh_spans(sentence):
        words = sentence[start:end].strip()
        if topic and _ZH_PRONOUN.match(words):
            words = _ZH_PRONOUN.sub(topic, words, count=1)
        elif topic and _ZH_BARE.match(words) and topic not in words:
            words = topic + words.removeprefix("并").removeprefix("而且").removeprefix("同时").removeprefix(
                "其"
            )
        elif found := _ZH_SUBJECT.match(words):
            topic = found[1]
        pieces.append((words, start, end))
    return pieces, topic


def _zh_spans(sentence: str) -> list[Span]:
    """Spans between commas, a piece too short to say something joined to the one before."""
    spans: list[Span] = []
    start = 0
    for end in [*(found.end() for found in _ZH_CUT.finditer(sentence)), len(sentence)]:
        if spans and end - start <= _ZH_SHORTEST:
            spans[-1] = (spans[-1][0], end)
        elif end > start:
            spans.append((start, end))
        start = end
    if len(spans) > 1 and spans[0][1] - spans[0][0] <= _ZH_SHORTEST:
        spans[:2] = [(spans[0][0], spans[1][1])]
    return spans
