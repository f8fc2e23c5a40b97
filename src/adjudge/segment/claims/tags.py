"""What part each word of an English sentence plays, from word lists, endings and neighbours.

A tag is a letter: V finite verb, E participle after be or have, I infinitive, G -ing form, P past participle
that leans on a noun, T `to` before a verb, D article or possessive, R preposition, O pronoun, W relative,
S subordinator, C coordinator, A adverb, # number, M name, N any other word, `'` possessive mark, `,` other
signs.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from adjudge.segment.claims.verbs import (
    ACTIVE,
    BASE_FORMS,
    DONE,
    ING,
    NOUNISH,
    ONLY_DONE,
    ONLY_PAST,
    PAST,
    PRESENT,
)
from adjudge.segment.claims.words import (
    ADVERBS,
    AUXILIARIES,
    CLITICS,
    COORDINATORS,
    DETERMINERS,
    FORMS_OF_BE,
    HAVE,
    MODALS,
    NOT_ADVERBS,
    NUMERALS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    SUBORDINATORS,
    word_set,
)

_NOT_PAST = word_set(
    "hundred red bed need seed speed indeed united sacred naked aged gifted talented beloved renowned"
    " wicked breed feed deed weed shed kindred hatred infrared embed exceed proceed succeed wed biped"
)
_NOT_ING = word_set(
    "during king ring thing something nothing anything everything morning evening spring string wing"
    " sing bring swing ceiling wedding sibling darling outstanding interesting according including"
    " following regarding concerning viking sterling being"
)
_LISTING = word_set("such including include includes included like")
_NAMING = word_set("named called titled entitled dubbed nicknamed")
_NEVER_PASSIVE = word_set("died arrived occurred happened existed appeared disappeared emerged")
_NOUNS_BEHIND_THE = word_set("following opposite inside outside past above below")
_AFTER = {"so": PRONOUNS | {"that", "the"}, "up": frozenset({"to"})}
_OWNING = word_set("the a an your his her its their my our them it him us")
_NOUNS_IN_ING = word_set(
    "setting building meeting opening ending recording rating ranking painting writing hearing feeling"
    " funding heading landing listing loading lighting packaging parking planning processing programming"
    " reading screening training understanding upbringing beginning drawing engineering marketing"
    " manufacturing farming housing clothing fishing"
)
_HOSTS = PRONOUNS | word_set("who that which here this what")
_BEFORE_NOUN = frozenset("DR#'")
_EDGE = frozenset(",CSW")
_OFTEN = word_set("now usually often also still typically sometimes generally always then later")
_SAYING = word_set("said claimed believed thought argued announced")
_MEASURED = word_set("tall long wide deep high old thick")
_SINGULAR = word_set("he she it this that who which")
_PLURAL = word_set("they we you i these those who that which people")


def tags_of(texts: Sequence[str], lowers: Sequence[str], depths: Sequence[int]) -> list[str]:
    """A tag for every token; what stands in brackets or quotes is opaque."""
    tags: list[str] = []
    doubtful: list[int] = []
    last = len(lowers) - 1
    for at, word in enumerate(lowers):
        after = lowers[at + 1] if at < last else ""
        tag = _closed(texts[at], word, after, at, tags, lowers, depths[at])
        if tag is None:
            tag = _open(texts[at], word, after, at, tags, lowers)
            if tag in "pq":
                doubtful.append(at)
        tags.append(tag)
    if doubtful:
        _settle(tags, doubtful, lowers)
    return tags


def _closed(
    text: str, word: str, after: str, at: int, tags: list[str], lowers: Sequence[str], depth: int
) -> str | None:
    """Tag of a word that belongs to a list, or None."""
    first = word[0]
    if word in CLITICS:
        hosted = at > 0 and lowers[at - 1] in _HOSTS and not depth
        return "V" if hosted else "'"
    if first in "\\$" and len(text) > 1:
        return "N"  # a formula
    if not first.isalnum():
        return ","
    if depth:
        return "#" if first.isdigit() else "M" if text[0].isupper() else "N"
    if first.isdigit() or word in NUMERALS:
        return "#"
    if at and text[0].isupper():
        told = after in DETERMINERS or after in PRONOUNS or after == "half"
        return "V" if lowers[at - 1] == ":" and word in BASE_FORMS and told else "M"  # "Oil: Add a drop"
    if word == "having":
        return "G"
    if word in _NOUNS_BEHIND_THE and at and tags[-1] == "D":
        return "N"
    if word == "first" and at and tags[-1] in "D'" and after not in ("of", ""):
        return "N"
    if text == "May" and after[:1].isdigit():
        return "M"
    if word in AUXILIARIES:
        if at and tags[-1] in "D'" and word in ("can", "will", "might", "must", "do"):
            return "N"
        infinitive = word == "have" and at > 0 and (tags[-1] == "T" or lowers[at - 1] in MODALS)
        return "I" if infinitive else "V"
    if word == "that":
        return _that(at, tags, after)
    if word in ("while", "whereas") and (after.endswith(("ing", "ed")) or after in ONLY_DONE):
        return "S"
    if word in ("best", "better") and after in DONE:
        return "A"
    if word == "once" and at and (lowers[at - 1] in AUXILIARIES or after in PAST or after in DONE):
        return "A"
    if at and word in ("so", "up") and after in _AFTER[word]:
        return "S" if word == "so" else "R"
    if word in ("provided", "providing") and after == "that" and at and tags[-1] == ",":
        return "S"
    if word == "to":
        unlisted = after.isalpha() and at + 2 < len(lowers) and lowers[at + 2] in _OWNING
        verb = unlisted and after not in DETERMINERS and after not in PREPOSITIONS
        return "T" if after in BASE_FORMS or after in ("be", "have", "do") or verb else "R"
    for names, tag in _CLOSED:
        if word in names:
            return tag
    if word.endswith("ly") and len(word) > 4 and not (word in NOT_ADVERBS or word.endswith("fly")):
        return "A"
    return None


_CLOSED = (
    (DETERMINERS, "D"),
    (RELATIVES, "W"),
    (COORDINATORS, "C"),
    (SUBORDINATORS, "S"),
    (PREPOSITIONS, "R"),
    (PRONOUNS, "O"),
    (ADVERBS, "A"),
)


def _that(at: int, tags: list[str], after: str) -> str:
    if not at or tags[-1] in "R,C":
        return "D"
    return "W" if tags[-1] in "NM#" and after not in DETERMINERS else "S"


def _open(text: str, word: str, after: str, at: int, tags: list[str], lowers: Sequence[str]) -> str:
    """Tag of any other word; `p` and `q` are a past form and a plural or base form that may be the verb."""
    before, helper = _before(at, tags, lowers)
    if word in ("be", "been", "being"):
        return "I" if word == "be" else "E" if helper in HAVE or helper in FORMS_OF_BE else "G"
    if helper in MODALS or before == "T":
        return "I" if word in BASE_FORMS else _name(text, at)
    if word.endswith("ing") and len(word) > 4 and word not in _NOT_ING:
        if helper in FORMS_OF_BE and word in ING:
            return "E"
        if word in _NOUNS_IN_ING and before in "NMRD'" and after not in DETERMINERS:
            return "N"
        return "N" if before in "D'" or (word not in ING and before in "R#") else "G"
    past = word in PAST or word in DONE or (word.endswith("ed") and len(word) > 4)
    if past and word not in _NOT_PAST and not (word in BASE_FORMS and word in NOUNISH and before != "O"):
        joined = at > 1 and before == "C" and tags[at - 2] == "P"
        adverb = at > 1 and tags[-1] == "A"
        return _past_form(word, after, at, before, helper, joined=joined, adverb=adverb)
    if word in PRESENT:
        return _present_form(word, after, at, tags, lowers)
    if word in BASE_FORMS:
        return _base_form(word, after, at, tags, lowers)
    return _name(text, at)


def _name(text: str, at: int) -> str:
    return "M" if text[0].isupper() and (at or not text.isascii()) else "N"


def _before(at: int, tags: list[str], lowers: Sequence[str]) -> tuple[str, str]:
    """Tag and word of what stands before, adverbs aside."""
    index = at - 1
    while index >= 0 and tags[index] == "A":
        index -= 1
    return (tags[index], lowers[index]) if index >= 0 else (",", "")


def _is_noun(word: str) -> bool:
    """Whether a word stands on no list of small words."""
    return word.isalpha() and not any(word in names for names, _ in _CLOSED) and word not in AUXILIARIES


def _past_form(
    word: str, after: str, at: int, before: str, helper: str, *, joined: bool, adverb: bool
) -> str:
    """`joined`: whether it follows a participle and `and`, as in "born and raised in Leeds"; `adverb`:
    whether it follows one.
    """
    if helper in FORMS_OF_BE or helper in HAVE:
        return "E"
    if before in _BEFORE_NOUN and not (before == "#" and after in PREPOSITIONS):
        return "N" if before in "D'" else "P"
    if word in _SAYING and before in "NM," and (after in SUBJECT_PRONOUNS or after == "that"):
        return "V"
    if word in ONLY_PAST or word in _NEVER_PASSIVE:
        return "V"
    if before == "S" and helper != "that":
        return "P"  # "driving while intoxicated"
    if before == "," and adverb and _is_noun(after):
        # "acne, sexually transmitted diseases"
        return "P"
    if word in _NAMING and before in "NM":
        return "P"
    if word in ONLY_DONE or (after == "by" and before in "NM"):
        return "P"
    return "P" if at == 0 or joined else "p"


def _present_form(word: str, after: str, at: int, tags: list[str], lowers: Sequence[str]) -> str:
    before, helper = _before(at, tags, lowers)
    if PRESENT[word] == "take" and after in ("place", "part") and before in "NM":
        return "V"
    told = after in DETERMINERS or after == "that" or PRESENT[word] not in NOUNISH
    if (
        before == "#"
        and told
        and at > 1
        and (at == 2 or tags[at - 2] == "M" or after == "that")
        and tags[at - 2] in "NM"
    ):
        return "V"  # "Passage 9 gives"
    if before in _BEFORE_NOUN or helper in FORMS_OF_BE or helper in HAVE:
        return "N"
    if helper in _SINGULAR:
        # "the way in which plants grow": the relative is not the subject
        return "N" if before == "W" and at > 1 and tags[at - 2] == "R" else "V"
    if not after or after in AUXILIARIES or after in (",", ".", "of", "and", "or", ")"):
        return "N"
    if PRESENT[word] not in NOUNISH or before in "MWA" or after in DETERMINERS or after == "that":
        return "q"
    # "in 2019 and features guests": no noun stands before `and` that it could be listed with
    behind = at > 1 and (tags[at - 2] in "#M" or lowers[at - 2] in _MEASURED)
    parallel = _told(tags, lowers, PRESENT) or (behind and after not in PREPOSITIONS)
    return "N" if before == "C" and not parallel else "q"


def _base_form(word: str, after: str, at: int, tags: list[str], lowers: Sequence[str]) -> str:
    before, helper = _before(at, tags, lowers)
    if (helper in _PLURAL and before in "OWDN") or (helper == "whom" and before == "W"):
        return "V"
    if at == 0:
        told = after in DETERMINERS or after in PRONOUNS or after == "not"
        paired = after == "and" and len(lowers) > 2 and lowers[2] in BASE_FORMS
        sure = told or paired or (word not in NOUNISH and after not in AUXILIARIES)
        return "V" if sure else "q" if after in PREPOSITIONS and after != "of" else "N"
    if before in "C,":
        told = any(tag in "Vpq" for tag in tags)
        if told and tags[-1] == "A" and lowers[at - 1] in _OFTEN and after in PREPOSITIONS:
            return "V"  # "include fever and usually appear within days"
        if _LISTING.intersection(lowers[:at]):
            return "N"
        if _last_verb(tags) == "I":
            verb = word not in NOUNISH or after in DETERMINERS or after in PRONOUNS
            # "If it does not start, press …"
            return "N" if not verb else "V" if before == "," and tags[0] == "S" else "I"
        followed = after in DETERMINERS or after in PRONOUNS
        orders = tags[0] == "V" and after in PREPOSITIONS and after != "of"
        if _told(tags, lowers, BASE_FORMS) and (word not in NOUNISH or followed or orders):
            return "V"
        return "N"
    if before in "NMq" and (word not in NOUNISH or (helper.endswith("s") and after in DETERMINERS)):
        return "q"
    return "N"


def _last_verb(tags: list[str]) -> str:
    return next((tag for tag in reversed(tags) if tag in "VIG"), "")


def _told(tags: list[str], lowers: Sequence[str], forms: Container[str]) -> bool:
    """Whether a verb before has a form of the same kind."""
    return any(tag in "Vq" and lowers[at] in forms for at, tag in enumerate(tags)) or (
        forms is BASE_FORMS and lowers[0] in ("do", "don't")
    )


def _settle(tags: list[str], doubtful: list[int], lowers: Sequence[str]) -> None:
    """Give each stretch between commas and conjunctions one finite verb: the surest, else the first."""
    edges = [at for at, tag in enumerate(tags) if tag in _EDGE]
    for at in doubtful:
        start = max((edge for edge in edges if edge < at), default=-1)
        end = min((edge for edge in edges if edge > at), default=len(tags))
        others = [tags[i] for i in range(start + 1, end) if i != at]
        past = tags[at] == "p"
        verb = "V" not in others and (past or "p" not in others)
        if not past and tags[at + 1 : at + 2] == ["q"]:
            verb = False  # "film credits include"
        if verb and past and ("V" in tags or at != doubtful[-1]):
            leans = _leans(tags, at, start, lowers) and not _awaited(tags, at, start, lowers)
            leans = leans or _describes(tags, at, start, lowers)
            verb = not leans and tags[at + 1 : at + 2] != ["q"]
        elif verb and "V" in tags[: start + 1] and (start < 0 or tags[start] in "C,"):
            verb = at == start + 1 or tags[at - 1] == "A" or tags[start + 1] in "DMO"
        tags[at] = "V" if verb else "P" if past else "N"


def _awaited(tags: list[str], at: int, start: int, lowers: Sequence[str]) -> bool:
    """Whether the subject before an aside still has no verb: "The firm, whose owner was Ada, closed in …"."""
    aside = next((i for i in range(start) if lowers[i] == "," and "W" in tags[i + 1 : i + 3]), None)
    return aside is not None and "V" not in tags[:aside] and "V" not in tags[at + 1 :]


def _describes(tags: list[str], at: int, start: int, lowers: Sequence[str]) -> bool:
    """Whether a past form says what a noun is like: "uses fans and improved rooms", as who uses them did not
    improve them before; ", with lamps fitted to heat the stalls", where no subject stands.
    """
    if start < 0 or "V" not in tags[:start] or at + 1 >= len(tags):
        return False
    if lowers[start] == "," and lowers[start + 1] == "with" and at > start + 2:
        return tags[at + 1] in "RT"
    if tags[start] != "C" or at != start + 1 or lowers[at] in ACTIVE:
        return False
    if tags[at + 1] != "N" and tags[at + 1 : at + 3] != ["G", "N"]:
        return False
    verb = max(i for i in range(start) if tags[i] in "VI")
    told = lowers[verb] in BASE_FORMS or lowers[verb] in PRESENT
    dated = any(len(word) == 4 and word.isdigit() for word in lowers[at:])
    return (told and lowers[verb] not in PAST and not dated) or lowers[0] == "there"


def _leans(tags: list[str], at: int, start: int, lowers: Sequence[str]) -> bool:
    """Whether a past form is no verb but says more of a noun: ", built in 1340 by …", "and a man named …"."""
    if at + 1 >= len(tags) or lowers[at] in ACTIVE:
        return False
    if tags[at + 1] == "N" and start + 1 == at and _LISTING.intersection(lowers[:at]):
        return True  # "include fever, blurred vision and …"
    alone = all(tag == "A" for tag in tags[start + 1 : at])
    if tags[at + 1] == "S" and alone and start >= 0 and lowers[start] == "," and "V" not in tags[:start]:
        # "Her book, published when she was nineteen, was …"
        return any(lowers[i] == "," and tags[i + 1] in "Vp" for i in range(at, len(tags) - 1))
    if tags[at + 1] != "R":
        return False
    if start >= 0 and lowers[start] == "," and alone:
        return lowers[at + 1] != "to"
    if start < 0 or tags[start] != "C" or "V" not in tags[:start] or alone:
        return False
    verb = tags.index("V")
    # "is a starch and a kind of fibre found in fruit"
    role = lowers[verb] in FORMS_OF_BE and {lowers[verb + 1], lowers[start + 1]} <= {"a", "an"}
    return role or tags[start + 1] not in "DMO"
