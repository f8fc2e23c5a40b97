"""Documents that are made from code are up to date, and the README's commands work as printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.report.reference import metrics_markdown

ROOT = Path(__file__).parent.parent


def test_metrics_reference_is_up_to_date():
    assert (ROOT / "docs" / "metrics.md").read_text("utf-8") == metrics_markdown()


def test_readme_links_exist():
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text("utf-8")):
        assert (ROOT / link).exists(), link


def test_every_group_of_entry_points_is_named():
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    groups = set(re.findall(r'plugin\("(adjudge\.[a-z]+)"', source))
    assert len(groups) >= 7
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [group for group in sorted(groups) if f"`{group}`" not in told] == []


def test_readme_commands_work_as_printed(tmp_path, monkeypatch):
    readme = (ROOT / "README.md").read_text("utf-8")
    (sample,) = re.findall(r"```json\n(.*?)\n```", readme, re.S)
    monkeypatch.chdir(tmp_path)
    for name in ("answers.jsonl", "raw.jsonl"):
        Path(name).write_text(json.dumps(json.loads(sample)) + "\n")
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", readme, re.S))
    commands = re.findall(r"^adjudge (.*?)(?:\s+#.*)?$", blocks, re.M)
    assert len(commands) >= 5
    for command in commands:
        words = command.split()
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, (command, result.output)


def test_readme_python_works_as_printed(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    readme = (ROOT / "README.md").read_text("utf-8")
    (sample,) = re.findall(r"```json\n(.*?)\n```", readme, re.S)
    (code,) = re.findall(r"```python\n(.*?)\n```", readme, re.S)
    monkeypatch.chdir(tmp_path)
    Path("answers.jsonl").write_text(sample + "\n")
    exec(compile(code, "README", "exec"), {})
    assert "s1" in capsys.readouterr().out
