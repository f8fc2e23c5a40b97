"""Verifiers from models that the user has: an ONNX folder, or a sentence-transformers CrossEncoder.

Evidence is given in the windows that share most with the claim, and the window that entails most decides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError
from adjudge.judges.local.evidence import best_windows, prepare
from adjudge.judges.local.onnx_folder import digest_of, feed_of, open_onnx
from adjudge.judges.local.st_models import load
from adjudge.judges.local.verifier import NOTHING, Opinion
from adjudge.judges.local.words import bag

Scores = NDArray[np.float64]


def windows_for(claim: str, evidence: str) -> list[str]:
    """Passages of the evidence that a model is shown for a claim: one sentence, and three."""
    prepared = prepare(evidence)
    return list(dict.fromkeys(window.text(prepared) for window in best_windows(bag(claim), prepared)))


def columns(labels: dict[int, str]) -> tuple[int | None, int | None, int | None]:
    """Which outputs mean entailed, neutral and contradicted, from the model's own label names."""
    found: list[int | None] = [None, None, None]
    for index, name in labels.items():
        lower = name.lower()
        if lower.startswith("not"):
            continue
        for place, words in enumerate(
            (("entail", "support", "consistent"), ("neutral",), ("contra", "refut"))
        ):
            if any(word in lower for word in words):
                found[place] = index
    return found[0], found[1], found[2]


def opinion(logits: Scores, labels: dict[int, str], why: str) -> Opinion:
    """Probabilities from raw outputs; a single output is read as the log-odds of entailment."""
    if logits.size == 1:
        entailed = float(1.0 / (1.0 + np.exp(-np.clip(logits[0], -30, 30))))
        return Opinion(entailed, 1.0 - entailed, 0.0, why)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    yes, _, against = columns(labels)
    if yes is None:
        raise _nameless(labels)
    entailed = float(shares[yes])
    contradicted = float(shares[against]) if against is not None else 0.0
    return Opinion(entailed, max(0.0, 1.0 - entailed - contradicted), contradicted, why)


def _nameless(labels: dict[int, str]) -> JudgeError:
    return JudgeError(f"no output of the model is named entailment: {labels}; set id2label in config.json")


class _Windowed:
    """Shared by both: which windows are shown, and that the best one decides."""

    labels: dict[int, str]

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        """Raw outputs for (passage, claim) pairs."""
        raise NotImplementedError

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        shown = [
            windows_for(claim, text) if claim.strip() and text.strip() else []
            for claim, text in zip(claims, evidences, strict=True)
        ]
        pairs = [(w, claim) for claim, passages in zip(claims, shown, strict=True) for w in passages]
        scores = iter(self.score(pairs))
        found = []
        for passages in shown:
            views = [opinion(next(scores), self.labels, f"“{passage[:160]}”") for passage in passages]
            found.append(max(views, key=lambda view: view.entailed) if views else NOTHING)
        return found


class OnnxVerifier(_Windowed):
    """An NLI or cross-encoder model in a folder; each pair is run alone: no verdict depends on a batch."""

    def __init__(self, folder: Path) -> None:
        self._session, self._tokenizer = open_onnx(folder)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self.labels = _named(_labels(folder))
        self.name = f"onnx:{folder.name}@{digest_of(folder)}"

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        found = []
        for passage, claim in pairs:
            feed = feed_of(self._tokenizer.encode(passage, claim), self._inputs)
            found.append(np.asarray(self._session.run(None, feed)[0], dtype=np.float64)[0])
        return found


def _named(labels: dict[int, str]) -> dict[int, str]:
    """The labels, if one of several is entailment: told before the first question, not after it."""
    if len(labels) > 1 and columns(labels)[0] is None:
        raise _nameless(labels)
    return labels


def _labels(folder: Path) -> dict[int, str]:
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {int(index): str(name) for index, name in config.get("id2label", {}).items()}


class CrossEncoderVerifier(_Windowed):
    """Any sentence-transformers CrossEncoder."""

    def __init__(self, model: str) -> None:
        self._model, self.name = load("CrossEncoder", model)
        config = self._model.model.config
        self.labels = _named({int(index): str(name) for index, name in dict(config.id2label).items()})

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        if not pairs:
            return []
        raw = self._model.predict(list(pairs), activation_fn=_same, show_progress_bar=False)
        return [np.atleast_1d(row) for row in np.asarray(raw, dtype=np.float64)]


def _same(value: Any) -> Any:
    return value
