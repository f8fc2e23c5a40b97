"""The model `adjudge/scripted`: answers from the documents in its prompt, without a network, always alike.

It copies the sentences that share half of the question's words, and refuses as RGB asks where none does.
Asked without documents it knows a few bundled answers (`-M answers=FILE` for others: a JSON object from
question to answer). Its outputs carry token counts, so that no tokenizer is fetched.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from adjudge.prompts.plain import load_plain

UNKNOWN = "I do not know."

_ENOUGH = 0.5
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_COMMON = frozenset(
    {"what", "when", "where", "which", "does", "have", "that", "this", "with", "from", "into", "many", "were"}
)
_HEADINGS = ("Question:", "问题：", "Document:", "文档：")


class Scripted(ModelAPI):
    """Answers by rule."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        answers: dict[str, str] | str | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != "scripted":
            raise ValueError(f"there is no model adjudge/{model_name}; there is adjudge/scripted")
        if model_args:
            raise ValueError(f"adjudge/scripted takes only answers=, not {', '.join(model_args)}")
        self._answers = _table(answers)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        asked = [message.text for message in input if message.role == "user"]
        said = answer(asked[-1] if asked else "", self._answers)
        output = ModelOutput.from_content("adjudge/scripted", said)
        sizes = sum(len(message.text) for message in input) // 4 + 1, len(said) // 4 + 1
        output.usage = ModelUsage(input_tokens=sizes[0], output_tokens=sizes[1], total_tokens=sum(sizes))
        return output


@modelapi(name="adjudge")
def adjudge() -> type[ModelAPI]:
    """The provider of `adjudge/scripted`."""
    return Scripted


def answer(prompt: str, known: dict[str, str]) -> str:
    """What the model says to a user's message."""
    for question, told in known.items():
        if question in prompt:
            return told
    sentences = [part.strip() for part in _SENTENCE.split(prompt)]
    sentences = [part for part in sentences if part and part not in _HEADINGS]
    if not sentences:
        return UNKNOWN
    question = next((part for part in reversed(sentences) if part[-1] in "?？"), sentences[-1])
    statements = [part for part in sentences if part != question and part[-1] not in "?？"]
    if not statements:
        return UNKNOWN
    wanted = _words(question)
    shares = [len(wanted & _words(part)) / len(wanted) if wanted else 0.0 for part in statements]
    found = [part for part, share in zip(statements, shares, strict=True) if share >= _ENOUGH]
    if found:
        return " ".join(dict.fromkeys(found))
    return refusal("zh" if _CHINESE.search(question) else "en")


def refusal(language: str) -> str:
    """The sentence that RGB's prompt asks for where the documents do not tell."""
    return load_plain(f"rgb/answer_{language}@1").fixed["refusal"]


def _words(text: str) -> frozenset[str]:
    """Words of some length without plural s; of Chinese, pairs of characters."""
    characters = _CHINESE.findall(text)
    if characters:
        return frozenset(first + second for first, second in pairwise(characters))
    found = (word.lower().rstrip("s") for word in _WORD.findall(text))
    return frozenset(word for word in found if word not in _COMMON)


def _table(answers: dict[str, str] | str | None) -> dict[str, str]:
    if isinstance(answers, dict):
        return answers
    if answers is None:
        text = (files(__package__) / "samples" / "answers.json").read_text("utf-8")
    else:
        text = Path(answers).read_text("utf-8")
    table: dict[str, str] = json.loads(text)
    return table
