"""RAGChecker's meta-evaluation: the published figures from the stored scores, and any judge beside them."""

from __future__ import annotations

import json
import statistics

import pytest
from click.testing import CliRunner

from adjudge.cli import main
from adjudge.errors import JudgeError
from adjudge.judges.base import CheckClaims, ExtractClaims, IsRefusal
from adjudge.stats.experiments.ragchecker_meta import spread
from experiment_helpers import Answers, row_of, run_experiment, value_of

FIGURES = {"correctness": (49.66, 46.95), "completeness": (60.67, 58.11), "overall": (61.93, 60.90)}
HUMAN = {"correctness": (63.67, 59.19), "completeness": (71.91, 68.36), "overall": (70.09, 68.89)}
NAMES = {
    "words shared with the reference (F1)": "token_f1",
    "words shared (precision)": "token_precision",
    "words shared (recall)": "token_recall",
    "ROUGE-L": "rougeL_f",
    "length of the answer": "len_tokens",
}


@pytest.fixture(scope="module")
def stored(data):
    return run_experiment("ragchecker-meta", data("ragchecker/human_labeled_data.json").parent.parent).outcome


def percents(outcome, heading, name):
    figures = row_of(outcome, heading, name).figures
    return tuple(round(100 * figures[column].value, 2) for column in ("Pearson", "Spearman"))


@pytest.mark.parametrize("heading", FIGURES)
def test_stored_scores_give_the_published_figures(stored, heading):
    assert percents(stored, heading, "RAGChecker, stored scores") == FIGURES[heading]
    assert percents(stored, heading, "RAGChecker, as published") == FIGURES[heading]
    assert percents(stored, heading, "one annotator against the other") == HUMAN[heading]
    assert row_of(stored, heading, "RAGChecker, stored scores").figures["Pearson"].n == 560
    assert row_of(stored, heading, "one annotator against the other").figures["Pearson"].n == 280


def test_floors_are_the_reference_ones(stored, shared_golden):
    golden = shared_golden("ragchecker_meta_eval.json")["trivial_floors_not_upstream"]
    for ours, theirs in NAMES.items():
        for heading in FIGURES:
            expected = golden[theirs][f"{heading}_label"]
            assert percents(stored, heading, ours) == pytest.approx(expected, abs=0.02), (ours, heading)


def test_stretching_by_hand():
    assert spread([0.0, 0.5, 1.0]) == [-2.0, 0.0, 2.0]
    assert spread([0.0, None, 0.2, 1.0]) == pytest.approx([-2.0, -1.2, -1.2, 2.0])
    assert spread([0.3, 0.3]) == [0.3, 0.3]
    assert spread([None, None]) == [None, None]


def _pairs(folder, number=12):
    """Invented pairs: the second answer is right in all words, the first in every other pair too."""
    rows = []
    for index in range(number):
        good, bad = f"Tower {index} is tall", "Nobody knows"
        first = good if index % 3 == 0 else bad
        preference = 0 if first == good else 2
        for annotator in range(2):
            labels = dict.fromkeys(
                ("correctness_label", "completeness_label", "overall_label"),
                preference - annotator * (index % 2),
            )
            rows.append(
                {
                    "instance_id": index,
                    "query": "How tall?",
                    "gt_answer": good,
                    "model1": {"response": first},
                    "model2": {"response": good},
                    **labels,
                }
            )
    (folder / "ragchecker").mkdir()
    (folder / "ragchecker" / "human_labeled_data.json").write_text(json.dumps(rows))
    return folder


def _judge():
    return Answers(
        {
            ExtractClaims: lambda q: (q.text,),
            CheckClaims: lambda q: tuple(
                "".join("e" if claim == text else "n" for text in q.evidence) for claim in q.claims
            ),
        }
    )


def test_any_judge_gives_its_own_figures_without_stored_scores(tmp_path):
    judge = _judge()
    outcome = run_experiment("ragchecker-meta", _pairs(tmp_path), judge).outcome
    assert outcome.judge == "answers"
    assert outcome.signatures["ragchecker"].startswith("ragchecker|v1|judge:answers|")
    assert any("baseline_ragchecker.json" in note for note in outcome.notes)
    # The judge gives F1 of 1 or 0: it differs by 1 where the first answer is wrong, which is not every third.
    deltas = [0.0 if index % 3 == 0 else 1.0 for index in range(12) for _ in range(2)]
    people = [2 * deltas[k] - (k % 2) * (k // 2 % 2) for k in range(24)]
    expected = statistics.correlation(deltas, people)
    assert value_of(outcome, "overall", "judge", "Pearson") == pytest.approx(expected)
    assert row_of(outcome, "overall", "judge").figures["Pearson"].n == 24
    assert {row.name for row in outcome.tables[0].rows if row.kind == "stored"} == set()


def test_a_finished_run_folder_asks_nobody_again(tmp_path):
    data = _pairs(tmp_path)
    first = run_experiment("ragchecker-meta", data, _judge(), out=tmp_path / "out").outcome
    again = _judge()
    second = run_experiment("ragchecker-meta", data, again, out=tmp_path / "out").outcome
    assert first == second
    assert again.asked == []


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    data, out = _pairs(tmp_path), tmp_path / "out"
    broken = _judge()
    healthy = broken.script[CheckClaims]

    def failing(question):
        if len(broken.asked) > 30:
            raise JudgeError("the key was withdrawn")
        return healthy(question)

    broken.script[CheckClaims] = failing
    with pytest.raises(JudgeError, match="withdrawn"):
        run_experiment("ragchecker-meta", data, broken, out=out, concurrency=1)
    again, whole = _judge(), _judge()
    resumed = run_experiment("ragchecker-meta", data, again, out=out, concurrency=1).outcome
    assert resumed == run_experiment("ragchecker-meta", data, whole).outcome
    assert 0 < len(again.asked) < len(whole.asked)


def test_a_judge_that_cannot_answer_is_refused_before_the_first_question(tmp_path):
    judge = Answers({IsRefusal: lambda q: True})
    with pytest.raises(JudgeError, match="CheckClaims, ExtractClaims"):
        run_experiment("ragchecker-meta", _pairs(tmp_path), judge)
    assert judge.asked == []


def test_command_prints_the_figures_and_json(data):
    folder = str(data("ragchecker/human_labeled_data.json").parent.parent)
    given = ["experiment", "ragchecker-meta", "--judge", "none", "--data", folder, "--resamples", "100"]
    shown = CliRunner().invoke(main, given)
    assert shown.exit_code == 0, shown.output
    for pair in (*FIGURES.values(), *HUMAN.values()):
        for figure in pair:
            assert f"{figure:.2f}" in shown.output
    told = CliRunner().invoke(main, [*given, "--json"])
    outcome = json.loads(told.output)
    assert outcome["experiment"] == "ragchecker-meta"
    assert outcome["tables"][0]["rows"][0]["figures"]["Pearson"]["n"] == 560


def test_limit_takes_so_many_pairs(data):
    folder = data("ragchecker/human_labeled_data.json").parent.parent
    assert run_experiment("ragchecker-meta", folder, limit=30).outcome.samples == 30
