"""Weights and thresholds: kept, refused, renormalised, and stated in the signature."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.protocols import make_protocol
from adjudge.protocols.violations import Violations
from adjudge.types import Sample, Violation
from violation_helpers import STD, TERMS, by_name, labelled, run


def test_nested_parameters_keep_the_other_defaults() -> None:
    given = {"ha": {"weights": {"rule": "0.4", "text": "0.2"}}, "std": {"match_threshold": 0.7}}
    protocol = make_protocol("violations", given)
    assert isinstance(protocol, Violations)
    assert protocol.ha.weights.shares() == dict(zip(TERMS, (0.2, 0.4, 0.1, 0.2, 0.1), strict=True))
    assert (protocol.ha.match_threshold, protocol.std.match_threshold) == (0.5, 0.7)
    assert protocol.std.weights.shares() == dict(zip(TERMS, (0.5, 0.5, 0, 0, 0), strict=True))
    assert protocol.signature("judge:rules").startswith(
        "violations|v1|std:0.5*text+0.5*rule>0.7,text>0,rule>0.01|ha:0.2*text+0.4*rule+0.1*category"
        "+0.2*explanation+0.1*correction>0.5,text>0,rule>0.01|judge:rules|"
    )
    protocol = make_protocol("violations", {"metrics": STD, "without": ["correction"], "clamp": True})
    assert protocol.parameters() == [
        "std:0.5*text+0.5*rule>0.5,text>0,rule>0.01",
        "without:correction",
        "clamp:yes",
    ]


def test_the_signature_states_what_the_data_declares_as_what_is_set() -> None:
    """The weights are the same either way, and so are the words."""
    declared = {"without": "correction, explanation"}
    stated = Violations().signature("judge:rules", attributes=declared)
    assert "|without:explanation,correction|" in stated
    assert stated == Violations(without=("explanation", "correction")).signature("judge:rules")
    assert stated == Violations(without=("correction",)).signature("judge:rules", attributes=declared)
    assert "without" not in Violations().signature("judge:rules", attributes={"split": "x@1"})


@pytest.mark.parametrize(
    "given",
    [
        {"ha": {"weights": {"rule": 0.5}}},
        {"std": {"weights": {"rule": 1.5, "text": -0.5}}},
        {"std": {"weights": {"rule": "nan"}}},
        {"std": {"match_threshold": 1.0}},
        {"ha": {"rule_threshold": -0.1}},
        {"ha": {"overlap_threshold": 2}},
        {"ha": {"weight": {}}},
        {"without": ["text"]},
        {"std": {"weights": {"rule": 1.0, "text": 0.0}}, "without": ["rule"]},
    ],
)
def test_impossible_parameters_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        make_protocol("violations", given)


def test_terms_the_data_does_not_carry_are_left_out() -> None:
    table = {(0, 0): (0.8, 0.6, 1.0)}
    whole = by_name(Violations().score(labelled(table, 1, 1)))
    assert whole["match_score"].state == "unscored"
    expected = pytest.approx((0.3 * 0.8 + 0.3 * 0.6 + 0.1) / 0.7)
    protocol = Violations(without=("explanation", "correction"))
    assert by_name(protocol.score(labelled(table, 1, 1)))["match_score"].value == expected
    declared = labelled(table, 1, 1, without="correction, explanation")
    assert by_name(Violations().score(declared))["match_score"].value == expected
    joined = Violations(without=("explanation",)).score(labelled(table, 1, 1, without="correction"))
    assert by_name(joined)["match_score"].value == expected
    # without rules the rule gate is gone too
    scores = by_name(Violations(without=("rule",)).score(labelled({(0, 0): (0.6,)}, 1, 1)))
    assert scores["match_score_std"].value == 0.6
    marked = (Violation(spans=((0, 4),), explanation="x"),)
    sample = Sample(id="s", gold=marked, predicted=marked, attributes={"without": "explanation,rule"})
    assert {label.name for label in run(Violations(), sample).labels} == {"text", "category", "correction"}
    only_rule = make_protocol("violations", {"std": {"weights": {"text": 0, "rule": 1}}})
    scores = by_name(only_rule.score(labelled({(0, 0): (0.6,)}, 1, 1, without="rule")))
    assert scores["std_f1"].state == "unscored"
