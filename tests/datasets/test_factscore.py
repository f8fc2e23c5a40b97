"""FActScore's human ratings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.datasets.factscore import READER, SOURCE
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.protocols.safe import Safe
from adjudge.types import Sample


def fact(text: str, label: str) -> dict[str, str]:
    return {"text": text, "label": label}


def line(**more: Any) -> dict[str, Any]:
    sentences = [
        {"text": "Ann bakes.", "is-relevant": True, "human-atomic-facts": [fact("Ann bakes.", "S")]},
        {"text": "Nice.", "is-relevant": False, "human-atomic-facts": None},
        {
            "text": "She is 40 and sings.",
            "is-relevant": True,
            "human-atomic-facts": [fact("Ann is 40.", "NS"), fact("Ann sings.", "IR")],
        },
        {"text": "Ann bakes.", "is-relevant": True, "human-atomic-facts": [fact("She bakes.", "S")]},
    ]
    return {
        "input": "Question: Who is Ann?",
        "output": "Ann bakes. Nice. She is 40 and sings. Ann bakes.",
        "topic": "Ann",
        "cat": ["rare", "Europe"],
        "annotations": sentences,
        **more,
    }


def read(path: Path) -> list[Sample]:
    source = Source(path)
    assert READER.detect(source)
    samples = []
    for row in READER.rows(source):
        assert isinstance(row, Row)
        samples += READER.convert(row)
    return samples


def one(folder: Path, **more: Any) -> Sample:
    path = folder / "f.jsonl"
    path.write_text(json.dumps(line(**more)) + "\n", "utf-8")
    (sample,) = read(path)
    return sample


def test_ratings_become_labels_and_equal_sentences_are_one(tmp_path: Path) -> None:
    sample = one(tmp_path)
    assert (sample.id, sample.item, sample.question) == ("Ann", "Ann", "Question: Who is Ann?")
    assert sample.attributes == {"topic": "Ann", "rarity": "rare", "region": "Europe"}
    assert [(unit.id, unit.text) for unit in sample.units] == [
        ("resp:a", "Ann bakes."),
        ("fact:a.1", "Ann bakes."),
        ("fact:a.2", "She bakes."),
        ("resp:b", "Nice."),
        ("resp:c", "She is 40 and sings."),
        ("fact:c.1", "Ann is 40."),
        ("fact:c.2", "Ann sings."),
    ]
    ratings = {(label.unit, label.name): label.value for label in sample.labels}
    assert ratings == {
        ("response", "facts"): 4,
        ("fact:a.1", "relevant"): True,
        ("fact:a.1", "check"): "entailed",
        ("fact:a.2", "relevant"): True,
        ("fact:a.2", "check"): "entailed",
        ("fact:c.1", "relevant"): True,
        ("fact:c.1", "check"): "neutral",
        ("fact:c.2", "relevant"): False,
    }
    assert Safe().sources(sample) == (SOURCE,)


def test_an_abstention_is_a_sample_without_labels(tmp_path: Path) -> None:
    sample = one(tmp_path, annotations=None)
    assert sample.attributes["abstained"] is True
    assert (sample.units, sample.labels) == ((), ())
    unrated = one(tmp_path, annotations=[{"text": "No.", "human-atomic-facts": None}])
    assert unrated.labels == ()
    assert "abstained" not in unrated.attributes


@pytest.mark.parametrize(
    ("annotations", "field"),
    [
        ("none", "annotations"),
        ([5], "annotations.0"),
        ([{"text": "S.", "human-atomic-facts": [fact("F.", "MAYBE")]}], "annotations.0.human-atomic-facts.0"),
        ([{"text": "S.", "human-atomic-facts": [{"label": "S"}]}], "annotations.0.human-atomic-facts.0"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, annotations: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        one(tmp_path, annotations=annotations)
    assert (caught.value.sample, caught.value.field, caught.value.line) == ("Ann", field, 1)


def test_other_files_are_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps({"input": "q", "output": "r", "topic": "t"}), "utf-8")
    assert not READER.detect(Source(path))


@pytest.mark.parametrize("name", ["ChatGPT", "InstructGPT", "PerplexityAI"])
def test_numbers_of_the_public_files(
    name: str, data: Callable[[str], Path], shared_golden: Callable[[str], Any]
) -> None:
    expected = shared_golden("factscore_stats.json")[name]
    samples = read(data(f"factscore/{name}.jsonl"))
    assert len(samples) == len({sample.id for sample in samples}) == expected["lines"]
    assert sum(sample.attributes.get("abstained") is True for sample in samples) == expected["no_annotations"]
    kept = [sample for sample in samples if sample.labels]
    assert len(kept) == expected["kept_prompts"]
    totals: Counter[str] = Counter()
    sizes = []
    for sample in kept:
        scores = {s.metric: s.value or 0 for s in Safe().score(Safe().given(sample, SOURCE))}
        sizes.append(scores["safe.claims"])
        for label, metric in (("S", "supported"), ("NS", "not_supported"), ("IR", "irrelevant")):
            totals[label] += int(scores[f"safe.{metric}"])
    assert totals == expected["labels"]
    assert (sum(sizes), min(sizes), max(sizes)) == (
        expected["facts"],
        expected["facts_min"],
        expected["facts_max"],
    )


PUBLISHED = {
    "ChatGPT": (0.415, 0.303, 0.192),
    "InstructGPT": (0.256, 0.183, 0.113),
    "PerplexityAI": (0.586, 0.434, 0.279),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_mean_f1_of_the_human_ratings(name: str, data: Callable[[str], Path]) -> None:
    safe = Safe(k=(64, 100, 178))
    kept = [sample for sample in read(data(f"factscore/{name}.jsonl")) if sample.labels]
    sums: Counter[str] = Counter()
    for sample in kept:
        for score in safe.score(safe.given(sample, SOURCE)):
            sums[score.metric] += score.value or 0
    means = tuple(round(sums[f"safe.f1@{k}"] / len(kept), 3) for k in (64, 100, 178))
    assert means == PUBLISHED[name]
