"""Takes the weights of both encoders out of the shipped ONNX file, to go on from them.

    python training/unpack.py OUT [--model src/adjudge/models/judge.onnx]

Writes OUT/judge and OUT/documents, each as train.py writes a run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import bert
import numpy as np
import onnx
import torch
from export import JOINED
from onnx import numpy_helper
from train import write_parts


def weights_of(stored: dict[str, np.ndarray], encoder: str) -> dict[str, np.ndarray]:
    """Weights of one encoder by the names that PyTorch has for them: export.py read backwards."""
    found = {"words.weight": stored["words.int8"] * stored["words.scale"]}
    start = encoder + "."
    own = {name.removeprefix(start): value for name, value in stored.items() if name.startswith(start)}
    found |= {"positions.weight": own["positions"], "kinds.weight": own["kinds.weight"]}
    for name, value in own.items():
        whole, kind = name.rpartition(".")[::2]
        if kind not in ("weight", "bias") or name.startswith("kinds"):
            continue
        value = value.astype(np.float32) * own.get(name + ".scale", 1)
        value = value.T if value.ndim == 2 else value
        if whole.endswith(".qkv"):
            parts = zip(JOINED, np.split(value, 3), strict=True)
            found |= {f"{whole.removesuffix('qkv')}{part}.{kind}": each for part, each in parts}
        else:
            found[name] = value
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=Path("src/adjudge/models/judge.onnx"))
    told = parser.parse_args()
    graph = onnx.load(str(told.model)).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for encoder in ("judge", "documents"):
        found = weights_of(stored, encoder)
        model = bert.Judge(layers=bert.depth(found))
        model.load_state_dict(
            {name: torch.tensor(value, dtype=torch.float32) for name, value in found.items()}
        )
        (told.out / encoder).mkdir(parents=True, exist_ok=True)
        write_parts(model.state_dict(), told.out / encoder)


if __name__ == "__main__":
    main()
