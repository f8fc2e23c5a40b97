"""A corpus of files: what is found, in which order, and when the index is built."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.evidence.base import Passage
from adjudge.evidence.corpus import K1, B, Corpus, corpus_name
from adjudge.evidence.corpus_files import WINDOW, windows
from adjudge.evidence.words import search_words
from adjudge.paths import cache_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "whales.txt").write_text("\ufeffWhales are mammals. They sing.", "utf-8")
    (folder / "deep" / "rivers.md").write_text("The Rhine flows through Basel.", "utf-8")
    lines = [{"title": "Basel", "text": "A city on a river."}, {"text": "Foxes dig."}, "Bare words fly."]
    (folder / "more.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
    (folder / "list.json").write_text(json.dumps([{"text": "北京是首都。"}, {"text": "Owls hoot."}]), "utf-8")
    (folder / "one.json").write_text(json.dumps({"text": "Bees hum.", "title": " "}), "utf-8")
    (folder / "image.png").write_bytes(b"\xff\xfe")
    (folder / ".hidden.txt").write_text("secret whales", "utf-8")
    return folder


def search(corpus: Corpus, *queries: str, limit: int = 3) -> list[list[Passage]]:
    async def run() -> list[list[Passage]]:
        return [await corpus.search(query, limit) for query in queries]

    return asyncio.run(run())


def sources(root: Path, cache: Path, query: str, limit: int = 3) -> list[str | None]:
    return [passage.source for passage in search(Corpus(root, cache), query, limit=limit)[0]]


def test_every_kind_of_file_is_found(root: Path, tmp_path: Path) -> None:
    corpus = Corpus(root, tmp_path / "c")
    queries = ["whales", "the RHINE?", "foxes", "bare", "首都", "owls", "bees", "secret", "?!", "zebra"]
    found = search(corpus, *queries)
    assert [[p.source for p in passages] for passages in found] == [
        ["whales.txt"],
        ["deep/rivers.md"],
        ["more.jsonl:2"],
        ["more.jsonl:3"],
        ["list.json#0"],
        ["list.json#1"],
        ["one.json"],
        [],
        [],
        [],
    ]
    assert found[0] == [Passage("Whales are mammals. They sing.", "whales", "whales.txt")]
    assert found[6][0].title is None
    # A title is searched with its text.
    assert sources(root, tmp_path / "c", "Basel") == ["deep/rivers.md", "more.jsonl:1"]
    assert search(corpus, "basel river", limit=1)[0][0].title == "Basel"


def test_one_file_is_a_corpus(root: Path, tmp_path: Path) -> None:
    assert sources(root / "more.jsonl", tmp_path / "c", "dig") == ["more.jsonl:2"]


def test_ties_fall_by_place_also_at_the_limit(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    for name in "gcafbed":
        (folder / f"{name}.txt").write_text("same words here", "utf-8")
    (folder / "best.txt").write_text("same same", "utf-8")
    assert sources(folder, tmp_path / "c", "same", 3) == ["best.txt", "a.txt", "b.txt"]
    assert sources(folder, tmp_path / "c", "same", 99)[1:] == [f"{name}.txt" for name in "abcdefg"]


def test_scores_are_those_of_the_formula(tmp_path: Path) -> None:
    texts = ["red fox red", "a blue fox in a very long sentence of words", "red sea", "green hill", "fox"]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
    bags = [Counter(search_words(text)) for text in texts]
    mean = sum(sum(bag.values()) for bag in bags) / len(bags)

    def score(bag: Counter[str], word: str) -> float:
        n = sum(word in other for other in bags)
        idf = math.log(1 + (len(bags) - n + 0.5) / (n + 0.5))
        return idf * bag[word] / (bag[word] + K1 * (1 - B + B * sum(bag.values()) / mean))

    for query in (["red"], ["fox"], ["red", "fox"], ["blue", "sea", "fox"]):
        scores = [sum(score(bag, word) for word in query) for bag in bags]
        order = sorted((k for k in range(len(bags)) if scores[k] > 0), key=lambda k: -scores[k])
        expected = [f"t.jsonl:{k + 1}" for k in order]
        assert sources(file, tmp_path / "c", " ".join(query), 9) == expected


def test_the_index_is_reused_and_made_anew_when_a_file_changes(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "c"
    first, second = Corpus(root, cache), Corpus(root, cache)
    before = search(first, "whales")
    name = first.name
    assert search(second, "whales") == before
    assert (first.built, second.built) == (True, False)
    (root / "whales.txt").write_text("Whales are not fish.", "utf-8")
    third = Corpus(root, cache)
    assert search(third, "whales")[0][0].text == "Whales are not fish."
    assert third.built
    assert third.name != name
    assert name.startswith("corpus:texts@")
    (root / "whales.txt").unlink()
    assert search(Corpus(root, cache), "whales") == [[]]


def test_a_damaged_index_is_made_again(root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = tmp_path / "c"
    search(Corpus(root, cache), "whales")
    for name in ("passages.json", "indptr.csc.index.npy"):
        file = next(cache.rglob(name))
        file.write_bytes(file.read_bytes()[:20])
        with caplog.at_level(logging.WARNING):
            again = Corpus(root, cache)
            assert len(search(again, "whales")[0]) == 1
        assert again.built
        assert "made again" in caplog.text


def test_without_a_place_for_the_index_it_still_works(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    assert sources(root, tmp_path / "file", "whales") == ["whales.txt"]


RACE = """
import asyncio, sys
from pathlib import Path
from adjudge.evidence.corpus import Corpus
corpus = Corpus(Path(sys.argv[1]), Path(sys.argv[2]))
print([p.source for p in asyncio.run(corpus.search("word7 word11", 3))], corpus.built)
"""


def test_two_processes_build_one_index(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    texts = [" ".join(f"word{(k * j) % 997}" for j in range(1, 30)) for k in range(2000)]
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
    command = [sys.executable, "-c", RACE, str(file), str(tmp_path / "c")]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    out = [run.communicate(timeout=60)[0].rsplit(" ", 1) for run in runs]
    assert out[0][0] == out[1][0]
    assert "t.jsonl:" in out[0][0]
    assert sorted(built.strip() for _, built in out) == ["False", "True"]
    left = [path.name for path in (tmp_path / "c" / "corpora").iterdir() if path.is_dir()]
    assert len(left) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"text": "x"}\n{"body": "y"}\n', "a.jsonl:2, field 'text'"),
        ("a.jsonl", b'{"text": "x"}\n{oops\n', "a.jsonl:2"),
        ("a.json", b'[{"text": "x"}, {"text": 3}]', "field '1.text'"),
        ("a.json", b"3", "has no text, but int"),
        ("a.txt", b"caf\xe9", "not UTF-8"),
        ("a.txt", b" ?! ", "no words"),
        ("a.doc", b"x", "holds no .txt"),
    ],
)
def test_a_corpus_that_cannot_be_read(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        search(Corpus(folder, tmp_path / "c"), "x")
    assert message in str(error.value)


def test_a_corpus_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such corpus"):
        search(Corpus(tmp_path / "gone", tmp_path / "c"), "x")
    assert corpus_name(tmp_path / "gone") == "corpus:gone"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "answers.sqlite"))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("ADJUDGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert cache_folder() == tmp_path / "adjudge"


def test_windows_overlap_by_a_sentence() -> None:
    sentences = [f"Sentence number {k} is here to fill the page{' and so on' * 8}." for k in range(30)]
    found = windows(" ".join(sentences))
    assert all(len(window) <= WINDOW for window in found)
    for early, late in pairwise(found):
        shared = [s for s in sentences if s in early and s in late]
        assert len(shared) == 1
    assert all(any(sentence in window for window in found) for sentence in sentences)


@given(st.text(st.sampled_from("ab .\n中。"), max_size=3000))
def test_windows_lose_no_word_and_are_never_too_long(text: str) -> None:
    found = windows(text)
    assert all(0 < len(window) <= WINDOW for window in found)
    assert set("".join(text.split())) == set("".join("".join(found).split()))
    assert sum(map(len, found)) >= len("".join(text.split()))
