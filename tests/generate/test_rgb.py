"""RGB from question files to a native file, asked of a model behind a real server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.chat.errors import WrongKey
from adjudge.datasets.registry import read
from adjudge.datasets.source import Source
from adjudge.errors import InputError, RunFolderError, UsageError
from adjudge.generate.engine import Progress
from adjudge.generate.journal import Journal, journal_path
from adjudge.generate.rgb import build_cases, generate_rgb
from adjudge.generate.rgb_data import NOISE, Plan, question_files
from adjudge.report.rgb_published import BY, comparisons
from adjudge.types import Sample
from chat.server import MisbehavingServer
from generate.rgb_helpers import (
    CASES,
    FLAG,
    REFUSAL,
    answer,
    base,
    counterfactual,
    integration,
    make_folder,
    write_rows,
)


def go(
    server: MisbehavingServer, data: Path, out: Path, models: tuple[str, ...] = ("openai/m",), **options: Any
) -> Progress:
    access = {"base_url": server.base_url, "cache": "off", "first_pause": 0.01}
    return asyncio.run(generate_rgb(data, out, models, access=access | options.pop("access", {}), **options))


def samples(path: Path) -> list[Sample]:
    return list(read(Source(path)))


def test_documents_are_those_of_the_reference_code(data, golden) -> None:
    """Every condition of the benchmark that the reference orders cover, through the whole of generation."""
    compared = 0
    expected = golden("rgb_document_order.json")
    for file in ("zh_refine", "zh_int", "en_fact", "zh_fact"):
        built = build_cases(data(f"rgb/{file}.json"), Plan(), {"openai/m": "here"})
        assert not built.failures
        for case in built.cases:
            attributes = case.sample.attributes
            if attributes["documents"] == 0:
                continue
            noise = "1.0" if attributes["noise"] == 1 else f"{attributes['noise']:g}"
            orders = dict(expected[f"{file}.json|noise={noise}|correct=0|n=5"])
            number = int(case.sample.item.partition("/")[2])
            assert str(attributes["origins"]).split() == orders[number]
            assert case.chat.messages[-1].content.count("\n".join(case.sample.contexts or ())) == 1
            compared += 1
    assert compared == 300 * 6 + 100 * 3 + 100 + 100


def test_a_model_that_answers_from_documents_gets_the_accuracies_counted_by_hand(tmp_path) -> None:
    out = tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        progress = go(server, make_folder(tmp_path / "rgb"), out)
    assert (progress.cases, progress.asked, progress.failures) == (CASES, CASES, [])
    result = adjudge.evaluate(out, "rgb", judge="local", by=BY)
    tables = {entry.title: entry.ours["m"] for entry in comparisons(result.summary)}
    assert tables["noise robustness: accuracy, en"] == (1, 1, 1, 1, 0.75)
    assert tables["information integration: accuracy, en"] == (0.5, 0.5, 0.5)
    assert tables["negative rejection, en"][0] == 0.75
    acc, acc_doc, ed, ed_judge, cr, cr_script, *_ = tables["counterfactual robustness, en"]
    assert (acc, acc_doc, ed, cr_script) == (0.5, 0.5, 0.5, 1.0)
    assert (ed_judge, cr) == (0.5, 1.0)


def test_each_sample_says_its_condition(tmp_path) -> None:
    out = tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        go(server, make_folder(tmp_path / "rgb"), out)
    found = samples(out)
    assert len({sample.id for sample in found}) == len(found) == CASES
    by_id = {sample.id: sample for sample in found}
    noisy = by_id["en/2@0.8|m"]
    assert (noisy.item, noisy.ability, noisy.response) == ("en/2", "noise", REFUSAL)
    assert noisy.attributes["noise"] == 0.8
    assert noisy.attributes["system"] == "m"
    assert noisy.attributes["language"] == "en"
    assert noisy.attributes["documents"] == 5
    assert sorted(str(noisy.attributes["origins"]).split()) == ["N0", "N1", "N2", "N3", "P0"]
    assert by_id["en/0@1|m"].ability == "rejection"
    bare = by_id["en_fact/0@bare|m"]
    assert (bare.contexts, bare.attributes["documents"], "noise" in bare.attributes) == ((), 0, False)
    assert (bare.ability, bare.counterfactual) == ("counterfactual", "Eva Gran")
    assert Counter(sample.ability for sample in found) == {
        "noise": 20,
        "rejection": 4,
        "integration": 6,
        "counterfactual": 4,
    }


def test_the_instruction_goes_with_documents_only_and_in_the_questions_language(tmp_path) -> None:
    rows = [counterfactual(0), {**counterfactual(1), "query": "灯塔一号的看守人是谁？"}]
    path = write_rows(tmp_path / "mixed_fact.json", rows)
    cases = build_cases(path, Plan(), {"openai/m": "here"}).cases
    english, bare, chinese, bare_chinese = (case.chat.messages for case in cases)
    assert [message.role for message in english] == ["system", "user"]
    assert REFUSAL in english[0].content
    assert FLAG in english[0].content
    assert english[1].content.startswith("Document:\nLeaf ")
    assert english[1].content.endswith("Question:\nWho is the keeper of tower 0?")
    assert [(message.role, message.content) for message in bare] == [
        ("user", "Question:\nWho is the keeper of tower 0?")
    ]
    assert "信息不足" in chinese[0].content
    assert "事实性错误" in chinese[0].content
    assert [message.role for message in bare_chinese] == ["user"]
    assert "灯塔" in bare_chinese[0].content


def test_documents_that_look_like_placeholders_stay_as_they_are(tmp_path) -> None:
    row = base(0)
    row["positive"][0] = "{{question}} {{refusal}}"
    path = write_rows(tmp_path / "en.json", [row])
    case = build_cases(path, Plan(abilities=("noise",), noise=(0.0,)), {"openai/m": "here"}).cases[0]
    assert "{{question}} {{refusal}}" in case.chat.messages[1].content


def test_interrupted_anywhere_it_goes_on_and_asks_nothing_twice(tmp_path) -> None:
    """The server stops answering after k answers, for every k; the file is the same in the end."""
    data = make_folder(tmp_path / "rgb")
    whole = tmp_path / "whole.jsonl"
    with MisbehavingServer(answer=answer) as server:
        go(server, data, whole)
        prompts = set(server.times_asked())
    for stop in range(0, CASES, 3):
        out = tmp_path / f"{stop}.jsonl"
        with MisbehavingServer(answer=answer, key="right") as server:
            limited = _limit(server, stop)
            with pytest.raises(WrongKey):
                go(server, data, out, concurrency=3, access={"key_env": "TEST_KEY"})
            assert not out.exists()
            limited.clear()
            go(server, data, out, concurrency=3, access={"key_env": "TEST_KEY"})
            assert Counter(server.answered) == dict.fromkeys(prompts, 1), stop
        assert out.read_bytes() == whole.read_bytes()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "right")


def _limit(server: MisbehavingServer, most: int) -> list[int]:
    """Have the server refuse the key once it has answered so many; emptying the list lifts that."""
    limit = [most]
    complain = server._complaint

    def complaint(seen: Any) -> Any:
        if limit and len(server.answered) >= limit[0]:
            seen.headers["authorization"] = "Bearer wrong"
        return complain(seen)

    server._complaint = complaint  # type: ignore[method-assign]
    return limit


def test_a_torn_last_line_of_the_journal_is_asked_again_and_no_other(tmp_path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        go(server, data, out)
        whole, journal = out.read_bytes(), journal_path(out)
        lines = journal.read_bytes().splitlines(keepends=True)
        for kept in (b"", lines[0][:-1], lines[0][:20], b"".join(lines[:5]) + lines[5][:-2]):
            out.unlink()
            journal.write_bytes(kept)
            before = len(server.requests)
            go(server, data, out)
            assert len(server.requests) - before == CASES - kept.count(b"\n")
            assert out.read_bytes() == whole


def test_a_finished_run_asks_nothing_and_can_be_extended(tmp_path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        go(server, data, out, plan=Plan(limit=1))
        first = len(server.requests)
        assert first == 6 + 3 + 2
        assert go(server, data, out, plan=Plan(limit=1)).asked == 0
        assert go(server, data, out).asked == CASES - first
        assert len(samples(out)) == len(server.requests) == CASES
        two = go(server, data, out, ("openai/m", "openai/n"))
        assert (two.kept, two.asked) == (CASES, CASES)
    assert Counter(sample.attributes["system"] for sample in samples(out)) == {"m": CASES, "n": CASES}
    assert len({sample.item for sample in samples(out)}) == 8


def test_equal_prompts_are_asked_once_even_without_a_cache(tmp_path) -> None:
    """With one negative document, every noise rate from .2 on shows the same documents."""
    path = write_rows(tmp_path / "en.json", [{**base(0), "negative": ["Tower 0 is white."]}])
    out = tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        progress = go(server, path, out, plan=Plan(abilities=("noise",)))
        assert len(server.requests) == 2
    assert len(samples(out)) == 5
    assert [s.attributes.get("noise_shown") for s in samples(out)] == [None, None, 0.2, 0.2, 0.2]
    assert any("lack documents of a kind for noise at noise 0.8" in note for note in progress.notes)


def test_failures_are_listed_and_only_they_are_asked_again(tmp_path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "answers.jsonl"
    broken = [True]

    def faults(body: dict[str, Any], number: int) -> str | None:
        return "content_filter" if broken and "tower 1?" in body["messages"][-1]["content"] else None

    with MisbehavingServer(answer=answer, faults=faults) as server:
        progress = go(server, data, out)
        assert len(progress.failures) == 8
        listed = [json.loads(line) for line in (tmp_path / "answers.failed.jsonl").read_text().splitlines()]
        assert {entry["id"] for entry in listed} == {failure.id for failure in progress.failures}
        assert all("content filter" in entry["error"] for entry in listed)
        assert len(samples(out)) == CASES - 8
        assert go(server, data, out).asked == 0, "what failed is left alone unless told to"
        before = len(server.requests)
        broken.clear()
        again = go(server, data, out, retry_failed=True)
        assert (len(server.requests) - before, again.asked, again.failures) == (8, 8, [])
    assert not (tmp_path / "answers.failed.jsonl").exists()
    ids = [sample.id for sample in samples(out)]
    assert len(ids) == len(set(ids)) == CASES


def test_an_answer_cut_off_at_the_limit_counts_and_says_so(tmp_path) -> None:
    path, out = write_rows(tmp_path / "en.json", [base(0)]), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer, faults=lambda body, number: "length") as server:
        go(server, path, out, plan=Plan(abilities=("rejection",)), max_tokens=5)
        assert server.requests[0].body["max_tokens"] == 5
        assert server.requests[0].body["temperature"] == 0.2
    (sample,) = samples(out)
    assert (sample.response, sample.attributes["finish"]) == (REFUSAL, "length")


def test_questions_that_cannot_be_asked_are_failures_and_the_rest_goes_on(tmp_path) -> None:
    rows = [base(0), {**base(1), "negative": []}, {**base(2), "positive": []}, base(3)]
    path, out = write_rows(tmp_path / "en.json", rows), tmp_path / "answers.jsonl"
    with MisbehavingServer(answer=answer) as server:
        progress = go(server, path, out)
    failed = {failure.id: failure.error for failure in progress.failures}
    assert failed["en/1@1"] == "sample '1', field 'negative': too few negative documents: there is none"
    assert set(failed) == {"en/1@1", *(f"en/2@{rate:g}" for rate in NOISE)}
    assert len(samples(out)) == 24 - 6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"noise": (1.2,)}, "from 0 to 1, not 1.2"),
        ({"noise": (1.0,)}, "--abilities rejection"),
        ({"abilities": ("courage",)}, "no ability 'courage'"),
        ({"abilities": ("closed_book",)}, "asked with counterfactual"),
        ({"passages": 0}, "at least 1"),
        ({"limit": 0}, "at least 1"),
        ({"language": "fr"}, "en and zh"),
        ({"abilities": ("integration",), "noise": (0.6,)}, "up to noise 0.4"),
    ],
)
def test_impossible_plans(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Plan(**settings)


def test_a_folder_without_question_files_or_questions(tmp_path) -> None:
    with pytest.raises(InputError, match="no question file of RGB"):
        question_files(tmp_path)
    path = write_rows(tmp_path / "en.json", [base(0)])
    with pytest.raises(InputError, match="fits --abilities and --language"):
        build_cases(path, Plan(language="zh"), {"openai/m": "here"})


def test_integration_above_its_noise_is_told_where_nothing_is_left_to_ask(tmp_path) -> None:
    path = write_rows(tmp_path / "en_int.json", [integration(0)])
    with pytest.raises(InputError, match=r"fits --abilities and --language; all of --noise is above 0\.4"):
        build_cases(path, Plan(noise=(0.6,)), {"openai/m": "here"})


def test_a_rounded_number_of_documents_is_no_lack_of_them(tmp_path) -> None:
    path = write_rows(tmp_path / "en.json", [base(0), {**base(1), "negative": ["Tower 1 is white."]}])
    built = build_cases(path, Plan(noise=(0.5,), abilities=("noise",)), {"openai/m": "here"})
    assert [case.sample.attributes.get("noise_shown") for case in built.cases] == [0.6, 0.2]
    rounded, lacking = built.notes
    assert rounded == (
        "5 passages at noise 0.5: as in RGB the number without the answer is rounded up to 3,"
        " which is noise 0.6"
    )
    assert lacking.startswith("1 questions lack documents of a kind for noise at noise 0.5")


def test_the_mended_files_are_taken_where_both_are_there(tmp_path) -> None:
    for name in ("en", "en_refine", "zh"):
        write_rows(tmp_path / f"{name}.json", [base(0)])
    (tmp_path / "notes.json").write_text("{}")
    files, notes = question_files(tmp_path)
    assert [file.name for file in files] == ["en_refine.json", "zh.json"]
    assert len(notes) == 1


def test_another_file_is_not_overwritten_and_two_writers_keep_apart(tmp_path) -> None:
    data, out = make_folder(tmp_path / "rgb"), tmp_path / "answers.jsonl"
    out.write_text("mine\n")
    with MisbehavingServer(answer=answer) as server:
        with pytest.raises(UsageError, match="--overwrite"):
            go(server, data, out)
        go(server, data, out, overwrite=True)
        with Journal(out), pytest.raises(RunFolderError, match="another process"):
            go(server, data, out)
        with pytest.raises(UsageError, match="named twice"):
            go(server, data, out, ("openai/m", "openai/m"))


def test_the_order_of_answers_changes_nothing(tmp_path) -> None:
    data = make_folder(tmp_path / "rgb")
    with MisbehavingServer(answer=answer, latency=0.002) as server:
        go(server, data, tmp_path / "a.jsonl", concurrency=1)
        go(server, data, tmp_path / "b.jsonl", concurrency=16)
        assert server.most_at_once > 4
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
