"""Trains a teacher and, with its opinion, judges, in one process: what both learn from is read once.

    python training/teach.py --start JUDGE [JUDGE ...] --out OUT [--teacher 8] [--students 16]
                             [--ask PAIRS.jsonl.xz ...]

The minutes are those of each part; together with what is read and compiled first it takes two or three more.
OUT/teacher and OUT/NAME of each JUDGE get weights as train.py writes them, those of the judges every few
minutes on the way too, so that a run that does not come to its end is not lost. The logits of all of them on
each list of PAIRS (`check_unseen.py --write`) are put into OUT/scores_LIST.npz, the teacher's as soon as it
is done.
"""

from __future__ import annotations

import argparse
import copy
import json
import lzma
from collections.abc import Sequence
from pathlib import Path

import bert
import numpy as np
import torch
from batches import Mix, Texts
from distil import Student, distil
from packed import Composer
from score import score_pairs
from train import train, write_parts

TEACHER = {"network": "teacher", "fixed_words": False, "tokens": 16384, "rate": 5e-5, "epochs": 3}
STUDENTS = {"tokens": 32768, "rate": 2e-4, "epochs": 12, "again": 2}
EDITS, LOOSE = 0.6, 2.0
"""As for distil.py."""


class Later(Composer):
    """Draws nothing before it is asked, so that what is trained first has the cores for itself."""

    asked = False

    def _ask(self, seed: int) -> None:
        if self.asked:
            super()._ask(seed)

    def epoch(self, seed: int) -> object:
        self.asked = True
        return super().epoch(seed)


class Lists:
    """Pairs that every network is asked about."""

    def __init__(self, paths: Sequence[Path], texts: Texts, out: Path) -> None:
        self.texts, self.out = texts, out
        self.pairs: dict[str, list[list[str]]] = {}
        for path in paths:
            with lzma.open(path, "rt", encoding="utf-8") as lines:
                self.pairs[path.name.partition(".")[0]] = [json.loads(line) for line in lines]
        # Before anything is trained: later there are fewer cores for it.
        texts.add([text for own in self.pairs.values() for both in own for text in both])
        self.found: dict[str, dict[str, np.ndarray]] = {name: {} for name in self.pairs}

    def ask(self, name: str, model: torch.nn.Module) -> None:
        for own, pairs in self.pairs.items():
            self.found[own][name] = score_pairs(model, pairs, self.texts).astype(np.float16)
            np.savez(self.out / f"scores_{own}.npz", **self.found[own])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(".train"))
    parser.add_argument("--start", type=Path, nargs="+", required=True, help="judges that go on learning")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--teacher", type=float, default=8.0, help="minutes")
    parser.add_argument("--students", type=float, default=16.0, help="minutes")
    parser.add_argument("--ask", type=Path, nargs="*", default=[])
    parser.add_argument("--states", type=float, default=1.0, help="as for distil.py, for all judges")
    parser.add_argument("--tokens", type=int, help="of a batch of either, to try it on a CPU")
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    texts = Texts(told.data / "tokenizer.json")
    mix = Mix(told.data / "mix.jsonl.xz", texts, "", EDITS)
    loose = copy.copy(mix)
    loose.loose = LOOSE
    lists = Lists(told.ask, texts, told.out)
    # Before the GPU is touched: the workers are forked copies of this process.
    first = Composer(mix, told.workers, TEACHER["epochs"], told.seed)
    second = Later(loose, told.workers, STUDENTS["epochs"], told.seed + 1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    own = {"dropout": told.dropout, "compile": device.type == "cuda"}
    if told.tokens:
        own["tokens"] = told.tokens
    run = argparse.Namespace(**{**TEACHER, **own, "minutes": told.teacher})
    teacher, _ = train(first, bert.load(sorted(told.data.glob("teacher?.npz"))), run, told.seed)
    (told.out / "teacher").mkdir(exist_ok=True)
    write_parts(teacher.state_dict(), told.out / "teacher")
    lists.ask("teacher", teacher)
    run = argparse.Namespace(
        **{**STUDENTS, **own, "minutes": told.students, "seed": told.seed + 1, "out": told.out}
    )
    students = [Student(start, told.states, run, device) for start in told.start]
    distil(second, teacher.eval(), students, run, device)
    for student in students:
        student.write(told.out)
        lists.ask(student.name, student.model)


if __name__ == "__main__":
    main()
