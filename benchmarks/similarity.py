"""Similarity of short texts on STS-B: which encoder ships with the local judge, and what it costs.

    python benchmarks/similarity.py STSB.jsonl.gz [--split test] [--encoder PATH | --encoder st:NAME]…

Prints one table: Spearman and Pearson with people's scores, milliseconds a pair, size on disk and licence.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import pearsonr, spearmanr

from adjudge.judges.local.encoder import BundledEncoder, Encoder, Matrix, make_encoder
from adjudge.judges.rules import word_jaccard

Scorer = Callable[[Sequence[str], Sequence[str]], np.ndarray]


class Candidate(NamedTuple):
    name: str
    score: Scorer
    size: str
    licence: str


class _AsWritten(BundledEncoder):
    """The bundled vectors without lower-casing, as WordLlama itself uses them."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        out = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        for row, encoded in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if encoded.ids:
                out[row] = self._vectors[encoded.ids].astype(np.float32).mean(axis=0)
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(out / np.where(norms == 0, 1, norms), dtype=np.float32)


def jaccard(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    return np.array([word_jaccard(a, b) for a, b in zip(first, second, strict=True)])


def cosine(encoder: Encoder) -> Scorer:
    def score(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        return np.asarray(np.einsum("ij,ij->i", encoder.encode(first), encoder.encode(second)))

    return score


def candidates(extra: Sequence[str]) -> list[Candidate]:
    wordllama = f"wordllama {version('wordllama')}"
    found = [
        Candidate("word Jaccard", jaccard, "0", "-"),
        Candidate(f"{wordllama}, as written", cosine(_AsWritten()), "18 MB", "MIT"),
        Candidate(f"{wordllama}, lower case (bundled)", cosine(make_encoder()), "18 MB", "MIT"),
    ]
    return found + [Candidate(name, cosine(make_encoder(name)), "?", "?") for name in extra]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--encoder", action="append", default=[])
    told = parser.parse_args()
    with gzip.open(told.file, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["split"] == told.split]
    first, second = ([row[key] for row in rows] for key in ("sentence1", "sentence2"))
    people = [row["score"] for row in rows]
    print(f"STS-B {told.split}, {len(rows)} pairs")
    print(f"{'':42s} Spearman  Pearson  ms/pair  size    licence")
    for candidate in candidates(told.encoder):
        began = time.perf_counter()
        scores = candidate.score(first, second)
        spent = 1e3 * (time.perf_counter() - began) / len(rows)
        spearman, pearson = spearmanr(scores, people).statistic, pearsonr(scores, people).statistic
        print(
            f"{candidate.name:42s} {spearman:8.4f} {pearson:8.4f} {spent:8.3f}  {candidate.size:7s}"
            f" {candidate.licence}"
        )


if __name__ == "__main__":
    main()
