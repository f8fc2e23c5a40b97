"""The judge that asks a chat model: prompts, tolerant reading of answers, splitting by a token budget."""

from adjudge.judges.llm.dry import Dry
from adjudge.judges.llm.judge import LlmJudge

__all__ = ["Dry", "LlmJudge"]
