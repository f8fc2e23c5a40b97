"""Whole runs of safe with a web search that behaves, or misbehaves, like serper.dev's."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adjudge.cli import main
from adjudge.evidence import serper
from adjudge.run.store import read_records
from search_server import SearchServer

SECRET = "k-not-to-be-seen-7"
SAMPLE = {"id": "a", "question": "Who is Ann?", "response": "Ann Ames sings. Ann Ames lives in Rome."}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[SearchServer]:
    made = SearchServer()
    monkeypatch.setenv(serper.KEY, SECRET)
    monkeypatch.setenv("SERPER_URL", made.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache" / "answers.sqlite"))
    monkeypatch.setattr(serper, "_LONGEST_PAUSE", 0.01)
    monkeypatch.setattr(serper, "_TIMEOUT", 0.3)
    yield made
    made.stop()


def run(folder: Path, *more: str) -> Result:
    (folder / "raw.jsonl").write_text(json.dumps(SAMPLE))
    options = ("--protocol", "safe", "--evidence", "web", "--judge", "local", "-o", str(folder / "run"))
    return CliRunner().invoke(main, ["run", str(folder / "raw.jsonl"), *options, *more])


def checks(folder: Path) -> list[tuple[object, str]]:
    """Verdict of each fact, and why it has that or none."""
    [record] = read_records(folder / "run")
    labels = [label for label in record.labels if label.name == "check"]
    return [(label.value, f"{label.why or ''}{label.reason or ''}") for label in labels]


def test_facts_are_looked_up(server: SearchServer, tmp_path: Path) -> None:
    server.good = {"organic": [{"snippet": "Ann Ames sings. Ann Ames lives in Rome.", "link": "http://x"}]}
    assert run(tmp_path).exit_code == 0
    assert [value for value, _ in checks(tmp_path)] == ["entailed", "entailed"]
    assert len(server.requests) == 2, "one search a fact; what was found decides"
    assert not any(SECRET.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_searches_are_kept_as_answers_are(
    server: SearchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.good = {"organic": [{"snippet": "Ann Ames sings. Ann Ames lives in Rome."}]}
    usual = tmp_path / "cache" / "evidence" / "searches.sqlite"
    for times in (1, 2):
        told = run(tmp_path, "--cache", "off", "--overwrite")
        assert told.exit_code == 0
        assert "nothing" not in told.stderr, "the option is good for searches"
        assert (len(server.requests), usual.exists()) == (2 * times, False)
    mine = ("--cache-path", str(tmp_path / "mine.sqlite"), "--overwrite")
    assert run(tmp_path, *mine).exit_code == 0
    assert (tmp_path / "mine.searches.sqlite").exists()
    assert not usual.exists()
    before = checks(tmp_path)
    assert run(tmp_path, *mine).exit_code == 0
    assert len(server.requests) == 6, "the second time from the file"

    monkeypatch.delenv(serper.KEY)
    assert run(tmp_path, *mine, "--cache", "replay").exit_code == 0
    assert checks(tmp_path) == before
    for options in (("--cache", "replay", "--overwrite"), (*mine, "--cache", "replay")):
        assert run(tmp_path, *options).exit_code == 0
        assert len(server.requests) == 6, "a replay goes nowhere"
        monkeypatch.setenv("SERPER_URL", "http://127.0.0.1:9")
        lacking = [value is None and "a replay searches nowhere" in why for value, why in checks(tmp_path)]
        assert lacking == [True, True], "nothing stored there; then, of another server"


def test_finding_nothing_is_a_verdict_and_not_a_fault(server: SearchServer, tmp_path: Path) -> None:
    server.always = "empty"
    assert run(tmp_path).exit_code == 0
    assert [value for value, _ in checks(tmp_path)] == ["neutral", "neutral"]
    assert all("nothing was found for" in why for _, why in checks(tmp_path))
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("429", "after 5 attempts: the search server answered 429"),
        ("500", "after 5 attempts: the search server answered 500"),
        ("html", "after 5 attempts: the answer is not JSON"),
        ("list", "after 5 attempts: the answer is not a JSON object"),
        ("hang", "after 5 attempts: no answer within 0.3 s"),
        ("reset", "after 5 attempts: ServerDisconnectedError"),
        ("429+9999", "after 1 attempts: the search server answered 429"),
        ("bad-query", "the search server refused the query (400): Query too long"),
    ],
)
def test_a_failing_search_leaves_facts_without_a_verdict_and_says_why(
    server: SearchServer, tmp_path: Path, fault: str, says: str
) -> None:
    server.always = fault
    started = time.monotonic()
    told = run(tmp_path)
    assert told.exit_code == 0, told.output
    assert time.monotonic() - started < 10
    assert [value for value, _ in checks(tmp_path)] == [None, None]
    assert all(says in why for _, why in checks(tmp_path))
    assert len(server.requests) <= 2 * 5, "attempts are bounded"
    [record] = read_records(tmp_path / "run")
    [precision] = [score for score in record.scores if score.metric == "safe.precision"]
    assert (precision.value, precision.state) == (None, "unscored")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("403", "serper.dev refuses the key (403)"),
        ("credits", "has no credit left (400)"),
        ("404", "SERPER_URL"),
    ],
)
def test_a_wrong_key_ends_the_run_at_once_and_leaves_nothing(
    server: SearchServer, tmp_path: Path, fault: str, says: str
) -> None:
    server.always = fault
    told = run(tmp_path)
    assert told.exit_code == 5
    assert says in told.stderr
    assert SECRET not in told.output
    assert len(server.requests) <= 2
    assert not (tmp_path / "run").exists()
