"""A clause into facts: each phrase of time, place or manner on its own.

"She was born in Rome on 5 May 1960 and" -> She was born in Rome | She was born on 5 May 1960
"""

from __future__ import annotations

from adjudge.segment.claims.tokens import Token, is_verb, tokens_of, verb_at
from adjudge.segment.claims.words import BE, PARTICIPLES, PAST, word_set

_OPENERS = word_set("in on at from during for by as with alongside through after before under since until")
_NARROWING = word_set(
    "not never no only without neither nor hardly n't first second last most least than if unless between"
)
"""Words that make the bare clause say something else: "never lived" is not "never lived in Rome"."""
_MOST_ADJUNCTS = 5


def facts_of(clause: str) -> list[str]:
    """The clause once for each of its adjuncts, and without any where an object keeps it whole."""
    tokens = tokens_of(clause)
    verb = verb_at(tokens, 0, len(tokens))
    if verb is None or any(_narrows(token.lower) for token in tokens):
        return [clause]
    while verb + 1 < len(tokens) and (
        tokens[verb + 1].lower in PAST or tokens[verb + 1].lower in PARTICIPLES
    ):
        verb += 1
    starts = _starts(tokens, verb)
    if not starts or len(starts) > _MOST_ADJUNCTS:
        return [clause]
    core = clause[: tokens[starts[0]].start].rstrip(" ,")
    whole = starts[0] - verb > 1 and not (starts[0] - verb == 2 and tokens[starts[0] - 1].lower in BE)
    facts = [core] if whole else []
    for at, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        phrase = clause[tokens[at].start : tokens[end - 1].end].rstrip(" ,.")
        facts.append(f"{core} {phrase}")
    return facts


def _narrows(word: str) -> bool:
    return word in _NARROWING or word.endswith(("n't", "est"))


def _starts(tokens: list[Token], verb: int) -> list[int]:
    """Where adjuncts begin; what follows a clause of its own ("that …", "to …") stays together."""
    starts: list[int] = []
    for at in range(verb + 1, len(tokens) - 1):
        token = tokens[at]
        if token.depth:
            continue
        if token.lower in ("that", "which", "who", "because", "when", "to", "where", "and", "or", ":", ";"):
            # "from 1990 to 1995" is one phrase
            if token.lower == "to" and starts and tokens[starts[-1]].lower == "from":
                continue
            break
        if token.lower in _OPENERS and not is_verb(tokens, at + 1) and (not starts or at - starts[-1] > 1):
            starts.append(at)
    return starts
