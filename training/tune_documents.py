"""Goes on training the encoder for whole documents on whole answers, from end to end.

    python training/tune_documents.py OUT [--start .train/shipped/documents] [--minutes 25] [--seed 1]

Each sentence of an answer is held against its nearest documents and the odds are put together nearly as
judges/local/documents.py does it (those against sentences are averaged here), so that what is learned is what
a whole answer is judged by: whether each sentence is borne out, and whether all are. The word table, which
two encoders share, stays as it is. --held are answers that `weigh_documents.py --write` wrote; how well they
are told is shown at the end. Writes OUT/part1.npz and so on, the average over the last steps, and
OUT/log.json.
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
from score import auroc, by_length
from torch import Tensor
from torch.nn import functional
from train import begin, write_parts
from whole_answers import Line

from adjudge.judges.local import documents

SENTENCES, AT_ONCE = 8, 40
"""Of an answer in a batch, at most; answers that are held back read at once."""
TOKENS = {"cpu": 4096, "cuda": 49152}
"""Read at once."""
SHARES = {
    "ragtruth": 0.5, "hover": 0.2, "feverous": 0.2, "multihop": 0.2, "halueval": 0.2,
    "covidqa_train": 2.0, "covidqa_validation": 2.0, "hagrid_validation": 2.0,
}  # fmt: skip
"""How often answers of a source are drawn, beside RAGBench's, which the start weights know."""
RAGBENCH = 1.0
SHOWN = 0.1
"""Share of a run after which it tells how it stands."""
WARM, DECAY, LONGEST_AVERAGE, POOL_DROPOUT = 0.05, 0.01, 0.995, 0.1


class Answers:
    """Answers drawn at random, and how much their sentences weigh, so that rare kinds count for more."""

    def __init__(self, path: Path, seed: int, at_once: int, without: str | None = None) -> None:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            every: list[Line] = [json.loads(row) for row in file]
        self.lines = [line for line in every if line.get("f", "") != without]
        self.rng, self.at_once = random.Random(seed), at_once
        self.shares = [SHARES.get(line["s"], RAGBENCH) for line in self.lines]
        known = [(line["s"], true) for line in self.lines for true in line["y"] if true is not None]
        self.count = Counter(known)

    def batch(self) -> list[Line]:
        return [self._cut(line) for line in self.rng.choices(self.lines, self.shares, k=self.at_once)]

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


def margins(
    model: bert.Judge, texts: Texts, pairs: Sequence[tuple[str, str]], against: float = documents.AGAINST
) -> Tensor:
    """Entailed against the rest, as judges/local/calibration.margin has it, of every pair."""
    texts.add([text for both in pairs for text in both])
    items = [pair(texts.ids[claim], [texts.ids[text]], -1, -1.0) for claim, text in pairs]
    device = model.words.weight.device
    order, found = [], []
    for group in by_length(items, TOKENS[device.type]):
        ids, kinds, mask = (part.to(device) for part in collate([items[n] for n in group])[:3])
        with torch.autocast(device.type, dtype=torch.bfloat16):
            logits, _ = model(ids, kinds, mask)
        entailed, neutral, contradicted = logits[:, :3].float().unbind(1)
        found.append(entailed - torch.logaddexp(neutral, contradicted + float(np.log(against))))
        order += group
    # What is put together of them is small and many: quicker on a CPU.
    return torch.cat(found).cpu()[np.argsort(order)]


def sentence_odds(
    model: bert.Judge,
    texts: Texts,
    lines: Sequence[Line],
    gathered: float = 1.0,
    against: float = documents.AGAINST,
) -> list[Tensor]:
    """Log odds of every sentence of every answer beside its nearest documents, and beside what is gathered
    from all of them at a weight: the same while this is learned.
    """
    pairs = list(
        dict.fromkeys((row[0], row[1]) for line in lines for own in line["p"] for part in own for row in part)
    )
    known = dict(zip(pairs, margins(model, texts, pairs, against).unbind(), strict=True))

    def odds(part: Sequence[Sequence[Any]]) -> Tensor:
        told = torch.stack([known[row[0], row[1]] for row in part])
        shares = torch.tensor([gathered if len(row) > 2 else 1.0 for row in part])
        return torch.logsumexp(told + shares.log(), 0) - shares.sum().log()

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


def loaded(told: argparse.Namespace, device: torch.device) -> bert.Judge:
    weights = bert.load(bert.parts(told.start))
    model = bert.Judge(told.dropout, bert.depth(weights)).to(device)
    begin(model, weights, told.seed)
    model.dropout = POOL_DROPOUT
    for layer in model.layers:
        layer.plain = device.type == "cpu"
    for part in (model.words, model.positions, model.kinds, *model.layers[: told.frozen]):
        part.requires_grad_(False)
    return model.train()


class Held:
    """Answers that are not learned from, each with the log odds that it has without documents."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.lines: list[Line] = []
        for path in paths:
            with lzma.open(path, "rt", encoding="utf-8") as file:
                self.lines += [json.loads(row) for row in file]
        self.part = np.array([line["s"] for line in self.lines])
        self.true = np.array([line["a"] for line in self.lines])
        self.base = np.array([line["b"] for line in self.lines])

    @torch.no_grad()
    def told(self, model: bert.Judge, texts: Texts) -> dict[str, list[float]]:
        """AUROC of each part by the documents alone and with all else, and the mean over parts."""
        parts = [self.lines[at : at + AT_ONCE] for at in range(0, len(self.lines), AT_ONCE)]
        every = [odds for part in parts for odds in sentence_odds(model, texts, part, documents.GATHERED)]
        alone = np.array([documents.answer_odds(odds.tolist()) for odds in every])
        both = self.base + [documents.added_to_answer(odds.tolist()) for odds in every]
        found = {}
        for name in sorted(set(self.part)):
            own = self.part == name
            found[name] = [round(auroc(x[own], self.true[own]), 3) for x in (alone, both)]
        return {"mean": np.mean(list(found.values()), axis=0).round(4).tolist(), **found}


def tune(model: bert.Judge, texts: Texts, answers: Answers, told: argparse.Namespace) -> dict[str, Any]:
    """Trains, leaves the average of the last steps in the model, and returns the log."""
    own = [p for p in model.parameters() if p.requires_grad]
    centre = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW(
        [{"params": own, "weight_decay": DECAY}, {"params": [centre], "weight_decay": 0.0}], lr=told.rate
    )
    state = model.state_dict()
    average = {name: value.detach().clone() for name, value in state.items()}
    began, steps, log, running, shown = time.monotonic(), 0, [], 0.0, 0.0
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
        with torch.no_grad():
            torch._foreach_lerp_(list(average.values()), list(state.values()), 1 - keep)
        running = loss.item() if steps == 1 else 0.98 * running + 0.02 * loss.item()
        if steps == 20 or progress > shown + SHOWN:
            shown = progress
            log.append({"steps": steps, "progress": round(progress, 3), "loss": round(running, 4),
                        "centre": [round(x, 2) for x in centre.tolist()]})  # fmt: skip
            print(json.dumps(log[-1]), flush=True)
    model.load_state_dict(average)
    seconds = time.monotonic() - began
    return {"steps": steps, "answers": steps * answers.at_once, "seconds": seconds, "log": log}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, default=Path(".train/shipped/documents"))
    parser.add_argument("--answers", type=Path, default=Path(".train/whole.jsonl.xz"))
    parser.add_argument("--tokenizer", type=Path, default=Path("src/adjudge/models/tokenizer.json"))
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--rate", type=float, default=1e-4, help="highest learning rate")
    parser.add_argument("--at-once", type=int, default=12, help="answers of a batch")
    parser.add_argument("--frozen", type=int, default=0, help="first layers that are not trained")
    parser.add_argument("--dropout", type=float, default=0.1, help="in the layers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", choices=("A", "B"), help="fold of RAGBench questions to leave out")
    parser.add_argument("--held", type=Path, nargs="*", default=(), help="answers to be told at the end")
    parser.add_argument("--threads", type=int, help="of PyTorch; two runs of one each beat one of two")
    told = parser.parse_args()
    torch.manual_seed(told.seed)
    torch.set_float32_matmul_precision("high")
    if told.threads:
        torch.set_num_threads(told.threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    answers = Answers(told.answers, told.seed, told.at_once, told.without)
    texts, held = Texts(told.tokenizer), Held(told.held)
    model = loaded(told, device)
    log = tune(model, texts, answers, told)
    told.out.mkdir(parents=True, exist_ok=True)
    write_parts(model.state_dict(), told.out)
    named = ("seed", "without", "rate", "at_once", "frozen", "dropout")
    options = {name: getattr(told, name) for name in named}
    figures = held.told(model.eval(), texts) if told.held else {}
    options |= {"torch": torch.__version__, "device": device.type, "start": told.start.name}
    record = {**options, **log, "held": figures}
    (told.out / "log.json").write_text(json.dumps(record, indent=1))
    print(f"{log['steps']} steps, {log['answers']} answers, {log['seconds']:.0f} s", json.dumps(figures))


if __name__ == "__main__":
    main()
