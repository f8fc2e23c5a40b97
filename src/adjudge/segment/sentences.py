"""Text into sentences, as half-open code-point offsets into the text as it is stored."""

from __future__ import annotations

import re

from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]

from adjudge.types import Span

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CJK_SHARE = 0.1
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE_BLANK = re.compile(r"[^\S\x00-\x7f]")
"""White space of more than one byte, such as a no-break space: the splitter fails on it behind a capital."""

_BULLET = r"(?:[-*+•‣◦▪–]|\(?(?:[0-9]{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])"
_BREAK = re.compile(rf"\n(?=[ \t]*(?:\r?\n|{_BULLET}[ \t]))|(?<=[:;.!?…：；。！？])[ \t\r]*\n")
_ONLY_BULLET = re.compile(rf"(?:{_BULLET}\s*)+\Z")

_INITIALS = re.compile(
    r"(?<![\w.])(?!U\.[SKN]|E\.U|[DAB]\.[CDASM]|[AP]\.M|M\.[ADS]|P\.[IS]\.)(?:[A-Z]\.){2,3}\Z"
)
_SURNAME = re.compile(
    r"(?!(?:He|She|It|They|We|You|This|That|These|Those|The|An?|In|On|At|By|For|From|After|Before|When|While"
    r"|As|But|And|His|Her|Its|Their|Our|There|Then|However|Also|Some|Many|Both|If|To|With|Who|Born)\b)[A-Z]\w+"
)


def guess_language(text: str) -> str:
    """`zh` for text with a fair share of CJK characters, else `en`."""
    if text.isascii() or len(_CJK.findall(text)) < _CJK_SHARE * len(text):
        return "en"
    return "zh"


def split_sentences(text: str, language: str | None = None) -> list[Span]:
    """[start, end) of every sentence, without the white space around it; none is empty.

    A line break ends a sentence only at a blank line, before a list item, or after closing punctuation, so
    that text wrapped at a column stays whole. A list item's number belongs to the sentence that follows it.
    """
    # The splitter is handed UTF-8, which has no lone surrogates; the stand-ins have the same length.
    search = text if text.isascii() else _WIDE_BLANK.sub(" ", _SURROGATE.sub("\ufffd", text))
    code = language or guess_language(text)
    spans: list[Span] = []
    start = 0
    if "\n" in search:
        for found in _BREAK.finditer(search):
            spans += _pieces(search[start : found.end()], start, code)
            start = found.end()
    spans += _pieces(search[start:], start, code)
    return _join_initials(search, _join_bullets(search, spans))


def _pieces(text: str, offset: int, language: str) -> list[Span]:
    spans = []
    for boundary in get_sentence_boundaries(language, text):
        piece: str = boundary["text"]
        words = piece.strip()
        if words:
            start = offset + boundary["start_index"] + len(piece) - len(piece.lstrip())
            spans.append((start, start + len(words)))
    return spans


def _join_bullets(text: str, spans: list[Span]) -> list[Span]:
    """Spans in which a piece that is only a list mark is part of the sentence after it."""
    joined: list[Span] = []
    start = -1
    for first, end in spans:
        if start < 0:
            start = first
        if end - first > 8 or not _ONLY_BULLET.match(text, first, end):
            joined.append((start, end))
            start = -1
    if start >= 0:
        joined.append((start, spans[-1][1]))
    return joined


def _join_initials(text: str, spans: list[Span]) -> list[Span]:
    """Spans in which "J.D. Salinger" stays whole: the splitter knows initials only with blanks between."""
    joined: list[Span] = []
    for start, end in spans:
        first, stop = joined[-1] if joined else (0, 0)
        # Two dots with a letter between are rare, and quickly told.
        maybe = stop - first > 3 and text[stop - 1] == text[stop - 3] == "."
        if maybe and _INITIALS.search(text, max(first, stop - 8), stop) and _SURNAME.match(text, start, end):
            joined[-1] = (first, end)
        else:
            joined.append((start, end))
    return joined
