"""Texts as vectors, for similarity: the bundled static vectors, an ONNX folder, or sentence-transformers.

bundled        WordLlama's 256-dimensional token vectors, from its wheel; no network, no torch
PATH           a folder with model.onnx (or onnx/model.onnx) and tokenizer.json; mean pooling
st:NAME        a sentence-transformers model by hub name or path, if that package is installed
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError
from adjudge.judges.local.kept import Kept
from adjudge.judges.local.onnx_folder import digest_of, feed_of, open_onnx, read_tokenizer
from adjudge.judges.local.st_models import load

Matrix = NDArray[np.float32]

_KEPT = 20_000_000
"""Of single words: some 200,000, more than people use."""

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_SHA256 = {
    _WEIGHTS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    _TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}


class Encoder(Protocol):
    """Anything that turns texts into unit vectors, row by row; an empty text gives a row of zeros."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Matrix: ...


def make_encoder(choice: str | None = None) -> Encoder:
    """The encoder of that name or path; the bundled one for none."""
    if choice is None or choice == "bundled":
        return bundled()
    if choice.startswith("st:"):
        return SentenceTransformersEncoder(choice[3:])
    return OnnxEncoder(Path(choice).expanduser())


def _unit(matrix: Matrix) -> Matrix:
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    norms[norms == 0] = 1.0
    return np.asarray(matrix / norms[:, None], dtype=np.float32)


class BundledEncoder:
    """Mean of WordLlama's token vectors. Lower-cased: on STS-B that gains about .01."""

    name = "wordllama-256"

    def __init__(self) -> None:
        folder = _wordllama_folder()
        weights = _checked(folder, _WEIGHTS)
        tokenizer = read_tokenizer(_checked(folder, _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._vectors = _read_matrix(weights)
        self._words: Kept[str, Matrix] = Kept(_KEPT)

    def encode(self, texts: Sequence[str]) -> Matrix:
        out = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        clean = [text.lower().encode("utf-8", "replace").decode("utf-8") for text in texts]
        for row, encoded in enumerate(self._tokenizer.encode_batch(clean, add_special_tokens=False)):
            if encoded.ids:
                # One text at a time, so that a row does not depend on its neighbours' lengths.
                out[row] = self._vectors[encoded.ids].astype(np.float32).mean(axis=0)
        return _unit(out)

    def words(self, words: Sequence[str]) -> Matrix:
        """Unit vectors of single words, each computed once."""
        if not words:
            return np.zeros((0, self._vectors.shape[1]), dtype=np.float32)
        found = self._words.of(words, lambda fresh: list(self.encode(fresh)))
        return np.stack([found[word] for word in words])


@lru_cache(maxsize=1)
def bundled() -> BundledEncoder:
    """The bundled encoder, loaded once a process."""
    return BundledEncoder()


def _wordllama_folder() -> Path:
    """Where the wheel put its files; found without importing it, since that alone would set up logging."""
    spec = importlib.util.find_spec("wordllama")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise JudgeError(
            "the local judge needs the package 'wordllama', which is not installed; pip install wordllama"
        )
    return Path(places[0])


def _checked(folder: Path, name: str) -> bytes:
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise JudgeError(f"the local judge's vectors cannot be read: {error}; reinstall wordllama") from None
    found = hashlib.sha256(data).hexdigest()
    if found != _SHA256[name]:
        raise JudgeError(
            f"{folder.name}/{name} is not the file the local judge was made with (sha256 {found[:12]}…);"
            " scores would not be comparable. Install wordllama 0.4"
        )
    return data


def _read_matrix(data: bytes) -> NDArray[np.float16]:
    """The only tensor of a safetensors file: 8 bytes of header length, a JSON header, then the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensor = next(value for key, value in header.items() if key != "__metadata__")
    rows, columns = tensor["shape"]
    start = 8 + length + tensor["data_offsets"][0]
    flat = np.frombuffer(data, dtype="<f2", count=rows * columns, offset=start)
    return flat.reshape(rows, columns)


class OnnxEncoder:
    """A sentence encoder in a folder, mean-pooled; texts are run one by one: no row depends on a batch."""

    def __init__(self, folder: Path) -> None:
        self._session, self._tokenizer = open_onnx(folder)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self.name = f"onnx:{folder.name}@{digest_of(folder)}"

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = []
        for text in texts:
            feed = feed_of(self._tokenizer.encode(text), self._inputs)
            states = np.asarray(self._session.run(None, feed)[0], dtype=np.float32)
            # Some exports pool by themselves.
            rows.append(states[0] if states.ndim == 2 else states[0].mean(axis=0))
        return _unit(np.stack(rows)) if rows else np.zeros((0, 1), dtype=np.float32)


class SentenceTransformersEncoder:
    """Any sentence-transformers model."""

    def __init__(self, model: str) -> None:
        self._model, self.name = load("SentenceTransformer", model)

    def encode(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        vectors = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        return _unit(np.asarray(vectors, dtype=np.float32))
