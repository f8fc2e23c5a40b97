"""The network: a small BERT encoder with heads for pairs and for sentences, in plain PyTorch.

Pair heads read the mean of all tokens and the first token: entailed / neutral / contradicted, and similarity.
Token heads read every token; the caller averages over a sentence: relevant, used (context sentences),
supported (response sentences), and wrong (words of a claim that its evidence does not bear out).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, INNER, VOCABULARY, POSITIONS = 6, 384, 12, 1536, 30522, 512
EPS = 1e-12
TOKEN_HEADS = ("relevant", "used", "supported", "wrong")
PAIR_HEADS = ("entailed", "neutral", "contradicted", "similarity")


class Layer(nn.Module):
    """Attention and a feed-forward part, each followed by a norm.

    Where `plain`, attention is written out: on a CPU that trains four times as fast as PyTorch's own kernel.
    """

    def __init__(self, width: int, heads: int, inner: int, eps: float, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=eps)
        self.heads, self.dropout, self.plain = heads, dropout, False

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (part(x).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        drop = self.dropout if self.training else 0.0
        if self.plain:
            shares = torch.softmax((q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + bias.to(q.dtype), -1)
            seen = functional.dropout(shares, drop) @ v
        else:
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=drop)
        seen = self.out(seen.transpose(1, 2).reshape(batch, length, width))
        x = self.norm1(x + functional.dropout(seen, drop))
        inner = self.outer(functional.gelu(self.inner(x)))
        return self.norm2(x + functional.dropout(inner, drop))


def through(layers: nn.ModuleList, x: Tensor, bias: Tensor) -> list[Tensor]:
    """What each of the layers makes of what the one before made."""
    found = []
    for layer in layers:
        x = layer(x, bias)
        found.append(x)
    return found


def compiled(model: Headed) -> None:
    """Layers computed by kernels made for them; it takes half a minute to make these. For a GPU."""
    for layer in model.layers:
        layer.compile(dynamic=True)


class Headed(nn.Module):
    """An encoder's heads."""

    layers: nn.ModuleList

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.pool = nn.Linear(2 * width, width)
        self.pair = nn.Linear(width, len(PAIR_HEADS))
        self.token = nn.Linear(width, len(TOKEN_HEADS))
        self.dropout = dropout
        for head in (self.pool, self.pair, self.token):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def states(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> list[Tensor]:
        """Every token as each of the encoder's layers has it."""
        raise NotImplementedError

    def encode(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Every token as the last layer has it."""
        return self.states(ids, kinds, mask)[-1]

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Pair logits (batch, 4) and token logits (batch, length, 4)."""
        return self.read(self.encode(ids, kinds, mask), mask)

    def read(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The same, of encoded tokens."""
        weights = mask.to(x.dtype)[:, :, None]
        mean = (x * weights).sum(1) / weights.sum(1)
        pooled = torch.tanh(self.pool(torch.cat([x[:, 0], mean], dim=1)))
        pooled = functional.dropout(pooled, self.dropout, self.training)
        return self.pair(pooled), self.token(x)


class Judge(Headed):
    """Encoder and heads."""

    def __init__(self, dropout: float = 0.1, layers: int = LAYERS) -> None:
        super().__init__(WIDTH, dropout)
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.kinds = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.layers = nn.ModuleList(Layer(WIDTH, HEADS, INNER, EPS, dropout) for _ in range(layers))

    def states(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> list[Tensor]:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(places)[None] + self.kinds(kinds))
        x = functional.dropout(x, self.dropout, self.training)
        return through(self.layers, x, (mask[:, None, None, :] == 0).to(x.dtype) * -1e4)


_RENAMED = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "kinds",
    "embeddings.LayerNorm": "norm",
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "out",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "norm2",
}


def our_name(name: str) -> str | None:
    """The name here of a weight in the published file; None for one that is not used."""
    return renamed(name, _RENAMED)


def renamed(name: str, known: dict[str, str]) -> str | None:
    if "position_ids" in name or name.startswith("pooler"):
        return None
    name = name.replace("encoder.layer.", "layers.")
    for theirs in sorted(known, key=len, reverse=True):
        if theirs in name:
            return name.replace(theirs, known[theirs])
    return None


def save(weights: dict[str, np.ndarray], path: Path, small: bool = False) -> None:
    """Weights as fp16, the word table (if `small`, every matrix) as int8 with a scale a row: what travels."""
    stored: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        if name == "words.weight" or (small and value.ndim == 2):
            scale = np.abs(value).max(1, keepdims=True) / 127
            scale = np.where(scale == 0, 1, scale).astype(np.float32)
            stored[name + ".int8"] = np.round(value / scale).astype(np.int8)
            stored[name + ".scale"] = scale
        else:
            stored[name] = value.astype(np.float16)
    np.savez(path, **stored)  # type: ignore[arg-type]


def parts(folder: Path) -> list[Path]:
    """Files of one model's weights."""
    return sorted(folder.glob("part?.npz"))


def depth(weights: Iterable[str]) -> int:
    """Layers of the encoder that has weights of these names."""
    return 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))


def load(paths: list[Path]) -> dict[str, Tensor]:
    """Weights from the parts that `save` wrote, as fp32."""
    raw: dict[str, np.ndarray] = {}
    for path in paths:
        with np.load(path) as file:
            raw |= {name: file[name].astype(np.float32) for name in file.files}
    for name in [name for name in raw if name.endswith(".int8")]:
        whole = name.removesuffix(".int8")
        raw[whole] = raw.pop(name) * raw.pop(whole + ".scale")
    return {name: torch.from_numpy(value) for name, value in raw.items()}
