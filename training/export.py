"""Writes the trained weights, those of two encoders over one word table, as one ONNX file that computes in
fp32.

    python training/export.py JUDGE DOCUMENTS [--out src/adjudge/models]

Both folders hold part1.npz and so on as train.py wrote them; DOCUMENTS are the weights that read whole
documents. The input `documents` of the graph says which encoder is wanted; only that one is computed. Stored
are all matrices in int8, the word table's with a scale for every word, others' for every output: rounded so,
log odds move by some hundredths. Both are compared with PyTorch. Where the first encoder says what it said in
the file before, the last layer, fitted for it, goes with the new file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import bert
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
HEAD = bert.WIDTH // bert.HEADS
ROUNDING = 0.15
"""By which logits may differ where weights are the same, stored otherwise."""
JOINED = ("query", "key", "value")
"""One matrix in the graph."""
Weights = dict[str, np.ndarray]


class Graph:
    """Collects nodes and stored tensors; all names begin with its own.

    What is stored, and made of it on loading, belongs to the `whole`, if there is one: the runtime keeps
    copies of what a branch stores.
    """

    def __init__(
        self, name: str, matrix: Callable[[Graph, str, np.ndarray], str], whole: Graph | None = None
    ) -> None:
        self.name, self._matrix, self._whole = name, matrix, whole or self
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self.count = 0

    def node(self, kind: str, *inputs: str, **told: object) -> str:
        self.count += 1
        name = f"{self.name}.{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **told))
        return name

    def store(self, name: str, value: np.ndarray) -> str:
        name = f"{self.name}.{name}"
        self._whole.stored.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def half(self, name: str, value: np.ndarray) -> str:
        """A matrix kept in fp16 and cast on loading."""
        return self._whole.node("Cast", self.store(name, value.astype(np.float16)), to=TensorProto.FLOAT)

    def byte(self, name: str, value: np.ndarray) -> str:
        """A matrix kept in int8, with a scale for every column, and multiplied out on loading."""
        small, scale = in_bytes(value, axis=0)
        cast = self._whole.node("Cast", self.store(name, small), to=TensorProto.FLOAT)
        return self._whole.node("Mul", cast, self.store(name + ".scale", scale))

    def linear(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray) -> str:
        product = self.node("MatMul", x, self._matrix(self, name + ".weight", weight.T))
        return self.node("Add", product, self.store(name + ".bias", bias.astype(np.float32)))

    def norm(self, x: str, name: str, w: Weights) -> str:
        scale, shift = (
            self.store(name + ".weight", w[name + ".weight"]),
            self.store(name + ".bias", w[name + ".bias"]),
        )
        return self.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)


def in_bytes(value: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix in int8, and what to multiply it by along an axis."""
    scale = np.maximum(np.abs(value).max(axis, keepdims=True) / 127, 1e-12).astype(np.float32)
    return np.round(value / scale).astype(np.int8), scale


def words(g: Graph, table: np.ndarray) -> str:
    """The word vectors of the input, which both encoders begin with."""
    small, scale = in_bytes(table, axis=1)
    found = g.node("Cast", g.node("Gather", g.store("int8", small), "ids"), to=TensorProto.FLOAT)
    return g.node("Mul", found, g.node("Gather", g.store("scale", scale), "ids"))


def embed(g: Graph, read: str, w: Weights) -> str:
    length = g.node("Shape", "ids", start=1, end=2)
    zero, one = g.store("zero", np.array([0], np.int64)), g.store("one", np.array([1], np.int64))
    places = g.node("Slice", g.half("positions", w["positions.weight"]), zero, length, zero, one)
    kinds = g.node("Gather", g.half("kinds.weight", w["kinds.weight"]), "kinds")
    return g.norm(g.node("Add", g.node("Add", read, places), kinds), "norm", w)


def attend(g: Graph, x: str, bias: str, layer: str, w: Weights) -> str:
    weight = np.concatenate([w[f"{layer}.{p}.weight"] for p in JOINED])
    shift = np.concatenate([w[f"{layer}.{p}.bias"] for p in JOINED])
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


def encoder(g: Graph, read: str, w: Weights) -> onnx.GraphProto:
    """One encoder over the word vectors, with its heads."""
    x = embed(g, read, w)
    mask = g.node("Cast", "mask", to=TensorProto.FLOAT)
    away = g.node("Sub", mask, g.store("full", np.array(1, np.float32)))
    away = g.node("Mul", away, g.store("away", np.array(1e4, np.float32)))
    bias = g.node("Unsqueeze", away, g.store("axes", np.array([1, 2], np.int64)))
    for n in range(bert.depth(w)):
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
    found = (
        g.linear(pooled, "pair", w["pair.weight"], w["pair.bias"]),
        g.linear(x, "token", w["token.weight"], w["token.bias"]),
    )
    return helper.make_graph(g.nodes, g.name, [], outputs(found), g.stored)


def outputs(names: tuple[str, str]) -> list[onnx.ValueInfoProto]:
    pairs, tokens = ["batch", len(bert.PAIR_HEADS)], ["batch", "length", len(bert.TOKEN_HEADS)]
    return [
        helper.make_tensor_value_info(names[0], TensorProto.FLOAT, pairs),
        helper.make_tensor_value_info(names[1], TensorProto.FLOAT, tokens),
    ]


def build(judge: Weights, documents: Weights) -> onnx.ModelProto:
    whole = Graph("words", Graph.half)
    read = words(whole, judge["words.weight"])
    chosen = helper.make_node(
        "If",
        ["documents"],
        ["pairs", "tokens"],
        then_branch=encoder(Graph("documents", Graph.byte, whole), read, documents),
        else_branch=encoder(Graph("judge", Graph.byte, whole), read, judge),
    )
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
        for n in ("ids", "kinds", "mask")
    ]
    inputs.append(helper.make_tensor_value_info("documents", TensorProto.BOOL, []))
    graph = helper.make_graph(
        [*whole.nodes, chosen], "adjudge", inputs, outputs(("pairs", "tokens")), whole.stored
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    onnx.checker.check_model(model)
    return model


def compare(weights: dict[str, torch.Tensor], path: Path, documents: bool) -> float:
    """Largest difference of an encoder from PyTorch on random inputs."""
    judge = bert.Judge(layers=bert.depth(weights)).eval()
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
        feed = {"ids": ids.numpy(), "kinds": kinds.numpy(), "mask": mask.numpy()}
        found = session.run(None, feed | {"documents": np.array(documents)})
        used = mask.numpy()[:, :, None]
        worst = max(worst, float(np.abs(expected[0].numpy() - found[0]).max()),
                    float(np.abs((expected[1].numpy() - found[1]) * used).max()))  # fmt: skip
    return worst


def stored_in_bytes(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights as `Graph.byte` keeps them, for the comparison."""
    kept = dict(weights)
    for name, value in weights.items():
        if value.ndim == 2 and name not in ("words.weight", "positions.weight", "kinds.weight"):
            small, scale = in_bytes(value.numpy(), axis=1)
            kept[name] = torch.from_numpy(small * scale)
    return kept


def said(path: Path) -> np.ndarray:
    """Pair logits of the first encoder, which the last layer was fitted for, on random inputs."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(4).integers(1000, 30000, (16, 60))
    kinds = np.broadcast_to(np.arange(60) > 20, ids.shape).astype(np.int64)
    feed = {"ids": ids, "kinds": kinds, "mask": np.ones_like(ids), "documents": np.array(False)}
    return np.asarray(session.run(["pairs"], feed)[0])


def belong(calibration: Path, digest: str) -> None:
    """Makes the last layer belong to a file in which the encoder that it was fitted for is as it was."""
    told = json.loads(calibration.read_text("utf-8")) | {"model": digest}
    calibration.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(f"{calibration} belongs to {digest} now")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("judge", type=Path, help="weights of the judge")
    parser.add_argument("documents", type=Path, help="weights for reading whole documents")
    parser.add_argument("--out", type=Path, default=Path("src/adjudge/models"))
    parser.add_argument("--tokenizer", type=Path, default=Path(".train/tokenizer.json"))
    told = parser.parse_args()
    judge, documents = (bert.load(bert.parts(folder)) for folder in (told.judge, told.documents))
    apart = float((judge["words.weight"] - documents["words.weight"]).abs().max())
    if apart > 1e-3:
        raise SystemExit(f"the word tables differ by up to {apart:.2g}; train both with --fixed-words")
    documents["words.weight"] = judge["words.weight"]
    told.out.mkdir(exist_ok=True, parents=True)
    path = told.out / "judge.onnx"
    before = said(path) if path.exists() else None
    onnx.save(build(*({n: w.numpy() for n, w in own.items()} for own in (judge, documents))), str(path))
    worst = max(compare(stored_in_bytes(judge), path, False), compare(stored_in_bytes(documents), path, True))
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, at most {worst:.2g} from PyTorch")
    if worst > 2e-3:
        raise SystemExit("the exported model does not compute what was trained")
    rounding = max(compare(judge, path, False), compare(documents, path, True))
    print(f"logits are up to {rounding:.2g} from those of unrounded weights")
    table = json.loads(told.tokenizer.read_text("utf-8"))
    table["truncation"] = table["padding"] = None
    (told.out / "tokenizer.json").write_text(
        json.dumps(table, ensure_ascii=False, separators=(",", ":")), "utf-8"
    )
    names = ("judge.onnx", "tokenizer.json")
    sums = {name: hashlib.sha256((told.out / name).read_bytes()).hexdigest() for name in names}
    (told.out / "checksums.json").write_text(json.dumps(sums, indent=2) + "\n", "utf-8")
    if before is not None and (apart := float(np.abs(said(path) - before).max())) < ROUNDING:
        print(f"the first encoder is as it was but for {apart:.2g}")
        belong(told.out / "calibration.json", sums["judge.onnx"][:8])


if __name__ == "__main__":
    main()
