"""One thing for several users: opened once, closed once, whoever fails or leaves first."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adjudge.chat import ChatReply, build_stack
from adjudge.chat.shared import Shared
from adjudge.errors import UsageError
from chat.helpers import ask


class Thing:
    """Takes a moment to open and to close, and remembers both."""

    def __init__(self, *, fails: int = 0) -> None:
        self.fails = fails
        self.seen: list[str] = []

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        await asyncio.sleep(0.01)
        if self.fails:
            self.fails -= 1
            raise OSError("not now")
        self.seen.append("open")
        try:
            yield
        finally:
            await asyncio.sleep(0.01)
            self.seen.append("closed")


async def use(shared: Shared, thing: Thing, seconds: float) -> str:
    await shared.enter()
    try:
        await asyncio.sleep(seconds)
        return thing.seen[-1]
    finally:
        await shared.leave()


def test_the_first_opens_and_the_last_closes() -> None:
    thing = Thing()
    shared = Shared("a thing", thing.open)

    async def main() -> list[str]:
        return await asyncio.gather(*(use(shared, thing, seconds) for seconds in (0.0, 0.06, 0.02)))

    for _ in range(2):  # in a loop each: nothing of the first is left
        thing.seen.clear()
        assert asyncio.run(main()) == ["open"] * 3
        assert thing.seen == ["open", "closed"]


def test_who_comes_while_it_closes_finds_it_open_again() -> None:
    thing = Thing()
    shared = Shared("a thing", thing.open)

    async def main() -> str:
        first = asyncio.create_task(use(shared, thing, 0.0))
        await asyncio.sleep(0.015)
        found = await use(shared, thing, 0.0)
        await first
        return found

    assert asyncio.run(main()) == "open"
    assert thing.seen in (["open", "closed"], ["open", "closed"] * 2)


def test_a_failed_opening_is_tried_by_the_next() -> None:
    thing = Thing(fails=1)
    shared = Shared("a thing", thing.open)

    async def main() -> list[str | BaseException]:
        return await asyncio.gather(*(use(shared, thing, 0.02) for _ in range(3)), return_exceptions=True)

    first, *others = asyncio.run(main())
    assert isinstance(first, OSError)
    assert others == ["open", "open"]
    assert thing.seen == ["open", "closed"]


def test_who_is_called_off_while_waiting_does_not_count() -> None:
    thing = Thing()
    shared = Shared("a thing", thing.open)

    async def main() -> None:
        first = asyncio.create_task(use(shared, thing, 0.02))
        second = asyncio.create_task(use(shared, thing, 9))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)

    asyncio.run(main())
    assert thing.seen == ["open", "closed"]


def test_a_second_event_loop_is_refused_while_the_first_is_inside() -> None:
    thing = Thing()
    shared = Shared("a thing", thing.open)
    inside, enough = threading.Event(), threading.Event()

    async def stay() -> None:
        await shared.enter()
        inside.set()
        await asyncio.to_thread(enough.wait)
        await shared.leave()

    thread = threading.Thread(target=lambda: asyncio.run(stay()))
    thread.start()
    inside.wait()
    with pytest.raises(UsageError, match="a thing is in use in another event loop"):
        asyncio.run(use(shared, thing, 0))
    enough.set()
    thread.join()
    assert asyncio.run(use(shared, thing, 0)) == "open"


class Door:
    """A backend that answers only while it is open."""

    where = "door"

    def __init__(self) -> None:
        self.open = 0
        self.opened = 0

    async def __aenter__(self) -> Door:
        self.open += 1
        self.opened += 1
        return self

    async def __aexit__(self, *error: object) -> None:
        self.open -= 1

    async def complete(self, request: object) -> ChatReply:
        assert self.open
        await asyncio.sleep(0.005)
        return ChatReply("yes")


def test_a_stack_serves_two_runs_at_once() -> None:
    door = Door()
    stack = build_stack("openai/m", backend=door, cache="off")

    async def run(name: str, questions: int) -> int:
        async with stack:
            return len([await stack.complete(ask(f"{name} {number}")) for number in range(questions)])

    async def main() -> list[int]:
        return await asyncio.gather(run("short", 1), run("long", 8))

    assert asyncio.run(main()) == [1, 8]
    assert (door.open, door.opened) == (0, 1)
    with pytest.raises(RuntimeError, match="inside `async with`"):
        asyncio.run(stack.complete(ask()))
