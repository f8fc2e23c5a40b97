"""Whole runs: in memory, into a folder, killed and resumed, in any concurrency."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import adjudge
from adjudge import InputError, JudgeError, RunFolderError, Sample, UsageError
from adjudge.api import Result
from adjudge.chat.totals import Totals
from adjudge.judges.rules import RulesJudge
from adjudge.run.session import rebuild_summary
from adjudge.run.store import RunFolder, read_records, shard_paths


def rgb_sample(index: int, **more) -> dict:
    return {
        "id": f"s{index}",
        "item": f"q{index // 2}",
        "question": "Which colour?",
        "response": f"It is {'red' if index % 3 else 'blue'}.",
        "reference": [["red", "crimson"]],
        "attributes": {"noise": index % 2 / 2, "system": "a" if index % 2 else "b"},
        **more,
    }


@pytest.fixture
def samples(tmp_path) -> Path:
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(rgb_sample(index)) + "\n" for index in range(20)))
    return path


def record_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in shard_paths(folder))


class SlowJudge(RulesJudge):
    """The rules, answering after a random wait, so that samples finish out of order."""

    immediate = False

    async def ask(self, questions):
        await asyncio.sleep(random.random() / 100)
        return await super().ask(questions)


def violation_sample(index: int) -> dict:
    return {
        "id": f"v{index}",
        "text": "Sleep better tonight with our tonic.",
        "gold": [{"spans": [[0, 12]], "rule": "do not promise results"}],
        "predicted": [{"quote": "better tonight", "rule": f"promise no results {index}"}],
    }


def test_numbers_equal_a_count_by_hand(samples):
    result = adjudge.evaluate(samples)
    assert result.summary.samples == 20
    assert result.value("rgb.accuracy") == 13 / 20
    assert result.value("rgb.accuracy", noise=0.5) == 7 / 10
    assert result.row("rgb.accuracy").counts == {"correct": 13, "answers": 20}
    assert result.row("rgb.accuracy").items == 10


def test_the_same_bytes_whatever_the_concurrency(tmp_path):
    entries = [violation_sample(index) for index in range(60)]
    written = set()
    for concurrency in (1, 3, 50):
        folder = tmp_path / str(concurrency)
        adjudge.evaluate(entries, judge=SlowJudge(), concurrency=concurrency, out=folder)
        written.add(record_bytes(folder))
    assert len(written) == 1


def test_resume_after_a_kill_at_any_byte(samples, tmp_path):
    whole = tmp_path / "whole"
    adjudge.evaluate(samples, out=whole)
    expected, summary = record_bytes(whole), (whole / "summary.json").read_bytes()
    unfinished = json.loads((whole / "run.json").read_text())
    del unfinished["finished"]
    for cut in [*range(0, 1500, 37), *range(1500, len(expected), 997), len(expected)]:
        folder = tmp_path / f"cut{cut}"
        shutil.copytree(whole, folder)
        os.truncate(folder / "records-00000.jsonl", cut)
        (folder / "summary.json").unlink()
        (folder / "run.json").write_text(json.dumps(unfinished))
        result = adjudge.evaluate(samples, out=folder)
        assert record_bytes(folder) == expected, cut
        assert (folder / "summary.json").read_bytes() == summary, cut
        assert result.resumed == max(0, expected[:cut].count(b"\n") - 1)
        shutil.rmtree(folder)


def test_shards_do_not_change_what_is_read(samples, tmp_path, monkeypatch):
    from adjudge.run import store

    adjudge.evaluate(samples, out=tmp_path / "one")
    monkeypatch.setattr(store.RunFolder.__init__, "__kwdefaults__", {"shard_bytes": 5000})
    adjudge.evaluate(samples, out=tmp_path / "many")
    assert len(shard_paths(tmp_path / "many")) > 3
    assert list(read_records(tmp_path / "one")) == list(read_records(tmp_path / "many"))


def test_resume_across_shards(samples, tmp_path, monkeypatch):
    from adjudge.run import store

    monkeypatch.setattr(store.RunFolder.__init__, "__kwdefaults__", {"shard_bytes": 5000})
    folder = tmp_path / "run"
    adjudge.evaluate(samples, out=folder)
    before = {path.name: path.read_bytes() for path in shard_paths(folder)}
    for torn in (0, 10):
        info = json.loads((folder / "run.json").read_text())
        info.pop("finished")
        (folder / "run.json").write_text(json.dumps(info))
        os.truncate(shard_paths(folder)[-1], torn)
        adjudge.evaluate(samples, out=folder)
        assert {path.name: path.read_bytes() for path in shard_paths(folder)} == before


def test_a_killed_process_goes_on_where_it_was(tmp_path):
    source = tmp_path / "many.jsonl"
    source.write_text("".join(json.dumps(rgb_sample(index)) + "\n" for index in range(30_000)))
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "adjudge", "run", str(source), "-o", str(folder), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    records = folder / "records-00000.jsonl"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (records.exists() and records.stat().st_size > 1_000_000):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 1_000_000 < records.stat().st_size < 20_000_000
    adjudge.evaluate(source, out=folder)
    adjudge.evaluate(source, out=tmp_path / "again")
    assert record_bytes(folder) == record_bytes(tmp_path / "again")
    assert (folder / "summary.json").read_bytes() == (tmp_path / "again" / "summary.json").read_bytes()


def test_a_finished_run_is_not_run_again(samples, tmp_path):
    adjudge.evaluate(samples, out=tmp_path / "run")
    before = record_bytes(tmp_path / "run")
    again = adjudge.evaluate(samples, out=tmp_path / "run")
    assert again.already_finished
    assert record_bytes(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": "judge"}, "other settings"),
        ({"metrics": ["rgb.accuracy"]}, "other settings"),
    ],
)
def test_another_run_is_refused(samples, tmp_path, change, message):
    adjudge.evaluate(samples, out=tmp_path / "run")
    before = record_bytes(tmp_path / "run")
    with pytest.raises(RunFolderError, match=message):
        adjudge.evaluate(samples, out=tmp_path / "run", **change)
    assert record_bytes(tmp_path / "run") == before
    adjudge.evaluate(samples, out=tmp_path / "run", overwrite=True, **change)


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_over_a_corpus_that_has_changed_is_refused(tmp_path, monkeypatch, finished):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache" / "answers.sqlite"))
    text = tmp_path / "corpus" / "ida.txt"
    text.parent.mkdir()
    text.write_text("Ida Holm was a painter.")
    given = [{"id": "a", "question": "Who was Ida Holm?", "response": "Ida Holm was a painter."}]
    options = {"parameters": {"safe": {"evidence": f"corpus:{text.parent}"}}, "out": tmp_path / "run"}
    adjudge.evaluate(given, "safe", **options)
    if not finished:
        info = tmp_path / "run" / "run.json"
        info.write_text(info.read_text().replace('"finished": true', '"finished": false'))
    resumed = adjudge.evaluate(given, "safe", **options)
    assert resumed.already_finished is finished
    before = record_bytes(tmp_path / "run")
    text.write_text("Ida Holm was a baker, says the census.")
    with pytest.raises(RunFolderError, match=r"looked facts up in corpus:corpus@\w+; what stands there now"):
        adjudge.evaluate(given, "safe", **options)
    assert record_bytes(tmp_path / "run") == before
    assert not adjudge.evaluate(given, "safe", **options, overwrite=True).already_finished


def test_another_input_is_refused(samples, tmp_path):
    adjudge.evaluate(samples, out=tmp_path / "run")
    samples.write_text(samples.read_text().replace("Which", "What"))
    with pytest.raises(RunFolderError, match="another input"):
        adjudge.evaluate(samples, out=tmp_path / "run")


def test_a_folder_with_other_things_is_refused(samples, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "thesis.txt").write_text("precious")
    with pytest.raises(RunFolderError, match="not empty"):
        adjudge.evaluate(samples, out=tmp_path / "docs")
    assert (tmp_path / "docs" / "thesis.txt").read_text() == "precious"


def test_a_second_writer_is_kept_out(samples, tmp_path):
    with RunFolder(tmp_path / "run"), pytest.raises(RunFolderError, match="another process"):
        adjudge.evaluate(samples, out=tmp_path / "run")


def test_a_folder_of_another_format_is_refused(samples, tmp_path):
    adjudge.evaluate(samples, out=tmp_path / "run")
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(info | {"format": 99}))
    for act in (
        lambda: Result.load(tmp_path / "run"),
        lambda: adjudge.evaluate(samples, out=tmp_path / "run"),
    ):
        with pytest.raises(RunFolderError, match="format 99"):
            act()


def test_the_summary_can_be_rebuilt(samples, tmp_path):
    adjudge.evaluate(samples, out=tmp_path / "run")
    stored = (tmp_path / "run" / "summary.json").read_bytes()
    (tmp_path / "run" / "summary.json").unlink()
    rebuilt = rebuild_summary(tmp_path / "run")
    assert rebuilt == adjudge.types.from_json(stored, adjudge.Summary)
    by_system = rebuild_summary(tmp_path / "run", ["system"])
    assert {row.group.get("system") for row in by_system.rows} >= {"a", "b"}


def test_lean_records_hold_no_text(samples, tmp_path):
    adjudge.evaluate(samples, out=tmp_path / "run", lean=True)
    assert b"Which colour" not in record_bytes(tmp_path / "run")
    records = list(read_records(tmp_path / "run"))
    assert [record.input for record in records[:2]] == ["#0", "#1"]


def test_skip_bad_goes_on_and_tells(tmp_path):
    path = tmp_path / "bad.jsonl"
    lines = [
        json.dumps(rgb_sample(0)),
        "{broken",
        json.dumps(rgb_sample(1) | {"response": None}),
        json.dumps(rgb_sample(0)),
    ]
    path.write_text("\n".join([*lines, json.dumps(rgb_sample(2))]))
    result = adjudge.evaluate(path, "rgb", skip_bad=True)
    assert [record.id for record in result.records] == ["s0", "s2"]
    problems = [str(error) for error in result.skipped]
    assert len(problems) == 3
    assert any(":2" in problem and "JSON" in problem for problem in problems)
    assert any("'response'" in problem and "'s1'" in problem for problem in problems)
    assert any("'s0'" in problem and "id" in problem for problem in problems)


def test_without_skip_bad_the_first_bad_sample_stops_and_nothing_written_is_lost(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text(
        "\n".join(
            [json.dumps(rgb_sample(0)), json.dumps(rgb_sample(1)), json.dumps({"id": "x", "response": "r"})]
        )
    )
    with pytest.raises(InputError, match="reference") as caught:
        adjudge.evaluate(path, "rgb", out=tmp_path / "run")
    assert caught.value.sample == "x"
    assert [record.id for record in read_records(tmp_path / "run")] == ["s0", "s1"]


def test_a_protocol_nobody_can_label_for_fails_before_the_run(samples, tmp_path):
    with pytest.raises(JudgeError, match="judge 'rules' cannot label for protocol 'ragchecker'"):
        adjudge.evaluate(samples, "ragchecker", judge="rules", out=tmp_path / "run")
    assert not shard_paths(tmp_path / "run")


def test_two_sources_of_labels_must_be_chosen_between():
    labels = [
        {"name": "facts", "unit": "response", "value": 1, "source": source}
        for source in ("human:a", "human:b")
    ] + [
        {"name": "check", "unit": "fact:a.1", "value": verdict, "source": source}
        for source, verdict in (("human:a", "entailed"), ("human:b", "neutral"))
    ]
    entry = {"id": "x", "response": "r", "units": [{"id": "fact:a.1", "text": "r"}], "labels": labels}
    with pytest.raises(UsageError, match="human:a, human:b"):
        adjudge.evaluate([entry], "safe")
    assert adjudge.evaluate([entry], "safe", labels="human:a").value("safe.precision") == 1.0
    assert adjudge.evaluate([entry], "safe", labels="human:b").value("safe.precision") == 0.0
    with pytest.raises(UsageError, match="human:c"):
        adjudge.evaluate([entry], "safe", labels="human:c")


def test_evaluate_works_inside_a_running_loop(samples):
    async def notebook() -> float | None:
        return adjudge.evaluate(samples).value("rgb.accuracy")

    assert asyncio.run(notebook()) == 13 / 20


def test_aevaluate_and_sample_objects():
    entries = [Sample(id="a", response="red", reference="red", ability="noise")]
    result = asyncio.run(adjudge.aevaluate(entries))
    assert result.value("rgb.accuracy_strict") == 1.0


def test_parameters_in_another_shape_are_told_with_the_right_one(samples):
    for given, form in (
        ({"ragchecker.steps": True}, """{"ragchecker": {"steps": True}}"""),
        ({"safe": 64}, """{"safe": {"NAME": 64}}"""),
    ):
        with pytest.raises(UsageError) as told:
            adjudge.evaluate(samples, parameters=given)
        assert form in str(told.value)


def test_two_samples_with_one_id_are_refused_in_memory_too():
    with pytest.raises(InputError, match="two samples"):
        adjudge.evaluate([rgb_sample(1), rgb_sample(1)])


def test_result_to_pandas_and_save(samples, tmp_path):
    result = adjudge.evaluate(samples)
    frame = result.to_pandas()
    mean = frame[frame.metric == "rgb.accuracy"].value.mean()
    assert mean == pytest.approx(result.value("rgb.accuracy"))
    assert set(frame["attribute.system"]) == {"a", "b"}
    result.save(tmp_path / "saved")
    adjudge.evaluate(samples, out=tmp_path / "run")
    assert record_bytes(tmp_path / "saved") == record_bytes(tmp_path / "run")
    loaded = Result.load(tmp_path / "saved")
    assert loaded.summary == result.summary
    assert "rgb.accuracy" in result._repr_html_()
    assert "20 samples" in repr(result)


def test_a_saved_result_tells_what_a_run_into_a_folder_tells(tmp_path):
    source = tmp_path / "odd.jsonl"
    rows = [json.dumps(rgb_sample(index)) for index in range(3)]
    source.write_text("\n".join([*rows, '{"id": 7, "question": ["no"]}', rows[0].replace("s0", "s9")]) + "\n")
    with source.open("a") as stream:
        stream.write(rows[1].replace("s1", "s10").replace("0.5", "NaN") + "\n")
    judge = CountingJudge()
    adjudge.evaluate(source, "rgb", judge=judge, skip_bad=True, out=tmp_path / "run")
    result = adjudge.evaluate(source, "rgb", judge=judge, skip_bad=True)
    result.save(tmp_path / "saved")
    told, saved = (json.loads((tmp_path / name / "run.json").read_text()) for name in ("run", "saved"))
    for key in ("skipped", "notes", "usage", "signatures", "finished", "settings", "protocols"):
        assert saved[key] == told[key], key
    assert sum(saved["skipped"].values()) == 1
    assert saved["notes"]
    assert saved["usage"]["counting"]["answered"] == 0, "rgb asks a judge nothing here"


def test_a_file_is_no_place_to_save_to(samples):
    with pytest.raises(RunFolderError, match="choose another folder"):
        adjudge.evaluate(samples).save(samples)


class CountingJudge(RulesJudge):
    """The rules, with a count of what they were asked."""

    name = "counting"

    def __init__(self):
        self.totals = Totals()

    async def ask(self, questions):
        self.totals.answered += len(questions)
        return await super().ask(questions)


def test_a_resumed_run_tells_what_all_its_parts_used_and_when_it_began(tmp_path):
    rows, judge = [violation_sample(index) for index in range(6)], CountingJudge()
    adjudge.evaluate(rows, "violations", judge=judge)
    asked = judge.totals.answered
    assert asked

    def stop(done):
        if done == 4:
            raise RuntimeError("stopped")

    out = tmp_path / "run"
    with pytest.raises(RuntimeError, match="stopped"):
        adjudge.evaluate(rows, "violations", judge=judge, out=out, on_progress=stop)
    info = json.loads((out / "run.json").read_text())
    first = info["usage"]["counting"]["answered"]
    assert 0 < first <= asked, "what the judge was asked before is not this run's"
    (out / "run.json").write_text(json.dumps({**info, "created": "2024-01-01T00:00:00+00:00"}))
    before = judge.totals.answered
    result = adjudge.evaluate(rows, "violations", judge=judge, out=out)
    info = json.loads((out / "run.json").read_text())
    assert result.resumed
    assert info["usage"] == result.usage
    assert info["usage"]["counting"]["answered"] == first + judge.totals.answered - before
    assert info["created"] == "2024-01-01T00:00:00+00:00"


def test_only_wanted_metrics_are_labelled_and_scored(samples):
    result = adjudge.evaluate(samples, metrics=["rgb.accuracy_strict"])
    record = next(iter(result.records))
    assert {label.name for label in record.labels} == {"match_strict"}
    assert [score.metric for score in record.scores] == ["rgb.accuracy_strict"]
    with pytest.raises(UsageError, match=r"did you mean rgb\.accuracy"):
        adjudge.evaluate(samples, metrics=["rgb.acuracy"])


def test_another_list_of_samples_is_not_taken_for_the_one_in_the_folder(tmp_path):
    adjudge.evaluate([rgb_sample(1)], out=tmp_path / "run")
    assert adjudge.evaluate([rgb_sample(1)], out=tmp_path / "run").already_finished
    with pytest.raises(RunFolderError, match="another input"):
        adjudge.evaluate([rgb_sample(0)], out=tmp_path / "run")
    with pytest.raises(RunFolderError, match="cannot be told"):
        adjudge.evaluate(iter([rgb_sample(1)]), out=tmp_path / "run")


def test_what_is_scored_does_not_depend_on_neighbours_or_order():
    plain = [{"id": f"p{i}", "response": "red", "reference": "red"} for i in range(120)]
    noisy = [rgb_sample(i, response="blue") for i in range(30)]
    violations = [violation_sample(i) for i in range(20)]
    forwards = adjudge.evaluate([*plain, *noisy, *violations], judge="rules")
    backwards = adjudge.evaluate([*violations, *noisy, *plain], judge="rules")
    assert forwards.summary == backwards.summary
    assert forwards.value("rgb.accuracy") == 120 / 150
    assert forwards.summary.samples == 170
    only = adjudge.evaluate([*plain, *noisy, *violations], metrics="rgb.accuracy")
    assert only.value("rgb.accuracy") == 120 / 150


def test_the_number_of_samples_can_be_rebuilt(tmp_path):
    adjudge.evaluate([rgb_sample(0), {"id": "q", "question": "alone"}], out=tmp_path / "run")
    (tmp_path / "run" / "summary.json").unlink()
    assert rebuild_summary(tmp_path / "run").samples == 1


def test_dicts_follow_the_rules_of_files():
    assert adjudge.evaluate([{"id": 7, "response": "red", "reference": "red"}]).value("rgb.accuracy") == 1.0
    with pytest.raises(InputError, match="did you mean 'response'"):
        adjudge.evaluate([{"id": "a", "responze": "red"}])
    with pytest.raises(InputError, match="not a Sample or a dict"):
        adjudge.evaluate([1])


def test_a_value_that_is_several_must_be_named():
    entries = [
        rgb_sample(0),
        {"id": "r", "response": "I cannot answer.", "reference": "red", "ability": "integration"},
    ]
    result = adjudge.evaluate(entries)
    with pytest.raises(UsageError, match="ability='integration'"):
        result.value("rgb.accuracy")
    assert result.value("rgb.accuracy", ability="integration") == 0.0


def test_a_source_with_a_bar_in_its_name_survives_rescoring(tmp_path):
    from adjudge.run.rescore import rescore_run

    labels = [{"name": "facts", "unit": "response", "value": 0, "source": "human:a|b"}]
    adjudge.evaluate([{"id": "x", "response": "r", "labels": labels}], "safe", out=tmp_path / "run")
    summary = rescore_run(tmp_path / "run", parameters={"safe": {"k": 3}})
    assert summary.signatures["safe"].endswith("|labels:human:a|b|adjudge:" + adjudge.__version__)


def test_rescoring_keeps_the_profile_in_the_signature(tmp_path):
    from adjudge.run.profile import load_profile
    from adjudge.run.rescore import rescore_run

    profile = tmp_path / "house.toml"
    profile.write_text("[parameters.safe]\nk = 3\n")
    labels = [{"name": "facts", "unit": "response", "value": 0, "source": "human:a"}]
    samples = [{"id": "x", "response": "r", "labels": labels}]
    run = adjudge.evaluate(samples, "safe", profile=profile, out=tmp_path / "run")
    assert load_profile(profile).mark in run.summary.signatures["safe"]
    again = rescore_run(tmp_path / "run", parameters={}, out=tmp_path / "again")
    assert again.signatures == run.summary.signatures


def test_rescoring_applies_other_rules_to_the_stored_samples(tmp_path):
    from adjudge.run.rescore import rescore_run

    samples = [
        {"id": "a", "question": "Who?", "response": "Pass!", "ability": "rejection"},
        {"id": "b", "question": "Who?", "response": "<think>unclear</think>Ada", "ability": "rejection"},
    ]
    run = tmp_path / "run"
    assert adjudge.evaluate(samples, "rgb", out=run).value("rgb.rejection") == 0.5
    for parameters, phrase in (
        ({"refusal_phrases": ["Pass!", "Next"]}, "refusal_phrases:"),
        ({"reasoning": "strip"}, "reasoning:strip"),
    ):
        again = rescore_run(run, parameters={"rgb": parameters})
        anew = adjudge.evaluate(samples, "rgb", parameters={"rgb": parameters}).summary
        assert again.rows == anew.rows
        assert again.signatures == anew.signatures
        assert phrase in again.signatures["rgb"]
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    adjudge.evaluate(file, "rgb", out=run, lean=True, overwrite=True)
    with pytest.raises(UsageError, match="a lean run holds no samples to apply other rules of rgb to"):
        rescore_run(run, parameters={"rgb": {"reasoning": "strip"}})


def test_rescoring_leaves_labels_that_came_with_the_data(tmp_path):
    from adjudge.run.rescore import rescore_run

    label = {"name": "refusal", "unit": "answer", "value": False, "source": "human:a"}
    sample = {"id": "a", "response": "Pass!", "ability": "rejection", "labels": [label]}
    run = adjudge.evaluate([sample], "rgb", metrics=["rgb.rejection"], out=tmp_path / "run").summary
    again = rescore_run(tmp_path / "run", parameters={"rgb": {"refusal_phrases": ["pass"]}})
    assert again.rows == run.rows
    assert again.signatures == run.signatures


@pytest.mark.parametrize(
    ("protocol", "parameters", "named"),
    [
        ("safe", {"k": 3, "steps": True}, "safe.steps takes"),
        ("safe", {"evidence": "dry"}, "safe.evidence takes"),
        ("trace", {"steps": True}, "trace.steps takes"),
        ("ragchecker", {"steps": True}, "ragchecker.steps takes"),
    ],
)
def test_rescoring_refuses_what_only_a_judge_could_apply(tmp_path, protocol, parameters, named):
    from adjudge.run.rescore import rescore_run

    sample = {"id": "a", "question": "q", "response": "r", "reference": "r", "contexts": ["c"]}
    adjudge.evaluate([sample], protocol, out=tmp_path / "run")
    with pytest.raises(UsageError, match=f"{named} effect when a judge labels.*'adjudge run'"):
        rescore_run(tmp_path / "run", parameters={protocol: parameters})
    rescore_run(tmp_path / "run", parameters={"safe": {"max_steps": 2}} if protocol == "safe" else {})


@pytest.mark.parametrize(
    ("k", "kept"),
    [
        ("100,178", ["f1@100", "claims"]),
        ("64", ["f1@64", "claims"]),
        ("100,64", ["f1@100", "f1@64", "claims"]),
        ("178", ["f1@178", "claims"]),
    ],
)
def test_rescoring_at_another_k_keeps_the_metrics_that_the_run_was_limited_to(tmp_path, k, kept):
    from adjudge.run.rescore import rescore_run

    labels = [{"name": "facts", "unit": "response", "value": 0, "source": "human:a"}]
    adjudge.evaluate(
        [{"id": "x", "response": "r", "labels": labels}],
        metrics=("safe.f1@100", "safe.claims"),
        parameters={"safe": {"k": "100,178"}},
        out=tmp_path / "run",
    )
    summary = rescore_run(tmp_path / "run", parameters={"safe": {"k": k}})
    assert [row.metric for row in summary.rows] == [f"safe.{name}" for name in kept]
