"""RGB on labels that came with the data, and on real runs: stored verdicts, published totals, hazards."""

from __future__ import annotations

import asyncio
import json

from adjudge.datasets.rgb import read_rgb_items
from adjudge.datasets.rgb_predictions import READER
from adjudge.datasets.source import Source
from adjudge.judges.base import Judge
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.rules import RulesJudge
from adjudge.metrics.answers import match, official, prepare
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols.rgb import Rgb
from adjudge.types import Label, Labelled, Sample

RULES = RulesJudge()
RGB = Rgb()


def label(sample: Sample, judge: Judge = RULES) -> Labelled:
    return asyncio.run(RGB.label(sample, judge))


def test_given_labels_are_scored_by_source_and_gaps_are_unscored() -> None:
    given = (
        Label("match", "answer", True, "truth:0", "human:ann"),
        Label("match", "answer", True, "truth:1", "human:ann"),
        Label("match_strict", "answer", True, "truth:0", "human:ann"),
        Label("match", "gold:0", True, "pred:0", "human:ann"),
    )
    sample = Sample(id="s", response="Elsewhere", reference=("Oslo", "Norway"), labels=given)
    assert RGB.sources(sample) == ("human:ann",)
    labelled = RGB.given(sample, "human:ann")
    assert len(labelled.labels) == 3
    scores = {entry.metric: entry for entry in RGB.score(labelled)}
    assert scores["rgb.accuracy"].value == 1
    assert (
        scores["rgb.accuracy_strict"].reason == "label 'match_strict' is there for 1 of 2 parts of the answer"
    )
    assert scores["rgb.accuracy_official"].reason == "no label 'refusal_official'"


def test_nobody_labelled() -> None:
    bare = Labelled("s", "s", {"ability": "counterfactual"}, (), ())
    assert {entry.state for entry in RGB.score(bare)} == {"unscored", "not_applicable"}


def _files(data):
    return sorted(path for path in data("rgb/runs_en_refine").iterdir() if _holds_rows(path))


def _holds_rows(path) -> bool:
    return path.read_bytes()[:6] == b'{"id":'


def test_official_verdicts_of_real_runs(data) -> None:
    """Every label and factlabel that RGB's scripts stored."""
    rows = 0
    for path in _files(data):
        for row in Source(path).rows():
            (sample,) = READER.convert(row)
            sample = Sample(
                id=sample.id,
                question=sample.question,
                response=sample.response,
                reference=sample.reference,
                counterfactual="-",
                attributes=sample.attributes,
            )
            found: dict[str, list] = {}
            for entry in label(sample).labels:
                found.setdefault(entry.name, []).append(entry.value)
            verdict = (
                [-1] if found["refusal_official"] == [True] else [int(v) for v in found["match_official"]]
            )
            assert verdict == row.data["label"], (path.name, sample.id)
            assert int(found["error_flag_official"][0]) == row.data["factlabel"]
            rows += 1
    assert rows == 500


def test_published_totals_of_real_runs(data) -> None:
    """46, 50, 48, 47 correct of 50 at noise .2 to .8; at 1.0 38 by all_rate: 27 refusals and 11 answers."""
    folder = data("rgb/runs_en_refine")
    for path in _files(data):
        noise_rate = path.name.partition("_noise_")[2][:3]
        stored = json.loads(next(folder.glob(f"noise_scores_*_noise_{noise_rate}_*")).read_text())
        fold = SummaryFold(RGB.specs, {"rgb": [("ability",)]})
        for row in Source(path).rows():
            (sample,) = READER.convert(row)
            labelled = label(sample)
            fold.add("rgb", sample.item, labelled.attributes, RGB.score(labelled))
        found = {row.metric: row for row in fold.rows(intervals=False)}
        all_rate = found["rgb.all_rate_official"]
        if noise_rate == "1.0":
            assert found["rgb.accuracy"].samples == {"not_applicable": 50}
            assert all_rate.counts == {"correct": stored["tt"], "answers": 50}
            assert found["rgb.rejection_official"].counts == {"rejected": 27, "answers": 50}
        else:
            assert found["rgb.accuracy_official"].value == all_rate.value == stored["all_rate"]
            assert all_rate.counts == {"correct": stored["tt"], "answers": stored["total"]}
            # The flexible rule agrees with the official one wherever nobody refuses.
            assert found["rgb.accuracy"].value == stored["accuracy"]


def test_flexible_accuracy_ignores_refusals(data) -> None:
    """At noise 1.0 the document's rule finds 18 answers, RGB's 11: the others stand in refused responses."""
    (path,) = [path for path in _files(data) if path.name.startswith("noise_prediction")]
    found = []
    for row in Source(path).rows():
        (sample,) = READER.convert(row)
        sample = Sample(id=sample.id, response=sample.response, reference=sample.reference, ability="noise")
        scores = {score.metric: score.value for score in RGB.score(label(sample))}
        found.append((scores["rgb.accuracy"], scores["rgb.accuracy_official"], row.data["label"] == [-1]))
    assert sum(flexible or 0 for flexible, _, _ in found) == 18
    assert sum(exact or 0 for _, exact, _ in found) == 11
    assert all(refused for flexible, exact, refused in found if flexible != exact)


def test_planted_answers_that_count_as_true_ones(data) -> None:
    """A known hazard of substrings: in three Chinese questions the false answer holds the true one."""
    found = {}
    for name in ("en_fact", "zh_fact"):
        found[name] = [
            int(item.id)
            for item in read_rgb_items(data(f"rgb/{name}.json"))
            if match(official, prepare(str(item.counterfactual)), item.answer)[0]
        ]
    assert found == {"en_fact": [], "zh_fact": [0, 7, 82]}


def test_refusals_of_a_reasoning_model(data) -> None:
    """The local judge against stored verdicts: the reasoning before an answer is not what is judged."""
    name = "rgb/runs_en_refine/reject_output_deepseek-r1-distill-llama-70b_noise_1.0_passage_5.json"
    agree, judge = 0, LocalJudge()
    for row in Source(data(name)).rows():
        (sample,) = READER.convert(row)
        (entry,) = (found for found in label(sample, judge).labels if found.name == "refusal_judge")
        agree += entry.value is sample.attributes["stored_verdict"]
    assert agree >= 40
