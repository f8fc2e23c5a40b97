"""Makes a judge deeper without changing much of what it says: behind every layer comes one that adds nothing
yet.

    python training/deepen.py JUDGE OUT [--data .train]

A new layer is a copy of the one before but for what it adds, which is nought, and its norms, which undo
themselves as far as one mean and one scale for all tokens can; these are read off claims of the development
set.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import bert
import torch
from batches import Item, Texts
from blend import unseen
from score import margins, score_items
from torch import Tensor
from train import write_parts

NUMBER = re.compile(r"layers\.(\d+)\.")
_ADDED = ("out.weight", "out.bias", "outer.weight", "outer.bias")


def deeper(weights: dict[str, Tensor], spread: list[tuple[float, float]]) -> dict[str, Tensor]:
    """Twice the layers; `spread` is the mean and the deviation within a token behind each of the layers."""
    found = {}
    for name, value in weights.items():
        if not (at := NUMBER.match(name)):
            found[name] = value
            continue
        number, rest = int(at[1]), name[at.end() :]
        found[f"layers.{2 * number}.{rest}"] = value
        found[f"layers.{2 * number + 1}.{rest}"] = _idle(rest, value, *spread[number])
    return found


def _idle(name: str, value: Tensor, mean: float, deviation: float) -> Tensor:
    if name in _ADDED:
        return torch.zeros_like(value)
    if name.startswith("norm"):
        return torch.full_like(value, deviation if name.endswith("weight") else mean)
    return value.clone()


def spreads(model: bert.Judge, items: list[Item]) -> list[tuple[float, float]]:
    """Mean and deviation of a token's numbers behind every layer, averaged over tokens."""
    seen: list[list[tuple[float, float]]] = [[] for _ in model.layers]

    def note(number: int) -> Callable[[object, object, Tensor], None]:
        def hook(_: object, __: object, x: Tensor) -> None:
            seen[number].append((float(x.mean(2).mean()), float(x.std(2, correction=0).mean())))

        return hook

    hooks = [layer.register_forward_hook(note(n)) for n, layer in enumerate(model.layers)]
    score_items(model, items)
    for hook in hooks:
        hook.remove()
    return [(sum(m for m, _ in own) / len(own), sum(s for _, s in own) / len(own)) for own in seen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("judge", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=Path(".train"))
    told = parser.parse_args()
    weights = bert.load(bert.parts(told.judge))
    model = bert.Judge(layers=bert.depth(weights))
    model.load_state_dict(weights)
    items = unseen(told.data, Texts(told.data / "tokenizer.json"))[::8]
    deep = bert.Judge(layers=2 * bert.depth(weights))
    deep.load_state_dict(deeper(weights, spreads(model, items)))
    told.out.mkdir(parents=True, exist_ok=True)
    write_parts(deep.state_dict(), told.out)
    before, after = (margins(score_items(m, items)[0]) for m in (model, deep))
    apart = abs(before - after).mean()
    print(f"log odds move by {apart:.3f} on average of {len(items)} claims, and spread by {before.std():.3f}")


if __name__ == "__main__":
    main()
