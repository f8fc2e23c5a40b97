"""RAGBench's comparison: the stored columns give the reference values; a judge beside them."""

from __future__ import annotations

import pytest

from adjudge.errors import InputError, UsageError
from adjudge.judges.base import LabelSentences, SentenceLabels, Support
from adjudge.stats.experiments.ragbench import COLUMNS, PAPER
from experiment_helpers import Answers, row_of, run_experiment, value_of

SUBSETS = ("delucionqa", "emanual", "expertqa", "hotpotqa", "msmarco")
PLACES = {"GPT-3.5": (0, 1, 2), "RAGAS": (3, 4), "TruLens": (5, 6)}


@pytest.fixture(scope="module")
def stored(data):
    pytest.importorskip("pyarrow")
    return run_experiment("ragbench", data("ragbench")).outcome


@pytest.mark.parametrize("subset", SUBSETS)
def test_stored_columns_give_the_reference_values(stored, shared_golden, subset):
    golden = shared_golden("ragbench_table3_repro.json")[subset]
    for tool, places in PLACES.items():
        figures = row_of(stored, subset, f"{tool}, stored predictions").figures
        for column, place in zip(COLUMNS, places, strict=False):
            assert figures[column].value == pytest.approx(golden["values"][place], abs=1e-12)
            assert figures[column].n == golden["n"] - golden["nulls"][place]
            paper = value_of(stored, subset, f"{tool}, as published", column)
            assert paper == golden["paper"][place]


def test_leaking_subsets_are_named(stored):
    notes = {table.title.partition(",")[0]: table.notes for table in stored.tables}
    assert any("documents" in note for note in notes["emanual"])
    assert any(": 4 rows" in note for note in notes["emanual"])
    assert any("documents" in note for note in notes["delucionqa"])
    assert notes["hotpotqa"] == ()
    assert stored.notes == ("there is no data here for covidqa, hagrid",)


def test_published_figures_cover_the_same_subsets_as_the_golden(shared_golden):
    golden = shared_golden("ragbench_table3_repro.json")
    assert set(PAPER) == set(golden)
    for name, row in golden.items():
        assert [x for tool in PLACES for x in PAPER[name][tool]] == row["paper"]


def _subset(folder, split, rows):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    folder.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), folder / f"{split}-00000-of-00001.parquet")


def _row(index, *, grounded, question=None):
    words = "Snow is cold." if grounded else "Snow is made of cheese."
    return {
        "id": str(index),
        "question": question or f"What is snow, number {index}?",
        "documents": ["Snow is cold. Rain is wet."],
        "response": words,
        "generation_model_name": "m",
        "annotating_model_name": "a",
        "dataset_name": "tiny",
        "documents_sentences": [[["0a", "Snow is cold."], ["0b", "Rain is wet."]]],
        "response_sentences": [["a", words]],
        "sentence_support_information": [],
        "unsupported_response_sentence_keys": [] if grounded else ["a"],
        "adherence_score": grounded,
        "relevance_score": 0.5,
        "utilization_score": 0.5 if grounded else 0.0,
        "gpt3_adherence": 1.0 if index else None,
    }


def _judge():
    def label(q):
        full = q.response[0][1] == q.contexts[0][1]
        support = Support("a", ("0a",), "full") if full else Support("a")
        return SentenceLabels(("0a",), ("0a",) if full else ("0a", "0b"), (support,))

    return Answers({LabelSentences: label})


def test_judge_is_measured_on_raw_text(tmp_path):
    rows = [_row(index, grounded=index % 3 > 0) for index in range(12)]
    _subset(tmp_path / "ragbench" / "tiny", "test", rows)
    _subset(tmp_path / "ragbench" / "tiny", "train", [_row(99, grounded=True, question=rows[0]["question"])])
    outcome = run_experiment("ragbench", tmp_path, _judge()).outcome
    figures = row_of(outcome, "tiny", "judge").figures
    assert figures["hallucination AUROC"].value == 1.0
    assert figures["relevance RMSE"].value == 0.0
    # Four ungrounded rows say utilization 1 for 0, the others are exact.
    assert figures["utilization RMSE"].value == pytest.approx((4 / 12) ** 0.5)
    graded = row_of(outcome, "tiny", "judge, share of sentences").figures
    assert graded["hallucination AUROC"].value == 1.0
    assert graded["relevance RMSE"].value is None
    fresh = row_of(outcome, "tiny", "judge, unseen questions").figures
    assert fresh["hallucination AUROC"].n == 11
    # A missing prediction is dropped, and what never differs ranks nothing.
    stored = row_of(outcome, "tiny", "GPT-3.5, stored predictions").figures["hallucination AUROC"]
    assert (stored.n, stored.value) == (11, 0.5)
    assert row_of(outcome, "tiny", "RAGAS, stored predictions").figures["relevance RMSE"].value is None


def test_floors_by_hand(tmp_path):
    _subset(tmp_path / "ragbench" / "tiny", "test", [_row(k, grounded=k % 4 > 0) for k in range(12)])
    outcome = run_experiment("ragbench", tmp_path).outcome
    assert value_of(outcome, "tiny", "words found in the contexts", "hallucination AUROC") == 1.0
    # Utilization is .5 nine times and 0 three times: the mean is .375, the deviation by hand.
    expected = ((9 * 0.125**2 + 3 * 0.375**2) / 12) ** 0.5
    assert value_of(outcome, "tiny", "always the mean", "utilization RMSE") == pytest.approx(expected)
    assert value_of(outcome, "tiny", "always the mean", "relevance RMSE") == 0.0
    assert outcome.judge is None


def test_one_class_only_is_told(tmp_path):
    _subset(tmp_path / "ragbench" / "tiny", "test", [_row(index, grounded=True) for index in range(3)])
    outcome = run_experiment("ragbench", tmp_path, _judge()).outcome
    figure = row_of(outcome, "tiny", "judge").figures["hallucination AUROC"]
    assert figure.value is None
    assert "one class" in figure.reason


def test_missing_split_or_subset_says_what_there_is(tmp_path):
    _subset(tmp_path / "ragbench" / "tiny", "test", [_row(0, grounded=True)])
    with pytest.raises(InputError, match="ragbench"):
        run_experiment("ragbench", tmp_path, split="train")
    with pytest.raises(UsageError, match="there are tiny"):
        run_experiment("ragbench", tmp_path, only=("covidqa",))
