"""Questions of several samples put to a judge in one batch: a model reads many pairs faster than few."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adjudge.judges.base import Judge, Question, Reply, describe

Asked = tuple[Sequence[Question], asyncio.Future[list[Reply]]]


class GatheringJudge:
    """Waits until all samples at work have asked, then asks the judge behind it once.

    Nobody is counted: a turn of the loop in which no question came means that all are waiting.
    """

    immediate = False

    def __init__(self, inner: Judge) -> None:
        self._inner = inner
        self._asked: list[Asked] = []
        self._asking: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def answers(self) -> frozenset[type[Question]]:
        return self._inner.answers

    def describe(self) -> str:
        return describe(self._inner)

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        asked: Asked = questions, asyncio.get_running_loop().create_future()
        self._asked.append(asked)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await asked[1]

    async def _ask_all(self) -> None:
        seen = 0
        while seen < len(self._asked):
            seen = len(self._asked)
            await asyncio.sleep(0)
        together, self._asked, self._asking = self._asked, [], None
        try:
            replies = iter(await self._inner.ask([one for questions, _ in together for one in questions]))
        except Exception:
            # One at a time, so that whoever asked what cannot be answered is told, and nobody else.
            for asked in together:
                await self._ask_one(asked)
            return
        for questions, told in together:
            own = [next(replies) for _ in questions]
            if not told.done():
                told.set_result(own)

    async def _ask_one(self, asked: Asked) -> None:
        questions, told = asked
        try:
            replies = await self._inner.ask(questions)
        except Exception as error:
            if not told.done():
                told.set_exception(error)
        else:
            if not told.done():
                told.set_result(replies)
