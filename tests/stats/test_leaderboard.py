"""Leaderboards: the same numbers as the runs, best first, and no claim beyond chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from adjudge import evaluate
from adjudge.cli import main
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.generate.perturb import Mishaps, perturb
from adjudge.run.rescore import rescore_run
from adjudge.run.store import read_info
from adjudge.stats.compare import compare_runs
from adjudge.stats.leaderboard import leaderboard

TEXT = "abcdefghij" * 3


def split(
    path: Path, checkers: dict[str, int], items: int = 30, name: str = "lamps@0.1", **header: Any
) -> str:
    """Each checker finds the one violation in its first so many texts, and nothing else."""
    rows: list[dict[str, Any]] = [
        {
            "adjudge": "violations", "format": 1, "split": name, "description": "Invented texts.",
            "checkers": {checker: f"finds {hits}" for checker, hits in checkers.items()},
            **header,
        }
    ]  # fmt: skip
    for checker, hits in checkers.items():
        for n in range(items):
            spot = [{"start": 3, "end": 9, "rule": "R"}]
            rows.append(
                {
                    "id": f"s{n}",
                    "text": TEXT,
                    "checker": checker,
                    "gold": spot,
                    "predicted": spot if n < hits else [],
                }
            )
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def run(path: str, out: Path, **options: Any) -> Path:
    evaluate(path, "violations", judge="rules", out=out, **options)
    return out


def test_one_run_with_several_checkers(tmp_path: Path) -> None:
    checkers = {"low@1|m": 10, "high@1|m": 25, "near@2": 24}
    board = leaderboard([run(split(tmp_path / "x.jsonl", checkers), tmp_path / "run")])
    assert (board.split, board.description) == ("lamps@0.1", "Invented texts.")
    assert (board.samples, board.violations) == (30, 30)
    assert [one.checker for one in board.standings] == ["high@1|m", "near@2", "low@1|m"]
    first, near, low = board.standings
    assert first.metrics["std_recall"].value == pytest.approx(25 / 30)
    assert first.metrics["ha_f1"].value == pytest.approx(2 * 25 / (2 * 25 + 5))
    assert first.metrics["match_score"].value == pytest.approx(1)
    assert first.metrics["ha_f1"].interval is not None
    assert (first.about, first.flagged, first.behind) == ("finds 25", 25, None)
    assert low.behind is not None
    assert low.behind.value == pytest.approx(50 / 55 - 20 / 40)
    assert low.behind.interval is not None
    assert low.behind.interval[0] > 0
    assert near.behind is not None
    assert near.behind.interval is not None
    assert near.behind.interval[0] <= 0, "one text of thirty is no difference"


def test_false_alarms_in_clean_texts_count_against_who_is_behind(tmp_path: Path) -> None:
    """Both find all 20 violations; one flags 10 clean texts besides, which the other leaves alone."""
    rows: list[dict[str, Any]] = [{"adjudge": "violations", "format": 1, "split": "lamps@0.1"}]
    spot = [{"start": 3, "end": 9, "rule": "R"}]
    for checker, alarms in (("calm@1", 0), ("loud@1", 10)):
        for n in range(40):
            gold = spot if n < 20 else []
            flagged = spot if n < 20 + alarms else []
            rows.append({"id": f"s{n}", "text": TEXT, "checker": checker, "gold": gold, "predicted": flagged})
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    board = leaderboard([run(str(path), tmp_path / "run")])
    calm, loud = board.standings
    assert (calm.checker, loud.checker) == ("calm@1", "loud@1")
    assert loud.behind is not None
    assert loud.behind.value == pytest.approx(calm.metrics["ha_f1"].value - loud.metrics["ha_f1"].value)
    assert loud.behind.value == pytest.approx(1 - 40 / 50)
    assert loud.behind.interval is not None
    assert loud.behind.interval[0] > 0


def test_several_runs_and_what_does_not_fit(tmp_path: Path) -> None:
    one = run(split(tmp_path / "a.jsonl", {"a@1": 20}), tmp_path / "a")
    two = run(split(tmp_path / "b.jsonl", {"b@1": 5}, items=28), tmp_path / "b")
    board = leaderboard([one, two], about={"b@1": "the other"})
    assert [(s.checker, s.samples, s.missing, s.about) for s in board.standings] == [
        ("a@1", 30, 0, "finds 20"),
        ("b@1", 28, 2, "the other"),
    ]
    assert any("b@1 lacks 2 samples" in warning for warning in board.warnings)
    again = run(split(tmp_path / "a.jsonl", {"a@1": 20}), tmp_path / "again")
    with pytest.raises(UsageError, match=r"a@1 is in .* and in .*: a leaderboard has it once"):
        leaderboard([one, again])
    elsewhere = run(split(tmp_path / "c.jsonl", {"c@1": 5}, name="other@2"), tmp_path / "c")
    with pytest.raises(UsageError, match=r"several splits are here: lamps@0\.1, other@2"):
        leaderboard([one, elsewhere])
    assert leaderboard([one, elsewhere], split="other@2").standings[0].checker == "c@1"
    with pytest.raises(UsageError, match="--rank-by f1"):
        leaderboard([one], ranked_by="f1")


def test_other_settings_are_warned_of(tmp_path: Path) -> None:
    one = run(split(tmp_path / "a.jsonl", {"a@1": 20}), tmp_path / "a")
    strict = {"violations": {"std": {"match_threshold": 0.9}}}
    two = run(split(tmp_path / "b.jsonl", {"b@1": 5}), tmp_path / "b", parameters=strict)
    assert any("signatures differ" in warning for warning in leaderboard([one, two]).warnings)


def test_data_that_leaves_out_terms_is_not_compared_unwarned_with_data_that_does_not(tmp_path: Path) -> None:
    """Its weights are others, though no setting of the run is."""
    one = run(split(tmp_path / "a.jsonl", {"a@1": 20}), tmp_path / "a")
    two = run(split(tmp_path / "b.jsonl", {"b@1": 5}, without=["explanation"]), tmp_path / "b")
    assert any("signatures differ" in warning for warning in leaderboard([one, two]).warnings)
    (warning,) = compare_runs([one, two], metrics=["violations.ha_f1"]).warnings
    assert "DIFFERENT PARAMETERS" in warning
    assert "without:explanation" in warning
    rescored = tmp_path / "rescored"
    rescore_run(two, parameters={}, out=rescored)
    assert read_info(rescored).signatures == read_info(two).signatures


def test_a_checker_that_flags_nothing_and_a_single_item(tmp_path: Path) -> None:
    board = leaderboard(
        [run(split(tmp_path / "x.jsonl", {"a@1": 1, "none@1": 0}, items=1), tmp_path / "run")]
    )
    last = board.standings[-1]
    assert last.checker == "none@1"
    assert last.metrics["match_score"].value is None
    assert last.metrics["match_score"].reason
    assert last.behind is not None
    assert (last.behind.value, last.behind.reason) == (None, "1 items in common are too few to compare")
    assert b"NaN" not in msgspec.json.encode(board)


def test_the_command(tmp_path: Path) -> None:
    folder = run(split(tmp_path / "x.jsonl", {"low@1|m": 10, "high@1|m": 25}), tmp_path / "run")
    done = CliRunner().invoke(main, ["leaderboard", str(folder)])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[:4] == ["lamps@0.1", "Invented texts.", "samples: 30", "violations: 30"]
    assert "high@1|m: finds 25 (25 flagged)" in lines
    assert "90.9" in done.output
    parsed = json.loads(CliRunner().invoke(main, ["leaderboard", str(folder), "--json"]).output)
    assert parsed["standings"][0]["metrics"]["ha_precision"]["interval"]


def test_each_mishap_is_ranked_by_what_it_does(data: Any, tmp_path: Path) -> None:
    """On public texts: dropping hurts recall, doubling precision, both show in F1."""
    source = Source(data("violations/semeval2021_task6/dev_set_task2.txt"))
    gold = list(read(source))
    runs = []
    for name, mishaps in {
        "none": Mishaps(),
        "drop": Mishaps(drop=0.4),
        "double": Mishaps(double=0.4),
    }.items():
        out = tmp_path / name
        evaluate(list(perturb(gold, mishaps)), "violations", judge="rules", out=out)
        runs.append(out)
    board = {one.checker.split("-")[1][:4]: one for one in leaderboard(runs).standings}
    assert board["noth"].metrics["std_f1"].value == 1.0
    assert board["drop"].metrics["std_precision"].value == 1.0
    assert (board["drop"].metrics["std_recall"].value or 0) < 0.75
    assert board["doub"].metrics["std_recall"].value == 1.0
    assert (board["doub"].metrics["std_precision"].value or 0) < 0.8


def test_runs_of_other_protocols_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "rgb"
    evaluate([{"response": "Ada", "reference": "Ada"}], "rgb", judge="rules", out=out)
    with pytest.raises(InputError, match="scores no violations"):
        leaderboard([out])
