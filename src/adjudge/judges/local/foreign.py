"""Scripts that neither the model nor the fitted features know: a claim against evidence by shared words.

Word weights and vectors here are of English text, and of other scripts they say nothing: unrelated sentences
look alike. So a claim counts as entailed where the evidence has its words, all but function words and
endings; what is missing leaves it open; another figure, or a negation on one side only, contradicts it. The
numbers below are set by hand, not fitted. Scripts without blanks are compared by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from adjudge.judges.local.numbers import compare, find_numbers
from adjudge.judges.local.words import unaccented
from adjudge.segment.claims.words import word_set
from adjudge.segment.sentences import split_sentences
from adjudge.types import Span

_FOREIGN = re.compile("[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufaff]")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Korean has blanks, but its endings grow on the words: pairs of syllables serve it better."""
_TOKEN = re.compile(
    rf"[{_UNSPACED}]|[^\W\d_{_UNSPACED}](?:[^\W\d_{_UNSPACED}]|[\u0300-\u036f\u0900-\u0dff])*|\d+"
)
_ALONE = re.compile(f"[{_UNSPACED}]")

_LITTLE = frozenset(
    "的了在是于位和与及而之其这那有为以就都也很吗呢吧啊はがをのにでもとへやですますたるいてしれなど"
) | word_set(
    "هي هو في من على إلى عن أن إن كان كانت قد و ال هذا هذه التي الذي"
    " и в на с у к по о из от за до что это как он она оно они был была было были есть является"
    " η ο το οι τα του της των ειναι και σε με για απο στο στη στην τον την ενα μια"
    " है हैं था थी थे में के की का को से पर और ने एक यह"
    " של את על אל עם הוא היא היה הייתה זה זו גם"
)
_NOT = frozenset("不没沒未无無非") | word_set(
    "لا ليس ليست ليسوا لم لن غير не нет ни δεν δε μη μην नहीं न לא אין אינו אינה"
)
_NOT_BEFORE = re.compile("ไม่")
_NOT_AFTER = re.compile("ません|ない|なかった|않|아니|아닙|아닌|없")
"""Negations that are no words of their own, and stand before or after what they deny."""
_CLAUSE = re.compile(r"[,.;:!?،؛؟。、，；：！？।\n]")
_BEFORE, _AFTER = 8, 12
"""Characters around a stretch in which a negation may stand that denies it."""
_ASKING = re.compile(
    "为什么|什么|怎么|哪里|哪儿|哪个|哪些|哪|谁|多少|几|何时|何|请问|吗|誰|なに|どこ|いつ|どの|いくつ|ですか|ますか"
    r"|\b(?:ما|ماذا|متى|أين|كم|هل|кто|что|где|когда|сколько|какой|какая|ποιος|ποια|πού|πότε|πόσο|क्या|कब|कहाँ|कौन|מי|מה|מתי|איפה|כמה)\b"
)
_RELEVANT, _LEAST, _USED = 0.4, 0.25, 0.5
_STEEP, _EVEN, _CAP = 12.0, 0.7, 0.45


def is_foreign(text: str) -> bool:
    """Whether more than a tenth of the text is in another script than Latin."""
    return len(_FOREIGN.findall(text)) > 0.1 * len(text)


class Shared(NamedTuple):
    """What a claim and a passage have in common."""

    share: float
    """Of the claim's telling words, or of its characters where there are none."""
    lost: bool
    """Whether a name or a whole word is missing, and not just a letter or an ending."""


class Words(NamedTuple):
    """A text's words, and single characters of scripts without blanks, with where they begin and end."""

    text: str
    written: tuple[str, ...]
    plain: tuple[str, ...]
    spans: tuple[Span, ...]


@lru_cache(maxsize=16384)
def words_of(text: str) -> Words:
    """Words in order; punctuation is none."""
    text = unicodedata.normalize("NFKC", text)
    found = list(_TOKEN.finditer(text))
    written = tuple(token[0] for token in found)
    return Words(text, written, tuple(map(_plain, written)), tuple(token.span() for token in found))


def _plain(token: str) -> str:
    """Without case, marks over letters, and the Arabic article."""
    bare = unaccented(token.casefold())
    return bare[2:] if bare.startswith("ال") and len(bare) > 4 else bare


def _same(word: str, others: frozenset[str]) -> bool:
    """Whether the word is there, or one that differs in its ending only."""
    if word in others:
        return True
    least = max(4, (7 * len(word) + 9) // 10)
    return len(word) >= 4 and any(len(o) <= len(word) + 3 and o[:least] == word[:least] for o in others)


def shared(claim: str, passage: str) -> Shared:
    """The claim's words in the passage."""
    ours, theirs = words_of(claim), words_of(passage)
    found = _found(ours.plain, theirs.plain)
    telling = [
        n for n, word in enumerate(ours.plain) if not (word in _LITTLE or word in _NOT or word.isdigit())
    ]
    counted = telling or range(len(ours.plain))
    share = sum(found[n] for n in counted) / (len(counted) or 1)
    missing = [n for n in telling if not found[n]]
    return Shared(share, _telling_loss(ours.written, missing))


def _found(ours: Sequence[str], theirs: Sequence[str]) -> list[bool]:
    """Which words of the claim are there: as words, or as part of a pair of characters."""
    known, near = frozenset(theirs), frozenset(pairwise(theirs))
    pairs = [pair in near for pair in pairwise(ours)]
    beside = [a or b for a, b in zip([False, *pairs], [*pairs, False], strict=True)]
    if len(ours) == 1:
        beside = [ours[0] in known]
    return [
        beside[n] if _ALONE.match(word) else word.isdigit() or _same(word, known)
        for n, word in enumerate(ours)
    ]


def _telling_loss(words: Sequence[str], missing: Sequence[int]) -> bool:
    """A missing word, unless the script has capitals and it has none; two missing characters in a row."""
    alone = [n for n in missing if _ALONE.match(words[n])]
    if any(b == a + 1 for a, b in pairwise(alone)):
        return True
    rest = (words[n] for n in missing if n not in alone)
    return any(word.lower() == word.upper() or word[0].isupper() for word in rest)


def denied(claim: str, passage: str) -> bool:
    """Whether the claim and the stretch of the passage that corresponds to it differ in their negations."""
    ours, theirs = words_of(claim), words_of(passage)
    blocks = SequenceMatcher(None, ours.plain, theirs.plain, autojunk=False).get_matching_blocks()[:-1]
    blocks = [block for block in blocks if block.size > 1] or blocks
    if not blocks:
        return False
    first, last = theirs.spans[blocks[0].b][0], theirs.spans[blocks[-1].b + blocks[-1].size - 1][1]
    around = 0
    if blocks[0].a == 0:
        before = _CLAUSE.split(theirs.text[max(0, first - _BEFORE) : first])[-1]
        around += _plain_negations(before) + len(_NOT_BEFORE.findall(before))
    if blocks[-1].a + blocks[-1].size == len(ours.plain):
        after = _CLAUSE.split(theirs.text[last : last + _AFTER])[0]
        around += len(_NOT_AFTER.findall(after))
    return (_negations(ours.text) - _negations(theirs.text[first:last]) - around) % 2 == 1


def _negations(text: str) -> int:
    return _plain_negations(text) + len(_NOT_BEFORE.findall(text)) + len(_NOT_AFTER.findall(text))


def _plain_negations(text: str) -> int:
    return sum(word in _NOT for word in words_of(text).plain)


def probabilities(claim: str, evidence: str) -> tuple[tuple[float, float, float], str]:
    """Entailed, neutral, contradicted; and the passage they rest on."""
    sentences = [evidence[start:end] for start, end in split_sentences(evidence)]
    windows = sentences + [" ".join(sentences[n : n + 3]) for n in range(len(sentences) - 1)]
    told = [(shared(claim, window), window) for window in windows]
    most = max(found.share for found, _ in told)
    nearest = [(found, denied(claim, window), window) for found, window in told if found.share == most]
    best, negated, passage = min(nearest, key=lambda entry: (entry[1], entry[0].lost, len(entry[2])))
    figures = compare(find_numbers(claim), [find_numbers(passage)])
    entailed = float(1.0 / (1.0 + np.exp(-_STEEP * (best.share - _EVEN))))
    against = 0.1
    if best.lost or figures.absent:
        entailed = min(entailed, _CAP)
    if best.share >= 0.5 and (figures.differing or negated):
        entailed, against = min(entailed, 0.2), 0.7
    rest = 1.0 - entailed
    return (entailed, rest * (1.0 - against), rest * against), passage


def relevant(question: str, sentences: Sequence[str]) -> list[bool]:
    """Sentences that have a good part of the question's words; the best ones of all that have some."""
    asked = _ASKING.sub(" ", question)
    shares = [shared(asked, sentence).share for sentence in sentences]
    enough = min(_RELEVANT, max([_LEAST, *shares]))
    return [share >= enough for share in shares]


def used(answers: Sequence[str], sentences: Sequence[str]) -> list[bool]:
    """Sentences of which an answer has half the words, or that have half of an answer's."""
    return [
        any(max(shared(a, sentence).share, shared(sentence, a).share) >= _USED for a in answers)
        for sentence in sentences
    ]
