"""The trained model: a result depends on its own texts alone, and a damaged file is refused."""

from __future__ import annotations

import random
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import JudgeError
from adjudge.judges.local.model import JudgeModel, _batches, bundled_model, chunks, padded_length

PAIRS = [
    ("The bridge opened in 1932.", "The bridge was opened to traffic in 1932 after eight years of work."),
    ("The bridge opened in 1950.", "The bridge was opened to traffic in 1932 after eight years of work."),
    ("Cats sleep.", "A cat sleeps for most of the day."),
    ("", "A cat sleeps for most of the day."),
    ("Rain fell.", "Nobody spoke. " * 60),
    ("The mayor resigned on Monday. " * 12, "The mayor of the town stepped down. " * 9),
]
TRACES = [
    (
        "When did the bridge open?",
        ["It opened in 1932."],
        ["The bridge opened in 1932.", "Bread is baked daily."],
    ),
    (
        "Who resigned?",
        ["The mayor resigned.", "She left."],
        [f"Sentence {n} of the town report." for n in range(80)],
    ),
]
ROUNDING = 1.01e-4
"""Scores are rounded to four decimals: where the last bits fall on two sides of a step, they are one step
apart.
"""


@pytest.fixture(scope="module")
def model() -> JudgeModel:
    return bundled_model()


BOTH = pytest.mark.parametrize("documents", [False, True], ids=["judge", "documents"])
"""The two encoders of the file."""


@BOTH
def test_pair_scores_do_not_depend_on_the_batch(model: JudgeModel, documents: bool) -> None:
    together = model.pairs(PAIRS, documents=documents)
    alone = [model.pairs([pair], documents=documents)[0] for pair in PAIRS]
    np.testing.assert_allclose(together, alone, atol=ROUNDING, rtol=0)
    rng = random.Random(4)
    for _ in range(3):
        mates = [(f"Claim number {rng.randint(0, 99)}.", "word " * rng.randint(1, 70)) for _ in range(12)]
        batch = [*PAIRS, *mates]
        rng.shuffle(batch)
        found = dict(zip(batch, model.pairs(batch, documents=documents), strict=True))
        np.testing.assert_allclose([found[pair] for pair in PAIRS], alone, atol=ROUNDING, rtol=0)


def test_each_encoder_answers_for_itself(model: JudgeModel) -> None:
    """Asked in turn, so that no answer is that of the question before."""
    first, second = (model.pairs(PAIRS, documents=d) for d in (False, True))
    assert not np.allclose(first, second, atol=0.1)
    assert model.pairs(PAIRS) == first
    for right, wrong, *_ in (first, second):
        assert right.entailed > wrong.entailed


@BOTH
def test_before_rounding_only_the_last_bits_differ(model: JudgeModel, documents: bool) -> None:
    ids = np.random.default_rng(1).integers(1000, 20000, (16, 48))
    feed = {"ids": ids, "kinds": np.zeros_like(ids), "mask": np.ones_like(ids)}
    asked = {"documents": np.array(documents)}
    together = model._session.run(None, feed | asked)[0]
    alone = [
        model._session.run(None, {k: v[n : n + 1] for k, v in feed.items()} | asked)[0][0] for n in range(16)
    ]
    np.testing.assert_allclose(together, alone, atol=1e-5, rtol=0)


@BOTH
def test_padding_changes_nothing(model: JudgeModel, documents: bool) -> None:
    ids = np.random.default_rng(2).integers(1000, 20000, (1, 40))
    padded = np.pad(ids, ((0, 0), (0, 24)))
    mask = np.pad(np.ones_like(ids), ((0, 0), (0, 24)))
    asked = {"documents": np.array(documents)}
    plain = model._session.run(None, {"ids": ids, "kinds": ids * 0, "mask": np.ones_like(ids)} | asked)
    wide = model._session.run(None, {"ids": padded, "kinds": padded * 0, "mask": mask} | asked)
    np.testing.assert_allclose(plain[0], wide[0], atol=1e-5, rtol=0)
    np.testing.assert_allclose(plain[1], wide[1][:, :40], atol=1e-5, rtol=0)


def test_all_that_is_shipped_is_at_most_50_megabytes() -> None:
    folder = Path(str(files("adjudge"))) / "models"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 50_000_000


def test_trace_scores_do_not_depend_on_the_batch(model: JudgeModel) -> None:
    together = model.traces(TRACES)
    for row, found in zip(TRACES, together, strict=True):
        for ours, theirs in zip(model.traces([row])[0], found, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=ROUNDING, rtol=0)
    first = together[0]
    assert first.relevant[0] > first.relevant[1]
    assert first.used[0] > first.used[1]
    assert [len(part) for part in together[1]] == [80, 80, 2]


def test_a_trace_without_contexts_or_response_has_no_scores_to_give(model: JudgeModel) -> None:
    bare, silent = model.traces([("Who?", ["Someone."], []), ("Who?", [], ["A text."])])
    assert len(bare.relevant) == 0
    assert len(bare.supported) == 1
    assert len(silent.relevant) == 1
    assert len(silent.supported) == 0


def test_the_number_of_threads_changes_nothing(model: JudgeModel) -> None:
    np.testing.assert_allclose(
        JudgeModel(threads=1).pairs(PAIRS[:3]), model.pairs(PAIRS[:3]), atol=ROUNDING, rtol=0
    )


def test_a_lone_surrogate_is_read_as_a_stand_in(model: JudgeModel) -> None:
    assert len(model.pairs([("a \ud800 b", "c")])) == 1


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    for name in ("checksums.json", "judge.onnx", "tokenizer.json"):
        shutil.copy(str(files("adjudge") / "models" / name), tmp_path / name)
    data = bytearray((tmp_path / "judge.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "judge.onnx").write_bytes(data)
    with pytest.raises(JudgeError, match=r"judge\.onnx is damaged"):
        JudgeModel(tmp_path)


def test_a_missing_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="reinstall adjudge"):
        JudgeModel(tmp_path)


def test_runs_of_sentences_fit_and_lose_none() -> None:
    assert chunks([5, 5, 5], 10) == [(0, 2), (2, 3)]
    assert chunks([50, 1], 10) == [(0, 1), (1, 2)]
    assert chunks([], 10) == []


@pytest.mark.parametrize(("size", "length"), [(1, 4), (8, 8), (9, 12), (128, 128), (129, 144), (256, 256)])
def test_padded_lengths(size: int, length: int) -> None:
    assert padded_length(size) == length


@given(st.lists(st.integers(1, 128).map(lambda n: 4 * n), max_size=60), st.integers(1, 4))
def test_batches_hold_every_input_once_and_leave_work_for_every_thread(
    lengths: list[int], threads: int
) -> None:
    batches = _batches(lengths, threads)
    assert sorted(n for batch in batches for n in batch.numbers) == list(range(len(lengths)))
    assert all(lengths[n] == batch.length for batch in batches for n in batch.numbers)
    sizes = [batch.length * len(batch.numbers) for batch in batches]
    assert sizes == sorted(sizes, reverse=True)
    room = min(1536, sum(lengths) // threads)
    assert all(size <= room or len(batch.numbers) == 1 for size, batch in zip(sizes, batches, strict=True))
