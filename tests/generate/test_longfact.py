"""LongFact: the prompts asked, the methods, and the file form; then SAFE over it, to the annotated file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import main
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.datasets.where import parse_where, select
from adjudge.errors import InputError, UsageError
from adjudge.generate.engine import Progress
from adjudge.generate.longfact import generate_longfact
from adjudge.generate.longfact_data import prepare_prompts, read_prompts
from adjudge.generate.longfact_form import LongfactPlan, format_prompt, read_punt
from adjudge.metrics.f_at_k import f1_at_k
from chat.server import MisbehavingServer

TOPICS = {
    "longfact-objects_bridges": ["What is the Old Bridge?", "Who built the New Bridge?"],
    "longfact-objects_boats": ["What is the ferry Linnea?", "What is the Old Bridge?"],
}


def make_folder(folder: Path) -> Path:
    inside = folder / "longfact-objects_gpt4_01-12-2024_noduplicates"
    inside.mkdir(parents=True)
    for topic, prompts in TOPICS.items():
        (inside / f"{topic}.jsonl").write_text("".join(json.dumps({"prompt": p}) + "\n" for p in prompts))
    return folder


def answer(body: dict[str, Any]) -> str:
    text = body["messages"][-1]["content"]
    if "[PUNTED]" in text and "ferry" in text:
        return "[PUNTED] I do not know that ferry."
    return "The bridge was built in 1890. It is made of stone."


def go(server: MisbehavingServer, data: Path, out: Path, **options: Any) -> Progress:
    plan = LongfactPlan(**options.pop("plan", {}))
    access = {"base_url": server.base_url, "cache": "off", "first_pause": 0.01}
    return asyncio.run(generate_longfact(data, out, "openai/m", plan, access=access, **options))


def test_the_first_250_prompts_are_those_of_the_reference(data, shared_golden) -> None:
    expected = shared_golden("longfact_objects_shuffle_seed1_first250_sorted.json")["prompts"]
    prompts, notes = prepare_prompts(data("longfact"), "longfact_objects", limit=250)
    assert prompts == expected
    assert len(expected) == 250
    assert notes[0].startswith("9 prompts occur more than once (9 of 1140 are repeats)")
    concepts, notes = prepare_prompts(data("longfact"), "longfact_concepts")
    assert (len(concepts), notes) == (1140, [])


def test_files_are_read_in_sorted_order(tmp_path) -> None:
    found = read_prompts(make_folder(tmp_path), "longfact_objects")
    assert found == [
        (prompt, f"{topic}.jsonl")
        for topic in ("longfact-objects_boats", "longfact-objects_bridges")
        for prompt in TOPICS[topic]
    ]
    _, notes = prepare_prompts(tmp_path, "longfact_objects")
    assert "1 prompts occur more than once (1 of 4 are repeats): 'What is the Old Bridge?' in " in notes[0]


def test_the_file_has_the_form_of_the_reference_pipeline(tmp_path, shared_golden) -> None:
    reference = shared_golden("sample_results/main_pipeline_result.json")
    out = tmp_path / "result.json"
    with MisbehavingServer(answer=answer) as server:
        progress = go(server, make_folder(tmp_path / "longfact"), out, plan={"limit": 3})
        assert (progress.cases, len(server.requests)) == (3, len({r.prompt for r in server.requests}))
    document = json.loads(out.read_text())
    assert list(document) == list(reference)
    for key, value in reference.items():
        assert type(document[key]) is type(value), key
        if isinstance(value, str) and key.startswith(("side", "use", "add", "shuffle", "max", "num", "resp")):
            assert document[key] == value or key.startswith("responder"), key
    for entry in document["per_prompt_data"]:
        assert list(entry) == list(reference["per_prompt_data"][0])
        assert entry["side1_response"] == "[PLACEHOLDER RESPONSE]"
        assert entry["prompt"].startswith(("What is", "Who built"))


def test_sides_and_methods(tmp_path) -> None:
    out = tmp_path / "result.json"
    sides = {"side_1": "punt_if_unsure", "side_2": "naive_factuality_prompt", "shuffle": False}
    with MisbehavingServer(answer=answer) as server:
        go(server, make_folder(tmp_path / "longfact"), out, plan=sides)
        assert len(server.requests) == 2 * 3, "the prompt that occurs twice is asked once a side"
        assert server.requests[0].body["max_tokens"] == 1024
    first, *rest = json.loads(out.read_text())["per_prompt_data"]
    assert (first["side1_response"], first["side1_is_idk"]) == ("I do not know that ferry.", True)
    assert [entry["side1_is_idk"] for entry in rest] == [False, False, False]
    assert "side2_is_idk" not in first
    samples = list(read(Source(out)))
    assert len(samples) == 8
    assert [sample.attributes["is_idk"] for sample in samples[::2]] == [True, False, False, False]


@pytest.mark.parametrize("silent", ["none", "placeholder"])
def test_none_and_placeholder_ask_nobody(tmp_path, silent: str) -> None:
    out = tmp_path / "result.json"
    with MisbehavingServer(answer=answer) as server:
        data = make_folder(tmp_path / "longfact")
        progress = go(server, data, out, plan={"side_1": silent, "side_2": "vanilla_prompting"})
    assert progress.cases == 4
    entry = json.loads(out.read_text())["per_prompt_data"][0]
    assert entry["side1_response"] == {"none": "", "placeholder": "[PLACEHOLDER RESPONSE]"}[silent]
    source = Source(out)
    assert {sample.attributes["side"] for sample in read(source)} == {2}
    assert list(source.notes) == [f"side_1 is {silent!r}, so it has no responses and is skipped"]


def test_two_sides_that_ask_nobody_are_refused() -> None:
    with pytest.raises(UsageError, match="nobody would be asked; give one of them a method: vanilla_prom"):
        LongfactPlan(side_1="none", side_2="placeholder")


def test_prompts_are_formatted_once() -> None:
    plan = LongfactPlan(sentences=1)
    text = format_prompt("What is snow?", plan)
    assert text.startswith("What is snow? ")
    assert text.endswith("\nRespond in exactly 1 sentence.")
    asked = text.partition("\n")[0]
    assert format_prompt(asked, LongfactPlan()) == asked
    assert format_prompt("What is snow?", LongfactPlan(postamble=False)) == "What is snow?"
    assert (
        format_prompt("x", LongfactPlan(postamble=False, sentences=3)) == "x\nRespond in exactly 3 sentences."
    )


def test_a_punt_is_read_off_the_marker() -> None:
    assert read_punt("[PUNTED] No idea.") == ("No idea.", True)
    assert read_punt("An idea.") == ("An idea.", False)


def test_interrupted_it_goes_on_and_failures_can_be_retried(tmp_path) -> None:
    out, data = tmp_path / "result.json", make_folder(tmp_path / "longfact")
    broken = [True]

    def faults(body: dict[str, Any], number: int) -> str | None:
        return "content_filter" if broken and "ferry" in body["messages"][-1]["content"] else None

    with MisbehavingServer(answer=answer, faults=faults) as server:
        progress = go(server, data, out)
        assert len(json.loads(out.read_text())["per_prompt_data"]) == 3
        assert str(progress.failures[0].question).startswith("What is the ferry")
        broken.clear()
        assert go(server, data, out, retry_failed=True).asked == 1
        assert len(server.requests) == 4
    assert len(json.loads(out.read_text())["per_prompt_data"]) == 4


def test_prompts_of_an_earlier_result_and_of_a_plain_file(tmp_path) -> None:
    out = tmp_path / "result.json"
    with MisbehavingServer(answer=answer) as server:
        go(server, make_folder(tmp_path / "longfact"), out, plan={"shuffle": False})
        again = tmp_path / "again.json"
        go(server, out, again, plan={"shuffle": False})
    prompts = [[e["prompt"] for e in json.loads(p.read_text())["per_prompt_data"]] for p in (out, again)]
    assert prompts[0] == prompts[1]
    lines = tmp_path / "mine.jsonl"
    lines.write_text('{"prompt": "What is rain?"}\n{"topic": "rain"}\n')
    with pytest.raises(InputError, match=r"mine\.jsonl:2, field 'prompt'"):
        prepare_prompts(lines, "longfact_objects")


@pytest.mark.parametrize("settings", [{"side_1": "shouting"}, {"sentences": 0}], ids=["method", "sentences"])
def test_impossible_plans(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        LongfactPlan(**settings)


def test_missing_prompts_and_tasks(tmp_path) -> None:
    with pytest.raises(InputError, match="adjudge data get longfact"):
        read_prompts(tmp_path, "longfact_objects")
    make_folder(tmp_path)
    with pytest.raises(UsageError, match="no task 'longfact_things'"):
        read_prompts(tmp_path, "longfact_things")


def test_from_prompts_to_the_annotated_file(tmp_path, shared_golden) -> None:
    """Generate, run SAFE over a corpus, write annotations: key for key the reference's form."""
    reference = shared_golden("sample_results/SAFE_result.json")
    out, run, annotated = tmp_path / "result.json", tmp_path / "run", tmp_path / "annotated.json"
    with MisbehavingServer(answer=answer) as server:
        go(server, make_folder(tmp_path / "longfact"), out, plan={"limit": 2})
    before = out.read_bytes()
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"text": "The bridge was built in 1890."}) + "\n")
    safe = {"evidence": f"corpus:{tmp_path / 'corpus.jsonl'}", "k": [100, 3]}
    adjudge.evaluate(out, "safe", judge="local", parameters={"safe": safe}, out=run)
    done = CliRunner().invoke(main, ["convert", str(run), str(annotated), "--to", "safe_annotated"])
    assert done.exit_code == 0, done.output
    assert out.read_bytes() == before
    document = json.loads(annotated.read_text())
    assert list(document) == list(reference)
    theirs = reference["per_prompt_data"][0]["side2_posthoc_eval_data"]
    found = [entry["side2_posthoc_eval_data"] for entry in document["per_prompt_data"]]
    for data in found:
        assert list(data) == list(theirs)
        assert data["num_claims"] >= 2
        for statement in data["checked_statements"]:
            assert list(statement) == list(theirs["checked_statements"][0])
        for key, k in (("f1_-1", 100), ("f1_3", 3)):
            assert data[key] == f1_at_k(data["Supported"], data["Not Supported"], k)
    for name in ("num_claims", "Supported", "Irrelevant", "Not Supported", "f1_-1", "f1_3"):
        values = [data[name] for data in found]
        mean = sum(values) / len(values)
        assert document[f"side2_avg_{name}"] == pytest.approx(mean, abs=1e-12)
        spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        assert document[f"side2_std_{name}"] == pytest.approx(spread, abs=1e-12)
    again = adjudge.evaluate(annotated, "safe", judge="rules", parameters={"safe": {"k": [3]}})
    assert again.value("safe.f1@3") == pytest.approx(document["side2_avg_f1_3"])


def test_sides_are_chosen_by_attribute(tmp_path) -> None:
    out = tmp_path / "result.json"
    plan = {"side_1": "vanilla_prompting", "side_2": "naive_factuality_prompt"}
    with MisbehavingServer(answer=answer) as server:
        go(server, make_folder(tmp_path / "longfact"), out, plan=plan)
    samples = list(read(Source(out)))
    assert [s.attributes["side"] for s in select(samples, "side=1")] == [1] * 4
    assert len(list(select(samples, "side=1,2"))) == 8
    with pytest.raises(
        InputError, match="no sample has side=2 and method=vanilla_prompting; side is 1, 2; m"
    ):
        list(select(samples, parse_where(["side=2", "method=vanilla_prompting"])))
    for bad in ("side", "=1", "side="):
        with pytest.raises(UsageError, match="ATTRIBUTE=VALUE"):
            parse_where([bad])


def test_values_may_be_written_as_people_write_them() -> None:
    made = [adjudge.Sample(id=str(n), attributes={"noise": n, "ok": n == 1}) for n in (0.0, 0.4, 1)]
    for text, ids in (("noise=.4", ["0.4"]), ("noise=0,1.0", ["0.0", "1"]), ("ok=true", ["1"])):
        assert [sample.id for sample in select(made, text)] == ids
    assert [sample.id for sample in select(made, "side=none")] == ["0.0", "0.4", "1"]


def test_a_choice_that_leaves_nothing_says_what_there_is() -> None:
    made = [adjudge.Sample(id=str(n), attributes={"side": n % 2 + 1, "n": n}) for n in range(30)]
    with pytest.raises(InputError) as caught:
        list(select(made, "side=3"))
    assert str(caught.value) == "no sample has side=3; side is 1, 2"
    with pytest.raises(InputError, match="no sample has nosuch=1; none has a nosuch"):
        list(select(made, "nosuch=1"))
    with pytest.raises(InputError, match="…") as caught:
        list(select(made, "n=99"))
    assert str(caught.value).count(",") == 10
    assert list(select([], "side=3")) == []
