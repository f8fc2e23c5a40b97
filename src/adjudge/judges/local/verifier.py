"""Does a text entail a claim, contradict it, or neither? The seam at which a better model is put in.

`Verifier.verdicts` is all that the judge asks for. `FeatureVerifier` answers from `features` with a nested
logistic model fitted by training/fit_features.py: entailed or not, and if not, contradicted or neutral.
`make_verifier` knows these:

    bundled        the trained model that installs with the package (`bundled`, `mix`); the default
    features       `FeatureVerifier`: words alone
    PATH           a folder with model.onnx, tokenizer.json and config.json of an NLI or cross-encoder model
    NAME, st:NAME  a sentence-transformers CrossEncoder by hub name or path, if that package is installed
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError
from adjudge.judges.local.calibration import logistic
from adjudge.judges.local.features import NAMES, Compared, features
from adjudge.judges.local.foreign import is_foreign, probabilities
from adjudge.judges.local.kept import Kept
from adjudge.judges.local.onnx_folder import has_onnx

_KEPT = 10_000_000
"""Characters of claims and their evidence whose opinions are kept."""


class Opinion(NamedTuple):
    """Probabilities of one (claim, evidence) pair, and what they rest on."""

    entailed: float
    neutral: float
    contradicted: float
    why: str
    settled: bool = False
    """Whether it was read off the text, which no likelihood outweighs."""

    @property
    def verdict(self) -> str:
        """Entailed only if likelier than not; then the likelier of the other two."""
        if self.entailed > 0.5:
            return "entailed"
        return "contradicted" if self.contradicted > self.neutral else "neutral"


class Verifier(Protocol):
    """Anything that holds claims against evidence, pair by pair."""

    @property
    def name(self) -> str:
        """With a version or digest, for the signature."""
        ...

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        """One opinion for each claim and the evidence at the same position."""
        ...


def make_verifier(choice: str | None = None) -> Verifier:
    """The verifier of that name or path; the bundled model for none, `features` for words alone."""
    if choice is None or choice == "bundled":
        from adjudge.judges.local.bundled import BundledVerifier

        return BundledVerifier()
    if choice == "features":
        return FeatureVerifier()
    from adjudge.judges.local.cross_encoder import CrossEncoderVerifier, OnnxVerifier

    name = choice.removeprefix("st:")
    folder = Path(name).expanduser()
    if name == choice and folder.is_dir() and has_onnx(folder):
        return OnnxVerifier(folder)
    if name.startswith((".", "/", "~")) and not folder.exists():
        raise JudgeError(
            f"there is no folder {name}; give one with model.onnx, tokenizer.json and config.json, or a name "
            "on the hub"
        )
    return CrossEncoderVerifier(str(folder) if folder.is_dir() else name)


NOTHING = Opinion(0.0, 1.0, 0.0, "there is no evidence to hold it against")


class _Model(NamedTuple):
    name: str
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    entailed: NDArray[np.float64]
    contradicted: NDArray[np.float64]


@lru_cache(maxsize=1)
def _model() -> _Model:
    """The fitted coefficients; the last of each is the intercept."""
    stored = json.loads(files("adjudge.judges.local").joinpath("features.json").read_text("utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise JudgeError("features.json was fitted for other features; run training/fit_features.py again")
    arrays = (np.array(stored[key]) for key in ("mean", "scale", "entailed", "contradicted"))
    return _Model(stored["name"], *arrays)


class FeatureVerifier:
    """Calibrated features of overlap, meaning, figures, names and negation."""

    def __init__(self) -> None:
        self._model = _model()
        self._seen: Kept[tuple[str, str], Opinion] = Kept(_KEPT)

    @property
    def name(self) -> str:
        return self._model.name

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        pairs = list(zip(claims, evidences, strict=True))
        found = self._seen.of(pairs, lambda fresh: [self._opinion(*pair) for pair in fresh])
        return [found[pair] for pair in pairs]

    def _opinion(self, claim: str, text: str) -> Opinion:
        if not claim.strip() or not text.strip():
            return NOTHING
        if is_foreign(claim):
            shares, passage = probabilities(claim, text)
            return Opinion(*shares, _quoted(passage))
        compared = features(claim, text)
        row = (np.array(compared.values) - self._model.mean) / self._model.scale
        entailed = logistic(float(row @ self._model.entailed[:-1] + self._model.entailed[-1]))
        against = logistic(float(row @ self._model.contradicted[:-1] + self._model.contradicted[-1]))
        entailed, against = _settle(compared, entailed, against)
        rest = 1.0 - entailed
        return Opinion(entailed, rest * (1.0 - against), rest * against, explain(compared))


def _settle(compared: Compared, entailed: float, against: float) -> tuple[float, float]:
    """What no likeness of words outweighs: another figure or name, a negation, a figure from nowhere."""
    if compared.figures.differing:
        return min(entailed, 0.2), max(against, 0.6)
    if compared.swapped or compared.negation:
        return min(entailed, 0.3), max(against, 0.6)
    if compared.figures_absent:
        return min(entailed, 0.45), against
    return entailed, against


def explain(compared: Compared) -> str:
    """The passage compared with, and what spoke for or against the claim."""
    notes = []
    if compared.figures.first_difference:
        notes.append(f"figures differ: {compared.figures.first_difference}")
    elif compared.figures.absent:
        notes.append("a figure of the claim is not there")
    if compared.swapped:
        notes.append("another name stands there")
    if compared.negation:
        notes.append("one of the two is negated")
    if compared.missing:
        notes.append("not found: " + ", ".join(compared.missing[:4]))
    quoted = _quoted(compared.window.text(compared.evidence))
    return quoted + (f" ({'; '.join(notes)})" if notes else "")


def _quoted(passage: str) -> str:
    return f"“{passage}”" if len(passage) <= 160 else f"“{passage[:157]}…”"
