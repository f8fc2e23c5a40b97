"""Evaluates weights on what was held back, and scores the windows that calibrate.py reads.

    python training/evaluate.py WEIGHTS [--data .train] --out OUT

WEIGHTS holds part1.npz to part3.npz; OUT gets scores.npz and figures.json, like those of a training run.
Needed after blend.py; train.py does the same by itself. Agreement with people is measured by
benchmarks/agreement.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import bert
import numpy as np
import torch
from batches import Mix, Texts
from score import evaluate, score_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("--data", type=Path, default=Path(".train"))
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    model = bert.Judge()
    model.load_state_dict(bert.load([told.weights / f"part{n}.npz" for n in (1, 2, 3)]))
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    texts = Texts(told.data / "tokenizer.json")
    held = Mix(told.data / "dev.jsonl.xz", texts)
    np.savez(told.out / "scores.npz", **score_all(model, told.data / "windows.jsonl.xz", held, texts))
    figures = evaluate(model, held)
    (told.out / "figures.json").write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
