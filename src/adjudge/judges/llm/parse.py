"""Answers that are not JSON: lists, triples, code blocks, verdicts in brackets, label words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

T = TypeVar("T")

_BULLET = re.compile(
    r"\s*(?:[-–•‣▪◦](?:\s+|(?=[^\W\d])|$)|\*(?:\s+|$)|\(?[0-9]{1,3}[.):](?:\s+|(?=[^\W\d])|$))"
)
_NONE = re.compile(
    r"\W*(?:none|n/?a|abstain|nothing"
    r"|(?:there (?:are|is) )?no (?:\w+ ){0,2}(?:claims?|facts?)(?: found)?)\W*\Z",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```(?:[\w+-]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_LABEL = re.compile(r"\b(?:(entail(?:ment|ed|s)?)|(neutral)|(contradict(?:ion|ed|s|ory)?))\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|no|non|never|neither|nor|cannot|without|fails? to|\w+n['’]t)\b[^.,;:!?]{0,60}\Z", re.IGNORECASE
)
_LEAD = re.compile(r"[\W\d_]*(?:\w+(?: \w+){0,2}\s*[:=][\W\d_]*)?")
"""What may stand before a verdict: the mark of a list, "Claim 1:", "My verdict:"."""
_SOURCES = re.compile(r"(?:\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\])+")
_PLACEHOLDER = ("subject", "predicate", "object")


def list_items(text: str) -> list[str] | None:
    """Items of a numbered or bulleted list; [] if the text says that there are none; None if it is no list.

    A mark counts only where a line begins, so that "1990 - 1995" stays whole. Lines without a mark continue
    the item before them, up to a blank line. Empty items are passed over.
    """
    items: list[str] = []
    open_item = found = False
    for line in text.splitlines():
        mark = _BULLET.match(line)
        if mark:
            found = open_item = True
            items.append(line[mark.end() :].strip())
        elif not line.strip():
            open_item = False
        elif open_item:
            items[-1] = f"{items[-1]} {line.strip()}".strip()
    if not found:
        return [] if _NONE.match(text) else None
    return [item for item in items if item and not _NONE.match(item)]


def cited_lines(text: str) -> list[str] | None:
    """Lines that end in the numbers of the sentences they rest on (`Ada sang. [1][2]`), without these.

    Under `###` headings the section on claims counts. None where no line is of this form; [] where the
    section says that there are none.
    """
    sections = [part.partition("\n") for part in re.split(r"^#{2,}\s*", text, flags=re.MULTILINE)]
    named = [body for title, _, body in sections if title.strip().lower().startswith(("claims", "facts"))]
    chosen = named[0] if named else text
    items = []
    for line in map(str.rstrip, chosen.splitlines()):
        marks = [found.end() for found in _SOURCES.finditer(line)]
        words = _SOURCES.sub("", line).strip()
        if words and marks and marks[-1] == len(line):
            items.append(words)
    return items or ([] if named and _NONE.match(chosen) else None)


def triples(text: str) -> list[tuple[str, str, str]]:
    """All `("a", "b", "c")` of the text, in any quotes, each once, in order.

    Where the text has `###` headings, what follows the first of them counts, if it holds any.
    """
    sections = text.split("###")
    chosen = [sections[1], sections[0]] if len(sections) > 1 else sections
    for section in chosen:
        found: dict[tuple[str, str, str], None] = {}
        place = 0
        while (place := section.find("(", place)) >= 0:
            parts, end = _tuple_at(section, place + 1)
            place = end if parts else place + 1
            if parts and len(parts) == 3 and all(part.strip() for part in parts):
                triple = (parts[0].strip(), parts[1].strip(), parts[2].strip())
                if tuple(part.lower() for part in triple) != _PLACEHOLDER:
                    found[triple] = None
        if found:
            return list(found)
    return []


def _tuple_at(text: str, at: int) -> tuple[list[str] | None, int]:
    """Quoted strings up to the closing parenthesis, and where it ends; None if it is no such thing."""
    parts: list[str] = []
    while True:
        at = _blanks(text, at)
        if at >= len(text) or text[at] not in "\"'":
            return None, at
        part, at = _quoted(text, at)
        if part is None:
            return None, at
        parts.append(part)
        at = _blanks(text, at)
        if text[at : at + 1] == ")":
            return parts, at + 1
        at += 1  # the comma, without which `_quoted` would not have ended


def _quoted(text: str, at: int) -> tuple[str | None, int]:
    """A string on one line. A quote ends it only before `, "` or `)`: unescaped ones inside belong to it."""
    quote, chars, at = text[at], [], at + 1
    while at < len(text) and text[at] != "\n":
        char = text[at]
        if char == "\\" and at + 1 < len(text) and text[at + 1] in "\\\"'":
            chars.append(text[at + 1])
            at += 2
            continue
        if char == quote:
            after = _blanks(text, at + 1)
            if text[after : after + 1] == ")":
                return "".join(chars), at + 1
            if text[after : after + 1] == "," and _begins_part(text, after + 1):
                return "".join(chars), at + 1
        chars.append(char)
        at += 1
    return None, at


def _begins_part(text: str, at: int) -> bool:
    at = _blanks(text, at)
    return text[at : at + 1] in ('"', "'") or bool(re.match(r"[-+\w.]+\s*[,)]", text[at:]))


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def code_block(text: str) -> str:
    """Content of the first code block that has any, without its language; empty if there is none."""
    for found in _FENCE.finditer(text):
        if content := found[1].strip():
            return content
    return ""


def verdict(text: str, table: Mapping[str, T]) -> T | None:
    """The last verdict in brackets that the table knows, or the only words of the answer.

    Keys of the table are in small letters with single blanks. The last, because a citation such as [1], or a
    verdict that is weighed, may stand before it.
    """
    for found in reversed(_BRACKET.findall(text)):
        if (known := table.get(_plain_words(found))) is not None:
            return known
    words = _plain_words(text)
    return table.get(words) if len(words) < 60 else None


def _plain_words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]|_", " ", text).lower().split())


class Labels(NamedTuple):
    """Label words found: `e`, `n`, `c`, and `-` for each that is missing."""

    cells: str
    note: str | None = None


def label_words(text: str, count: int) -> Labels:
    """The first `count` labels. Too few are missing, never taken for neutral; too many are cut, and told.

    Where as many lines have a label as are expected, each line's first counts, so that an explanation after
    it does no harm. A line that denies its first label, or weighs several before it comes to one, says none.
    """
    lines = [found for line in text.splitlines() if (found := _labels(line))]
    each_line = len(lines) == count
    cells = "".join(line[0] for line in lines) if each_line else "".join(found.lower() for found in lines)
    cells = re.sub("[A-Z]", "-", cells)
    if len(cells) > count:
        return Labels(cells[:count], f"{len(cells)} labels for {count} claims: the rest was cut")
    if len(cells) < count:
        return Labels(cells.ljust(count, "-"), f"{len(cells)} labels for {count} claims: the rest is missing")
    unclear = cells.count("-")
    return Labels(cells, f"{unclear} of {count} labels are denied or one of several" if unclear else None)


def _labels(line: str) -> str:
    """Labels of a line: `-` if the first is denied; capital if it is one of several that words lead up to."""
    found = [
        ("e" if label[1] else "n" if label[2] else "c", label.start()) for label in _LABEL.finditer(line)
    ]
    if not found:
        return ""
    if _DENIED.search(line[: found[0][1]]):
        return "-"
    said = "".join(cell for cell, start in found if not _DENIED.search(line[:start]))
    led_up_to = _LEAD.match(line)
    leads = led_up_to is not None and led_up_to.end() >= found[0][1]
    return said if leads or len(set(said)) == 1 else said.upper()
