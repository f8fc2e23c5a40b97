"""Which documents a response sentence is read beside."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.base import LabelSentences, RateFact
from adjudge.judges.local.documents import (
    READ,
    ROOM,
    added,
    added_to_answer,
    document_pairs,
    documents,
)
from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.judge import LocalJudge
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
    (pairs,) = document_pairs("The bridge at Orn was opened in 1911.", [SEA, FERRY, BRIDGE])
    assert [text for _, text in pairs] == [BRIDGE, FERRY][:READ]


def test_each_sentence_is_asked_with_figures_as_the_documents_have_them() -> None:
    asked = document_pairs("It has 2M people. Trams cross the bridge.", ["Orn has 2.1M people.", BRIDGE])
    assert [own[0][0] for own in asked] == ["It has 2.1M people.", "Trams cross the bridge."]


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
    told, mixed = labels.borne_out
    assert told > 1
    assert mixed < 0 > added(mixed)


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
    (pairs,) = document_pairs("Sentence 41 of the chronicle says little.", [SEA, long])
    assert len(pairs[0][1]) <= ROOM
    assert "Sentence 41 " in pairs[0][1]
