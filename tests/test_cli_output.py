"""What a command prints, and how it ends, when its reader leaves, its terminal is narrow, a name is odd."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adjudge.cli import main


def row(index: int, **more: object) -> str:
    sample = {"id": f"s{index}", "question": "Which boat?", "response": "The barge.", "reference": "ferry"}
    return json.dumps(sample | {"attributes": {"noise": 0.4}} | more)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("boats.jsonl").write_text("\n".join(row(index) for index in range(12)))
    return tmp_path


def call(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    command = f"set -o pipefail; {line.replace('adjudge', f'{sys.executable} -m adjudge')}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done


GATE = "--fail-under rgb.accuracy=.9"


@pytest.mark.parametrize("more", ["", "--json"])
def test_a_gate_fails_also_where_nobody_reads_the_table(work: Path, more: str) -> None:
    call("run", "boats.jsonl", "-o", "r", "--judge", "rules")
    for command in ("run boats.jsonl --judge rules -o q", "show r", "rescore r"):
        done = shell(f"adjudge {command} {GATE} {more} | true")
        assert done.returncode == 1
        assert b"gate failed: --fail-under rgb.accuracy=0.9: it is 0" in done.stderr
    assert shell(f"adjudge show r {GATE} {more} 2>&1 | true").returncode == 1
    assert shell(f"adjudge show r {more} | true").returncode == 0


def test_what_was_odd_is_told_beside_json(work: Path) -> None:
    Path("odd.jsonl").write_text(f"{row(0)}\n{{broken\n{row(1).replace('0.4', 'NaN')}\n")
    done = call("run", "odd.jsonl", "-o", "r", "--judge", "rules", "--skip-bad", "--json", "--by", "team")
    json.loads(done.stdout)
    assert "skipped 1 bad lines or samples" in done.stderr
    assert "NaN read as null (1 ×)" in done.stderr
    assert "no sample has an attribute 'team'" in done.stderr


def unfinish(folder: str) -> None:
    info = json.loads(Path(folder, "run.json").read_text())
    del info["finished"]
    Path(folder, "run.json").write_text(json.dumps(info))


def test_what_is_rescored_of_an_unfinished_run_is_unfinished_too(work: Path) -> None:
    call("run", "boats.jsonl", "-o", "r", "--judge", "rules")
    unfinish("r")
    call("rescore", "r", "-o", "q")
    for folder in ("r", "q"):
        assert "has not finished" in call("show", folder, "--json").stderr
    call("run", "boats.jsonl", "-o", "r", "--judge", "rules")
    call("rescore", "r", "-o", "q")
    assert "has not finished" not in call("show", "q").stderr


@pytest.mark.parametrize("columns", [1, 20, 40, 60, 80, 120])
def test_no_terminal_is_too_narrow_for_names_and_numbers(
    work: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    call("run", "boats.jsonl", "-o", "r", "--judge", "rules")
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = call("show", "r", "--metrics", "rgb.accuracy").stdout
    assert "rgb.accu" in shown
    assert "95 % interval" in shown
    assert "0.0 – 24.2" in shown
    compared = call("compare", "r", "r", "--metrics", "rgb.accuracy").stdout
    assert "0/12/0" in compared
    assert "rgb.accu" in compared
    assert ("rgb.accuracy" in shown) == (columns not in (20, 40))


def test_names_that_are_not_utf_8(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    os.rename(b"boats.jsonl", b"caf\xe9.jsonl")
    done = shell("adjudge run caf*.jsonl --judge rules -o r && adjudge rescore r -o caf$'\\xe9'")
    assert done.returncode == 0, done.stderr
    done = shell("adjudge rescore caf$'\\xe9' -o q && adjudge show q && adjudge run caf*.jsonl --judge rules")
    assert done.returncode == 0, done.stderr
    assert json.loads(Path("r/run.json").read_text())["input"]["path"].endswith("caf\ufffd.jsonl")


def test_standard_input_that_is_closed(work: Path) -> None:
    done = shell("adjudge run - <&-")
    assert done.returncode == 3
    assert b"standard input is closed" in done.stderr
