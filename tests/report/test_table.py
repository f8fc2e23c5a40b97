"""Tables of a summary as the terminal shows them."""

from __future__ import annotations

import io

from rich.console import Console

import adjudge
from adjudge.report.table import sections, summary_tables
from adjudge.types import Summary, SummaryRow

ANSWERS = [("a", "Oslo"), ("b", "Rome")]


def shown(by: tuple[str, ...]) -> list[list[str]]:
    samples = [
        {
            "id": system,
            "question": "Where?",
            "response": response,
            "reference": "Oslo",
            "attributes": {"system": f"model-{system}", "noise": 0.2},
        }
        for system, response in ANSWERS
    ]
    summary = adjudge.evaluate(samples, "rgb", judge="rules", by=by).summary
    out = io.StringIO()
    console = Console(file=out, width=160)
    for part in summary_tables(summary):
        console.print(part)
    _, _, results = out.getvalue().partition("rgb results")
    return [line.split() for line in results.splitlines() if line.strip()]


def test_results_say_which_model_they_are_of() -> None:
    lines = shown(("system",))
    assert lines[0][:3] == ["task", "model", "total"]
    assert ["noise_robustness", "model-a", "1", "1", "0"] in lines
    assert ["noise_robustness", "model-b", "1", "0", "1"] in lines


def test_results_of_nobody_in_particular_have_no_such_column() -> None:
    assert "model" not in shown(())[0]


def test_what_passes_100_is_told() -> None:
    rows = [
        SummaryRow(metric=f"trace.{name}", fold="macro", value=value, samples={"defined": 1})
        for name, value in (("relevance", 3.0), ("relevance_clean", 1.0))
    ]
    rows.append(
        SummaryRow(metric="trace.many", fold="macro", scale="count", value=7.0, samples={"defined": 1})
    )
    (section,) = sections(Summary(signatures={}, rows=tuple(rows)))
    assert section.notes == [
        "above 100 (relevance): labels name what is not there, or one thing twice; see explain"
    ]
