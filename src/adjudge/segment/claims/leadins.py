"""How an item of a list is told with the words that lead the list in."""

from __future__ import annotations

import re

from adjudge.segment.claims.tokens import has_verb, tokens_of
from adjudge.segment.claims.verbs import BASE_FORMS, DONE, ING, PRESENT
from adjudge.segment.claims.words import (
    ADVERBS,
    DETERMINERS,
    MONTHS,
    NUMERALS,
    POSSESSIVES,
    PREPOSITIONS,
    word_set,
)

_JOINS = re.compile(
    r"\b(?:is|are|was|were|be|includes?|included|including|contains?|such as|like|as)\W*\Z", re.IGNORECASE
)
"""Behind which an item goes on with the sentence."""
_TO_DO = re.compile(
    r"\b(?:try|do|take|follow|use|perform|complete|consider) "
    r"(?:(?:all |any |some |one )?(?:of )?(?:the following|these|those)(?: [\w-]+){0,2}?"
    r" (?:steps?|things?|tips?|actions?|instructions?|methods?|options?|guidelines?|measures?|precautions?"
    r"|suggestions?|solutions?|ways?|approaches|procedures?)|the following|this|as follows)\Z",
    re.IGNORECASE,
)
"""Words that stand for what the items tell to do: "try the following", "follow these steps"."""
_ORDERS = BASE_FORMS | word_set("be do have don't never always please")
_SMALL = DETERMINERS | PREPOSITIONS | POSSESSIVES | ADVERBS | NUMERALS | word_set("to not more less better")
_COMMON = ("tion", "tions", "ness", "ment", "ments", "ful", "able", "ible", "less", "ings")
"""Ends of words that are seldom names."""
_FIRST = re.compile(r"[A-Z][a-z'’]*(?![\w.])")
_NAMED = re.compile(r"[ –-]?[A-Z](?![A-Z])|['’]")
"""What goes on with a name; not "Using LED bulbs"."""
_LABELLED = re.compile(r"(?P<label>[^:.;]{2,60}): +(?P<said>\S.*)", re.DOTALL)
_MORE = re.compile(r"[:;?!]|\.\s")
"""What more than one order has."""
_LONGEST_ORDER = 16


def order_under(lead: str, item: str) -> str:
    """What a lead and its item tell to do: "follow these steps" and "Wipe the glass"; "" if they do not."""
    if not _TO_DO.search(lead):
        return ""
    item = " ".join(item.replace("**", "").split()).rstrip(".")
    found = _LABELLED.fullmatch(item)
    if found and not has_verb(tokens_of(found["label"])):
        item = found["said"]
    words = item.split()
    told = words[:1] != [] and words[0].lower() in _ORDERS and len(words) <= _LONGEST_ORDER
    if not told or _MORE.search(item):
        return ""
    head = _TO_DO.sub("", lead)
    return f"{head}{_inside(item)}" if head else item


def label_under(lead: str, item: str) -> str:
    """What an item lists that a statement follows: "Fever: It passes within a day"; "" if it lists nothing,
    or the statement names it again.
    """
    found = _LABELLED.fullmatch(item.replace("**", "")) if _JOINS.search(lead) else None
    if found is None or has_verb(tokens_of(found["label"])) or not has_verb(tokens_of(found["said"])):
        return ""
    label, said = found["label"].strip(), found["said"].lower()
    again = any(len(word) > 3 and word.lower().rstrip("s") in said for word in label.split())
    return "" if again or label[-1:].isdigit() else label  # no "Passage 2: …" or "Step 3: …"


def says_of_label(item: str) -> bool:
    """Whether an item has a label and behind it a statement or an order: "Warm water: Use it in winter"."""
    found = _LABELLED.fullmatch(item.replace("**", "").strip())
    return found is not None and len(found["said"].split()) > 2 and has_verb(tokens_of(found["said"]))


def told_under(lead: str, item: str) -> list[str]:
    """What an item says under its lead."""
    if order := order_under(lead, item):
        return [order]
    if not _JOINS.search(lead):
        return [f"{lead}: {item}"]
    bold = item.lstrip().startswith("**")
    item = item.replace("**", "").strip()
    found = _LABELLED.fullmatch(item)
    if found and (bold or found["said"][0].islower()):
        # "include Nausea: feeling sick" lists nausea, and says what it is.
        said = found["said"] if has_verb(tokens_of(found["said"])) else item
        return [f"{lead} {_inside(found['label'])}", said]
    return [f"{lead} {_inside(item)}"]


def _inside(item: str) -> str:
    """An item as it stands inside a sentence: its first letter small, unless it may begin a name."""
    found = _FIRST.match(item)
    if found is None:
        return item
    word, rest = found[0], item[found.end() :]
    lower = word.lower()
    done = lower in DONE and lower.endswith("ed")
    alone = not rest.strip(" .")
    known = lower in ING or (
        not alone and (done or lower in BASE_FORMS or lower in PRESENT or lower in _SMALL)
    )
    doing = lower.endswith("ing") and len(lower) > 5 and rest[:2].lstrip()[:1].islower()
    named = bool(_NAMED.match(rest))
    common = known or doing or (len(lower) > 7 and lower.endswith(_COMMON))
    return lower + rest if common and not named and lower not in MONTHS else item
