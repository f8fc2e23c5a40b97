"""Different questions to different judges: `claims=openai/a,check=openai/b`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Self

from adjudge.errors import JudgeError, UsageError
from adjudge.judges import base
from adjudge.judges.base import Judge, Question, Reply, describe, gathered

ROLES: dict[str, frozenset[type[Question]]] = {
    "claims": frozenset({base.ExtractClaims, base.ExtractFacts, base.SplitSentence, base.MakeSelfContained}),
    "check": frozenset({base.CheckClaims, base.RateFact}),
    "sentences": frozenset({base.LabelSentences, base.RelevantSentences, base.SupportSentence}),
    "relevance": frozenset({base.IsRelevant}),
    "search": frozenset({base.NextQuery}),
    "similarity": frozenset({base.Similarity}),
    "refusal": frozenset({base.IsRefusal, base.PointsOutError}),
}
REST = "*"


class RoutedJudge:
    """Hands each question to the judge of its role, all judges at the same time."""

    def __init__(self, parts: Mapping[str, Judge]) -> None:
        unknown = sorted(set(parts) - set(ROLES) - {REST})
        if unknown:
            raise UsageError(f"--judge: there is no role {unknown[0]!r}; there are {', '.join(ROLES)} and *")
        self._parts = dict(parts)
        self._of: dict[type[Question], Judge] = {}
        for role, kinds in ROLES.items():
            judge = parts.get(role, parts.get(REST))
            if judge is None:
                continue
            missing = sorted(kind.__name__ for kind in kinds if kind not in judge.answers)
            if role in parts and len(missing) == len(kinds):
                raise JudgeError(f"judge '{judge.name}' cannot be asked for {role} ({', '.join(missing)})")
            self._of.update({kind: judge for kind in kinds if kind in judge.answers})

    @property
    def name(self) -> str:
        return ",".join(f"{role}={judge.name}" for role, judge in sorted(self._parts.items()))

    @property
    def answers(self) -> frozenset[type[Question]]:
        return frozenset(self._of)

    @property
    def immediate(self) -> bool:
        return all(judge.immediate for judge in self._parts.values())

    @property
    def gathers(self) -> frozenset[type[Question]]:
        return frozenset(kind for kind, judge in self._of.items() if kind in gathered(judge))

    @property
    def roles(self) -> dict[str, Judge]:
        """Which judge was named for which role."""
        return dict(self._parts)

    @property
    def parts(self) -> list[Judge]:
        """The judges behind it, each once."""
        return list({id(judge): judge for judge in self._parts.values()}.values())

    def describe(self) -> str:
        return ",".join(f"{role}={describe(judge)}" for role, judge in sorted(self._parts.items()))

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opening:
            for judge in self._held():
                await opening.enter_async_context(judge)
            opening.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async with AsyncExitStack() as closing:
            for judge in self._held():
                closing.push_async_exit(judge)

    def _held(self) -> list[AbstractAsyncContextManager[object]]:
        """The judges that hold something; each of them knows how many runs it is open for."""
        return [judge for judge in self.parts if isinstance(judge, AbstractAsyncContextManager)]

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        groups: dict[int, tuple[Judge, list[int]]] = {}
        for index, question in enumerate(questions):
            judge = self._of.get(type(question))
            if judge is None:
                raise JudgeError(f"no judge was named for {type(question).__name__}; add '*=NAME' to --judge")
            groups.setdefault(id(judge), (judge, []))[1].append(index)
        if len(groups) == 1:
            ((judge, _),) = groups.values()
            return await judge.ask(questions)
        found = await asyncio.gather(
            *(judge.ask([questions[index] for index in places]) for judge, places in groups.values())
        )
        replies: list[Reply] = [Reply()] * len(questions)
        for (_, places), part in zip(groups.values(), found, strict=True):
            for index, reply in zip(places, part, strict=True):
                replies[index] = reply
        return replies
