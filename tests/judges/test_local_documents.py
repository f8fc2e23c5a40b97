"""Which documents a response sentence is read beside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.base import LabelSentences, RateFact
from adjudge.judges.local.documents import (
    READ,
    ROOM,
    Asked,
    added,
    added_to_answer,
    document_pairs,
    documents,
    log_odds_of,
)
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.labelling import NEITHER_SENTENCE
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.windows import stretch
from adjudge.judges.local.words import bag

BRIDGE = "The bridge at Orn was opened in 1911. It is painted red. Trams cross it every hour."
FERRY = "The ferry at Orn sank in 1902. Forty people swam ashore."
SEA = "The sea is wide. Gulls live there."


def test_passages_are_told_apart_by_their_keys() -> None:
    keyed = (("0a", "One."), ("0b", "Two."), ("10a", "Three."), ("1a", "Four."), ("x?", "Five."))
    assert documents(keyed) == ["One.\n\nTwo.", "Three.", "Four.", "Five."]
    assert documents(()) == []


def test_the_nearest_documents_are_read_first_and_none_is_mixed_with_another() -> None:
    (asked,) = document_pairs("The bridge at Orn was opened in 1911.", [SEA, FERRY, BRIDGE])
    assert [text for _, text in asked.nearest] == [BRIDGE, FERRY][:READ]


def test_what_several_documents_have_together_is_gathered_unless_one_has_it_all() -> None:
    ferry = "The ferry at Orn was built by Ada Brun. It sank in 1902."
    brun = "Ada Brun was born at Lund in 1860. She had two sisters."
    (joined,) = document_pairs(
        "The ferry at Orn was built by Ada Brun, who was born at Lund.", [SEA, ferry, brun]
    )
    assert joined.gathered is not None
    assert {"The ferry at Orn was built by Ada Brun.", "Ada Brun was born at Lund in 1860."} <= set(
        Evidence(joined.gathered[1]).sentences
    )
    for texts in ([ferry], [ferry, ferry]):
        (alone,) = document_pairs("The ferry at Orn was built by Ada Brun.", texts)
        assert alone.gathered is None


LOG_ODDS = st.floats(-8, 8)


@given(st.lists(LOG_ODDS, min_size=1, max_size=READ), LOG_ODDS)
def test_what_is_gathered_counts_a_tenth_of_a_document(near: list[float], gathered: float) -> None:
    pairs, more = [("It sank.", str(n)) for n in range(len(near))], ("It sank.", "all")
    known = dict(zip(pairs, near, strict=True)) | {more: gathered}
    odds = sum(math.exp(x) for x in near)
    for alone in (Asked(pairs, more).beside_documents(known), Asked(pairs, None).beside_all(known)):
        assert math.exp(alone) == pytest.approx(odds / len(near))
    both = (odds + math.exp(gathered) / 10) / (len(near) + 1 / 10)
    assert math.exp(Asked(pairs, more).beside_all(known)) == pytest.approx(both)


TEXTS = st.sampled_from("abcd")
ASKED = st.builds(
    lambda near, more: Asked([("It sank.", text) for text in near], ("It sank.", more) if more else None),
    st.lists(TEXTS, min_size=1, max_size=READ, unique=True),
    st.none() | TEXTS,
)


@given(st.lists(st.lists(ASKED, max_size=2), max_size=3), st.lists(LOG_ODDS, min_size=4, max_size=4))
def test_what_is_said_of_a_claim_does_not_depend_on_others(
    claims: list[list[Asked]], odds: list[float]
) -> None:
    told = {("It sank.", text): x for text, x in zip("abcd", odds, strict=True)}

    def read(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
        return {pair: told[pair] for pair in pairs}

    assert log_odds_of(claims, read) == [log_odds_of([claim], read)[0] for claim in claims]


def test_what_is_gathered_is_read_where_documents_leave_a_sentence_open_and_only_there() -> None:
    def asked(name: str) -> Asked:
        return Asked([(name, "document")], (name, "all"))

    told, runs = {"sure": 4.0, "open": 0.0, "denied": -4.0}, []

    def read(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
        runs.append(list(pairs))
        return {pair: told[pair[0]] for pair in pairs}

    found = log_odds_of([[asked("sure"), asked("open")], [], [asked("denied")]], read)
    assert runs == [
        [("sure", "document"), ("open", "document"), ("denied", "document")],
        [("open", "all"), ("denied", "all")],
    ]
    assert [[round(x, 6) for x in own] for own in found] == [[4.0, 0.0], [], [-4.0]]
    runs.clear()
    assert log_odds_of([[asked("sure")]], read) == [[4.0]]
    assert len(runs) == 1


def test_each_sentence_is_asked_with_figures_as_the_documents_have_them() -> None:
    asked = document_pairs("It has 2M people. Trams cross the bridge.", ["Orn has 2.1M people.", BRIDGE])
    assert [own.nearest[0][0] for own in asked] == ["It has 2.1M people.", "Trams cross the bridge."]


def test_nothing_is_asked_beside_nothing() -> None:
    for texts in ([], ["", "  "]):
        assert document_pairs("The bridge is red.", texts) == []
    assert added(None) == added_to_answer([]) == added_to_answer([None]) == 0.0
    assert added(2.0) > 0 > added(-2.0)
    assert added_to_answer([2.0, None]) == added_to_answer([2.0]) > 0 > added_to_answer([-2.0])


def test_a_sentence_that_is_not_borne_out_outweighs_those_that_are() -> None:
    # 1 to 3 against one and 3 to 1 against the other: 10 to 3 in all, by the root of two.
    one = math.log(3 / 10 * math.sqrt(2))
    assert added_to_answer([math.log(3), math.log(1 / 3)]) == pytest.approx(added_to_answer([one]))
    assert added_to_answer([5.0] * 9 + [-4.0]) < 0 < added_to_answer([5.0] * 10)
    assert added_to_answer([1.0, 2.0, 3.0]) == pytest.approx(added_to_answer([3.0, 1.0, 2.0]))


def test_two_errors_are_worse_than_one_and_more_sentences_hardly_are() -> None:
    one, two, longer = [-3.0, 3.0, 3.0], [-3.0, -3.0, 3.0], [-3.0, *[3.0] * 5]
    assert added_to_answer(two) < added_to_answer(one) < added_to_answer(longer)
    # Four alike count as much as one with twice the odds against it.
    assert added_to_answer([2.0] * 4) == pytest.approx(added_to_answer([2.0 - math.log(2)]))


WORDS = ("tea", "ore", "salt", "sheep", "timber")
SENTENCES = st.lists(st.sampled_from([f"The boat carries {word}." for word in WORDS]), min_size=1)


@given(SENTENCES, st.integers(5, 120))
def test_no_run_that_fits_has_clearly_more_of_the_claim(sentences: list[str], room: int) -> None:
    claim, evidence = "A boat carries tea, ore and timber.", Evidence("\n\n".join(sentences))
    _, text = stretch(claim, evidence, room)
    runs = [
        " ".join(evidence.sentences[a:b])
        for a in range(len(evidence.sentences))
        for b in range(a + 1, len(evidence.sentences) + 1)
    ]
    fitting = [run for run in runs if len(run) <= room or run in evidence.sentences]
    wanted = bag(claim)

    def share(run: str) -> float:
        return sum(weight for key, weight in wanted.weights.items() if key in bag(run).weights) / wanted.total

    assert text in fitting
    # The nearest single sentence counts too, but no more than .15.
    assert share(text) >= max(map(share, fitting)) - 0.15


def test_a_claim_mixed_from_two_documents_is_borne_out_by_neither() -> None:
    """The very case that windows gathered from anywhere cannot tell."""
    contexts = tuple(
        (f"{n}{letter}", text)
        for n, doc in enumerate((BRIDGE, FERRY))
        for letter, text in zip("abc", Evidence(doc).sentences, strict=False)
    )
    said = (
        ("a", "The bridge at Orn was opened in 1911."),
        ("b", "The ferry at Orn was painted red in 1911."),
    )
    (labels,) = ModelVerifier().traces([LabelSentences("What happened at Orn?", contexts, said)])
    told, mixed = (added(odds, NEITHER_SENTENCE) for odds in labels.borne_out)
    assert mixed < 0 < told


def test_a_fact_is_rated_beside_each_text_found() -> None:
    mixed = RateFact("The ferry at Orn was painted red in 1911.", (BRIDGE, FERRY))
    (reply,) = LocalJudge().answer([mixed])
    assert reply.value != "entailed"
    assert "beside the nearest documents -" in reply.why
    (without,) = ModelVerifier().verdicts([mixed.fact], ["\n\n".join(mixed.knowledge)])
    assert reply.probabilities["entailed"] < without.entailed


def test_scripts_that_the_model_cannot_read_are_not_shown_to_it() -> None:
    (reply,) = LocalJudge().answer([RateFact("东京是日本的首都。", ("东京是日本的首都。", "大阪很大。"))])
    assert reply.value == "entailed"
    assert "documents" not in reply.why


def test_long_documents_are_cut_to_what_the_model_can_read() -> None:
    long = " ".join(f"Sentence {n} of the chronicle says little." for n in range(60))
    (asked,) = document_pairs("Sentence 41 of the chronicle says little.", [SEA, long])
    (_, text), *_ = asked.nearest
    assert len(text) <= ROOM
    assert "Sentence 41 " in text
