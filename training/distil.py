"""Goes on training judges with a teacher's opinion of every pair beside the labels, on one GPU.

    python training/distil.py --teacher T --start JUDGE [JUDGE ...] --out OUT [--minutes 4]

T is what `train.py --network teacher` wrote; each JUDGE holds weights as train.py writes them, of any depth.
All are shown the same batches, so that the teacher reads a batch once. Beside the lines of the mix there are
claims with passages that nobody has judged them by. Writes OUT/NAME/part1.npz and so on for each JUDGE by its
folder's name.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import bert
import mpnet
import torch
from batches import Batch, Mix, Texts
from packed import Composer
from score import evaluate
from torch import Tensor, nn
from torch.nn import functional
from train import PER_BATCH, Learner, begin, pair_loss, rate, span_means, span_weights, write_parts

TAUGHT, ALIKE = 0.75, 0.25
"""Weight of the teacher's opinion beside that of a label; of how alike it finds two texts, which it knows no
better than its students, less.
"""
KEPT = 200
"""Batches at hand to be learned from again."""
SAVED = 240.0
"""Seconds between two savings of the average so far, in case the run does not come to its end."""


class Opinion:
    """What the teacher says of a batch."""

    def __init__(self, teacher: mpnet.Teacher, batch: Batch) -> None:
        with torch.no_grad():
            states = teacher.states(batch.ids, batch.kinds, batch.mask)
            pairs, tokens = teacher.read(states[-1], batch.mask)
        self.states = [each.bfloat16() for each in on_the_way(states)]
        self.shares = torch.softmax(pairs[:, :3].float(), dim=1)
        self.similarity = torch.sigmoid(pairs[:, 3].float())
        self.spans = torch.sigmoid(span_means(tokens, batch.segments, len(batch.marks)))


def on_the_way(states: Sequence[Tensor]) -> list[Tensor]:
    """Tokens after each third of the layers."""
    return [states[len(states) * third // 3 - 1] for third in (1, 2, 3)]


def taught(label: Tensor, opinion: Tensor, share: float = TAUGHT) -> Tensor:
    return (1 - share) * label + share * opinion


def apart(states: Tensor, teachers: Tensor, batch: Batch) -> Tensor:
    """One less the cosine between tokens as a student has them and as the teacher has, summed like pairs."""
    near = functional.cosine_similarity(states.float(), teachers.float(), dim=2)
    return len(batch.ids) * ((1 - near) * batch.mask).sum() / batch.mask.sum()


def loss_of(model: bert.Judge, states: Tensor, batch: Batch, opinion: Opinion) -> Tensor:
    """As in train.py, with every label moved towards the teacher's opinion."""
    pairs, tokens = model.read(states, batch.mask)
    log = functional.log_softmax(pairs[:, :3].float(), dim=1)
    each = -(opinion.shares * log).sum(1)
    told, asked = batch.label >= 0, batch.label != -1
    total = (each * torch.where(told, TAUGHT, 1.0) * asked).sum() + (1 - TAUGHT) * pair_loss(
        pairs, batch.label
    )
    target = taught(batch.similarity.clamp(min=0), opinion.similarity, ALIKE)
    each = functional.binary_cross_entropy_with_logits(pairs[:, 3].float(), target, reduction="none")
    total = total + 2 * (each * (batch.similarity >= 0)).sum()
    if len(batch.marks):
        means = span_means(tokens, batch.segments, len(batch.marks))
        target = taught(batch.marks.clamp(min=0).float(), opinion.spans)
        each = functional.binary_cross_entropy_with_logits(means, target, reduction="none")
        total = total + (each * span_weights(batch.marks)).sum()
    return total


class Student:
    """A judge that learns from a teacher."""

    def __init__(self, start: Path, states: float, told: argparse.Namespace, device: torch.device) -> None:
        self.name = start.name
        weights = bert.load(bert.parts(start))
        self.model = bert.Judge(told.dropout, bert.depth(weights)).to(device)
        begin(self.model, weights, told.seed)
        self.model.words.weight.requires_grad_(False)
        if told.compile:
            bert.compiled(self.model)
        # Matrices that are not kept: the teacher's tokens are wider.
        self.states = states
        self.wider = nn.ModuleList(nn.Linear(bert.WIDTH, mpnet.WIDTH) for _ in range(3)).to(device)
        self.learner = Learner(self.model, self.wider.parameters())

    def step(self, batch: Batch, opinion: Opinion, at: float) -> Tensor:
        with torch.autocast(batch.ids.device.type, dtype=torch.bfloat16):
            states = self.model.states(batch.ids, batch.kinds, batch.mask)
            loss = loss_of(self.model, states[-1], batch, opinion)
            if self.states:
                compared = zip(self.wider, on_the_way(states), opinion.states, strict=True)
                far = sum(apart(wider(own), teachers, batch) for wider, own, teachers in compared)
                loss = loss + self.states / 3 * far
            loss = loss / math.sqrt(len(batch.ids) * PER_BATCH)
        return self.learner.step(loss, at)

    def write(self, out: Path) -> None:
        """The average over the last steps."""
        (out / self.name).mkdir(parents=True, exist_ok=True)
        write_parts(self.learner.average, out / self.name)


class Kept:
    """Batches with the teacher's opinion of them: to read one costs it more than a student's step does."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.all: list[tuple[Batch, Opinion]] = []

    def add(self, batch: Batch, opinion: Opinion) -> None:
        if len(self.all) == KEPT:
            self.all.pop(self.rng.randrange(KEPT))
        self.all.append((batch, opinion))

    def drawn(self, count: int) -> list[tuple[Batch, Opinion]]:
        return self.rng.sample(self.all, min(count, len(self.all)))


def distil(composer: Composer, teacher: mpnet.Teacher, students: Sequence[Student], told: argparse.Namespace,
           device: torch.device) -> None:  # fmt: skip
    began, saved, kept = time.monotonic(), 0.0, Kept(told.seed)
    batches = composer.batches(told.epochs, told.seed, told.tokens, device)
    for number, (share, batch) in enumerate(batches, 1):
        seconds = time.monotonic() - began
        progress = max(share, seconds / (60 * told.minutes))
        if progress >= 1:
            break
        with torch.autocast(device.type, dtype=torch.bfloat16):
            opinion = Opinion(teacher, batch)
        known = [(batch, opinion), *kept.drawn(told.again)]
        for each in known:
            losses = [s.step(*each, told.rate * rate(progress)) for s in students]
        kept.add(batch, opinion)
        if number % 200 == 0 or number == 20:
            line = {"read": number, "steps": students[0].learner.steps, "progress": round(progress, 3)}
            loss = [round(float(x), 3) for x in losses]
            print(json.dumps(line | {"seconds": round(seconds), "loss": loss}), flush=True)
        if seconds - saved > SAVED:
            saved = seconds
            for student in students:
                student.write(told.out)
    for student in students:
        student.learner.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(".train"))
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--start", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--rate", type=float, default=1e-4, help="highest learning rate")
    parser.add_argument("--edits", type=float, default=0.5, help="share of claims with an error put in")
    parser.add_argument(
        "--loose", type=float, default=0.5, help="share of pairs that only the teacher judges"
    )
    parser.add_argument(
        "--states", type=float, nargs="+", help="weight of having tokens as the teacher has, for each JUDGE"
    )
    parser.add_argument(
        "--again", type=int, default=0, help="batches learned from again for each that the teacher reads"
    )
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--compile", action="store_true", help="kernels made for the layers, on a GPU")
    told = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    texts = Texts(told.data / "tokenizer.json")
    mix = Mix(told.data / "mix.jsonl.xz", texts, "", told.edits, told.loose)
    dev = Mix(told.data / "dev.jsonl.xz", texts)
    # Before the GPU is touched: the workers are forked copies of this process.
    composer = Composer(mix, told.workers, told.epochs, told.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    teacher = mpnet.Teacher().to(device).eval()
    teacher.load_state_dict(bert.load(bert.parts(told.teacher)))
    if told.compile:
        bert.compiled(teacher)
    states = told.states or [0.0] * len(told.start)
    students = [Student(*each, told, device) for each in zip(told.start, states, strict=True)]
    distil(composer, teacher, students, told, device)
    for student in students:
        student.write(told.out)
        print(student.name, json.dumps(evaluate(student.model, dev, "")), flush=True)


if __name__ == "__main__":
    main()
