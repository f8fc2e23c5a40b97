"""RAGChecker's counts against a plain re-implementation, and the numbers that the reference was run on."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.metrics.entailment import Table, Tally, count_claims, gaps, numpy_mean, numpy_round, table
from adjudge.types import Grid, Label


def ids(text: str, n: int) -> tuple[str, ...]:
    return tuple(f"claim:{text}:{k}" for k in range(n))


def tables(a: str, x: list[str], b: str, y: list[str], width: int) -> tuple[Table, Table, list[str]]:
    """Tables from the four checks; x and y have one string a claim, one character a passage."""
    passages = [f"ctx:{k}" for k in range(width)]
    sides = []
    for text, other, whole, matrix in (("response", "reference", a, x), ("reference", "response", b, y)):
        columns = {passage: "".join(row[k] for row in matrix) for k, passage in enumerate(passages)}
        sides.append(Table(ids(text, len(whole)), {other: whole, **columns}))
    return sides[0], sides[1], passages


@st.composite
def checks(draw: st.DrawFn) -> tuple[str, list[str], str, list[str], int]:
    width, n_r, n_g = draw(st.integers(1, 5)), draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cells = st.text("eecnx", min_size=width, max_size=width)
    return (
        draw(st.text("ecnx", min_size=n_r, max_size=n_r)),
        draw(st.lists(cells, min_size=n_r, max_size=n_r)),
        draw(st.text("ecnx", min_size=n_g, max_size=n_g)),
        draw(st.lists(cells, min_size=n_g, max_size=n_g)),
        width,
    )


@given(checks())
def test_every_response_claim_is_of_one_kind(check: Any) -> None:
    counts = count_claims(*tables(*check)).counts
    everything = sorted(counts["response_claims"].units)
    by_ground = ("faithful_claims", "hallucinated_claims", "self_known_claims")
    by_truth = ("correct_claims", "relevant_noise", "irrelevant_noise", "hallucinated_claims")
    for names in (by_ground, by_truth):
        assert sorted(unit for name in names for unit in counts[name].units) == everything


@given(checks())
def test_counts_equal_a_plain_reading_of_the_definitions(check: Any) -> None:
    a, x, b, y, width = check
    counts = count_claims(*tables(*check)).counts
    relevant = [any(row[k] == "e" for row in y) for k in range(width)]
    in_relevant = [any(row[k] == "e" and relevant[k] for k in range(width)) for row in x]
    in_any = ["e" in row for row in x]
    covered = ["e" in row for row in y]
    expected = {
        "correct_claims": [c == "e" for c in a],
        "response_neutral": [c == "n" for c in a],
        "response_contradicted": [c == "c" for c in a],
        "faithful_claims": in_any,
        "relevant_noise": [r and c != "e" for r, c in zip(in_relevant, a, strict=True)],
        "irrelevant_noise": [
            i and not r and c != "e" for i, r, c in zip(in_any, in_relevant, a, strict=True)
        ],
        "hallucinated_claims": [not i and c != "e" for i, c in zip(in_any, a, strict=True)],
        "self_known_claims": [not i and c == "e" for i, c in zip(in_any, a, strict=True)],
    }
    for name, flags in expected.items():
        assert counts[name].units == tuple(f"claim:response:{k}" for k, f in enumerate(flags) if f), name
        assert counts[name].n == sum(flags)
    used = [c and v == "e" for c, v in zip(covered, b, strict=True)]
    for name, flags in {"covered_claims": covered, "used_claims": used}.items():
        assert counts[name].units == tuple(f"claim:reference:{k}" for k, f in enumerate(flags) if f)
    assert counts["relevant_passages"].units == tuple(f"ctx:{k}" for k, f in enumerate(relevant) if f)


def test_one_table_from_any_split_of_rows_columns_and_labels() -> None:
    claims = ids("response", 3)
    whole = Grid("check", claims, ("reference", "ctx:0", "ctx:1"), ("ecn", "nxe", "c-e"))
    expected = table(claims, [whole])
    assert expected.columns == {"reference": "enc", "ctx:0": "cx-", "ctx:1": "nee"}
    by_column = [
        Grid("check", claims, ("reference", "ctx:1"), ("en", "ne", "ce")),
        Grid("check", claims, ("ctx:0",), ("c", "x", "-")),
    ]
    by_row = [
        Grid("check", claims[2:], ("reference", "ctx:0", "ctx:1"), ("c-e",)),
        Grid("check", (*claims[1::-1], "claim:reference:0"), whole.columns, ("nxe", "ecn", "eee")),
    ]
    for parts in (by_column, by_row):
        for order in permutations(parts):
            assert table(claims, order) == expected
    label = Label("check", claims[2], "contradicted", "ctx:0")
    assert table(claims, [whole], [label]).columns["ctx:0"] == "cxc"
    assert table(claims, [whole], [Label("check", claims[0], "sure", "ctx:9")]).columns["ctx:9"] == "x--"


def test_entailed_wins_over_other_verdicts_in_any_order() -> None:
    claims = ids("response", 1)
    grids = [Grid("check", claims, ("reference",), (char,)) for char in "xnce-"]
    for order in permutations(grids):
        assert table(claims, order).columns == {"reference": "e"}


def test_a_grid_that_does_not_fit_itself_is_an_error() -> None:
    claims = ids("response", 2)
    for cells in (("e", "ee"), ("ee",), ("eee", "e")):
        with pytest.raises(ValueError, match="2 rows and 2 columns"):
            table(claims, [Grid("check", claims, ("reference", "ctx:0"), cells)])
    with pytest.raises(ValueError, match="written e, c, n, x or -"):
        count_claims(table(claims, [Grid("check", claims, ("reference",), ("e", "q"))]), None, [])


def test_what_cannot_be_counted_says_why() -> None:
    response = Table(ids("response", 2), {"reference": "e-", "ctx:0": "en"})
    tally: Tally = count_claims(response, None, ["ctx:0"])
    assert tally.counts["faithful_claims"].units == ("claim:response:0",)
    assert tally.lacking["correct_claims"] == "1 of 2 response claims have no verdict against the reference"
    assert tally.lacking["hallucinated_claims"] == tally.lacking["correct_claims"]
    assert tally.lacking["covered_claims"] == "the reference was not split into claims"
    both = count_claims(response, Table(ids("reference", 3), {"response": "eee"}), ["ctx:0", "ctx:1"])
    assert both.lacking["covered_claims"] == "6 of 6 checks of reference claims against passages are missing"
    assert both.lacking["faithful_claims"] == "2 of 4 checks of response claims against passages are missing"
    assert not set(both.lacking) & set(both.counts)


def test_gaps_name_what_to_look_at_first() -> None:
    counts = count_claims(*tables("en", ["ee", "nn"], "nec", ["en", "nn", "en"], 2)).counts
    assert gaps(counts) == {
        "reference claims that the response lacks": ("claim:reference:0", "claim:reference:2"),
        "response claims in no passage": ("claim:response:1",),
        "passages without a reference claim": ("ctx:1",),
    }
    assert "response claims in no passage" not in gaps(
        count_claims(*tables("en", ["", ""], "e", [""], 0)).counts
    )


def test_rounding_is_numpys(golden: Callable[[str], Any]) -> None:
    rows = golden("rounding.json")["rows"]
    assert [row for row in rows if numpy_round(row[0]) != row[1]] == []
    assert any(round(row[0], 1) != row[1] for row in rows)


def test_mean_is_pairwise() -> None:
    values = [0.1] * 1000
    assert numpy_mean(values) != sum(values) / 1000
    assert numpy_mean(values) == pytest.approx(0.1, abs=1e-16)
