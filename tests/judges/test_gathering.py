"""Questions of samples at work reach the judge in one batch, and each sample gets its own replies."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from adjudge.errors import JudgeError
from adjudge.judges.base import IsRefusal, Judge, PointsOutError, Question, Reply, describe, gathered
from adjudge.judges.gathering import GatheringJudge
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.routed import RoutedJudge
from adjudge.judges.rules import RulesJudge


class Echo:
    """Tells back what it was asked; cannot stand the word `stop`."""

    name = "echo"
    immediate = True
    answers: frozenset[type[Question]] = frozenset({PointsOutError})

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def describe(self) -> str:
        return "echo@1"

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        texts = [question.response for question in questions if isinstance(question, PointsOutError)]
        if "stop" in texts:
            raise JudgeError("cannot go on")
        self.batches.append(texts)
        return [Reply(text.upper()) for text in texts]


async def told(judge: Judge, *texts: str) -> list[str]:
    return [reply.value for reply in await judge.ask([PointsOutError(text) for text in texts])]


async def all_told(judge: Judge, *askers: Sequence[str]) -> list[list[str] | BaseException]:
    tasks = [asyncio.create_task(told(judge, *texts)) for texts in askers]
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_all_that_wait_are_asked_for_in_one_batch() -> None:
    inner = Echo()
    found = asyncio.run(all_told(GatheringJudge(inner), ["a", "b"], [], ["c"], ["a"]))
    assert found == [["A", "B"], [], ["C"], ["A"]]
    assert inner.batches == [["a", "b", "c", "a"]]


def test_those_who_ask_again_or_start_tasks_of_their_own_stay_together() -> None:
    inner = Echo()
    judge = GatheringJudge(inner)

    async def sample(name: str) -> list[list[str]]:
        first = await told(judge, name)
        return [first, *await asyncio.gather(told(judge, name + "x"), told(judge, name + "y"))]

    async def both() -> list[list[list[str]]]:
        return await asyncio.gather(sample("a"), sample("b"))

    assert asyncio.run(both()) == [[["A"], ["AX"], ["AY"]], [["B"], ["BX"], ["BY"]]]
    assert inner.batches == [["a", "b"], ["ax", "ay", "bx", "by"]]


def test_an_error_is_told_to_whom_it_concerns() -> None:
    fine, failed, also_fine = asyncio.run(all_told(GatheringJudge(Echo()), ["a"], ["stop"], ["b"]))
    assert (fine, also_fine) == (["A"], ["B"])
    assert isinstance(failed, JudgeError)


def test_one_that_is_cancelled_keeps_nobody_waiting() -> None:
    judge = GatheringJudge(Echo())

    async def run() -> list[str]:
        gone, stays = asyncio.create_task(told(judge, "a")), asyncio.create_task(told(judge, "b"))
        await asyncio.sleep(0)
        gone.cancel()
        return await stays

    assert asyncio.run(asyncio.wait_for(run(), 5)) == ["B"]


def test_it_is_named_as_the_judge_behind_it() -> None:
    inner = Echo()
    judge: Judge = GatheringJudge(inner)
    assert (judge.name, judge.answers, describe(judge)) == ("echo", inner.answers, "echo@1")


def test_only_what_a_model_reads_is_gathered() -> None:
    local, words = LocalJudge(), LocalJudge(verifier="features")
    assert gathered(local)
    assert IsRefusal not in gathered(local)
    assert not gathered(words)
    assert not gathered(RulesJudge())
    assert gathered(RoutedJudge({"check": local, "*": words})) < gathered(local)


def test_a_judge_that_waits_gathers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalJudge, "immediate", False)
    assert not gathered(LocalJudge())
