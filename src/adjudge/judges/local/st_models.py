"""Models of sentence-transformers, by folder or hub name, if that package is installed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from adjudge.errors import JudgeError

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


def load(kind: Literal["SentenceTransformer", "CrossEncoder"], model: str) -> tuple[Any, str]:
    """The model, on the CPU, and its name for signatures: a folder's by its weights, not by its place."""
    folder = Path(model).expanduser()
    found = folder.is_dir()
    try:
        import sentence_transformers  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        what = f"{model} holds no model.onnx" if found else f"there is no folder {model!r} here"
        raise JudgeError(
            f"{what}; give a folder with model.onnx, tokenizer.json and config.json, or, for other folders "
            "and names on the hub, pip install sentence-transformers"
        ) from None
    try:
        made = getattr(sentence_transformers, kind)(str(folder) if found else model, device="cpu")
    except (OSError, ValueError, KeyError) as error:
        where = "cannot be loaded" if found else "is neither a folder here nor can it be had from the hub"
        said = " ".join(str(error).split())[:300]
        raise JudgeError(f"{model!r} {where} as a {kind} of sentence-transformers: {said}") from None
    return made, f"st:{folder.name}@{_digest(folder)}" if found else f"st:{model}"


def _digest(folder: Path) -> str:
    """Short digest of the weights. Names and order count, so that a model in parts has one too."""
    total = hashlib.sha256()
    for path in sorted({path for pattern in _WEIGHTS for path in folder.rglob(pattern)}):
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:8]
