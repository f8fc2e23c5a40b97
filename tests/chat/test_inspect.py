from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from adjudge.chat import ChatReply, build_stack
from adjudge.chat import errors as e
from adjudge.chat.inspect import InspectBackend, _explain
from adjudge.errors import JudgeError
from chat.helpers import ask


def test_without_the_library_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    with pytest.raises(JudgeError, match="pip install inspect-ai"):
        build_stack("inspect/mockllm/model")


class Status(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status_code = status


class PrerequisiteError(Exception):
    """Named like inspect's own."""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Status(401, "no"), e.WrongKey),
        (Status(429, "slow"), e.RateLimited),
        (Status(404, "model: x not found"), e.WrongModel),
        (Status(529, "overloaded"), e.ServerFault),
        (Status(400, "prompt is too long: 300000 tokens"), e.ContextTooLong),
        (PrerequisiteError("[bold]ERROR[/bold]: set ANTHROPIC_API_KEY"), e.WrongKey),
        (TimeoutError(), e.TimedOut),
        (ConnectionResetError(), e.ServerFault),
        (ValueError("odd"), e.BadRequest),
    ],
)
def test_errors_of_any_client(error: Exception, kind: type[e.ChatError]) -> None:
    found = _explain(error, "anthropic/x")
    assert type(found) is kind
    assert "[bold]" not in str(found)


def test_a_key_that_a_library_shows_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-shown-by-mistake")
    found = _explain(Status(401, "wrong key sk-shown-by-mistake"), "some/x")
    assert "wrong key [key]" in str(found)
    assert "sk-shown" not in repr(found)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of libraries below inspect-ai
def test_through_the_real_library(tmp_path: Path) -> None:
    model = pytest.importorskip("inspect_ai.model")
    configs = []

    def answer(messages: list[object], tools: object, choice: object, config: object) -> object:
        configs.append(config)
        text = messages[-1].text  # type: ignore[attr-defined]
        output = model.ModelOutput.from_content(
            "mock", f"heard {text}", "max_tokens" if text == "long" else "stop"
        )
        output.usage = model.ModelUsage(input_tokens=7, output_tokens=3, input_tokens_cache_read=2)
        return output

    async def main() -> list[ChatReply | BaseException]:
        async with stack:
            schema = {"type": "object", "properties": {"a": {"type": "string"}}}
            asked = (
                stack.complete(ask(text, schema=schema, max_tokens=5)) for text in ("one", "two", "long")
            )
            return await asyncio.gather(*asked, return_exceptions=True)

    backend = InspectBackend("mockllm/model", custom_outputs=answer)
    stack = build_stack("inspect/mockllm/model", backend=backend, cache_path=tmp_path / "a.sqlite")
    one, two, long = asyncio.run(main())
    assert isinstance(one, ChatReply)
    assert isinstance(two, ChatReply)
    assert (one.text, two.text) == ("heard one", "heard two")
    assert (one.prompt_tokens, one.completion_tokens, one.estimated) == (9, 3, False)
    assert isinstance(long, e.GaveUp)
    assert isinstance(long.last, e.BadReply)
    assert (long.last.kind, long.raw) == ("length", "heard long")
    assert configs[0].temperature == 0.0
    assert configs[0].max_tokens == 5
    assert configs[0].response_schema.json_schema.properties["a"].type == "string"
    assert asyncio.run(main())[0].cached  # type: ignore[union-attr]
