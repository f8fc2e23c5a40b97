"""Our errors as Inspect's own kind for what a user can mend: one message and no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from adjudge.errors import AdjudgeError


@contextmanager
def said_plainly() -> Iterator[None]:
    """What is wrong with an argument, as `inspect eval` prints it; ours stays the cause."""
    try:
        yield
    except AdjudgeError as error:
        # Inspect prints the message as markup, where "[…]" would vanish.
        raise PrerequisiteError(escape(f"adjudge: {error}")) from error
