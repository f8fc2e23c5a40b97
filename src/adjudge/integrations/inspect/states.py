"""A finished Inspect sample as ours, read as the same sample of a log would be (`datasets.inspect_log`)."""

from __future__ import annotations

from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from adjudge.datasets.inspect_log import convert
from adjudge.datasets.source import Row
from adjudge.types import Sample


def sample_of(state: TaskState, target: Target) -> Sample:
    """Question, answer, target and passages; raises InputError where the metadata is not as it should be."""
    output = state.output
    data = {
        "id": state.sample_id,
        "epoch": state.epoch,
        "input": _asked(state),
        "target": list(target),
        "metadata": state.metadata,
        "output": {
            "choices": [{"message": {"content": choice.message.text}} for choice in output.choices[:1]],
            "completion": output.completion,
        },
    }
    log = {"system": str(state.model), "task": None, "several": False}
    (sample,) = convert(Row({"sample": data, "log": log}, "the task", 1))
    return sample


def _asked(state: TaskState) -> str | None:
    """The input, or what the user said last in it."""
    if isinstance(state.input, str):
        return state.input
    said = [message.text for message in state.input if message.role == "user"]
    return said[-1] if said else None


def passages_of(state: TaskState) -> list[str]:
    """The passages that the sample's metadata holds."""
    return list(sample_of(state, state.target).contexts or ())
