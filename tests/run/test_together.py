"""Samples labelled a few at a time come out as they do one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from adjudge import InputError, JudgeError, Sample
from adjudge.judges.base import CheckClaims, Question, Reply
from adjudge.judges.local.judge import LocalJudge
from adjudge.protocols import make_protocol
from adjudge.run.engine import GATHERED, Plan, score_sample
from adjudge.run.local import score_stream
from adjudge.types import Record, to_json


class Counting(LocalJudge):
    """Words alone, but gathered like a model; keeps what it was asked, and fails on one word."""

    gathers = frozenset({CheckClaims})  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(verifier="features")
        self.batches: list[Sequence[Question]] = []

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        if any("unspeakable" in str(question) for question in questions):
            raise JudgeError("that cannot be judged")
        self.batches.append(questions)
        return await super().ask(questions)


def sample(number: int, **more: object) -> Sample:
    fields: dict[str, object] = {
        "question": "When did the ferry start?",
        "response": f"The ferry {number} started in 19{number:02}. It carries cars.",
        "reference": f"The ferry {number} started in 19{number:02}.",
        "contexts": (f"Ferry {number} began to run in 19{number:02}.", "Goats climb well."),
    }
    return Sample(id=f"s{number}", **(fields | more))  # type: ignore[arg-type]


def plan_of(judge: LocalJudge, *names: str, lean: bool = False) -> Plan:
    protocols = tuple(make_protocol(name) for name in names or ("ragchecker",))
    return Plan(protocols=protocols, judge=judge, lean=lean)


def streamed(samples: Iterator[Sample], plan: Plan) -> tuple[list[list[Record]], list[InputError], str]:
    found: list[list[Record]] = []
    errors: list[InputError] = []

    async def run() -> None:
        async for _, records in score_stream(enumerate(samples), plan, on_error=errors.append):
            found.append(records)

    try:
        asyncio.run(run())
    except Exception as error:
        return found, errors, str(error)
    return found, errors, ""


def test_records_are_the_same_bytes_as_one_by_one() -> None:
    samples = [sample(number) for number in range(2 * GATHERED + 3)]
    names = "trace", "safe", "ragchecker"
    plan = plan_of(LocalJudge(), *names, lean=True)
    together, _, problem = streamed(iter(samples), plan)
    alone = [
        asyncio.run(score_sample(one, plan_of(LocalJudge(), *names, lean=True), f"#{number}"))
        for number, one in enumerate(samples)
    ]
    assert not problem
    assert [to_json(r) for records in together for r in records] == [to_json(r) for rs in alone for r in rs]
    few, _, _ = streamed(iter(samples[:3]), plan_of(LocalJudge()))
    assert few == [asyncio.run(score_sample(one, plan_of(LocalJudge()))) for one in samples[:3]]


def test_the_judge_is_asked_once_for_every_few_samples() -> None:
    judge = Counting()
    streamed((sample(number) for number in range(GATHERED + 1)), plan_of(judge))
    checks = [sum(isinstance(q, CheckClaims) for q in batch) for batch in judge.batches]
    assert [count for count in checks if count] == [2 * GATHERED, 2]


def test_samples_that_ask_nothing_are_scored_as_they_come() -> None:
    judge = Counting()
    plan = plan_of(judge, "rgb")
    assert not plan.gathering()
    assert len(streamed((sample(number) for number in range(3)), plan)[0]) == 3


def test_a_bad_sample_is_told_in_its_place_and_its_neighbours_are_scored() -> None:
    samples = [sample(0), sample(1, response=None), sample(2)]
    found, errors, problem = streamed(iter(samples), plan_of(Counting()))
    assert [records[0].id for records in found] == ["s0", "s2"]
    assert [error.sample for error in errors] == ["s1"]
    assert not problem

    async def unforgiving() -> None:
        async for _ in score_stream(enumerate(samples), plan_of(Counting())):
            pass

    with pytest.raises(InputError, match="response"):
        asyncio.run(unforgiving())


def test_what_came_before_a_failure_is_kept() -> None:
    samples = [sample(0), sample(1), sample(2, response="It is unspeakable."), sample(3)]
    found, _, problem = streamed(iter(samples), plan_of(Counting()))
    assert [records[0].id for records in found] == ["s0", "s1"]
    assert "cannot be judged" in problem


def test_what_came_before_a_broken_file_is_kept() -> None:
    def reading() -> Iterator[Sample]:
        yield from (sample(number) for number in range(GATHERED + 2))
        raise OSError("the disk is gone")

    found, _, problem = streamed(reading(), plan_of(Counting()))
    assert len(found) == GATHERED + 2
    assert problem == "the disk is gone"
