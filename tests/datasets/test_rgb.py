"""Reading RGB's question files and the prediction files of its scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.datasets import rgb, rgb_predictions
from adjudge.datasets.rgb import RgbItem, read_rgb_items
from adjudge.datasets.source import Source
from adjudge.errors import InputError
from adjudge.protocols.rgb import ability_of

PLAIN = {
    "id": 4,
    "query": "Who won?",
    "answer": ["Ada", ["B", "b."]],
    "positive": ["Ada won"],
    "negative": ["?"],
}
GROUPED = PLAIN | {"positive": [["one", "two"], ["three"]], "asnwer1": ["Ada"], "answer2": [["B", "b."]]}
FALSE = PLAIN | {"answer": 70, "fakeanswer": "80", "positive_wrong": ["Eve won"]}
PREDICTION = {
    "id": 4,
    "query": "谁赢了？",
    "ans": [["Ada", "A."]],
    "label": [1],
    "prediction": "Ada",
    "docs": ["d0", "d1"],
    "noise_rate": 0.4,
    "factlabel": 0,
}


def write(path: Path, *rows: dict) -> Source:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Source(path)


def samples(reader, source: Source) -> list:
    return [sample for row in source.rows() for sample in reader.convert(row)]


def test_questions_as_samples(tmp_path: Path) -> None:
    source = write(tmp_path / "q.json", PLAIN, GROUPED | {"id": 5}, FALSE | {"id": 6, "query": "谁？"})
    assert rgb.READER.detect(source)
    plain, grouped, false = samples(rgb.READER, source)
    assert (plain.id, plain.question, plain.reference) == ("4", "Who won?", ("Ada", ("B", "b.")))
    assert plain.response is plain.contexts is plain.counterfactual is None
    assert plain.attributes == {"language": "en"}
    assert grouped.attributes == {"language": "en", "grouped": True}
    assert (false.reference, false.counterfactual, false.attributes) == ("70", "80", {"language": "zh"})
    assert [ability_of(sample) for sample in (plain, grouped, false)] == [
        "noise",
        "integration",
        "counterfactual",
    ]


def test_questions_with_their_documents(tmp_path: Path) -> None:
    source = write(tmp_path / "q.json", PLAIN, GROUPED | {"id": 5}, FALSE | {"id": 6})
    plain, grouped, false = read_rgb_items(source)
    assert plain == RgbItem(
        id="4", query="Who won?", answer=("Ada", ("B", "b.")), positive=(("Ada won",),), negative=("?",)
    )
    assert (grouped.positive, grouped.grouped) == ((("one", "two"), ("three",)), True)
    assert (false.positive_wrong, false.counterfactual, false.grouped) == (("Eve won",), "80", False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, "field 'id': expected a number or text, found None"),
        ({"id": True}, "field 'id'"),
        ({"query": None}, "sample '4', field 'query'"),
        ({"answer": None}, "sample '4', field 'answer'"),
        ({"answer": {"a": 1}}, "sample '4', field 'answer': not an answer"),
        ({"positive": "text"}, "field 'positive': expected a list of texts"),
        ({"positive": [["a"], []]}, "field 'positive': expected lists of texts, none of them empty"),
        ({"positive": [["a"], "b"]}, "field 'positive'"),
        ({"positive_wrong": ["a", "b"]}, "field 'positive_wrong': expected one document for each"),
    ],
)
def test_bad_questions_are_refused_with_their_place(tmp_path: Path, change: dict, message: str) -> None:
    source = write(tmp_path / "q.json", PLAIN | {"id": 0}, PLAIN | change)
    with pytest.raises(InputError) as caught:
        list(read_rgb_items(source))
    assert message in str(caught.value)
    assert "q.json:2" in str(caught.value)


@pytest.mark.parametrize(
    ("file", "language"), [("en_fact.json", "en"), ("zh.json", "zh"), ("pen.json", "zh"), ("q.json", "zh")]
)
def test_a_file_that_names_its_language_is_believed(tmp_path: Path, file: str, language: str) -> None:
    (item,) = read_rgb_items(write(tmp_path / file, PLAIN | {"query": "谁写了 Soul Mountain？"}))
    assert item.language == language
    asked = PREDICTION | {"query": "谁写了 Soul Mountain？"}
    source = write(tmp_path / f"prediction_{file}", asked)
    (sample,) = samples(rgb_predictions.READER, source)
    assert sample.attributes["language"] == language


def test_repeated_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="used before"):
        list(read_rgb_items(write(tmp_path / "q.json", PLAIN, PLAIN)))


def test_predictions(tmp_path: Path) -> None:
    source = write(tmp_path / "run.json", PREDICTION, PREDICTION | {"noise_rate": 1.0, "query": "Who?"})
    assert rgb_predictions.READER.detect(source)
    assert not rgb.READER.detect(source)
    first, second = samples(rgb_predictions.READER, source)
    assert (first.id, first.item, first.response) == ("4@0.4", "4", "Ada")
    assert (first.contexts, first.reference, first.labels) == (("d0", "d1"), (("Ada", "A."),), ())
    assert first.attributes == {"language": "zh", "noise": 0.4}
    assert (second.id, second.item) == ("4@1", "4")
    assert [ability_of(first), ability_of(second)] == ["noise", "rejection"]


@pytest.mark.parametrize(
    ("name", "ability"),
    [
        ("prediction_en_fact_modelx_temp0.2_noise0.0_passage5_correct0.0.json", "counterfactual"),
        ("prediction_zh_int_modelx_temp0.2_noise0.4_passage5_correct0.0.json", "integration"),
        ("prediction_en_refine_modelx_temp0.2_noise0.4.json", None),
        ("prediction_en_modelx_interesting_fact.json", None),
    ],
)
def test_the_file_name_tells_the_set(tmp_path: Path, name: str, ability: str | None) -> None:
    (sample,) = samples(rgb_predictions.READER, write(tmp_path / name, PREDICTION))
    assert sample.ability == ability


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"noise_rate": 1.5}, "field 'noise_rate': expected a number from 0 to 1, found 1.5"),
        ({"prediction": 3}, "sample '4@0.4', field 'prediction': expected text, found int"),
        ({"docs": "d"}, "field 'docs'"),
    ],
)
def test_bad_predictions_are_refused(tmp_path: Path, change: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        samples(rgb_predictions.READER, write(tmp_path / "run.json", PREDICTION | change))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("file", "words", "verdict"),
    [
        ("run.json", "No, it is not addressed by the documents.", True),
        ("run.json", "Yes, it is addressed.", False),
        ("run.json", "", False),
        ("prediction_en_fact_m.json", "Yes, the model has identified them.", True),
        ("prediction_en_fact_m.json", "No, it is not addressed.", False),
    ],
)
def test_a_judges_words_become_a_verdict(tmp_path: Path, file: str, words: str, verdict: bool) -> None:
    source = write(tmp_path / file, PREDICTION | {"evaluation": words})
    (sample,) = samples(rgb_predictions.READER, source)
    assert sample.attributes["stored_verdict"] is verdict


def test_real_question_files(data) -> None:
    """Sizes from RGB's paper: 300 base, 100 integration and 100 counterfactual questions a language."""
    for name, rows, ability, language in [
        ("zh_refine", 300, "noise", "zh"),
        ("zh_int", 100, "integration", "zh"),
        ("zh_fact", 100, "counterfactual", "zh"),
        ("en_fact", 100, "counterfactual", "en"),
    ]:
        source = Source(data(f"rgb/{name}.json"))
        assert rgb.READER.detect(source)
        found = samples(rgb.READER, source)
        assert len({sample.id for sample in found}) == rows
        assert {ability_of(sample) for sample in found} == {ability}
        assert {sample.attributes["language"] for sample in found} == {language}
        assert len(list(read_rgb_items(source))) == rows


def test_real_verdicts_add_up_to_the_published_ones(data) -> None:
    """`rejecttt` of the result files that lie beside the judged predictions."""
    folder = data("rgb/runs_en_refine")
    found = {}
    for path in folder.glob("*_output*.json"):
        source = Source(path)
        assert rgb_predictions.READER.detect(source)
        rows = samples(rgb_predictions.READER, source)
        assert len({sample.id for sample in rows}) == 50
        found[path.name.partition("_noise_")[2][:3]] = sum(
            s.attributes["stored_verdict"] is True for s in rows
        )
    assert found == {"0.2": 2, "0.4": 0, "0.6": 0, "0.8": 2, "1.0": 28}
