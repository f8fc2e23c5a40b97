"""Averages the weights of two runs: the shorter one generalises better, the longer one knows the task better.

    python training/blend.py RUN_A RUN_B SHARE_OF_B OUT

Both must come from the same start. OUT gets part1.npz to part3.npz like those of train.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bert
from train import write_parts


def main() -> None:
    first, second = (bert.load([Path(run) / f"part{n}.npz" for n in (1, 2, 3)]) for run in sys.argv[1:3])
    share, out = float(sys.argv[3]), Path(sys.argv[4])
    out.mkdir(parents=True, exist_ok=True)
    model = bert.Judge()
    model.load_state_dict({name: (1 - share) * first[name] + share * second[name] for name in first})
    write_parts(model, out)


if __name__ == "__main__":
    main()
