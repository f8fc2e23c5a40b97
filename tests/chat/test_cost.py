from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.cost import Account, Cost
from adjudge.chat.errors import BadReply, CostExceeded, TimedOut
from adjudge.chat.plan import Plan
from adjudge.chat.prices import Price, load_prices
from adjudge.chat.stack import build_stack
from adjudge.chat.totals import Totals
from adjudge.errors import UsageError
from chat.helpers import ask

DOLLAR_A_TOKEN = Price(1e6, 1e6)


class Spender:
    """Uses 6 + 4 tokens a call."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls = 0
        self.error = error

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        await asyncio.sleep(0)
        if self.error:
            raise self.error
        return ChatReply("ok", 6, 4)


def capped(inner: Spender, max_cost: float | None, totals: Totals) -> Cost:
    return Cost(inner, price=DOLLAR_A_TOKEN, name="p/m", totals=totals, max_cost=max_cost)


def test_tokens_and_cost_add_up() -> None:
    totals, price = Totals(), Price(0.15, 0.60)
    cost = Cost(Spender(), price=price, name="p/m", totals=totals)
    for _ in range(3):
        asyncio.run(cost.complete(ask()))
    assert (totals.sent, totals.prompt_tokens, totals.completion_tokens) == (3, 18, 12)
    assert totals.cost == pytest.approx((18 * 0.15 + 12 * 0.60) / 1e6)


def test_useless_answers_are_billed_and_timeouts_are_not_guessed() -> None:
    totals = Totals()
    for error in (BadReply("length", usage=(7, 3)), TimedOut("late")):
        with pytest.raises(type(error)):
            asyncio.run(capped(Spender(error), None, totals).complete(ask()))
    assert (totals.sent, totals.cost) == (2, 10.0)


def test_cap_is_never_passed_and_nothing_is_refused_too_soon() -> None:
    """Each request may cost 29 and does cost 10: a cap of 100 lets 8 through (80 + 29 > 100)."""
    inner, totals = Spender(), Totals()
    cost = capped(inner, 100.0, totals)
    request = ask("x" * 20, max_tokens=20)
    assert request.prompt_size() + request.completion_size() == 29

    async def main() -> list[ChatReply | BaseException]:
        return await asyncio.gather(*(cost.complete(request) for _ in range(30)), return_exceptions=True)

    found = asyncio.run(main())
    assert sum(isinstance(f, ChatReply) for f in found) == inner.calls == 8
    assert {type(f) for f in found if not isinstance(f, ChatReply)} == {CostExceeded}
    assert totals.cost == 80.0
    assert "cap of 100" in str(found[-1])


def test_models_that_share_an_account_share_the_cap() -> None:
    account, inner, request = Account(), Spender(), ask("x" * 20, max_tokens=20)
    both = [
        Cost(inner, price=DOLLAR_A_TOKEN, name=name, totals=Totals(), max_cost=100.0, account=account)
        for name in ("p/m", "p/n")
    ]

    async def main() -> list[ChatReply | BaseException]:
        asked = [cost.complete(request) for cost in both for _ in range(10)]
        return await asyncio.gather(*asked, return_exceptions=True)

    asyncio.run(main())
    assert (inner.calls, account.spent, account.held) == (8, 80.0, 0.0)


def test_an_account_takes_over_once_what_the_list_of_calls_tells(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    line = {"model": "m", "prompt_tokens": 1, "completion_tokens": 1, "attempts": 1, "cached": False}
    lines = [json.dumps({**line, "outcome": "ok", "cost": cost}) for cost in (0.25, None, 0.5)]
    calls.write_text("\n".join([*lines, '{"cost": 9']))
    account = Account()
    account.begin(None)
    for _ in range(2):
        account.begin(calls)
    assert account.spent == 0.75


@pytest.mark.parametrize(
    ("kept", "says"), [(True, r"\(answers so far are in the cache\)$"), (False, "to go on$")]
)
def test_the_cap_speaks_of_the_cache_only_where_there_is_one(kept: bool, says: str) -> None:
    cost = Cost(Spender(), price=DOLLAR_A_TOKEN, name="p/m", totals=Totals(), max_cost=1.0, kept=kept)
    with pytest.raises(CostExceeded, match=says):
        asyncio.run(cost.complete(ask()))


def test_a_cap_of_nothing_sends_nothing() -> None:
    inner = Spender()
    with pytest.raises(CostExceeded):
        asyncio.run(capped(inner, 0.0, Totals()).complete(ask()))
    assert inner.calls == 0


def test_an_unknown_price_with_a_cap_refuses_at_once() -> None:
    with pytest.raises(CostExceeded, match="price of openai/m is not known"):
        build_stack("openai/m", base_url="http://127.0.0.1:1/v1", max_cost=1.0)


def test_listed_prices_hold_for_the_provider_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert build_stack("openai/gpt-4o-mini-2024-07-18").price == Price(0.15, 0.60)
    assert build_stack("openai/gpt-4o-mini", base_url="http://localhost:1/v1").price is None


def test_own_prices_come_first(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"openai/gpt-4o" = {input = 1, output = 2}\n"house" = {input = 0}\n')
    prices = load_prices(file)
    assert prices.find("openai/gpt-4o") == Price(1, 2)
    assert prices.find("openai/house", listed=False) == Price(0, 0)
    assert prices.find("inspect/openai/gpt-4o-mini") == Price(0.15, 0.60)
    assert prices.find("inspect/anthropic/claude-3-5-haiku-20241022") is not None
    assert prices.find("openai/nobody") is None
    assert prices.as_of


@pytest.mark.parametrize(
    "text", ["[models]\nx = 3", "[models]\nx = {output = 1}", "[models]\nx={input=-1}", "=="]
)
def test_a_wrong_price_file_is_a_clear_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"mine\.toml"):
        load_prices(file)


def test_totals_add_up_and_survive_being_written() -> None:
    first, second = Totals(answered=2, sent=3, cost=0.5), Totals(answered=1, waited=2.0, unpriced=1)
    both = first.plus(second)
    assert both == Totals(answered=3, sent=3, cost=0.5, waited=2.0, unpriced=1)
    assert both.plus(second, -1) == first
    assert Totals.from_dict(first.to_dict()) == first
    assert Totals.from_dict(both.to_dict()).to_dict()["cost"] is None


def test_totals_say_when_the_cost_is_not_known() -> None:
    totals = Totals()
    asyncio.run(Cost(Spender(), price=None, name="p/m", totals=totals).complete(ask()))
    assert totals.to_dict()["cost"] is None
    assert totals.to_dict()["prompt_tokens"] == 6


def test_a_plan_tells_calls_tokens_cost_and_time() -> None:
    plan = Plan()
    for text in ("a" * 400, "b" * 400, "a" * 400):
        plan.add(ask(text), completion_tokens=50)
    assert (plan.calls, plan.prompt_tokens, plan.completion_tokens) == (2, 208, 100)
    assert plan.cost(Price(1.0, 2.0)) == pytest.approx(408e-6)
    assert plan.cost(None) is None
    assert plan.seconds() == 0
    assert plan.seconds(rpm=4) == 30
    assert plan.seconds(rpm=4, tpm=154) == 120
    assert Plan().calls == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no table .models.; write"),
        ('as_of = "2026-01-01"', "no table .models.; write"),
        ("models = 3", "no table .models.; write"),
        ('["openai/m"]\ninput = 1', "'openai/m' is not known there; write"),
        ("[models]\n[model.x]\ninput = 1", "'model' is not known there; write"),
    ],
)
def test_a_price_file_of_another_form_is_refused(tmp_path, text: str, message: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load_prices(path)
