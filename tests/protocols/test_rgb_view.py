"""Result objects of RGBMetrics from summary rows."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from adjudge.judges.rules import RulesJudge
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols.rgb import Rgb
from adjudge.protocols.rgb_view import noise_percent, result_objects, task_type
from adjudge.types import Sample, SummaryRow

FIELDS = {
    "task_type", "model_name", "group", "total_samples", "correct", "incorrect", "rejected",
    "errors_detected", "errors_corrected", "accuracy_by_noise",
    "accuracy", "rejection_rate", "error_detection_rate", "error_correction_rate",
}  # fmt: skip


def row(metric: str, top: str, n: int, of: int, **group) -> SummaryRow:
    return SummaryRow(metric=f"rgb.{metric}", group=group, fold="macro", counts={top: n, "answers": of})


def test_the_documents_examples() -> None:
    """92 of 100 rejected, 78 of 100 integrated, 89 and 85 of 100 errors detected and corrected."""
    rejected, integrated, robust = result_objects(
        [
            row("rejection", "rejected", 92, 100, ability="rejection"),
            row("accuracy", "correct", 78, 100, ability="integration"),
            row("error_detection", "detected", 89, 100, ability="counterfactual"),
            row("error_correction", "corrected", 85, 100, ability="counterfactual"),
        ]
    )
    assert set(rejected) == set(integrated) == set(robust) == FIELDS
    assert rejected["task_type"] == "negative_rejection"
    assert (rejected["total_samples"], rejected["rejected"], rejected["incorrect"]) == (100, 92, 8)
    assert (rejected["rejection_rate"], rejected["accuracy"], rejected["correct"]) == (0.92, 0.0, 0)
    assert integrated["task_type"] == "information_integration"
    assert (integrated["correct"], integrated["incorrect"], integrated["accuracy"]) == (78, 22, 0.78)
    assert robust["task_type"] == "counterfactual_robustness"
    assert (robust["errors_detected"], robust["error_detection_rate"]) == (89, 0.89)
    assert (robust["errors_corrected"], robust["error_correction_rate"]) == (85, 0.85)
    assert (robust["correct"], robust["incorrect"], robust["total_samples"]) == (85, 15, 100)


@pytest.mark.parametrize(
    ("noise", "percent"),
    [
        (0.0, 0),
        (0.2, 20),
        (0.29, 29),
        (0.57, 57),
        (0.58, 58),
        (1, 100),
        ("0.4", 40),
        ("high", None),
        ("inf", None),
        ("nan", None),
        (None, None),
    ],
)
def test_noise_is_rounded_not_cut_off(noise, percent: int | None) -> None:
    assert noise_percent(noise) == percent


def test_task_type() -> None:
    assert task_type("noise", 40) == "noise_robustness_40%"


def _noise_rows(**group) -> list[SummaryRow]:
    levels = [(0.8, 65), (0.0, 85), (0.4, 78), (0.2, 82), (0.6, 72)]
    return [row("accuracy", "correct", n, 100, ability="noise", **group, noise=noise) for noise, n in levels]


def test_noise_curve() -> None:
    whole = row("accuracy", "correct", 382, 500, ability="noise")
    total, *levels = result_objects([whole, *_noise_rows()])
    assert total["accuracy_by_noise"] == {0: 0.85, 20: 0.82, 40: 0.78, 60: 0.72, 80: 0.65}
    assert list(total["accuracy_by_noise"]) == [0, 20, 40, 60, 80]
    assert (total["task_type"], total["total_samples"], total["correct"]) == ("noise_robustness", 500, 382)
    assert [level["task_type"] for level in levels] == [f"noise_robustness_{n}%" for n in (0, 20, 40, 60, 80)]
    assert [level["correct"] for level in levels] == [85, 82, 78, 72, 65]
    assert result_objects(_noise_rows()) == [total, *levels]


def test_systems_are_kept_apart() -> None:
    found = result_objects([*_noise_rows(system="a", prompt="x"), *_noise_rows(system="b", prompt="x")])
    assert [entry["model_name"] for entry in found] == ["a"] * 6 + ["b"] * 6
    assert found[0]["group"] == {"prompt": "x"}
    assert json.loads(msgspec.json.encode(found[0]))["accuracy_by_noise"]["20"] == 0.82


def test_what_was_not_asked_for_is_none_or_left_out() -> None:
    assert result_objects([row("accuracy_official", "correct", 1, 2, ability="noise")]) == []
    assert result_objects([row("accuracy", "correct", 1, 2, ability="rejection")]) == []
    (found,) = result_objects([row("error_detection", "detected", 1, 2, ability="counterfactual")])
    assert (found["error_detection_rate"], found["error_correction_rate"]) == (0.5, None)
    assert (found["correct"], found["incorrect"], found["accuracy"]) == (None, None, None)
    unknown = row("accuracy", "correct", 1, 2, ability="noise", noise=None)
    assert result_objects([unknown]) == []


def test_no_samples_give_zero_rates() -> None:
    (found,) = result_objects([row("accuracy", "correct", 0, 0, ability="integration")])
    assert (found["accuracy"], found["total_samples"]) == (0.0, 0)


def test_from_samples_to_objects() -> None:
    rgb, judge = Rgb(), RulesJudge()
    fold = SummaryFold(rgb.specs, {"rgb": [("ability",), ("ability", "noise")]})
    answers = [("Oslo", 0.0), ("Rome", 0.0), ("Oslo", 0.4), ("", 0.4), ("I don't know", 1.0), ("Rome", 1.0)]
    for index, (response, noise) in enumerate(answers):
        sample = Sample(id=str(index), response=response, reference="Oslo", attributes={"noise": noise})
        labelled = asyncio.run(rgb.label(sample, judge))
        fold.add("rgb", sample.item, labelled.attributes, rgb.score(labelled))
    found = {entry["task_type"]: entry for entry in result_objects(fold.rows(intervals=False))}
    assert found["noise_robustness"]["accuracy_by_noise"] == {0: 0.5, 40: 0.5}
    assert (found["noise_robustness"]["correct"], found["noise_robustness"]["incorrect"]) == (2, 2)
    assert found["noise_robustness_40%"]["total_samples"] == 2
    assert (found["negative_rejection"]["rejected"], found["negative_rejection"]["incorrect"]) == (1, 1)
    assert found["negative_rejection"]["accuracy_by_noise"] == {}
