"""Overlap and matching against sets of positions, scipy's assignment, and brute force."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from adjudge.metrics.spans import (
    Gates,
    Pair,
    assign,
    eligible,
    failing,
    greedy,
    iou,
    length,
    optimal,
    overlap,
    union,
    weigh,
)

OPEN = Gates(0.0, None, 0.0)

span_lists = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5)


def positions(spans: list[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


@given(span_lists)
def test_union_keeps_the_positions_and_separates_the_spans(spans: list[tuple[int, int]]) -> None:
    merged = union(spans)
    assert positions(list(merged)) == positions(spans)
    assert all(before[1] < after[0] for before, after in pairwise(merged))
    assert length(spans) == len(positions(spans))


@given(span_lists, span_lists)
def test_overlap_counts_positions(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    a, b = positions(first), positions(second)
    assert overlap(first, second) == (len(a & b), len(a | b))
    assert iou(first, second) == iou(second, first) == (len(a & b) / len(a | b) if a | b else 0.0)
    assert 0.0 <= iou(first, second) <= 1.0


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ([(10, 30)], [(20, 50)], 10 / 40),
        ([(0, 10)], [(10, 20)], 0.0),
        ([(0, 5), (10, 15)], [(0, 15)], 10 / 15),
        ([(0, 5), (3, 8)], [(0, 8)], 1.0),
        ([(0, 6)], [(20, 26)], 0.0),
        ([], [], 0.0),
        ([(4, 4)], [(4, 4)], 0.0),
        ([(4, 4)], [(0, 9)], 0.0),
    ],
)
def test_iou_by_hand(first: list[tuple[int, int]], second: list[tuple[int, int]], value: float) -> None:
    assert iou(first, second) == value


def test_weights_pick_their_terms() -> None:
    assert weigh({"text": 0.6, "rule": 0.5, "category": 1.0}, {"text": 0.5, "rule": 0.5}) == 0.55


def test_every_closed_gate_is_named() -> None:
    assert failing(Pair(0, 0, 0.0, 0.01, 0.5), Gates()) == (
        "text overlap 0 is not above 0",
        "rule similarity 0.01 is not above 0.01",
        "score 0.5 is not above 0.5",
    )
    assert failing(Pair(0, 0, 0.1, 0.02, 0.51), Gates()) == ()
    assert failing(Pair(0, 0, 0.1, None, 0.51), Gates())
    assert not failing(Pair(0, 0, 0.1, None, 0.51), Gates(rule=None))


def test_noise_in_the_last_bits_opens_no_gate_and_breaks_no_tie() -> None:
    noisy = math.nextafter(0.5, 1)
    assert eligible([Pair(0, 0, 1.0, 1.0, noisy)], Gates()) == []
    close = [Pair(0, 1, 1.0, 1.0, 0.7 + 2e-16), Pair(0, 0, 1.0, 1.0, 0.7)]
    assert [pair.pred for pair in greedy(close, Gates())] == [0]


def test_equal_scores_go_by_gold_then_prediction() -> None:
    pairs = [Pair(g, p, 1.0, 1.0, 0.8) for g in (1, 0) for p in (2, 1, 0)]
    assert [pair[:2] for pair in eligible(pairs, Gates())] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert [pair[:2] for pair in greedy(pairs, Gates())] == [(0, 0), (1, 1)]


def test_of_equal_totals_the_best_assignment_has_more_pairs() -> None:
    # two pairs of 1.0 and 0.8 are worth as much as three of 0.6
    pairs = [
        Pair(0, 0, 1.0, 1.0, 0.6),
        Pair(1, 0, 1.0, 1.0, 1.0),
        Pair(1, 1, 1.0, 1.0, 0.6),
        Pair(2, 1, 1.0, 1.0, 0.8),
        Pair(2, 2, 1.0, 1.0, 0.6),
    ]
    assert [pair[:2] for pair in optimal(pairs, Gates())] == [(0, 0), (1, 1), (2, 2)]
    assert [pair[:2] for pair in greedy(pairs, Gates())] == [(1, 0), (2, 1)]


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 20), min_size=6, max_size=6), min_size=n, max_size=n)
    )
)
def test_assign_is_as_good_as_scipy(worths: list[list[int]]) -> None:
    columns = assign(worths)
    assert len(set(columns)) == len(columns) == len(worths)
    table = np.array(worths)
    rows, best = linear_sum_assignment(table, maximize=True)
    assert sum(worths[row][column] for row, column in enumerate(columns)) == table[rows, best].sum()


scores = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.55, 0.6, 0.75, 0.9, 1.0])
tables = st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.tuples(scores, scores, scores))


def pairs_of(table: dict[tuple[int, int], tuple[float, float, float]]) -> list[Pair]:
    return [Pair(*at, *values) for at, values in table.items()]


@given(tables)
def test_optimal_is_one_to_one_and_as_good_as_scipy(
    table: dict[tuple[int, int], tuple[float, float, float]],
) -> None:
    pairs = pairs_of(table)
    found = optimal(pairs, Gates())
    assert len({pair.gold for pair in found}) == len({pair.pred for pair in found}) == len(found)
    matrix = np.zeros((7, 7))
    for pair in eligible(pairs, Gates()):
        matrix[pair.gold, pair.pred] = pair.score
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    total = sum(pair.score for pair in found)
    assert total == pytest.approx(matrix[rows, columns].sum(), abs=1e-9)
    assert total >= sum(pair.score for pair in greedy(pairs, Gates())) - 1e-9


@given(tables)
def test_swapping_sides_swaps_the_matches(table: dict[tuple[int, int], tuple[float, float, float]]) -> None:
    pairs = pairs_of(table)
    swapped = [pair._replace(gold=pair.pred, pred=pair.gold) for pair in pairs]
    there = {pair[:2] for pair in greedy(pairs, Gates())}
    assert {(pred, gold) for gold, pred, *_ in greedy(swapped, Gates())} == there
    assert len(optimal(pairs, Gates())) == len(optimal(swapped, Gates()))


@given(st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 2)), scores))
def test_optimal_against_every_possibility(table: dict[tuple[int, int], float]) -> None:
    pairs = [Pair(*at, 1.0, 1.0, score) for at, score in table.items()]
    best = max(
        (round(sum(score for score in chosen), 9), sum(score > 0 for score in chosen))
        for order in permutations(range(3))
        for chosen in [[table.get((gold, pred), 0.0) for gold, pred in enumerate(order)]]
    )
    found = optimal(pairs, OPEN)
    assert (round(sum(pair.score for pair in found), 9), len(found)) == best


@given(tables)
def test_greedy_takes_the_best_pair_and_leaves_no_eligible_pair_free(
    table: dict[tuple[int, int], tuple[float, float, float]],
) -> None:
    pairs = pairs_of(table)
    found = greedy(pairs, Gates())
    assert all(not failing(pair, Gates()) for pair in found)
    golds, preds = {pair.gold for pair in found}, {pair.pred for pair in found}
    passed = [pair for pair in pairs if not failing(pair, Gates())]
    assert all(pair.gold in golds or pair.pred in preds for pair in passed)
    if passed:
        assert found[0].score == max(pair.score for pair in passed)
