"""SAFE's metrics from labelled facts, for one or several K."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import JudgeError, UsageError
from adjudge.judges.rules import RulesJudge
from adjudge.metrics.f_at_k import f1_at_k
from adjudge.metrics.ratios import evaluate
from adjudge.protocols import make_protocol
from adjudge.protocols.safe import Safe, fact_units
from adjudge.types import Label, Labelled, Sample, Score, Unit

HUMAN = "human:test"


def rating(fact: str, kind: str) -> list[Label]:
    """Labels of one fact: supported, not supported, contradicted, irrelevant, or given up (`-`)."""
    if kind == "i":
        return [Label("relevant", fact, False, None, HUMAN)]
    relevant = Label("relevant", fact, True, None, HUMAN)
    verdict = {"s": "entailed", "n": "neutral", "c": "contradicted", "-": None}[kind]
    reason = "no answer" if verdict is None else None
    return [relevant, Label("check", fact, verdict, None, HUMAN, None, reason)]


def labelled(*sentences: str, same: bool = False) -> Labelled:
    """One character a fact; `same` gives all facts of a sentence the same words."""
    units = fact_units(
        (f"Sentence {i}.", [f"{i}" if same else f"fact {i} {n}" for n in range(len(kinds))])
        for i, kinds in enumerate(sentences)
    )
    facts = [unit.id for unit in units if unit.kind == "fact"]
    labels = [Label("facts", "response", len(facts), None, HUMAN)]
    for fact, kind in zip(facts, "".join(sentences), strict=True):
        labels += rating(fact, kind)
    return Labelled("r1", "r1", {}, tuple(units), tuple(labels))


def scores(given: Labelled, **parameters: Any) -> dict[str, Score]:
    return {score.metric.removeprefix("safe."): score for score in Safe(**parameters).score(given)}


def test_units_are_named_by_sentence_and_place() -> None:
    units = fact_units([("One.", ["a", "b"]), ("Two.", []), ("Three.", ["c"]), ("One.", ["d"])])
    assert [unit.id for unit in units] == [
        "resp:a",
        "fact:a.1",
        "fact:a.2",
        "fact:a.3",
        "resp:b",
        "resp:c",
        "fact:c.1",
    ]
    assert units[3].text == "d"
    assert all(unit.digest for unit in units)
    assert fact_units((str(k), ["f"]) for k in range(27))[-1].id == "fact:aa.1"


def test_counts_and_ratios() -> None:
    got = scores(labelled("ssn", "ci-", "s"), k=4)
    assert {name: score.value for name, score in got.items()} == {
        "precision": 3 / 5,
        "recall@4": 3 / 4,
        "f1@4": f1_at_k(3, 2, 4),
        "f1_distinct@4": f1_at_k(3, 2, 4),
        "supported": 3,
        "not_supported": 2,
        "irrelevant": 1,
        "claims": 7,
    }
    assert got["supported"].counts[0].units == ("fact:a.1", "fact:a.2", "fact:c.1")
    assert got["f1@4"].state == "defined"
    assert got["f1@4"].reason == "1 of 7 facts have no verdict and count as claims only"
    assert [(c.name, c.n, c.constant) for c in got["f1@4"].counts][-1] == ("K", 4, True)


@given(st.text("sncic-", max_size=30), st.integers(1, 40))
def test_f1_is_that_of_the_counts(kinds: str, k: int) -> None:
    given = labelled(kinds)
    got = scores(given, k=k)
    supported, not_supported = kinds.count("s"), kinds.count("n") + kinds.count("c")
    assert [got[name].value for name in ("supported", "not_supported", "irrelevant", "claims")] == [
        supported,
        not_supported,
        kinds.count("i"),
        len(kinds),
    ]
    if kinds and set(kinds) == {"-"}:
        assert got[f"f1@{k}"].state == "unscored"
        return
    assert got[f"f1@{k}"].value == f1_at_k(supported, not_supported, k)
    formulas = {spec.name: spec.formula for spec in Safe(k=k).all_specs()}
    for score in Safe(k=k).score(given):
        if score.state == "defined":
            assert score.value == evaluate(formulas[score.metric], {c.name: c.n for c in score.counts})


def test_several_k_at_once() -> None:
    got = scores(labelled("ss"), k="2, 1,2")
    assert [name for name in got if name.startswith("f1@")] == ["f1@2", "f1@1"]
    assert got["recall@1"].value == got["recall@2"].value == 1.0


@pytest.mark.parametrize(
    ("k", "expected"),
    [(64, (64,)), ("64", (64,)), ("64,178", (64, 178)), ([64, 178], (64, 178)), (None, (100,))],
)
def test_k_as_it_comes_from_python_a_file_or_the_command_line(k: Any, expected: tuple[int, ...]) -> None:
    protocol = make_protocol("safe", {} if k is None else {"k": k})
    assert protocol == Safe(k=expected)
    assert protocol.signature("x").split("|")[2] == f"k:{','.join(map(str, expected))}"
    assert msgspec.structs.replace(protocol, metrics=("safe.precision",)).signature(
        "x"
    ) == protocol.signature("x")


@pytest.mark.parametrize("k", [0, -1, "0", "", "ten", "1.5", [], [5, 0]])
def test_impossible_k(k: Any) -> None:
    with pytest.raises(UsageError, match="positive whole numbers"):
        make_protocol("safe", {"k": k})


def test_empty_cases() -> None:
    nothing = scores(labelled())
    assert {(s.value, s.state) for n, s in nothing.items() if "@" in n or n == "precision"} == {
        (0.0, "by_convention")
    }
    assert nothing["f1@100"].reason == "no facts in the response"
    assert nothing["claims"].value == 0
    off_topic = scores(labelled("ii"))
    assert (off_topic["f1@100"].value, off_topic["f1@100"].reason) == (
        0.0,
        "no relevant facts in the response",
    )
    wrong = scores(labelled("nn"))
    assert (wrong["precision"].value, wrong["precision"].state) == (0.0, "defined")
    assert (wrong["f1@100"].value, wrong["f1@100"].state) == (0.0, "by_convention")
    assert wrong["f1@100"].reason == "no supported facts"


def test_never_split_and_never_rated_are_not_0() -> None:
    never = scores(Labelled("r", "r", {}, (), ()))
    assert {(s.value, s.reason) for s in never.values()} == {(None, "the response was not split into facts")}
    failed = Label("facts", "response", None, None, HUMAN, None, "the model gave no answer")
    told = scores(Labelled("r", "r", {}, (), (failed,)))
    assert told["claims"].reason == "the response was not split into facts: the model gave no answer"
    given_up = scores(labelled("--"))
    assert (given_up["f1@100"].value, given_up["f1@100"].reason) == (
        None,
        "none of the 2 facts has a verdict: no answer",
    )
    assert given_up["claims"].value == 2


def test_relevance_that_nobody_asked_for_is_assumed() -> None:
    labels = (Label("check", "fact:a.1", "entailed"), Label("check", "fact:a.2", "neutral"))
    got = scores(Labelled("r", "r", {}, (Unit("fact:a.1", "x"), Unit("fact:a.2", "y")), labels))
    assert got["precision"].value == 0.5
    assert scores(Labelled("r", "r", {}, (), labels))["precision"].value == 0.5


def test_a_verdict_nobody_knows_is_none() -> None:
    labels = (Label("check", "fact:a.1", "entailed"), Label("check", "fact:a.2", "perhaps"))
    got = scores(Labelled("r", "r", {}, (), labels))
    assert (got["precision"].value, got["claims"].value, got["not_supported"].value) == (1.0, 2, 0)


def test_repeated_facts_count_once_in_the_distinct_metric() -> None:
    got = scores(labelled("sss", "n", same=True), k=2)
    assert got["f1@2"].value == f1_at_k(3, 1, 2)
    assert got["f1_distinct@2"].value == f1_at_k(1, 1, 2)
    assert got["f1_distinct@2"].counts[0].units == ("fact:a.1",)
    by_label = labelled("ss", "n")
    again = Label("duplicate_of", "fact:a.2", True, "fact:a.1", HUMAN)
    not_again = Label("duplicate_of", "fact:b.1", False, "fact:a.1", HUMAN)
    with_labels = msgspec.structs.replace(by_label, labels=(*by_label.labels, again, not_again))
    assert scores(with_labels, k=2)["f1_distinct@2"].value == f1_at_k(1, 1, 2)
    assert scores(with_labels, k=2)["f1@2"].value == f1_at_k(2, 1, 2)


def test_facts_are_the_same_by_their_self_contained_words() -> None:
    given = labelled("sss", same=True)
    said = ("Ida Moe was born in 1950.", "Ola Moe was born in 1950.", "Ida Moe was born in 1950.")
    own = [Label("self_contained", f"fact:a.{n}", text, None, HUMAN) for n, text in enumerate(said, 1)]
    got = scores(msgspec.structs.replace(given, labels=(*given.labels, *own)), k=3)
    assert got["f1_distinct@3"].counts[0].units == ("fact:a.1", "fact:a.2")


def test_order_of_units_and_labels_does_not_matter() -> None:
    # the same words twice, once supported and once not: the earlier fact counts
    units = [*labelled("snsn", "ns", same=True).units]
    labels = [*labelled("snsn", "ns", same=True).labels]
    expected = None
    for seed in range(8):
        random.Random(seed).shuffle(units)
        random.Random(seed).shuffle(labels)
        got = scores(Labelled("r", "r", {}, tuple(units), tuple(labels)), k=3)
        summary = [(n, s.value, [sorted(c.units) for c in s.counts]) for n, s in got.items()]
        expected = expected or summary
        assert summary == expected
    assert got["f1_distinct@3"].value == f1_at_k(1, 1, 3)


def test_directions_scales_and_folds() -> None:
    specs = {spec.name: spec for spec in Safe(k=(64, 178)).all_specs()}
    assert {n for n, s in specs.items() if not s.higher_is_better} == {
        "safe.not_supported",
        "safe.irrelevant",
    }
    assert {n for n, s in specs.items() if s.scale == "count"} == {
        n for n, s in specs.items() if "counts" in s.groups
    }
    assert all(spec.folds == ("macro",) for name, spec in specs.items() if "@" in name)
    assert "micro" in specs["safe.precision"].folds
    assert [n for n, s in specs.items() if "f1" in s.groups] == ["safe.f1@64", "safe.f1@178"]


def test_what_it_needs_and_owns() -> None:
    safe = Safe()
    assert safe.missing(Sample(id="1", question="q", response="r", contexts=("c",))) is None
    assert safe.missing(Sample(id="1", question="q", response="r")) == "contexts"
    assert Safe(evidence="web").missing(Sample(id="1", question="q", response="r")) is None
    assert safe.missing(Sample(id="1", question="q")) == "response"
    assert safe.missing(Sample(id="1", response="r")) == "question"
    assert Safe(metrics=("safe.claims",)).missing(Sample(id="1", response="r")) is None
    assert safe.owns(Label("check", "fact:a.1", "neutral"))
    assert not safe.owns(Label("check", "claim:response:1", "neutral"))
    assert not safe.owns(Label("relevant", "ctx:0a", True))
    with pytest.raises(JudgeError, match="--judge"):
        asyncio.run(safe.label(Sample(id="1", question="q", response="r"), RulesJudge()))
    assert not safe.asks <= RulesJudge.answers


def test_gaps() -> None:
    found = Safe().gaps(labelled("sn", "i-"))
    assert list(found.values()) == [("fact:a.2",), ("fact:b.1",), (), ("fact:b.2",), ()]
    assert Safe().gaps(Labelled("r", "r", {}, (), ())) == {}
