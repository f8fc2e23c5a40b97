"""Claims against evidence: any judge, with or without probabilities, next to plain overlap of words."""

from __future__ import annotations

import gzip
import json

import pytest
from sklearn import metrics as sk

from adjudge.errors import InputError, JudgeError, UsageError
from adjudge.judges.base import CheckClaims, IsRefusal, Reply
from experiment_helpers import Answers, row_of, run_experiment, value_of

OVERLAP = {
    "attributionbench_dev": 0.709,
    "factcheck_gpt_stance": 0.672,
    "faithbench": 0.595,
    "wice_claim_dev": 0.733,
    "true_summeval": 0.669,
}
"""AUROC of another word-overlap scorer on the same sets; words are cut otherwise, so only nearly the same."""
CLAIMS = [
    ("1", "Cats purr.", "Cats purr. Dogs bark.", "supported"),
    ("2", "Dogs fly.", "Cats purr. Dogs bark.", "not_supported"),
    ("3", "Rain falls.", "Rain falls. It comes from clouds.", "supported"),
    ("4", "Clouds sing.", "Rain falls. It comes from clouds.", "not_supported"),
    ("5", "Ice melts.", "Ice melts when warm.", "supported"),
]


def _folder(tmp_path):
    folder = tmp_path / "support"
    folder.mkdir()
    lines = [dict(zip(("id", "claim", "evidence", "label"), row, strict=True)) for row in CLAIMS]
    with gzip.open(folder / "tiny.jsonl.gz", "wt") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)
    (folder / "other.jsonl").write_text('{"summary": "of another form"}\n')
    return tmp_path


def _verdict(question):
    return ("e" if question.claims[0] in question.evidence[0] else "n",)


def test_overlap_on_the_public_sets_is_near_that_of_another_scorer(data):
    outcome = run_experiment("support", data("support"), resamples=10).outcome
    for name, expected in OVERLAP.items():
        found = value_of(outcome, f"{name}:", "words found in the evidence", "AUROC")
        assert found == pytest.approx(expected, abs=0.03), name
    assert [note for note in outcome.notes if "faithbench_spans" in note]
    assert outcome.samples == 8464


def test_verdicts_alone(tmp_path):
    def partly(question):
        return Reply(None, reason="no idea") if question.claims[0] == "Ice melts." else _verdict(question)

    outcome = run_experiment("support", _folder(tmp_path), Answers({CheckClaims: partly})).outcome
    figures = row_of(outcome, "tiny", "judge").figures
    assert (figures["AUROC"].value, figures["AUROC"].n) == (1.0, 4)
    assert figures["balanced accuracy"].value == 1.0
    assert outcome.tables[0].notes == ("the judge gave no verdict on 1 of 5 claims; they are left out",)
    assert outcome.tables[0].title == "tiny: 5 claims, 3 supported, 3 different evidences"


def test_probabilities_rank_where_the_judge_gives_them(tmp_path):
    sure = {"Cats purr.": 0.4, "Dogs fly.": 0.3, "Rain falls.": 0.2, "Clouds sing.": 0.6, "Ice melts.": 0.9}

    def told(question):
        p = sure[question.claims[0]]
        return Reply(("e" if p > 0.5 else "n",), probabilities=[[(p, 1 - p, 0.0)]])

    out = tmp_path / "out"
    outcome = run_experiment("support", _folder(tmp_path), Answers({CheckClaims: told}), out=out).outcome
    figures = row_of(outcome, "tiny", "judge").figures
    labels, scores = [label == "supported" for *_, label in CLAIMS], list(sure.values())
    assert figures["AUROC"].value == pytest.approx(sk.roc_auc_score(labels, scores))
    assert figures["balanced accuracy"].value == pytest.approx(
        sk.balanced_accuracy_score(labels, [score > 0.5 for score in scores])
    )
    kept = [json.loads(line) for line in (out / "support-tiny.jsonl").read_text().splitlines()]
    assert kept[3] == {"id": "4", "label": False, "score": 0.6, "supported": True}


def test_local_judge_gives_probabilities(tmp_path):
    from adjudge.judges.local.judge import LocalJudge

    outcome = run_experiment("support", _folder(tmp_path), LocalJudge()).outcome
    assert row_of(outcome, "tiny", "judge").figures["AUROC"].n == 5
    assert outcome.signatures["support"].startswith("support|CheckClaims|judge:local@")


def test_errors(tmp_path):
    folder = _folder(tmp_path)
    with pytest.raises(JudgeError, match="CheckClaims"):
        run_experiment("support", folder, Answers({IsRefusal: lambda q: True}))
    with pytest.raises(UsageError, match="there are tiny"):
        run_experiment("support", folder, only=("huge",))
    with (folder / "support" / "bad.jsonl").open("w") as stream:
        stream.write('{"id": "x", "claim": "a", "evidence": "b", "label": "maybe"}\n')
    with pytest.raises(InputError, match="found 'maybe'"):
        run_experiment("support", folder)
