"""The command line as a user meets it: help, gates, bad input, exit codes, pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge.chat.answers_file import open_database
from adjudge.cli import main


def line(index: int, **more) -> str:
    sample = {
        "id": f"s{index}",
        "question": "Which colour?",
        "response": "It is red." if index % 4 else "It is blue.",
        "reference": "red",
        "attributes": {"noise": index % 2 * 0.4, "system": "a" if index < 4 else "b"},
    }
    return json.dumps(sample | more)


@pytest.fixture
def work(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.jsonl").write_text("\n".join(line(index) for index in range(8)))
    return tmp_path


def call(*arguments: str, code: int = 0):
    result = CliRunner().invoke(main, list(arguments), catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_help_reads_like_a_guide():
    text = call("--help").output
    for verb in ("run", "show", "explain", "rescore", "convert", "list", "demo"):
        assert f"adjudge {verb}" in text
        assert call(verb, "--help").output
    assert "Exit codes" in text


def test_run_show_explain_rescore(work):
    out = call("run", "good.jsonl", "-o", "run", "--by", "system", "--judge", "rules").output
    assert "rgb.accuracy" in out
    assert "75.0" in out
    assert "signature rgb|v1|judge:rules|adjudge:" in out
    assert "noise_robustness_40%" in out
    assert "adjudge explain run SAMPLE" in out
    assert "system" in call("show", "run", "--by", "system").output
    told = call("explain", "run", "s0", "rgb.accuracy").output
    assert "It is blue." in told
    assert "match against truth:0 = False" in told
    assert "75.0" in call("rescore", "run").output


def test_explain_takes_a_short_name_that_is_plain(work):
    context = ["It is red. It is old."]
    Path("two.jsonl").write_text(line(1, contexts=context))
    call("run", "two.jsonl", "-o", "r", "--protocol", "rgb,ragchecker,safe,trace")
    assert call("explain", "r", "s1", "accuracy").output == call("explain", "r", "s1", "rgb.accuracy").output
    told = call("explain", "r", "s1", "precision", code=2).stderr
    assert "'precision' means several metrics: " in told
    assert "safe.precision" in told
    assert "ragchecker.precision" in told
    protocol = call("explain", "r", "s1", "trace").output
    assert "trace.adherence" in protocol
    assert "rgb." not in protocol
    assert "no metric or group 'bogus'" in call("explain", "r", "s1", "bogus", code=2).stderr


def test_explain_refuses_a_metric_that_the_run_was_not_asked_for(work):
    Path("one.jsonl").write_text(line(1, contexts=["It is red. It is old."]))
    call("run", "one.jsonl", "-o", "r", "--metrics", "trace.adherence")
    assert "trace.adherence = " in call("explain", "r", "s1", "trace.adherence").output
    told = call("explain", "r", "s1", "trace.relevance", code=2).stderr
    assert "this run has no trace.relevance; it has trace.adherence" in told


def test_options_of_model_access_without_a_model_are_told(work):
    told = call("run", "good.jsonl", "-o", "r", "--judge", "rules", "--rpm", "5", "--base-url", "http://x")
    assert "note: judge 'rules' asks no model: --base-url, --rpm do nothing" in told.stderr
    assert "asks no model" not in call("run", "good.jsonl", "-o", "q", "--judge", "rules").stderr
    access = ("--similarity", "openai/e", "--base-url", "http://127.0.0.1:9/v1")
    assert "asks no model" not in call("run", "good.jsonl", "-o", "p", "--judge", "rules", *access).stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--protocol", "violations"], 3),
        (["--protocol", "trace", "--judge", "rules"], 5),
        (["--judge", "openai/m"], 5),
        (["--metrics", "nonsense"], 2),
    ],
)
def test_a_refused_run_leaves_no_folder(work, monkeypatch, arguments, code):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    call("run", "good.jsonl", "-o", "deep/er", *arguments, code=code)
    assert sorted(path.name for path in work.iterdir()) == ["good.jsonl"]
    Path("mine").mkdir()
    call("run", "good.jsonl", "-o", "mine", *arguments, code=code)
    assert list(Path("mine").iterdir()) == [], "a folder that was there stays"


def test_a_folder_of_something_else_is_left_as_it_is(work):
    Path("mine").mkdir()
    Path("mine/calls.jsonl").write_text("keep me")
    assert "not empty and holds no run" in call("run", "good.jsonl", "-o", "mine", code=4).stderr
    assert Path("mine/calls.jsonl").read_text() == "keep me"


def test_a_refused_run_leaves_an_earlier_one_alone(work):
    call("run", "good.jsonl", "-o", "r", "--judge", "rules")
    before = {path.name: path.read_bytes() for path in Path("r").iterdir()}
    call("run", "good.jsonl", "-o", "r", "--judge", "rules", "--metrics", "nonsense", "--overwrite", code=2)
    assert {path.name: path.read_bytes() for path in Path("r").iterdir()} == before


def test_json_is_the_summary_and_nothing_else(work):
    out = call("run", "good.jsonl", "-o", "run", "--json").output
    summary = json.loads(out)
    assert summary["format"] == 1
    row = summary["rows"][0]
    assert (row["metric"], row["value"], row["counts"]) == (
        "rgb.accuracy",
        0.75,
        {"correct": 6, "answers": 8},
    )
    result = summary["views"]["rgb"][0]
    assert result["total_samples"] == 8
    assert (result["correct"], result["incorrect"]) == (6, 2)
    assert result["accuracy_by_noise"] == {"0": 0.5, "40": 1.0}


def test_gates(work):
    call("run", "good.jsonl", "-o", "a", "--fail-under", "rgb.accuracy=0.7")
    call("run", "good.jsonl", "-o", "b", "--fail-under", "rgb.accuracy=75%")
    failed = call("run", "good.jsonl", "-o", "c", "--fail-under", "rgb.accuracy=0.8", code=1)
    assert "rgb.accuracy" in failed.stderr
    assert "0.75" in failed.stderr
    assert Path("c/summary.json").exists(), "the run is kept"
    call("show", "a", "--fail-under", "rgb.accuracy[noise=0]=0.6", code=1)
    call("show", "a", "--fail-under", "rgb.accuracy[noise=0.4]=0.6")
    wrong = call("run", "good.jsonl", "--fail-over", "rgb.accuracy=0.8", code=2)
    assert "use --fail-under" in wrong.stderr
    unknown = call("run", "good.jsonl", "--fail-under", "rgb.acuracy=0.8", code=2)
    assert "did you mean rgb.accuracy" in unknown.stderr
    assert "0 to 1" in call("run", "good.jsonl", "--fail-under", "rgb.accuracy=70", code=2).stderr
    call("run", "good.jsonl", "-o", "d", "--fail-under", "trace.adherence=0.1", code=1)


BAD = {
    "missing.jsonl": (None, "no such file"),
    "empty.jsonl": ("", "empty"),
    "blank.jsonl": ("\n\n", "empty"),
    "utf16.jsonl": (line(1).encode("utf-16"), "UTF-16"),
    "latin.jsonl": (line(1).replace("red", "r\xe9d").encode("latin-1"), "UTF-8"),
    "latin.csv": (b"id,response,reference\na,red,red\nb,r\xe9d,red\n", "latin.csv:3"),
    "broken.jsonl": (f"{line(0)}\n{line(1)[:-5]}\n", ":2"),
    "text.jsonl": ("hello\n", "neither JSON"),
    "typo.jsonl": (line(0).replace('"response"', '"respons"'), "did you mean 'response'"),
    "type.jsonl": (f"{line(0)}\n{line(1, contexts='one text')}\n", ":2"),
    "twice.jsonl": (f"{line(0)}\n{line(0)}\n", "s0"),
    "nothing.jsonl": ('{"id": "a", "question": "q"}\n', "no protocol fits"),
    "folder.jsonl": (Path, "folder"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_message(work, name):
    content, message = BAD[name]
    if content is Path:
        Path(name).mkdir()
    elif content is not None:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    result = call("run", name, "-o", "out", code=3)
    assert name in result.stderr
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""


def test_a_missing_field_names_sample_field_and_fix(work):
    Path("lacks.jsonl").write_text(f"{line(0)}\n{json.dumps({'id': 'x', 'response': 'r'})}\n")
    result = call("run", "lacks.jsonl", "-p", "rgb", "-o", "out", code=3)
    for part in ("lacks.jsonl:2", "'x'", "'reference'", "rgb", "--skip-bad"):
        assert part in result.stderr
    assert Path("out/records-00000.jsonl").read_text().count("\n") == 1
    passed = call("run", "lacks.jsonl", "-p", "rgb", "-o", "out2", "--skip-bad")
    assert "skipped 1" in passed.stderr


def test_unknown_names(work):
    assert "there is no protocol 'rbg'" in call("run", "good.jsonl", "-p", "rbg", code=2).stderr
    assert "there is no judge" in call("run", "good.jsonl", "--judge", "oracle", code=5).stderr
    assert "no format 'xml'" in call("run", "good.jsonl", "--format", "xml", code=2).stderr
    assert "safe.k" in call("run", "good.jsonl", "--set", "k", code=2).stderr
    assert "safe" in call("run", "good.jsonl", "-p", "safe", "--set", "safe.k=0", code=2).stderr
    assert (
        "holds no sample"
        in (call("run", "good.jsonl", "-o", "r") and call("explain", "r", "s99", code=2)).stderr
    )
    assert "no run folder" in call("show", "nowhere", code=4).stderr


def test_no_write_permission(work):
    Path("file").write_text("in the way")
    result = call("run", "good.jsonl", "-o", "file/run", code=4)
    assert "file/run" in result.stderr
    assert "-o" in result.stderr


def test_map_reads_any_rows(work):
    Path("odd.jsonl").write_text('{"key": "a", "frage": "q", "antwort": "red", "wahr": "red"}\n')
    assert "--map" in call("run", "odd.jsonl", code=3).stderr
    out = call(
        "run",
        "odd.jsonl",
        "--map",
        "id=key,question=frage,response=antwort,reference=wahr",
        "-o",
        "r",
        "--json",
    )
    assert json.loads(out.output)["rows"][0]["value"] == 1.0


def test_lists():
    assert "rgb.accuracy" in call("list", "metrics").output
    assert "safe.f1@100" in call("list", "metrics", "safe").output
    assert "rgb" in call("list", "protocols").output
    assert "ragchecker" in call("list", "formats").output
    rows = json.loads(call("list", "metrics", "--json").output)
    assert all(row["formula"] and row["source"] and row["empty"] for row in rows)


def test_demo(work):
    out = call("demo").output
    for protocol in ("rgb", "trace", "safe", "ragchecker", "violations"):
        assert f"signature {protocol}|v1" in out
    for command in [row.strip() for row in out.splitlines() if row.startswith("  adjudge ")]:
        words = command.split("  ")[0].split()[1:]
        if "YOUR_FILE" not in words:
            call(*words)


def test_convert_round_trip(work):
    call("run", "good.jsonl", "-o", "run")
    call("convert", "good.jsonl", "copy.json", "--to", "native")
    call("run", "copy.json", "-o", "run2")
    first, second = (json.loads(Path(f"{name}/summary.json").read_text()) for name in ("run", "run2"))
    assert first == second
    assert "no format 'nope'" in call("convert", "good.jsonl", "x", "--to", "nope", code=2).stderr


def adjudge(*arguments: str, **options) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments], capture_output=True, timeout=60, **options
    )


def test_standard_input_and_a_pipe_that_closes(work):
    done = adjudge("run", "-", "-o", "r", "--json", input=Path("good.jsonl").read_bytes())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] == 8
    closed = subprocess.run(
        f"{sys.executable} -m adjudge list metrics | head -1", shell=True, capture_output=True, timeout=60
    )
    assert b"Traceback" not in closed.stderr
    assert b"BrokenPipe" not in closed.stderr
    for command in ("list metrics", "show r"):
        piped = f"set -o pipefail; {sys.executable} -m adjudge {command} | true"
        done = subprocess.run(["bash", "-c", piped], capture_output=True, timeout=60)
        assert done.returncode == 0, "a pipe that closes is not a failed gate"
        assert done.stderr == b""


def test_ctrl_c_stops_cleanly_and_the_run_goes_on(work):
    Path("many.jsonl").write_text("\n".join(line(index) for index in range(40_000)))
    command = [sys.executable, "-m", "adjudge", "run", "many.jsonl", "-o", "run"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    records = Path("run/records-00000.jsonl")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (records.exists() and records.stat().st_size > 1_000_000):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert b"-o run goes on there" in errors
    again = adjudge("run", "many.jsonl", "-o", "run")
    assert again.returncode == 0
    assert b"resumed:" in again.stdout
    assert records.read_bytes().count(b"\n") == 40_000


def test_import_is_cheap():
    """`import adjudge` costs at most twice `import numpy`, and loads nothing heavy."""
    code = (
        "import sys, time; t = time.perf_counter(); import {}; print(time.perf_counter() - t, *sys.modules)"
    )

    def best(name: str) -> tuple[float, set[str]]:
        runs = [
            subprocess.run(
                [sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True
            )
            for _ in range(5)
        ]
        words = min((run.stdout.split() for run in runs), key=lambda found: float(found[0]))
        return float(words[0]), set(words[1:])

    ours, modules = best("adjudge")
    numpy, _ = best("numpy")
    assert ours <= 2 * numpy
    assert not modules & {"numpy", "scipy", "pandas", "aiohttp", "onnxruntime", "torch", "rich", "click"}


def test_where_nothing_can_be_written(work):
    call("run", "good.jsonl", "-o", "r")
    for to in ("native", "ragchecker", "violations", "trace_labels"):
        result = call("convert", "good.jsonl", "nowhere/out.jsonl", "--to", to, code=3)
        assert "nowhere" in result.stderr
    full = subprocess.run(f"{sys.executable} -m adjudge show r > /dev/full", shell=True, capture_output=True)
    assert b"Traceback" not in full.stderr
    assert full.returncode != 0
    closed = subprocess.run(
        f"{sys.executable} -m adjudge run good.jsonl -o r2 >&-", shell=True, capture_output=True
    )
    assert b"Traceback" not in closed.stderr


def test_a_narrow_terminal_keeps_the_values(work, monkeypatch):
    call("run", "good.jsonl", "-o", "r")
    monkeypatch.setenv("COLUMNS", "60")
    out = call("show", "r").output
    assert "75.0" in out
    assert "value" in out


def test_the_demo_never_overwrites_a_run_of_yours(work):
    call("run", "good.jsonl", "-o", "r")
    before = Path("r/records-00000.jsonl").read_bytes()
    assert "holds a run of yours" in call("demo", "-o", "r", code=4).stderr
    assert Path("r/records-00000.jsonl").read_bytes() == before


def test_samples_that_nothing_scores_are_told_and_stored(work):
    bare = [{"id": f"b{n}", "question": "Which colour?", "reference": "red"} for n in range(7)]
    failed = {"id": "x", "question": "Which colour?", "attributes": {"error": "too many tokens"}}
    Path("lost.jsonl").write_text("\n".join([line(0), *map(json.dumps, [*bare, failed]), line(1)]))
    told = call("run", "lost.jsonl", "-o", "r", "--judge", "rules").stderr
    assert "7 samples were scored by nothing (no 'response'): b0, b1, b2, b3, b4 …" in told
    assert "1 sample was scored by nothing (it ended in an error): x" in told
    stored = json.loads(Path("r/run.json").read_text())["not_scored"]
    assert stored["no 'response'"] == {"samples": 7, "ids": ["b0", "b1", "b2", "b3", "b4"]}
    for more in ((), ("--by", "system")):
        again = call("show", "r", "--json", *more)
        assert json.loads(again.stdout)["not_scored"] == stored
    assert "scored by nothing" in call("show", "r").stderr
    assert "scored by nothing" not in call("run", "good.jsonl", "-o", "g", "--judge", "rules").stderr


def test_results_of_ragchecker_that_lack_verdicts_say_how_to_get_them(work):
    result = {"query_id": "q", "query": "When?", "gt_answer": "At 8.", "response": "At 8."}
    result |= {"retrieved_context": [{"text": "It leaves at 8."}]}
    claims = {"response_claims": ["It leaves at 8."], "gt_answer_claims": ["It leaves at 8."]}
    whole = {"answer2response": ["Entailment"], "response2answer": ["Entailment"]}
    Path("half.json").write_text(json.dumps({"results": [result | claims | whole]}))
    Path("claims.json").write_text(json.dumps({"results": [result | claims]}))
    hint = "--labels judge"
    assert hint in call("run", "half.json", "-o", "h").stderr
    assert hint not in call("run", "half.json", "-o", "o", "--metrics", "overall_metrics").stderr
    assert hint not in call("run", "claims.json", "-o", "c", "--judge", "local/features").stderr


@pytest.mark.parametrize("more", [(), ("--map", "id=key,response=said,reference=right")])
def test_lean_runs_are_converted_with_the_text_of_their_file(work, more):
    names = ("key", "said", "right") if more else ("id", "response", "reference")
    rows = [dict(zip(names, (f"s{n}", "The mill is old.", "It is a mill."), strict=True)) for n in range(2)]
    Path("in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = ("run", "in.jsonl", *more, "-p", "ragchecker", "--judge", "local/features")
    call(*run, "-o", "full")
    call(*run, "-o", "lean", "--lean")
    for kind in ("ragchecker", "native"):
        for folder in ("full", "lean"):
            call("convert", folder, f"{folder}-{kind}.json", "--to", kind)
        assert Path(f"lean-{kind}.json").read_bytes() == Path(f"full-{kind}.json").read_bytes()


def test_lean_runs_explain_from_their_file_as_long_as_it_is_the_same(work):
    Path("lean.jsonl").write_text(f"{line(0)}\n{{broken\n{line(1)}\n")
    call("run", "lean.jsonl", "-o", "r", "--lean", "--skip-bad")
    assert "It is red." in call("explain", "r", "s1", "rgb.accuracy").output
    Path("lean.jsonl").write_text(Path("lean.jsonl").read_text().replace("It is red.", "It is Rome."))
    changed = call("explain", "r", "s1", "rgb.accuracy").output
    assert "Rome" not in changed
    assert "has changed" in changed
    assert "standard input" in adjudge("run", "-", "--lean", input=line(0).encode()).stderr.decode()


def test_messages_about_piped_input_do_not_name_its_copy(work):
    broken = f"{line(0)}\n{{broken\n".encode()
    stopped = adjudge("run", "-", "-o", "r", input=broken).stderr.decode()
    skipped = adjudge("run", "-", "-o", "s", "--skip-bad", input=broken).stderr.decode()
    unknown = adjudge(
        "convert", "-", "out.jsonl", "--to", "native", input=b'{"qestion": "?"}\n'
    ).stderr.decode()
    for said in (stopped, skipped):
        assert "standard input:2" in said
    assert "standard input: no known format" in unknown
    assert not any("standard-input-" in said for said in (stopped, skipped, unknown))
    assert json.loads(Path("s/run.json").read_bytes())["input"]["path"] == "standard input"


def test_a_run_says_when_its_samples_declare_different_parameters(work):
    mark = {"spans": [[0, 3]], "rule": "R"}
    rows = [{"id": f"v{n}", "text": "Buy now!", "gold": [mark], "predicted": [mark]} for n in range(2)]
    rows[0]["attributes"] = {"without": "rule"}
    Path("mixed.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = call("run", "mixed.jsonl", "-p", "violations", "--judge", "rules", "-o", "r").stderr
    assert "note: the numbers of violations mix samples that declare different parameters" in said
    assert "labellers" not in said


def test_parameters_that_are_lists_and_those_that_do_not_exist(work):
    call("demo", "-o", "d")
    out = call("rescore", "d", "--set", "violations.without=explanation,correction").output
    assert "without:explanation,correction" in out
    wrong = call("rescore", "d", "--set", "safe.kay=3", code=2).stderr
    assert "kay" in wrong
    assert "its parameters are k" in wrong
    assert "a count" in call("show", "d", "--fail-under", "safe.supported=50%", code=2).stderr
    assert "human:demo" in call("rescore", "d", "--labels", "human:nobody", code=2).stderr
    assert "human:demo" in call("run", "good.jsonl", "--labels", "human:x", code=2).stderr.replace(
        "none", "human:demo"
    )


def test_a_rescoring_that_was_cut_short_starts_anew(work):
    call("demo", "-o", "d")
    call("rescore", "d", "--set", "safe.k=3", "-o", "e")
    whole = Path("e/records-00000.jsonl").read_bytes()
    info = json.loads(Path("e/run.json").read_text())
    del info["finished"]
    Path("e/run.json").write_text(json.dumps(info))
    Path("e/records-00000.jsonl").write_bytes(whole[: len(whole) // 2])
    call("rescore", "d", "--set", "safe.k=3", "-o", "e")
    assert Path("e/records-00000.jsonl").read_bytes() == whole
    assert "already holds a run" in call("rescore", "d", "-o", "e", code=4).stderr
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    assert "not empty" in call("rescore", "d", "-o", "mine", code=4).stderr


def test_explain_tells_what_beat_a_pair_and_what_makes_a_passage_relevant(work):
    call("demo", "-o", "d")
    told = call("explain", "d", "tonic-wrong-rule", "violations.std_f1").output
    assert "gold:0 – pred:0: score 0.5" in told
    assert "(ha)" not in told
    passages = call("explain", "d", "dam-noise", "ragchecker.context_precision").output
    assert "entails claim:reference:0" in passages
    outside = json.dumps(
        {"id": "o", "text": "short", "gold": [{"spans": [[50, 60]], "rule": "r"}], "predicted": []}
    )
    Path("outside.jsonl").write_text(outside)
    call("run", "outside.jsonl", "-o", "o")
    call("explain", "o", "o")


def test_explain_gives_the_reason_of_a_verdict_that_rests_on_another_label(work):
    sample = {
        "id": "o",
        "question": "What happened at Orn?",
        "response": "The bridge opened in 1911. The ferry cost three million crowns.",
        "contexts": ["The bridge opened in 1911. It is painted red.", "The ferry sank in 1902."],
    }
    Path("orn.jsonl").write_text(json.dumps(sample))
    call("run", "orn.jsonl", "-p", "trace", "-o", "o")
    told = call("explain", "o", "o", "trace.adherence").output.splitlines()
    at = next(
        n for n, text in enumerate(told) if text.strip() == "resp:b: The ferry cost three million crowns."
    )
    assert told[at + 1].strip().startswith("support = none: ")
    assert "beside the nearest documents -" in told[at + 1]
    assert told[at + 2].strip() == "grounded = False [judge:local]"


def test_text_that_looks_like_markup_is_shown_as_it_is(work):
    Path("marked.jsonl").write_text(
        "\n".join(line(i, attributes={"noise": 0, "team": f"[red]{i % 2}[/red]"}) for i in range(4))
    )
    out = call("run", "marked.jsonl", "-o", "r", "--by", "team").output
    assert "[red]1[/red]" in out
    assert "adjudge[inspect]" in call("list", "judges").output


def test_convert_never_writes_over_its_input_and_asks_before_other_files(work):
    before = Path("good.jsonl").read_bytes()
    assert (
        "is the input itself" in call("convert", "good.jsonl", "good.jsonl", "--to", "native", code=2).stderr
    )
    assert Path("good.jsonl").read_bytes() == before
    Path("there.jsonl").write_text("mine")
    assert "--overwrite" in call("convert", "good.jsonl", "there.jsonl", "--to", "native", code=2).stderr
    call("convert", "good.jsonl", "there.jsonl", "--to", "native", "--overwrite")


def test_a_long_form_result_is_annotated_and_left_as_it_was(work):
    entry = {"prompt": "Who was Ida Holm?", "correct_answers": [], "incorrect_answers": []}
    entry |= {"side1_response": "[PLACEHOLDER RESPONSE]", "side2_response": "Ida Holm was a painter."}
    result = {
        "side_1": "placeholder",
        "side_2": "vanilla_prompting",
        "per_prompt_data": [entry],
        "total_runtime": 1.0,
    }
    Path("result.json").write_text(json.dumps(result))
    call(
        "run",
        "result.json",
        "-p",
        "safe",
        "--side",
        "2",
        "-o",
        "annotated.json",
        "--set",
        "safe.evidence=contexts",
        code=3,
    )
    Path("corpus").mkdir()
    Path("corpus/a.txt").write_text("Ida Holm was a painter.")
    call(
        "run",
        "result.json",
        "-p",
        "safe",
        "--side",
        "1,2",
        "-o",
        "annotated.json",
        "--evidence",
        "corpus:corpus",
        "--overwrite",
    )
    annotated = json.loads(Path("annotated.json").read_text())
    assert annotated["per_prompt_data"][0]["side2_posthoc_eval_data"]["Supported"] == 1
    assert "side2_avg_f1_-1" in annotated
    assert json.loads(Path("result.json").read_text()) == result
    assert "only long-form" in call("run", "good.jsonl", "-o", "x.json", code=2).stderr


def test_a_choice_that_leaves_no_sample_says_what_there_is(work):
    result = call("run", "good.jsonl", "-p", "rgb", "--where", "system=c", "-o", "out", code=3)
    assert "no sample has system=c; system is a, b" in result.stderr
    assert "none has a nosuch" in call("run", "good.jsonl", "--where", "nosuch=1", code=3).stderr


def test_a_missing_cache_is_named_before_anything_is_replayed(work):
    given = ("--judge", "openai/m", "--cache", "replay", "--cache-path", "absent.sqlite")
    result = call("run", "good.jsonl", "-p", "rgb", *given, "-o", "out", code=5)
    assert "there is no cache file absent.sqlite to replay" in result.stderr


def test_explain_spells_out_what_would_command_the_terminal(work):
    raw = {"id": "a", "question": "Who?", "response": "Ann \x1b[2J\x07 did it.", "reference": "Ann did it."}
    Path("raw.jsonl").write_text(json.dumps(raw) + "\n")
    call("run", "raw.jsonl", "-p", "ragchecker", "-o", "bell")
    shown = call("explain", "bell", "a").stdout
    assert "\\x1b[2J\\x07" in shown
    assert "\x1b" not in shown


def test_a_judge_that_never_answers_fails_the_command(work):
    raw = {"id": "a", "question": "When?", "contexts": ["At eight."], "response": "It leaves at eight."}
    Path("raw.jsonl").write_text(json.dumps(raw) + "\n")
    made = open_database(Path("empty.sqlite"))
    assert made is not None
    made.close()
    given = ("--judge", "openai/m", "--cache", "replay", "--cache-path", "empty.sqlite")
    result = call("run", "raw.jsonl", "-p", "trace", *given, "-o", "silent", code=5)
    assert "no question got an answer" in result.stderr


def test_a_missing_key_is_told_in_the_options_of_the_command(work, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    result = call("run", "good.jsonl", "-p", "rgb", "--judge", "openai/m", "-o", "out", code=5)
    assert "--key-env" in result.stderr
    assert "--base-url" in result.stderr
