"""What `inspect view` gets from its own server for our logs; what it makes of it is in tests/browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import eval

from integrations.inspect_helpers import WARNINGS, clean  # noqa: F401
from integrations.view_server import inspect_view

pytestmark = WARNINGS


def get(address: str) -> Any:
    with urlopen(address, timeout=30) as answer:
        return json.load(answer)


def test_the_view_server_lists_and_gives_our_logs(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    data = tmp_path / "qa.jsonl"
    green = "The colour of the door is green."
    rows = [
        {"id": "a", "question": "Which colour?", "contexts": [green]},
        {"id": "b", "question": "Which colour?", "reference": green},
    ]
    data.write_text("\n".join(map(json.dumps, rows)))
    answers = {"Which colour?": f"{green} It cost 9 crowns."}
    options = {"model": "adjudge/scripted", "model_args": {"answers": answers}, "display": "none"}
    eval("adjudge/ragchecker_qa", task_args={"data": str(data)}, log_dir=str(logs), **options)
    eval("adjudge/rgb_noise", log_dir=str(logs), **options)
    with inspect_view(logs) as address:
        listed = {entry["task"]: entry["name"] for entry in get(f"{address}/api/logs")["files"]}
        assert listed.keys() == {"ragchecker-qa", "rgb-noise"}
        claims, noise = (get(f"{address}/api/logs/{quote(name)}") for name in sorted(listed.values()))
    assert claims["status"] == noise["status"] == "success"

    scored = next(s for s in claims["results"]["scores"] if s["name"] == "ragchecker_scorer")
    assert (scored["scored_samples"], scored["unscored_samples"]) == (1, 1)
    by_id = {sample["id"]: sample["scores"]["ragchecker_scorer"] for sample in claims["samples"]}
    lacks = "'reference': protocol 'ragchecker' needs it and the sample has none"
    assert by_id["a"]["explanation"] == f"Unscored: {lacks}; give the Sample a target"
    assert by_id["b"]["explanation"] == "Precision: 50.0%, Recall: 100.0%, F1: 66.7%"
    # Neutral or contradicted is for the judge to say; that it is shown in words is asked here.
    assert by_id["b"]["metadata"]["verdicts"]["reference"].startswith("claims: 1 ")
    assert " 9 crowns. → " in by_id["b"]["metadata"]["verdicts"]["claim:response:1"]
    told = by_id["b"]["metadata"]["verdicts"]["claim:response:0"]
    assert told == "The colour of the door is green. → entailed by reference"

    (sample, *_) = noise["samples"]
    assert sample["scores"]["rgb_scorer"]["explanation"] == "Correct: yes, Officially correct: yes"
    names = [name for score in noise["results"]["scores"] for name in score["metrics"]]
    assert [name for name in names if name.startswith("noise")] == [
        f"noise {rate}%" for rate in (0, 20, 40, 60, 80)
    ]
    assert not any("." in name for name in names), "the viewer cuts names at a dot"
