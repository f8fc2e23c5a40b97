"""What people see of an experiment."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from rich.console import Console

from adjudge.report.experiment import below_floors, figure_text, outcome_parts, scatter_svg


@pytest.mark.parametrize(
    ("figure", "percent", "text"),
    [
        ({"value": 0.63379, "interval": (0.5, 0.75)}, False, "0.634 [0.500, 0.750]"),
        ({"value": 0.49655, "interval": None}, True, "49.66"),
        ({"value": None, "reason": "one class only"}, False, "–"),
        ({}, True, "–"),
    ],
)
def test_figures(figure, percent, text):
    assert figure_text(figure, percent=percent) == text


def test_tables_keep_kinds_apart_and_end_with_the_signature():
    rows = [
        {"name": "judge", "kind": "judge", "figures": {"AUROC": {"value": 0.7, "n": 9}}},
        {"name": "guess [x]", "kind": "floor", "figures": {"AUROC": {"value": 0.5, "n": 9}}},
    ]
    table = {"title": "tiny", "columns": ["AUROC"], "rows": rows, "notes": ["few rows"]}
    outcome = {"tables": [table], "judge": "local@1", "samples": 9, "signatures": {"x": "x|v1|judge:local@1"}}
    out = io.StringIO()
    console = Console(file=out, width=100)
    for part in outcome_parts(outcome):
        console.print(part)
    lines = [line.strip() for line in out.getvalue().splitlines() if line.strip()]
    assert [line.split() for line in lines if "0.700" in line] == [["judge", "0.700", "9"]]
    assert any(line.startswith("guess [x]") and "floor" in line for line in lines)
    assert "note: few rows" in lines
    assert lines[-1] == "x|v1|judge:local@1"


def test_a_judge_below_a_trivial_rule_is_told_so():
    def row(name, kind, auroc, error):
        return {"name": name, "kind": kind, "figures": {"AUROC": {"value": auroc}, "RMSE": {"value": error}}}

    rows = [row("judge", "judge", 0.6, 0.2), row("a", "floor", 0.7, 0.3), row("b", "floor", None, None)]
    table = {"columns": ["AUROC", "RMSE"], "lower": ["RMSE"], "rows": [*rows, row("c", "stored", 0.9, 0.1)]}
    assert below_floors(table) == ["AUROC: the judge (0.600) does not beat a trivial rule (a, 0.700)"]
    table["rows"][1] = row("a", "floor", 0.59, 0.2)
    assert below_floors(table) == ["RMSE: the judge (0.200) does not beat a trivial rule (a, 0.200)"]
    assert below_floors({**table, "rows": rows[1:]}) == []


def test_scatter_places_points_on_equal_axes():
    svg = scatter_svg("a < b", "people", "judge & co", [(0.0, 0.0), (40.0, 20.0)])
    root = ElementTree.fromstring(svg)
    circles = [x for x in root.iter() if x.tag.endswith("circle")]
    spots = [(float(x.get("cx")), float(x.get("cy"))) for x in circles]
    assert spots[0] == (56.0, 424.0)
    # The axes end at 50, so 40 lies four fifths across and 20 two fifths up.
    assert spots[1] == pytest.approx((56 + 0.8 * 368, 424 - 0.4 * 368), abs=0.1)
    assert "a < b" in "".join(x.text or "" for x in root.iter())
    assert ElementTree.fromstring(scatter_svg("none", "x", "y", [])) is not None
