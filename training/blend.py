"""Averages the weights of several runs from one start: better on unseen sources than any one of them.

    python training/blend.py OUT RUN RUN ...

OUT gets part1.npz to part3.npz like those of train.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bert
import torch
from train import write_parts


def main() -> None:
    out, runs = Path(sys.argv[1]), [Path(run) for run in sys.argv[2:]]
    loaded = [bert.load([run / f"part{n}.npz" for n in (1, 2, 3)]) for run in runs]
    out.mkdir(parents=True, exist_ok=True)
    model = bert.Judge()
    model.load_state_dict({name: torch.stack([w[name] for w in loaded]).mean(0) for name in loaded[0]})
    write_parts(model, out)


if __name__ == "__main__":
    main()
