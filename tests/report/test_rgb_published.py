"""The paper's figures, and what of a summary is laid beside them."""

from __future__ import annotations

import msgspec
import pytest

from adjudge.report.rgb_published import BY, TABLES, comparison_tables, comparisons, published
from adjudge.types import Summary, SummaryRow

PAPER = {"noise": 5, "integration": 3, "rejection": 2, "counterfactual": 5}


def row(
    metric: str, value: float | None, ability: str, noise: float | None, language: str = "en"
) -> SummaryRow:
    group = {"ability": ability, "system": "mine", "language": language, "noise": noise}
    return SummaryRow(metric=metric, group=group, fold="macro", value=value)


def test_figures_are_whole_and_in_percent() -> None:
    for language in ("en", "zh"):
        models = published()[language]
        assert len(models) == 6
        for figures in models.values():
            assert {"noise", "integration", "rejection"} <= figures.keys()
            for ability, numbers in figures.items():
                assert len(numbers) == PAPER[ability]
                assert all(0 < number < 100 for number in numbers)
    assert published()["source"]


def test_no_figure_was_mistyped() -> None:
    """Sums over each model's row of the paper's two tables, taken from the tables themselves."""
    sums = {
        "ChatGPT": 1317.01,
        "ChatGLM-6B": 1192.67,
        "ChatGLM2-6B": 1070.98,
        "Vicuna-7B-v1.3": 1102.37,
        "Qwen-7B-Chat": 1286.34,
        "BELLE-7B-2M": 1074.34,
    }
    for model, expected in sums.items():
        parts = (published()[language][model] for language in ("en", "zh"))
        found = sum(sum(part[name]) for part in parts for name in ("noise", "rejection", "integration"))
        assert found == pytest.approx(expected, abs=1e-9), model
    false = {
        (lang, m): f["counterfactual"]
        for lang in ("en", "zh")
        for m, f in published()[lang].items()
        if "counterfactual" in f
    }
    assert false == {
        ("en", "ChatGPT"): [89, 9, 8, 7, 57.14],
        ("zh", "ChatGPT"): [91, 17, 1, 3, 33.33],
        ("zh", "Qwen-7B-Chat"): [77, 12, 5, 4, 25.0],
    }


def test_each_number_stands_in_its_column() -> None:
    rows = [
        row("rgb.accuracy_official", 0.9, "noise", 0.0),
        row("rgb.accuracy_official", 0.5, "noise", 0.8),
        row("rgb.accuracy", 0.6, "noise", 0.8),
        row("rgb.accuracy_official", 0.7, "closed_book", None),
        row("rgb.accuracy_official", 0.2, "counterfactual", 0.0),
        row("rgb.error_detection_official", 0.1, "counterfactual", 0.0),
        row("rgb.rejection_judge", 0.3, "rejection", 1.0, "zh"),
        SummaryRow(metric="rgb.accuracy_official", group={"ability": "noise"}, fold="macro", value=0.1),
    ]
    summary = Summary(signatures={}, by=BY, rows=tuple(rows))
    found = {entry.title: entry for entry in comparisons(summary)}
    assert list(found) == [
        "noise robustness: accuracy, en",
        "counterfactual robustness, en",
        "negative rejection, zh",
    ]
    noise = found["noise robustness: accuracy, en"]
    assert noise.ours["mine"] == (0.9, None, None, None, 0.5)
    assert noise.ours["mine, flexible match"] == (None, None, None, None, 0.6)
    assert noise.published["ChatGPT"][0] == pytest.approx(0.9633)
    assert found["counterfactual robustness, en"].ours["mine"][:4] == (0.7, 0.2, 0.1, None)
    assert list(found["counterfactual robustness, en"].published) == ["ChatGPT"]
    assert found["negative rejection, zh"].ours["mine"] == (None, 0.3, None)
    assert len(list(comparison_tables(summary))) == 3


def test_other_noise_rates_have_columns_of_their_own() -> None:
    rows = [
        row("rgb.accuracy_official", 0.9, "noise", 0.1),
        row("rgb.accuracy_official", 0.8, "noise", 0.9),
        row("rgb.accuracy_official", 0.7, "integration", 0.3),
    ]
    noise, integration = comparisons(Summary(signatures={}, by=BY, rows=tuple(rows)))
    assert noise.columns == tuple(f"noise {rate}" for rate in ("0", "0.1", "0.2", "0.4", "0.6", "0.8", "0.9"))
    assert noise.ours["mine"] == (None, 0.9, None, None, None, None, 0.8)
    assert noise.published["ChatGPT"] == pytest.approx((0.9633, None, 0.9467, 0.94, 0.90, 0.76, None))
    assert integration.columns == ("noise 0", "noise 0.2", "noise 0.3", "noise 0.4")
    assert integration.published["ChatGPT"] == pytest.approx((0.55, 0.51, None, 0.34))


def test_what_has_no_score_is_told_below_the_table() -> None:
    entry = msgspec.structs.replace(
        row("rgb.rejection_judge", 0.5, "rejection", 1.0),
        samples={"defined": 2, "unscored": 7},
        reasons={"the server was busy": 4, "no time": 3},
    )
    summary = Summary(signatures={}, by=BY, rows=(entry,))
    (found,) = comparisons(summary)
    (gap,) = found.unscored
    assert (gap.model, gap.column, gap.samples, gap.scored) == ("mine", "Rej*", 7, 2)
    _, note = comparison_tables(summary)
    assert str(note).strip() == "mine, Rej*: 7 of 9 unscored: the server was busy; no time"


def test_a_summary_folded_otherwise_has_nothing_to_compare() -> None:
    assert list(comparisons(Summary(signatures={}))) == []
    assert set(TABLES) == set(PAPER)
