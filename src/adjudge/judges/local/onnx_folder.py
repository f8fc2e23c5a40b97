"""A model in a local folder: model.onnx and tokenizer.json, opened late and run on the CPU."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError

_PLACES = ("model.onnx", "onnx/model.onnx")
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
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    tokenizer = read_tokenizer(table.read_bytes())
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
    """Short digest of the weights, for the signature."""
    with onnx_file(folder).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:8]


def feed_of(encoded: Any, names: set[str]) -> dict[str, NDArray[np.int64]]:
    """Model inputs of one encoded text, as a batch of one."""
    feed = {
        "input_ids": np.array([encoded.ids], dtype=np.int64),
        "attention_mask": np.array([encoded.attention_mask], dtype=np.int64),
        "token_type_ids": np.array([encoded.type_ids], dtype=np.int64),
    }
    return {key: value for key, value in feed.items() if key in names}


def read_tokenizer(data: bytes) -> Any:
    """A tokenizer from the bytes of its tokenizer.json."""
    try:
        from tokenizers import Tokenizer  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise JudgeError("the local judge needs the package 'tokenizers'; pip install tokenizers") from None
    return Tokenizer.from_buffer(data)
