"""Standard output and standard error, whose reader may leave at any time (adjudge … | head)."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator


def print_anything() -> None:
    """What standard output cannot have, as in a file name of odd bytes, is spelled out there too."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def forget_unread() -> None:
    """What goes to a stream without a reader goes nowhere from now on, so that Python does not complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def unless_unread() -> Iterator[None]:
    """Print, as long as somebody reads; what a command does besides goes on, and so does its exit code."""
    try:
        yield
    except BrokenPipeError:
        forget_unread()
