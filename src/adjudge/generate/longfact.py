"""LongFact from prompts to a result file in the form that long-form-factuality writes.

    adjudge generate longfact --model openai/M --data longfact -o result.json --side2 vanilla_prompting

Two sides answer each prompt, each by a method; `none` and `placeholder` ask nobody.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudge.chat.base import ChatRequest
from adjudge.chat.stack import Stack, build_stack
from adjudge.errors import UsageError
from adjudge.generate.engine import Progress, answer_all, answered, ask_model, write_failures
from adjudge.generate.journal import Journal
from adjudge.generate.longfact_data import prepare_prompts
from adjudge.prompts.plain import load_plain
from adjudge.run.store import write_atomic

METHODS = ("vanilla_prompting", "naive_factuality_prompt", "punt_if_unsure", "placeholder", "none")
SILENT = {"placeholder": "[PLACEHOLDER RESPONSE]", "none": ""}
"""Methods that ask nobody, and the response that stands for them."""
PUNTED = "[PUNTED]"
MAX_TOKENS = 1024
POSTAMBLE = "longfact/postamble@1"


class LongfactPlan(Struct, frozen=True, kw_only=True):
    """What to ask, and how."""

    side_1: str = "placeholder"
    side_2: str = "vanilla_prompting"
    task: str = "longfact_objects"
    limit: int | None = None
    shuffle: bool = True
    postamble: bool = True
    sentences: int | None = None
    temperature: float | None = 0.0
    max_tokens: int = MAX_TOKENS

    def __post_init__(self) -> None:
        for side in (self.side_1, self.side_2):
            if side not in METHODS:
                raise UsageError(f"there is no response method {side!r}; there are {', '.join(METHODS)}")
        if self.sentences is not None and self.sentences < 1:
            raise UsageError(f"sentences must be at least 1, not {self.sentences}")

    @property
    def sides(self) -> dict[str, str]:
        """Method of each side, by the prefix of its fields."""
        return {"side1": self.side_1, "side2": self.side_2}


class LongfactCase(Struct, frozen=True):
    """One prompt for one side."""

    id: str
    question: str
    chat: ChatRequest
    request: str


def format_prompt(prompt: str, plan: LongfactPlan) -> str:
    """A prompt as it is asked and stored: with postamble, and the length wanted if there is one."""
    text = prompt
    if plan.postamble:
        (message,) = load_plain(POSTAMBLE).render(prompt=prompt)
        added = message.content.removeprefix(prompt)
        text = prompt if added.strip() in prompt else message.content
    if plan.sentences is not None:
        text += "\n" + length_postamble(plan.sentences)
    return text


def length_postamble(sentences: int) -> str:
    """How long a response is to be, in the words that the file form stores."""
    return f"Respond in exactly {sentences} sentence{'s' if sentences != 1 else ''}."


def read_punt(response: str) -> tuple[str, bool]:
    """A response without the marker, and whether it had one."""
    return response.replace(PUNTED, "").strip(), PUNTED in response


def _case(index: int, side: str, method: str, prompt: str, stack: Stack, plan: LongfactPlan) -> LongfactCase:
    chat = ChatRequest(
        model=stack.model,
        messages=load_plain(f"longfact/{method}@1").render(prompt=prompt),
        temperature=plan.temperature,
        max_tokens=plan.max_tokens,
    )
    return LongfactCase(f"{index}.{side}", prompt, chat, chat.key(stack.where))


async def generate_longfact(
    path: Path,
    out: Path,
    model: str | Stack,
    plan: LongfactPlan | None = None,
    *,
    access: Mapping[str, Any] | None = None,
    concurrency: int = 32,
    retry_failed: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> Progress:
    """Ask every prompt that is not answered yet and write the result file, in the order of prompts."""
    plan = plan or LongfactPlan()
    given = {"concurrency": concurrency, **(access or {})}
    stack = model if isinstance(model, Stack) else build_stack(model, **given)
    prompts, notes = prepare_prompts(path, plan.task, shuffle=plan.shuffle, limit=plan.limit)
    texts = [format_prompt(prompt, plan) for prompt in prompts]
    cases = [
        _case(index, side, method, text, stack, plan)
        for index, text in enumerate(texts)
        for side, method in plan.sides.items()
        if method not in SILENT
    ]
    started = time.monotonic()
    with Journal(out, overwrite=overwrite) as journal:
        async with stack:
            progress = await answer_all(
                cases,
                lambda case: ask_model(stack, case.chat),
                journal,
                concurrency=concurrency,
                retry_failed=retry_failed,
                on_progress=on_progress,
            )
        progress.notes += notes
        found = {case.id: answer["response"] for case, answer in answered(cases, journal, progress)}
        document = _document(plan, stack.name, texts, found, time.monotonic() - started)
        write_atomic(out, json.dumps(document).encode())
        write_failures(out, progress.failures)
    return progress


def _document(
    plan: LongfactPlan, model: str, texts: list[str], found: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """The whole file; a prompt that a side has no answer to is left out, and listed among the failures."""
    entries = []
    for index, text in enumerate(texts):
        entry: dict[str, Any] = {"prompt": text, "correct_answers": [], "incorrect_answers": []}
        extra: dict[str, Any] = {}
        for side, method in plan.sides.items():
            response = SILENT.get(method, found.get(f"{index}.{side}"))
            if response is None:
                break
            if method == "punt_if_unsure":
                response, extra[f"{side}_is_idk"] = read_punt(response)
            entry[f"{side}_response"] = response
        else:
            entries.append({**entry, **extra})
    return {**_settings(plan, model, len(texts)), "per_prompt_data": entries, "total_runtime": seconds}


def _settings(plan: LongfactPlan, model: str, prompts: int) -> dict[str, str]:
    """The settings as the reference pipeline stores them: every one a string."""
    provider, _, name = model.partition("/")
    return {
        "add_universal_postamble": str(plan.postamble),
        "max_num_examples": str(plan.limit or prompts),
        "num_sentences": str(plan.sentences or 1),
        "parallelize": "True",
        "responder_model": f"{provider.upper()}:{name}",
        "responder_model_short": name,
        "response_length_postamble": length_postamble(plan.sentences or 1),
        "save_results": "True",
        "shared_config": "adjudge",
        "show_responder_prompts": "False",
        "show_responder_responses": "False",
        "shuffle_data": str(plan.shuffle),
        "side_1": plan.side_1,
        "side_2": plan.side_2,
        "task": plan.task,
        "task_short": plan.task,
        "use_length_ablation": str(plan.sentences is not None),
    }
