"""A larger encoder with the judge's heads, whose opinion the judge is taught: MPNet in plain PyTorch.

Its vocabulary is BERT's moved by four places, so that it reads the tokens that the judge reads. It is never
shipped.
"""

from __future__ import annotations

import math

import bert
import torch
from batches import CLS, SEP
from torch import Tensor, nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, INNER, VOCABULARY, POSITIONS = 12, 768, 12, 3072, 30527, 514
EPS, BUCKETS, FAR = 1e-5, 32, 128
SHIFT, FIRST = 4, 2
"""Of a token's number, and the number of the first position."""
BEGIN, PADDING, END = 0, 1, 2
"""Which have numbers of their own."""


class Teacher(bert.Headed):
    """Encoder and heads."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__(WIDTH, dropout)
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.distances = nn.Embedding(BUCKETS, HEADS)
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.layers = nn.ModuleList(bert.Layer(WIDTH, HEADS, INNER, EPS, dropout) for _ in range(LAYERS))

    def states(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> list[Tensor]:  # noqa: ARG002
        """Without kinds of tokens, which it does not have."""
        x = self.norm(self.words(own_numbers(ids, mask)) + self.positions(places(mask)))
        x = functional.dropout(x, self.dropout, self.training)
        near = self.distances(buckets(ids.shape[1], ids.device)).permute(2, 0, 1)[None]
        # Attention wants what is added to its scores in the type that it computes in.
        kind = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled() else x.dtype
        return bert.through(self.layers, x, (near + (mask[:, None, None, :] == 0) * -1e4).to(kind))


def own_numbers(ids: Tensor, mask: Tensor) -> Tensor:
    """BERT's token numbers as this vocabulary has them."""
    found = torch.where(ids == CLS, BEGIN, torch.where(ids == SEP, END, ids + SHIFT))
    return torch.where(mask == 0, PADDING, found)


def places(mask: Tensor) -> Tensor:
    """Positions, counted from the first token; those of padding are not looked at."""
    return (torch.cumsum(mask, 1) - 1 + FIRST).clamp(min=1)


def buckets(length: int, device: torch.device) -> Tensor:
    """Number of the distance from each place to each other: exact if small, by its logarithm if not."""
    at = torch.arange(length, device=device)
    apart = at[:, None] - at[None, :]
    half, exact = BUCKETS // 2, BUCKETS // 4
    size = apart.abs()
    wide = (
        exact + (torch.log(size.clamp(min=1).float() / exact) / math.log(FAR / exact) * (half - exact)).long()
    )
    return (apart < 0).long() * half + torch.where(size < exact, size, wide.clamp(max=half - 1))


_RENAMED = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.LayerNorm": "norm",
    "encoder.relative_attention_bias": "distances",
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "out",
    "attention.LayerNorm": "norm1",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "norm2",
}


def our_name(name: str) -> str | None:
    """The name here of a weight in the published file; None for one that is not used."""
    return bert.renamed(name, _RENAMED)
