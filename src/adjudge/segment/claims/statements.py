"""Which sentences state something about the world, and how a statement is put without its marks."""

from __future__ import annotations

import re

_LEADING_MARK = re.compile(r"(?:[-*+•‣◦▪–#>]+|\(?(?:[0-9]{1,3}|[a-zA-Z])[.)])\s+")
_CITATION = re.compile(r"\s*\[(?:[0-9]{1,3}(?:\s*[,–-]\s*[0-9]{1,3})*|citation needed)\]")
_UNSAID = re.compile(_CITATION.pattern + r"|\*\*|__")
_HEADING = re.compile(r"(?:#{1,6}\s[^\n]*|\*\*[^*\n]+\*\*:?|__[^_\n]+__:?)\s*\n\s*")
_ONLY_HEADING = re.compile(r"#{1,6}\s[^\n]*\Z|\*\*[^*\n]+\*\*:?\Z")
_NOTING = re.compile(
    r"(?:\w+, )?(?:it(?: is|['’]s) (?:also )?(?:important|worth|useful|interesting|essential|crucial)"
    r" (?:to (?:note|mention|remember|recognize|know|understand|keep in mind)|noting|mentioning)"
    r"|please note) that ",
    re.IGNORECASE,
)
_TO_THE_READER = (
    r"I(?:'m| am|’m) (?:sorry|not|afraid|unable|happy|glad)",
    r"I (?:cannot|can't|can’t|could not|couldn't|don't|don’t|do not|hope|would be|apologi[sz]e|have no)",
    r"I (?:was|am) (?:unable|not able)",
    r"As an AI|Let me know|Feel free|Thank you|If you (?:have|need|want)",
    r"Please (?:note|let|feel|contact|provide|see)",
    r"Sure[,!.]|Certainly[,!.]|Of course[,!.]|Here (?:is|are) ",
)
_NOTHING_KNOWN = (
    r"(?:Based on the (?:context|documents?|passages?|information)(?: provided)?, )"
    r"(?:I|there is (?:no|not))",
    r"(?:However, |Unfortunately, |But )?there (?:is|are) (?:no|not|little|limited|insufficient)"
    r" (?:\w+ ){0,3}(?:information|details|data|mention|records?)\b",
    r"(?:However, |Unfortunately, |But )?no (?:\w+ ){0,2}information\b",
    r"(?:However, |Unfortunately, |But )?(?:the |these |my |this )?(?:\w+ ){0,2}"
    r"(?:search results?|sources?|contexts?|documents?|passages?|texts?|information)"
    r" (?:provided |given |above )?(?:do|does|did) not",
    r"(?:However, )?there (?:are|is|may be|might be|could be|appear to be)"
    r" (?:other|several|multiple|many|different|more than one|two|at least \w+) (?:\w+ ){0,2}"
    r"(?:people|persons?|individuals) (?:named|with|called|by|who share)",
    r"(?:However, )?it is (?:unclear|not clear|not known|unknown)"
    r" (?:which|who|what|whether|if|when|where|how)",
)
_META = re.compile("|".join((*_TO_THE_READER, *_NOTHING_KNOWN)), re.IGNORECASE)
_TIGHT_COMMA = re.compile(r",(?=[^\W\d_])")
_WORD = re.compile(r"\w")
_CLOSED = ("!", "！", "?", "？", "…", "।", "॥", "؟", "۔", "።", "။", "។", "։", "｡", '."', ".”")
"""Stops of their own, after which none is put."""
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c80-\u2dff\u2e80-\ua71f\ua800-\uab2f\uab70-\ufaff\ufb07-\uffef]")
"""Neither Latin letters nor the signs of any script."""


def is_statement(sentence: str) -> bool:
    """Whether a sentence says something about the world: no question, no heading of a list, no courtesy."""
    if not _WORD.search(sentence):
        return False
    return not (sentence.rstrip("*_ ").endswith(("?", "？", "؟", ":", "：")) or _META.match(sentence))


def is_heading(sentence: str) -> bool:
    """Whether a line is marked as a heading and nothing else."""
    return bool(_ONLY_HEADING.match(sentence))


def bare(sentence: str, start: int) -> tuple[str, int]:
    """A sentence without the heading above it, its list mark, and "it is worth noting that"; its start."""
    for pattern in (_HEADING, _LEADING_MARK, _NOTING):
        found = pattern.match(sentence)
        if found and found.end() < len(sentence):
            sentence, start = sentence[found.end() :], start + found.end()
    return sentence, start


def without_marks(sentence: str) -> str:
    """A sentence with citations and emphasis signs blanked: offsets stay."""
    return _UNSAID.sub(lambda found: " " * len(found[0]), sentence)


def tidy(words: str) -> str:
    """A claim without citations, emphasis signs and punctuation around it, closed by a stop; "" if empty.

    In scripts other than Latin and Chinese it has the stop it came with, if any: each has its own.
    """
    words = _UNSAID.sub("", words)
    words = _TIGHT_COMMA.sub(", ", " ".join(words.split()).replace(" ,", ","))
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
