"""Judges by name. Others join through the entry point `adjudge.judges`."""

from __future__ import annotations

from adjudge.errors import JudgeError
from adjudge.judges.base import Judge
from adjudge.plugins import plugin


def judge_names() -> tuple[str, ...]:
    """Names of the built-in judges."""
    return ("rules",)


def make_judge(name: str) -> Judge:
    """The judge of that name; entry points are searched only for unknown names."""
    if name == "rules":
        from adjudge.judges.rules import RulesJudge

        return RulesJudge()
    factory = plugin("adjudge.judges", name.partition("/")[0])
    if factory is None:
        raise JudgeError(f"there is no judge {name!r}; there are: {', '.join(judge_names())}")
    judge: Judge = factory(name)
    return judge
