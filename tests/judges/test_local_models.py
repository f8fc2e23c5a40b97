"""Models of the user's own: a real ONNX file, made here, run by the real runtime; sentence-transformers' part
is played by a module of the same surface, since the package itself is too heavy for this suite."""

from __future__ import annotations

import asyncio
import json
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from adjudge.errors import JudgeError
from adjudge.judges.base import CheckClaims, Similarity
from adjudge.judges.local.encoder import make_encoder
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.onnx_folder import digest_of
from adjudge.judges.local.verifier import make_verifier
from adjudge.judges.registry import make_judge

VOCABULARY = {"[UNK]": 0, "the": 1, "mill": 2, "stands": 3, "fell": 4, "river": 5, "[SEP]": 6}
ROWS = [[0, 0, 0], [0, 0, 0], [0, 3, 0], [0, 6, 0], [9, 0, 0], [0, 0, 3], [0, 0, 0]]
"""A row a word: how much it speaks for contradiction, entailment, neutral."""


def number(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(tag: int, value: int | bytes | str) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    data = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(data)) + data


def attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)


def tensor_info(name: str, kind: int, dimensions: Sequence[int | str]) -> bytes:
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dimensions)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def onnx_model(*, pooled: bool, inputs: Sequence[str] = ("input_ids",)) -> bytes:
    """A model that looks its words up in ROWS and, if pooled, takes their mean."""
    flat = [float(value) for row in ROWS for value in row]
    table = field(1, len(ROWS)) + field(1, 3) + field(2, 1) + field(8, "table")
    table += field(9, struct.pack(f"<{len(flat)}f", *flat))
    found = "states" if pooled else "out"
    nodes = [field(1, "table") + field(1, inputs[0]) + field(2, found) + field(4, "Gather")]
    if pooled:
        mean = [attribute("axes", [1]), attribute("keepdims", 0)]
        nodes.append(
            field(1, found) + field(2, "out") + field(4, "ReduceMean") + b"".join(field(5, a) for a in mean)
        )
    graph = b"".join(field(1, node) for node in nodes) + field(2, "g") + field(5, table)
    graph += b"".join(field(11, tensor_info(name, 7, (1, "words"))) for name in inputs)
    graph += field(12, tensor_info("out", 1, (1, 3) if pooled else (1, "words", 3)))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def save(
    folder: Path,
    *,
    pooled: bool = True,
    labels: Sequence[str] = ("contradiction", "entailment", "neutral"),
    inputs: Sequence[str] = ("input_ids",),
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(onnx_model(pooled=pooled, inputs=inputs))
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B:1", special_tokens=[("[SEP]", 6)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"id2label": {str(index): name for index, name in enumerate(labels)}}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def softmax(values: Any) -> Any:
    shares = np.exp(values - np.max(values))
    return shares / shares.sum()


def test_a_verifier_from_an_onnx_folder(tmp_path: Path) -> None:
    folder = save(tmp_path / "nli")
    verifier = make_verifier(str(folder))
    [found] = verifier.verdicts(["the mill fell"], ["the mill stands"])
    words = ["the", "mill", "stands", "[SEP]", "the", "mill", "fell"]
    against, entailed, neutral = softmax(np.mean([ROWS[VOCABULARY[word]] for word in words], axis=0))
    assert found[:3] == pytest.approx((entailed, neutral, against), abs=1e-6)
    assert verifier.name == f"onnx:nli@{digest_of(folder)}"


def test_the_local_judge_with_a_model_of_ones_own(tmp_path: Path) -> None:
    folder = save(tmp_path / "nli")
    judge = make_judge(f"local/{folder}")
    question = CheckClaims(("the mill stands", "fell fell fell"), ("the mill stands",))
    [reply] = asyncio.run(judge.ask([question]))
    assert reply.value == ("e", "c")
    assert isinstance(judge, LocalJudge)
    assert judge.describe().endswith(f"onnx:nli@{digest_of(folder)}")


def test_similarity_from_an_onnx_folder(tmp_path: Path) -> None:
    folder = save(tmp_path / "enc", pooled=False)
    judge = make_judge("rules", similarity=f"local/{folder}")
    pairs = [Similarity("mill stands", "stands"), Similarity("mill", "river"), Similarity("the", "mill")]
    same, apart, nothing = asyncio.run(judge.ask(pairs))
    assert same.value == pytest.approx(1.0)
    assert apart.value == pytest.approx(0.0)
    assert (nothing.value, nothing.reason) == (None, "a text has no embedding (its vector is zero)")
    assert judge.name == f"*=rules,similarity=onnx:enc@{digest_of(folder)}"
    vectors = make_encoder(str(folder)).encode(["mill stands", "river"])
    assert vectors.tolist() == [pytest.approx([0, 1, 0]), pytest.approx([0, 0, 1])]


def test_weights_beside_the_model_count_in_its_digest(tmp_path: Path) -> None:
    folder = save(tmp_path / "nli")
    before = digest_of(folder)
    (folder / "model.onnx.data").write_bytes(b"weights")
    with_weights = digest_of(folder)
    (folder / "other.onnx").write_bytes(b"another model")
    assert before != with_weights == digest_of(folder)
    (folder / "model.onnx.data").write_bytes(b"Weights")
    assert digest_of(folder) != with_weights


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"no output of the model is named entailment.*id2label"):
        make_verifier(str(save(tmp_path / "unnamed", labels=["LABEL_0", "LABEL_1", "LABEL_2"])))
    strange = save(tmp_path / "strange", inputs=("input_ids", "position_ids"))
    with pytest.raises(JudgeError, match="wants the inputs position_ids; only input_ids, attention_mask"):
        make_verifier(str(strange))
    damaged = save(tmp_path / "damaged")
    (damaged / "model.onnx").write_bytes(b"no model")
    with pytest.raises(JudgeError, match="damaged cannot be opened"):
        make_verifier(str(damaged))
    broken = save(tmp_path / "broken")
    (broken / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(JudgeError, match="broken cannot be opened"):
        make_encoder(str(broken))


class _Sentences:
    """What is used of `sentence_transformers`, told apart by what it was made from."""

    def __init__(self, model: str, device: str) -> None:
        if "absent" in model:
            raise OSError(f"couldn't connect\nto find {model}")
        assert device == "cpu"
        self.model = SimpleNamespace(config=SimpleNamespace(id2label={0: "entailment"}))

    def encode(self, texts: list[str], **_: Any) -> Any:
        return np.array([[len(text), 1.0] for text in texts])

    def predict(self, pairs: list[tuple[str, str]], activation_fn: Any, **_: Any) -> Any:
        return np.array([activation_fn(5.0 if claim in passage else -5.0) for passage, claim in pairs])


@pytest.fixture
def transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(SentenceTransformer=_Sentences, CrossEncoder=_Sentences)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("transformers")
def test_models_of_sentence_transformers_are_named_by_their_weights(tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    (folder / "1_Dense").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"a")
    first = make_encoder(f"st:{folder}").name
    (folder / "1_Dense" / "model.safetensors").write_bytes(b"b")
    second = make_verifier(str(folder)).name
    assert first.startswith("st:minilm@")
    assert second.startswith("st:minilm@")
    assert first != second
    assert make_encoder("st:owner/name").name == "st:owner/name"


@pytest.mark.usefixtures("transformers")
def test_a_cross_encoder_judges_claims() -> None:
    judge = make_judge("local/owner/name", similarity="st:owner/other")
    check = CheckClaims(("A mill", "A mast"), ("Here is A mill.",))
    verdicts, likeness = asyncio.run(judge.ask([check, Similarity("ab", "cd")]))
    assert verdicts.value == ("e", "n")
    assert likeness.value == pytest.approx(1.0)
    assert judge.name.endswith("similarity=st:owner/other")


@pytest.mark.usefixtures("transformers")
def test_a_name_that_the_hub_does_not_know() -> None:
    with pytest.raises(
        JudgeError, match=r"'absent/x' is neither a folder here nor.*couldn't connect to find"
    ):
        make_judge("local/absent/x")


def test_without_the_package_the_message_says_what_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        JudgeError, match=r"no folder 'nowhere' here; give a folder with model\.onnx.*pip install"
    ):
        make_judge("local/nowhere")
    with pytest.raises(JudgeError, match=r"holds no model\.onnx; give a folder with"):
        make_judge(f"local/{tmp_path}")
    with pytest.raises(JudgeError, match="no folder 'owner/name' here"):
        make_judge("rules", similarity="st:owner/name")
