from __future__ import annotations

import asyncio
import bisect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.errors import RateLimited
from adjudge.chat.limits import Limits
from adjudge.chat.pace import Pace, shortest_seconds
from chat.helpers import FakeClock, ask


class Sink:
    """Notes when each request is sent, and says it used so many tokens."""

    def __init__(self, clock: FakeClock, used: int = 0) -> None:
        self.clock = clock
        self.used = used
        self.sent: list[tuple[float, str, int]] = []
        self.now = self.most = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        size = request.prompt_size() + request.completion_size()
        self.sent.append((self.clock(), request.messages[-1].content, size))
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        used = self.used or size
        return ChatReply("ok", used, 0)


def heaviest_minute(events: list[tuple[float, float]]) -> float:
    """Most of anything inside 60 seconds, by brute force over every start."""
    times = [at for at, _ in events]
    ends = [bisect.bisect_left(times, at + 60 - 1e-4) for at in times]
    return max(sum(n for _, n in events[i:end]) for i, end in enumerate(ends))


def run(limits: Limits, texts: list[str], max_tokens: int = 100) -> None:
    async def main() -> None:
        await asyncio.gather(*(limits.complete(ask(text, max_tokens=max_tokens)) for text in texts))

    asyncio.run(main())


@pytest.mark.parametrize("rpm", [1, 7, 60, 500])
def test_requests_per_minute_hold_in_every_minute_and_are_used_up(rpm: int) -> None:
    clock = FakeClock()
    sink = Sink(clock)
    count = 4 * rpm + 3
    run(Limits(sink, in_flight=1000, rpm=rpm, clock=clock, sleep=clock.sleep), [str(i) for i in range(count)])
    assert heaviest_minute([(at, 1) for at, _, _ in sink.sent]) <= rpm
    took = sink.sent[-1][0] - sink.sent[0][0]
    assert took <= (count / rpm) * 60 + 1
    assert took >= ((count - 1) / rpm) * 60 - 2
    assert [text for _, text, _ in sink.sent] == [str(i) for i in range(count)]


def test_requests_are_spread_over_the_minute() -> None:
    clock = FakeClock()
    sink = Sink(clock)
    run(Limits(sink, in_flight=1000, rpm=600, clock=clock, sleep=clock.sleep), [str(i) for i in range(600)])
    within_a_second = [bisect.bisect_left([t for t, _, _ in sink.sent], at + 1) for at, _, _ in sink.sent]
    assert max(end - i for i, end in enumerate(within_a_second)) <= 21


def test_tokens_per_minute_hold_in_every_minute() -> None:
    clock = FakeClock()
    sink = Sink(clock)
    texts = ["x" * (400 * (1 + i % 7)) for i in range(200)]
    run(Limits(sink, in_flight=50, tpm=20_000, clock=clock, sleep=clock.sleep), texts)
    assert heaviest_minute([(at, size) for at, _, size in sink.sent]) <= 20_000
    total = sum(size for _, _, size in sink.sent)
    # A minute may be left short of its budget by less than one request.
    waste = 1 + max(size for _, _, size in sink.sent) / 20_000
    assert sink.sent[-1][0] - sink.sent[0][0] <= shortest_seconds(200, total, tpm=20_000) * waste


def test_a_request_larger_than_a_minute_goes_alone(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    sink = Sink(clock)
    run(Limits(sink, in_flight=9, tpm=100, clock=clock, sleep=clock.sleep), ["y" * 4000] * 3, max_tokens=0)
    gaps = [b[0] - a[0] for a, b in zip(sink.sent, sink.sent[1:], strict=False)]
    assert all(gap >= 60 for gap in gaps)
    assert [record.message.startswith("a request takes about") for record in caplog.records] == [True]


def test_real_usage_replaces_estimates() -> None:
    """Answers are far shorter than max_tokens allows: the limit must not be kept on paper only."""
    clock = FakeClock()
    sink = Sink(clock, used=100)
    run(
        Limits(sink, in_flight=1, tpm=6000, clock=clock, sleep=clock.sleep), ["a" * 40] * 300, max_tokens=2000
    )
    assert heaviest_minute([(at, 100) for at, _, _ in sink.sent]) <= 6000
    assert sink.sent[-1][0] - sink.sent[0][0] <= 1.25 * shortest_seconds(300, 30_000, tpm=6000)


def test_never_more_in_flight_than_allowed() -> None:
    clock = FakeClock()
    sink = Sink(clock)
    run(Limits(sink, in_flight=4, clock=clock, sleep=clock.sleep), [str(i) for i in range(100)])
    assert sink.most == 4


def test_retry_after_holds_everyone_back() -> None:
    clock = FakeClock()
    sent: list[float] = []

    class Once429:
        async def complete(self, request: ChatRequest) -> ChatReply:
            sent.append(clock())
            if len(sent) == 1:
                raise RateLimited("slow down", retry_after=30)
            return ChatReply("ok")

    limits = Limits(Once429(), in_flight=1, clock=clock, sleep=clock.sleep)

    async def main() -> None:
        found = await asyncio.gather(
            *(limits.complete(ask(str(i))) for i in range(3)), return_exceptions=True
        )
        assert [type(f).__name__ for f in found] == ["RateLimited", "ChatReply", "ChatReply"]

    asyncio.run(main())
    assert [at - sent[0] for at in sent] == [0, 30, 30]


def test_a_cancelled_waiter_gives_its_place_back() -> None:
    async def main() -> None:
        clock = FakeClock()
        limits = Limits(Sink(clock), in_flight=1, rpm=60_000)
        tasks = [asyncio.create_task(limits.complete(ask(str(i)))) for i in range(10)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(f, ChatReply) for f in found) >= 5
        assert (await limits.complete(ask("last"))).text == "ok"

    asyncio.run(main())


@settings(max_examples=60)
@given(
    st.integers(1, 300),
    st.lists(st.tuples(st.floats(0, 30), st.integers(1, 200)), min_size=1, max_size=80),
)
def test_pace_holds_for_any_arrivals(limit: int, arrivals: list[tuple[float, int]]) -> None:
    pace, now, events = Pace(limit), 0.0, []
    for gap, amount in arrivals:
        now += gap
        while (delay := pace.wait(now, min(amount, limit))) > 0:
            now += delay
        pace.take(now, min(amount, limit))
        events.append((now, float(min(amount, limit))))
    assert heaviest_minute(events) <= limit + 1e-6
