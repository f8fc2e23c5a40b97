"""Experiments with a chat model behind a server: the command line, its answers kept, and unreadable ones."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from chat.server import MisbehavingServer
from judges.llm_helpers import blocks_of, lines_of

ROWS = [
    {
        "id": str(k),
        "evidence": f"Tram {k} stops here.",
        "claim": f"Tram {k + k % 2} stops here.",
        "label": label,
    }
    for k, label in enumerate(["supported", "not_supported"] * 3)
]


def _check(body):
    blocks = blocks_of(body["messages"][1]["content"])
    rows = [
        {
            "claim": int(key),
            "entailed_by": [n for n, text in enumerate(blocks["evidence"], 1) if claim in text],
            "contradicted_by": [],
        }
        for key, claim in lines_of(blocks["claims"][0])
    ]
    return json.dumps({"rows": rows})


@pytest.fixture
def command(tmp_path, monkeypatch):
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "trams.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    monkeypatch.setenv("ADJUDGE_API_KEY", "none")
    monkeypatch.chdir(tmp_path)

    def run(server, *more):
        given = ["experiment", "support", "--data", str(tmp_path), "--judge", "openai/m", "--json"]
        given += ["--base-url", server.base_url, "--cache-path", "cache.sqlite", "--attempts", "1"]
        result = CliRunner().invoke(main, [*given, *more])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


def test_a_model_is_measured_and_asked_once(command, tmp_path):
    with MisbehavingServer(answer=_check) as server:
        outcome = command(server, "-o", "out")
        assert len(server.requests) == 6
        again = command(server, "-o", "out")
        assert len(server.requests) == 6
    figures = outcome["tables"][0]["rows"][0]["figures"]
    assert figures["AUROC"]["value"] == figures["balanced accuracy"]["value"] == 1.0
    assert again["tables"] == outcome["tables"]
    assert "judge:openai/m,prompts:" in outcome["signatures"]["support"]
    assert (tmp_path / "out" / "calls.jsonl").exists()
    # One file or two: their names tell the second.
    stored = [json.loads(path.read_text()) for path in (tmp_path / "out").glob("*-support.json")]
    assert stored
    assert all(told["tables"] == outcome["tables"] for told in stored)


def test_unreadable_answers_leave_a_reason_and_no_number(command):
    with MisbehavingServer(answer=lambda body: "I would rather not say.") as server:
        outcome = command(server)
    table = outcome["tables"][0]
    assert table["rows"][0]["figures"]["AUROC"] == {"n": 0, "reason": "no pair has both values"}
    assert table["notes"] == ["the judge gave no verdict on 6 of 6 claims; they are left out"]
