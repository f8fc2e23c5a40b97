"""F1@K against every value that the reference implementation was run on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.metrics.f_at_k import f1_at_k, precision, recall_at_k


@pytest.fixture(scope="module")
def reference(golden: Callable[[str], Any]) -> Any:
    return golden("f1_at_k.json")


def test_every_row_is_equal_to_the_last_bit(reference: Any) -> None:
    assert len(reference["rows"]) == 6272
    wrong = [row for row in reference["rows"] if f1_at_k(*row[:3]) != row[3]]
    assert wrong == []


def test_k_is_100_unless_given(reference: Any) -> None:
    assert reference["default_K"] == 100
    assert [row for row in reference["default_K_rows"] if f1_at_k(*row[:2]) != row[2]] == []


def test_impossible_arguments_are_errors_and_k_is_looked_at_first(reference: Any) -> None:
    kinds = {"max_claims": "K must be positive", "negative": "cannot be negative"}
    for case in reference["errors"]:
        with pytest.raises(ValueError, match=kinds[case["message_kind"]]):
            f1_at_k(*case["args"])
    with pytest.raises(ValueError, match="K must be positive"):
        f1_at_k(-1, -1, 0)


@pytest.mark.parametrize(
    ("supported", "not_supported", "k", "p", "r", "f1"),
    [
        (0, 0, 10, 0, 0, 0),
        (0, 5, 10, 0, 0, 0),
        (5, 5, 10, 0.5, 0.5, 0.5),
        (20, 0, 10, 1, 1, 1),
        (3, 1, 4, 0.75, 0.75, 0.75),
    ],
)
def test_parts(supported: int, not_supported: int, k: int, p: float, r: float, f1: float) -> None:
    assert precision(supported, not_supported) == p
    assert recall_at_k(supported, k) == r
    assert f1_at_k(supported, not_supported, k) == f1


@given(st.integers(0, 400), st.integers(0, 400), st.integers(1, 300))
def test_f1_lies_between_precision_and_recall(supported: int, not_supported: int, k: int) -> None:
    parts = precision(supported, not_supported), recall_at_k(supported, k)
    assert min(parts) - 1e-12 <= f1_at_k(supported, not_supported, k) <= max(parts) + 1e-12
