"""Lists inside a phrase: "in Kent, Essex and Surrey" is three places, "a Swiss poet" two things said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from adjudge.segment.claims.series import is_value
from adjudge.segment.claims.tokens import Token, denial_at, words_of
from adjudge.segment.claims.words import MONTHS, is_double_name, word_set

Item = list[tuple[int, int]]
"""The ranges of tokens that make up an item of a list."""
_LONGEST_ITEM = 16
_HOUSES = word_set(
    "college school academy ministry department institute museum faculty bachelor master centre center"
    " journal society board office minister secretary committee bureau university"
)
_WHOLE = word_set("between combination relationship mix mixture blend difference differences both")
_BORN = re.compile(r".+-(?:born|American|Canadian|British|Australian)\Z")
_PEOPLES = word_set(
    "french dutch greek czech swiss thai welsh argentine icelandic filipino malay slovak croat serb"
    " afghan tamil soviet maori uzbek kazakh arab basque catalan sikh cypriot monegasque quebecois manx"
)
_PEOPLE_ENDINGS = (
    "an",
    "ese",
    "ish",
    "eli",
    "aqi",
    "ani",
    "adi",
    "bi",
    "ali",
    "eni",
    "ari",
    "ati",
    "udi",
    "shi",
)
_COMPASS = word_set("south north east west puerto sri costa saudi central")
_ADJECTIVE = re.compile(
    r".*(?:al|ive|ous|ic|ful|less|able|ible|ary|ing|ed|ern|ual)\Z|(?:big|small|old|new|young|high|low|long"
    r"|short|left|right|upper|lower|male|female|major|minor|early|late|hard|soft|dark|light|warm|cold|red|blue|green|black|white|dry|wet|deep|good|bad)\Z"
)
_NOT_ADJECTIVE = word_set(
    "music magic logic fabric hospital festival journal metal animal capital canal material critic"
    " academic comic epic topic traffic clinic republic musical personal individual official general"
    " admiral signal professional fishing farming painting writing singing acting dancing engineering"
    " nursing teaching training building drawing clothing housing manufacturing mining shipping"
    " publishing marketing seed primary library dictionary salary diary native relative detective"
    " executive representative olive acting political speed bed"
)
_LONGEST_NUMBER = 4


def is_people(token: Token) -> bool:
    """Whether a word names a nationality."""
    word = token.lower
    if not token.capital or token.depth:
        return False
    last = word.rpartition("-")[2]
    return last in _PEOPLES or last.endswith(_PEOPLE_ENDINGS) or bool(_BORN.match(token.text))


def people_at(tokens: Sequence[Token], at: int, end: int) -> int:
    """Where a nationality ends that begins at a token ("Swiss", "South Korean"); `at` if there is none."""
    if at + 1 < end and is_people(tokens[at]):
        return at + 1
    double = at + 2 < end and tokens[at].lower in _COMPASS
    if double and is_people(tokens[at + 1]):
        return at + 2
    return at


def is_adjective(word: str) -> bool:
    """Whether a word looks like an adjective by its ending."""
    return bool(_ADJECTIVE.match(word)) and word not in _NOT_ADJECTIVE


def items_in(
    tokens: Sequence[Token], start: int, end: int, *, roles: bool = False, open_ended: bool = False
) -> list[Item]:
    """The items of [start, end), each as the token ranges that make it up; one if there is no list.

    `roles`: what someone is said to be, where nouns without an article are further roles. `open_ended`:
    whether the list goes on behind, so that no `and` need be in it.
    """
    whole = [[(start, end)]]
    joins = [at for at in range(start + 1, end - 1) if _joins(tokens, at, start)] + [end] * open_ended
    if not joins or any(tokens[at].lower in _WHOLE for at in range(max(0, start - 2), min(end, start + 3))):
        if not (joins and tokens[start].lower == "both"):
            return whole
        start += 1
    commas = [at for at in range(start + 1, joins[-1]) if _parts(tokens, at, end)]
    edges = sorted({start - 1, end, *joins, *commas})
    found = [(a + 1, b) for a, b in pairwise(edges) if a + 1 < b]
    found = [(a + 2 * (tokens[a].lower == "well" and tokens[a - 1].lower == "as"), b) for a, b in found]
    if len(found) < 2 or not all(_is_item(tokens, a, b) for a, b in found) or not _alike(tokens, found):
        return whole
    if tokens[found[0][0]].tag != "A" and any(tokens[a].tag == "A" for a, _ in found):
        return whole
    if denial_at(tokens, start, end) is not None:
        return whole
    return _shared(tokens, found, roles)


def _joins(tokens: Sequence[Token], at: int, start: int) -> bool:
    token = tokens[at]
    if token.lower == "as" and [other.lower for other in tokens[at + 1 : at + 3]] == ["well", "as"]:
        return not token.depth and at + 3 < len(tokens)
    if token.depth or token.lower not in ("and", "or", "&"):
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    if token.text == "&" and before.capital and after.capital:
        return False
    beyond = tokens[at + 2] if after.lower == "the" and at + 2 < len(tokens) else after
    if is_double_name(before.lower, beyond.lower):
        return False
    if after.tag == "V" or (after.tag == "A" and tokens[at + 2 : at + 3] and tokens[at + 2].tag in "VEIPA"):
        return False
    if before.tag == "M" and after.tag == "M" and _in_house(tokens, at, start):
        return False
    numbers = before.tag == "#" and after.tag == "#"
    return not (numbers and len(before.text) != _LONGEST_NUMBER)


def _in_house(tokens: Sequence[Token], at: int, start: int) -> bool:
    """Whether `and` stands inside a name: "College of Arts and Sciences"."""
    index = at - 1
    while index >= start and (tokens[index].tag == "M" or tokens[index].lower in ("of", "for", "the", ",")):
        if tokens[index].lower in _HOUSES and tokens[index + 1].lower in ("of", "for"):
            return True
        index -= 1
    return False


def _parts(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether a comma parts items; not one in a date."""
    if tokens[at].text != "," or tokens[at].depth or at + 1 >= end:
        return False
    after, before = tokens[at + 1], tokens[at - 1]
    year = after.text.isdigit() and len(after.text) == _LONGEST_NUMBER
    dated = at >= 2 and (tokens[at - 2].lower in MONTHS or before.lower in MONTHS)
    return not (year and dated)


def _is_item(tokens: Sequence[Token], start: int, end: int) -> bool:
    own = tokens[start:end]
    return 0 < len(own) <= _LONGEST_ITEM and not any(token.tag in "VWST" for token in own)


def _alike(tokens: Sequence[Token], found: list[tuple[int, int]]) -> bool:
    """Whether items can be of one list. Not "12" and "students", a year and "$6 million", "$20" and "children
    $10", "Turin" and "a shop in Graz"; nor what something is compared with, which means another thing without
    `than`.
    """
    start, end = found[0]
    if any(tokens[at].lower == "than" and tokens[at + 1].tag != "#" for at in range(start, end)):
        return False
    second, stop = found[1]
    if len(found) == 2 and tokens[start].tag == "M" and tokens[second].text in ("a", "an"):
        return end + 1 < second and any(token.tag == "R" for token in tokens[second:stop])
    if not all(is_value(token) or token.text == "%" for token in tokens[start:end]):
        return True
    year = tokens[start].text.isdigit() and len(tokens[start].text) == _LONGEST_NUMBER
    for first, last in found[1:]:
        dated = tokens[first].tag == "R" or tokens[first].lower in MONTHS
        if (year and last - first > 1 and not dated) or not (dated or is_value(tokens[first])):
            return False
    return True


def _shared(tokens: Sequence[Token], found: list[tuple[int, int]], roles: bool) -> list[Item]:
    """Items; a head that stands only in the last ("small and large boats") goes to all."""
    last_start, last_end = found[-1]
    heads = [tokens[end - 1] for _, end in found[:-1]]
    short = all(end - start <= 2 for start, end in found[:-1])
    first_of_last = tokens[last_start]
    alike = all(
        (head.tag == "#" and first_of_last.tag == "#")
        or (head.tag in "NPG" and is_adjective(head.lower))
        or (is_people(head) and is_people(first_of_last))
        for head in heads
    )
    if short and alike and last_end - last_start >= 2 and first_of_last.tag not in "DRA":
        head = (last_start + 1, last_end)
        return [[item, head] for item in found[:-1]] + [[found[-1]]]
    begin, first_end = found[0]
    of = next((at for at in range(begin, first_end - 1) if tokens[at].lower == "of"), None)
    if of is None:
        return [[item] for item in found]
    # "a member of the Guild and the Club": what stands before `of` goes to those like what stands after it
    like = _class(tokens[of + 1])
    first = _class(tokens[begin])
    alike = like in "MN#" or (like == "the" and first in ("a", "an"))
    alike = alike and like != first and not (roles and like == "N")
    given = [alike and _class(tokens[start]) == like for start, _ in found[1:]]
    # "the collapse of Lark Bank, Dunn & Co. and several smaller lenders": the last goes with the second
    nested = [any(token.lower == "of" for token in tokens[start:end]) for start, end in found[1:]]
    given = [own or (any(given[:number]) and not nested[number]) for number, own in enumerate(given)]
    told = zip(found[1:], given, strict=True)
    return [[found[0]]] + [[(begin, of + 1), item] if own else [item] for item, own in told]


def _class(token: Token) -> str:
    return token.lower if token.lower in ("a", "an", "the") else token.tag


def joined(text: str, tokens: Sequence[Token], item: Item) -> str:
    """An item in words."""
    return " ".join(words_of(text, tokens, start, end) for start, end in item)
