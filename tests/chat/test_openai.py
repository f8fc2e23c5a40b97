from __future__ import annotations

import asyncio
import sys
import types

import pytest

from adjudge.chat import errors as e
from adjudge.chat.base import ChatReply, ChatRequest, Message
from adjudge.chat.keys import Address, find_key
from adjudge.chat.openai import OpenAIBackend
from chat.helpers import ask
from chat.server import MisbehavingServer, scripted_faults

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ADJUDGE_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def send(base_url: str, request: ChatRequest, key_env: str | None = None) -> ChatReply:
    async def main() -> ChatReply:
        async with OpenAIBackend(base_url=base_url, key_env=key_env) as backend:
            return await backend.complete(request)

    return asyncio.run(main())


def test_a_request_and_its_answer() -> None:
    schema = {"type": "object", "properties": {}}
    request = ask("你好", schema=schema, schema_name="claims", max_tokens=9, seed=4, extra={"top_p": 0.5})
    with MisbehavingServer() as server:
        reply = send(server.base_url, request)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("echo: 你好", 10, 5)
    assert (reply.finish_reason, reply.model, reply.cached, reply.estimated) == ("stop", "m", False, False)
    assert reply.seconds > 0
    (seen,) = server.requests
    assert seen.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "你好"}],
        "temperature": 0.0,
        "max_tokens": 9,
        "seed": 4,
        "top_p": 0.5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "claims", "schema": schema, "strict": True},
        },
    }
    assert "authorization" not in seen.headers


@pytest.mark.parametrize(
    ("fault", "kind", "bad"),
    [
        ("429", e.RateLimited, None),
        ("500", e.ServerFault, None),
        ("half", e.BadReply, "half"),
        ("reset", e.ServerFault, None),
        ("not-json", e.BadReply, "json"),
        ("wrong-json", e.BadReply, "json"),
        ("no-choices", e.BadReply, "choices"),
        ("empty", e.BadReply, "empty"),
        ("null", e.BadReply, "empty"),
        ("refusal", e.BadReply, "refusal"),
        ("length", e.BadReply, "length"),
        ("content_filter", e.BadReply, "content_filter"),
    ],
)
def test_each_fault_has_its_error(fault: str, kind: type[e.ChatError], bad: str | None) -> None:
    with MisbehavingServer(faults=scripted_faults([fault])) as server, pytest.raises(e.ChatError) as caught:
        send(server.base_url, ask())
    assert type(caught.value) is kind
    if isinstance(caught.value, e.BadReply):
        assert caught.value.kind == bad
    if fault == "length":
        assert caught.value.raw == "echo: how tall is the mast?"  # type: ignore[attr-defined]
        assert caught.value.usage == (10, 5)
    if fault == "not-json":
        assert caught.value.raw == "certainly! here you are"  # type: ignore[attr-defined]


def test_without_usage_tokens_are_estimated() -> None:
    with MisbehavingServer(usage=False) as server:
        reply = send(server.base_url, ask("a" * 400))
    assert reply.estimated
    assert (reply.prompt_tokens, reply.completion_tokens) == (104, 102)


def test_lone_surrogates_are_sent_as_replacement() -> None:
    with MisbehavingServer() as server:
        send(server.base_url, ask("mast \ud800 sail"))
    assert server.requests[0].prompt == "mast \ufffd sail"


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with MisbehavingServer(key="another") as server, pytest.raises(e.WrongKey) as caught:
        send(server.base_url, ask(), "MY_KEY")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown = [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    shown.append(repr(OpenAIBackend(base_url=server.base_url, key_env="MY_KEY")))
    assert "Incorrect API key provided: [key]" in shown[0]
    assert not any(KEY in text for text in shown)


def test_a_server_that_wants_a_key_and_got_none_says_which_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    said = r"no key was sent: set ADJUDGE_API_KEY.*OPENAI_API_KEY goes to OpenAI only"
    with MisbehavingServer(key="right") as server, pytest.raises(e.WrongKey, match=said):
        send(server.base_url, ask())
    assert "authorization" not in server.requests[0].headers


def test_an_echoed_key_does_not_get_into_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_API_KEY", KEY)
    with MisbehavingServer(answer=lambda body: f"your key is {KEY}") as server:
        assert send(server.base_url, ask()).text == "your key is [key]"


def test_openai_demands_a_key_and_a_local_server_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(e.WrongKey, match="OPENAI_API_KEY"):
        OpenAIBackend()
    with pytest.raises(e.WrongKey, match="NOT_SET"):
        OpenAIBackend(base_url="http://localhost:1/v1", key_env="NOT_SET")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert find_key(Address("https://api.openai.com/v1")) == KEY
    assert find_key(Address("http://localhost:1234/v1")) is None
    assert find_key(Address("https://api.openai.com.evil.example/v1")) is None


def test_a_keyring_is_asked_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = types.ModuleType("keyring")
    ring.get_password = lambda service, user: f"{service}:{user}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert find_key(Address("https://api.openai.com/v1")) == "adjudge:OPENAI_API_KEY"


def test_azure_keeps_its_query_and_uses_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setattr(Address, "azure", True)
    with MisbehavingServer(key=KEY) as server:
        url = f"http://127.0.0.1:{server.port}/openai/deployments/d?api-version=2024-10-21"
        assert send(url, ask()).text
    (seen,) = server.requests
    assert (seen.path, seen.query) == ("/openai/deployments/d/chat/completions", "api-version=2024-10-21")
    assert seen.headers["api-key"] == KEY
    assert "authorization" not in seen.headers


@pytest.mark.parametrize("host", ["eu.openai.azure.com", "EU.openai.azure.com:443"])
def test_azure_hosts(host: str) -> None:
    assert Address(f"https://{host}/openai").azure


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "ftp://x/v1", "http://", "http://h:port/v1", "nonsense"]
)
def test_an_impossible_address_is_told_at_once(url: str) -> None:
    with pytest.raises(e.WrongAddress, match="http://host:port/v1"):
        OpenAIBackend(base_url=url)


def test_nobody_there() -> None:
    with pytest.raises(e.WrongAddress, match="cannot reach") as caught:
        send("http://127.0.0.1:9/v1", ask())
    assert caught.value.refused
    with pytest.raises(e.WrongAddress, match="cannot reach"):
        send("http://no-such-host.invalid/v1", ask())


def test_wrong_path_and_wrong_model() -> None:
    with MisbehavingServer(models=["n"]) as server:
        with pytest.raises(e.WrongAddress, match="base URL should end before"):
            send(f"http://127.0.0.1:{server.port}/api", ask())
        with pytest.raises(e.WrongModel, match="'m'"):
            send(server.base_url, ask())


def test_a_server_that_goes_away_later_is_a_fault_not_a_wrong_address() -> None:
    async def main() -> None:
        server = MisbehavingServer()
        with server:
            backend = OpenAIBackend(base_url=server.base_url)
            await backend.__aenter__()
            await backend.complete(ask())
        try:
            for _ in range(2):
                with pytest.raises(e.ServerFault):
                    await backend.complete(ask())
        finally:
            await backend.__aexit__(None, None, None)

    asyncio.run(main())


def test_vectors_come_in_the_order_of_the_texts() -> None:
    texts = tuple(Message("text", "x" * n) for n in (3, 1, 2))
    with MisbehavingServer() as server:
        reply = send(server.base_url, ChatRequest(model="e", messages=texts, task="embed"))
    assert server.requests[0].body == {"model": "e", "input": ["xxx", "x", "xx"]}
    from adjudge.chat.embed import unpack

    assert [unpack(part)[0] for part in reply.text.split(" ")] == [3.0, 1.0, 2.0]
    assert reply.prompt_tokens == 3
