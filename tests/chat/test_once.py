from __future__ import annotations

import asyncio

import pytest

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.errors import ServerFault
from adjudge.chat.once import Once
from chat.helpers import ask


class Slow:
    """Answers when told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.cancelled = 0
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error:
            raise self.error
        return ChatReply(request.messages[-1].content)


def test_equal_requests_share_one_call() -> None:
    async def main() -> None:
        inner = Slow()
        once = Once(inner, where="w")
        waiting = [asyncio.create_task(once.complete(ask())) for _ in range(50)]
        other = asyncio.create_task(once.complete(ask("else")))
        await asyncio.sleep(0)
        inner.go.set()
        replies = await asyncio.gather(*waiting)
        assert (await other).text == "else"
        assert inner.calls == 2
        assert all(reply is replies[0] for reply in replies)
        assert not once._flights
        await once.complete(ask())
        assert inner.calls == 3

    asyncio.run(main())


def test_a_cancelled_waiter_leaves_the_others_alone() -> None:
    async def main() -> None:
        inner = Slow()
        once = Once(inner, where="w")
        first, second = (asyncio.create_task(once.complete(ask())) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        inner.go.set()
        assert (await second).text
        assert first.cancelled()
        assert (inner.calls, inner.cancelled) == (1, 0)

    asyncio.run(main())


def test_the_last_waiter_takes_the_call_along_and_a_newcomer_starts_afresh() -> None:
    async def main() -> None:
        inner = Slow()
        once = Once(inner, where="w")
        only = asyncio.create_task(once.complete(ask()))
        await asyncio.sleep(0.01)
        only.cancel()
        late = asyncio.create_task(once.complete(ask()))
        await asyncio.sleep(0.01)
        inner.go.set()
        assert (await late).text
        assert inner.cancelled <= 1
        assert only.cancelled()

    asyncio.run(main())


def test_an_error_reaches_everyone() -> None:
    async def main() -> None:
        inner = Slow()
        inner.error = ServerFault("down")
        once = Once(inner, where="w")
        waiting = [asyncio.create_task(once.complete(ask())) for _ in range(3)]
        await asyncio.sleep(0)
        inner.go.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(f) for f in found] == [ServerFault] * 3
        with pytest.raises(ServerFault):
            await once.complete(ask())
        assert inner.calls == 2

    asyncio.run(main())


def test_close_calls_off_what_is_under_way() -> None:
    async def main() -> None:
        inner = Slow()
        once = Once(inner, where="w")
        waiting = asyncio.create_task(once.complete(ask()))
        await asyncio.sleep(0.01)
        await once.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert inner.cancelled == 1

    asyncio.run(main())
