"""The local driver: bounded concurrency, flat memory, records in input order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import islice

from adjudge.errors import InputError
from adjudge.run.engine import GATHERED, Plan, score_sample, score_together
from adjudge.types import Record, Sample

WINDOW = 8
"""Samples started ahead of the oldest unfinished one, in multiples of the concurrency."""
BREATH = 256
"""Samples scored without waiting before the loop looks for Ctrl-C."""

OnError = Callable[[InputError], None]


async def score_stream(
    samples: Iterable[tuple[int, Sample]],
    plan: Plan,
    *,
    concurrency: int = 32,
    on_error: OnError | None = None,
) -> AsyncIterator[tuple[Sample, list[Record]]]:
    """Records of each sample, in input order; the next sample is read only when there is room for it."""
    if not plan.judge.immediate:
        scoring = _window(samples, plan, concurrency)
    else:
        scoring = _few_by_few(samples, plan) if plan.gathering() else _one_by_one(samples, plan)
    async for sample, outcome in scoring:
        if isinstance(outcome, InputError):
            if on_error is None:
                raise outcome
            on_error(outcome)
        else:
            yield sample, outcome


async def _one_by_one(
    samples: Iterable[tuple[int, Sample]], plan: Plan
) -> AsyncIterator[tuple[Sample, list[Record] | InputError]]:
    for index, sample in samples:
        yield sample, await _outcome(index, sample, plan)
        if index % BREATH == 0:
            await asyncio.sleep(0)


async def _few_by_few(
    samples: Iterable[tuple[int, Sample]], plan: Plan
) -> AsyncIterator[tuple[Sample, list[Record] | InputError]]:
    source: Iterator[tuple[int, Sample]] = iter(samples)
    broken: Exception | None = None
    while broken is None:
        few: list[tuple[int, Sample]] = []
        try:
            few += islice(source, GATHERED)
        except Exception as error:
            broken = error
        if not few and broken is None:
            return
        places = [(sample, f"#{index}" if plan.lean else None) for index, sample in few]
        for (_, sample), outcome in zip(few, await score_together(places, plan), strict=True):
            if isinstance(outcome, BaseException) and not isinstance(outcome, InputError):
                raise outcome
            yield sample, outcome
        await asyncio.sleep(0)
    raise broken


async def _window(
    samples: Iterable[tuple[int, Sample]], plan: Plan, concurrency: int
) -> AsyncIterator[tuple[Sample, list[Record] | InputError]]:
    room = asyncio.Semaphore(concurrency)
    waiting: deque[tuple[Sample, asyncio.Task[list[Record] | InputError]]] = deque()

    async def guarded(index: int, sample: Sample) -> list[Record] | InputError:
        async with room:
            return await _outcome(index, sample, plan)

    source: Iterator[tuple[int, Sample]] = iter(samples)
    try:
        for index, sample in source:
            waiting.append((sample, asyncio.create_task(guarded(index, sample))))
            if len(waiting) >= WINDOW * concurrency:
                oldest, task = waiting.popleft()
                yield oldest, await task
        while waiting:
            oldest, task = waiting.popleft()
            yield oldest, await task
    finally:
        for _, task in waiting:
            task.cancel()
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)


async def _outcome(index: int, sample: Sample, plan: Plan) -> list[Record] | InputError:
    """Records, or the error as a value, so that it surfaces in the order of samples."""
    try:
        return await score_sample(sample, plan, f"#{index}" if plan.lean else None)
    except InputError as error:
        return error
