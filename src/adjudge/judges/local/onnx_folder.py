"""A model in a local folder: model.onnx and tokenizer.json, opened late and run on the CPU."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError

_PLACES = ("model.onnx", "onnx/model.onnx")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_LONGEST = 512
"""Tokens a model is given at once; most were trained on no more."""


def open_onnx(folder: Path) -> tuple[Any, Any]:
    """Session and tokenizer of a model folder; clear errors where a part is missing."""
    model = onnx_file(folder)
    table = folder / "tokenizer.json"
    if not table.is_file():
        raise JudgeError(
            f"{folder} has no tokenizer.json; export the model's fast tokenizer into that folder"
        )
    try:
        import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise JudgeError("an ONNX model needs the package 'onnxruntime'; pip install onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.use_deterministic_compute = True
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        tokenizer = read_tokenizer(table.read_bytes())
    except JudgeError:
        raise
    except Exception as error:  # both libraries raise classes of their own
        said = " ".join(str(error).split())[:300]
        raise JudgeError(f"the model in {folder} cannot be opened: {said}") from None
    if strange := {item.name for item in session.get_inputs()}.difference(_INPUTS):
        raise JudgeError(
            f"{model} wants the inputs {', '.join(sorted(strange))}; only {', '.join(_INPUTS)} can be given"
        )
    tokenizer.no_padding()
    tokenizer.enable_truncation(_LONGEST)
    return session, tokenizer


def has_onnx(folder: Path) -> bool:
    """Whether the folder holds an ONNX model."""
    return any((folder / name).is_file() for name in _PLACES)


def onnx_file(folder: Path) -> Path:
    """model.onnx in the folder or its `onnx` subfolder."""
    for name in _PLACES:
        if (folder / name).is_file():
            return folder / name
    raise JudgeError(f"{folder} holds no model.onnx; give a folder with model.onnx and tokenizer.json")


def digest_of(folder: Path) -> str:
    """Short digest of the weights, for the signature; also of those kept in files beside the model."""
    model = onnx_file(folder)
    total = hashlib.sha256()
    for path in sorted(model.parent.glob("*.onnx*")):
        if path == model or path.suffix != ".onnx":
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:8]


def feed_of(encoded: Any, names: set[str]) -> dict[str, NDArray[np.int64]]:
    """Model inputs of one encoded text, as a batch of one."""
    rows = (encoded.ids, encoded.attention_mask, encoded.type_ids)
    feed = zip(_INPUTS, rows, strict=True)
    return {key: np.array([row], dtype=np.int64) for key, row in feed if key in names}


def read_tokenizer(data: bytes) -> Any:
    """A tokenizer from the bytes of its tokenizer.json."""
    try:
        from tokenizers import Tokenizer  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise JudgeError("the local judge needs the package 'tokenizers'; pip install tokenizers") from None
    return Tokenizer.from_buffer(data)
