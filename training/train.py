"""Trains the judge on one GPU (or, to try it, a CPU) and scores what was held back.

    python training/train.py --data .train --out OUT [--fold A] [--epochs 8] [--minutes 7]

`--network teacher` trains the larger encoder that distil.py asks, from .train/teacher?.npz.
Writes OUT/part1.npz and so on (weights, averaged over the last steps), OUT/scores.npz (logits of the windows
and traces that calibrate.py reads) and OUT/log.json. Learning rate and end are set by the share of items
seen or of the time used, whichever is further.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bert
import mpnet
import numpy as np
import torch
from batches import LABELS, Batch, Mix, Texts
from packed import Composer
from score import evaluate, score_all
from torch import Tensor
from torch.nn import functional

DECAY, WARM, SMOOTH, AVERAGE = 0.01, 0.04, 0.05, 0.9995
SPAN_WEIGHTS = (0.12, 0.12, 0.12, 0.02)
"""Of a labelled span beside a pair's weight of 1: relevant, used, supported, wrong word."""
TOKENS = 16384
PER_BATCH = 200.0
HEADS = 7
LAYERS_A_PART = 3


def pair_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Summed cross entropy with smoothed labels; for `x`, of "not entailed"."""
    log = functional.log_softmax(logits[:, :3].float(), dim=1)
    known = labels < LABELS["x"]
    target = functional.one_hot(labels.clamp(0, 2), 3) * (1 - SMOOTH) + SMOOTH / 3
    told = -(target * log).sum(1)
    apart = torch.logsumexp(log[:, 1:], dim=1)
    untold = -((1 - SMOOTH / 2) * apart + SMOOTH / 2 * log[:, 0])
    return (torch.where(known, told, untold) * (labels >= 0)).sum()


def span_means(tokens: Tensor, segments: Tensor, count: int) -> Tensor:
    """Mean token logits of every span."""
    flat = tokens.float().reshape(-1, tokens.shape[-1])
    at = segments.reshape(-1)
    sums = torch.zeros(count + 1, flat.shape[1], device=flat.device).index_add(0, at, flat)
    sizes = torch.zeros(count + 1, device=flat.device).index_add(
        0, at, torch.ones_like(at, dtype=torch.float)
    )
    return sums[1:] / sizes[1:, None].clamp(min=1)


def span_weights(marks: Tensor) -> Tensor:
    """Of every span for every head; wrong words are few, and so weigh more than right ones."""
    rare = torch.where((marks == 1) & (torch.arange(4, device=marks.device) == 3), 6.0, 1.0)
    return torch.tensor(SPAN_WEIGHTS, device=marks.device) * rare * (marks >= 0)


def loss_of(model: bert.Headed, batch: Batch) -> Tensor:
    pairs, tokens = model(batch.ids, batch.kinds, batch.mask)
    total = pair_loss(pairs, batch.label)
    alike = (batch.similarity >= 0).float()
    target = batch.similarity.clamp(min=0)
    each = functional.binary_cross_entropy_with_logits(pairs[:, 3].float(), target, reduction="none")
    total = total + 2 * (each * alike).sum()
    if len(batch.marks):
        means = span_means(tokens, batch.segments, len(batch.marks))
        marks = batch.marks
        each = functional.binary_cross_entropy_with_logits(
            means, marks.clamp(min=0).float(), reduction="none"
        )
        total = total + (each * span_weights(marks)).sum()
    return total / math.sqrt(len(batch.ids) * PER_BATCH)


def rate(progress: float) -> float:
    return min(progress / WARM, (1 - progress) / (1 - WARM))


def begin(model: bert.Headed, start: dict[str, Tensor], seed: int) -> None:
    """Takes the weights; `seed` draws all that comes after."""
    missing, unexpected = model.load_state_dict(start, strict=False)
    torch.manual_seed(seed)
    assert not unexpected
    assert {name.split(".")[0] for name in missing} <= {"pool", "pair", "token"}


class Learner:
    """A model that learns, with its optimizer and the average of its weights over the last steps."""

    def __init__(self, model: bert.Headed, extra: Iterable[Tensor] = ()) -> None:
        self.model, self.steps = model, 0
        plain = [p for p in model.parameters() if p.ndim < 2]
        wide = [p for p in model.parameters() if p.ndim >= 2]
        groups = [{"params": wide, "weight_decay": DECAY}, {"params": [*plain, *extra], "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, fused=next(model.parameters()).is_cuda)
        self.average = {name: value.detach().clone() for name, value in model.state_dict().items()}
        model.train()

    def step(self, loss: Tensor, at: float) -> Tensor:
        """Learns from one batch's loss at a rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = at
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.steps += 1
        keep = min(AVERAGE, self.steps / (self.steps + 20))
        with torch.no_grad():
            state = list(self.model.state_dict().values())
            torch._foreach_lerp_(list(self.average.values()), state, 1 - keep)
        return loss.detach()

    def end(self) -> bert.Headed:
        """The average."""
        self.model.load_state_dict(self.average)
        return self.model.eval()


def train(
    composer: Composer, start: dict[str, Tensor], told: argparse.Namespace, seed: int
) -> tuple[bert.Headed, Any]:
    # Heads start alike in all runs, so that averages of their weights keep their margins.
    torch.manual_seed(HEADS)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kind = mpnet.Teacher if told.network == "teacher" else bert.Judge
    model = kind(told.dropout).to(device)
    begin(model, start, seed)
    model.words.weight.requires_grad_(not told.fixed_words)
    if told.compile:
        bert.compiled(model)
    learner = Learner(model)
    began, seen, log, running = time.monotonic(), 0, [], None
    for share, batch in composer.batches(told.epochs, seed, told.tokens, device):
        progress = max(share, (time.monotonic() - began) / (60 * told.minutes))
        if progress >= 1:
            break
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = loss_of(model, batch)
        loss = learner.step(loss, told.rate * rate(progress))
        seen, steps = seen + len(batch.ids), learner.steps
        running = loss if running is None else running.lerp(loss, 0.01)
        if steps % 200 == 0 or steps == 20:
            log.append({"step": steps, "seen": seen, "progress": progress, "loss": float(running),
                        "seconds": time.monotonic() - began})  # fmt: skip
            print(json.dumps(log[-1]), flush=True)
    print(f"seed {seed}: {learner.steps} steps, {seen} items, {time.monotonic() - began:.0f} s", flush=True)
    return learner.end(), log


def write_parts(state: dict[str, Tensor], out: Path) -> None:
    weights = {name: value.float().cpu().numpy() for name, value in state.items()}
    last = 2 + (bert.depth(weights) - 1) // LAYERS_A_PART
    files: dict[int, dict[str, np.ndarray]] = {}
    for name, value in sorted(weights.items()):
        if name.startswith("layers."):
            number = 2 + int(name.split(".")[1]) // LAYERS_A_PART
        elif name.startswith(("pool", "pair", "token")):
            number = last
        else:
            number = 1 if name == "words.weight" else 2
        files.setdefault(number, {})[name] = value
    for number, own in files.items():
        bert.save(own, out / f"part{number}.npz")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(".train"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--network", choices=("judge", "teacher"), default="judge")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument(
        "--fold", default="", help="A or B: leave these sources out, for the last layer's sake"
    )
    parser.add_argument("--start", type=Path, help="go on from the weights in this folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-4, help="highest learning rate")
    parser.add_argument("--fixed-words", action="store_true", help="leave the word table as it is")
    parser.add_argument("--edits", type=float, default=1.0, help="share of claims with an error put in")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--compile", action="store_true", help="kernels made for the layers, on a GPU")
    told = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    told.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    texts = Texts(told.data / "tokenizer.json")
    mix = Mix(told.data / "mix.jsonl.xz", texts, told.fold, told.edits)
    dev = Mix(told.data / "dev.jsonl.xz", texts)
    if told.start:
        parts = bert.parts(told.start)
    else:
        parts = sorted(told.data.glob("teacher?.npz" if told.network == "teacher" else "start.npz"))
    start = bert.load(parts)
    # Before the GPU is touched: the workers are forked copies of this process.
    composer = Composer(mix, told.workers, told.epochs, told.seed)
    print(f"ready after {time.monotonic() - began:.0f} s; torch {torch.__version__}", flush=True)
    model, log = train(composer, start, told, told.seed)
    figures = evaluate(model, dev, told.fold)
    print(json.dumps(figures, indent=1), flush=True)
    write_parts(model.state_dict(), told.out)
    windows = told.data / "windows.jsonl.xz"
    if windows.exists():
        np.savez(told.out / "scores.npz", **score_all(model, windows, dev, texts))
    record = {
        "torch": torch.__version__, "seed": told.seed, "fold": told.fold, "log": log, "unseen": figures,
        "seconds": time.monotonic() - began,
    }  # fmt: skip
    (told.out / "log.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
