"""Bare answers: "In 1997." says nothing without its question, so both are held against evidence together."""

from __future__ import annotations

import re
from functools import lru_cache

from adjudge.judges.local.foreign import is_foreign
from adjudge.segment.claims.tokens import has_verb, tokens_of

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LONGEST = 8
"""Words of an answer that may lack a verb; a longer one is taken to be a statement."""


@lru_cache(maxsize=4096)
def is_fragment(text: str) -> bool:
    """Whether a text is a bare answer: a few words without a verb. Other scripts than Latin are never one."""
    words = _WORD.findall(text)
    if not words or len(words) > _LONGEST or is_foreign(text) or text.rstrip().endswith(":"):
        return False
    return not has_verb(tokens_of(text))


def answered(question: str, answer: str) -> str:
    """A question and its answer as one text, as the model was shown them."""
    return f"{question.strip()} {answer.strip()}"


def in_full(text: str, question: str) -> str:
    """The text, behind its question where it is a bare answer to one."""
    return answered(question, text) if question.strip() and is_fragment(text) else text
