"""A sentence's words put in the order in which clauses are looked for, each where it stood."""

from __future__ import annotations

import re

from adjudge.segment.claims.verbs import BASE_FORMS, DONE
from adjudge.segment.claims.words import ARTICLES, BE, HAVE

_NO_COMMA = re.compile(
    r"(?:In|On|By|After|During|At|Since|Until|Before|There|Later|Then|Here|Soon|Today)\b(?: [^,;:\s]+){0,6}? "
    r"(?=(?:he|she|they|it) [a-z]+)"
)
""" "In 1990 he moved": the blank where others put a comma."""
_NOT_ONLY = re.compile(
    r"Not only (?P<verb>did|does|do|can|could|will|would|has|have|had|is|are|was|were) "
    r"(?P<who>(?:he|she|it|they|we|you|this|that)\b"
    r"|(?:the|an?|his|her|its|their|our|this|that|these|those) (?:[\w-]+ )??[\w-]+"
    r"|[A-Z][\w-]+(?: [A-Z][\w-]+)*) (?=(?P<next>[a-z]+)\b)"
)


def in_order(sentence: str) -> str:
    """The sentence with commas where others put them and verbs behind subjects, of the same length."""
    # A comma inside closing quotes separates what stands outside.
    sentence = sentence.replace(',"', '",').replace(",”", "”,")
    if found := _NO_COMMA.match(sentence):
        sentence = f"{sentence[: found.end() - 1]},{sentence[found.end() :]}"
    return _not_only(sentence)


def _not_only(sentence: str) -> str:
    """ "Not only did the team win" as "The team did win", behind blanks, so that offsets stay."""
    found = _NOT_ONLY.match(sentence)
    if found is None:
        return sentence
    verb, after = found["verb"], found["next"]
    follows = after in BASE_FORMS
    if verb in HAVE:
        follows = after in DONE or after.endswith("ed")
    elif verb in BE:
        follows = after in DONE or after.endswith("ed") or after in ARTICLES
    said = f"{found['who'][:1].upper()}{found['who'][1:]} {verb} "
    return said.rjust(found.end()) + sentence[found.end() :] if follows else sentence
