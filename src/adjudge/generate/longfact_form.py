"""The form of LongFact's result files: what is asked, in which words, and what stands where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.prompts.plain import load_plain

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
        if {self.side_1, self.side_2} <= SILENT.keys():
            raise UsageError(
                f"side 1 is {self.side_1} and side 2 is {self.side_2}, so nobody would be asked; "
                f"give one of them a method: {', '.join(name for name in METHODS if name not in SILENT)}"
            )
        if self.sentences is not None and self.sentences < 1:
            raise UsageError(f"sentences must be at least 1, not {self.sentences}")

    @property
    def sides(self) -> dict[str, str]:
        """Method of each side, by the prefix of its fields."""
        return {"side1": self.side_1, "side2": self.side_2}


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


def document(
    plan: LongfactPlan,
    label: tuple[str, str],
    texts: list[str],
    found: Mapping[str, dict[str, Any]],
    kept: list[int],
    seconds: float,
) -> dict[str, Any]:
    """The whole file, with the prompts that were answered. `label`: provider and name of the system.

    What a target retrieved stands beside its answer, as `side2_contexts`.
    """
    entries = []
    for index in kept:
        entry: dict[str, Any] = {"prompt": texts[index], "correct_answers": [], "incorrect_answers": []}
        extra: dict[str, Any] = {}
        for side, method in plan.sides.items():
            answer = found.get(f"{index}.{side}", {})
            response = SILENT[method] if method in SILENT else answer["response"]
            if method == "punt_if_unsure":
                response, extra[f"{side}_is_idk"] = read_punt(response)
            if "contexts" in answer:
                extra[f"{side}_contexts"] = answer["contexts"]
            entry[f"{side}_response"] = response
        entries.append({**entry, **extra})
    return {**_settings(plan, label, len(texts)), "per_prompt_data": entries, "total_runtime": seconds}


def _settings(plan: LongfactPlan, label: tuple[str, str], prompts: int) -> dict[str, str]:
    """The settings as the reference pipeline stores them: every one a string."""
    provider, name = label
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
