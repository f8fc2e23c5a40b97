"""RGB's choice of documents, against the orders that its own code gave."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.rgb import RgbItem, read_rgb_items
from adjudge.errors import InputError, UsageError
from adjudge.generate.documents import choose_documents


def item(positive: int = 6, negative: int = 6, **fields) -> RgbItem:
    return RgbItem(
        id="q",
        query="Which?",
        answer="that",
        positive=(tuple(f"yes {n}" for n in range(positive)),),
        negative=tuple(f"no {n}" for n in range(negative)),
        **fields,
    )


def grouped(*sizes: int, negative: int = 6) -> RgbItem:
    groups = tuple(tuple(f"part {g} doc {n}" for n in range(size)) for g, size in enumerate(sizes))
    return msgspec.structs.replace(item(negative=negative), positive=groups, grouped=True)


def planted(size: int, negative: int = 6) -> RgbItem:
    return item(size, negative, positive_wrong=tuple(f"lie {n}" for n in range(size)), counterfactual="this")


def kinds(documents) -> str:
    return "".join(sorted(document.origin[0] for document in documents))


def test_golden_orders(data, golden) -> None:
    """All 14 conditions: every question's documents in RGB's own order."""
    conditions = golden("rgb_document_order.json")
    assert len(conditions) == 14
    for condition, rows in conditions.items():
        file, *settings = condition.split("|")
        given = dict(setting.split("=") for setting in settings)
        items = {entry.id: entry for entry in read_rgb_items(data(f"rgb/{file}"))}
        assert len(items) == len(rows)
        for number, origins in rows:
            documents = choose_documents(
                items[str(number)],
                passages=int(given["n"]),
                noise=float(given["noise"]),
                correct=float(given["correct"]),
            )
            assert [document.origin for document in documents] == origins, (condition, number)


@pytest.mark.parametrize(
    ("question", "noise", "origins"),
    [
        (planted(2), 0.0, "W1 W0"),
        (planted(3), 0.0, "W0 W1 W2"),
        (planted(4), 0.0, "W2 W0 W1 W3"),
        (item(), 0.4, "P1 N1 N0 P2 P0"),
    ],
)
def test_orders_depend_on_numbers_only(question: RgbItem, noise: float, origins: str) -> None:
    """Orders of RGB's own code for questions with as many documents."""
    assert [document.origin for document in choose_documents(question, noise=noise)] == origins.split()


@pytest.mark.parametrize(
    ("positive", "negative", "noise", "expected"),
    [
        (6, 6, 0.0, "PPPPP"),
        (6, 6, 0.4, "NNPPP"),
        (6, 6, 0.5, "NNNPP"),
        (6, 6, 1.0, "NNNNN"),
        (6, 1, 0.6, "NPPPP"),
        (2, 6, 0.2, "NNNPP"),
        (2, 1, 0.6, "NPP"),
        (6, 2, 1.0, "NN"),
    ],
)
def test_one_kind_makes_up_for_the_other(positive: int, negative: int, noise: float, expected: str) -> None:
    documents = choose_documents(item(positive, negative), noise=noise)
    assert kinds(documents) == expected


def test_every_part_of_the_answer_has_a_document_even_beyond_the_number() -> None:
    documents = choose_documents(grouped(2, 1, 3, 1, 1, 2, 1), noise=0.4)
    assert sorted({document.origin.partition(".")[0] for document in documents}) == [
        f"P{n}" for n in range(7)
    ]
    assert len(documents) == 7


def test_parts_are_filled_in_turn() -> None:
    documents = choose_documents(grouped(1, 4, 2), noise=0.0)
    parts = [document.origin[:2] for document in documents]
    assert sorted(parts) == ["P0", "P1", "P1", "P2", "P2"]
    assert kinds(choose_documents(grouped(1, 1, negative=2))) == "NNPP"


def test_planted_documents_and_true_ones_do_not_overlap() -> None:
    documents = choose_documents(planted(6), correct=0.4)
    assert kinds(documents) == "PPWWW"
    assert len({document.origin[1:] for document in documents}) == 5
    assert kinds(choose_documents(planted(2), noise=0.2, correct=0.2)) == "NWW"


def test_texts_follow_origins() -> None:
    for document in choose_documents(planted(6), noise=0.2, correct=0.2):
        word = {"W": "lie", "P": "yes", "N": "no"}[document.origin[0]]
        assert document.text == f"{word} {document.origin[1:]}"


def test_no_passages() -> None:
    assert choose_documents(item(), passages=0) == ()


@pytest.mark.parametrize(
    "settings", [{"noise": 1.1}, {"correct": -0.1}, {"passages": -1}, {"noise": 0.6, "correct": 0.6}]
)
def test_impossible_settings(settings: dict) -> None:
    with pytest.raises(UsageError):
        choose_documents(planted(6), **settings)


def test_a_part_without_documents() -> None:
    with pytest.raises(InputError, match="sample 'q', field 'positive'"):
        choose_documents(grouped(2, 0))


@given(
    st.one_of(
        st.builds(item, st.integers(0, 8), st.integers(0, 8)),
        st.lists(st.integers(1, 4), min_size=1, max_size=7).map(lambda sizes: grouped(*sizes)),
        st.builds(planted, st.integers(0, 8), st.integers(0, 8)),
    ),
    st.integers(0, 7),
    st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
)
def test_choice_is_repeatable_without_repeats_and_touches_nothing_else(
    question: RgbItem, passages: int, noise: float
) -> None:
    state = random.getstate()
    before = msgspec.json.encode(question)
    documents = choose_documents(question, passages=passages, noise=noise)
    assert documents == choose_documents(question, passages=passages, noise=noise)
    assert len({document.origin for document in documents}) == len(documents)
    assert len(documents) <= max(passages, len(question.positive))
    assert (msgspec.json.encode(question), random.getstate()) == (before, state)
