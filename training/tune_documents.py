"""Goes on training the encoder for whole documents on whole answers, from end to end, on a CPU.

    python training/tune_documents.py OUT [--start .train/shipped/documents] [--minutes 25] [--seed 1]

Each sentence of an answer is held against its nearest documents and the odds are put together nearly as
judges/local/documents.py does it (those against sentences are averaged here), so that what is learned is what
a whole answer is judged by: whether each sentence is borne out, and whether all are. The word table, which
two encoders share, and the first layers stay as they are. Writes OUT/part1.npz and so on, the average over
the last steps, and OUT/log.json.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bert
import numpy as np
import torch
from batches import Texts, collate, pair
from score import by_length
from torch import Tensor
from torch.nn import functional
from train import begin, write_parts
from whole_answers import Line

from adjudge.judges.local.documents import AGAINST

FROZEN = 3
"""Layers that are not trained, which makes a step half as long again as fast."""
ANSWERS, SENTENCES = 12, 8
"""Answers of a batch, and sentences of each at most."""
TOKENS = 4096
SHARES = {
    "ragtruth": 0.5, "hover": 0.2, "feverous": 0.2, "multihop": 0.2, "halueval": 0.2,
    "covidqa_train": 2.0, "covidqa_validation": 2.0, "hagrid_validation": 2.0,
}  # fmt: skip
"""How often answers of a source are drawn, beside RAGBench's, which the start weights know."""
RAGBENCH = 1.0
WARM, DECAY, LONGEST_AVERAGE, POOL_DROPOUT = 0.05, 0.01, 0.995, 0.1


class Answers:
    """Answers drawn at random, and how much their sentences weigh, so that rare kinds count for more."""

    def __init__(self, path: Path, seed: int, without: str | None = None) -> None:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            every: list[Line] = [json.loads(row) for row in file]
        self.lines = [line for line in every if line.get("f", "") != without]
        self.rng = random.Random(seed)
        self.shares = [SHARES.get(line["s"], RAGBENCH) for line in self.lines]
        known = [(line["s"], true) for line in self.lines for true in line["y"] if true is not None]
        self.count = Counter(known)

    def batch(self) -> list[Line]:
        return [self._cut(line) for line in self.rng.choices(self.lines, self.shares, k=ANSWERS)]

    def _cut(self, line: Line) -> Line:
        chosen = range(len(line["y"]))
        if len(chosen) > SENTENCES:
            chosen = self.rng.sample(chosen, SENTENCES)
        true = [line["y"][n] for n in chosen]
        whole = line["a"] if None in true else all(true)
        return {"s": line["s"], "p": [line["p"][n] for n in chosen], "y": true, "a": whole}

    def weights(self, line: Line) -> Tensor:
        """Of its sentences; those of which nothing is known have none."""
        both = self.count[line["s"], True] + self.count[line["s"], False]
        return torch.tensor(
            [0.0 if true is None else (both / (2 * self.count[line["s"], true])) ** 0.5 for true in line["y"]]
        )


def margins(model: bert.Judge, texts: Texts, pairs: Sequence[tuple[str, str]]) -> Tensor:
    """Entailed against the rest, as judges/local/calibration.margin has it, of every pair."""
    texts.add([text for both in pairs for text in both])
    items = [pair(texts.ids[claim], [texts.ids[text]], -1, -1.0) for claim, text in pairs]
    found: list[Tensor] = [torch.zeros(0)] * len(items)
    for group in by_length(items, TOKENS):
        ids, kinds, mask = collate([items[n] for n in group])[:3]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits, _ = model(ids, kinds, mask)
        for row, n in enumerate(group):
            entailed, neutral, contradicted = logits[row, :3].float()
            found[n] = entailed - torch.logaddexp(neutral, contradicted + float(np.log(AGAINST)))
    return torch.stack(found)


def sentence_odds(model: bert.Judge, texts: Texts, lines: Sequence[Line]) -> list[Tensor]:
    """Log odds of every sentence of every answer beside its nearest documents."""
    pairs = list(
        dict.fromkeys((c, t) for line in lines for own in line["p"] for part in own for c, t in part)
    )
    known = dict(zip(pairs, margins(model, texts, pairs), strict=True))

    def odds(part: Sequence[Sequence[str]]) -> Tensor:
        told = torch.stack([known[claim, text] for claim, text in part])
        return torch.logsumexp(told, 0) - float(np.log(len(part)))

    return [
        torch.stack([torch.stack([odds(part) for part in own if part]).mean() for own in line["p"]])
        for line in lines
    ]


def answer_odds(odds: Tensor) -> Tensor:
    """Of a whole answer: the mean of the odds against its sentences, turned round."""
    return -(torch.logsumexp(-odds, 0) - float(np.log(len(odds))))


def loss_of(odds: Sequence[Tensor], lines: Sequence[Line], answers: Answers, centre: Tensor) -> Tensor:
    """`centre`: what is added to the odds of sentences, and of answers, before they are probabilities."""
    total = torch.zeros(())
    for own, line in zip(odds, lines, strict=True):
        true = torch.tensor([float(y or False) for y in line["y"]])
        each = functional.binary_cross_entropy_with_logits(own + centre[0], true, reduction="none")
        total = total + 0.5 * (each * answers.weights(line)).mean()
        if len(own) > 1 or line["y"] == [None]:
            whole, adheres = answer_odds(own) + centre[1], torch.tensor(float(line["a"]))
            total = total + 0.5 * functional.binary_cross_entropy_with_logits(whole, adheres)
    return total / len(lines)


def loaded(folder: Path) -> bert.Judge:
    weights = bert.load(bert.parts(folder))
    model = bert.Judge(0.0, bert.depth(weights))
    begin(model, weights, 0)
    model.dropout = POOL_DROPOUT
    for layer in model.layers:
        layer.plain = True
    for part in (model.words, model.positions, model.kinds, *model.layers[:FROZEN]):
        part.requires_grad_(False)
    return model.train()


def tune(model: bert.Judge, texts: Texts, answers: Answers, told: argparse.Namespace) -> dict[str, Any]:
    """Trains, leaves the average of the last steps in the model, and returns the log."""
    own = [p for p in model.parameters() if p.requires_grad]
    centre = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW(
        [{"params": own, "weight_decay": DECAY}, {"params": [centre], "weight_decay": 0.0}], lr=told.rate
    )
    average = {name: value.detach().clone() for name, value in model.state_dict().items()}
    began, steps, log, running = time.monotonic(), 0, [], 0.0
    while (progress := (time.monotonic() - began) / (60 * told.minutes)) < 1:
        lines = answers.batch()
        loss = loss_of(sentence_odds(model, texts, lines), lines, answers, centre)
        for group, rate in zip(optimizer.param_groups, (told.rate, 0.01), strict=True):
            group["lr"] = rate * min(progress / WARM, (1 - progress) / (1 - WARM), 1.0)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(own, 1.0)
        optimizer.step()
        steps += 1
        keep = min(LONGEST_AVERAGE, steps / (steps + 10))
        for name, value in model.state_dict().items():
            average[name].lerp_(value.detach(), 1 - keep)
        running = loss.item() if steps == 1 else 0.98 * running + 0.02 * loss.item()
        if steps == 20 or steps % 100 == 0:
            log.append({"steps": steps, "progress": round(progress, 3), "loss": round(running, 4),
                        "centre": [round(x, 2) for x in centre.tolist()]})  # fmt: skip
            print(json.dumps(log[-1]), flush=True)
    model.load_state_dict(average)
    return {"steps": steps, "answers": steps * ANSWERS, "seconds": time.monotonic() - began, "log": log}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, default=Path(".train/shipped/documents"))
    parser.add_argument("--answers", type=Path, default=Path(".train/whole.jsonl.xz"))
    parser.add_argument("--tokenizer", type=Path, default=Path("src/adjudge/models/tokenizer.json"))
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--rate", type=float, default=1e-4, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", choices=("A", "B"), help="fold of RAGBench questions to leave out")
    parser.add_argument("--threads", type=int, help="of PyTorch; two runs of one each beat one of two")
    told = parser.parse_args()
    torch.manual_seed(told.seed)
    if told.threads:
        torch.set_num_threads(told.threads)
    model = loaded(told.start)
    log = tune(model, Texts(told.tokenizer), Answers(told.answers, told.seed, told.without), told)
    told.out.mkdir(parents=True, exist_ok=True)
    write_parts(model.state_dict(), told.out)
    options = {"seed": told.seed, "without": told.without, "rate": told.rate}
    record = {"torch": torch.__version__, **options, **log}
    (told.out / "log.json").write_text(json.dumps(record, indent=1))
    print(f"{log['steps']} steps, {log['answers']} answers, {log['seconds']:.0f} s")


if __name__ == "__main__":
    main()
