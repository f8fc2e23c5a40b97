from __future__ import annotations

import asyncio
import random

import pytest
from msgspec.structs import replace

from adjudge.chat import errors as e
from adjudge.chat.adapt import Adapt
from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.deadline import Deadline
from adjudge.chat.retries import Retries
from chat.helpers import FakeClock, ask


class Script:
    """Raises or returns what it is given, in order; the last one again and again."""

    def __init__(self, *steps: Exception | str) -> None:
        self.steps = steps
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        step = self.steps[min(len(self.asked), len(self.steps) - 1)]
        self.asked.append(request)
        if isinstance(step, Exception):
            raise step
        return ChatReply(step, 10, 5)


def run(script: Script, **more: float) -> tuple[ChatReply, FakeClock]:
    clock = FakeClock()
    rng = random.Random(4)
    retries = Retries(script, clock=clock, sleep=clock.sleep, rng=rng, **more)  # type: ignore[arg-type]
    try:
        return asyncio.run(retries.complete(ask())), clock
    except e.ChatError as error:
        error.add_note(str(clock.slept))
        raise


@pytest.mark.parametrize(
    "error",
    [
        e.RateLimited("429"),
        e.ServerFault("500"),
        e.TimedOut("late"),
        *(e.BadReply(kind) for kind in ("half", "json", "choices", "empty")),
    ],
)
def test_what_may_pass_is_asked_again(error: e.ChatError) -> None:
    script = Script(error, error, "good")
    reply, clock = run(script)
    assert (reply.text, reply.attempts, len(script.asked)) == ("good", 3, 3)
    assert len(clock.slept) == 2


@pytest.mark.parametrize("error", [e.WrongKey("k"), e.WrongModel("m"), e.NoCredit("c"), e.WrongAddress("a")])
def test_what_cannot_pass_ends_at_once(error: e.ChatError) -> None:
    script = Script(error)
    with pytest.raises(type(error)):
        run(script)
    assert len(script.asked) == 1


def test_nothing_but_web_pages_is_a_wrong_address() -> None:
    page = e.BadReply("json", "\n<!DOCTYPE html><p>Sign in")
    with pytest.raises(e.WrongAddress, match=r"web page.*base URL"):
        run(Script(page), attempts=3)
    assert run(Script(page, page, "good"), attempts=3)[0].text == "good"


def test_a_web_page_after_good_answers_costs_one_question() -> None:
    clock = FakeClock()
    retries = Retries(Script("good", e.BadReply("json", "<html>")), attempts=2, sleep=clock.sleep)

    async def both() -> None:
        assert (await retries.complete(ask())).text == "good"
        with pytest.raises(e.GaveUp, match="not JSON"):
            await retries.complete(ask())

    asyncio.run(both())


def test_a_wait_that_is_too_long_is_named() -> None:
    with pytest.raises(e.GaveUp, match=r"after 1 attempt: 429; it asks to wait 86400 s, more than the 120 s"):
        run(Script(e.RateLimited("429", retry_after=86400)))


@pytest.mark.parametrize("error", [*(e.BadReply(k) for k in sorted(e.BadReply.LASTING)), e.BadRequest("b")])
def test_what_would_come_again_is_given_up_on_with_its_text(error: e.ChatError) -> None:
    script = Script(error)
    with pytest.raises(e.GaveUp, match="after 1 attempt: ") as caught:
        run(script)
    assert caught.value.last is error
    assert len(script.asked) == 1


def test_too_long_a_context_is_for_the_caller_to_split() -> None:
    with pytest.raises(e.ContextTooLong):
        run(Script(e.ContextTooLong("8000 > 4096")))


@pytest.mark.parametrize("attempts", [1, 2, 6])
def test_gives_up_after_the_attempts_allowed(attempts: int) -> None:
    script = Script(e.ServerFault("the server is down"))
    with pytest.raises(e.GaveUp, match="the server is down") as caught:
        run(script, attempts=attempts)
    assert len(script.asked) == caught.value.attempts == attempts


def test_pauses_grow_and_are_random_below_their_bound() -> None:
    script = Script(*[e.ServerFault("x")] * 9, "good")
    _, clock = run(script, attempts=10, first_pause=1.0, longest_pause=20.0)
    bounds = [min(20.0, 2.0**n) for n in range(9)]
    assert all(0 <= pause <= bound for pause, bound in zip(clock.slept, bounds, strict=True))
    assert len(set(clock.slept)) == 9
    again = run(Script(*[e.ServerFault("x")] * 9, "good"), attempts=10, first_pause=1.0, longest_pause=20.0)
    assert again[1].slept == clock.slept


def test_retry_after_is_a_lower_bound() -> None:
    _, clock = run(Script(e.RateLimited("x", retry_after=40.0), "good"))
    assert 40.0 <= clock.slept[0] <= 44.2


def test_a_wait_longer_than_allowed_is_not_waited_for() -> None:
    with pytest.raises(e.GaveUp):
        run(Script(e.RateLimited("come back tomorrow", retry_after=86_400), "good"))


def test_a_refused_connection_gets_a_moment_only() -> None:
    script = Script(e.WrongAddress("refused", refused=True))
    with pytest.raises(e.WrongAddress) as caught:
        run(script, attempts=100, patience=50.0)
    slept = [float(part) for part in caught.value.__notes__[0].strip("[]").split(",")]
    assert 0 < sum(slept) <= 2.0
    assert run(Script(e.WrongAddress("refused", refused=True), "good"))[0].text == "good"


def test_tokens_of_useless_answers_are_kept() -> None:
    reply, _ = run(Script(e.BadReply("empty", usage=(10, 1)), e.BadReply("json", usage=(10, 4)), "good"))
    assert reply.wasted == (20, 5)


def test_deadline() -> None:
    class Never:
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(30)
            raise AssertionError

    with pytest.raises(e.TimedOut, match=r"0\.02 s"):
        asyncio.run(Deadline(Never(), 0.02).complete(ask()))


def test_a_refused_schema_is_left_out_from_then_on() -> None:
    script = Script(e.SchemaRefused("no schemas here"), "good")
    clock = FakeClock()
    retries = Retries(Adapt(script), clock=clock, sleep=clock.sleep)
    request = ask(schema={"type": "object"}, seed=3)

    async def main() -> None:
        first = await retries.complete(request)
        assert (first.text, first.attempts) == ("good", 2)
        assert (await retries.complete(replace(request, again=1))).attempts == 1
        await retries.complete(replace(request, model="other"))

    asyncio.run(main())
    assert [sent.schema is None for sent in script.asked] == [False, True, True, False]
    assert all(sent.seed == 3 for sent in script.asked)
    assert sum(clock.slept) == 0


def test_max_tokens_is_renamed_for_models_that_want_it() -> None:
    script = Script(e.ParameterRefused("use max_completion_tokens", parameter="max_tokens"), "good")
    retries = Retries(Adapt(script), sleep=FakeClock().sleep)
    asyncio.run(retries.complete(ask(max_tokens=77)))
    assert script.asked[1].max_tokens is None
    assert script.asked[1].extra == {"max_completion_tokens": 77}


def test_a_refusal_of_what_was_not_sent_is_no_endless_loop() -> None:
    script = Script(e.SchemaRefused("grammar problem"))
    with pytest.raises(e.GaveUp):
        asyncio.run(Retries(Adapt(script)).complete(ask()))
    assert len(script.asked) == 1
