"""Gates speak of the groups that a person means, as --where does."""

from __future__ import annotations

import pytest

from adjudge import evaluate
from adjudge.datasets.where import means, parse_where, select
from adjudge.protocols import make_protocol
from adjudge.report.gate import failures, parse_gate
from adjudge.types import Attribute, Sample

VALUES: tuple[Attribute, ...] = (None, True, False, 0.4, 1, 0, "1.10", "1.1", "none so", "True", "nan")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("none", (None,)),
        ("true", (True,)),
        ("True", (True, "True")),
        ("false", (False,)),
        (".4", (0.4,)),
        ("0.40", (0.4,)),
        ("1", (1,)),
        ("1.0", (1,)),
        ("1.1", ("1.1",)),
        ("1.10", ("1.10",)),
        ("0", (0,)),
        ("nan", ("nan",)),
    ],
)
def test_a_gate_and_a_choice_of_samples_mean_the_same_values(
    written: str, meant: tuple[Attribute, ...]
) -> None:
    assert [value for value in VALUES if means(written, value)] == list(meant)
    samples = [
        Sample(id=f"s{n}", response="Ada", reference="Bea", attributes={"kind": value})
        for n, value in enumerate(VALUES)
    ]
    chosen = list(select(samples, parse_where([f"kind={written}"])))
    assert [sample.attributes["kind"] for sample in chosen] == list(meant)
    summary = evaluate(samples, "rgb", judge="rules", by=("kind",)).summary
    gate = parse_gate(f"rgb.accuracy[kind={written}]=0.5", "under", make_protocol("rgb").specs)
    assert len(failures([gate], summary)) == len(meant)


def test_a_group_that_is_not_there_fails() -> None:
    summary = evaluate([Sample(id="s", response="Ada", reference="Ada")], "rgb", judge="rules").summary
    gate = parse_gate("rgb.accuracy[kind=none]=0.5", "under", make_protocol("rgb").specs)
    assert failures([gate], summary) == [f"{gate}: this run has no such number"]
