"""LongFact's prompts: read in sorted order, so that every machine asks the same ones in the same order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from adjudge.datasets.base import text_field
from adjudge.datasets.longform import is_result
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError, UsageError

SEED = 1
TASKS = {
    "longfact_objects": "longfact-objects_gpt4_01-12-2024_noduplicates",
    "longfact_concepts": "longfact-concepts_gpt4_01-10-2024_noduplicates",
}
"""Tasks and the folders that hold their prompts."""


def prepare_prompts(
    path: Path, task: str, *, shuffle: bool = True, limit: int | None = None
) -> tuple[list[str], list[str]]:
    """Prompts in the order asked, and what is to be said of them."""
    if limit is not None and limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}")
    found = read_prompts(path, task)
    if not found:
        raise InputError("there are no prompts", file=str(path))
    prompts = [prompt for prompt, _ in found]
    notes = _duplicates(found)
    if shuffle:
        Random(SEED).shuffle(prompts)
    return prompts[:limit], notes


def read_prompts(path: Path, task: str) -> list[tuple[str, str]]:
    """Prompts with the file they are from: of a folder, a file of lines, or an earlier result file."""
    if path.is_dir():
        folder = _task_folder(path, task)
        files = sorted(entry for entry in folder.iterdir() if entry.name.endswith((".jsonl", ".jsonl.gz")))
        if not files:
            raise InputError(
                "no .jsonl file with prompts is in this folder",
                file=str(folder),
                fix="'adjudge data get longfact' fetches LongFact",
            )
        return [pair for file in files for pair in _file_prompts(file)]
    return list(_file_prompts(path))


def _task_folder(path: Path, task: str) -> Path:
    """The folder of a task inside LongFact's, or the given one where it holds the files itself."""
    known = TASKS.get(task)
    inside = path / known if known is not None else None
    if inside is not None and inside.is_dir():
        return inside
    if known is None and any((path / folder).is_dir() for folder in TASKS.values()):
        raise UsageError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
    return path


def _file_prompts(path: Path) -> Iterator[tuple[str, str]]:
    source = Source(path)
    if is_result(source.first):
        rows = [Row(entry, source.name, n) for n, entry in enumerate(source.first["per_prompt_data"], 1)]
    else:
        rows = list(source.rows())
    for row in rows:
        if not isinstance(row.data, dict):
            raise row.error(f"expected an object, found {type(row.data).__name__}")
        prompt = text_field(row, "prompt", required=True)
        assert prompt is not None
        yield prompt, path.name


def _duplicates(found: list[tuple[str, str]]) -> list[str]:
    times = Counter(prompt for prompt, _ in found)
    twice = {prompt: number for prompt, number in times.items() if number > 1}
    if not twice:
        return []
    extra = sum(twice.values()) - len(twice)
    shown = "; ".join(
        f"{prompt[:50]!r} in {', '.join(dict.fromkeys(file for text, file in found if text == prompt))}"
        for prompt in list(twice)[:3]
    )
    return [
        f"{len(twice)} prompts occur more than once ({extra} of {len(found)} are repeats): {shown}"
        f"{' …' if len(twice) > 3 else ''}; a repeated prompt is asked once and answers each occurrence"
    ]
