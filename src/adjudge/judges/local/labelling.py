"""TRACe labels: context sentences that matter, those used, and the support of each response sentence.

Which are relevant and used a trained model tells, where the verifier has one (`traced`); else two small
logistic models fitted by training/fit_sentences.py, from overlap and cosine. Whether a response sentence is
supported is the verifier's opinion, moved by what the trained model and the nearest documents say to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from adjudge.judges.base import LabelSentences, SentenceLabels, Support, SupportSentence
from adjudge.judges.local import foreign
from adjudge.judges.local.answers import in_full
from adjudge.judges.local.calibration import TraceLabels, log_odds, logistic
from adjudge.judges.local.documents import NEITHER, added, added_to_answer
from adjudge.judges.local.encoder import bundled
from adjudge.judges.local.verifier import Opinion
from adjudge.judges.local.words import Bag, bag
from adjudge.segment.claims import split_claims
from adjudge.segment.claims.statements import substance

WITHOUT_SENTENCE = "supported_without_sentence"
"""TRACe's marker for a sentence that states nothing a document could support."""
NOTHING_STATED = 0.75
"""How surely a response adheres that only says what the contexts lack, or announces, where otherwise as many
do as do not. Of RAGBench's sentences that do so, in its train and validation rows, 96 % are called supported,
of the others 89 %: three times the odds.
"""
HEAD_RESPONSE, HEAD_SENTENCE = 0.25, 0.5
"""Weight of the sentence head's log odds for a response, and for one sentence. Chosen on RAGBench rows left
out of training.
"""
NEITHER_SENTENCE = 0.9
"""As `documents.NEITHER`, for a sentence of a response: as many sentences pass as without documents, since
one doubt in many is no error.
"""
_SURER = 3.0
"""By how much the log odds of a whole response are too far from nothing, their parts having been added up as
if each knew what the others do not. Fitted on answers left out of training, both kinds weighing alike.
"""
_PARTIAL = 0.35
_MOST_KEYS = 3
_LEAST_SHARE = 0.2

Columns = NDArray[np.float64]
Keyed = Sequence[tuple[str, str]]
"""(key, text) of sentences."""
Opinions = Mapping[tuple[str, str], Opinion]


def pairs_of(contexts: Keyed, response: Keyed, question: str) -> list[tuple[str, str]]:
    """(what a response sentence states, all contexts) pairs that the verifier is to judge."""
    evidence = joined(contexts)
    return [(claim, evidence) for _, text in response if (claim := stated(text, question))]


def all_stated(texts: Iterable[str], question: str) -> str:
    """What the sentences of a response state, as one claim; "" for nothing."""
    return " ".join(claim for text in texts if (claim := stated(text, question)))


@lru_cache(maxsize=4096)
def stated(text: str, question: str) -> str:
    """What a response sentence states, as evidence is searched for it; "" for nothing."""
    return in_full(substance(text), question) if split_claims(text) else ""


def whole_pair(question: LabelSentences) -> tuple[str, str]:
    """(the response as one claim, all contexts), by which adherence is graded."""
    return all_stated((text for _, text in question.response), question.question), joined(question.contexts)


def joined(contexts: Keyed) -> str:
    """All context sentences as one text, each a paragraph of its own."""
    return "\n\n".join(text for _, text in contexts)


def label_sentences(
    question: LabelSentences, opinions: Opinions, traced: TraceLabels | None = None
) -> SentenceLabels:
    """The reply to `LabelSentences`, from the verifier's opinions of `pairs_of` and of the `whole_pair`.

    `traced` are a trained model's probabilities; without them words and vectors tell relevant and used.
    """
    support = tuple(support_of(n, question, opinions, traced) for n in range(len(question.response)))
    if traced is None:
        cited = {key for entry in support for key in entry.supported_by}
        relevant, told = relevant_sentences(question.question, question.contexts)
        used = cited.union(used_sentences(question))
    else:
        relevant, told = (
            _likely(question.contexts, traced.relevant),
            f"by {len(traced.relevant)} probabilities",
        )
        used = set(_likely(question.contexts, traced.used))
    lacking = [entry.key for entry in support if entry.support != "full"]
    return SentenceLabels(
        relevant,
        tuple(key for key, _ in question.contexts if key in used),
        support,
        not lacking if support else None,
        told,
        _verdict(support, lacking),
        adherence(question, opinions, traced) if support else None,
    )


def _likely(contexts: Keyed, shares: Sequence[float]) -> tuple[str, ...]:
    return tuple(key for (key, _), share in zip(contexts, shares, strict=True) if share >= 0.5)


def _verdict(support: Sequence[Support], lacking: list[str]) -> str:
    if not support:
        return "the response is empty"
    return f"not fully supported: {', '.join(lacking)}" if lacking else "every sentence is supported"


def support_of(
    number: int,
    question: LabelSentences | SupportSentence,
    opinions: Opinions,
    traced: TraceLabels | None = None,
) -> Support:
    """What one response sentence rests on, by its number."""
    key, text = question.response[number]
    contexts = question.contexts
    claim = stated(text, question.question)
    opinion = opinions[claim, joined(contexts)] if claim else None
    if opinion is None:
        return Support(key, (WITHOUT_SENTENCE,), "full", "it states nothing to support")
    if traced is not None:
        head = HEAD_SENTENCE * log_odds(traced.supported[number])
        opinion = beside(moved(opinion, head), traced.borne_out[number], NEITHER_SENTENCE)
    keys = nearest(bag(text), contexts)
    if opinion.verdict == "entailed":
        return Support(key, keys, "full", opinion.why, opinion.entailed)
    if opinion.entailed >= _PARTIAL and opinion.verdict != "contradicted" and keys:
        return Support(key, keys, "partial", opinion.why, opinion.entailed)
    return Support(key, (), "none", opinion.why, opinion.entailed)


def adherence(question: LabelSentences, opinions: Opinions, traced: TraceLabels | None) -> float:
    """How surely a whole response is borne out: the opinion of what it states, what the sentence head makes
    of the sentences that state something, and what the nearest documents say to them, added as log odds and
    made less sure.
    """
    telling = [n for n, (_, text) in enumerate(question.response) if stated(text, question.question)]
    if not telling:
        return NOTHING_STATED
    opinion = opinions[whole_pair(question)]
    if traced is None:
        return opinion.entailed
    head = HEAD_RESPONSE * float(np.mean([log_odds(traced.supported[n]) for n in telling]))
    told = moved(opinion, head + added_to_answer([traced.borne_out[n] for n in telling]))
    return told.entailed if told.settled else logistic(log_odds(told.entailed) / _SURER)


def beside(opinion: Opinion, odds: float | None, neither: float = NEITHER) -> Opinion:
    """An opinion of a claim and what the nearest documents, read one by one, say to it."""
    if odds is None:
        return opinion
    why = f"{opinion.why}; beside the nearest documents {odds - neither:+.1f}"
    return moved(opinion, added(odds, neither))._replace(why=why)


def moved(opinion: Opinion, by: float) -> Opinion:
    """An opinion with something added to the log odds of "entailed", unless it is settled."""
    if opinion.settled:
        return opinion
    entailed = logistic(log_odds(opinion.entailed) + by)
    rest = opinion.neutral + opinion.contradicted
    scale = (1 - entailed) / rest if rest else 0.0
    return Opinion(entailed, opinion.neutral * scale, opinion.contradicted * scale, opinion.why)


def nearest(words: Bag, contexts: Keyed) -> tuple[str, ...]:
    """Keys of the sentences that share most of the words' weight; each must add to those before."""
    bags = [bag(text) for _, text in contexts]
    open_words = dict(words.weights)
    found: set[int] = set()
    while len(found) < _MOST_KEYS and open_words and bags:
        shares = [sum(w for key, w in open_words.items() if key in other.weights) for other in bags]
        best = max(range(len(shares)), key=shares.__getitem__)
        if shares[best] < _LEAST_SHARE * words.total:
            break
        found.add(best)
        open_words = {key: w for key, w in open_words.items() if key not in bags[best].weights}
    return tuple(contexts[number][0] for number in sorted(found))


def relevant_columns(question: str, contexts: Keyed) -> Columns:
    """Features of each context sentence for being relevant, from question and contexts alone."""
    vectors = bundled().encode([*(text for _, text in contexts), question])
    wanted = bag(question)
    bags = [bag(text) for _, text in contexts]
    recall = np.array([_share(wanted, other) for other in bags])
    cosine = vectors[:-1] @ vectors[-1]
    padded = np.pad(cosine, 1)
    around = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    length = np.log1p([other.length for other in bags])
    return np.column_stack([recall, cosine, around, cosine - cosine.max(), length]).astype(np.float64)


def used_columns(question: LabelSentences) -> Columns:
    """Features of each context sentence for having been used in the response."""
    texts = [text for _, text in question.contexts]
    answers = [text for _, text in question.response]
    vectors = bundled().encode([*texts, question.question, *answers])
    contexts, asked, said = vectors[: len(texts)], vectors[len(texts)], vectors[len(texts) + 1 :]
    wanted, bags, told = bag(question.question), [bag(t) for t in texts], [bag(t) for t in answers]
    covered = [max(_share(one, other) for one in told) for other in bags]
    covering = [max(_share(other, one) for one in told) for other in bags]
    near = (contexts @ said.T).max(axis=1)
    recall = [_share(wanted, other) for other in bags]
    found = [
        np.array(covered),
        np.array(covering),
        near,
        near - near.max(),
        np.array(recall),
        contexts @ asked,
    ]
    return np.column_stack(found).astype(np.float64)


def _share(part: Bag, whole: Bag) -> float:
    """Weight of the words of one text that another has."""
    return sum(w for key, w in part.weights.items() if key in whole.weights) / (part.total or 1.0)


@lru_cache(maxsize=1)
def _model() -> dict[str, tuple[Columns, float]]:
    stored = json.loads(files("adjudge.judges.local").joinpath("sentences.json").read_text("utf-8"))
    return {
        name: (np.array(stored[name]["weights"]), stored[name]["intercept"]) for name in ("relevant", "used")
    }


def relevant_sentences(question: str, contexts: Keyed) -> tuple[tuple[str, ...], str]:
    """Keys of the context sentences that help to answer the question, and why."""
    if foreign.is_foreign(question):
        keys = _marked(contexts, foreign.relevant(question, [text for _, text in contexts]))
    else:
        keys = _chosen("relevant", contexts, relevant_columns(question, contexts)) if contexts else ()
    return keys, f"{len(keys)} of {len(contexts)} context sentences are near enough to the question"


def used_sentences(question: LabelSentences) -> tuple[str, ...]:
    """Keys of the context sentences that the response draws on."""
    if not question.contexts or not question.response:
        return ()
    answers = [text for _, text in question.response]
    if foreign.is_foreign(" ".join(answers)):
        return _marked(question.contexts, foreign.used(answers, [text for _, text in question.contexts]))
    return _chosen("used", question.contexts, used_columns(question))


def _marked(contexts: Keyed, marks: Sequence[bool]) -> tuple[str, ...]:
    return tuple(key for (key, _), marked in zip(contexts, marks, strict=True) if marked)


def _chosen(name: str, contexts: Keyed, features: Columns) -> tuple[str, ...]:
    weights, intercept = _model()[name]
    scores = features @ weights + intercept
    return tuple(key for (key, _), score in zip(contexts, scores, strict=True) if score > 0)
