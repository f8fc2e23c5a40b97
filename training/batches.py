"""From lines of the mix to batches of token numbers. Distractors and windows are drawn anew every epoch."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tokenizers import Tokenizer

CLS, SEP = 101, 102
LABELS = {"e": 0, "n": 1, "c": 2, "x": 3}
LOOSE = {"r": 16.0, "d": 0.7, "p": 0.15}
"""Pairs that only the teacher judges, drawn from a line in an epoch."""
FROM_DOCUMENTS, DRAWN = 0.5, 5
UNTOLD = -2
"""In place of a label: only the teacher says what it thinks of this pair."""
LONGEST_PAIR, LONGEST_TRACE, LONGEST_RESPONSE, ROOM = 256, 512, 240, 400
RELEVANT, USED, SUPPORTED, WRONG = range(4)
ROUNDS = {"r": 3, "s": 3}
"""Times a trace or a similarity pair is seen in an epoch."""
CHANGED = 0.5
"""Share of traces in which one sentence of the response has an error put in."""
Ids = np.ndarray


class Item(NamedTuple):
    """One input: tokens, length of its first part, pair label or -1, similarity or -1, and labelled spans."""

    ids: Ids
    first: int
    label: int
    similarity: float
    segments: np.ndarray
    """Number of the span a token belongs to, from 1; 0 for none."""
    marks: np.ndarray
    """Labels (span, head): 0, 1, or -1 where the head has nothing to learn."""


class Texts:
    """Every text tokenised once."""

    def __init__(self, tokenizer: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.ids: dict[str, Ids] = {}

    def add(self, texts: Sequence[str]) -> None:
        fresh = sorted({text for text in texts if text not in self.ids})
        for start in range(0, len(fresh), 50_000):
            part = fresh[start : start + 50_000]
            for text, found in zip(
                part, self.tokenizer.encode_batch(part, add_special_tokens=False), strict=True
            ):
                self.ids[text] = np.array(found.ids, dtype=np.uint16)

    def wrong(self, text: str, span: Sequence[int]) -> np.ndarray:
        """1 for every token of the span."""
        found = self.tokenizer.encode(text, add_special_tokens=False)
        return np.array([int(a < span[1] and b > span[0]) for a, b in found.offsets], dtype=np.int8)


def read(path: Path) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Lines and documents of a mix file."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [r for r in rows if r["t"] != "doc"], [r["e"] for r in rows if r["t"] == "doc"]


class Mix:
    """Lines ready to be composed into items."""

    def __init__(
        self, path: Path, texts: Texts, without: str = "", edits: float = 1.0, loose: float = 0.0
    ) -> None:
        lines, self.docs = read(path)
        self.lines = [line for line in lines if not without or line.get("f") != without]
        self.texts, self.edits, self.loose = texts, edits, loose
        texts.add([t for doc in self.docs for t in doc])
        texts.add([t for line in self.lines for t in _texts(line)])
        self.by_source: dict[str, list[list[str]]] = {}
        for line in self.lines:
            if line["t"] == "p":
                self.by_source.setdefault(line["s"].removeprefix("edit_"), []).append(line["e"])
            if "k" in line:
                line["m"] = texts.wrong(line["c"], line["k"])

    def epoch(self, rng: random.Random) -> list[dict[str, Any]]:
        """Lines of one epoch: each as often as its share says."""
        drawn = []
        for line in self.lines:
            share = float(ROUNDS.get(line["t"], line.get("w", 1.0)))
            share *= self.edits if "k" in line and "n" not in line else 1.0
            drawn += [line] * (int(share) + (rng.random() < share % 1))
            if not self.loose:
                continue  # and nothing drawn at random: other runs stay as they were
            share = LOOSE.get(line["t"], 0.0) * self.loose
            drawn += [{"t": "l", "line": line}] * (int(share) + (rng.random() < share % 1))
        return drawn

    def compose(self, line: dict[str, Any], rng: random.Random) -> list[Item]:
        ids = self.texts.ids
        if line["t"] == "s":
            a, b = (line["a"], line["b"]) if rng.random() < 0.5 else (line["b"], line["a"])
            return [pair(ids[a], [ids[b]], -1, line["y"])]
        if line["t"] == "r":
            return trace(self._changed(line, rng), [ids[t] for t in self.docs[line["d"]]], ids, rng)
        if line["t"] == "l":
            return [self._untold(line["line"], rng)]
        evidence = self._document(line, rng) if line["t"] == "d" else self._hidden(line, rng)
        label = LABELS[line["y"]]
        return [pair(ids[line["c"]], [ids[t] for t in evidence], label, -1.0, line.get("m"))]

    def _changed(self, line: dict[str, Any], rng: random.Random) -> dict[str, Any]:
        """A trace, in half of the cases with one sentence made wrong, which nothing supports then."""
        if not line["alt"] or not self.edits or rng.random() > CHANGED:
            return line
        number, text = rng.choice(line["alt"])
        said, full = list(line["a"]), list(line["full"])
        said[number], full[number] = text, 0
        return {**line, "a": said, "full": full}

    def _document(self, line: dict[str, Any], rng: random.Random) -> list[str]:
        doc, core = self.docs[line["d"]], line["core"]
        way = 0.0 if line.get("fix") else rng.random()
        chosen = set(core)
        if way > 0.65:
            others = line.get("near") if rng.random() < 0.6 else None
            others = others or range(len(doc))
            chosen |= set(rng.sample(others, min(len(others), rng.randint(1, 4))))
        elif way > 0.3:
            near = rng.choice((-1, 1))
            chosen |= {n + step for n in core for step in (0, near) if 0 <= n + step < len(doc)}
            if rng.random() < 0.5:
                chosen |= {n - near for n in core if 0 <= n - near < len(doc)}
        return [doc[n] for n in sorted(chosen)]

    def _untold(self, line: dict[str, Any], rng: random.Random) -> Item:
        """A claim, a sentence of a response, or one of a document, beside a passage that nobody has judged it
        by; of a few drawn the one that shares most with it. What several documents say of one question is
        natural text, of which no two tell quite the same.
        """
        ids = self.texts.ids
        doc = self.docs[line["d"]] if "d" in line else []
        if "d" in line and rng.random() < FROM_DOCUMENTS:
            claim = ids[rng.choice(doc)]
        elif line["t"] == "r":
            claim = ids[rng.choice(line["a"])]
        else:
            claim = ids[line["c"]]
        own, found = set(claim.tolist()), []
        size = rng.choice((1, 1, 2, 3, 5, 8))
        for _ in range(DRAWN):
            texts = doc or rng.choice(self.by_source[line["s"].removeprefix("edit_")])
            at = rng.randrange(len(texts))
            told = [ids[text] for text in texts[at : at + size] if ids[text] is not claim]
            if told:
                found.append((len(own.intersection(np.concatenate(told).tolist())), told))
        best = max(found, key=lambda drawn: drawn[0])[1] if found else [claim]
        return pair(claim, best, UNTOLD, -1.0)

    def _hidden(self, line: dict[str, Any], rng: random.Random) -> list[str]:
        evidence = line["e"]
        if rng.random() < 0.5 or sum(map(len, evidence)) > 700:
            return evidence
        others = self.by_source[line["s"].removeprefix("edit_")]
        extra = [rng.choice(rng.choice(others)) for _ in range(rng.randint(1, 4))]
        extra = [text for text in extra if text not in evidence and len(text) < 400]
        at = rng.randint(0, len(extra))
        return extra[:at] + evidence + extra[at:]


def _texts(line: dict[str, Any]) -> list[str]:
    if line["t"] == "s":
        return [line["a"], line["b"]]
    if line["t"] == "r":
        return [line["q"], *line["a"], *(text for _, text in line["alt"])]
    return [*line.get("e", ()), line["c"]]


def pair(claim: Ids, evidence: Sequence[Ids], label: int, similarity: float, wrong: Any = None) -> Item:
    """[CLS] claim [SEP] evidence [SEP], cut at the longest length."""
    claim = claim[: LONGEST_PAIR // 2]
    ids = np.concatenate([[CLS], claim, [SEP], *evidence])[: LONGEST_PAIR - 1]
    ids = np.append(ids, SEP).astype(np.uint16)
    segments = np.zeros(len(ids), dtype=np.int16)
    marks = np.zeros((0, 4), dtype=np.int8)
    if wrong is None and label == 0:
        wrong = np.zeros(len(claim), dtype=np.int8)
    if wrong is not None:
        segments[1 : 1 + len(claim)] = np.arange(1, len(claim) + 1)
        marks = np.full((len(claim), 4), -1, dtype=np.int8)
        marks[:, WRONG] = wrong[: len(claim)]
    return Item(ids, len(claim) + 2, label, similarity, segments, marks)


def chunks(lengths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Runs of sentences that fit the room; a longer sentence is alone in its run."""
    runs, start, used = [], 0, 0
    for n, length in enumerate(lengths):
        if n > start and used + length > room:
            runs.append((start, n))
            start, used = n, 0
        used += length
    if start < len(lengths):
        runs.append((start, len(lengths)))
    return runs


def trace(line: dict[str, Any], doc: list[Ids], ids: dict[str, Ids], rng: random.Random | None) -> list[Item]:
    """[CLS] question [SEP] response [SEP] context [SEP] for each piece of the response and of the context."""
    question = ids[line["q"]][:96]
    items = []
    for a0, a1 in chunks([len(ids[t]) for t in line["a"]], LONGEST_RESPONSE):
        said = [ids[t][:LONGEST_RESPONSE] for t in line["a"][a0:a1]]
        head = 3 + len(question) + sum(map(len, said))
        room = min(LONGEST_TRACE - head - 1, rng.randint(96, 480) if rng else ROOM)
        elsewhere = {k for n, keys in enumerate(line["sup"]) if not a0 <= n < a1 for k in keys}
        ours = {k for keys in line["sup"][a0:a1] for k in keys}
        for d0, d1 in chunks([len(t) for t in doc], room):
            marks = [
                (-1, -1, int(line["full"][n] and any(d0 <= k < d1 for k in line["sup"][n])), -1)
                for n in range(a0, a1)
            ]
            for k in range(d0, d1):
                used = line["use"][k] and (k in ours or k not in elsewhere)
                marks.append((line["rel"][k], int(used), -1, -1))
            items.append(_trace_item(question, said, [t[:room] for t in doc[d0:d1]], marks))
    return items


def _trace_item(question: Ids, said: list[Ids], told: list[Ids], marks: list[tuple[int, ...]]) -> Item:
    parts: list[Any] = [[CLS], question, [SEP], *said, [SEP], *told, [SEP]]
    numbers = [0, 0, 0, *range(1, len(said) + 1), 0, *range(len(said) + 1, len(said) + len(told) + 1), 0]
    segments = np.concatenate([np.full(len(p), n) for p, n in zip(parts, numbers, strict=True)])
    first = 3 + len(question) + sum(map(len, said))
    ids = np.concatenate(parts).astype(np.uint16)
    return Item(ids, first, -1, -1.0, segments.astype(np.int16), np.array(marks, dtype=np.int8))


class Batch(NamedTuple):
    ids: torch.Tensor
    kinds: torch.Tensor
    mask: torch.Tensor
    label: torch.Tensor
    similarity: torch.Tensor
    segments: torch.Tensor
    """Span numbers counted over the whole batch; 0 for none."""
    marks: torch.Tensor


def collate(items: Sequence[Item]) -> Batch:
    """Items padded to the longest (a multiple of 8)."""
    length = -(-max(len(i.ids) for i in items) // 8) * 8
    ids = np.zeros((len(items), length), dtype=np.int64)
    kinds, mask, segments = np.zeros_like(ids), np.zeros_like(ids), np.zeros_like(ids)
    marks, count = [], 0
    for row, item in enumerate(items):
        n = len(item.ids)
        ids[row, :n], mask[row, :n], kinds[row, item.first : n] = item.ids, 1, 1
        segments[row, :n] = np.where(item.segments > 0, item.segments + count, 0)
        marks.append(item.marks)
        count += len(item.marks)
    fields = (
        ids,
        kinds,
        mask,
        np.array([i.label for i in items]),
        np.array([i.similarity for i in items], np.float32),
    )
    return Batch(*map(torch.from_numpy, (*fields, segments, np.concatenate(marks).astype(np.int64))))
