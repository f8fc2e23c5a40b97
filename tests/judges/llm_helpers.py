"""What the tests of the model judge share: reading our own prompts back, and a scripted model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from adjudge.chat import ChatReply, ChatRequest
from adjudge.chat.scripted import Scripted
from adjudge.judges.base import (
    CheckClaims,
    ExtractClaims,
    ExtractFacts,
    IsRefusal,
    IsRelevant,
    LabelSentences,
    MakeSelfContained,
    NextQuery,
    PointsOutError,
    Question,
    RateFact,
    RelevantSentences,
    Reply,
    SplitSentence,
    Support,
    SupportSentence,
)
from adjudge.judges.llm import LlmJudge

Blocks = dict[str, list[str]]


def blocks_of(user: str) -> Blocks:
    """Blocks of a user message by name. Anything outside them, or one that does not close, is an error."""
    first, *lines = user.split("\n")
    found = re.fullmatch(r"Marker code: ([0-9a-f]{8})", first)
    assert found, first
    code = found[1]
    blocks: Blocks = {}
    name, inside = None, []
    for line in lines:
        opening = re.fullmatch(rf'<([a-z]+)-{code}(?: id="([0-9]+)")?>', line)
        if name is None and opening:
            name, inside = opening[1], []
            place = blocks.setdefault(name, [])
            assert opening[2] in (None, str(len(place) + 1))
        elif name is not None and line == f"</{name}-{code}>":
            blocks[name].append("\n".join(inside))
            name = None
        elif name is not None:
            assert code not in line
            inside.append(line)
        else:
            assert not line.strip(), f"outside of blocks: {line!r}"
    assert name is None
    return blocks


def lines_of(block: str) -> list[tuple[str, str]]:
    """(key, text) pairs of a block of lines."""
    found = [re.match(r"\[([^\]]*)\] ?(.*)", line) for line in block.split("\n") if line]
    return [(match[1], match[2]) for match in found if match]


def blocks(request: ChatRequest) -> Blocks:
    """Blocks of a request's first user message."""
    return blocks_of(request.messages[1].content)


Answer = str | dict[str, Any] | ChatReply | Exception


def scripted(*answers: Answer | Callable[[ChatRequest], Answer]) -> Scripted:
    """A model that gives these answers in turn, the last one for ever. Objects become JSON."""
    count = 0

    def answer(request: ChatRequest) -> str | ChatReply:
        nonlocal count
        said = answers[min(count, len(answers) - 1)]
        count += 1
        if callable(said) and not isinstance(said, type):
            said = said(request)
        if isinstance(said, Exception):
            raise said
        return json.dumps(said) if isinstance(said, dict) else said

    return Scripted(answer)


def ask_all(backend: Scripted, *questions: Question, **options: Any) -> list[Reply]:
    return asyncio.run(LlmJudge(backend, model="m", **options).ask(questions))


def ask_one(backend: Scripted, question: Question, **options: Any) -> Reply:
    return ask_all(backend, question, **options)[0]


CLAIMS = ExtractClaims("Ada wrote notes. She lived in London.", "Who was Ada?")
CHECK = CheckClaims(("c1", "c2", "c3"), ("e1", "e2"), "q")
FACTS = ExtractFacts(
    "Tell me of Ada.", "Ada wrote. She sang. Ada wrote.", ("Ada wrote.", "She sang.", "Ada wrote.")
)
CONTEXTS = (("0a", "Ada wrote notes."), ("0b", "It rained."), ("1a", "Bob sang."))
LABEL = LabelSentences("Who wrote?", CONTEXTS, (("a", "Ada wrote."), ("b", "Bob danced.")))
SIMPLE: tuple[tuple[Question, dict[str, Any], Any], ...] = (
    (CLAIMS, {"claims": ["Ada wrote notes.", " Ada lived in London. ", "Ada wrote notes."]},
     ("Ada wrote notes.", "Ada lived in London.")),
    (CHECK, {"rows": [{"claim": 1, "entailed_by": [1], "contradicted_by": []},
                      {"claim": 3, "entailed_by": [], "contradicted_by": [1, 2, 2]},
                      {"claim": 2, "entailed_by": [], "contradicted_by": []}]}, ("en", "nn", "cc")),
    (RelevantSentences("q", CONTEXTS), {"why": "w", "relevant": ["1a", "0a.", "1A"]}, ("1a", "0a")),
    (SupportSentence(CONTEXTS, LABEL.response, "b"),
     {"why": "w", "supported_by": ["1a"], "support": "partial"}, Support("b", ("1a",), "partial", "w")),
    (SplitSentence("Ada wrote and sang.", "Ada wrote and sang."), {"facts": ["Ada wrote.", "Ada sang."]},
     ("Ada wrote.", "Ada sang.")),
    (MakeSelfContained("She sang.", "Ada wrote. She sang."), {"why": "w", "statement": "Ada"}, "Ada"),
    (IsRelevant("Ada sang.", "Tell me of Ada.", "Ada sang."), {"why": "w", "relevant": False}, False),
    (NextQuery("Ada sang.", ("k",)), {"why": "w", "query": "Ada  singing\n"}, "Ada singing"),
    (RateFact("Ada sang.", ("k",)), {"why": "w", "verdict": "not_supported"}, "neutral"),
    (RateFact("Ada sang.", ("k",)), {"why": "w", "verdict": "supported"}, "entailed"),
    (RateFact("Ada sang.", ("k",)), {"why": "w", "verdict": "contradicted"}, "contradicted"),
    (IsRefusal("Who?", "The documents do not say."), {"why": "w", "refusal": True}, True),
    (PointsOutError("The documents are wrong."), {"why": "w", "points_out_error": True}, True),
)  # fmt: skip


def labels(*support: tuple[str, list[str], str], overall: Any, **more: Any) -> dict[str, Any]:
    entries = [{"key": k, "why": f"why {k}", "supported_by": by, "support": s} for k, by, s in support]
    given = {"why_relevant": "wr", "relevant": ["0a"], "why_supported": "ws", "used": ["0a"]}
    return given | {"overall_supported": overall, "sentences": entries} | more
