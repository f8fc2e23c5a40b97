"""Which answer a prompt gets: for each tool, marker words of its prompts and a short valid reply.

Every text has three claims and every sample five passages, so the replies can be fixed. Markers are names of
output fields or models that a tool writes into its prompts; the first that occurs in the request decides.
"""

from __future__ import annotations

import json
from typing import Any

CLAIMS = [f"statement number {number} of the text" for number in (1, 2, 3)]


def _json(value: Any) -> str:
    return json.dumps(value)


_NLI = [{"statement": claim, "reason": "stated", "verdict": 1} for claim in CLAIMS]
_ATTRIBUTED = [{"statement": claim, "reason": "stated", "attributed": 1} for claim in CLAIMS]
_ROWS = [
    {"claim": 1, "entailed_by": [1, 2], "contradicted_by": []},
    {"claim": 2, "entailed_by": [1, 2, 4], "contradicted_by": []},
    {"claim": 3, "entailed_by": [], "contradicted_by": [1]},
]


def _verdicts(number: int) -> str:
    one = {"verdict": "yes", "reason": "stated", "statement": "a statement", "expected_output": "a sentence"}
    return _json({"verdicts": [one] * number})


FAMILIES: dict[str, tuple[tuple[bytes, str], ...]] = {
    "adjudge": (
        (b"entailed_by", _json({"rows": _ROWS})),
        (b"claims", _json({"claims": CLAIMS})),
    ),
    "ragas": (
        (b"NLIStatementOutput", _json({"statements": _NLI})),
        (b"StatementGeneratorOutput", _json({"statements": CLAIMS})),
        (b"ContextRecallClassifications", _json({"classifications": _ATTRIBUTED})),
        (b"ClaimDecompositionOutput", _json({"claims": CLAIMS})),
        (b"Verification", _json({"reason": "useful", "verdict": 1})),
    ),
    "deepeval": (
        (b"each node in the retriev", _verdicts(5)),
        (rb"\"truths\" key", _json({"truths": CLAIMS})),
        (rb"\"claims\" key", _json({"claims": CLAIMS})),
        (rb"\"statements\" key", _json({"statements": CLAIMS})),
        (b"verdict", _verdicts(3)),
    ),
    "ragchecker": (
        (b"extract a KG", "\n".join(f'("text", "holds", "{claim}")' for claim in CLAIMS)),
        (b"Entailment", "Entailment\nEntailment\nNeutral"),
    ),
}


def find_answer(caller: str, body: bytes) -> str | None:
    """The reply, or None for a prompt not known. `ragas-warm` is answered as `ragas`."""
    for marker, answer in FAMILIES.get(caller.partition("-")[0], ()):
        if marker in body:
            return answer
    return None
