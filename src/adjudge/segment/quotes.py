"""Quoted words back to offsets: half-open code points in the text as it stands, which is never altered.

A quote is searched as it is; then in a search copy in which case, white space, quotation marks, dashes,
compatibility forms and invisible characters no longer matter, with a map back to the text; then by alignment,
which accepts the closest passage if it is alike by at least `MINIMUM_SIMILARITY`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal
from unicodedata import category, normalize

from msgspec import Struct

from adjudge.types import Span

How = Literal["exact", "normalised", "aligned", "none"]

MINIMUM_SIMILARITY = 0.85
"""Twice the characters in common over the characters of quote and passage, as difflib counts them."""

_ALIKE = {
    **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
    **dict.fromkeys("“”„‟″«»＂", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
}
_INVISIBLE = frozenset("\ufe0e\ufe0f")


class Found(Struct, frozen=True):
    """Where a quote stands: every occurrence from left to right, and how it was found."""

    spans: tuple[Span, ...]
    how: How
    similarity: float = 1.0


class Place(Struct, frozen=True):
    """Where a violation may stand, and what was odd about it.

    Each choice is a whole set of spans; there are several only where a quote occurs several times.
    """

    choices: tuple[tuple[Span, ...], ...]
    note: str | None = None


def find_quote(text: str, quote: str) -> Found:
    """All places of a quote in a text."""
    spans = _occurrences(text, quote)
    if spans:
        return Found(spans, "exact")
    wanted = search_copy(quote)[0].strip()
    if not wanted:
        return Found((), "none", 0.0)
    copy, origins = search_copy(text)
    spans = tuple(_back(origins, span) for span in _occurrences(copy, wanted))
    if spans:
        return Found(spans, "normalised")
    span, similarity = _align(copy, wanted)
    if span is None or similarity < MINIMUM_SIMILARITY:
        return Found((), "none", similarity)
    return Found((_back(origins, span),), "aligned", similarity)


def place(text: str | None, spans: Sequence[Span] | None, quote: str | None) -> Place:
    """Where a violation stands, given spans, a quote, or both.

    Where both are given and disagree, the quote is right if it can be found (of several occurrences the one
    nearest to the given spans); otherwise the spans are kept. Either way the note says so.
    """
    quote = quote if quote and quote.strip() else None
    if spans:
        return _check(text, tuple(spans), quote)
    if text is None or quote is None:
        return Place(((),), "unlocated")
    found = find_quote(text, quote)
    if not found.spans:
        return Place(((),), "unlocated")
    notes = [] if found.how == "exact" else [str(found.how)]
    if len(found.spans) > 1:
        notes.append("ambiguous")
    return Place(tuple((span,) for span in found.spans), ", ".join(notes) or None)


@lru_cache(maxsize=16)
def search_copy(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is searched, and for each of its characters the offset it came from."""
    chars: list[str] = []
    origins: list[int] = []
    after_space = True
    for index, char in enumerate(text):
        for piece in _folded(char):
            if piece == " ":
                if after_space:
                    continue
                after_space = True
            else:
                after_space = False
            chars.append(piece)
            origins.append(index)
    return "".join(chars), tuple(origins)


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    if char in _INVISIBLE or category(char) == "Cf":
        return ""
    if char.isspace():
        return " "
    return _ALIKE.get(char) or normalize("NFKD", normalize("NFKD", char).casefold())


def _occurrences(text: str, quote: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = text.find(quote) if quote else -1
    while start >= 0:
        spans.append((start, start + len(quote)))
        start = text.find(quote, start + 1)
    return tuple(spans)


def _back(origins: Sequence[int], span: Span) -> Span:
    """A span of the search copy in the text; a character that was only partly covered counts as covered."""
    return origins[span[0]], origins[span[1] - 1] + 1


def _align(copy: str, wanted: str) -> tuple[Span | None, float]:
    """The passage around the longest common run that is most like the quote, and how alike it is."""
    anchor = SequenceMatcher(None, copy, wanted, autojunk=False).find_longest_match()
    if not anchor.size:
        return None, 0.0
    # A passage longer or shorter than this cannot reach the minimum, whatever it says.
    slack = int(len(wanted) * (2 / MINIMUM_SIMILARITY - 2)) + 1
    low = max(0, anchor.a - anchor.b - slack)
    window = copy[low : anchor.a - anchor.b + len(wanted) + slack]
    blocks = SequenceMatcher(None, window, wanted, autojunk=False).get_matching_blocks()[:-1]
    best: tuple[Span | None, float] = (None, 0.0)
    for index, first in enumerate(blocks):
        common = 0
        for last in blocks[index:]:
            common += last.size
            end = last.a + last.size
            similarity = 2 * common / (end - first.a + len(wanted))
            if similarity > best[1]:
                best = (low + first.a, low + end), similarity
    return best


def _check(text: str | None, spans: tuple[Span, ...], quote: str | None) -> Place:
    if text is None:
        return Place((spans,))
    clipped = ((max(0, start), min(len(text), end)) for start, end in spans)
    inside = tuple(span for span in clipped if span[0] <= span[1])
    note = None if inside == spans else "out of range"
    if quote is not None and not _agree(text, inside, quote):
        found = find_quote(text, quote)
        if found.spans:
            nearest = min(found.spans, key=lambda span: (abs(span[0] - spans[0][0]), span))
            return Place(((nearest,),), "offsets disagree: moved to the quote")
        note = "offsets disagree: kept"
    return Place((inside,), note if inside else "out of range, unlocated")


def _agree(text: str, spans: tuple[Span, ...], quote: str) -> bool:
    words = "".join(text[start:end] for start, end in spans)
    if words == quote:
        return True
    return search_copy(words)[0].replace(" ", "") == search_copy(quote)[0].replace(" ", "")
