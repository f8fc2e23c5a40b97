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


def test_runs_limited_to_some_metrics_are_ranked_by_one_that_all_have(tmp_path: Path) -> None:
    limited = {"metrics": ("violations.std",)}
    low = run(split(tmp_path / "a.jsonl", {"a@1": 5}), tmp_path / "a", **limited)
    high = run(split(tmp_path / "b.jsonl", {"b@1": 20}), tmp_path / "b", **limited)
    whole = run(split(tmp_path / "c.jsonl", {"c@1": 10}), tmp_path / "c")
    board = leaderboard([low, whole, high])
    assert board.ranked_by == "std_f1"
    assert [one.checker for one in board.standings] == ["b@1", "c@1", "a@1"]
    first, middle, _ = board.standings
    assert (first.metrics["ha_f1"].value, middle.metrics["ha_f1"].value) == (None, pytest.approx(20 / 40))
    assert first.metrics["ha_f1"].reason == "the run was limited to other metrics"
    with pytest.raises(UsageError, match=r"a was limited to other metrics than ha_recall.*--rank-by std_"):
        leaderboard([low, whole], ranked_by="ha_recall")
    matched = run(split(tmp_path / "d.jsonl", {"d@1": 5}), tmp_path / "d", metrics=("violations.match",))
    with pytest.raises(UsageError, match="run it again without --metrics"):
        leaderboard([low, matched])


def test_who_has_no_value_comes_last(tmp_path: Path) -> None:
    """Nothing flagged: there is no match to score, which is not the same as matches that score 0."""
    folder = run(split(tmp_path / "x.jsonl", {"a-none@1": 0, "b@1": 5}), tmp_path / "run")
    board = leaderboard([folder], ranked_by="match_score")
    assert [(one.checker, one.metrics["match_score"].value) for one in board.standings] == [
        ("b@1", pytest.approx(1)),
        ("a-none@1", None),
    ]
    told = board.standings[1].behind
    assert told is not None
    assert (told.value, told.reason) == (None, "0 items in common are too few to compare")


def flagging(path: Path, checkers: dict[str, tuple[int, int]], items: int) -> str:
    """Each checker flags so many right and so many wrong passages in every text, which has two to find."""
    spots = [{"start": 10 * n, "end": 10 * n + 5, "rule": "R"} for n in range(4)]
    rows: list[dict[str, Any]] = [{"adjudge": "violations", "format": 1, "split": "lamps@0.1"}]
    for checker, (right, wrong) in checkers.items():
        rows += [
            {
                "id": f"s{n}",
                "text": TEXT + TEXT,
                "checker": checker,
                "gold": spots[:2],
                "predicted": spots[:right] + spots[2 : 2 + wrong] * (n % 2),
            }
            for n in range(items)
        ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_behind_is_told_of_the_metric_that_decides_the_order(tmp_path: Path) -> None:
    checkers = {"exact@1": (1, 0), "eager@1": (2, 2)}
    folder = run(flagging(tmp_path / "x.jsonl", checkers, 20), tmp_path / "run")
    for metric, order in {
        "std_precision": ["exact@1", "eager@1"],
        "ha_recall": ["eager@1", "exact@1"],
    }.items():
        board = leaderboard([folder], ranked_by=metric)
        first, second = board.standings
        assert [first.checker, second.checker] == order
        assert second.behind is not None
        gap = (first.metrics[metric].value or 0) - (second.metrics[metric].value or 0)
        assert gap > 0
        assert second.behind.value == pytest.approx(gap)
    done = CliRunner().invoke(main, ["leaderboard", str(folder), "--rank-by", "match_score_std"])
    assert "std match" in done.output
    assert "std match" not in CliRunner().invoke(main, ["leaderboard", str(folder)]).output


@pytest.mark.parametrize("items", [5, 9, 10, 40, 120])
def test_behind_has_the_interval_that_compare_has(tmp_path: Path, items: int) -> None:
    checkers = {"exact@1": (2, 0), "eager@1": (2, 1)}
    runs = [
        run(flagging(tmp_path / f"{name[:5]}.jsonl", {name: how}, items), tmp_path / name[:5])
        for name, how in checkers.items()
    ]
    told = leaderboard(runs).standings[1].behind
    (row,) = compare_runs(runs[::-1], metrics=["violations.ha_f1"]).rows
    assert told is not None
    assert (told.value, told.interval) == (row.difference, row.interval)
    assert (told.interval is None) == (items < 10)
    if items < 10:
        assert told.reason == f"too few items for an interval ({items}; it needs 10)"
        assert "no interval" in CliRunner().invoke(main, ["leaderboard", *map(str, runs)]).output


def test_samples_that_only_another_has_are_missing(tmp_path: Path) -> None:
    runs = []
    for checker, kept in (("a@1", slice(0, 20)), ("b@1", slice(10, 30))):
        path = Path(split(tmp_path / f"{checker}.jsonl", {checker: 20}))
        head, *rest = path.read_text().splitlines()
        path.write_text("\n".join([head, *rest[kept]]))
        runs.append(run(str(path), tmp_path / checker))
    board = leaderboard(runs)
    assert (board.samples, board.violations) == (30, 30)
    assert [(one.samples, one.missing) for one in board.standings] == [(20, 10), (20, 10)]


@pytest.mark.parametrize("lean", [False, True])
@pytest.mark.parametrize(
    "other",
    [
        {"gold": [{"start": 4, "end": 9, "rule": "R"}]},
        {"gold": [{"start": 3, "end": 9, "rule": "S"}]},
        {"text": TEXT[::-1]},
    ],
)
def test_other_golds_are_warned_of_though_they_are_as_many(
    tmp_path: Path, other: dict[str, Any], lean: bool
) -> None:
    one = run(split(tmp_path / "a.jsonl", {"a@1": 20}), tmp_path / "a", lean=lean)
    path = Path(split(tmp_path / "b.jsonl", {"b@1": 20}))
    head, first, *rest = path.read_text().splitlines()
    same = run(str(path), tmp_path / "same", lean=lean)
    assert leaderboard([one, same]).warnings == ()
    path.write_text("\n".join([head, json.dumps(json.loads(first) | other), *rest]))
    changed = run(str(path), tmp_path / "b", lean=lean)
    (warning,) = leaderboard([one, changed]).warnings
    assert warning == "b@1 was scored against other golds in 's0': not the same split"


def test_what_is_said_of_a_gold_belongs_to_it_and_where_a_quote_was_put_does_not(tmp_path: Path) -> None:
    def made(checker: str, start: int, **gold: Any) -> Path:
        rows: list[dict[str, Any]] = [
            {"adjudge": "violations", "format": 1, "split": "lamps@0.1", "checker": checker},
            {
                "id": "s",
                "text": "Dim it. Dim it.",
                "gold": [{"quote": "Dim it.", "rule": "R", **gold}],
                "predicted": [{"start": start, "end": start + 7, "rule": "R"}],
            },
        ]
        path = tmp_path / f"{checker}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return run(str(path), tmp_path / checker)

    left, right = made("left@1", 0), made("right@1", 8)
    assert leaderboard([left, right]).warnings == ()
    other = made("other@1", 0, explanation="too dark")
    assert any("other golds" in warning for warning in leaderboard([left, other]).warnings)


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
