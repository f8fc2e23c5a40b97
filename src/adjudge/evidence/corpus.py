"""A local corpus, searched by BM25. The index is kept on disk and made anew when a file changes."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import InputError
from adjudge.evidence.base import Passage
from adjudge.evidence.corpus_files import CUT, WINDOW, CorpusFile, digest_files, list_files, read_passages
from adjudge.evidence.words import search_words
from adjudge.paths import cache_folder

log = logging.getLogger(__name__)

K1, B = 1.5, 0.75
_WAIT = 3600.0
_PASSAGES = "passages.json"
_digests: dict[tuple[CorpusFile, ...], str] = {}
"""Digests of listings seen by this process: names, sizes and times unchanged mean content unchanged."""


def corpus_name(root: Path) -> str:
    """`corpus:FOLDER@DIGEST`; where it is no more (a run scored again), the folder's name alone."""
    try:
        return f"corpus:{root.name}@{_digest(list_files(root))[:12]}"
    except InputError:
        return f"corpus:{root.name}"


def _digest(files: list[CorpusFile]) -> str:
    key = tuple(files)
    if key not in _digests:
        _digests[key] = digest_files(files)
    return _digests[key]


class Corpus:
    """Passages of a folder or file, best match first; equal scores in the order of files and text."""

    nothing = "the corpus has nothing with these words"

    def __init__(self, root: str | Path, cache: Path | None = None) -> None:
        self._root = Path(root).expanduser().absolute()
        self._cache = cache
        self._index: Any = None
        self._passages: list[Passage] = []
        self.built = False
        """Whether opening had to build the index."""

    @property
    def name(self) -> str:
        return corpus_name(self._root)

    async def open(self) -> None:
        if self._index is None:
            await asyncio.to_thread(self._load)

    async def close(self) -> None:
        self._index, self._passages = None, []

    async def search(self, query: str, limit: int) -> list[Passage]:
        await self.open()
        return await asyncio.to_thread(self._nearest, query, limit)

    def _nearest(self, query: str, limit: int) -> list[Passage]:
        import numpy

        words = search_words(query)
        if not words or limit < 1:
            return []
        scores = self._index.get_scores(words)
        if len(scores) > limit:
            # Everything at least as good as the limit-th, so that ties at the edge fall by place.
            edge = numpy.partition(scores, len(scores) - limit)[len(scores) - limit]
            found = numpy.flatnonzero((scores >= edge) & (scores > 0))
        else:
            found = numpy.flatnonzero(scores > 0)
        order = found[numpy.lexsort((found, -scores[found]))][:limit]
        return [self._passages[int(k)] for k in order]

    def _load(self) -> None:
        files = list_files(self._root)
        settings = f"{CUT}|{WINDOW}|{K1}|{B}|{_library()}|{_digest(files)}"
        key = blake2b(settings.encode(), digest_size=12).hexdigest()
        folder = (self._cache or cache_folder() / "evidence") / "corpora" / key
        from filelock import FileLock

        lock = FileLock(f"{folder}.lock", timeout=_WAIT)
        try:
            folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock.acquire()
        except OSError as error:
            log.warning("the corpus index cannot be kept in %s: %s", folder.parent, error)
            self._index, self._passages = self._build(files)
            return
        try:
            if not self._read(folder):
                self._index, self._passages = self._build(files)
                self._write(folder)
        finally:
            lock.release()

    def _read(self, folder: Path) -> bool:
        if not folder.is_dir():
            return False
        import bm25s  # type: ignore[import-untyped]

        try:
            passages = msgspec.json.decode((folder / _PASSAGES).read_bytes(), type=list[Passage])
            index = bm25s.BM25.load(folder, show_progress=False)
            if index.scores["num_docs"] != len(passages):
                raise ValueError("index and passages are not of one piece")
        except Exception as error:  # whatever is wrong with it, it can be made again
            log.warning("the corpus index %s is damaged (%r) and is made again", folder, error)
            shutil.rmtree(folder, ignore_errors=True)
            return False
        self._index, self._passages = index, passages
        return True

    def _build(self, files: list[CorpusFile]) -> tuple[Any, list[Passage]]:
        import bm25s

        self.built = True
        passages, words = [], []
        for passage in read_passages(files):
            if said := search_words(passage.text):
                passages.append(passage)
                words.append(search_words(passage.title or "") + said)
        if not passages:
            raise InputError("the corpus has no words in it", file=str(self._root), fix="put texts there")
        index = bm25s.BM25(k1=K1, b=B)
        index.index(words, show_progress=False)
        return index, passages

    def _write(self, folder: Path) -> None:
        """All or nothing: a killed process leaves no half index under the final name."""
        try:
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as fresh:
                made = Path(fresh, "index")
                self._index.save(made, show_progress=False)
                (made / _PASSAGES).write_bytes(msgspec.json.encode(self._passages))
                os.replace(made, folder)
        except OSError as error:
            log.warning("the corpus index cannot be kept in %s: %s", folder, error.strerror)


def _library() -> str:
    from importlib.metadata import version

    return f"bm25s-{version('bm25s')}"
