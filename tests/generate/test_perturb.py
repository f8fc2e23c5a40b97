"""Synthetic predictions: each mishap does what it says, the same way for a seed, and metrics see it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from adjudge import evaluate
from adjudge.cli import main
from adjudge.errors import InputError, UsageError
from adjudge.generate.perturb import Mishaps, perturb, shifted
from adjudge.types import Rule, Sample, Violation


def sample(number: int = 0) -> Sample:
    gold = tuple(
        Violation(spans=((10 * n, 10 * n + 6),), rule="R1" if n % 2 else "R2", explanation="why")
        for n in range(8)
    )
    rules = (Rule(id="R1", category="c1"), Rule(id="R2"), Rule(id="R3", category="c3"))
    return Sample(id=f"s{number}", text="abcdefghij" * 9, gold=gold, rules=rules)


MANY = [sample(n) for n in range(50)]


def counts(**shares: Any) -> dict[str, float]:
    result = evaluate(list(perturb(MANY, Mishaps(**shares))), "violations", judge="rules")
    return dict(result.row("violations.std_f1").counts)


def test_without_mishap_all_is_right() -> None:
    assert counts() == {"tp": 400, "fp": 0, "fn": 0}
    (made,) = perturb([sample()], Mishaps())
    assert [one.explanation for one in made.predicted or ()] == ["why"] * 8
    assert made.attributes["checker"] == "perturbed-nothing-seed0@1"


def test_dropped_are_missed_and_doubled_are_spurious() -> None:
    assert counts(drop=1) == {"tp": 0, "fp": 0, "fn": 400}
    assert counts(double=1) == {"tp": 400, "fp": 400, "fn": 0}
    found = counts(drop=0.25, seed=3)
    assert 60 < found["fn"] < 140
    assert found["fp"] == 0


def test_wrong_rules_and_shifts() -> None:
    for made in perturb(MANY, Mishaps(wrong_rule=1)):
        for gold, pred in zip(made.gold or (), made.predicted or (), strict=True):
            assert pred.spans == gold.spans
            assert pred.rule != gold.rule
    for made in perturb(MANY, Mishaps(shift=1)):
        for gold, pred in zip(made.gold or (), made.predicted or (), strict=True):
            assert pred.rule == gold.rule
            ((a, b),), ((c, d),) = gold.spans or (), pred.spans or ()
            assert (abs(a - c), b - a) == (3, d - c)
    # same rule and any overlap: std does not mind a shift by half; the match score does
    result = evaluate(list(perturb(MANY, Mishaps(shift=1))), "violations", judge="rules")
    assert result.value("violations.std_f1") == 1.0
    assert result.value("violations.match_score_std") == pytest.approx((1 / 3 + 1) / 2)
    assert counts(spurious=1)["fp"] > 300


def test_a_seed_gives_the_same_whatever_the_order_and_one_mishap_leaves_the_others() -> None:
    first = {one.id: one.predicted for one in perturb(MANY, Mishaps(drop=0.5, seed=7))}
    again = {one.id: one.predicted for one in perturb(MANY[::-1], Mishaps(drop=0.5, seed=7))}
    other = {one.id: one.predicted for one in perturb(MANY, Mishaps(drop=0.5, seed=8))}
    assert first == again != other
    both = {one.id: one.predicted for one in perturb(MANY, Mishaps(drop=0.5, double=1, seed=7))}
    assert all(len(both[id] or ()) == 2 * len(found or ()) for id, found in first.items())


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), min_size=1, max_size=3), st.integers(0, 9))
def test_shifted_spans_stay_in_the_text(raw: list[tuple[int, int]], seed: int) -> None:
    spans = tuple((start, start + size) for start, size in raw)
    moved = shifted(spans, 40, 0.5, Random(seed))
    assert [end - start for start, end in moved] == [end - start for start, end in spans]
    assert min(start for start, _ in moved) >= 0
    assert max(end for _, end in moved) <= 40


def test_impossible_shares_and_missing_gold() -> None:
    with pytest.raises(UsageError, match="--wrong-rule 2: it must be from 0 to 1"):
        Mishaps(wrong_rule=2)
    with pytest.raises(InputError, match="predictions are made from it") as caught:
        list(perturb([Sample(id="x", text="y")], Mishaps()))
    assert caught.value.field == "gold"


def test_the_command_writes_a_split(tmp_path: Path) -> None:
    rows = [
        {
            "adjudge": "violations",
            "format": 1,
            "split": "lamps@0.1",
            "description": "Invented.",
            "rules": [{"id": "R"}],
        },
        {"id": "s", "text": "Buy now!", "gold": [{"quote": "now", "rule": "R"}]},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "out.jsonl"
    done = CliRunner().invoke(
        main, ["data", "perturb", str(tmp_path / "x.jsonl"), "-o", str(out), "--double", "1"]
    )
    assert done.exit_code == 0, done.output
    header, line = map(json.loads, out.read_text().splitlines())
    assert header["checker"] == "perturbed-double1-seed0@1"
    assert header["description"] == "Invented."
    assert [one["spans"] for one in line["predicted"]] == [[[4, 7]], [[4, 7]]]
