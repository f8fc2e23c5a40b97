"""Short answers held against each other: two bare ones without their question, yes and no by rule.

Behind the same question, "Michelangelo" and "Leonardo da Vinci" have nearly all words in common, and so have
"Who painted it? Michelangelo" and "Leonardo da Vinci painted it". So two bare answers are read alone, and a
bare one beside a sentence counts only if the sentence holds it. "No" is the opposite of what the model makes
of "Yes" behind the question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from adjudge.judges.local.answers import answered, in_full, is_fragment
from adjudge.judges.local.dates import date_agrees, date_differs
from adjudge.judges.local.numbers import Number, Numbers, agrees, find_numbers
from adjudge.judges.local.numerals import NUMBER_WORDS, SCALES
from adjudge.judges.local.phrases import refusal
from adjudge.judges.local.units import UNITS
from adjudge.judges.local.verifier import NOTHING, Opinion
from adjudge.judges.local.words import bag, opposites, stem, unaccented
from adjudge.segment.claims.statements import is_statement
from adjudge.segment.claims.words import word_set

Pair = tuple[str, str]

_SURE = 0.9
_SENTENCE = 40
"""Words up to which a text is taken for an answer in a sentence, and not for a passage."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INITIAL = re.compile(r"\b[^\W\d_]\.")
_LITTLE = word_set("a an the in on at by of to from for with about is are was were it and or")
_TITLES = word_set(
    "mr mrs ms miss mx dr doctor prof professor sir dame lord lady president king queen prince princess pope"
    " saint st senator general captain colonel justice judge minister chancellor emperor"
)
"""Before a name, and no part of it."""
_SETS_APART = word_set(
    "new north south east west northern southern eastern western upper lower inner outer greater lesser"
)
"""Before the name of a place they make another of it: York and New York."""
_ALONE = {"zero": "0", "one": "1"}
"""Numbers in words that `numbers` does not take for any."""
_MEASURED = frozenset(NUMBER_WORDS) | frozenset(SCALES) | frozenset(UNITS) | {"percent", "zero"}
_YES = re.compile(
    r"\W*(?:(?:it|that|this)(?: is|['’]s) )?(?:yes|yeah|yep|true|correct|right|indeed|of course|certainly"
    r"|definitely|absolutely)\W*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:(?:it|that|this)(?: is|['’]s) )?(?:no|nope|never|false|incorrect|wrong|untrue|not at all"
    r"|not (?:true|correct|right)|(?:of course|certainly|definitely|absolutely) not)\W*",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"\W*(?:(?:in|on|at|by|for|as|after|before|during|since|according)\b[^,?]*, )?"
    r"(?:(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)"
    r"(?:n['’]t)?\b|true or false\b)",
    re.IGNORECASE,
)


def pairs_read(claim: str, text: str, question: str) -> tuple[Pair, ...]:
    """The (claim, evidence) pairs that a model must read before `concluded`."""
    plain = in_full(claim, question), in_full(text, question)
    if not question.strip():
        return (plain,)
    if _meets_whether(claim, text, question):
        return (_affirmed(claim, text, question),)
    match is_fragment(claim), is_fragment(text):
        case True, True:
            return ((claim, text),)
        case True, False if _is_sentence(text):
            return plain, (claim, text)
        case False, True if _is_sentence(claim):
            return plain, (text, claim)
    return (plain,)


def concluded(claim: str, text: str, question: str, opinions: Mapping[Pair, Opinion]) -> Opinion:
    """What follows for the claim from the text, given opinions on all of its `pairs_read`."""
    opinion, *alone = (opinions[pair] for pair in pairs_read(claim, text, question))
    if not question.strip():
        return opinion
    said, told = polarity(claim), polarity(text)
    if said is not None and told is not None:
        return _agreed(f"“{text}”") if said == told else _differing(f"“{text}” is the opposite")
    if _meets_whether(claim, text, question):
        return opinion if said or told else _mirrored(opinion)
    if is_fragment(text) and (not is_statement(text) or refusal(text)[0]):
        return NOTHING
    if is_fragment(claim) and is_fragment(text):
        return _compared(claim, text) or opinion
    if alone and opinion.entailed > 0.5 >= alone[0].entailed:
        bare, whole = (claim, text) if is_fragment(claim) else (text, claim)
        if not _holds(whole, bare, question):
            # It may be another answer or another matter, which is not told here; how likely it is the same
            # is what the model makes of the two alone.
            share = alone[0].entailed
            rest = 1.0 - share
            why = f"“{whole}” does not say “{bare}”"
            return Opinion(share, _SURE * rest, (1.0 - _SURE) * rest, why)
    return opinion


def polarity(text: str) -> bool | None:
    """True for a bare yes, False for a bare no, None for anything else."""
    return True if _YES.fullmatch(text) else False if _NO.fullmatch(text) else None


def _meets_whether(claim: str, text: str, question: str) -> bool:
    """Whether yes or no, asked for, stands on one side and a statement on the other."""
    said, told = polarity(claim), polarity(text)
    if (said is None) == (told is None) or not _ASKS_WHETHER.match(question):
        return False
    other = text if told is None else claim
    asked = _words(question)
    return not is_fragment(other) or len(asked) - len(_own(asked, _words(other))) > 1


def _affirmed(claim: str, text: str, question: str) -> Pair:
    """Both sides as if the answer were yes: what the question asks, put as true."""
    yes = answered(question, "Yes.")
    return (yes, text) if polarity(claim) is not None else (claim, yes)


def _mirrored(opinion: Opinion) -> Opinion:
    """The opinion on "No", given that on "Yes"; where yes is not entailed, the likelier of the other two."""
    if opinion.entailed > 0.5:
        return opinion._replace(entailed=opinion.contradicted, contradicted=opinion.entailed)
    denied = opinion.contradicted / ((opinion.contradicted + opinion.neutral) or 1.0)
    return opinion._replace(entailed=denied, neutral=1.0 - denied, contradicted=0.0)


def _agreed(why: str) -> Opinion:
    return Opinion(_SURE, 1.0 - _SURE, 0.0, why, settled=True)


def _differing(why: str) -> Opinion:
    return Opinion(0.0, 1.0 - _SURE, _SURE, why, settled=True)


def _compared(claim: str, text: str) -> Opinion | None:
    """What can be read off two bare answers; None leaves them to the model."""
    mine, theirs = _words(claim), _words(text)
    figures = _figures_agree(claim, text)
    if figures is False:
        return _differing(f"“{text}” is another figure")
    if bag(claim).negations != bag(text).negations or opposites(bag(claim), bag(text)):
        return _differing(f"“{text}” is the opposite")
    if not _own(mine, theirs) and not _own(theirs, mine):
        # The same words in another order may say another thing: Paris to London.
        return _agreed(f"“{text}”") if _stems(mine) == _stems(theirs) else None
    if _stands_for(mine, theirs) or _stands_for(theirs, mine):
        return _agreed(f"“{text}” in letters")
    if _INITIAL.search(f"{claim} {text}") and (same := _same_initials(mine, theirs)) is not None:
        return _agreed(f"“{text}” with initials") if same else _differing(f"“{text}” is another name")
    if figures and all(map(_measures, _own(mine, theirs))):
        return _agreed(f"“{text}” is the same figure")
    if _set_apart(mine, theirs) or _set_apart(theirs, mine):
        return _differing(f"“{text}” is another place")
    mine, theirs = _untitled(mine), _untitled(theirs)
    return _differing(f"“{text}” is another name") if _swapped(mine, theirs) else None


def _words(text: str) -> list[str]:
    """Words that tell something, as written, without accents."""
    found = [
        _ALONE.get(word.lower(), word)
        for word in _WORD.findall(unaccented(unicodedata.normalize("NFKC", text)))
    ]
    return [word for word in found if word.lower() not in _LITTLE] or found


def _stems(words: list[str]) -> list[str]:
    return [stem(word.lower()) for word in words]


def _measures(word: str) -> bool:
    return word[0].isdigit() or word.lower() in _MEASURED


def _stands_for(short: list[str], long: list[str]) -> bool:
    """Whether one is the initials of the other: UN, United Nations."""
    letters = "".join(short)
    return len(long) > 1 and letters.isupper() and letters == "".join(word[0] for word in long).upper()


def _same_initials(mine: list[str], theirs: list[str]) -> bool | None:
    """Whether initials before one surname stand for the given names in the other answer: J. K. Marlow, Joanne
    Marlow. Further names may be left out of either; None where there is no such pair.
    """
    if not mine or not theirs or len(mine[-1]) < 2 or mine[-1] != theirs[-1]:
        return None
    pairs = [(a, b) for a, b in zip(mine[:-1], theirs[:-1], strict=False) if a != b]
    short = [1 in (len(a), len(b)) for a, b in pairs]
    return all(short) and all(a[0] == b[0] for a, b in pairs) if any(short) else None


def _figures_agree(claim: str, text: str) -> bool | None:
    """Whether the text bears out all figures of the claim; None where it leaves any open."""
    mine, theirs = map(_figures, (claim, text))
    if not any(mine) or not any(theirs):
        return None
    numbers = [n for n in mine.numbers if not any(_same(n, other) for other in theirs.numbers)]
    dates = [d for d in mine.dates if not any(date_agrees(d, other) for other in theirs.dates)]
    if not numbers and not dates:
        return True
    open_ended = any(number.bound for number in theirs.numbers)
    other_dates = any(all(date_differs(d, other) for other in theirs.dates) for d in dates)
    return False if (numbers and not open_ended) or other_dates else None


def _figures(text: str) -> Numbers:
    return find_numbers(" ".join(_ALONE.get(word.lower().strip("."), word) for word in text.split()))


def _same(claimed: Number, told: Number) -> bool:
    """Both answer one question, so a unit that one of them leaves out is the other's."""
    first, second = ("%" if number.unit == "percent" else number.unit for number in (claimed, told))
    return agrees(claimed._replace(unit=first or second), told._replace(unit=second or first))


def _own(mine: list[str], theirs: list[str]) -> list[str]:
    """Words of one answer that are not in the other."""
    known = set(_stems(theirs))
    return [word for word in mine if stem(word.lower()) not in known]


def _swapped(mine: list[str], theirs: list[str]) -> bool:
    """Whether one name stands in place of another beside words that both have: John Smith, James Smith."""
    only, other = _own(mine, theirs), _own(theirs, mine)
    if len(only) == len(mine) or not only or not other:
        return False
    if not all(word[0].isupper() for word in (*only, *other)):
        return False
    return not any(_short_for(a, b) for a in only for b in other)


def _set_apart(short: list[str], long: list[str]) -> bool:
    """Whether one is the other's name with a word before it that makes it another place's."""
    return long[1:] == short and long[0].lower() in _SETS_APART and all(word[0].isupper() for word in long)


def _untitled(words: list[str]) -> list[str]:
    """A name without the titles before it: Mr. Smith and John Smith may be one."""
    at = 0
    while at < len(words) - 1 and words[at].lower() in _TITLES:
        at += 1
    return words[at:]


def _short_for(a: str, b: str) -> bool:
    """J. and Joanne, Dr. and Doctor; not I and II."""
    short, long = sorted((a, b), key=len)
    return len(short) <= 2 and short[0] == long[0] and not long.isupper()


def _holds(whole: str, bare: str, question: str) -> bool:
    """Whether a sentence has a word or figure of a bare answer that the question has not, or its initials."""
    mine, theirs = _words(bare), _words(whole)
    new = _own(mine, _words(question))
    if not new or len(_own(new, theirs)) < len(new) or _figures_agree(bare, whole):
        return True
    initials = "".join(word[0] for word in theirs if word[0].isupper())
    # The last letter may be left out of the name itself: USA, the United States.
    return any(
        len(word) > 1 and word.isupper() and word[: max(2, len(word) - 1)] in initials for word in mine
    )


def _is_sentence(text: str) -> bool:
    return len(_WORD.findall(text)) <= _SENTENCE
