"""The trained model that comes with the package: an ONNX file, its tokenizer, and how pairs are fed to it.

A pair is [CLS] claim [SEP] evidence [SEP]; a trace is [CLS] question [SEP] response [SEP] context [SEP]. The
file holds two encoders over one word table: one for all that is asked, and one for pairs whose evidence is a
whole document, which tells errors that arose in writing better and roles exchanged worse.
Inputs are padded to a length that depends on the input alone and computed in fp32, so that a result does
not depend on what else is in its batch beyond the last bits, which are rounded away. Every batch is computed
by one core, as many batches at a time as there are cores: cores that share a batch wait for one another.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import JudgeError
from adjudge.judges.local.kept import Kept

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

CLS, SEP = 101, 102
LONGEST_PAIR, LONGEST_TRACE = 256, 512
_LONGEST_RESPONSE, _LONGEST_QUESTION, _ROOM = 240, 96, 400
RELEVANT, USED, SUPPORTED, WRONG = range(4)
_TOKENS = 1536
"""Tokens of one batch: more no longer fit a core's own cache."""
_DECIMALS = 4
_KEPT = 10_000_000
"""Characters of texts that are kept as tokens."""


class PairScore(NamedTuple):
    """Logits of one pair, and of its claim's most doubtful word."""

    entailed: float
    neutral: float
    contradicted: float
    similarity: float
    wrong: float


class TraceScore(NamedTuple):
    """Logits of context sentences (relevant, used) and of response sentences (supported)."""

    relevant: Floats
    used: Floats
    supported: Floats


class _Input(NamedTuple):
    ids: Ids
    first: int
    """Tokens of the first part."""


class JudgeModel:
    """Session and tokenizer. `threads` defaults to the cores there are; a result does not depend on it."""

    def __init__(self, folder: Path | None = None, threads: int | None = None) -> None:
        self._folder = folder or Path(str(files("adjudge"))) / "models"
        sums = _checksums(self._folder)
        self.digest = sums["judge.onnx"][:8]
        self.name = _name(self.digest)
        self._session = _open(_checked(self._folder, "judge.onnx", sums))
        self._threads = threads or _cores()
        self._tokenizer = _tokenizer(_checked(self._folder, "tokenizer.json", sums))
        self._ids: Kept[str, Ids] = Kept(_KEPT)
        self.inputs = self.tokens = 0
        """What was read so far."""

    def pairs(self, pairs: Sequence[tuple[str, str]], *, documents: bool = False) -> list[PairScore]:
        """Scores of (claim, evidence) or (text, text) pairs, each distinct pair computed once; `documents`:
        by the encoder for whole documents, whose similarity nobody has measured.
        """
        distinct = list(dict.fromkeys(pairs))
        ids = self._tokenised([text for pair in distinct for text in pair])
        inputs = [_pair(ids[claim], ids[evidence]) for claim, evidence in distinct]
        scores: list[PairScore] = [PairScore(0.0, 0.0, 0.0, 0.0, 0.0)] * len(inputs)
        for n, logits, tokens in self._run(inputs, documents):
            doubtful = tokens[1 : inputs[n].first - 1, WRONG].max(initial=-20.0)
            entailed, neutral, contradicted, similarity = (float(x) for x in logits)
            scores[n] = PairScore(entailed, neutral, contradicted, similarity, float(doubtful))
        found = dict(zip(distinct, scores, strict=True))
        return [found[pair] for pair in pairs]

    def traces(self, rows: Sequence[tuple[str, Sequence[str], Sequence[str]]]) -> list[TraceScore]:
        """Scores of (question, response sentences, context sentences), all rows together."""
        ids = self._tokenised([text for question, said, told in rows for text in (question, *said, *told)])
        cuts = [_cuts(row, ids) for row in rows]
        inputs = [cut.input for part in cuts for cut in part]
        logits: list[Floats] = [np.zeros((0, 4), dtype=np.float32)] * len(inputs)
        for n, _, tokens in self._run(inputs):
            logits[n] = tokens
        results, at = [], 0
        for (_, said, told), part in zip(rows, cuts, strict=True):
            results.append(_joined(part, logits[at : at + len(part)], len(said), len(told)))
            at += len(part)
        return results

    def _tokenised(self, texts: Sequence[str]) -> dict[str, Ids]:
        def made(fresh: list[str]) -> list[Ids]:
            # A lone surrogate has no UTF-8 form, which the tokenizer is handed.
            clean = [text.encode("utf-8", "replace").decode("utf-8") for text in fresh]
            found = self._tokenizer.encode_batch(clean, add_special_tokens=False)
            return [np.array(one.ids, dtype=np.int64) for one in found]

        return self._ids.of(texts, made)

    def _run(self, inputs: Sequence[_Input], documents: bool = False) -> Iterator[tuple[int, Floats, Floats]]:
        """Number, pair logits and token logits of every input."""
        self.inputs += len(inputs)
        self.tokens += sum(len(item.ids) for item in inputs)
        batches = _batches([padded_length(len(item.ids)) for item in inputs], self._threads)

        def computed(batch: _Batch) -> tuple[Floats, Floats]:
            feed = _feed([inputs[n] for n in batch.numbers], batch.length)
            pairs, tokens = self._session.run(None, {**feed, "documents": np.array(documents)})
            # The last bits may differ with the number of rows; what is decided on them must not.
            return np.round(pairs, _DECIMALS), np.round(tokens, _DECIMALS)

        if min(self._threads, len(batches)) < 2:
            found = [computed(batch) for batch in batches]
        else:
            # Threads of their own for every call: a pool that is kept would not survive a fork.
            with ThreadPoolExecutor(self._threads) as pool:
                found = list(pool.map(computed, batches))
        for batch, (pairs, tokens) in zip(batches, found, strict=True):
            for row, n in enumerate(batch.numbers):
                yield n, pairs[row], tokens[row]


class _Batch(NamedTuple):
    length: int
    numbers: list[int]


def _batches(lengths: Sequence[int], threads: int) -> list[_Batch]:
    """Inputs of one padded length together, at most `_TOKENS` and no more than leaves every thread its share;
    the largest first, so that none is left over at the end.
    """
    room = min(_TOKENS, sum(lengths) // threads)
    groups: dict[int, list[int]] = {}
    for n, length in enumerate(lengths):
        groups.setdefault(length, []).append(n)
    batches = []
    for length, numbers in groups.items():
        size = max(1, room // length)
        batches += [_Batch(length, numbers[at : at + size]) for at in range(0, len(numbers), size)]
    return sorted(batches, key=lambda batch: -batch.length * len(batch.numbers))


def padded_length(size: int) -> int:
    """Up to a multiple of 4, of 16 beyond 128."""
    step = 4 if size <= 128 else 16
    return -(-size // step) * step


def _feed(items: Sequence[_Input], length: int) -> dict[str, Ids]:
    ids = np.zeros((len(items), length), dtype=np.int64)
    kinds, mask = np.zeros_like(ids), np.zeros_like(ids)
    for row, item in enumerate(items):
        size = len(item.ids)
        ids[row, :size], mask[row, :size], kinds[row, item.first : size] = item.ids, 1, 1
    return {"ids": ids, "kinds": kinds, "mask": mask}


def _pair(claim: Ids, evidence: Ids) -> _Input:
    claim = claim[: LONGEST_PAIR // 2]
    ids = np.concatenate([[CLS], claim, [SEP], evidence])[: LONGEST_PAIR - 1]
    return _Input(np.append(ids, SEP), len(claim) + 2)


class _Cut(NamedTuple):
    """One input of a trace, with the response and context sentences it holds and where their tokens are."""

    input: _Input
    said: tuple[int, int]
    told: tuple[int, int]
    bounds: list[int]
    """Start of every sentence's tokens, response first; the separator between them lies in between."""
    sizes: list[int]


def chunks(lengths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Runs of sentences that fit the room; a longer sentence is alone in its run."""
    runs, start, used = [], 0, 0
    for n, length in enumerate(lengths):
        if n > start and used + length > room:
            runs.append((start, n))
            start, used = n, 0
        used += length
    return [*runs, (start, len(lengths))] if start < len(lengths) else runs


def _cuts(row: tuple[str, Sequence[str], Sequence[str]], ids: dict[str, Ids]) -> list[_Cut]:
    question, said, told = row
    asked = ids[question][:_LONGEST_QUESTION]
    cuts = []
    for a0, a1 in chunks([len(ids[t]) for t in said], _LONGEST_RESPONSE) or [(0, 0)]:
        answer = [ids[t][:_LONGEST_RESPONSE] for t in said[a0:a1]]
        head = 3 + len(asked) + sum(map(len, answer))
        room = min(LONGEST_TRACE - head - 1, _ROOM)
        for d0, d1 in chunks([len(ids[t]) for t in told], room):
            context = [ids[t][:room] for t in told[d0:d1]]
            flat = np.concatenate([[CLS], asked, [SEP], *answer, [SEP], *context, [SEP]]).astype(np.int64)
            sizes = [len(part) for part in (*answer, *context)]
            starts = np.cumsum([0, *sizes[:-1]]) + 2 + len(asked)
            starts[len(answer) :] += 1
            cuts.append(_Cut(_Input(flat, head), (a0, a1), (d0, d1), starts.tolist(), sizes))
    return cuts


def _joined(cuts: Sequence[_Cut], logits: Sequence[Floats], said: int, told: int) -> TraceScore:
    """The highest score of every sentence over all inputs that hold it."""
    relevant, used = np.full(told, -20.0, np.float32), np.full(told, -20.0, np.float32)
    supported = np.full(said, -20.0, np.float32)
    for cut, tokens in zip(cuts, logits, strict=True):
        means = [
            tokens[a : a + n].mean(axis=0) if n else np.full(4, -20.0, np.float32)
            for a, n in zip(cut.bounds, cut.sizes, strict=True)
        ]
        answers = cut.said[1] - cut.said[0]
        for n, mean in enumerate(means[:answers], cut.said[0]):
            supported[n] = max(supported[n], mean[SUPPORTED])
        for n, mean in enumerate(means[answers:], cut.told[0]):
            relevant[n], used[n] = max(relevant[n], mean[RELEVANT]), max(used[n], mean[USED])
    return TraceScore(relevant, used, supported)


def _name(digest: str) -> str:
    return f"adjudge-minilm@{digest}"


def model_name() -> str:
    """Name of the bundled model as signatures have it, without loading it."""
    return _name(_checksums(Path(str(files("adjudge"))) / "models")["judge.onnx"][:8])


def _checksums(folder: Path) -> dict[str, str]:
    try:
        sums: dict[str, str] = json.loads((folder / "checksums.json").read_text("utf-8"))
    except OSError:
        raise JudgeError(
            f"the local judge's model is not in {folder.name}/; reinstall adjudge, or see training/README.md"
        ) from None
    return sums


def _checked(folder: Path, name: str, sums: dict[str, str]) -> Path:
    """The file, if it is the one that was shipped."""
    try:
        with (folder / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise JudgeError(f"the local judge's model cannot be read: {error}; reinstall adjudge") from None
    if found != sums.get(name):
        raise JudgeError(
            f"{name} is damaged: its sha256 is {found[:12]}…, not {sums.get(name, 'none')[:12]}…;"
            " reinstall adjudge"
        )
    return folder / name


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _open(model: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise JudgeError("the local judge needs the package 'onnxruntime'; pip install onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    # By its path: the runtime would keep the bytes of a model for as long as the session.
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _tokenizer(file: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise JudgeError("the local judge needs the package 'tokenizers'; pip install tokenizers") from None
    return Tokenizer.from_file(str(file))


@lru_cache(maxsize=1)
def bundled_model() -> JudgeModel:
    """The model of the package, loaded once a process."""
    return JudgeModel()
