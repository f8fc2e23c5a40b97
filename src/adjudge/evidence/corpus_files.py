"""A folder or file of texts, read into documents and cut into windows that can be searched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import InputError
from adjudge.evidence.base import Passage
from adjudge.segment.sentences import split_sentences

SUFFIXES = (".txt", ".md", ".jsonl", ".json")
WINDOW = 700
"""Longest passage, in characters; a paragraph's worth."""
CUT = "1"
"""Version of how texts are read and cut: part of the index's name on disk."""


class CorpusFile(NamedTuple):
    """A file of the corpus, and how it stood when it was listed."""

    path: Path
    shown: str
    """Its path below the corpus folder, with slashes."""
    size: int
    changed: int


def list_files(root: Path) -> list[CorpusFile]:
    """All files that hold texts, sorted by name; hidden ones are passed over."""
    if root.is_file():
        candidates = [root]
    elif root.is_dir():
        candidates = [path for path in _walk(root) if path.suffix.lower() in SUFFIXES]
    else:
        raise InputError(
            "there is no such corpus", file=str(root), fix="give a folder of texts or a JSONL file"
        )
    files = []
    for path in candidates:
        shown = path.name if path == root else path.relative_to(root).as_posix()
        stat = path.stat()
        files.append(CorpusFile(path, shown, stat.st_size, stat.st_mtime_ns))
    if not files:
        raise InputError(
            f"the folder holds no {', '.join(SUFFIXES)} file", file=str(root), fix="put texts there"
        )
    return sorted(files, key=lambda file: file.shown)


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def digest_files(files: list[CorpusFile]) -> str:
    """Digest of all names and contents."""
    whole = blake2b(digest_size=16)
    for file in files:
        one = blake2b(digest_size=16)
        with open(file.path, "rb") as data:
            while block := data.read(1 << 20):
                one.update(block)
        whole.update(file.shown.encode("utf-8", "surrogatepass") + b"\0" + one.digest())
    return whole.hexdigest()


def read_passages(files: list[CorpusFile]) -> list[Passage]:
    """All windows of all texts, in the order of files and of the text."""
    return [
        Passage(window, title, source)
        for file in files
        for text, title, source in _documents(file)
        for window in windows(text)
    ]


def _documents(file: CorpusFile) -> Iterator[tuple[str, str | None, str]]:
    suffix = file.path.suffix.lower()
    text = _decoded(file)
    if suffix == ".jsonl":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield *_entry(_parsed(line, file, number), file, number), f"{file.shown}:{number}"
    elif suffix == ".json":
        document = _parsed(text, file, None)
        if not isinstance(document, list):
            yield *_entry(document, file, None), file.shown
        else:
            for index, item in enumerate(document):
                yield *_entry(item, file, None, index), f"{file.shown}#{index}"
    else:
        yield text, file.path.stem, file.shown


def _decoded(file: CorpusFile) -> str:
    try:
        return file.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"this is not UTF-8 text (byte {error.start})",
            file=str(file.path),
            fix="convert the file to UTF-8, or move it out of the corpus",
        ) from None


def _parsed(text: str, file: CorpusFile, line: int | None) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InputError(f"this is not JSON: {error}", file=str(file.path), line=line) from None


def _entry(item: Any, file: CorpusFile, line: int | None, index: int | None = None) -> tuple[str, str | None]:
    if isinstance(item, str):
        return item, None
    text = item.get("text") if isinstance(item, dict) else None
    if not isinstance(text, str):
        found = f"keys {', '.join(map(repr, item))}" if isinstance(item, dict) else type(item).__name__
        raise InputError(
            f"an entry of the corpus has no text, but {found}",
            file=str(file.path),
            line=line,
            field="text" if index is None else f"{index}.text",
            fix='write entries as {"text": "…", "title": "…"}; the title may be left out',
        )
    title = item.get("title")
    return text, title if isinstance(title, str) and title.strip() else None


def windows(text: str) -> list[str]:
    """Runs of whole sentences up to `WINDOW` characters; neighbours share a sentence where there is room.

    A sentence longer than that is cut at white space where there is some.
    """
    spans = [piece for span in split_sentences(text) for piece in _cut(text, *span)]
    found: list[str] = []
    first = 0
    for last in range(len(spans)):
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= WINDOW:
            continue
        found.append(text[spans[first][0] : spans[last][1]])
        room = last + 1 < len(spans) and spans[last + 1][1] - spans[last][0] <= WINDOW
        first = last if room and last > first else last + 1
    return found


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > WINDOW:
        blank = max(text.rfind(" ", start, start + WINDOW), text.rfind("\n", start, start + WINDOW))
        stop = blank if blank > start else start + WINDOW
        yield start, stop
        start = stop
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end
