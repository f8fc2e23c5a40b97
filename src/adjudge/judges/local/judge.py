"""The `local` judge: every question answered on this machine, the same way every time.

All questions of a call are taken together, kind by kind, so that a model behind the encoder or the verifier
sees one batch; equal (claim, evidence) pairs are checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adjudge.errors import JudgeError
from adjudge.judges.base import (
    CheckClaims,
    ExtractClaims,
    ExtractFacts,
    IsRefusal,
    IsRelevant,
    LabelSentences,
    MakeSelfContained,
    NextQuery,
    PointsOutError,
    Question,
    RateFact,
    RelevantSentences,
    Reply,
    Similarity,
    SplitSentence,
    SupportSentence,
)
from adjudge.judges.local.calibration import TraceLabels
from adjudge.judges.local.elsewhere import OF_OTHERS, of_others
from adjudge.judges.local.encoder import Encoder, make_encoder
from adjudge.judges.local.facts import facts_of, is_relevant, self_contained
from adjudge.judges.local.labelling import (
    beside,
    joined,
    label_sentences,
    pairs_of,
    relevant_sentences,
    support_of,
    whole_pair,
)
from adjudge.judges.local.phrases import points_out_error, refusal
from adjudge.judges.local.short import concluded, pairs_read
from adjudge.judges.local.verifier import FeatureVerifier, Opinion, Verifier, make_verifier
from adjudge.segment.claims import split_claims

VERSION = 15
_CELLS = {"entailed": "e", "contradicted": "c", "neutral": "n"}
_READ: frozenset[type[Question]] = frozenset(
    {CheckClaims, LabelSentences, SupportSentence, RateFact, Similarity}
)
_SHOWN = 3
"""Verdicts that a reply explains in words; the rest have their probabilities."""


class LocalJudge:
    """Answers everything without key or network. `encoder` and `verifier` name a model or a folder."""

    name = "local"
    immediate = True

    def __init__(self, encoder: str | Encoder | None = None, verifier: str | Verifier | None = None) -> None:
        self.encoder = make_encoder(encoder) if encoder is None or isinstance(encoder, str) else encoder
        self.verifier = make_verifier(verifier) if verifier is None or isinstance(verifier, str) else verifier

    @property
    def answers(self) -> frozenset[type[Question]]:
        return frozenset(_ANSWERS)

    @property
    def gathers(self) -> frozenset[type[Question]]:
        """What a model reads; words alone are as fast one sample at a time."""
        return frozenset() if isinstance(self.verifier, FeatureVerifier) else _READ

    def describe(self) -> str:
        """`local@N` and the models behind it, for signatures."""
        return f"local@{VERSION}+{self.encoder.name}+{self.verifier.name}"

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        return self.answer(questions)

    def answer(self, questions: Sequence[Question]) -> list[Reply]:
        """The same without waiting, for callers outside a loop."""
        groups: dict[type[Question], list[int]] = {}
        for number, question in enumerate(questions):
            groups.setdefault(type(question), []).append(number)
        replies: list[Reply] = [Reply()] * len(questions)
        for kind, numbers in groups.items():
            many = _ANSWERS.get(kind)
            if many is None:
                raise JudgeError(
                    f"judge 'local' cannot answer {kind.__name__}; choose one that can with --judge"
                )
            found = many(self, [questions[number] for number in numbers])
            for number, reply in zip(numbers, found, strict=True):
                replies[number] = reply
        return replies

    def _claims(self, questions: Sequence[ExtractClaims]) -> list[Reply]:
        replies = []
        for question in questions:
            claims = tuple(dict.fromkeys(claim.text for claim in split_claims(question.text, fine=True)))
            why = f"{len(claims)} claims by rules" if claims else "no statement found"
            replies.append(Reply(claims, why))
        return replies

    def _checks(self, questions: Sequence[CheckClaims]) -> list[Reply]:
        others = [of_others(question) for question in questions]
        opinions = self._opinions(
            [pair for q, rows in zip(questions, others, strict=True) for pair in _pairs(q, rows)]
        )
        replies = []
        for question, rows in zip(questions, others, strict=True):
            grid = [
                [
                    OF_OTHERS if other else concluded(claim, text, question.question, opinions)
                    for text, other in zip(question.evidence, row, strict=True)
                ]
                for claim, row in zip(question.claims, rows, strict=True)
            ]
            cells = tuple("".join(_CELLS[opinion.verdict] for opinion in row) for row in grid)
            replies.append(Reply(cells, _why(question, grid), probabilities=_probabilities(grid)))
        return replies

    def _opinions(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Opinion]:
        distinct = list(dict.fromkeys(pairs))
        found = self.verifier.verdicts([claim for claim, _ in distinct], [text for _, text in distinct])
        return dict(zip(distinct, found, strict=True))

    def _labels(self, questions: Sequence[LabelSentences]) -> list[Reply]:
        pairs = [pair for q in questions for pair in pairs_of(q.contexts, q.response, q.question)]
        opinions = self._opinions([*pairs, *map(whole_pair, questions)])
        replies = []
        for question, shares in zip(questions, self._traced(questions), strict=True):
            labels = label_sentences(question, opinions, shares)
            replies.append(Reply(labels, labels.why_supported))
        return replies

    def _traced(self, questions: Sequence[LabelSentences]) -> list[TraceLabels | None]:
        """The verifier's probabilities of all sentences, where it has them."""
        trained = getattr(self.verifier, "traces", None)
        return trained(questions) if trained is not None else [None] * len(questions)

    def _facts(self, questions: Sequence[ExtractFacts]) -> list[Reply]:
        replies = []
        for question in questions:
            facts = facts_of(question, self.encoder)
            replies.append(Reply(facts, f"{len(facts)} facts by rules" if facts else "no statement found"))
        return replies

    def _relevances(self, questions: Sequence[RelevantSentences]) -> list[Reply]:
        return [Reply(*relevant_sentences(question.question, question.contexts)) for question in questions]

    def _supports(self, questions: Sequence[SupportSentence]) -> list[Reply]:
        wholes = [LabelSentences(q.question, q.contexts, q.response) for q in questions]
        distinct = list(dict.fromkeys(wholes))
        traced = dict(zip(distinct, self._traced(distinct), strict=True))
        chosen = [[(key, text) for key, text in q.response if key == q.key] for q in questions]
        pairs = [pairs_of(q.contexts, own, q.question) for q, own in zip(questions, chosen, strict=True)]
        opinions = self._opinions([pair for some in pairs for pair in some])
        replies = []
        for question, own, whole in zip(questions, chosen, wholes, strict=True):
            if not own:
                replies.append(Reply(reason=f"the response has no sentence {question.key!r}"))
                continue
            found = support_of(question.response.index(own[0]), question, opinions, traced[whole])
            replies.append(Reply(found, found.why))
        return replies

    def _rates(self, questions: Sequence[RateFact]) -> list[Reply]:
        pairs = [(q.fact, joined([("", text) for text in q.knowledge])) for q in questions]
        opinions = self._opinions(pairs)
        replies = []
        for pair, odds in zip(pairs, self._borne_out(questions), strict=True):
            opinion = beside(opinions[pair], odds)
            shares = dict(zip(_CELLS, (opinion.entailed, opinion.contradicted, opinion.neutral), strict=True))
            replies.append(Reply(opinion.verdict, opinion.why, probabilities=shares))
        return replies

    def _borne_out(self, questions: Sequence[RateFact]) -> list[float | None]:
        """What texts found make of a fact one by one, where the verifier can tell."""
        trained = getattr(self.verifier, "borne_out", None)
        claims = [(q.fact, q.knowledge) for q in questions]
        return trained(claims) if trained is not None else [None] * len(claims)

    def _splits(self, questions: Sequence[SplitSentence]) -> list[Reply]:
        found = [tuple(c.text for c in split_claims(q.sentence, fine=True)) for q in questions]
        return [Reply(texts, f"{len(texts)} facts by rules") for texts in found]

    def _revisions(self, questions: Sequence[MakeSelfContained]) -> list[Reply]:
        return [Reply(*self_contained(question)) for question in questions]

    def _on_topic(self, questions: Sequence[IsRelevant]) -> list[Reply]:
        return [Reply(*is_relevant(question, self.encoder)) for question in questions]

    def _queries(self, questions: Sequence[NextQuery]) -> list[Reply]:
        return [Reply(question.fact.rstrip(" .。"), "the fact itself") for question in questions]

    def _similarities(self, questions: Sequence[Similarity]) -> list[Reply]:
        trained = getattr(self.verifier, "similarities", None)
        if trained is None:
            return self._cosines(questions)
        shares = trained([(question.first, question.second) for question in questions])
        unread = [question for question, share in zip(questions, shares, strict=True) if share is None]
        others = iter(self._cosines(unread))
        why = f"likeness by {self.verifier.name}"
        return [next(others) if share is None else Reply(share, why) for share in shares]

    def _cosines(self, questions: Sequence[Similarity]) -> list[Reply]:
        texts = list(dict.fromkeys(text for q in questions for text in (q.first, q.second)))
        rows = dict(zip(texts, self.encoder.encode(texts), strict=True))
        replies = []
        for question in questions:
            same = question.first == question.second
            cosine = 1.0 if same else float(rows[question.first] @ rows[question.second])
            replies.append(Reply(max(-1.0, min(1.0, cosine)), f"cosine by {self.encoder.name}"))
        return replies

    def _refusals(self, questions: Sequence[IsRefusal]) -> list[Reply]:
        return [Reply(*refusal(question.response)) for question in questions]

    def _errors(self, questions: Sequence[PointsOutError]) -> list[Reply]:
        return [Reply(*points_out_error(question.response)) for question in questions]


_ANSWERS: dict[type[Question], Callable[[LocalJudge, Sequence[Any]], list[Reply]]] = {
    ExtractClaims: LocalJudge._claims,
    CheckClaims: LocalJudge._checks,
    LabelSentences: LocalJudge._labels,
    ExtractFacts: LocalJudge._facts,
    RelevantSentences: LocalJudge._relevances,
    SupportSentence: LocalJudge._supports,
    RateFact: LocalJudge._rates,
    SplitSentence: LocalJudge._splits,
    MakeSelfContained: LocalJudge._revisions,
    IsRelevant: LocalJudge._on_topic,
    NextQuery: LocalJudge._queries,
    Similarity: LocalJudge._similarities,
    IsRefusal: LocalJudge._refusals,
    PointsOutError: LocalJudge._errors,
}


def _pairs(question: CheckClaims, others: Sequence[Sequence[bool]]) -> list[tuple[str, str]]:
    """All that must be read to hold claims against evidence texts; not passages that speak of others."""
    return [
        pair
        for claim, row in zip(question.claims, others, strict=True)
        for text, other in zip(question.evidence, row, strict=True)
        if not other
        for pair in pairs_read(claim, text, question.question)
    ]


def _why(question: CheckClaims, grid: list[list[Opinion]]) -> str:
    """What the first verdicts rest on: for each claim, the evidence that supports it most."""
    if not question.claims:
        return "no claims"
    if not question.evidence:
        return "no evidence"
    told = []
    for claim, row in list(zip(question.claims, grid, strict=True))[:_SHOWN]:
        best = max(row, key=lambda opinion: opinion.entailed)
        told.append(f"{claim} {best.verdict} ({best.entailed:.2f}): {best.why}")
    more = len(question.claims) - len(told)
    return "\n".join(told) + (f"\nand {more} more" if more else "")


def _probabilities(grid: list[list[Opinion]]) -> list[list[tuple[float, float, float]]]:
    return [[(o.entailed, o.neutral, o.contradicted) for o in row] for row in grid]
