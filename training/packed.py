"""Epochs composed by worker processes into flat arrays, kept on the GPU, and cut into batches there."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
import torch
from batches import Batch, Mix

JOBS = 56


class Packed(NamedTuple):
    """Items one after another; `sizes` and `counts` tell the tokens and the spans of each."""

    ids: np.ndarray
    sizes: np.ndarray
    first: np.ndarray
    label: np.ndarray
    similarity: np.ndarray
    segments: np.ndarray
    marks: np.ndarray
    counts: np.ndarray


_MIX: Mix | None = None


def _work(job: tuple[int, int]) -> Packed:
    """One share of an epoch's lines, composed."""
    assert _MIX is not None
    seed, own = job
    lines = _MIX.epoch(random.Random(seed))
    rng = random.Random(seed * 1000 + own)
    items = [item for line in lines[own::JOBS] for item in _MIX.compose(line, rng)]
    return Packed(
        np.concatenate([i.ids for i in items]),
        np.array([len(i.ids) for i in items], np.int32),
        np.array([i.first for i in items], np.int32),
        np.array([i.label for i in items], np.int64),
        np.array([i.similarity for i in items], np.float32),
        np.concatenate([i.segments for i in items]),
        np.concatenate([i.marks for i in items]),
        np.array([len(i.marks) for i in items], np.int32),
    )


class Composer:
    """Draws epochs ahead of need, so that the GPU does not wait for them."""

    def __init__(self, mix: Mix, workers: int, epochs: int, seed: int) -> None:
        global _MIX
        _MIX = mix
        gc.freeze()
        self.pool = get_context("fork").Pool(workers) if workers > 1 else None
        self.epochs = epochs
        self.ahead: dict[int, Any] = {}
        self._ask(seed * 100 + 1)

    def _ask(self, seed: int) -> None:
        if self.pool and seed not in self.ahead:
            self.ahead[seed] = self.pool.map_async(_work, [(seed, n) for n in range(JOBS)], chunksize=1)

    def epoch(self, seed: int) -> Packed:
        self._ask(seed)
        parts = self.ahead.pop(seed).get() if self.pool else [_work((seed, n)) for n in range(JOBS)]
        self._ask(seed + 1)
        return Packed(*(np.concatenate(field) for field in zip(*parts, strict=True)))

    def batches(
        self, epochs: int, seed: int, tokens: int, device: torch.device
    ) -> Iterator[tuple[float, Batch]]:
        """Share of all items seen before, and the next batch on the device."""
        for number in range(epochs):
            packed = self.epoch(seed * 100 + number + 1)
            rng = np.random.default_rng(seed * 100 + number)
            total, seen = len(packed.sizes), 0
            store = Store(packed, device)
            for chosen in groups(packed.sizes, tokens, rng):
                yield (number + seen / total) / epochs, store.batch(chosen)
                seen += len(chosen)


def groups(sizes: np.ndarray, tokens: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Items of one padded length together, the longest batch first, the rest in random order.

    There are few shapes, since each new one costs the GPU library a search; what does not fill a batch of its
    length goes up to the next length.
    """
    padded = padded_length(sizes)
    found: list[np.ndarray] = []
    over = np.zeros(0, dtype=np.int64)
    for length in np.unique(padded):
        own = np.concatenate([over, np.flatnonzero(padded == length)])
        rng.shuffle(own)
        full = max(1, tokens // int(length))
        whole = len(own) // full * full
        found += list(own[:whole].reshape(-1, full))
        over = own[whole:]
    if not found:
        return [over]
    last = found.pop()
    order = rng.permutation(len(found))
    return [last, *(found[n] for n in order)]


def padded_length(sizes: np.ndarray) -> np.ndarray:
    """Up to a multiple of 8, of 32 beyond 128."""
    return np.where(sizes <= 128, -(-sizes // 8) * 8, -(-sizes // 32) * 32)


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)


class Store:
    """An epoch on the device."""

    def __init__(self, packed: Packed, device: torch.device) -> None:
        self.packed, self.device = packed, device
        put = lambda x: torch.from_numpy(x).to(device)  # noqa: E731
        self.ids, self.segments = put(packed.ids.astype(np.int32)), put(packed.segments.astype(np.int32))
        self.starts, self.sizes = put(_starts(packed.sizes)), put(packed.sizes.astype(np.int64))
        self.first, self.counts = put(packed.first.astype(np.int64)), put(packed.counts.astype(np.int64))
        self.label, self.similarity = put(packed.label), put(packed.similarity)
        self.marks = put(packed.marks.astype(np.int64))
        self.mark_starts = _starts(packed.counts)

    def batch(self, chosen: np.ndarray) -> Batch:
        length = int(padded_length(self.packed.sizes[chosen]).max())
        counts = self.packed.counts[chosen]
        total = int(counts.sum())
        before = np.repeat(self.mark_starts[chosen] - _starts(counts), counts) + np.arange(total)
        at = torch.from_numpy(chosen).to(self.device, non_blocking=True)
        places = torch.arange(length, device=self.device)
        mask = places[None] < self.sizes[at][:, None]
        flat = (self.starts[at][:, None] + places[None]).clamp(max=len(self.ids) - 1)
        own = self.counts[at]
        shift = (torch.cumsum(own, 0) - own)[:, None]
        segments = self.segments[flat].long() * mask
        return Batch(
            self.ids[flat].long() * mask,
            (places[None] >= self.first[at][:, None]).long() * mask,
            mask.long(),
            self.label[at],
            self.similarity[at],
            torch.where(segments > 0, segments + shift, 0),
            self.marks[torch.from_numpy(before).to(self.device, non_blocking=True)],
        )
