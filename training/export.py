"""Writes the trained weights as one ONNX file that computes in fp32: matrices stored in fp16, the word
table in int8.

    python training/export.py WEIGHTS_FOLDER [--out src/adjudge/models]

WEIGHTS_FOLDER holds part1.npz to part3.npz as train.py wrote them. The result is compared with PyTorch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import bert
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
HEAD = bert.WIDTH // bert.HEADS


class Graph:
    """Collects nodes and stored tensors."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self.count = 0

    def node(self, kind: str, *inputs: str, **told: object) -> str:
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **told))
        return name

    def store(self, name: str, value: np.ndarray) -> str:
        self.stored.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def half(self, name: str, value: np.ndarray) -> str:
        """A matrix kept in fp16 and cast on loading."""
        return self.node("Cast", self.store(name, value.astype(np.float16)), to=TensorProto.FLOAT)

    def linear(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray) -> str:
        product = self.node("MatMul", x, self.half(name + ".weight", weight.T))
        return self.node("Add", product, self.store(name + ".bias", bias.astype(np.float32)))

    def norm(self, x: str, name: str, w: dict[str, np.ndarray]) -> str:
        scale, shift = (
            self.store(name + ".weight", w[name + ".weight"]),
            self.store(name + ".bias", w[name + ".bias"]),
        )
        return self.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)


def embed(g: Graph, w: dict[str, np.ndarray]) -> str:
    table = w["words.weight"]
    scale = np.maximum(np.abs(table).max(1, keepdims=True) / 127, 1e-12).astype(np.float32)
    small = g.store("words.int8", np.round(table / scale).astype(np.int8))
    words = g.node("Cast", g.node("Gather", small, "ids"), to=TensorProto.FLOAT)
    words = g.node("Mul", words, g.node("Gather", g.store("words.scale", scale), "ids"))
    length = g.node("Shape", "ids", start=1, end=2)
    zero, one = g.store("zero", np.array([0], np.int64)), g.store("one", np.array([1], np.int64))
    places = g.node("Slice", g.half("positions", w["positions.weight"]), zero, length, zero, one)
    kinds = g.node("Gather", g.half("kinds.weight", w["kinds.weight"]), "kinds")
    return g.norm(g.node("Add", g.node("Add", words, places), kinds), "norm", w)


def attend(g: Graph, x: str, bias: str, layer: str, w: dict[str, np.ndarray]) -> str:
    parts = ("query", "key", "value")
    weight = np.concatenate([w[f"{layer}.{p}.weight"] for p in parts])
    shift = np.concatenate([w[f"{layer}.{p}.bias"] for p in parts])
    joined = g.linear(x, layer + ".qkv", weight, shift)
    split = g.store(layer + ".split", np.array([0, 0, 3, bert.HEADS, HEAD], np.int64))
    five = g.node("Transpose", g.node("Reshape", joined, split), perm=[2, 0, 3, 1, 4])
    q, k, v = (
        g.node("Gather", five, g.store(f"{layer}.at{n}", np.array(n, np.int64)), axis=0) for n in range(3)
    )
    scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = g.node("Mul", scores, g.store(layer + ".scale", np.array(HEAD**-0.5, np.float32)))
    seen = g.node("MatMul", g.node("Softmax", g.node("Add", scores, bias), axis=-1), v)
    seen = g.node("Transpose", seen, perm=[0, 2, 1, 3])
    return g.node("Reshape", seen, g.store(layer + ".join", np.array([0, 0, bert.WIDTH], np.int64)))


def build(w: dict[str, np.ndarray]) -> onnx.ModelProto:
    g = Graph()
    x = embed(g, w)
    mask = g.node("Cast", "mask", to=TensorProto.FLOAT)
    away = g.node("Sub", mask, g.store("full", np.array(1, np.float32)))
    away = g.node("Mul", away, g.store("away", np.array(1e4, np.float32)))
    bias = g.node("Unsqueeze", away, g.store("axes", np.array([1, 2], np.int64)))
    for n in range(bert.LAYERS):
        layer = f"layers.{n}"
        seen = g.linear(
            attend(g, x, bias, layer, w), layer + ".out", w[layer + ".out.weight"], w[layer + ".out.bias"]
        )
        x = g.norm(g.node("Add", x, seen), layer + ".norm1", w)
        inner = g.node(
            "Gelu", g.linear(x, layer + ".inner", w[layer + ".inner.weight"], w[layer + ".inner.bias"])
        )
        outer = g.linear(inner, layer + ".outer", w[layer + ".outer.weight"], w[layer + ".outer.bias"])
        x = g.norm(g.node("Add", x, outer), layer + ".norm2", w)
    second = g.store("second", np.array([1], np.int64))
    wide = g.node("Unsqueeze", mask, g.store("last", np.array([2], np.int64)))
    total = g.node("ReduceSum", g.node("Mul", x, wide), second, keepdims=0)
    mean = g.node("Div", total, g.node("ReduceSum", mask, second, keepdims=1))
    first = g.node("Gather", x, g.store("first", np.array(0, np.int64)), axis=1)
    both = g.node("Concat", first, mean, axis=1)
    pooled = g.node("Tanh", g.linear(both, "pool", w["pool.weight"], w["pool.bias"]))
    pair = g.linear(pooled, "pair", w["pair.weight"], w["pair.bias"])
    token = g.linear(x, "token", w["token.weight"], w["token.bias"])
    g.nodes += [
        helper.make_node("Identity", [pair], ["pairs"]),
        helper.make_node("Identity", [token], ["tokens"]),
    ]
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
        for n in ("ids", "kinds", "mask")
    ]
    outputs = [
        helper.make_tensor_value_info("pairs", TensorProto.FLOAT, ["batch", len(bert.PAIR_HEADS)]),
        helper.make_tensor_value_info(
            "tokens", TensorProto.FLOAT, ["batch", "length", len(bert.TOKEN_HEADS)]
        ),
    ]
    graph = helper.make_graph(g.nodes, "judge", inputs, outputs, g.stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    onnx.checker.check_model(model)
    return model


def compare(weights: dict[str, torch.Tensor], path: Path) -> float:
    """Largest difference from PyTorch on random inputs."""
    judge = bert.Judge().eval()
    judge.load_state_dict(weights)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    torch.manual_seed(3)
    worst = 0.0
    for batch, length in ((3, 40), (2, 256), (1, 512)):
        ids = torch.randint(1000, 30000, (batch, length))
        mask = torch.ones_like(ids)
        mask[-1, length // 2 :] = 0
        kinds = (torch.arange(length) > length // 3).long().expand(batch, -1) * mask
        with torch.no_grad():
            expected = judge(ids, kinds, mask)
        found = session.run(None, {"ids": ids.numpy(), "kinds": kinds.numpy(), "mask": mask.numpy()})
        used = mask.numpy()[:, :, None]
        worst = max(worst, float(np.abs(expected[0].numpy() - found[0]).max()),
                    float(np.abs((expected[1].numpy() - found[1]) * used).max()))  # fmt: skip
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("--out", type=Path, default=Path("src/adjudge/models"))
    parser.add_argument("--tokenizer", type=Path, default=Path(".train/tokenizer.json"))
    told = parser.parse_args()
    weights = bert.load([told.weights / f"part{n}.npz" for n in (1, 2, 3)])
    told.out.mkdir(exist_ok=True, parents=True)
    path = told.out / "judge.onnx"
    onnx.save(build({name: value.numpy() for name, value in weights.items()}), str(path))
    worst = compare(weights, path)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, at most {worst:.2g} from PyTorch")
    if worst > 2e-3:
        raise SystemExit("the exported model does not compute what was trained")
    table = json.loads(told.tokenizer.read_text("utf-8"))
    table["truncation"] = table["padding"] = None
    (told.out / "tokenizer.json").write_text(
        json.dumps(table, ensure_ascii=False, separators=(",", ":")), "utf-8"
    )
    names = ("judge.onnx", "tokenizer.json")
    sums = {name: hashlib.sha256((told.out / name).read_bytes()).hexdigest() for name in names}
    (told.out / "checksums.json").write_text(json.dumps(sums, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
