"""The phrase before a sentence's subject: "In 1990,", "Born in Leeds,", "Although it rained,"."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.segment.claims.tokens import Token, has_verb
from adjudge.segment.claims.verbs import PRESENT
from adjudge.segment.claims.words import CONCESSIONS, CONDITIONS, MONTHS, SUBJECT_PRONOUNS, word_set

_LINKS = word_set(
    "however additionally moreover therefore thus finally overall furthermore meanwhile nevertheless"
    " also hence consequently ultimately notably besides similarly likewise then instead firstly"
    " secondly lastly yes no specifically importantly interestingly generally typically"
)
_LINKING = (
    "in addition",
    "in particular",
    "in fact",
    "in general",
    "in summary",
    "in conclusion",
    "in short",
    "in other words",
    "for example",
    "for instance",
    "as a result",
    "as such",
    "of course",
    "on the other hand",
    "at the same time",
    "on the contrary",
    "by contrast",
    "in contrast",
    "after all",
    "to summarize",
)
_SOURCE = word_set(
    "context contexts document documents information passage passages text sources results content"
)
_DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday today yesterday century")
_CASES = word_set(
    "case cases context contexts circumstance circumstances condition conditions event instance instances"
    " setting settings situation situations"
)
_CLAUSAL = word_set("after before since until as once")


def lead_of(tokens: Sequence[Token]) -> int:
    """How many tokens an opening phrase has, its comma included; 0 without one."""
    first = tokens[0]
    opens = first.tag in "RSATGP" or first.lower in ("based", "according", "due", "yes", "no", *CONCESSIONS)
    if first.lower in ("a", "an"):
        return _role(tokens)
    opens = opens or (first.lower in _LINKS and len(tokens) > 1 and tokens[1].text == ",")
    if not opens and not (first.tag == "#" and len(tokens) > 1 and tokens[1].text == ","):
        return 0
    clausal = _CLAUSAL | CONCESSIONS | {"based", "according"}
    verb_may_come = first.tag == "S" or first.lower in clausal
    for at, token in enumerate(tokens):
        if token.tag == "V" and not verb_may_come:
            return 0
        if token.text != "," or token.depth or at + 2 >= len(tokens):
            continue
        if _opens_clause(tokens, at + 1):
            # "Once paired, when you turn it on, …"
            chained = tokens[at + 1].tag in "SR" and not is_link(tokens, at + 1)
            return at + 1 + (lead_of(tokens[at + 1 :]) if chained else 0)
    return 0


def _role(tokens: Sequence[Token]) -> int:
    """The length of "A member of the council," before "she …", or 0."""
    for at, token in enumerate(tokens[:-2]):
        if token.tag in "VW":
            return 0
        if token.text == "," and not token.depth:
            if tokens[at + 1].lower in SUBJECT_PRONOUNS:
                return at + 1
            named = tokens[at + 1].tag == "M" and tokens[at - 1].tag in "MN"
            return at + 1 if named and has_verb(tokens[at + 2 : at + 5]) else 0
    return 0


def _opens_clause(tokens: Sequence[Token], start: int) -> bool:
    """Whether a subject and a verb, or an order, follow and not the next item of a list."""
    first = tokens[start]
    if first.lower == "such" and tokens[start + 1].lower == "as":
        return False  # "In towns, such as Lund, the fee is"
    if first.tag in "CRWS" or (first.tag == "#" and first.text.isdigit() and len(first.text) == 4):
        return first.tag in "SR" and lead_of(tokens[start:]) > 0
    if first.tag == "V":
        return start + 1 < len(tokens)
    for token in tokens[start:]:
        if token.tag == "V":
            return True
        if token.text == "," and not token.depth:
            # "In Paris, France, she": what stands between is short; an aside after a subject is not a name
            return first.tag in "DO" and has_verb(tokens[start:])
    return False


def is_link(tokens: Sequence[Token], lead: int) -> bool:
    """Whether an opening phrase only links ("However,") or names the source ("Based on the context,")."""
    words = [token.lower for token in tokens[: lead - 1]]
    said = " ".join(words).removeprefix("so ")
    if words[0] in ("based", "according"):
        return not _SOURCE.isdisjoint(words)
    return said.startswith(_LINKING) or (len(words) == 1 and (words[0] in _LINKS or tokens[0].tag == "A"))


def kind_of(tokens: Sequence[Token], lead: int) -> str:
    """`link`, `condition`, `clause` (although …), `done`, `doing`, `role` (as a …) or `phrase`."""
    first = tokens[0]
    if is_link(tokens, lead):
        return "link"
    if first.lower in CONDITIONS:
        return "condition"
    if first.lower in CONCESSIONS and has_verb(tokens[:lead]):
        return "clause"
    if first.tag == "P" and first.lower not in ("based", "compared", "given", "according"):
        return "done"
    if first.tag == "G":
        return "doing"
    if first.lower in ("a", "an"):
        return "role"
    told = has_verb(tokens[:lead]) or tokens[lead - 2].lower in PRESENT  # "As the name suggests,"
    if first.lower == "as" and tokens[1].lower in ("a", "an", "the") and not told:
        return "role"
    return "phrase"


def is_case(tokens: Sequence[Token], lead: int) -> bool:
    """Whether an opening phrase says when something is so, which is not told without: "In damp climates,"."""
    first = next((token for token in tokens[:lead] if token.tag != "A"), tokens[0])
    end = next(at for at in range(lead) if tokens[at].text == "," or at == lead - 1)
    return first.lower in ("in", "under") and tokens[end - 1].lower in _CASES


def is_date(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a phrase tells when: a year or a month stands in it and nothing else of weight."""
    own = tokens[start:end]
    return any(
        token.lower in MONTHS
        or token.lower in _DAYS
        or (token.text.isdigit() and len(token.text) == 4 and token.text[0] in "12")
        or (len(token.lower) == 5 and token.lower[:4].isdigit() and token.lower.endswith("s"))
        for token in own
    )
