"""Averages the weights of several runs from one start: better on unseen sources than any one of them.

    python training/blend.py OUT RUN RUN ... [--like RUN ...] [--scores] [--data .train]

OUT gets part1.npz to part3.npz like those of train.py; with `--scores` also scores.npz, so that calibrate.py
and check_documents.py can be asked about an average. The more runs are averaged, the smaller the margins:
with `--like` the heads are scaled by one number, so that margins on sources never trained on spread as widely
as those of the runs named.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import bert
import numpy as np
import torch
from batches import Item, Mix, Texts, pair, read
from score import margins, score_all, score_items
from train import write_parts

MOST = 3000
"""Claims that margins are compared on."""


def blended(runs: Sequence[Path]) -> bert.Judge:
    """The average, on the device that there is."""
    loaded = [bert.load(bert.parts(run)) for run in runs]
    model = bert.Judge(layers=bert.depth(loaded[0]))
    model.load_state_dict({name: torch.stack([w[name] for w in loaded]).mean(0) for name in loaded[0]})
    return model.to("cuda" if torch.cuda.is_available() else "cpu")


def unseen(data: Path, texts: Texts) -> list[Item]:
    """Claims with their evidence, of sources that no run was trained on."""
    lines = [line for line in read(data / "dev.jsonl.xz")[0] if line.get("f") == "out" and line["t"] == "p"]
    lines = lines[:: -(-len(lines) // MOST)]
    texts.add([text for line in lines for text in (line["c"], *line["e"])])
    return [pair(texts.ids[line["c"]], [texts.ids[t] for t in line["e"]], 3, -1.0) for line in lines]


def scale_heads(model: bert.Judge, by: float) -> None:
    """Logits of the three verdicts and of the token heads made larger; similarity stays."""
    with torch.no_grad():
        for head, rows in ((model.pair, slice(0, 3)), (model.token, slice(None))):
            head.weight[rows] *= by
            head.bias[rows] *= by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--like", type=Path, nargs="+", default=[], help="runs whose margins to have")
    parser.add_argument("--scores", action="store_true", help="score the windows; on a GPU a minute")
    parser.add_argument("--data", type=Path, default=Path(".train"))
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    model = blended(told.runs)
    if told.like or told.scores:
        texts = Texts(told.data / "tokenizer.json")
    if told.like:
        items = unseen(told.data, texts)
        wide = np.mean([margins(score_items(blended([run]), items)[0]).std() for run in told.like])
        by = float(wide / margins(score_items(model, items)[0]).std())
        print(f"margins scaled by {by:.3f}, on {len(items)} claims")
        scale_heads(model, by)
    write_parts(model.state_dict(), told.out)
    if told.scores:
        dev = Mix(told.data / "dev.jsonl.xz", texts)
        np.savez(told.out / "scores.npz", **score_all(model, told.data / "windows.jsonl.xz", dev, texts))


if __name__ == "__main__":
    main()
