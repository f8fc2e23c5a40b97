"""`adjudge compare` and `adjudge agree` as a user meets them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge.cli import main

pytest.importorskip("scipy")


def call(*arguments: str, code: int = 0):
    result = CliRunner().invoke(main, list(arguments), catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def numbers(value):
    """All numbers in a JSON document."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [n for part in value for n in numbers(part)]
    return [value] if isinstance(value, float) else []


def colour(name: str, index: int, right: bool, **more) -> str:
    sample = {
        "id": f"q{index}",
        "question": "Which colour?",
        "response": "It is red." if right else "It is blue.",
        "reference": "red",
        "attributes": {"system": name, "half": index % 2},
    }
    return json.dumps(sample | more)


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    sides = {"low": range(0, 120, 3), "high": [n for n in range(120) if n % 4], "same": range(0, 120, 3)}
    for name, right in sides.items():
        Path(f"{name}.jsonl").write_text("\n".join(colour(name, at, at in set(right)) for at in range(120)))
        call("run", f"{name}.jsonl", "-p", "rgb", "--judge", "rules", "-o", name)
    return tmp_path


def test_compare_two_runs(runs):
    out = call("compare", "low", "high", "--metrics", "rgb.accuracy").output
    assert "high against low: better in rgb.accuracy" in out
    assert "33.3" in out
    assert "75.0" in out
    assert "+41.7" in out
    assert "60/50/10" in out
    assert "q1: rgb.accuracy" in out
    document = json.loads(call("compare", "low", "high", "--json").output)
    row = document["rows"][0]
    assert (row["values"], row["wins"], row["losses"]) == ([40 / 120, 0.75], 60, 10)
    assert row["interval"][0] > 0.25
    assert row["p_holm"] >= row["p"]
    assert all(math.isfinite(n) for n in numbers(document))


def test_no_difference_is_said_plainly(runs):
    out = call("compare", "low", "same").output
    assert "same against low: no difference shown" in out
    out = call("compare", "low", "same", "high", "--metrics", "rgb.accuracy").output
    assert "same against low: no difference shown" in out
    assert "Holm's correction over 2 tests" in out


def test_an_unfinished_run_is_told(runs):
    info = json.loads(Path("same/run.json").read_text())
    del info["finished"]
    Path("same/run.json").write_text(json.dumps(info))
    assert "WARNING: same has not finished" in call("compare", "low", "same").stderr


def test_systems_within_one_run(runs):
    lines = []
    for name, step in (("a", 2), ("b", 3)):
        lines += [colour(name, at, at % step > 0, id=f"{name}{at}", item=f"i{at}") for at in range(30)]
    Path("both.jsonl").write_text("\n".join(lines))
    call("run", "both.jsonl", "-p", "rgb", "--judge", "rules", "-o", "both")
    document = json.loads(call("compare", "both", "--systems", "system", "--by", "half", "--json").output)
    assert document["systems"] == ["a", "b"]
    assert document["paired_on"] == {"b": "item"}
    found = {(row["metric"], row["group"]["half"]): row for row in document["rows"]}
    assert found["rgb.accuracy", 1]["values"] == [1.0, 10 / 15]
    assert found["rgb.accuracy", 1]["left_out"] == [0, 0]
    assert "has no two values" in call("compare", "low", "--systems", "system", code=2).stderr
    assert "two runs" in call("compare", "low", code=2).stderr


def test_other_parameters_are_told_and_other_metrics_refused(runs):
    facts = {
        "id": "s",
        "question": "q",
        "response": "A. B.",
        "units": [{"id": "fact:a.1", "text": "A."}, {"id": "fact:b.1", "text": "B."}],
        "labels": [
            {"name": "facts", "unit": "response", "value": 2, "source": "human:x"},
            {"name": "check", "unit": "fact:a.1", "value": "entailed", "source": "human:x"},
            {"name": "check", "unit": "fact:b.1", "value": "neutral", "source": "human:x"},
        ],
    }
    Path("facts.jsonl").write_text(json.dumps(facts))
    for k in ("2", "4"):
        call("run", "facts.jsonl", "-p", "safe", "--set", f"safe.k={k}", "-o", f"k{k}")
    refused = call("compare", "k2", "k4", code=2).stderr
    assert "safe.f1@2" in refused
    assert "--force" in refused
    told = call("compare", "k2", "k4", "--metrics", "safe.precision")
    assert "WARNING: safe: scored with DIFFERENT PARAMETERS" in told.stderr
    assert "no difference shown" in told.stdout
    assert "WARNING" in call("compare", "k2", "k4", "--force").stderr
    assert "there is no metric" in call("compare", "k2", "k4", "--metrics", "safe.nope", code=2).stderr
    assert "nothing to compare" in call("compare", "k2", "low", code=2).stderr


def trace_line(index: int) -> str:
    """Two people and a judge on one context of three sentences and one response sentence."""

    def labels(source: str, relevant: list[str], support: str) -> list[dict]:
        return [
            {"name": "relevant", "unit": "contexts", "value": len(relevant), "source": source},
            *({"name": "relevant", "unit": f"ctx:0{k}", "value": True, "source": source} for k in relevant),
            {"name": "support", "unit": "response", "value": 1, "source": source},
            {"name": "support", "unit": "resp:a", "value": support, "source": source},
        ]

    first = ["a", "b"] if index % 2 else ["a"]
    second = first if index % 5 else ["c"]
    judge = first if index % 3 else []
    sample = {
        "id": f"t{index}",
        "question": "Where?",
        "response": "Here.",
        "contexts": ["One is. Two are. Three were."],
        "units": [
            *({"id": f"ctx:0{k}", "text": w} for k, w in zip("abc", ("One.", "Two.", "Three."), strict=True)),
            {"id": "resp:a", "text": "Here."},
        ],
        "labels": labels("human:ann", first, "full" if index % 4 else "none")
        + labels("human:bob", second, "full" if index % 4 else "partial")
        + labels("judge:old", judge, "full" if index % 7 else "none"),
        "attributes": {"stars": index % 5},
    }
    return json.dumps(sample)


@pytest.fixture
def rated(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rated.jsonl").write_text("\n".join(trace_line(index) for index in range(40)))
    call("run", "rated.jsonl", "-p", "trace", "--labels", "judge:old", "-o", "run")
    return tmp_path


def test_agree_with_all_people_in_the_samples(rated):
    out = call("agree", "run").output
    for part in ("trace.relevant", "trace.support", "human:ann – human:bob (people: the ceiling)"):
        assert part in out
    document = json.loads(call("agree", "run", "--json").output)
    assert document["others"] == ["human:ann", "human:bob"]
    rows = {(row["level"], row["name"], row["second"]): row for row in document["rows"] if not row["ceiling"]}
    row = rows["label", "relevant", "human:ann"]
    assert (row["pairs"], row["kind"]) == (120, "flag")
    same = sum(3 if index % 3 else 3 - (2 if index % 2 else 1) for index in range(40))
    assert row["statistics"]["accuracy"]["value"] == pytest.approx(same / 120)
    assert row["statistics"]["precision"]["value"] == 1.0
    assert ("sample", "trace.adherence", "human:bob") in rows
    assert all(math.isfinite(n) for n in numbers(document))


def test_agree_choices(rated):
    out = json.loads(call("agree", "run", "--with", "human:bob", "--level", "unit", "--json").output)
    assert {row["part"] for row in out["rows"]} == {"ctx", "resp"}
    out = json.loads(
        call(
            *("agree", "run", "--with", "human:ann", "--statistic", "kappa", "--level", "label"),
            *("--by", "stars", "--json"),
        ).output
    )
    assert {tuple(row["statistics"]) for row in out["rows"]} == {("kappa",)}
    assert {row["group"]["stars"] for row in out["rows"]} == set(range(5))
    out = json.loads(
        call("agree", "run", "--with", "attribute:stars", "--metric", "trace.relevance", "--json").output
    )
    assert [(row["name"], row["level"]) for row in out["rows"]] == [("trace.relevance", "sample")]
    assert "differ, for example" in call("agree", "run", "--level", "unit").output


def test_agree_of_stored_predictions_and_other_files(rated):
    out = json.loads(call("agree", "rated.jsonl", "--with", "human:ann", "--json").output)
    again = json.loads(call("agree", "run", "--with", "human:ann", "--json").output)
    assert out["first"] == "judge:old"
    pick = [
        [row["statistics"] for row in document["rows"] if row["name"] == "relevant"]
        for document in (out, again)
    ]
    assert pick[0] == pick[1]
    other = json.loads(call("agree", "run", "--with", "rated.jsonl", "--json").output)
    assert other["others"] == ["human:ann", "human:bob"]
    call("run", "rated.jsonl", "-p", "trace", "--labels", "human:ann", "-o", "people")
    third = json.loads(call("agree", "run", "--with", "people", "--json").output)
    assert third["others"] == ["human:ann"]


def test_agree_errors_say_what_to_do(rated):
    assert "human:ann" in call("agree", "run", "--with", "human:cat", code=2).stderr
    assert "neither a file nor a run" in call("agree", "run", "--with", "nowhere", code=2).stderr
    assert "label, unit, sample" in call("agree", "run", "--level", "word", code=2).stderr
    assert "--statistic" in call("agree", "run", "--statistic", "luck", code=2).stderr
    assert "judge:new" in call("agree", "rated.jsonl", "--labels", "judge:new", code=2).stderr
    call("run", "rated.jsonl", "-p", "trace", "--labels", "human:ann", "-o", "people")
    assert "--labels judge" in call("agree", "people", "--with", "human:ann", code=2).stderr
    call("run", "rated.jsonl", "-p", "trace", "--labels", "judge:old", "--lean", "-o", "lean")
    assert "--with FILE" in call("agree", "lean", code=2).stderr
