"""Adds to a deep judge what one judge of half its layers has learned beyond another.

    python training/graft.py OUT DEEP --learned JUDGE --beyond JUDGE [--share 0.75]

deepen.py put an idle layer behind each of a judge's, so that layer n of a judge is layer 2n of the deep one;
what the judge of half the depth says has hardly changed by that, and neither has what its weights mean, even
after the deep one has been trained on. So the difference of two such judges that began alike can be added to
it. OUT gets part1.npz and so on, like those of train.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import bert
from deepen import NUMBER
from torch import Tensor
from train import write_parts

WORDS = "words.weight"
"""Stays: all share one word table."""


def grafted(
    deep: Mapping[str, Tensor], learned: Mapping[str, Tensor], beyond: Mapping[str, Tensor], share: float
) -> dict[str, Tensor]:
    found = dict(deep)
    for name in learned.keys() - {WORDS}:
        at = NUMBER.match(name)
        own = f"layers.{2 * int(at[1])}.{name[at.end() :]}" if at else name
        found[own] = deep[own] + share * (learned[name] - beyond[name])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("deep", type=Path)
    parser.add_argument("--learned", type=Path, required=True)
    parser.add_argument("--beyond", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0)
    told = parser.parse_args()
    weights = [bert.load(bert.parts(folder)) for folder in (told.deep, told.learned, told.beyond)]
    told.out.mkdir(parents=True, exist_ok=True)
    write_parts(grafted(*weights, told.share), told.out)


if __name__ == "__main__":
    main()
