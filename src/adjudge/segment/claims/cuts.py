"""Where an English sentence can be cut into clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.segment.claims.appositions import follows_apposition, is_apposition
from adjudge.segment.claims.tokens import Token, denial_aside, denial_at, group_end, has_verb, verb_at
from adjudge.segment.claims.verbs import ING, PAST, PRESENT
from adjudge.segment.claims.words import BE, COORDINATORS, FORMS_OF_BE, MONTHS, SUBJECT_PRONOUNS, word_set

_QUANTITY = word_set("a an over about more approximately around nearly almost roughly some just at up")
_NUMBER = re.compile(
    r"[0-9]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million)\b"
)
_HAS_OF = re.compile(r"with an? [\w -]{1,40} of ")
_PARTS = word_set("all most some both many one two three several none few each half")
_BEFORE_ROLES = word_set("recording acting founding leading performing writing teaching voting training")
_ADJECTIVE_ENDINGS = ("al", "ive", "ous", "ic", "ful", "able", "ible", "less", "ary", "er", "est")
_LONGEST_ASIDE = 20
_LONGEST_SUBJECT = 9


class Cut(NamedTuple):
    """Where a new clause begins: the token at `at` is its first, `drop` tokens before it go."""

    at: int
    kind: str
    """`clause` (own subject), `verb` (same one), `said` (a further "that …"), relative, with, absolute
    ("with her leading"), further (a second verb of a relative), doing, done, apposition, resume.
    """
    drop: int


def find_cuts(tokens: Sequence[Token], begin: int = 0) -> list[Cut]:
    """Cuts after `begin`, in order."""
    cuts: list[Cut] = []
    clause = begin
    at = begin + 1
    while at < len(tokens):
        if denial_aside(tokens, at):
            at = next((i for i in range(at + 1, len(tokens)) if tokens[i].text == ","), len(tokens)) + 1
            continue
        found = _cuts_at(tokens, at, clause, cuts[-1].kind if cuts else "") if not tokens[at].depth else []
        if found:
            cuts += found
            clause = found[-1].at if found[-1].kind in ("clause", "verb") else clause
            at = max(at, found[-1].at, _pronoun_behind(tokens, found[-1].at) or 0)
        at += 1
    return cuts


def _cuts_at(tokens: Sequence[Token], at: int, clause: int, last: str) -> list[Cut]:
    token = tokens[at]
    if token.text in (";", "—", ":") and at + 1 < len(tokens):
        return [Cut(at + 1, "clause", 1)] if verb_at(tokens, at + 1, _stop(tokens, at + 1)) else []
    if token.text == ",":
        return _after_comma(tokens, at, clause)
    if token.lower in COORDINATORS and token.lower not in ("or", "nor"):
        if last == "doing" and at + 1 < len(tokens) and tokens[at + 1].tag == "G":
            return [Cut(at + 1, "doing", 2 if tokens[at - 1].text == "," else 1)]
        return _after_coordinator(tokens, at, clause, last)
    if token.lower in ("although", "though") and tokens[at - 1].text == "," and at + 1 < len(tokens):
        sure = verb_at(tokens, clause, at) is not None and _has_own_subject(tokens, at + 1, sure=True)
        return [Cut(at + 1, "clause", 2)] if sure else []
    if token.lower == "with" and _is_quantity(tokens, at, clause):
        return [Cut(at, "with", 0)]
    if token.lower in ("who", "that", "which", "whose", "known") and _tells_of_subject(tokens, at, clause):
        if token.lower != "known":
            return [Cut(at, "relative", 0)]
        return [Cut(at - (tokens[at - 1].tag == "A"), "done", 0)]
    return []


def _stop(tokens: Sequence[Token], at: int) -> int:
    """The next semicolon outside brackets, or the end."""
    while at < len(tokens) and (tokens[at].depth or tokens[at].text != ";"):
        at += 1
    return at


def _skip_adverbs(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) - 1 and tokens[at].tag == "A":
        at += 1
    return at


def _verb_before(tokens: Sequence[Token], clause: int, end: int) -> int | None:
    """The verb of a clause; one that shares `can` with the clause before begins with it."""
    first = _skip_adverbs(tokens, clause)
    return first if tokens[first].tag == "I" else verb_at(tokens, clause, end)


def _after_comma(tokens: Sequence[Token], comma: int, clause: int) -> list[Cut]:
    at = comma + 1
    if at + 1 >= len(tokens):
        return []
    before = _verb_before(tokens, clause, comma)
    if before is not None and _lists_sayings(tokens, at):
        return _further_that(tokens, at, clause, 1)
    close = _close(tokens, at)
    kind = _kind_after_comma(tokens, at, before, close)
    if kind is None:
        return []
    found = [Cut(at, kind, 1)]
    if kind == "done":
        found += _further_done(tokens, at, close)
    if before is None and close + 1 < len(tokens):
        found.append(Cut(close + 1, "resume", 1))
    return found


def _further_done(tokens: Sequence[Token], at: int, close: int) -> list[Cut]:
    """The second participle of an aside: ", built in 1340 and later used as a prison,", "and housing …"."""
    for index in range(at + 1, close - 1):
        if tokens[index].lower == "and" and not tokens[index].depth:
            verb = _skip_adverbs(tokens, index + 1)
            if verb < close and tokens[verb].tag == "G":
                return [Cut(index + 1, "doing", 1)]
            if verb < close and tokens[verb].tag in "PV" and tokens[verb].lower.endswith(("ed", "n", "t")):
                return [Cut(index + 1, "done", 1)]
    return []


def _kind_after_comma(tokens: Sequence[Token], at: int, before: int | None, close: int) -> str | None:
    first = tokens[at]
    next_word = _skip_adverbs(tokens, at)
    if first.tag == "W" and has_verb(tokens[at:close]):
        told = tokens[_skip_adverbs(tokens, at + 1)].tag in "VR" or object_told(tokens, at, close) is not None
        own = first.lower != "which" or told
        return "relative" if own else None
    if _pronoun_behind(tokens, at) is not None and has_verb(tokens[at:close]):
        return "relative"
    if first.lower == "with" and before is not None and _doing_behind(tokens, at) is not None:
        return "absolute"
    if first.tag == "G":
        return "doing" if before is not None and not _is_listed(tokens, before, at) else None
    if before is not None and tokens[next_word].tag == "I" and _has_modal(tokens, before):
        return "verb"
    if tokens[next_word].tag == "P":
        described = next_word > at and next_word + 1 < len(tokens) and tokens[next_word + 1].tag == "N"
        if described and first.lower.endswith("ly"):
            return None  # "acne, sexually transmitted diseases"
        return "done" if next_word + 1 < len(tokens) and tokens[next_word + 1].tag in "RTDNM#CSW" else None
    if before is not None and tokens[next_word].tag == "V":
        return None if first.lower in ("said", "says") else "verb"
    if before is not None and _has_own_subject(tokens, at, sure=False) and not _in_saying(tokens, before, at):
        return "clause"
    return "apposition" if is_apposition(tokens, at, before, close) else None


def object_told(tokens: Sequence[Token], at: int, end: int) -> int | None:
    """Where the object belongs that `which` at `at` stands for: "which Ada [it] built in 1850", "which they
    said [it] was costly"; None if it is none.
    """
    verb = verb_at(tokens, at, end)
    if verb is None or not _has_own_subject(tokens, at + 1, sure=False):
        return None
    if tokens[verb - 1].tag == "P" and tokens[verb].lower in FORMS_OF_BE:
        return verb
    behind = group_end(tokens[:end], verb)
    if behind < end and tokens[behind].tag == "R" and (behind + 1 == end or tokens[behind + 1].text in ".,"):
        return behind + 1  # "which she starred in"
    return behind if behind >= end or tokens[behind].tag in "R,AS" else None


def _doing_behind(tokens: Sequence[Token], at: int) -> int | None:
    """Where the -ing form is whose subject follows `with`: "with Holm scoring twice"."""
    end = at + 1
    while end < len(tokens) and tokens[end].tag in "DNM#'" and not tokens[end].depth:
        end += 1
    named, end = end, _skip_adverbs(tokens, min(end, len(tokens) - 1))
    found = at + 1 < named and end < len(tokens) - 1 and tokens[end].tag == "G"
    doing = found and tokens[end].lower in ING
    return end if doing and not _describes(tokens[at + 1 : named], tokens[end + 1]) else None


def _describes(before: Sequence[Token], after: Token) -> bool:
    """Whether an -ing form says what a noun is like, as in "with careful cooling methods": no noun that
    could do it stands before.
    """
    last = before[-1]
    described = last.tag == "N" and last.lower.endswith(_ADJECTIVE_ENDINGS)
    bare = len(before) == 1 and last.tag == "N" and not last.lower.endswith("s")
    return after.tag == "N" and (described or bare)


def _is_listed(tokens: Sequence[Token], before: int, at: int) -> bool:
    """Whether an -ing form after a comma belongs to a list: "is a singer, recording artist and dancer"."""
    after = tokens[at + 1].tag
    role = tokens[before].lower in BE and tokens[at].lower in _BEFORE_ROLES and after == "N"
    more = any(token.tag == "C" for token in tokens[at:])
    noun = after == "C" and tokens[min(at + 2, len(tokens) - 1)].tag != "G"
    return (role and more) or noun or _lists_doings(tokens, at) or _lists_nouns(tokens, before, at)


def _lists_nouns(tokens: Sequence[Token], before: int, at: int) -> bool:
    """Whether an -ing form between commas is the first word of an item: "covers soil, drying racks, and
    pests".
    """
    end = at + 1
    while end < len(tokens) and tokens[end].tag in "NM":
        end += 1
    if end - at < 2 or end + 2 >= len(tokens) or tokens[end].text != ",":
        return False
    rest = tokens[end + 1 :]
    listed = rest[0].tag == "C" and rest[1].tag in "NMG" and not has_verb(rest)
    return listed and not any(token.tag == "G" for token in tokens[before:at])


def _lists_doings(tokens: Sequence[Token], at: int) -> bool:
    """Whether an -ing form after a comma goes on with a list: "by asking A, losing B and finding C"."""
    if not any(token.tag == "C" for token in tokens[at:]):
        return False
    for index in range(at - 1, 0, -1):
        if tokens[index].lower in ("such", "including", "include", "includes", "included"):
            return True
        if tokens[index].tag == "G" and tokens[index - 1].tag in "RV":
            return True
    return False


def _in_saying(tokens: Sequence[Token], before: int, at: int) -> bool:
    """Whether `that` stands before the comma and its own verb is still to come."""
    said = [index for index in range(before, at) if tokens[index].tag == "S"]
    return bool(said) and verb_at(tokens, said[-1], at) is None


def is_passive(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a verb is a form of be with a participle: "was built", "can be seen"."""
    group = tokens[verb : group_end(tokens, verb)]
    return len(group) > 1 and group[-1].tag == "E" and any(token.lower in FORMS_OF_BE for token in group)


def _has_modal(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a second verb may share `will` with this one. It might not share `will not`: "Do not use it in
    the rain and keep it dry".
    """
    end = group_end(tokens, verb)
    return any(token.tag == "I" for token in tokens[verb:end]) and denial_at(tokens, verb, end) is None


def _pronoun_behind(tokens: Sequence[Token], at: int) -> int | None:
    """Where the relative is that stands behind other words: "most of whom", "all of which", "with whom"."""
    pronoun = None
    if tokens[at].tag == "R" and tokens[at].lower != "of":
        pronoun = at + 1
    elif (tokens[at].lower in _PARTS or tokens[at].tag == "#") and at + 1 < len(tokens):
        pronoun = at + 2 if tokens[at + 1].lower == "of" else None
    known = (
        pronoun is not None and pronoun < len(tokens) and tokens[pronoun].lower in ("whom", "which", "whose")
    )
    return pronoun if known else None


def _close(tokens: Sequence[Token], at: int) -> int:
    """The comma that ends an aside, or the end of the sentence."""
    for index in range(at, min(len(tokens), at + _LONGEST_ASIDE)):
        token = tokens[index]
        if token.text == "," and not token.depth and index + 1 < len(tokens):
            after = _skip_adverbs(tokens, index + 1)
            if tokens[after].tag == "V":
                return index
    return len(tokens)


def _after_coordinator(tokens: Sequence[Token], at: int, clause: int, last: str) -> list[Cut]:
    drop = 2 if tokens[at - 1].text == "," else 1
    start = at + 1
    before = _verb_before(tokens, clause, at)
    if start >= len(tokens) or before is None:
        return []
    if tokens[start].lower == "that":
        return _further_that(tokens, start, clause, drop)
    verb = _skip_adverbs(tokens, start)
    if drop == 1 and last != "relative" and relative_of(tokens, before, verb) is not None:
        return [Cut(start, "further", drop)]
    if tokens[verb].tag == "V":
        said = any(token.tag == "S" and token.lower == "that" for token in tokens[clause + 1 : at])
        return [] if said else [Cut(start, "verb", drop)]
    if tokens[verb].tag == "I" and _has_modal(tokens, before):
        return [Cut(start, "verb", drop)]
    if tokens[verb].tag == "P" and is_passive(tokens, before):
        return [Cut(start, "verb", drop)]
    if tokens[start].lower in SUBJECT_PRONOUNS or tokens[start].lower == "there":
        return [Cut(start, "clause", drop)]
    if _has_own_subject(tokens, start, tokens[at - 1].text == "," or tokens[at].lower != "and"):
        return [Cut(start, "clause", drop)]
    return []


def _further_that(tokens: Sequence[Token], at: int, clause: int, drop: int) -> list[Cut]:
    """A further "that …" at `at`. Where none stands before, words such as "It is said that" were taken off,
    and `that` goes too.
    """
    if any(token.tag == "S" and token.lower == "that" for token in tokens[clause + 1 : at - drop]):
        return [Cut(at, "said", drop)] if has_verb(tokens[at:]) else []
    named = at + 1 < len(tokens) and tokens[at + 1].tag in "DOM"
    return [Cut(at + 1, "clause", drop + 1)] if named and _has_own_subject(tokens, at + 1, sure=False) else []


def _lists_sayings(tokens: Sequence[Token], at: int) -> bool:
    """Whether `that` behind a comma goes on to a last one: "that A, that B, and that C"."""
    pairs = zip(tokens[at + 1 :], tokens[at + 2 :], strict=False)
    last = any(one.lower == "and" and other.lower == "that" for one, other in pairs)
    return tokens[at].lower == "that" and last


def relative_of(tokens: Sequence[Token], main: int, verb: int) -> int | None:
    """Where the relative stands that a verb behind `and` may be said of: "tells of a man who finds a map and
    sails"; None if it is rather said of what the verb at `main` is.
    """
    who = next((i for i in range(verb - 1, main, -1) if tokens[i].lower in ("who", "that", "which")), None)
    if who is None or tokens[who].tag != "W" or tokens[who - 1].tag not in "NM#":
        return None
    own = verb_at(tokens, who, verb - 1) if tokens[verb].tag == "V" else None
    both = {tokens[own].lower, tokens[verb].lower} if own else {""}
    return who if both <= set(PAST) or both <= set(PRESENT) else None


def _has_own_subject(tokens: Sequence[Token], start: int, sure: bool) -> bool:
    """Whether a noun phrase and then a finite verb follow."""
    first = tokens[start]
    if not (first.tag in "MDO" or sure) or first.tag == "S" or first.lower in ("how", "what", "why"):
        return False
    for at in range(start + 1, min(len(tokens), start + _LONGEST_SUBJECT)):
        token = tokens[at]
        if token.text in ",;:" or token.tag in "WCTS":
            return False
        if token.tag == "V":
            return True
    return False


def _tells_of_subject(tokens: Sequence[Token], at: int, clause: int) -> bool:
    """Whether "who …" or "known for …" follows "X is a …" directly and so speaks of X."""
    verb = verb_at(tokens, clause, at)
    if verb is None or tokens[verb].lower not in BE or at - verb < 2 or at + 2 >= len(tokens):
        return False
    if has_verb(tokens[verb + 1 : at]) or follows_apposition(tokens, verb, at):
        return False
    if tokens[at].lower == "known":
        return tokens[at].tag == "P" and tokens[at - 1].text != "," and tokens[at + 1].lower in ("for", "as")
    told = tokens[verb + 1].lower in ("a", "an") and (
        tokens[at].lower == "whose" or tokens[_skip_adverbs(tokens, at + 1)].tag == "V"
    )
    near = all(token.tag not in "RGPT" or token.lower == "of" for token in tokens[verb + 1 : at])
    return told and (near or tokens[at].lower in ("who", "whose")) and tokens[at].tag == "W"


def _is_quantity(tokens: Sequence[Token], at: int, clause: int) -> bool:
    """Whether "with" gives a number ("with a population of 2M") to a clause that has its verb."""
    if at + 2 >= len(tokens) or verb_at(tokens, clause, at) is None:
        return False
    order = tokens[clause].tag == "V" or any(token.tag == "I" for token in tokens[clause:at])
    if order or any(token.lower == "only" for token in tokens[clause:at]):
        return False
    first = tokens[at + 1]
    if not (first.lower in _QUANTITY or first.text[0].isdigit()):
        return False
    words = " ".join(token.lower for token in tokens[at : at + 12])
    month = tokens[at + 1].lower in MONTHS
    return not month and bool(_NUMBER.search(words) or _HAS_OF.match(words))
