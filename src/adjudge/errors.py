"""Every exception adjudge raises on purpose, as one tree.

    AdjudgeError                 exit code
    ├── UsageError               2   an option or argument that cannot be (unknown metric, impossible weights)
    ├── InputError               3   a file, line or sample that cannot be read or lacks a field
    ├── RunFolderError           4   a run folder that is locked, foreign, of another version or another run
    └── JudgeError               5   a judge that cannot answer (missing key, unknown model, no such question)

Each message names what was found and what to do. `InputError` carries its place (file, line, sample, field),
so that a caller can show or count it without parsing text. Exit code 1 is kept for a failed gate
(`--fail-under`), 130 for Ctrl-C, 143 for SIGTERM.
"""

from __future__ import annotations


class AdjudgeError(Exception):
    """Base of all errors that adjudge raises on purpose."""

    exit_code = 2


class UsageError(AdjudgeError):
    """An option or argument that cannot be carried out."""

    exit_code = 2


class InputError(AdjudgeError):
    """Something in an input is missing or wrong; says where, what was found, and how to mend it."""

    exit_code = 3

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        sample: str | None = None,
        field: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = file
        self.line = line
        self.sample = sample
        self.field = field
        self.fix = fix
        super().__init__(problem)

    @property
    def place(self) -> str:
        """`file:line, sample 'x', field 'y'`, as far as known."""
        where = []
        if self.file is not None:
            where.append(self.file if self.line is None else f"{self.file}:{self.line}")
        elif self.line is not None:
            where.append(f"line {self.line}")
        if self.sample is not None:
            where.append(f"sample {self.sample!r}")
        if self.field is not None:
            where.append(f"field {self.field!r}")
        return ", ".join(where)

    def __str__(self) -> str:
        text = f"{self.place}: {self.problem}" if self.place else self.problem
        return f"{text}\n  fix: {self.fix}" if self.fix else text


class RunFolderError(AdjudgeError):
    """A run folder that this run may not or cannot use."""

    exit_code = 4


class JudgeError(AdjudgeError):
    """A judge that cannot answer what it is asked."""

    exit_code = 5
