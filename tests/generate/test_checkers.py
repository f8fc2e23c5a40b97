"""Checkers: what they are given, what may come back, and that one failure does not stop the rest."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudge import evaluate
from adjudge.chat.base import ChatRequest
from adjudge.chat.scripted import Scripted
from adjudge.chat.stack import build_stack
from adjudge.cli import main
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.datasets.violation_names import CheckerName, SplitName
from adjudge.errors import UsageError
from adjudge.generate.checkers import CheckerFailure, PythonChecker, as_violations, make_checker
from adjudge.generate.prompt_checker import PromptChecker, read_answer
from adjudge.generate.voting import vote
from adjudge.types import Rule, Sample, Violation
from adjudge.verbs.check import check_for_run, check_split

RULES = [{"id": "R1", "text": "No shouting.", "category": "tone"}, {"id": "R2", "text": "No promises."}]
TEXTS = {"s1": "Buy NOW! We promise joy.", "s2": "A calm lamp.", "s3": "Ünder LAMPS we sit."}


@pytest.fixture
def split(tmp_path: Path) -> str:
    rows: list[dict[str, Any]] = [
        {
            "adjudge": "violations", "format": 1, "split": "lamps@0.1", "description": "Invented.",
            "rules": RULES, "without": ["correction"],
        }
    ]  # fmt: skip
    rows += [{"id": id, "text": text, "gold": []} for id, text in TEXTS.items()]
    rows[1]["gold"] = [{"quote": "NOW", "rule": "R1"}]
    path = tmp_path / "split.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return str(path)


def shouting(text: str, rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """Flags words in capitals."""
    assert [rule.id for rule in rules] == ["R1", "R2"]
    found = []
    for word in text.split():
        core = word.strip("!.")
        if len(core) > 1 and core.isupper():
            start = text.index(core)
            found.append({"start": start, "end": start + len(core), "rule": "R1"})
    return found


def named(function: Any, name: str = "shout@1") -> PythonChecker:
    return PythonChecker(function, CheckerName.parse(name), "a line")


def test_names() -> None:
    assert str(SplitName.parse("a@1")) == "a@1"
    found = CheckerName.parse("a@1.2|m/x")
    assert (found.name, found.version, found.model, str(found)) == ("a", "1.2", "m/x", "a@1.2|m/x")
    for bad in ("a", "a@", "@1", "a b@1", "a@1|"):
        with pytest.raises(UsageError):
            CheckerName.parse(bad)
    with pytest.raises(UsageError):
        SplitName.parse("a@1|m")


def test_predictions_are_a_split_that_can_be_scored(split: str, tmp_path: Path) -> None:
    outcome = check_split(split, named(shouting), tmp_path / "out.jsonl")
    assert (outcome.samples, outcome.flagged, outcome.failures) == (3, 2, ())
    source = Source(tmp_path / "out.jsonl")
    header = source.first
    assert header["checker"] == "shout@1"
    assert header["checkers"] == {"shout@1": "a line"}
    assert (header["description"], header["without"]) == ("Invented.", ["correction"])
    found = {sample.id: sample for sample in read(source)}
    assert [one.spans for one in found["s3"].predicted or ()] == [((6, 11),)]
    result = evaluate(str(tmp_path / "out.jsonl"), "violations", judge="rules")
    assert result.row("violations.std_f1").counts == {"tp": 1, "fp": 1, "fn": 0}


def misbehave(how: dict[str, Any]) -> Any:
    def check(text: str, rules: Any) -> Any:
        act = next((act for start, act in how.items() if text.startswith(start)), [])
        if isinstance(act, Exception):
            raise act
        if isinstance(act, float):
            time.sleep(act)
            return []
        return act

    return check


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (ValueError("boom"), "it raised ValueError: boom"),
        (30.0, "no answer within 0.2 s"),
        (7, "it gave int, not a list of violations"),
        (None, "it gave NoneType, not a list of violations"),
        ([{"start": 0, "end": 999}], "ends beyond the text (24 characters)"),
        ([{"start": 5, "end": 2}], "[5, 2) is no span"),
        ([{"rule": "R1"}], "it has no place in the text"),
        ([{"start": 0, "end": 2, "colour": "red"}], "unknown field `colour`"),
        ([{"start": "0", "end": 2}], "Expected `int | null`, got `str`"),
        ([3], "it gave something that is no violation"),
    ],
)
def test_one_failure_is_one_message_and_the_rest_goes_on(
    split: str, tmp_path: Path, act: Any, message: str
) -> None:
    began = time.monotonic()
    outcome = check_split(split, named(misbehave({"Buy": act})), tmp_path / "out.jsonl", timeout=0.2)
    assert time.monotonic() - began < 5, "a function that hangs holds nobody up"
    assert [id for id, _ in outcome.failures] == ["s1"]
    assert message in outcome.failures[0][1]
    assert [sample.id for sample in read(Source(tmp_path / "out.jsonl"))] == ["s2", "s3"]
    listed = json.loads((tmp_path / "out.jsonl.failed.jsonl").read_text())
    assert listed["id"] == "s1"
    check_split(split, named(shouting), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl.failed.jsonl").exists()


def test_async_functions_generators_and_violations(split: str, tmp_path: Path) -> None:
    async def later(text: str, rules: Any) -> list[Violation]:
        await asyncio.sleep(0)
        return [Violation(quote="lamp", rule="R1")] if "lamp" in text else []

    def lazily(text: str, rules: Any) -> Any:
        yield {"spans": [[0, 1], [2, 3]]}

    assert check_split(split, named(later), tmp_path / "a.jsonl").flagged == 1
    assert check_split(split, named(lazily), tmp_path / "b.jsonl").flagged == 3


SCRIPT = """
import json, sys
asked = json.loads(sys.stdin.readline())
if asked["text"].startswith("A calm"):
    sys.exit("no lamps today")
if "LAMPS" in asked["text"]:
    print("so be it")
    sys.exit(0)
print(json.dumps({"violations": [{"quote": "NOW", "rule": asked["rules"][0]["id"], "explanation": "loud"}]}))
"""


def test_a_command(split: str, tmp_path: Path) -> None:
    (tmp_path / "checker.py").write_text(SCRIPT)
    command = f"cmd:{sys.executable} {tmp_path / 'checker.py'}"
    out = tmp_path / "out.jsonl"
    arguments = ["check", split, "--checker", command, "--name", "script@2|none", "-o", str(out)]
    done = CliRunner().invoke(main, [*arguments, "--concurrency", "3"])
    assert done.exit_code == 0, done.output
    assert "script@2|none: 1 violations flagged in 1 samples" in done.output
    assert "sample 's2': it ended with 1: no lamps today" in done.output
    assert "sample 's3': what it printed is not JSON" in done.output
    (sample,) = read(Source(out))
    assert [(one.quote, one.rule) for one in sample.predicted or ()] == [("NOW", "R1")]


def test_the_time_limit_holds_for_what_a_command_starts(split: str, tmp_path: Path) -> None:
    """Children keep the pipes open after the command itself has ended; they are ended too."""
    left = tmp_path / "left"
    script = tmp_path / "starts.sh"
    script.write_text(f"(sleep 3; touch {left}) &\nsleep 30 &\nexit 0\n")
    began = time.monotonic()
    with pytest.raises(Exception, match=r"first: no answer within 0\.3 s"):
        check_split(split, make_checker(f"cmd:sh {script}"), tmp_path / "o.jsonl", timeout=0.3, concurrency=3)
    assert time.monotonic() - began < 2.5
    time.sleep(max(0.0, 3.5 - (time.monotonic() - began)))
    assert not left.exists(), "what the command started was left running"


def test_a_child_that_escapes_is_not_waited_for(split: str, tmp_path: Path) -> None:
    script = tmp_path / "escapes.py"
    script.write_text(
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(6)'],"
        " start_new_session=True)\nimport time\ntime.sleep(30)\n"
    )
    checker = make_checker(f"cmd:{sys.executable} {script}")
    began = time.monotonic()
    with pytest.raises(Exception, match=r"first: no answer within 1 s"):
        check_split(split, checker, tmp_path / "o.jsonl", timeout=1, concurrency=3)
    assert time.monotonic() - began < 5


def test_a_command_that_prints_without_end_is_ended(split: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="first: it printed more than 8 MB"):
        check_split(split, make_checker("cmd:yes"), tmp_path / "o.jsonl", timeout=20, concurrency=1)


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), StopIteration("s"), TimeoutError("own")]
)
def test_whatever_a_function_raises_is_told(split: str, tmp_path: Path, error: BaseException) -> None:
    def leave(text: str, rules: Sequence[Rule]) -> Any:
        raise error

    began = time.monotonic()
    with pytest.raises(Exception, match=f"first: it raised {type(error).__name__}"):
        check_split(split, named(leave), tmp_path / "o.jsonl", timeout=5)
    assert time.monotonic() - began < 3


def test_an_async_function_that_exits_does_not_end_the_program(split: str, tmp_path: Path) -> None:
    async def leave(text: str, rules: Sequence[Rule]) -> Any:
        sys.exit("enough")

    with pytest.raises(Exception, match="first: it raised SystemExit: enough"):
        check_split(split, named(leave), tmp_path / "o.jsonl", timeout=5)


def test_a_slow_command_is_ended(split: str, tmp_path: Path) -> None:
    slow = make_checker(f"cmd:{sys.executable} -c 'import time; time.sleep(60)'")
    with pytest.raises(Exception, match=r"failed on all 3 samples, first: no answer within 0\.3 s"):
        check_split(split, slow, tmp_path / "out.jsonl", timeout=0.3, concurrency=3)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("python:function", "write python:module.function"),
        ("python:no_such_module.f", "No module named 'no_such_module'"),
        ("python:json.nothing", "json has no function 'nothing'"),
        ("cmd:", "needs a command"),
        ("cmd:'", "No closing quotation"),
        ("prompt", "needs --model"),
        ("nobody", "there is no checker 'nobody'"),
    ],
)
def test_wrong_checkers_are_said_before_anything_runs(choice: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_checker(choice)


def test_a_function_says_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = 'CHECKER = "house@3"\ndef check(text, rules):\n    "Says so."\n    return []\n'
    (tmp_path / "housechecker.py").write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = make_checker("python:housechecker.check")
    assert (str(made.name), made.about) == ("house@3", "Says so.")
    assert str(make_checker("python:housechecker.check", name="other@1|m").name) == "other@1|m"


def test_for_a_run(split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calmchecker.py").write_text("def check(text, rules):\n    return []\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = check_for_run(split, tmp_path / "runs" / "one", checker="python:calmchecker.check")
    assert path.endswith("one.check@0.predictions.jsonl")
    assert evaluate(path, "violations", judge="rules").value("violations.std_recall") == 0.0


def test_predictions_that_a_run_rests_on_are_kept(
    split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run into the same folder is refused, so what the first was made of must stay."""
    (tmp_path / "twochecker.py").write_text(
        "FOUND = []\ndef check(text, rules):\n    return FOUND\ndef other(text, rules):\n    return []\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    folder = tmp_path / "runs" / "one"
    first = Path(check_for_run(split, folder, checker="python:twochecker.check"))
    before = first.read_bytes()
    evaluate(str(first), "violations", judge="rules", out=folder)
    assert Path(check_for_run(split, folder, checker="python:twochecker.other")) != first
    assert Path(check_for_run(split, folder, checker="python:twochecker.check")) == first, "the same again"
    monkeypatch.setattr(sys.modules["twochecker"], "FOUND", [{"start": 0, "end": 2, "rule": "R1"}])
    changed = Path(check_for_run(split, folder, checker="python:twochecker.check"))
    assert changed != first
    assert changed.read_bytes() != before
    assert first.read_bytes() == before
    assert not list(folder.parent.glob(".one.*")), "nothing is left lying about"


def test_another_checkers_predictions_are_replaced_and_each_text_is_checked_once(tmp_path: Path) -> None:
    rows = [
        {"adjudge": "violations", "format": 1, "split": "lamps@0.1", "rules": RULES},
        {"id": "s1", "text": "NOW", "gold": [], "predicted": [{"quote": "N"}], "checker": "a@1"},
        {"id": "s1", "text": "NOW", "gold": [], "predicted": [], "checker": "b@1"},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    check_split(str(path), named(shouting), tmp_path / "out.jsonl")
    (sample,) = read(Source(tmp_path / "out.jsonl"))
    assert (sample.id, sample.attributes["checker"]) == ("s1", "shout@1")
    assert [one.spans for one in sample.predicted or ()] == [((0, 3),)]


def test_rows_of_one_item_that_differ_by_more_than_the_checker_are_all_checked(tmp_path: Path) -> None:
    """As often as one of the checkers, or raters, before has them."""
    alike: dict[str, Any] = {"item": "d", "text": "NOW", "gold": []}
    rows: list[dict[str, Any]] = [
        {"adjudge": "violations", "format": 1, "split": "lamps@0.1", "rules": RULES},
        *({"id": f"{place}{by}", **alike, "checker": f"{by}@1"} for by in "ab" for place in ("mail", "web")),
        {"id": "r1", **alike, "item": "e", "attributes": {"rater": "ada"}},
        {"id": "r2", **alike, "item": "e", "attributes": {"rater": "bea"}},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    check_split(str(path), named(shouting), tmp_path / "out.jsonl")
    assert [sample.id for sample in read(Source(tmp_path / "out.jsonl"))] == ["maila", "weba", "r1"]


@pytest.mark.parametrize("verb", ["check", "run", "perturb"])
def test_a_split_without_a_name_is_called_after_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Whatever the predictions are called: those of several checkers belong on one leaderboard."""
    (tmp_path / "mutechecker.py").write_text("def check(text, rules):\n    return []\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    row = {"id": "s", "text": "NOW", "gold": [{"quote": "NOW"}]}
    Path("night lamps.jsonl").write_text(json.dumps(row))
    made = ["night lamps.jsonl", "--checker", "python:mutechecker.check"]
    arguments = {
        "check": ["check", *made, "-o", "out.jsonl"],
        "run": ["run", *made, "-o", "out", "-p", "violations", "--judge", "rules"],
        "perturb": ["data", "perturb", "night lamps.jsonl", "-o", "out.jsonl"],
    }[verb]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    written = "out.check@0.predictions.jsonl" if verb == "run" else "out.jsonl"
    assert Source(written).first["split"] == "night_lamps@0"


@pytest.mark.parametrize("verb", [["check", "--checker", "python:never.called"], ["data", "perturb"]])
def test_there_is_room_for_predictions_before_they_are_made(
    split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    called: list[str] = []
    monkeypatch.setattr(
        "adjudge.verbs.check.checker_of", lambda *_, **__: named(lambda t, _: called.append(t))
    )
    done = CliRunner().invoke(main, [*verb, split, "-o", str(tmp_path)])
    assert (done.exit_code, called) == (2, [])
    assert "this is a folder; name a file" in done.stderr
    monkeypatch.setattr("adjudge.verbs.check.checker_of", lambda *_, **__: named(shouting))
    out = tmp_path / "not" / "yet" / "there.jsonl"
    assert CliRunner().invoke(main, [*verb, split, "-o", str(out)]).exit_code == 0
    assert Source(out).first["split"] == "lamps@0.1"


def test_bad_lines_are_passed_over_if_wanted(
    split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dumbchecker.py").write_text("def check(text, rules):\n    return []\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with Path(split).open("a") as stream:
        stream.write('{"id": "s4", "text": "cut sh\n')
    checker = ["--checker", "python:dumbchecker.check"]
    for command in (
        ["check", split, *checker, "-o", "out.jsonl"],
        ["data", "perturb", split, "-o", "out.jsonl"],
        ["run", split, *checker, "-o", "out", "-p", "violations", "--judge", "rules"],
    ):
        stopped = CliRunner().invoke(main, command)
        assert stopped.exit_code == 3
        assert "pass over such lines with --skip-bad" in stopped.stderr
        done = CliRunner().invoke(main, [*command, "--skip-bad"])
        assert done.exit_code == 0, done.output
        assert "skipped 1 bad lines or samples" in done.stderr


def test_what_run_cannot_do_with_a_checker_comes_with_a_way_that_can(split: str) -> None:
    asked = CliRunner().invoke(main, ["run", split, "--checker", "prompt"])
    assert asked.exit_code == 2
    assert "adjudge check SPLIT --checker prompt --model openai/MODEL -o FILE" in asked.stderr
    dry = CliRunner().invoke(main, ["run", split, "--checker", "python:any.thing", "--dry-run"])
    assert dry.exit_code == 2
    assert "--dry-run knows nothing of what a checker will flag" in dry.stderr


# by prompt


def answer(*entries: tuple[str, str]) -> str:
    found = [{"quote": q, "rule": r, "explanation": "why", "correction": ""} for q, r in entries]
    return json.dumps({"violations": found})


SAMPLE = Sample(
    id="s", text=TEXTS["s1"], rules=(Rule(id="R1", text="No shouting.", category="tone"), Rule(id="R2"))
)


def ask(script: Any, **options: Any) -> tuple[tuple[Violation, ...], list[ChatRequest]]:
    backend = Scripted(script)
    checker = PromptChecker(build_stack("openai/m", backend=backend, cache="off"), **options)

    async def run() -> tuple[Violation, ...]:
        async with checker:
            return await checker.check(SAMPLE)

    return asyncio.run(run()), backend.asked


def test_a_prompt_shows_rules_and_text() -> None:
    found, asked = ask(lambda request: answer(("NOW", "r1"), ("NOW", "R1"), ("", "R2")))
    assert [(one.quote, one.rule, one.category) for one in found] == [("NOW", "R1", "tone")]
    assert asked[0].temperature == 0
    shown = asked[0].messages[-1].content
    assert "[R1] No shouting. (tone)" in shown
    assert TEXTS["s1"] in shown


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    replies = iter(["nothing much", answer(("NOW", "R1"))])
    found, asked = ask(lambda request: next(replies))
    assert (len(found), len(asked)) == (1, 2)
    with pytest.raises(CheckerFailure, match="cannot be used: there is no JSON object"):
        ask(lambda request: "nothing much")
    with pytest.raises(CheckerFailure, match="has no rules"):
        asyncio.run(
            PromptChecker(build_stack("openai/m", backend=Scripted({}))).check(Sample(id="x", text="y"))
        )


def test_votes_are_counted() -> None:
    opinions = [
        answer(("Buy NOW", "R1"), ("joy", "R2")),
        answer(("NOW!", "R1")),
        answer(("NOW", "R1"), ("promise", "R2")),
    ]
    found, asked = ask(lambda request: opinions[request.again // 2], votes=3)
    assert len(asked) == 3
    assert all(request.temperature == 0.7 for request in asked)
    assert [(one.rule, one.spans) for one in found] == [("R1", ((4, 7),))], "the characters most agree on"


def test_voting_by_hand() -> None:
    def flag(start: int, end: int, rule: str = "R") -> Violation:
        return Violation(spans=((start, end),), rule=rule)

    text = "x" * 30
    assert vote([[flag(0, 4)]], text) == (flag(0, 4),)
    assert vote([[flag(0, 4)], []], text) == (), "half is not most"
    assert vote([[flag(0, 4)], [flag(0, 4, "Q")]], text) == ()
    assert vote([[flag(0, 4), flag(0, 4)], []], text) == (), "nobody votes twice"
    assert vote([[flag(0, 10)], [flag(0, 10)], [flag(2, 10)]], text)[0].spans == ((0, 10),)
    assert vote([[flag(0, 4)], [flag(3, 8)], [flag(20, 22)]], text) == (), (
        "an overlap of 1 in 8 is too little"
    )
    assert vote([[Violation(quote="nowhere")]], text) == ()
    with pytest.raises(UsageError):
        vote([], text)


def test_reading_an_answer_in_a_fence() -> None:
    fenced = f"```json\n{answer(('NOW', '[R1]'))}\n```"
    assert read_answer(fenced, SAMPLE.rules or ())[0].rule == "R1"
    assert as_violations([], SAMPLE) == ()


# the example


@pytest.mark.skipif(importlib.util.find_spec("proselint") is None, reason="proselint is not installed")
def test_proselint(split: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples" / "checkers"))
    made = make_checker("python:proselint_checker.check")
    assert str(made.name).startswith("proselint@")
    text = "Ünder — at this moment in time the lamp is very unique."
    found = asyncio.run(made.check(Sample(id="x", text=text)))
    at = {one["rule"]: text[one["start"] : one["end"]] for one in found}
    assert at["uncomparables"] == "very unique"
    assert at["redundancy.misc.after_the_deadline"] == "moment in time"
    assert all(one["explanation"] for one in found)
