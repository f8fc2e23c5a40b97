"""`evaluate` under a profile: its options hold wherever no argument says otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge
from adjudge import InputError
from adjudge.run.profile import load_profile

SAMPLES = [
    {
        "id": f"s{index}",
        "question": "Which boat?",
        "response": "The ferry.",
        "reference": "ferry",
        "contexts": ["The ferry crosses at noon."],
        "attributes": {"team": "a" if index % 2 else "b"},
    }
    for index in range(4)
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text(
        '[options]\njudge = "rules"\nlabels = "judge"\nprotocols = ["rgb"]\nmetrics = ["rgb.accuracy"]\n'
        'by = ["team"]\nskip_bad = true\n'
    )
    return path


def test_options_of_a_profile_hold(house: Path) -> None:
    result = adjudge.evaluate([*SAMPLES, {"id": "bad"}], profile=house)
    assert {row.metric for row in result.summary.rows} == {"rgb.accuracy"}
    assert result.summary.by == ("team",)
    assert list(result.summary.signatures) == ["rgb"]
    assert "|judge:rules|" in result.summary.signatures["rgb"]
    assert load_profile(house).mark in result.summary.signatures["rgb"]
    assert len(result.skipped) == 1


def test_arguments_go_over_a_profile(house: Path) -> None:
    result = adjudge.evaluate(
        SAMPLES, "rgb", profile=house, judge="local", metrics="rgb.accuracy_strict", by=(), skip_bad=False
    )
    assert {row.metric for row in result.summary.rows} == {"rgb.accuracy_strict"}
    assert result.summary.by == ()
    assert "judge:local@" in result.summary.signatures["rgb"]
    with pytest.raises(InputError, match="'response'"):
        adjudge.evaluate([*SAMPLES, {"id": "bad"}], profile=house, skip_bad=False)


def test_what_makes_the_judge_and_short_forms_hold_too(tmp_path: Path) -> None:
    profile = tmp_path / "fine.toml"
    profile.write_text('[options]\nthreshold = 0.9\nevidence = "contexts"\n[parameters.safe]\nk = 3\n')
    result = adjudge.evaluate(
        SAMPLES, "safe", profile=profile, parameters={"safe": {"max_steps": 2}}, out=tmp_path / "run"
    )
    assert ">0.9|" in result.summary.signatures["safe"]
    settings = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert settings["parameters"] == {"safe": {"k": 3, "evidence": "contexts", "max_steps": 2}}
    given = adjudge.evaluate(SAMPLES, "safe", profile=profile, access={"threshold": 0.8})
    assert ">0.8|" in given.summary.signatures["safe"]


def test_adjudge_toml_is_for_commands(tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("adjudge.toml").write_text('[options]\nlabels = "human:nobody"\n[parameters.safe]\nk = 3\n')
    for profile in (None, house):
        result = adjudge.evaluate(SAMPLES, "rgb", profile=profile)
        assert result.value("rgb.accuracy") == 1.0
    with pytest.raises(adjudge.UsageError, match="human:nobody"):
        adjudge.evaluate(SAMPLES, "rgb", profile="adjudge.toml")
