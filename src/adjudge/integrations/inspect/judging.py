"""Who judges, and the judge kept open while any sample needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import lru_cache

from inspect_ai.model import Model, model_roles

from adjudge.chat.shared import Shared
from adjudge.errors import JudgeError
from adjudge.integrations.inspect.grader import grader_judge
from adjudge.judges.base import Judge, opened
from adjudge.judges.registry import make_judge
from adjudge.judges.routed import REST, ROLES, RoutedJudge
from adjudge.protocols.base import Protocol
from adjudge.run.engine import Plan
from adjudge.types import Record

GRADER = "grader"


@lru_cache(maxsize=1)
def _local() -> Judge:
    """Loading its models takes long, and what it keeps of one question changes no answer to the next."""
    return make_judge("local")


def named_judge(name: str | None, roles: dict[str, str | None]) -> Judge | None:
    """The judge of the scorer's arguments, or None where they leave the choice open."""
    given = {role: judge for role, judge in roles.items() if judge is not None}
    if name is not None:
        given[REST] = name
    # Each once, so that one model behind two roles has one set of limits.
    made = {judge: _local() if judge == "local" else make_judge(judge) for judge in set(given.values())}
    if given.keys() <= {REST}:
        return None if name is None else made[name]
    return RoutedJudge({role: made[judge] for role, judge in given.items()})


class Judging:
    """A protocol and who labels for it: as named, else the model of the role `grader`, else `local`."""

    def __init__(self, protocol: Protocol, named: Judge | None) -> None:
        self.protocol = protocol
        self._named = named
        self._plans: dict[int, tuple[Model | None, Plan, Shared]] = {}
        if named is not None and not isinstance(named, RoutedJudge):
            _check(protocol, named)

    @asynccontextmanager
    async def plan(self) -> AsyncIterator[Plan]:
        """The plan to score with, its judge open."""
        plan, judge = self._plan()
        if not isinstance(plan.judge, AbstractAsyncContextManager):
            yield plan
            return
        # Inspect tells no scorer that an eval ends, so the last sample that waits closes the judge.
        await judge.enter()
        try:
            yield plan
        finally:
            await judge.leave()

    def _plan(self) -> tuple[Plan, Shared]:
        """One plan and its judge for each grader; roles are known only while an eval runs."""
        grader = model_roles().get(GRADER)
        model = grader[0] if isinstance(grader, list) else grader
        known = self._plans.get(id(model))
        if known is None:
            judge = self._completed(model)
            _check(self.protocol, judge)
            plan = Plan(protocols=(self.protocol,), judge=judge)
            known = self._plans[id(model)] = (model, plan, Shared(judge.name, lambda: opened(judge)))
        return known[1:]

    def _completed(self, model: Model | None) -> Judge:
        """The named judge; what it leaves open goes to the grader, and what that cannot answer to `local`."""
        named = self._named
        if named is not None and not isinstance(named, RoutedJudge):
            return named
        if named is not None and self.protocol.questions <= named.answers:
            return named
        parts = dict(named.roles) if named is not None else {}
        if model is None:
            return RoutedJudge({REST: _local(), **parts}) if parts else _local()
        judge = grader_judge(model)
        missing = self.protocol.questions - judge.answers
        fill = {role: _local() for role, kinds in ROLES.items() if kinds & missing}
        return RoutedJudge({REST: judge, **fill, **parts}) if fill or parts else judge


def _check(protocol: Protocol, judge: Judge) -> None:
    lacking = sorted(kind.__name__ for kind in protocol.questions - judge.answers)
    if lacking:
        raise JudgeError(
            f"judge '{judge.name}' cannot label for protocol '{protocol.name}' (it does not answer"
            f" {', '.join(lacking)}); name another, or give a model the role '{GRADER}'"
        )


def failed_by_judge(record: Record) -> bool:
    """Whether a label lacks a value because the judge gave none."""
    return any(label.value is None and label.reason for label in record.labels) or any(
        grid.reason for grid in record.grids
    )
