"""How answers mark what they rest on: "[1]", "[Doc 2]", "【1†source】", "(Smith, 2020)", a footnote."""

from __future__ import annotations

from adjudge.segment.claims.words import MONTHS

_NUMBERS = r"[0-9]{1,3}(?:\s*(?:[,;–-]|and)\s*[0-9]{1,3})*"
_DOCUMENT = r"(?:doc(?:ument)?s?|sources?|passages?|contexts?|ref(?:erence)?s?|citations?|chunks?|excerpts?)"
_NUMBERED = rf"{_DOCUMENT}[\s_.:#-]{{0,2}}{_NUMBERS}(?:\s*[,;]\s*{_DOCUMENT}[\s_.:#-]{{0,2}}{_NUMBERS})*"
_ADDRESS = r"\((?:https?://|www\.)[^\s()]+\)"
_NAME = rf"(?!(?i:{'|'.join(sorted(MONTHS))})\b)[A-Z][\w'’-]+"
_AUTHORS = rf"(?:{_NAME},|{_NAME} (?:et al\.?|(?:and|&) {_NAME}),?) [12][0-9]{{3}}[a-z]?"
_FOOTNOTE = r"(?:\A|\s|(?<=[^\W\d_]{4})|(?<=[.,;:!?)”\"])|(?<=\b[12][0-9]{3}))"
"""Where a small number is a footnote's and no power: not in "m²" or "10⁶"."""

CITATION = (
    rf"\s*\[(?:\^?{_NUMBERS}|(?i:citation needed|{_NUMBERED}|(?:source|reference)s?:[^\]\n]{{1,120}}))\]"
    rf"(?:{_ADDRESS})?"
    rf"|\s*{_ADDRESS}|\s*\((?i:{_NUMBERED})\)"
    rf"|\s*\((?:see )?{_AUTHORS}(?:; {_AUTHORS})*\)(?=\s*(?:[.,;!?\[]|\Z))"
    r"|\s*【[0-9:,\s]{1,12}(?:†[^】\n]{0,60})?】"
    rf"|{_FOOTNOTE}\s*(?:<sup>[\s\[]*{_NUMBERS}[\s\]]*</sup>|[¹²³⁰⁴-⁹]+)(?!\w)"
)
"""As a regular expression, with the blanks before it."""
