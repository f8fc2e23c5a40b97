"""A model with an opinion of its own behind a real server, and whole runs that ask it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import adjudge
from chat.server import MisbehavingServer
from judges.llm_helpers import blocks_of, lines_of

ALL = ["trace", "safe", "ragchecker"]


def sample(index: int) -> dict[str, Any]:
    return {
        "id": f"s{index}",
        "question": f"When does ferry {index} leave?",
        "contexts": [f"Ferry {index} leaves at 8. It carries cars.", "Coffee is sold."],
        "response": f"Ferry {index} leaves at 8. Dogs travel free.",
        "reference": f"Ferry {index} leaves at 8.",
    }


def words(text: str) -> set[str]:
    return set(text.lower().replace(".", "").split())


def supports(evidence: str, claim: str) -> bool:
    return words(claim) <= words(evidence)


def answer(body: dict[str, Any]) -> str:
    """A model with an opinion of its own: a text supports another if it holds all its words."""
    name = body["response_format"]["json_schema"]["name"]
    blocks = blocks_of(body["messages"][1]["content"])
    if name == "ragchecker_claims":
        return json.dumps({"claims": [part.strip() for part in blocks["text"][0].split(".") if part.strip()]})
    if name == "ragchecker_check":
        rows = [
            {
                "claim": int(key),
                "entailed_by": [n for n, text in enumerate(blocks["evidence"], 1) if supports(text, claim)],
                "contradicted_by": [],
            }
            for key, claim in lines_of(blocks["claims"][0])
        ]
        return json.dumps({"rows": rows})
    if name == "safe_facts":
        facts = [
            {"sentence": int(key), "fact": text, "self_contained": text, "relevant": True, "repeats": None}
            for key, text in lines_of(blocks["response"][0])
        ]
        return json.dumps({"facts": facts})
    contexts = lines_of(blocks["documents"][0])
    response = lines_of(blocks["answer"][0])
    support = [(key, [k for k, t in contexts if supports(t, text)]) for key, text in response]
    used = [key for _, keys in support for key in keys]
    return json.dumps(
        {
            "why_relevant": "w",
            "relevant": used,
            "why_supported": "w",
            "overall_supported": all(keys for _, keys in support),
            "sentences": [
                {"key": key, "why": "w", "supported_by": keys, "support": "full" if keys else "none"}
                for key, keys in support
            ],
            "used": used,
        }
    )


def access(server: MisbehavingServer, folder: Path, **more: Any) -> dict[str, Any]:
    quick = {"attempts": 4, "first_pause": 0.01, "longest_pause": 0.05, "timeout": 0.5}
    return {"base_url": server.base_url, "cache_path": str(folder / "cache.sqlite"), **quick, **more}


def evaluate(samples: Any, server: MisbehavingServer, folder: Path, **options: Any) -> adjudge.Result:
    options.setdefault("access", access(server, folder))
    return adjudge.evaluate(samples, ALL, judge="openai/test-model", **options)
