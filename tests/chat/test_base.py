from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.chat import ChatRequest, Message
from adjudge.chat.embed import pack, unpack
from adjudge.chat.keys import Address
from chat.helpers import ask


def test_key_does_not_depend_on_the_order_inside_a_schema() -> None:
    one = ask(schema={"type": "object", "properties": {"a": {"type": "string"}, "b": {}}})
    two = ask(schema={"properties": {"b": {}, "a": {"type": "string"}}, "type": "object"})
    assert one.key("x") == two.key("x")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"temperature": 0.5},
        {"temperature": None},
        {"max_tokens": 5},
        {"schema": {}},
        {"schema_name": "z"},
        {"seed": 1},
        {"extra": {"top_p": 1}},
        {"again": 1},
        {"task": "embed"},
    ],
)
def test_key_depends_on_everything_that_matters(change: dict[str, object]) -> None:
    assert ask(**change).key("here") != ask().key("here")
    assert ask().key("here") != ask().key("there")


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), min_size=1, max_size=4))
def test_key_and_size_take_any_text(turns: list[tuple[str, str]]) -> None:
    request = ChatRequest(model="m", messages=tuple(Message(*turn) for turn in turns))
    assert request.key("w") == request.key("w")
    assert request.prompt_size() > 0
    moved = ChatRequest(model="m", messages=(*request.messages, Message("user", "")))
    assert moved.key("w") != request.key("w")


def test_a_key_is_computed_once_and_a_changed_request_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ask()
    computed: list[str] = []
    whole = ChatRequest._digest

    def digest(self: ChatRequest, where: str) -> str:
        computed.append(where)
        return whole(self, where)

    monkeypatch.setattr(ChatRequest, "_digest", digest)
    first = request.key("w")
    assert [request.key("w"), request.key("w"), len(computed)] == [first, first, 1]
    assert replace(request, again=1).key("w") != first
    assert request.key("elsewhere") != first
    assert request == ask(), "what is kept is no part of the request"


def test_lone_surrogates_have_a_key() -> None:
    assert ask("bad \ud800").key() != ask("bad \ud801").key()


def test_vectors_survive_packing() -> None:
    assert unpack(pack([0.5, -1.25, 3.0])) == [0.5, -1.25, 3.0]


def test_shown_address_has_no_secrets() -> None:
    address = Address("https://me:pa55@Host.example:8443/v1/?api-version=2024-06-01&token=t0ken")
    assert address.shown == "https://host.example:8443/v1?api-version=2024-06-01"
    assert address.url("chat/completions").startswith(
        "https://me:pa55@Host.example:8443/v1/chat/completions?"
    )
    assert "token=t0ken" in address.url("x")


def test_importing_model_access_loads_no_http_client() -> None:
    heavy = "('aiohttp', 'filelock', 'inspect_ai')"
    code = f"import sys, adjudge.chat; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
