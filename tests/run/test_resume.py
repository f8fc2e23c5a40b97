"""What a run folder is taken for when it is written to again, and what a run that ends early leaves there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import adjudge
from adjudge import RunFolderError
from adjudge.judges.rules import RulesJudge
from adjudge.run.store import RunFolder, read_records


class ServedJudge(RulesJudge):
    """The rules, as if a model behind a server had them."""

    immediate = False

    def __init__(self, where: str, about: str = "rules") -> None:
        self.where = where
        self.about = about

    def describe(self) -> str:
        return self.about


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    row = {"question": "Which boat?", "response": "The ferry.", "reference": "ferry", "spare": "barge"}
    path.write_text("".join(json.dumps(row) + "\n" for _ in range(3)))
    return path


MAP = {"question": "question", "response": "response", "reference": "reference"}


def test_another_map_is_another_run(rows, tmp_path):
    adjudge.evaluate(rows, "rgb", mapping=MAP, out=tmp_path / "run")
    assert adjudge.evaluate(rows, "rgb", mapping=MAP, out=tmp_path / "run").already_finished
    with pytest.raises(RunFolderError, match=r"map was .*'reference'.*, is .*'spare'.*--overwrite"):
        adjudge.evaluate(rows, "rgb", mapping=MAP | {"response": "spare"}, out=tmp_path / "run")


def test_another_format_is_another_run(tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_text(
        '{"id": "a", "question": "Which boat?", "response": "The ferry.", "reference": "ferry"}\n'
    )
    adjudge.evaluate(path, "rgb", out=tmp_path / "run")
    with pytest.raises(RunFolderError, match="format was 'native', is 'mapped'"):
        adjudge.evaluate(path, "rgb", mapping=MAP, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (ServedJudge("http://there/v1"), "servers was .*here/v1.*, is .*there/v1"),
        (ServedJudge("http://here/v1", "rules>0.9"), "labeller was 'rules', is 'rules>0.9'"),
    ],
)
def test_another_server_or_threshold_is_another_run(rows, tmp_path, judge, message):
    adjudge.evaluate(rows, "rgb", judge=ServedJudge("http://here/v1"), mapping=MAP, out=tmp_path / "run")
    with pytest.raises(RunFolderError, match=message):
        adjudge.evaluate(rows, "rgb", judge=judge, mapping=MAP, out=tmp_path / "run")


def test_the_server_of_a_model_is_noted(rows, tmp_path):
    judge = adjudge.api.make_judge(
        "check=openai/m,*=rules", similarity="openai/e", base_url="http://user:secret@127.0.0.1:9/v1/"
    )
    adjudge.evaluate(rows, "rgb", judge=judge, mapping=MAP, metrics="rgb.accuracy", out=tmp_path / "run")
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["servers"] == dict.fromkeys(("openai/m", "openai/e"), "http://127.0.0.1:9/v1")


@pytest.mark.parametrize("name", ["records-2024.jsonl", "summary.json", "thesis.txt"])
def test_overwriting_is_for_runs_alone(rows, tmp_path, name):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / name).write_text("precious")
    with pytest.raises(RunFolderError, match="not empty and holds no run"):
        adjudge.evaluate(rows, "rgb", mapping=MAP, out=mine, overwrite=True)
    with pytest.raises(RunFolderError, match="not empty and holds no run"):
        adjudge.evaluate(rows, "rgb", mapping=MAP).save(mine, overwrite=True)
    assert (mine / name).read_text() == "precious"
    (mine / name).unlink()
    adjudge.evaluate(rows, "rgb", mapping=MAP, out=mine, overwrite=True)
    adjudge.evaluate(rows, "rgb", mapping=MAP, out=mine, overwrite=True)


def test_each_sample_of_a_slow_judge_is_on_disk_before_the_next(tmp_path):
    samples = [{"id": str(n), "question": "?", "response": "ferry", "reference": "ferry"} for n in range(8)]
    on_disk = []

    def look(_: int) -> None:
        on_disk.append(sum(1 for _ in read_records(tmp_path / "run")))
        time.sleep(0.02)

    adjudge.evaluate(samples, "rgb", out=tmp_path / "run", on_progress=look)
    assert on_disk == list(range(8))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told_with_the_folder_and_leaves_no_lock(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "records-00000.jsonl").symlink_to("/dev/full")
    record = adjudge.Record(protocol="rgb", id="a")
    for act in (RunFolder.flush, RunFolder.close):
        target = RunFolder(folder)
        target.begin()
        target.append([record])
        with pytest.raises(RunFolderError, match=r"cannot write records to .*run: No space left"):
            act(target)
        if act is RunFolder.flush:
            with pytest.raises(RunFolderError):
                target.close()
    RunFolder(folder).close()


def test_a_terminated_command_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    row = {"question": "Which boat?", "response": "The ferry.", "reference": "ferry"}
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for _ in range(40_000)))
    command = [sys.executable, "-m", "adjudge", "run", "many.jsonl", "-p", "rgb", "-o", "run"]
    records = tmp_path / "run" / "records-00000.jsonl"
    for more, advice in (
        ([], b"the same command with -o run goes on there"),
        (["--overwrite"], b"the same command with -o run and without --overwrite goes on there"),
    ):
        process = subprocess.Popen(
            [*command, *more], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (records.exists() and records.stat().st_size > 100_000):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 143
        assert advice in said
        assert b"Traceback" not in said
        os.truncate(records, 0)
