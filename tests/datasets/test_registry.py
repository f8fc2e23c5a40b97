"""A file is in exactly one format, or adjudge asks; and the one reading loop."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets import registry
from adjudge.datasets.base import Reader
from adjudge.datasets.registry import detect, find_reader, find_writer, parse_mapping, read, readers, writers
from adjudge.datasets.source import Source
from adjudge.errors import InputError, UsageError
from adjudge.types import Sample


def save(folder: Path, name: str, *rows: Any) -> Source:
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return Source(path)


SENTENCES = {
    "documents_sentences": [[["0a", "The lamp is lit."]]],
    "response_sentences": [["a", "It is lit."]],
    "all_relevant_sentence_keys": ["0a"],
    "all_utilized_sentence_keys": ["0a"],
    "sentence_support_information": [
        {
            "response_sentence_key": "a",
            "explanation": "Said so.",
            "supporting_sentence_keys": ["0a"],
            "fully_supported": True,
        }
    ],
    "unsupported_response_sentence_keys": [],
    "adherence_score": True,
    "relevance_score": 1.0,
    "utilization_score": 1.0,
    "completeness_score": 1.0,
}
BASE = {
    "id": 0,
    "query": "Who lit it?",
    "answer": ["Ada"],
    "positive": ["Ada did."],
    "negative": ["It rained."],
}
GROUPS = {
    "answer": [["Ada"], ["1851"]],
    "asnwer1": ["Ada"],
    "answer2": ["1851"],
    "positive": [["Ada."], ["1851."]],
}
FALSE = {"fakeanswer": "Bob", "positive_wrong": ["Bob did."]}

EXAMPLES: list[tuple[str, list[Any]]] = [
    ("native", [{"id": "a", "question": "Who?", "contexts": ["Ada."], "response": "Ada"}]),
    ("native", [{"question": "Who?", "contexts": ["Ada."], "response": "Ada"}]),
    ("native", [{"response": "Ada", "reference": "Ada"}]),
    ("native", [{"id": "a", "text": "Now!", "gold": [], "predicted": [{"quote": "Now", "rule": "R"}]}]),
    ("native", [{"id": "a", "text": "Now!", "gold": [], "labels": []}]),
    ("native", [{"adjudge": "samples", "format": 1}, {"id": "a", "text": "Now!", "labels": []}]),
    ("native", [{"format": 1, "samples": [{"id": "a", "response": "x"}]}]),
    (
        "ragchecker",
        [
            {
                "results": [
                    {
                        "query_id": "1",
                        "query": "Who?",
                        "gt_answer": "Ada",
                        "response": "Ada",
                        "retrieved_context": [{"doc_id": "d", "text": "Ada."}],
                    }
                ]
            }
        ],
    ),
    (
        "longform",
        [
            {
                "side_1": "placeholder",
                "side_2": "vanilla_prompting",
                "per_prompt_data": [
                    {
                        "prompt": "Tell me about lamps.",
                        "correct_answers": [],
                        "incorrect_answers": [],
                        "side1_response": "[PLACEHOLDER RESPONSE]",
                        "side2_response": "Lamps give light.",
                    }
                ],
                "total_runtime": 1.5,
            }
        ],
    ),
    (
        "factscore",
        [
            {
                "input": "Question: Tell me a bio of Ada.",
                "output": "Ada wrote.",
                "topic": "Ada",
                "cat": ["rare", "Europe"],
                "annotations": [
                    {
                        "text": "Ada wrote.",
                        "is-relevant": True,
                        "model-atomic-facts": [{"text": "Ada wrote."}],
                        "human-atomic-facts": [{"text": "Ada wrote.", "label": "S"}],
                    }
                ],
            }
        ],
    ),
    ("rgb", [BASE]),
    ("rgb", [BASE | GROUPS]),
    ("rgb", [BASE | FALSE]),
    (
        "rgb_predictions",
        [
            {
                "id": 0,
                "query": "Who lit it?",
                "ans": ["Ada"],
                "label": [1],
                "prediction": "Ada did.",
                "docs": ["Ada did."],
                "noise_rate": 0.2,
                "factlabel": 0,
            }
        ],
    ),
    (
        "ragbench",
        [
            {
                "id": "1",
                "question": "Lit?",
                "documents": ["The lamp is lit."],
                "response": "It is lit.",
                "generation_model_name": "m",
                "annotating_model_name": "n",
                "dataset_name": "lamps",
                **SENTENCES,
            }
        ],
    ),
    (
        "trace_labels",
        [
            {
                "relevance_explanation": "The only one.",
                "all_relevant_sentence_keys": ["0a"],
                "overall_supported_explanation": "All of it.",
                "overall_supported": True,
                "sentence_support_information": SENTENCES["sentence_support_information"],
                "all_utilized_sentence_keys": ["0a"],
            }
        ],
    ),
    (
        "violations",
        [
            {"adjudge": "violations", "format": 1, "split": "lamps@0.1"},
            {"id": "s", "text": "Buy now!", "gold": [{"start": 0, "end": 3, "rule": "R"}]},
        ],
    ),
    (
        "semeval",
        [
            {"id": "1", "text": "Calm words.", "labels": []},
            {
                "id": "2",
                "text": "Buy now!",
                "labels": [{"start": 0, "end": 3, "technique": "Slogans", "text_fragment": "Buy"}],
            },
        ],
    ),
    (
        "ragas",
        [{"user_input": "Who?", "retrieved_contexts": ["Ada."], "response": "Ada", "reference": "Ada"}],
    ),
    ("ragas", [{"user_input": "Who?", "response": "Ada"}]),
    ("ragas", [{"question": "Who?", "answer": "Ada", "contexts": ["Ada."], "ground_truth": "Ada"}]),
    ("ragas", [{"question": "Who?", "contexts": ["Ada."], "ground_truths": ["Ada"]}]),
    ("deepeval", [{"input": "Who?", "actual_output": "Ada", "expected_output": "Ada"}]),
    ("deepeval", [{"testCases": [{"name": "t", "input": "Who?", "actualOutput": "Ada"}]}]),
    (
        "mqm",
        [
            {
                "system": "S",
                "doc": "d",
                "docSegId": "1",
                "rater": "r1",
                "source": "Now!",
                "target": "<v>Jetz</v>!",
                "category": "Fluency/Spelling",
                "severity": "Minor",
            }
        ],
    ),
    (
        "inspect",
        [
            {
                "version": 2,
                "status": "success",
                "eval": {"model": "m", "task": "t"},
                "samples": [
                    {"id": 1, "epoch": 1, "input": "Who?", "target": "Ada", "output": {"choices": []}}
                ],
            }
        ],
    ),
]


@pytest.mark.parametrize(("name", "rows"), EXAMPLES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(EXAMPLES)])
@pytest.mark.parametrize("form", ["lines", "list", "pretty"])
def test_every_format_is_recognised_as_itself_and_no_other(
    tmp_path: Path, name: str, rows: list[Any], form: str
) -> None:
    source = save(tmp_path, "x.jsonl", *rows)
    if form != "lines":
        whole = rows[0] if len(rows) == 1 and form == "pretty" else rows
        (tmp_path / "x.json").write_text(json.dumps(whole, indent=2), "utf-8")
        source = Source(tmp_path / "x.json")
    fitting = [reader.name for reader in readers() if reader.detect(source)]
    inside = {"results", "per_prompt_data", "samples", "eval", "testCases", "split", "adjudge"}
    if form == "list" and inside & rows[0].keys():
        assert fitting in ([name], [])  # a document in a list is nobody's form, but never another's
    else:
        assert fitting == [name]
        assert detect(source).name == name
        assert list(read(source))


def test_every_reader_has_an_example() -> None:
    assert {reader.name for reader in readers()} == {name for name, _ in EXAMPLES}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("rgb/en_fact.json", "rgb"),
        ("rgb/zh_int.json", "rgb"),
        ("ragbench/emanual/test-00000-of-00001.parquet", "ragbench"),
        ("factscore/ChatGPT.jsonl", "factscore"),
        ("ragchecker/checking_inputs.json", "ragchecker"),
        ("ragchecker/checking_outputs.json", "ragchecker"),
        ("violations/semeval2021_task6/dev_set_task2.txt", "semeval"),
    ],
)
def test_public_files_are_recognised(data: Any, path: str, name: str) -> None:
    assert detect(Source(data(path))).name == name


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ("id,response,noise", "native"),
        ("question,contexts,response,reference,system", "native"),
        ("user_input,retrieved_contexts,response,reference", "ragas"),
        ("question,answer,contexts,ground_truth", "ragas"),
        ("input,actual_output,expected_output,retrieval_context,context", "deepeval"),
    ],
)
def test_csv_columns(tmp_path: Path, columns: str, name: str) -> None:
    (tmp_path / "x.csv").write_text(columns + "\n" + ",".join("x" for _ in columns.split(",")) + "\n")
    assert detect(Source(tmp_path / "x.csv")).name == name


def test_the_page_of_formats_names_all_and_its_examples_are_true(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    sections = re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in sections] == [reader.name for reader in readers()]
    for name, body in sections:
        example = re.search(r"^```json\n(.*?)^```", body, re.MULTILINE | re.DOTALL)
        assert example is not None, name
        (tmp_path / "x.jsonl").write_text(example[1], "utf-8")
        source = Source(tmp_path / "x.jsonl")
        assert detect(source).name == name
        assert list(read(source)), name
    for writer in writers():
        assert writer.name in page


# nothing fits, or too much


@pytest.mark.parametrize(
    "row",
    [{"question": "Who?", "answer": "Ada"}, {"question": "Who?", "answer": "Ada", "contexts": ["Ada."]}],
)
def test_a_bare_answer_may_be_either_so_adjudge_asks(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"no known format fits.*'answer'") as caught:
        detect(save(tmp_path, "x.jsonl", row))
    assert "--map" in str(caught.value)
    assert "--format" in str(caught.value)
    (tmp_path / "y.csv").write_text("question,answer\nWho?,Ada\n")
    with pytest.raises(InputError, match="--map"):
        detect(Source(tmp_path / "y.csv"))


def test_a_misspelt_field_is_pointed_at(tmp_path: Path) -> None:
    source = save(tmp_path, "x.jsonl", {"id": "a", "question": "Who?", "respones": "Ada"})
    with pytest.raises(InputError, match=r"'respones' \(did you mean 'response'\?\)"):
        detect(source)


def test_other_things_that_fit_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1, 2]")
    with pytest.raises(InputError, match="first entry is int"):
        detect(Source(tmp_path / "x.json"))
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("sheet.xml", "<a/>")
    with pytest.raises(InputError, match="spreadsheet must be saved as CSV"):
        detect(Source(tmp_path / "x.xlsx"))


def test_two_that_fit_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = Reader(name="greedy", description="", detect=lambda _: True, convert=lambda _: ())
    monkeypatch.setattr(registry, "readers", lambda: (*readers(), greedy))
    with pytest.raises(InputError, match="native and greedy") as caught:
        detect(save(tmp_path, "x.jsonl", {"response": "x"}))
    assert "--format native" in str(caught.value)
    assert "--map" in str(caught.value)


# by name


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [reader.name for reader in readers()]
    assert len(set(names)) == len(names)
    assert all(find_reader(name).name == name for name in names)
    assert {"native", "violations"} <= {writer.name for writer in writers()}
    assert find_writer("native") is writers()[0]
    with pytest.raises(UsageError, match=r"did you mean 'ragas'.*There are native, "):
        find_reader("raggas")
    with pytest.raises(UsageError, match="'nonsense' that can be written"):
        find_writer("nonsense")
    extra = Reader(name="extra", description="", detect=lambda _: False, convert=lambda _: ())
    monkeypatch.setattr(registry, "plugin", lambda group, name: extra if group == "adjudge.readers" else None)
    assert find_reader("extra") is extra


# reading


def test_a_second_use_of_an_id_names_both_lines(tmp_path: Path) -> None:
    rows = [{"id": "a", "response": "1"}, {"id": "b", "response": "2"}, {"id": "a", "response": "3"}]
    source = save(tmp_path, "x.jsonl", *rows)
    with pytest.raises(InputError, match=r"x.jsonl:3, sample 'a', field 'id': .*x.jsonl:1"):
        list(read(source))
    errors: list[InputError] = []
    assert [sample.response for sample in read(source, on_error=errors.append)] == ["1", "2"]
    assert source.seen is not None
    assert [source.seen.line_of(id) for id in ("a", "b", "c")] == [1, 2, None]
    assert [error.line for error in errors] == [3]


def test_bad_rows_are_raised_or_handed_over_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id":"a","response":"1"}\n{"id":\n{"id":"c","response":3}\n[1]\n{"id":"e","response":"5"}\n'
    )
    with pytest.raises(InputError, match=":2: broken JSON"):
        list(read(Source(path)))
    errors: list[InputError] = []
    found = [list(read(Source(path), on_error=errors.append)) for _ in range(2)]
    assert found[0] == found[1] == [Sample(id="a", response="1"), Sample(id="e", response="5")]
    assert [error.line for error in errors] == [2, 3, 4] * 2


def test_a_row_with_a_bad_sample_gives_none(tmp_path: Path) -> None:
    def convert(row: Any) -> Any:
        yield Sample(id=f"{row.line}/0")
        if row.data["bad"]:
            raise row.error("bad")
        yield Sample(id=f"{row.line}/1")

    reader = Reader(name="pairs", description="", detect=lambda _: True, convert=convert)
    source = save(tmp_path, "x.jsonl", {"bad": False}, {"bad": True})
    errors: list[InputError] = []
    found = registry._read(source, reader, errors.append)
    assert [sample.id for sample in found] == ["1/0", "1/1"]
    assert len(errors) == 1


@pytest.mark.parametrize(
    "error", [TypeError("x"), KeyError("x"), ValueError("x"), AttributeError("x"), IndexError()]
)
def test_what_a_reader_did_not_foresee_is_an_input_error_with_its_cause(
    tmp_path: Path, error: Exception
) -> None:
    def convert(row: Any) -> Any:
        raise error

    reader = Reader(name="careless", description="", detect=lambda _: True, convert=convert)
    source = save(tmp_path, "x.jsonl", {"a": 1})
    with pytest.raises(InputError, match=r"x\.jsonl:1: .*careless") as caught:
        list(registry._read(source, reader, None))
    assert caught.value.__cause__ is error


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id":"a","response":"1"}\n{"broken\n')
    assert next(read(Source(path))).id == "a"


# --map


def test_parse_mapping() -> None:
    assert parse_mapping("response=answer, contexts = metadata.docs") == {
        "response": "answer",
        "contexts": "metadata.docs",
    }
    for text, said in (
        ("response", "FIELD=KEY"),
        ("=x", "FIELD=KEY"),
        ("response=a,response=b", "twice"),
        ("respones=a", "did you mean 'response'"),
        ("attributes.=a", "no field"),
    ):
        with pytest.raises(UsageError, match=said):
            parse_mapping(text)


def test_mapping_makes_samples_of_any_objects(tmp_path: Path) -> None:
    row = {
        "qid": 7,
        "question": "Who?",
        "answer": "Ada",
        "gold": {"texts": ["Ada", 1851]},
        "metadata": {"docs": [{"text": "Ada did."}, {"page_content": "In 1851."}, "Plain."], "rank": 3},
        "noise": 0.5,
        "list": [1],
        "nothing": None,
    }
    mapping = parse_mapping(
        "id=qid,question=question,response=answer,reference=gold.texts,contexts=metadata.docs,"
        "attributes.rank=metadata.rank"
    )
    assert list(read(save(tmp_path, "x.jsonl", row), mapping=mapping)) == [
        Sample(
            id="7",
            question="Who?",
            response="Ada",
            reference=("Ada", "1851"),
            contexts=("Ada did.", "In 1851.", "Plain."),
            attributes={"noise": 0.5, "rank": 3},
        )
    ]


def test_mapping_of_csv_and_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        'question,answer,docs,truth,noise\nWho?,1851,"[\'a b\', ""c""]",[],0.5\nWhen?,,plain,x,\n'
    )
    mapping = parse_mapping("response=answer,contexts=docs,reference=truth")
    assert list(read(Source(path), mapping=mapping)) == [
        Sample(
            id="0",
            response="1851",
            contexts=("a b", "c"),
            reference=(),
            attributes={"question": "Who?", "noise": 0.5},
        ),
        Sample(id="1", response="", contexts=("plain",), reference="x", attributes={"question": "When?"}),
    ]


def test_mapping_errors_name_key_and_field(tmp_path: Path) -> None:
    source = save(
        tmp_path, "x.jsonl", {"id": 1, "answer": "a"}, {"id": 2, "reply": "b"}, {"id": 3, "answer": {}}
    )
    errors: list[InputError] = []
    found = list(read(source, mapping={"response": "answer"}, on_error=errors.append))
    assert found == [Sample(id="1", response="a")]
    absent, mistyped = errors
    assert (absent.line, absent.sample, absent.field) == (2, "2", "answer")
    assert "'id', 'reply'" in absent.problem
    assert (mistyped.line, mistyped.sample, mistyped.field) == (3, "3", "response")
    with pytest.raises(UsageError, match="exclude each other"):
        read(source, format="native", mapping={"response": "answer"})
    with pytest.raises(UsageError, match="no field 'x'"):
        read(source, mapping={"x": "answer"})
