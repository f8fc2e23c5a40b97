"""A progress bar for what takes longer than two seconds, and nothing for what does not."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PATIENCE = 2.0


@contextlib.contextmanager
def progress_bar(
    path: str | None, live: Callable[[], str] = lambda: "", words: str = "scoring"
) -> Iterator[Callable[..., None]]:
    """A function to call with the number of samples done, and of how many if that is known by then.

    Draws on standard error, only on a terminal. `live` gives what else to show beside the bar: what models
    were asked and cost so far.
    """
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    started = time.monotonic()
    bar: Any = None
    task: Any = None
    looked = started

    def advance(done: int, total: int | None = None) -> None:
        nonlocal bar, task, looked
        if done & 15 and done > 256:
            return
        now = time.monotonic()
        if now - started < PATIENCE or now - looked < 0.1:
            return
        looked = now
        if bar is None:
            bar, task = _start(path, words)
        bar.update(task, completed=done, live=live(), **({} if total is None else {"total": total}))

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _start(path: str | None, words: str) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(words),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[live]}"),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    return bar, bar.add_task(words, total=_lines(path), live="")


def _lines(path: str | None) -> int | None:
    """Number of lines of a plain JSONL file, which is its number of samples; None where that is not so."""
    if path is None or not path.endswith(".jsonl"):
        return None
    with Path(path).open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
