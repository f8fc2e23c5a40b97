"""The user's own system under RGB and LongFact: what it is given, and what becomes of failures."""

from __future__ import annotations

import json
import re
import socket
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from chat.server import MisbehavingServer
from generate.rgb_helpers import CASES, NAMES, answer, make_folder
from generate.test_targets import Server, serve  # noqa: F401


def invoke(*arguments: Any) -> Any:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def ask(question: str, contexts: list[str]) -> str:
    """The scripted model of RGB's tests, asked as a target is."""
    shown = "Document:\n" + "\n".join(contexts) if contexts else ""
    return answer({"messages": [{"content": f"{shown}\n\nQuestion:\n{question}"}]})


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    return tmp_path


@pytest.fixture
def module(place: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Writes a module with a name of its own, as none may be imported twice."""
    number = iter(range(9))

    def write(code: str) -> str:
        name = re.sub(r"\W", "_", f"own_{request.node.name}_{next(number)}")
        (place / f"{name}.py").write_text(textwrap.dedent(code))
        return f"python:{name}.answer"

    return write


SAME = """
    from test_generate_targets_cli import ask

    def answer(question, contexts):
        more = {"contexts": ["my own"], "attributes": {"hops": 1, "noise": 9}}
        return {"response": ask(question, contexts), **more}
"""


def test_a_target_is_given_the_documents_of_each_condition(place: Path, module: Any) -> None:
    data, target = make_folder(place / "rgb"), module(SAME)
    done = invoke(
        "generate", "rgb", "--target", target, "--system", "mine", "--data", data, "-o", "own.jsonl"
    )
    assert done.exit_code == 0, done.output
    assert f"{CASES} asked, 0 failed; {CASES} written to own.jsonl" in done.stdout
    with MisbehavingServer(answer=answer) as server:
        options = ["--model", "openai/m", "--base-url", server.base_url, "--cache", "off", "--data", data]
        assert invoke("generate", "rgb", *options, "-o", "model.jsonl").exit_code == 0
    own, model = list(read(Source("own.jsonl"))), list(read(Source("model.jsonl")))
    assert [sample.response for sample in own] == [sample.response for sample in model]
    assert [sample.contexts for sample in own] == [sample.contexts for sample in model]
    assert [sample.id.replace("|mine", "|m") for sample in own] == [sample.id for sample in model]
    told = {**model[0].attributes, "hops": 1, "system": "mine"}
    del told["prompt"]  # a target gets no prompt of ours
    assert own[0].attributes == told


def test_targets_and_models_in_one_bench(place: Path, module: Any) -> None:
    data = make_folder(place / "rgb")
    with MisbehavingServer(answer=lambda body: "I have no idea.") as server:
        done = invoke(
            *("bench", "rgb", "--target", module(SAME), "--system", "mine", "--model", "openai/dull"),
            *("--base-url", server.base_url, "--cache", "off", "--data", data, "--judge", "rules", "--json"),
        )
    assert done.exit_code == 0, done.output
    curve = {
        (row["group"]["system"], row["group"]["noise"]): row["value"]
        for row in json.loads(done.stdout)["summary"]["rows"]
        if row["metric"] == "rgb.accuracy_official" and row["group"].keys() >= {"system", "noise"}
        if row["group"]["ability"] == "noise"
    }
    assert [curve["mine", rate] for rate in (0.0, 0.2, 0.4, 0.6, 0.8)] == [1, 1, 1, 1, 0.75]
    assert {value for (system, _), value in curve.items() if system == "dull"} == {0}


def test_over_http_and_without_documents(place: Path, serve: Any) -> None:  # noqa: F811
    server: Server = serve(lambda body: (200, ask(body["question"], body["contexts"])))
    data = make_folder(place / "rgb") / "en_fact.json"
    done = invoke("generate", "rgb", "--target", server.url, "--data", data, "-o", "out.jsonl")
    assert done.exit_code == 0, done.output
    assert sorted(len(body["contexts"]) for body in server.bodies) == [0, 0, 3, 3]
    assert all(body.keys() == {"question", "contexts"} for body in server.bodies)
    assert {sample.attributes["system"] for sample in read(Source("out.jsonl"))} == {server.url}


def test_two_targets_that_differ_in_their_query_are_told_apart(place: Path, serve: Any) -> None:  # noqa: F811
    server: Server = serve(lambda body: (200, ask(body["question"], body["contexts"])))
    data = make_folder(place / "rgb") / "en_fact.json"
    targets = [part for name in "ab" for part in ("--target", f"{server.url}?index={name}")]
    done = invoke("generate", "rgb", *targets, "--data", data, "-o", "out.jsonl")
    assert done.exit_code == 0, done.output
    assert Counter(server.paths) == {"/ask?index=a": 4, "/ask?index=b": 4}
    assert len({sample.attributes["system"] for sample in read(Source("out.jsonl"))}) == 2


def test_a_dead_target_beside_a_live_model_ends_the_command(place: Path) -> None:
    data = make_folder(place / "rgb")
    with socket.socket() as taken, MisbehavingServer(answer=answer) as server:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}/ask"
        options = ["--target", dead, "--model", "openai/m", "--base-url", server.base_url, "--cache", "off"]
        done = invoke("generate", "rgb", *options, "--data", data, "-o", "out.jsonl", "--concurrency", 1)
        assert done.exit_code == 5, done.output
        assert "stopped after 3 in a row" in done.stderr
        assert 0 < len(server.requests) < CASES


FRAIL = """
    import time
    calls = []

    def answer(question, contexts):
        calls.append(question)
        if len(calls) > 6:
            return "mended"
        if "tower 1" in question and not contexts:
            raise LookupError("no index")
        if "tower 0" in question and contexts:
            time.sleep(1.5)
        if "tower 1" in question:
            return {"text": "unheard of"}
        return "fine"
"""


def test_failures_are_told_one_by_one_and_only_they_are_asked_again(place: Path, module: Any) -> None:
    data = make_folder(place / "rgb") / "en_fact.json"
    target = module(FRAIL)
    command = ["generate", "rgb", "--target", target, "--data", data, "-o", "out.jsonl", "--timeout", ".4"]
    done = invoke(*command)
    assert done.exit_code == 0, done.output
    told = {line.split(": ")[1].split("|")[0]: line for line in done.stderr.splitlines() if "failed:" in line}
    assert told.keys() == {"en_fact/0@0", "en_fact/1@0", "en_fact/1@bare"}
    assert told["en_fact/0@0"].endswith("no answer within 0.4 s")
    assert "wrong shape: Object contains unknown field `text`" in told["en_fact/1@0"]
    assert told["en_fact/1@bare"].endswith("the target raised LookupError: no index")
    assert "--retry-failed asks just those again" in done.stderr
    assert "4 asked, 3 failed; 1 written" in done.stdout
    assert "0 asked, 1 answers were already there, 3 failed" in invoke(*command).stdout
    again = invoke(*command, "--retry-failed")  # the fifth, sixth and seventh call
    assert "3 asked, 1 answers were already there, 2 failed" in again.stdout
    last = invoke(*command, "--retry-failed")
    assert "2 asked, 2 answers were already there, 0 failed; 4 written" in last.stdout
    assert not Path("out.failed.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rgb", "--target", "TARGET"], "(question) cannot be called as function(question, contexts=[…])"),
        (["rgb"], "name who answers: --model openai/MODEL or --target"),
        (["longfact"], "name who answers"),
        (["rgb", "--target", "ftp://x"], "a target is python:module.function or http://…"),
        (["rgb", "--target", "TARGET", "--timeout", "0"], "timeout must be more than 0"),
        (["rgb", "--model", "openai/m", "--system", "x"], "--system names one target"),
        (
            ["rgb", "--target", "BOTH", "-o", "-"],
            "answers go to a file, with a journal beside it, not to '-'",
        ),
        (["rgb", "--target", "BOTH", "-o", "out.txt"], "cannot tell what form 'out.txt' should have"),
        (["longfact", "--target", "TARGET", "-o", "rgb"], "answers go to a file"),
        (["longfact", "--target", "TARGET", "-o", "out.csv"], "end 'out.csv' in .json"),
        (["longfact", "--target", "TARGET", "-o", "out.json.gz"], "end 'out.json.gz' in .json"),
        (["longfact", "--target", "TARGET", "--target", "TARGET"], "is named twice"),
        (["longfact", "--target", "TARGET", "--side2", "none"], "nobody would be asked"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(
    place: Path, module: Any, arguments: list[str], words: str
) -> None:
    make_folder(place / "rgb")
    prompts(place)
    named = {
        "TARGET": module("def answer(question):\n    raise SystemExit('asked')\n"),
        "BOTH": module("def answer(question, contexts):\n    raise SystemExit('asked')\n"),
    }
    data = "rgb" if arguments[0] == "rgb" else "towers.jsonl"
    done = invoke("generate", *(named.get(argument, argument) for argument in arguments), "--data", data)
    assert done.exit_code == 2, done.output
    assert not list(place.glob("*.journal.jsonl"))
    assert words in done.stderr
    assert "Traceback" not in done.output


def prompts(place: Path) -> Path:
    lines = [json.dumps({"prompt": f"Who is the keeper of tower {n}?"}) for n in range(3)]
    (place / "towers.jsonl").write_text("\n".join(lines))
    return place / "towers.jsonl"


def test_what_a_target_retrieved_for_longfact_is_evidence(place: Path, module: Any) -> None:
    target = module(f"""
        async def answer(question):
            if "tower 2" in question:
                raise KeyError("tower 2")
            name = {NAMES!r}["tower 1" in question]
            return {{"response": f"The keeper is {{name}}.", "contexts": [f"The keeper is {NAMES[0]}."]}}
        """)
    command = ["generate", "longfact", "--target", target, "--system", "mine", "--data", prompts(place)]
    done = invoke(*command, "--no-shuffle", "--no-postamble", "-o", "out.json")
    assert done.exit_code == 0, done.output
    assert "failed: 2.side2: the target raised KeyError: 'tower 2'" in done.stderr
    document = json.loads(Path("out.json").read_text())
    assert (document["responder_model"], document["responder_model_short"]) == ("TARGET:mine", "mine")
    assert [entry["side2_contexts"] for entry in document["per_prompt_data"]] == [
        [f"The keeper is {NAMES[0]}."]
    ] * 2
    first, _ = read(Source("out.json"))
    assert (first.question, first.contexts) == (
        "Who is the keeper of tower 0?",
        (f"The keeper is {NAMES[0]}.",),
    )
    scored = invoke("run", "out.json", "-p", "safe", "--json", "-o", "run")
    assert scored.exit_code == 0, scored.output
    rows = {row["metric"]: row["value"] for row in json.loads(scored.stdout)["rows"] if "group" not in row}
    assert (rows["safe.supported"], rows["safe.not_supported"]) == (0.5, 0.5)


def test_several_models_give_a_longfact_file_each_over_the_same_prompts(place: Path) -> None:
    def two(body: dict[str, Any]) -> str:
        number = int(re.findall(r"tower (\d)", body["messages"][-1]["content"])[0])
        if body["model"] == "org/b" and number == 0:
            return ""  # no answer, whatever the attempts
        return f"The keeper is {NAMES[number if body['model'] == 'a' else 0]}."

    with MisbehavingServer(answer=two) as server:
        command = [
            *("generate", "longfact", "--model", "openai/a", "--model", "openai/org/b", "--no-shuffle"),
            *("--base-url", server.base_url, "--cache", "off", "--attempts", "1", "--data", prompts(place)),
        ]
        done = invoke(*command)
    assert done.exit_code == 0, done.output
    files = [Path("longfact.a.json"), Path("longfact.org-b.json")]
    asked = [
        [entry["prompt"][:29] for entry in json.loads(file.read_text())["per_prompt_data"]] for file in files
    ]
    assert asked[0] == asked[1] == ["Who is the keeper of tower 1?", "Who is the keeper of tower 2?"]
    assert "1 prompts have no answer of some system and are left out of all files" in done.stderr
    assert "failed: 0.side2|org/b: " in done.stderr
    assert "all 1 are in longfact.org-b.failed.jsonl" in done.stderr
    (place / "corpus").mkdir()
    (place / "corpus" / "keepers.txt").write_text(f"The keeper is {NAMES[1]}. The keeper is {NAMES[2]}.")
    for file in files:
        run = ["run", file, "-p", "safe", "--evidence", "corpus:corpus", "-o", f"runs/{file.stem}"]
        assert invoke(*run).exit_code == 0
    compared = invoke("compare", "runs/longfact.a", "runs/longfact.org-b", "--json")
    assert compared.exit_code == 0, compared.output
    assert '"pairs": 2' in compared.stdout
    (following,) = [line for line in done.stdout.splitlines() if line.startswith("next: ")]
    assert following == (
        "next: adjudge run longfact.a.json -p safe --evidence corpus:PATH -o runs/longfact.a; "
        "adjudge run longfact.org-b.json -p safe --evidence corpus:PATH -o runs/longfact.org-b; "
        "adjudge compare runs/longfact.a runs/longfact.org-b"
    )
