"""Dates in text, as far as stated, and whether two of them agree."""

from __future__ import annotations

import re
from typing import NamedTuple

from adjudge.judges.local.numerals import MONTH, MONTHS


class Date(NamedTuple):
    """Year, month and day as far as stated."""

    year: int | None
    month: int | None
    day: int | None
    text: str
    start: int
    end: int


_DATE = re.compile(
    rf"(?P<m1>{MONTH})\.?\s+(?P<d1>[0-3]?[0-9])(?:st|nd|rd|th)?(?:,?\s+(?P<y1>[12][0-9]{{3}}))?\b"
    rf"|\b(?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{MONTH})\b\.?(?:,?\s+(?P<y2>[12][0-9]{{3}})\b)?"
    rf"|(?P<m3>{MONTH})\.?,?\s+(?P<y3>[12][0-9]{{3}})\b"
    r"|\b(?P<y4>[12][0-9]{3})-(?P<m4>[01]?[0-9])-(?P<d4>[0-3]?[0-9])\b"
    r"|(?<![\w.])(?P<d6>[0-3]?[0-9])\.(?P<m6>[01]?[0-9])\.(?P<y6>[12][0-9]{3})\b"
    r"|(?P<y5>[12][0-9]{3})\s*年(?:\s*(?P<m5>[01]?[0-9])\s*月(?:\s*(?P<d5>[0-3]?[0-9])\s*[日号])?)?",
    re.IGNORECASE,
)


def find_dates(text: str) -> list[Date]:
    """Dates with more than a year, and Chinese years; other years are told from counts in `numbers`."""
    return [date for found in _DATE.finditer(text) if (date := _date(found)) is not None]


def _date(found: re.Match[str]) -> Date | None:
    parts = found.groupdict()
    kind = next(n for n in "123456" if parts.get(f"m{n}") or parts.get(f"y{n}"))
    year, month, day = (parts.get(f"{part}{kind}") for part in "ymd")
    number = None
    if month:
        number = int(month) if month.isdigit() else MONTHS[month.lower()[:3]]
    if kind == "1" and year is None and found["m1"].islower() and found["m1"] in ("may", "march"):
        return None
    return Date(int(year) if year else None, number, int(day) if day else None, found[0], *found.span())


def date_agrees(claimed: Date, evidence: Date) -> bool:
    """Whether every claimed part is stated, and equal."""
    return all(c is None or c == e for c, e in zip(claimed[:3], evidence[:3], strict=True))


def date_differs(claimed: Date, evidence: Date) -> bool:
    """Whether some part that both state is different."""
    return any(
        c is not None and e is not None and c != e for c, e in zip(claimed[:3], evidence[:3], strict=True)
    )
