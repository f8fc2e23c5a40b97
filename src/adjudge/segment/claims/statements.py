"""Which sentences state something about the world, and how a statement is put without its marks."""

from __future__ import annotations

import re

from adjudge.segment.claims.citations import CITATION
from adjudge.segment.claims.frames import ABOUT_THE_ANSWER, unframed
from adjudge.segment.claims.tokens import FORMULA

_LEADING_MARK = re.compile(
    r"(?:[-*+•‣◦▪–#>]+|\(?(?:[0-9]{1,3}|[a-z])[.)]|\(?[A-Z]\)|[A-Z]\.(?=\s+[^\s.]*[a-z]\S*\s+[a-z]))\s+"
)
"""An upper-case letter with a stop is one only before a word and another in lower case: "A. Pay the toll",
not "G. Stanley Hall".
"""
_ITEM = r"\(?(?:[0-9]{1,2}|[a-zA-Z])[.)]\s*\Z"
_NEXT_MARK = re.compile(r"(?<=[.!?:;…)”\"])\s+" + _ITEM)
"""Mark of the next item of a list, where sentences were cut behind it: "Check the oil. 2."."""
_ONLY_MARK = re.compile(_ITEM)
_FENCE = r"^[ \t]*(?:```|~~~)[ \t]*[\w+#.-]*[ \t]*$|```(?:[a-z+#]+(?=\s*\n))?"
_UNDERLINED = r"(?<![^\W_])__|__(?![^\W_])"
"""Not inside a name such as "on__load"."""
_UNSAID = re.compile(
    rf"(?P<formula>{FORMULA})|{_FENCE}|{CITATION}|\*\*|{_UNDERLINED}", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"(?:#{1,6}\s[^\n]*|\*\*[^*\n]+\*\*:?|__[^_\n]+__:?)\s*\n\s*")
_ONLY_HEADING = re.compile(r"#{1,6}\s[^\n]*\Z|\*\*[^*\n]+\*\*:?\Z")
_NOTING = re.compile(
    r"(?:(?:sure|certainly|of course)[,!.] +|I(?: am|['’]m) (?:sorry|afraid),? but )?"
    r"(?:(?:\w+, )?(?:it(?: is|['’]s) (?:also )?(?:important|worth|useful|interesting|essential|crucial)"
    r" (?:to (?:note|mention|remember|recognize|know|understand|keep in mind)|noting|mentioning) that "
    r"|please (?:also )?note(?: that |: |, )))?",
    re.IGNORECASE,
)
"""Words before a statement that add nothing to it."""
_COURTESY = re.compile(
    r"\W*(?:n/?a|hello|hi|good (?:morning|afternoon|evening)|(?:I am )?(?:happy|glad) to help"
    r"|(?:I )?hope (?:this|that|it) helps|you(?: are|['’]re) welcome)\W*\Z",
    re.IGNORECASE,
)
_LOOSE_COLON = re.compile(r"(?<=[a-z]) :(?= )")
_TIGHT_COMMA = re.compile(r",(?=[^\W\d_])")
_WORD = re.compile(r"\w")
_CLOSED = ("!", "！", "?", "？", "…", "।", "॥", "؟", "۔", "።", "။", "។", "։", "｡", '."', ".”")
"""Stops of their own, after which none is put."""
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c80-\u2dff\u2e80-\ua71f\ua800-\uab2f\uab70-\ufaff\ufb07-\uffef]")
"""Neither Latin letters nor the signs of any script."""


def is_statement(sentence: str) -> bool:
    """Whether a sentence says something about the world: no question, no heading of a list, no courtesy, and
    more than citations.
    """
    sentence, _ = bare(sentence, 0)
    if not _WORD.search(_cleared(sentence)) or _COURTESY.match(sentence):
        return False
    return not (
        sentence.rstrip("*_ ").endswith(("?", "？", "؟", ":", "：")) or ABOUT_THE_ANSWER.match(sentence)
    )


def is_heading(sentence: str) -> bool:
    """Whether a line is marked as a heading and nothing else, or is the mark of a list's item alone."""
    return bool(_ONLY_HEADING.match(sentence) or _ONLY_MARK.match(sentence))


def bare(sentence: str, start: int) -> tuple[str, int]:
    """A sentence without the heading above it, its list mark, and "it is worth noting that"; its start."""
    for pattern in (_HEADING, _LEADING_MARK, _NOTING):
        found = pattern.match(sentence)
        if found and found.end() < len(sentence):
            sentence, start = sentence[found.end() :], start + found.end()
    return _NEXT_MARK.sub("", sentence), start


def substance(sentence: str) -> str:
    """What a sentence says, as evidence is searched for it: without marks of lists and citations, and without
    "Based on the context," or "The document says that" before it. It is never empty.
    """
    said = unframed(_cleared(bare(sentence, 0)[0]).strip())
    return said if _WORD.search(said) else sentence


def without_marks(sentence: str) -> str:
    """A sentence with citations and emphasis signs blanked: offsets stay."""
    return _UNSAID.sub(lambda found: found["formula"] or " " * len(found[0]), sentence)


def _cleared(words: str) -> str:
    return _UNSAID.sub(lambda found: found["formula"] or "", words)


def tidy(words: str) -> str:
    """A claim without citations, emphasis signs and punctuation around it, closed by a stop; "" if empty.

    In scripts other than Latin and Chinese it has the stop it came with, if any: each has its own.
    """
    words = _cleared(words)
    words = _LOOSE_COLON.sub(":", " ".join(words.split()).replace(" ,", ","))
    words = _TIGHT_COMMA.sub(", ", words)
    whole = words.strip(" ,;:—–-")
    words = whole.rstrip(".。 ,;；，")
    if not _WORD.search(words):
        return ""
    if words.endswith(_CLOSED):
        return words
    if "\u4e00" <= words[-1] <= "\u9fff":
        return words + "。"
    if _OTHER_SCRIPT.match(words[-1]):
        return words + next((stop for stop in "。." if stop in whole[len(words) :]), "")
    return words + "."
