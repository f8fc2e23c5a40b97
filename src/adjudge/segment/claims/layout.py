"""What the layout of a text says: lines that are statements of their own, and lists under what leads in.

"The members are:" and below it "- Peru" and "- Chile" say "The members are Peru" and "The members are Chile";
without the lead, an item says nothing that could be true or false.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.segment.claims.frames import unframed
from adjudge.segment.claims.leadins import label_under, order_under, says_of_label, told_under
from adjudge.segment.claims.statements import bare, is_heading, without_marks
from adjudge.segment.claims.tokens import has_verb, tokens_of
from adjudge.segment.claims.words import ARTICLES, COORDINATORS, PREPOSITIONS, is_double_name
from adjudge.types import Span

_LONGEST_LINE = 70
"""Characters: a text that is wrapped at a column has longer lines."""
_LONGEST_ITEM = 12
"""Words of what is listed in a line."""
_LONGEST_MEMBER = 5
"""Words of what is listed between commas."""
_MOST_LEAD = 30
_MARKED = re.compile(r"\s*(?:[-*+•‣◦▪–]|\(?(?:[0-9]{1,3}|[a-zA-Z])[.)])\s")
_CLOSED = (".", "!", "?", ";", "…")
_OPENS = re.compile(r"[\W_]*[A-Z0-9]")
_POINTS = re.compile(
    r"\A(?:Here(?: is|['’]s| are)|Below (?:is|are)|(?:The following|This|These) (?:is|are))"
    r" (?:(?:an?|the|my|your) (?:(?:short|brief|complete|full|quick) )?"
    r"(?:list|summary|overview|table) (?:of|with) )?",
    re.IGNORECASE,
)
"""Words of a lead that only point at the list."""
_SAYS_NOTHING = re.compile(
    r"(?:(?:the |my |final |short )*(?:answer|response|reply|explanation|conclusion|summary|note|question"
    r"|context|output|reference|source|step|instruction|example|reasoning|title|result)s?)\Z",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s+(?![^()]*\))")
_LAST = re.compile(r"(?:and|or|&)\s+")
_PAIR = re.compile(r"\s+(?:and|or|&)\s+(?:the\s+)?(?![^()]*\))")
_LABEL = re.compile(r"[A-Z0-9][^:,.]{0,40}: \S")


class Line(NamedTuple):
    """A sentence, or a line of one, and what leads in the list that it is an item of."""

    text: str
    start: int
    sentence: int
    lead: str = ""


def lines_of(text: str, spans: Sequence[Span]) -> list[Line]:
    """The sentences of a text, cut at line breaks that part statements; items have their lead."""
    lines = [
        Line(text[first:last], first, number)
        for number, (start, end) in enumerate(spans)
        for first, last in _broken(text, start, end)
    ]
    found: list[Line] = []
    at = 0
    while at < len(lines):
        found.append(lines[at])
        lead, at = _lead(lines[at].text), at + 1
        if not lead:
            continue
        end = at
        while end < len(lines) and _is_item(lines[end].text):
            end += 1
        items = lines[at:end]
        said = [without_marks(bare(item.text, 0)[0]) for item in items]
        names = [not has_verb(tokens_of(words)) for words in said]
        mostly = 2 * sum(names) > len(items)
        told = [says_of_label(words) for words in said]
        for item, name, words, stated in zip(items, names, said, told, strict=True):
            if label_under(lead, words):
                found.append(item._replace(text=item.text.partition(":")[0], lead=lead))
                found.append(item)
            else:
                led = (not stated and (name or mostly)) or order_under(lead, words)
                found.append(item._replace(lead=lead) if led else item)
        at = end
    return found


def items_under(lead: str, words: str) -> list[str]:
    """What a list's item says, once for each of its members: "A, B and C"."""
    return [said for member in members_of(words) or [words] for said in told_under(lead, member)]


def labelled_members(sentence: str) -> list[str]:
    """What "Colours: red, blue, green" says of each colour; nothing for anything else."""
    label, colon, rest = sentence.partition(": ")
    if not colon or has_verb(tokens_of(label)):
        return []
    return [f"{label}: {member}" for member in members_of(rest)]


def members_of(words: str) -> list[str]:
    """The members of an enumeration of three or more alike, without a verb; none if it is something else."""
    words = words.strip().rstrip(".")
    if words.count(",") < 2 or '"' in words:
        return []
    *members, last = (member.strip() for member in _COMMA.split(words))
    pair = _PAIR.split(last)
    if found := _LAST.match(last):
        members.append(last[found.end() :])
    elif len(pair) == 2 and not is_double_name(pair[0].split()[-1], pair[1].split()[0]):
        members += pair
    else:
        members.append(last)
    if len(members) < 3:
        return []
    kinds = {"#" if member[:1].isdigit() else "M" if member[:1].isupper() else "n" for member in members}
    short = all(0 < len(member.split()) <= _LONGEST_MEMBER for member in members)
    return members if short and len(kinds) == 1 and not has_verb(tokens_of(words)) else []


def _broken(text: str, start: int, end: int) -> list[Span]:
    """A sentence's lines, if each is short and opens like a statement; else the sentence, cut behind code."""
    if "\n" not in text[start:end]:
        return [(start, end)]
    if (behind := _behind_code(text, start, end)) is not None:
        return [(start, len(text[:behind].rstrip())), *_broken(text, behind, end)]
    found: list[Span] = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        words = line.strip()
        if words:
            first = at + line.index(words)
            found.append((first, first + len(words)))
        at += len(line)
    alike = all(_OPENS.match(text, first, last) for first, last in found)
    whole = all(_ends(text[first:last]) for first, last in found[:-1])
    labelled = all(_LABEL.match(text, first, last) for first, last in found)
    return found if labelled or (alike and whole) else [(start, end)]


def _behind_code(text: str, start: int, end: int) -> int | None:
    """Where a sentence goes on behind the fence that closes a piece of code, or None."""
    fences = text.count("```", 0, start)
    for found in re.finditer("```", text[start:end]):
        fences += 1
        rest = text[start + found.end() : end]
        if fences % 2 == 0 and rest.startswith("\n") and rest.strip():
            return start + found.end() + len(rest) - len(rest.lstrip())
    return None


def _ends(line: str) -> bool:
    """Whether a line does not go on in the next."""
    last = line.split()[-1].lower()
    return (
        len(line) <= _LONGEST_LINE
        and not line.endswith(",")
        and last not in ARTICLES
        and last not in PREPOSITIONS
        and last not in COORDINATORS
    )


def _lead(line: str) -> str:
    """What leads in a list, without what only points at it; "" if a line does not."""
    heading = is_heading(line)
    words = without_marks(bare(line, 0)[0]).strip(" #*_")
    if not (words.endswith((":", "：")) or heading):
        return ""
    words = _POINTS.sub("", unframed(" ".join(words.rstrip(":： ").split())), count=1)
    said = words[:1].upper() + words[1:]
    return said if 0 < len(said.split()) <= _MOST_LEAD and not _SAYS_NOTHING.match(said) else ""


def _is_item(line: str) -> bool:
    if _lead(line) or is_heading(line):
        return False
    short = len(line.split()) <= _LONGEST_ITEM and not line.rstrip("*_ ").endswith(_CLOSED)
    return bool(_MARKED.match(line)) or short or bool(members_of(line))
