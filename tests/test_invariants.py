"""What must hold for every protocol, on random labelled samples."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.rules import RulesJudge
from adjudge.metrics.fold import SummaryFold
from adjudge.protocols import make_protocol, protocol_names
from adjudge.protocols.base import Protocol
from adjudge.run.engine import Plan, views_of
from adjudge.run.local import score_stream
from adjudge.types import Grid, Label, Record, Sample, Unit, Violation, from_json, to_json

SOURCE = "human:test"
WORDS = ["red", "blue", "green", "not", "unknown", "however", "cannot", "answer", "41", "metres", "in fact"]


def phrase(rng: random.Random, most: int = 6) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(0, most)))


def rgb(rng: random.Random, index: int) -> Sample:
    ability = rng.choice(["noise", "rejection", "integration", "counterfactual"])
    reference = rng.choice([phrase(rng), (phrase(rng), (phrase(rng), "red"))])
    return Sample(
        id=f"s{index}",
        item=f"i{rng.randint(0, 5)}",
        response=phrase(rng, 12),
        reference=reference,
        counterfactual="blue" if ability == "counterfactual" else None,
        ability=ability,
        attributes={"noise": rng.choice([0.0, 0.4, 1.0])},
    )


def trace(rng: random.Random, index: int) -> Sample:
    keys = [f"{d}{letter}" for d in range(rng.randint(0, 3)) for letter in "abc"]
    pool = [*keys, "9z", "general"]
    labels = []
    for name in ("relevant", "used"):
        chosen = rng.choices(pool, k=rng.randint(0, 5))
        if rng.random() < 0.9:
            labels.append(Label(name, "contexts", len(chosen), source=SOURCE))
            labels += [Label(name, f"ctx:{key}", True, source=SOURCE) for key in chosen]
    sentences = "abcd"[: rng.randint(0, 4)]
    labels.append(Label("support", "response", len(sentences), source=SOURCE))
    labels += [
        Label("support", f"resp:{key}", rng.choice(["full", "partial", "none"]), source=SOURCE)
        for key in sentences
    ]
    units = [Unit(f"ctx:{key}", "words") for key in keys] + [
        Unit(f"resp:{key}", "words") for key in sentences
    ]
    return Sample(id=f"s{index}", item=f"i{rng.randint(0, 5)}", units=tuple(units), labels=tuple(labels))


def safe(rng: random.Random, index: int) -> Sample:
    facts = [f"fact:a.{n}" for n in range(1, rng.randint(1, 6))]
    labels = [Label("facts", "response", len(facts), source=SOURCE)]
    for fact in facts:
        labels.append(Label("relevant", fact, rng.random() < 0.8, source=SOURCE))
        if rng.random() < 0.9:
            labels.append(
                Label("check", fact, rng.choice(["entailed", "neutral", "contradicted"]), source=SOURCE)
            )
        if fact != facts[0] and rng.random() < 0.2:
            labels.append(Label("duplicate_of", fact, True, facts[0], SOURCE))
    units = tuple(Unit(fact, "words") for fact in facts)
    return Sample(
        id=f"s{index}", item=f"i{rng.randint(0, 5)}", response="r", units=units, labels=tuple(labels)
    )


def ragchecker(rng: random.Random, index: int) -> Sample:
    passages = rng.choice([None, 0, 1, 3])
    grids = []
    for side, other in (("response", "reference"), ("reference", "response")):
        rows = tuple(f"claim:{side}:{n}" for n in range(rng.randint(0, 4)))
        columns = (other, *(f"ctx:{n}" for n in range(passages or 0)))
        cells = tuple(
            "".join(rng.choices("eecnx-" if rng.random() < 0.2 else "eecn", k=len(columns))) for _ in rows
        )
        likely = tuple(tuple(rng.random() for _ in columns) for _ in rows) if index % 2 else None
        grids.append(Grid("check", rows, columns, cells, SOURCE, None, likely))
    units = tuple(Unit(row, "words") for grid in grids for row in grid.rows)
    return Sample(
        id=f"s{index}",
        item=f"i{rng.randint(0, 5)}",
        response="r",
        reference="r",
        contexts=None if passages is None else ("p",) * passages,
        units=units,
        grids=tuple(grids),
    )


def violations(rng: random.Random, index: int) -> Sample:
    text = "one two three four five six seven eight"

    def some() -> tuple[Violation, ...]:
        found = []
        for _ in range(rng.randint(0, 4)):
            start = rng.randint(0, 30)
            found.append(
                Violation(
                    spans=((start, start + rng.randint(1, 8)),),
                    rule=phrase(rng, 3) or None,
                    category=rng.choice(["a", "b", None]),
                    explanation=rng.choice([None, phrase(rng)]),
                )
            )
        return tuple(found)

    return Sample(id=f"s{index}", item=f"i{rng.randint(0, 5)}", text=text, gold=some(), predicted=some())


MAKERS = {"rgb": rgb, "trace": trace, "safe": safe, "ragchecker": ragchecker, "violations": violations}


def scored(protocol: Protocol, samples: list[Sample]) -> list[Record]:
    plan = Plan(protocols=(protocol,), judge=RulesJudge())

    async def run() -> list[Record]:
        return [record async for _, found in score_stream(enumerate(samples), plan) for record in found]

    return asyncio.run(run())


def folded(protocol: Protocol, records: list[Record]) -> SummaryFold:
    fold = SummaryFold(protocol.all_specs(), {protocol.name: views_of(protocol, ())})
    for record in records:
        fold.add(protocol.name, record.item, record.attributes, record.scores)
    return fold


def test_every_protocol_is_covered():
    assert set(MAKERS) == set(protocol_names())


@pytest.mark.parametrize("name", protocol_names())
@given(seed=st.integers(0, 2**32), size=st.integers(1, 12))
@settings(max_examples=25, deadline=None)
def test_invariants(name, seed, size):
    rng = random.Random(seed)
    protocol = make_protocol(name)
    samples = [MAKERS[name](rng, index) for index in range(size)]
    records = scored(protocol, samples)
    assert len(records) == size

    specs = {spec.name: spec for spec in protocol.all_specs()}
    for record in records:
        assert from_json(to_json(record), Record) == record
        silent = all(grid.entailed is None for grid in record.grids)
        told = [name for name in specs if not (silent and "expected_metrics" in specs[name].groups)]
        assert [score.metric for score in record.scores] == told
        assert tuple(protocol.score(record.labelled())) == record.scores, "rescoring changes nothing"
        for score in record.scores:
            assert (score.value is None) == (score.state in ("unscored", "not_applicable"))
            assert score.state == "defined" or score.reason
            if score.value is not None:
                assert score.value == score.value, "never NaN"
                assert score.value >= 0
                # RAGBench counts a list as it stands, so a key named twice can lift these above 1.
                bounded = score.metric not in ("trace.relevance", "trace.utilization")
                assert specs[score.metric].scale == "count" or not bounded or score.value <= 1
            for count in score.counts:
                if count.constant:
                    assert not count.units
                elif count.amounts is not None:
                    assert len(count.amounts) == len(count.units)
                    assert count.n == pytest.approx(sum(count.amounts))
                else:
                    assert count.n == len(count.units)

    whole = folded(protocol, records).rows()
    shuffled = list(records)
    rng.shuffle(shuffled)
    assert folded(protocol, shuffled).rows() == whole, "order is irrelevant"
    cut = rng.randint(0, size)
    parts = folded(protocol, records[:cut])
    parts.merge(folded(protocol, records[cut:]))
    assert parts.rows() == whole, "merged parts equal the whole"
