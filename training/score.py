"""Scores items with a model in PyTorch: figures on what was held back, and logits for calibration.

    python training/score.py PAIRS OUT.npz --runs RUN [RUN ...] [--teachers T ...]

PAIRS is a list that `check_unseen.py --write` wrote. OUT has, for each run by its path, five logits a pair:
entailed, neutral, contradicted, similarity, and that of the claim's most doubtful word.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bert
import mpnet
import numpy as np
import torch
from batches import RELEVANT, SUPPORTED, USED, WRONG, Item, Mix, Texts, collate, pair, trace


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    """Area under the ROC curve; ties count half."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    ones = int(positive.sum())
    zeros = len(positive) - ones
    if not ones or not zeros:
        return float("nan")
    return float((rank[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    def ranks(x: np.ndarray) -> np.ndarray:
        _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[inverse]

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def margins(logits: np.ndarray) -> np.ndarray:
    """Entailed against the other two, as log odds."""
    told = logits.astype(float)
    return told[:, 0] - np.logaddexp(told[:, 1], told[:, 2])


def by_length(items: Sequence[Item], tokens: int) -> Iterator[list[int]]:
    """Numbers of items of about one length, together of at most so many tokens."""
    order = sorted(range(len(items)), key=lambda n: len(items[n].ids))
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * len(items[order[end]].ids) <= tokens:
            end += 1
        yield order[start:end]
        start = end


@torch.no_grad()
def score_items(
    model: torch.nn.Module, items: Sequence[Item], tokens: int = 32768
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Pair logits (item, 4), and for each item the mean token logits of its spans (span, 4)."""
    model.eval()
    device = next(model.parameters()).device
    pairs = np.zeros((len(items), 4), dtype=np.float32)
    spans: list[np.ndarray] = [np.zeros((0, 4), dtype=np.float32)] * len(items)
    for group in by_length(items, tokens):
        batch = collate([items[n] for n in group])
        ids, kinds, mask = (part.to(device) for part in batch[:3])
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            pair_logits, token_logits = model(ids, kinds, mask)
        told, each = pair_logits.float().cpu().numpy(), token_logits.float().cpu().numpy()
        for row, n in enumerate(group):
            pairs[n] = told[row]
            spans[n] = _span_means(each[row], items[n])
    return pairs, spans


def _span_means(tokens: np.ndarray, item: Item) -> np.ndarray:
    count = int(item.segments.max()) if len(item.segments) else 0
    out = np.zeros((count, 4), dtype=np.float32)
    sizes = np.maximum(np.bincount(item.segments, minlength=count + 1)[1:], 1)
    np.add.at(out, item.segments[item.segments > 0] - 1, tokens[: len(item.ids)][item.segments > 0])
    return out / sizes[:, None]


def evaluate(model: torch.nn.Module, dev: Mix, fold: str) -> dict[str, Any]:
    """AUROC of entailed against the rest for each source that this fold left out, and of the other heads."""
    rng = random.Random(5)
    lines = [line for line in dev.lines if line.get("f") in (fold or "out", "out", None)]
    kept = [(line, item) for line in lines for item in dev.compose(line, rng)]
    pairs, spans = score_items(model, [item for _, item in kept])
    figures: dict[str, Any] = {}
    sources = sorted(
        {line["s"].replace("edit_ragbench", "edit_rag") for line, _ in kept if line["t"] in "pd"}
    )
    for source in sources:
        rows = [
            n
            for n, (line, _) in enumerate(kept)
            if line["t"] in "pd" and line["s"] in (source, source.removeprefix("edit_"))
        ]
        told = np.array([kept[n][1].label == 0 for n in rows])
        logits = pairs[rows]
        if 0 < told.sum() < len(told):
            figures[source] = [round(auroc(margins(logits), told), 4), len(rows)]
    for name, head in (("relevant", RELEVANT), ("used", USED), ("supported", SUPPORTED)):
        if not any(line["t"] == "r" for line, _ in kept):
            continue
        x = np.concatenate([s[:, head] for s, (line, _) in zip(spans, kept, strict=True) if line["t"] == "r"])
        y = np.concatenate([item.marks[:, head] for line, item in kept if line["t"] == "r"])
        figures[name] = [round(auroc(x[y >= 0], y[y >= 0] == 1), 4), int((y >= 0).sum())]
    marked = [n for n, (line, _) in enumerate(kept) if "k" in line]
    x = np.concatenate([spans[n][:, WRONG] for n in marked])
    y = np.concatenate([kept[n][1].marks[:, WRONG] for n in marked])
    figures["wrong"] = [round(auroc(x, y == 1), 4), len(y)]
    alike = [n for n, (line, _) in enumerate(kept) if line["t"] == "s"]
    figures["stsb_dev_spearman"] = [
        round(spearman(pairs[alike, 3], np.array([kept[n][0]["y"] for n in alike])), 4),
        len(alike),
    ]
    return figures


def score_all(model: torch.nn.Module, windows: Path, dev: Mix, texts: Texts) -> dict[str, np.ndarray]:
    """Logits of every line of the windows file, and of the traces cut as at run time."""
    with lzma.open(windows, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    texts.add([text for row in rows for text in (row["c"], *row["w"], *row["d"])])
    items, beside = [], []
    for row in rows:
        claim = texts.ids[row["c"]]
        items += [pair(claim, [texts.ids[w]], 3, -1.0, np.zeros(len(claim), dtype=np.int8)) for w in row["w"]]
        beside += [pair(claim, [texts.ids[d]], 3, -1.0) for d in row["d"]]
    pairs, spans = score_items(model, items)
    wrong = np.array([s[:, WRONG].max(initial=-20.0) for s in spans], dtype=np.float32)
    out = {"pairs": pairs.astype(np.float16), "wrong": wrong.astype(np.float16)}
    out["documents"] = score_items(model, beside)[0].astype(np.float16)
    traces = [line for line in dev.lines if line["t"] == "r"]
    cut = [trace(line, [texts.ids[t] for t in dev.docs[line["d"]]], texts.ids, None) for line in traces]
    _, marks = score_items(model, [item for part in cut for item in part])
    out["trace_sizes"] = np.array([len(part) for part in cut])
    out["trace_spans"] = np.array([len(m) for m in marks])
    out["trace_logits"] = np.concatenate(marks).astype(np.float16)
    return out


def score_pairs(model: torch.nn.Module, pairs: Sequence[Sequence[str]], texts: Texts) -> np.ndarray:
    """Five logits of every (claim, evidence)."""
    texts.add([text for both in pairs for text in both])
    items = [
        pair(texts.ids[claim], [texts.ids[told]], 3, -1.0, np.zeros(len(texts.ids[claim]), dtype=np.int8))
        for claim, told in pairs
    ]
    logits, spans = score_items(model, items)
    wrong = [s[:, WRONG].max(initial=-20.0) for s in spans]
    return np.concatenate([logits, np.array(wrong, np.float32)[:, None]], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=Path, nargs="*", default=[])
    parser.add_argument("--teachers", type=Path, nargs="*", default=[])
    parser.add_argument("--data", type=Path, default=Path(".train"))
    told = parser.parse_args()
    texts = Texts(told.data / "tokenizer.json")
    with lzma.open(told.pairs, "rt", encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = {}
    for run in (*told.runs, *told.teachers):
        weights = bert.load(bert.parts(run))
        model = mpnet.Teacher() if run in told.teachers else bert.Judge(layers=bert.depth(weights))
        model.load_state_dict(weights)
        found[str(run)] = score_pairs(model.to(device), pairs, texts).astype(np.float16)
    np.savez(told.out, **found)


if __name__ == "__main__":
    main()
