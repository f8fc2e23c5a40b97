"""Who judges inside Inspect, and for how long it is held open."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from adjudge.integrations.inspect import judging as module
from adjudge.integrations.inspect.judging import Judging
from adjudge.judges.rules import RulesJudge
from adjudge.protocols import make_protocol

GRADER: ContextVar[object] = ContextVar("grader")


class Held(RulesJudge):
    """The rules behind a door that does not count."""

    def __init__(self) -> None:
        self.open = False
        self.opened = 0

    async def __aenter__(self) -> Held:
        assert not self.open
        self.open = True
        self.opened += 1
        return self

    async def __aexit__(self, *error: object) -> None:
        self.open = False


def test_the_samples_of_one_grader_do_not_close_the_judge_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graders = {"first": Held(), "second": Held()}
    monkeypatch.setattr(module, "model_roles", lambda: {"grader": GRADER.get()})
    monkeypatch.setattr(module, "grader_judge", graders.__getitem__)
    judging = Judging(make_protocol("rgb"), None)

    async def score(name: str, seconds: float) -> bool:
        GRADER.set(name)
        async with judging.plan() as plan:
            await asyncio.sleep(seconds)
            assert plan.judge is graders[name]
            return graders[name].open

    async def main() -> list[bool]:
        waits = [("first", 0.0), ("second", 0.03), ("first", 0.02), ("second", 0.01)]
        return await asyncio.gather(*(score(*each) for each in waits))

    assert asyncio.run(main()) == [True] * 4
    assert [(judge.open, judge.opened) for judge in graders.values()] == [(False, 1), (False, 1)]
