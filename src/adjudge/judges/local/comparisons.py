"""Which of two is more: "The Wren Canal is longer than the Lark Canal", where the evidence has both lengths.

A small model does not compare figures. Lengths, weights, prices and the like, and how many of something two
have, are therefore read by pattern. A claim that has it the wrong way round is contradicted, one that has it
right and says nothing else is entailed. Where the evidence tells a side's figure twice and not alike, or with
another unit, nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudge.judges.local.contrasts import told_apart
from adjudge.judges.local.evidence import KEPT, Evidence
from adjudge.judges.local.kept import kept
from adjudge.judges.local.names import Finding
from adjudge.judges.local.noun_phrases import Phrase, phrase_after, phrase_before, stem_of
from adjudge.judges.local.numbers import Number, find_numbers
from adjudge.segment.claims.tokens import Token, denial_at, tokens_of, words_of
from adjudge.segment.claims.words import BE, HAVE, word_set

_LENGTHS = {
    "km": 1000.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "mile": 1609.344, "mi": 1609.344, "foot": 0.3048,
    "inch": 0.0254,
}  # fmt: skip
_MASSES = {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "mcg": 1e-9, "ton": 1000.0}


class _Kind(NamedTuple):
    """What is measured: its units, and the words of which one must be told with a figure of it, if any."""

    units: tuple[str, ...]
    words: frozenset[str] = frozenset()


_TALL = _Kind(tuple(_LENGTHS), word_set("tall high height stands stood rises rose"))
_LONG = _Kind(tuple(_LENGTHS), word_set("long length runs ran stretches stretched spans spanned"))
_DEEP = _Kind(tuple(_LENGTHS), word_set("deep depth"))
_WIDE = _Kind(tuple(_LENGTHS), word_set("wide width broad across"))
_HEAVY = _Kind(tuple(_MASSES), word_set("weighs weighed weigh weight mass heavy"))
_DEAR = _Kind(("$", "€", "£", "¥"), word_set("costs cost price priced fee sells sold worth charges rent"))
_WARM = _Kind(("°c", "°f"))
_WIDESPREAD = _Kind(("km2", "mile2", "m2", "acre", "hectare"))
_PEOPLED = _Kind(("person",))
_MORE = {
    "longer": _LONG, "taller": _TALL, "higher": _TALL, "deeper": _DEEP, "wider": _WIDE, "heavier": _HEAVY,
    "dearer": _DEAR, "costlier": _DEAR, "pricier": _DEAR, "warmer": _WARM, "hotter": _WARM,
    "larger": _WIDESPREAD, "bigger": _WIDESPREAD,
}  # fmt: skip
_LESS = {
    "shorter": _LONG, "lower": _TALL, "shallower": _DEEP, "narrower": _WIDE, "lighter": _HEAVY,
    "cheaper": _DEAR, "colder": _WARM, "cooler": _WARM, "smaller": _WIDESPREAD,
}  # fmt: skip
_OF_MANY = {"expensive": _DEAR, "costly": _DEAR, "populous": _PEOPLED}
_AWAY = word_set("from away north south east west off inland apart outside above below")
"""Behind a length that tells how far away something is."""
_COUNTED = {"more": 1, "fewer": -1, "less": -1}
_LINKS = BE | HAVE | word_set("weighs weighed costs cost stands stood runs ran")
_NEAR = 3
"""Words between a figure and what it counts: "80 recognised species"."""


class Compared(NamedTuple):
    """One side is claimed to have more of something than the other."""

    more: Phrase
    less: Phrase
    kind: _Kind
    noun: str
    """What is counted, if nothing is measured."""
    shown: str
    alone: bool


def check(claim: str, evidence: Evidence) -> Finding | None:
    """What the figures of both sides say; none where the evidence does not tell both."""
    claimed = compared(claim)
    if claimed is None:
        return None
    more, less = (_value(side, claimed, evidence) for side in (claimed.more, claimed.less))
    if more is None or less is None or abs(more[0] - less[0]) <= more[1] + less[1]:
        return None
    told = f"{more[2]} and {less[2]}"
    if more[0] > less[0]:
        return Finding(True, claimed.alone, f"the figures are {told}")
    return Finding(False, True, f"{claimed.shown}; the figures are {told}")


def compared(claim: str) -> Compared | None:
    """What a claim of one sentence compares."""
    tokens = tokens_of(claim)
    than = next((at for at, token in enumerate(tokens) if token.lower == "than" and not token.depth), None)
    verb = next((at for at in range(than or 0) if tokens[at].tag == "V"), None)
    if than is None or verb is None or denial_at(tokens, 0, len(tokens)) is not None:
        return None
    between = [token.lower for token in tokens[verb + 1 : than] if token.tag != "D"]
    subject, start = phrase_before(tokens, verb)
    other, stop = phrase_after(tokens, than + 1)
    sign, kind, noun = _what(tokens[verb].lower, between)
    if not sign or subject is None or other is None or subject.same(other):
        return None
    sides = (subject, other) if sign > 0 else (other, subject)
    rest = [token for token in (*tokens[:start], *tokens[stop:]) if token.text[0].isalnum()]
    alone = all(token.lower in ("yes", "therefore", "thus", "so") for token in rest)
    return Compared(*sides, kind, noun, words_of(claim, tokens, start, stop), alone)


def _what(verb: str, between: Sequence[str]) -> tuple[int, _Kind, str]:
    """Whether it is more or less (or nothing that is known), of what kind or of which counted noun."""
    nothing = _Kind(())
    if not between or verb not in _LINKS:
        return 0, nothing, ""
    if len(between) == 1:
        kind = _MORE.get(between[0]) or _LESS.get(between[0])
        return (1 if between[0] in _MORE else -1, kind, "") if kind else (0, nothing, "")
    sign = _COUNTED.get(between[0], 0) if len(between) == 2 else 0
    if between[1] in _OF_MANY:
        return sign, _OF_MANY[between[1]], ""
    return (sign, nothing, between[1]) if verb in HAVE else (0, nothing, "")


def _value(side: Phrase, claimed: Compared, evidence: Evidence) -> tuple[float, float, str] | None:
    """The one figure that is told of a side, half its last digit, and the figure as written."""
    found = [
        (number.value * scale, number.half * scale, written)
        for who, clause in _clauses(tuple(evidence.sentences))
        if who.same(side)
        for number, scale, written in _figures(clause, claimed)
    ]
    if not found or max(found)[0] - min(found)[0] > 2 * max(half for _, half, _ in found):
        return None
    return min(found, key=lambda one: one[1])


def _figures(clause: str, claimed: Compared) -> Iterator[tuple[Number, float, str]]:
    """Figures of the kind that is compared, and what makes their units one."""
    kind, words = claimed.kind, {token.lower for token in tokens_of(clause)}
    for number in find_numbers(clause).numbers:
        behind = [token.lower for token in tokens_of(clause[number.end :])[: _NEAR + 1]]
        measured = number.unit in kind.units and not number.bound and _AWAY.isdisjoint(behind)
        if claimed.noun and stem_of(claimed.noun) in map(stem_of, behind):
            yield number, 1.0, f"{number.text} {claimed.noun}"
        elif measured and not (kind.words and kind.words.isdisjoint(words)):
            scale = _LENGTHS.get(number.unit, _MASSES.get(number.unit, 1.0))
            yield number, scale, f"{number.text} {number.unit}"


@kept(KEPT)
def _clauses(sentences: tuple[str, ...]) -> tuple[tuple[Phrase, str], ...]:
    """Clauses with a figure, and what each is told of."""
    return tuple(
        (subject, part)
        for sentence in sentences
        for part in told_apart(sentence)
        if any(map(str.isdigit, part)) or find_numbers(part).numbers
        if (subject := _subject(tokens_of(part))) is not None
    )


def _subject(tokens: Sequence[Token]) -> Phrase | None:
    verb = next((at for at, token in enumerate(tokens) if token.tag == "V" and not token.depth), None)
    return phrase_before(tokens, verb)[0] if verb is not None else None
