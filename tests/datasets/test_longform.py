"""long-form-factuality result files in, and with SAFE's ratings out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adjudge.datasets.longform import READER, SOURCE
from adjudge.datasets.safe_annotated import WRITER
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError
from adjudge.metrics.f_at_k import f1_at_k
from adjudge.protocols.safe import Safe
from adjudge.types import Record, Sample


def statement(sentence: str, fact: str, annotation: str) -> dict[str, Any]:
    asked = {"atomic_fact": fact, "revised_fact": fact, "is_relevant": "[Foo]"}
    rating = None if annotation == "Irrelevant" else {"response": f"So: [{annotation}]", "answer": annotation}
    return {
        "sentence": sentence,
        "atomic_fact": fact,
        "self_contained_atomic_fact": f"The mill: {fact}",
        "relevance_data": asked,
        "rate_data": rating,
        "annotation": annotation,
    }


def annotated(split: list[tuple[str, list[str]]], checked: list[tuple[str, str, str]]) -> dict[str, Any]:
    return {
        "all_atomic_facts": [{"sentence": sentence, "atomic_facts": facts} for sentence, facts in split],
        "checked_statements": [statement(*entry) for entry in checked],
    }


def document(**entry: Any) -> dict[str, Any]:
    prompt = {
        "prompt": "Tell me of the mill.",
        "correct_answers": [],
        "incorrect_answers": [],
        "side1_response": "It is old. It is red.",
        "side2_response": "It is new.",
    }
    return {
        "responder_model": "OPENAI:some-model",
        "side_1": "vanilla_prompting",
        "side_2": "punt_if_unsure",
        "per_prompt_data": [{**prompt, **entry}],
        "total_runtime": 1.5,
    }


def save(folder: Path, content: Any, name: str = "f.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), "utf-8")
    return path


def read(path: Path) -> list[Sample]:
    source = Source(path)
    assert READER.detect(source)
    samples = []
    for row in READER.rows(source):
        assert isinstance(row, Row), row
        samples += READER.convert(row)
    return samples


def score(samples: Iterable[Sample], k: Any = 100, **more: Any) -> list[Record]:
    protocol = Safe(k=k)
    records = []
    for sample in samples:
        labelled = protocol.given(sample, SOURCE)
        records.append(
            Record(
                protocol="safe",
                sample=sample,
                id=sample.id,
                item=sample.item,
                units=labelled.units,
                labels=labelled.labels,
                scores=tuple(protocol.score(labelled)),
                signature=protocol.signature("labels:test"),
                **more,
            )
        )
    return records


def written(records: Iterable[Record], folder: Path, original: Path) -> Any:
    WRITER.write(records, folder / "out.json", original)
    return json.loads((folder / "out.json").read_text("utf-8"))


def values(record: Record) -> dict[str, float | None]:
    return {score.metric.removeprefix("safe."): score.value for score in record.scores}


def test_each_side_is_a_sample_of_one_item(tmp_path: Path) -> None:
    first, second = read(save(tmp_path, document(side2_is_idk=True)))
    assert (first.id, second.id) == ("0.side1", "0.side2")
    assert first.item == second.item == "0"
    assert first.attributes == {"side": 1, "method": "vanilla_prompting", "system": "OPENAI:some-model"}
    assert second.attributes["method"] == "punt_if_unsure"
    assert second.attributes["is_idk"] is True
    assert (second.question, second.response) == ("Tell me of the mill.", "It is new.")
    assert first.labels == ()


@pytest.mark.parametrize("method", ["none", "placeholder"])
def test_sides_without_a_response_are_passed_over(tmp_path: Path, method: str) -> None:
    assert [s.id for s in read(save(tmp_path, {**document(), "side_1": method}))] == ["0.side2"]


def test_an_entry_that_is_no_object_is_named(tmp_path: Path) -> None:
    content = document()
    content["per_prompt_data"].append("lost")
    with pytest.raises(InputError, match="found str") as caught:
        read(save(tmp_path, content))
    assert caught.value.line == 2


def test_annotations_become_facts_and_labels(tmp_path: Path) -> None:
    split = [("It is old.", ["Old.", "A mill."]), ("It is red.", ["Red.", "Lost."])]
    checked = [
        ("It is old.", "Old.", "Supported"),
        ("It is old.", "A mill.", "irrelevant"),
        ("It is red.", "Red.", "Not Supported"),
    ]
    first, _ = read(save(tmp_path, document(side1_posthoc_eval_data=annotated(split, checked))))
    labels = {(label.unit, label.name): label for label in first.labels}
    assert {label.source for label in first.labels} == {SOURCE}
    assert labels["response", "facts"].value == 4
    assert labels["fact:a.1", "check"].value == "entailed"
    assert labels["fact:a.1", "self_contained"].value == "The mill: Old."
    assert labels["fact:a.2", "relevant"].value is False
    assert ("fact:a.2", "check") not in labels
    assert labels["fact:b.1", "check"].value == "neutral"
    assert (labels["fact:b.2", "check"].value, labels["fact:b.2", "check"].reason) == (
        None,
        "SAFE gave it up",
    )
    (record,) = score([first])
    expected = {"supported": 1, "not_supported": 1, "irrelevant": 1, "claims": 4, "f1@100": f1_at_k(1, 1)}
    assert expected.items() <= values(record).items()


def test_equal_facts_keep_their_own_ratings(tmp_path: Path) -> None:
    split = [("Again.", ["Same.", "Same."]), ("Other.", ["Same."]), ("Again.", ["Same."])]
    kinds = ["Supported", "Not Supported", "Irrelevant", "Supported"]
    places = ["Again.", "Again.", "Other.", "Again."]
    checked = [(place, "Same.", kind) for place, kind in zip(places, kinds, strict=True)]
    first, _ = read(save(tmp_path, document(side1_posthoc_eval_data=annotated(split, checked))))
    checks = {label.unit: label.value for label in first.labels if label.name == "check"}
    assert checks == {"fact:a.1": "entailed", "fact:a.2": "neutral", "fact:a.3": "entailed"}


def test_an_unknown_annotation_is_no_verdict(tmp_path: Path) -> None:
    data = annotated([("S.", ["F."])], [("S.", "F.", "Maybe")])
    first, _ = read(save(tmp_path, document(side1_posthoc_eval_data=data)))
    assert "'Maybe' is not known" in str(first.labels[-1].reason)


@pytest.mark.parametrize(
    "data",
    [
        {"all_atomic_facts": []},
        annotated([("S.", ["F."])], [("S.", "G.", "Supported")]),
        annotated([("S.", ["F."])], [("S.", "F.", "Supported")] * 2),
        {"all_atomic_facts": 5, "checked_statements": []},
    ],
)
def test_broken_annotations_name_sample_and_field(tmp_path: Path, data: Any) -> None:
    with pytest.raises(InputError) as caught:
        read(save(tmp_path, document(side2_posthoc_eval_data=data)))
    assert (caught.value.sample, caught.value.field) == ("0.side2", "side2_posthoc_eval_data")


@pytest.mark.parametrize(
    "content", [{"per_prompt_data": 1}, {"per_prompt_data": [{"prompt": "p"}]}, {"a": 1}, [1]]
)
def test_other_files_are_not_taken_for_it(tmp_path: Path, content: Any) -> None:
    assert not READER.detect(Source(save(tmp_path, content)))


def test_an_annotated_file_comes_back_as_it_was(tmp_path: Path, shared_golden: Callable[[str], Any]) -> None:
    reference = shared_golden("sample_results/SAFE_result.json")
    path = save(tmp_path, reference)
    for k in (100, (100, 3)):
        got = written(score(read(path), k=k), tmp_path, path)
        assert got == reference
        assert list(got) == list(reference)


def test_scores_equal_those_in_the_file(tmp_path: Path, shared_golden: Callable[[str], Any]) -> None:
    reference = shared_golden("sample_results/SAFE_result.json")
    records = score(read(save(tmp_path, reference)), k=(100, 3))
    assert [record.id for record in records] == ["0.side2", "1.side2", "2.side2"]
    for record, entry in zip(records, reference["per_prompt_data"], strict=True):
        stored, got = entry["side2_posthoc_eval_data"], values(record)
        names = {
            "f1_-1": "f1@100",
            "f1_3": "f1@3",
            "Supported": "supported",
            "Not Supported": "not_supported",
            "Irrelevant": "irrelevant",
            "num_claims": "claims",
        }
        assert {old: got[new] for old, new in names.items()} == {old: stored[old] for old in names}


def test_ratings_added_to_a_plain_file_give_the_tools_own_document(
    tmp_path: Path, shared_golden: Callable[[str], Any]
) -> None:
    reference = shared_golden("sample_results/SAFE_result.json")
    plain = save(tmp_path, shared_golden("sample_results/main_pipeline_result.json"), "plain.json")
    assert {sample.labels for sample in read(plain)} == {()}
    records = []
    samples = read(save(tmp_path, reference))
    for sample, entry in zip(samples, reference["per_prompt_data"], strict=True):
        past = entry["side2_posthoc_eval_data"]["past_steps_jsonified_all"]
        facts = [unit.id for unit in sample.units if unit.kind == "fact"]
        steps = [
            {"unit": fact, **search}
            for fact, step in zip(facts, past, strict=True)
            for search in step.get("google_searches", ())
        ]
        records += score([sample], k=(100, 3), steps=tuple(steps))
    got = written(records, tmp_path, plain)
    # Ours names the signature where the tool lists the settings of its own program.
    configs = got.pop("autoeval_configs")
    assert all(isinstance(value, str) for value in configs.values())
    assert configs["signature"].startswith("safe|v1|k:100,3|")
    expected = {key: value for key, value in reference.items() if key != "autoeval_configs"}
    assert got == expected
    assert list(got) == list(expected)
    for mine, theirs in zip(got["per_prompt_data"], expected["per_prompt_data"], strict=True):
        assert list(mine) == list(theirs)
        assert list(mine["side2_posthoc_eval_data"]) == list(theirs["side2_posthoc_eval_data"])


def test_the_tools_results_in_every_scenario(tmp_path: Path, shared_golden: Callable[[str], Any]) -> None:
    reference = shared_golden("safe_scripted.json")
    seen = 0
    for scenario in reference["scenarios"].values():
        output = scenario["output"]
        if output is None:
            continue
        sides = {"side1_response": output["response"], "side1_posthoc_eval_data": output}
        content = {**document(prompt=output["prompt"], **sides), "side_2": "none"}
        (record,) = score(read(save(tmp_path, content)), k=7)
        got = values(record)
        assert got["claims"] == output["num_claims"]
        assert [got["supported"], got["irrelevant"], got["not_supported"]] == [
            output[name] for name in ("Supported", "Irrelevant", "Not Supported")
        ]
        if output["num_claims"] and not output["checked_statements"]:
            assert got["f1@7"] is None
        else:
            assert got["f1@7"] == f1_at_k(output["Supported"], output["Not Supported"], 7)
        bare = copy.deepcopy(content)
        del bare["per_prompt_data"][0]["side1_posthoc_eval_data"]
        again = written([record], tmp_path, save(tmp_path, bare, "bare.json"))
        data = again["per_prompt_data"][0]["side1_posthoc_eval_data"]
        same = set(output) - {"past_steps_jsonified_all"}
        assert {key: data[key] for key in same} == {key: output[key] for key in same}
        seen += 1
    assert seen == 15


def test_another_k_is_added_beside_and_nothing_else_changes(
    tmp_path: Path, shared_golden: Callable[[str], Any]
) -> None:
    reference = shared_golden("sample_results/SAFE_result.json")
    path = save(tmp_path, reference)
    got = written(score(read(path), k=2), tmp_path, path)
    first = got["per_prompt_data"][0]["side2_posthoc_eval_data"]
    assert first.pop("f1_2") == f1_at_k(3, 1, 2)
    assert first == reference["per_prompt_data"][0]["side2_posthoc_eval_data"]
    assert got["side2_avg_f1_2"] == pytest.approx((f1_at_k(3, 1, 2) + 2 * f1_at_k(2, 1, 2)) / 3)


def test_half_annotated_files_are_filled_and_failures_left_out(tmp_path: Path) -> None:
    ready = annotated([("It is old.", ["Old."])], [("It is old.", "Old.", "Supported")])
    done = {**ready, "num_claims": 1, "Supported": 1, "Irrelevant": 0, "Not Supported": 0}
    content = document(side1_posthoc_eval_data=done)
    content["per_prompt_data"].append({**document()["per_prompt_data"][0]})
    path = save(tmp_path, content)
    other = copy.deepcopy(content)
    other["per_prompt_data"][1]["side1_posthoc_eval_data"] = annotated(
        [("It is red.", ["Red.", "Lost."])], [("It is red.", "Red.", "Not Supported")]
    )
    records = score(read(save(tmp_path, other, "other.json")))
    got = written(records, tmp_path, path)
    first, second = got["per_prompt_data"]
    assert {k: v for k, v in first["side1_posthoc_eval_data"].items() if k != "f1_-1"} == done
    assert second["side1_posthoc_eval_data"]["num_claims"] == 2
    assert second["side1_posthoc_eval_data"]["Not Supported"] == 1
    assert "side2_posthoc_eval_data" not in first
    assert (got["side1_avg_num_claims"], got["side1_std_num_claims"]) == (1.5, 0.5)
    assert not any(key.startswith("side2_avg") for key in got)


def test_a_judges_ratings_take_the_place_of_those_in_the_file(tmp_path: Path) -> None:
    old = annotated([("It is old.", ["Old."])], [("It is old.", "Old.", "Not Supported")])
    old |= {"num_claims": 1, "Supported": 0, "Irrelevant": 0, "Not Supported": 1, "f1_64": 0.0}
    content = document(side1_posthoc_eval_data=old, side2_posthoc_eval_data=old)
    content |= {"autoeval_configs": {"rater": "another"}, "side1_avg_f1_64": 0.0, "side1_std_f1_64": 0.0}
    path = save(tmp_path, content)
    new = annotated([("It is old.", ["Old."])], [("It is old.", "Old.", "Supported")])
    samples = read(save(tmp_path, document(side1_posthoc_eval_data=new), "new.json"))

    (first,) = score(samples[:1], k=100, labeller="judge:local")
    (second,) = score(read(path)[1:], labeller=f"labels:{SOURCE}")
    told = WRITER.write([first, second], tmp_path / "out.json", path)
    assert told == ["1 of the responses keep the ratings that the file had"]
    got = json.loads((tmp_path / "out.json").read_text("utf-8"))
    one, two = (got["per_prompt_data"][0][f"side{n}_posthoc_eval_data"] for n in (1, 2))
    assert (one["Supported"], one["Not Supported"]) == (1, 0)
    assert {**two, "f1_-1": 0.0} == {**old, "f1_-1": 0.0}
    assert (got["side1_avg_Supported"], "side1_avg_f1_64" in got) == (1.0, False)
    assert got["autoeval_configs"] == {
        "rater": "another",
        "signature": first.signature,
        "max_claims": "100",
    }

    both = score([samples[0], read(save(tmp_path, document(side2_posthoc_eval_data=new), "2.json"))[1]])
    both = [msgspec.structs.replace(record, labeller="judge:local") for record in both]
    got = written(both, tmp_path, path)
    assert "rater" not in got["autoeval_configs"], "nothing of its is left"


def test_facts_that_nobody_checked_are_not_written_as_rated(tmp_path: Path) -> None:
    data = annotated([("It is old.", ["Old."])], [("It is old.", "Old.", "Supported")])
    (record,) = score(
        read(save(tmp_path, document(side1_posthoc_eval_data=data)))[:1], labeller="judge:local"
    )
    counted = msgspec.structs.replace(record, labels=tuple(x for x in record.labels if x.name == "facts"))
    told = WRITER.write([counted], tmp_path / "out.json", save(tmp_path, document(), "plain.json"))
    assert told is not None
    assert "did not check their facts" in told[0]
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == document()


def test_what_a_judge_left_unsaid_is_filled_with_the_plain_answer(tmp_path: Path) -> None:
    split = [("It is old.", ["Old.", "Off."])]
    data = annotated(split, [("It is old.", "Old.", "Supported"), ("It is old.", "Off.", "Irrelevant")])
    for entry in data["checked_statements"]:
        entry |= {"self_contained_atomic_fact": None, "relevance_data": None, "rate_data": None}
    source = save(tmp_path, document(side1_posthoc_eval_data=data))
    got = written(score(read(source)[:1]), tmp_path, save(tmp_path, document(), "plain.json"))
    right, off = got["per_prompt_data"][0]["side1_posthoc_eval_data"]["checked_statements"]
    assert right["relevance_data"] == {"atomic_fact": "Old.", "revised_fact": "Old.", "is_relevant": "[Foo]"}
    assert right["rate_data"] == {"response": "[Supported]", "answer": "Supported"}
    assert off["relevance_data"]["is_relevant"] == "[Not Foo]"
    assert off["rate_data"] is None


def test_writing_needs_the_right_file(tmp_path: Path) -> None:
    records = score(read(save(tmp_path, document())))
    with pytest.raises(UsageError, match="give the file that the run read"):
        WRITER.write(records, tmp_path / "out.json", None)
    with pytest.raises(InputError, match="no long-form-factuality"):
        WRITER.write(records, tmp_path / "out.json", save(tmp_path, {"a": 1}, "x.json"))
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"id": "a", "response": "x"}\n{"id": "b", "response": "y"}\n')
    with pytest.raises(InputError, match="no long-form-factuality result file") as caught:
        WRITER.write(records, tmp_path / "out.json", lines)
    assert "give the file that the run read" in str(caught.value.fix)
    with pytest.raises(InputError, match="there is no such file"):
        WRITER.write(records, tmp_path / "out.json", tmp_path / "absent.json")
    with pytest.raises(UsageError, match=r"no response '0\.side1'"):
        WRITER.write(records, tmp_path / "out.json", save(tmp_path, {"per_prompt_data": []}, "x.json"))


def test_samples_without_a_run_can_be_written(tmp_path: Path) -> None:
    data = annotated([("It is old.", ["Old."])], [("It is old.", "Old.", "Supported")])
    samples = read(save(tmp_path, document(side1_posthoc_eval_data=data)))
    records = [Record(protocol="", id=sample.id, sample=sample) for sample in samples]
    got = written(records, tmp_path, save(tmp_path, document(), "plain.json"))
    assert got["per_prompt_data"][0]["side1_posthoc_eval_data"]["Supported"] == 1
    assert "f1_-1" not in got["per_prompt_data"][0]["side1_posthoc_eval_data"]
