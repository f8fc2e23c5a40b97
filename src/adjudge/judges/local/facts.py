"""Facts of a response for SAFE: split, self-contained, on topic or not, repeated or not."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from adjudge.judges.base import ExtractFacts, Fact, IsRelevant, MakeSelfContained
from adjudge.judges.local.encoder import Encoder, Matrix
from adjudge.judges.local.numbers import compare, find_numbers
from adjudge.judges.local.words import Bag, bag
from adjudge.segment.claims import Claim, claims_of_sentences, split_claims
from adjudge.segment.claims.words import POSSESSIVES, SUBJECT_PRONOUNS
from adjudge.types import Span

_SAME_WORDS = 0.8
_SAME_MEANING = 0.93
_ON_TOPIC = 0.2
"""Cosine with the prompt from which a fact without a shared word still counts as relevant."""


def split_facts(question: ExtractFacts) -> list[Claim]:
    """Atomic facts, each with the position of its sentence among those given."""
    text = "\n".join(question.sentences)
    spans: list[Span] = []
    start = 0
    for sentence in question.sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return claims_of_sentences(text, spans, fine=True)


def facts_of(question: ExtractFacts, encoder: Encoder) -> tuple[Fact, ...]:
    """The reply to `ExtractFacts`."""
    claims = split_facts(question)
    if not claims:
        return ()
    texts = [claim.text for claim in claims]
    vectors = encoder.encode([*texts, question.prompt])
    about = bag(question.prompt).weights.keys() | _main_words(texts)
    found = []
    for number, claim in enumerate(claims):
        relevant, why = _bears_on(claim.text, about, float(vectors[number] @ vectors[-1]))
        twin = _twin(number, texts, vectors)
        if twin is not None:
            why += f"; says the same as fact {twin}"
        found.append(Fact(claim.sentence, claim.text, claim.text, relevant, twin, why))
    return tuple(found)


def _bears_on(fact: str, about: set[str], cosine: float) -> tuple[bool, str]:
    shared = sorted(bag(fact).weights.keys() & about)
    if shared:
        return True, f"shares {', '.join(shared[:3])}"
    return cosine >= _ON_TOPIC, f"cosine {cosine:.2f} with the prompt"


def is_relevant(question: IsRelevant, encoder: Encoder) -> tuple[bool, str]:
    """Whether a fact shares a word with the prompt or its response's main names, or is near in meaning."""
    about = bag(question.prompt).weights.keys() | _main_words(_fine(question.response))
    fact, prompt = encoder.encode([question.fact, question.prompt])
    return _bears_on(question.fact, about, float(fact @ prompt))


@lru_cache(maxsize=256)
def _fine(response: str) -> list[str]:
    return [claim.text for claim in split_claims(response, fine=True)]


def self_contained(question: MakeSelfContained) -> tuple[str, str]:
    """The fact as the splitter words it when it sees the whole response, so that pronouns are filled in."""
    opening, _, rest = question.fact.partition(" ")
    if opening.lower() in SUBJECT_PRONOUNS | POSSESSIVES | {"this"} and rest:
        for text in _fine(question.response):
            if text.endswith(rest) and not text.startswith(opening):
                return text, f"{opening!r} filled in from the response"
    return question.fact, "it stands on its own"


def _main_words(texts: list[str]) -> set[str]:
    """Names that a good part of the facts speak of."""
    names: Counter[str] = Counter()
    for text in texts:
        names.update(bag(text).names)
    return {name for name, count in names.items() if count >= max(2, len(texts) // 5)}


def _twin(number: int, texts: list[str], vectors: Matrix) -> int | None:
    """The first earlier fact that says the same: alike in words and meaning, with the same figures."""
    own = bag(texts[number])
    for earlier in range(number):
        if texts[earlier] == texts[number]:
            return earlier
        if float(vectors[earlier] @ vectors[number]) < _SAME_MEANING:
            continue
        if _alike(own, bag(texts[earlier])) and _same_figures(texts[number], texts[earlier]):
            return earlier
    return None


def _alike(first: Bag, second: Bag) -> bool:
    union = first.weights | second.weights
    shared = sum(w for key, w in first.weights.items() if key in second.weights)
    total = sum(union.values())
    return first.negations % 2 == second.negations % 2 and total > 0 and shared >= _SAME_WORDS * total


def _same_figures(first: str, second: str) -> bool:
    a, b = find_numbers(first), find_numbers(second)
    one, other = compare(a, [b]), compare(b, [a])
    return not (one.differing or one.absent or other.differing or other.absent)
