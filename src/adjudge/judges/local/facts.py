"""Facts of a response for SAFE: split, self-contained, on topic or not, repeated or not."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from adjudge.judges.base import ExtractFacts, Fact, IsRelevant, MakeSelfContained
from adjudge.judges.local.encoder import Encoder, Matrix
from adjudge.judges.local.numbers import compare, find_numbers
from adjudge.judges.local.words import Bag, bag
from adjudge.segment.claims import Claim, claims_of_sentences, main_topic, split_claims
from adjudge.segment.claims.topics import Topic, filled
from adjudge.segment.claims.words import POSSESSIVES, SUBJECT_PRONOUNS, word_set
from adjudge.segment.sentences import split_sentences
from adjudge.types import Span

_SAME_WORDS = 0.8
_SAME_MEANING = 0.93
_ON_TOPIC = 0.1
"""Cosine with the prompt from which a fact without a shared word still counts as relevant. Set by RAGBench's
train and validation responses, whose facts nearly all bear on their question.
"""
_BACK = SUBJECT_PRONOUNS | POSSESSIVES | word_set("him them himself herself itself themselves")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = r"([A-Z][\w.'’-]*(?: (?:(?:de|da|di|von|van|der|bin|al|of|the|la|le) )*[A-Z][\w.'’-]*)*)"
_WHO = re.compile(rf"(?:[Bb]io(?:graphy)? (?:of|about|for)|[Ww]ho (?:is|was)) {_NAME}")


def split_facts(question: ExtractFacts) -> list[Claim]:
    """Atomic facts, each with the position of its sentence among those given."""
    text = "\n".join(question.sentences)
    spans: list[Span] = []
    start = 0
    for sentence in question.sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return claims_of_sentences(text, spans, person=person_asked(question.prompt), fine=True)


def person_asked(prompt: str) -> str | None:
    """Whom a prompt asks to be told about ("Who is Ann Berg?"), so that `she` has a name from the start."""
    found = _WHO.search(prompt)
    return found[1].rstrip(".") if found else None


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
        cosine = float(vectors[number] @ vectors[-1])
        relevant, why = _bears_on(claim.text, about, question.sentences[claim.sentence], cosine)
        twin = _twin(number, claims, vectors)
        if twin is not None:
            why += f"; says the same as “{claims[twin].text}”"
        found.append(Fact(claim.sentence, claim.text, claim.text, relevant, twin, why))
    return tuple(found)


def _bears_on(fact: str, about: set[str], sentence: str, cosine: float) -> tuple[bool, str]:
    """Whether a fact bears on what is asked; in doubt it does.

    It does if it speaks of what the prompt or the response is about, by name or pronoun, or if the sentence
    that says it does: "Cold Harbour is a novel" bears on its author.
    """
    shared = sorted(bag(fact).weights.keys() & about)
    if shared:
        return True, f"shares {', '.join(shared[:3])}"
    if _refers(fact):
        return True, "its pronoun refers back"
    linked = sorted(bag(sentence).weights.keys() & about)
    if linked or _refers(sentence):
        return True, f"said with {', '.join(linked[:3]) or 'a pronoun that refers back'}"
    return cosine >= _ON_TOPIC, f"cosine {cosine:.2f} with the prompt"


def _refers(text: str) -> bool:
    """Whether a pronoun stands for somebody or something named before: "Lind rebuilt it"."""
    return not _BACK.isdisjoint(_WORD.findall(text.lower()))


def is_relevant(question: IsRelevant, encoder: Encoder) -> tuple[bool, str]:
    """Whether a fact bears on the prompt, given the response it is from."""
    about = bag(question.prompt).weights.keys() | _main_words(_fine(question.response))
    fact, prompt = encoder.encode([question.fact, question.prompt])
    sentence = _source(question.fact, question.response)
    return _bears_on(question.fact, about, sentence, float(fact @ prompt))


def _source(fact: str, response: str) -> str:
    """The sentence of a response that has most of a fact's words, or "" if none has half of them."""
    own = bag(fact)
    best, most = "", own.total / 2
    for start, end in split_sentences(response):
        sentence = response[start:end]
        words = bag(sentence).weights
        shared = sum(weight for key, weight in own.weights.items() if key in words)
        if shared > most:
            best, most = sentence, shared
    return best


@lru_cache(maxsize=256)
def _fine(response: str) -> list[str]:
    return [claim.text for claim in split_claims(response, fine=True)]


def self_contained(question: MakeSelfContained) -> tuple[str, str]:
    """The fact with the pronoun that opens it filled in from the response.

    As the splitter words it when it sees the whole response, if it has that fact; else by the one whom the
    response is about.
    """
    opening, _, rest = question.fact.partition(" ")
    if opening.lower() not in SUBJECT_PRONOUNS | POSSESSIVES or not rest:
        return question.fact, "it stands on its own"
    for text in _fine(question.response):
        if text.endswith(rest) and not text.startswith(opening):
            return text, f"{opening!r} filled in from the response"
    words = question.fact.split(" ")
    named = filled(
        " ".join(words[:2]) if opening.lower() in POSSESSIVES else opening, _topic(question.response)
    )
    if named.startswith(opening):
        return question.fact, "the response names nobody it could mean"
    told = words[2:] if opening.lower() in POSSESSIVES else words[1:]
    return " ".join([named, *told]), f"{opening!r} is whom the response is about"


@lru_cache(maxsize=256)
def _topic(response: str) -> Topic:
    return main_topic(response)


def _main_words(texts: list[str]) -> set[str]:
    """Names that a good part of the facts speak of."""
    names: Counter[str] = Counter()
    for text in texts:
        names.update(bag(text).names)
    return {name for name, count in names.items() if count >= max(2, len(texts) // 5)}


def _twin(number: int, claims: list[Claim], vectors: Matrix) -> int | None:
    """The first earlier fact that says the same: alike in words and meaning, with the same figures.

    Facts of one sentence are alike because they share a subject; of these only equal ones say the same.
    """
    text, own = claims[number].text, bag(claims[number].text)
    for earlier, other in enumerate(claims[:number]):
        if other.text == text:
            return earlier
        if other.sentence == claims[number].sentence:
            continue
        if float(vectors[earlier] @ vectors[number]) < _SAME_MEANING:
            continue
        if _alike(own, bag(other.text)) and _same_figures(text, other.text):
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
