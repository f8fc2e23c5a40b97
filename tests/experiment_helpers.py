"""A judge that answers from functions, any kind of question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adjudge.judges.base import Judge, Question, Reply
from adjudge.stats.experiments import find_experiment
from adjudge.stats.experiments.outcome import Outcome, Request, Result, Row


class Answers:
    """Each kind of question by its function; remembers what it was asked."""

    name = "answers"
    immediate = False

    def __init__(self, script: dict[type[Question], Any]) -> None:
        self.script = script
        self.asked: list[Question] = []

    @property
    def answers(self) -> frozenset[type[Question]]:
        return frozenset(self.script)

    async def ask(self, questions: Sequence[Question]) -> list[Reply]:
        self.asked += questions
        await asyncio.sleep(0)
        found = [self.script[type(q)](q) for q in questions]
        return [x if isinstance(x, Reply) else Reply(x) for x in found]


def run_experiment(name: str, data: Path, judge: Judge | None = None, **options: Any) -> Result:
    options.setdefault("resamples", 20)
    return asyncio.run(find_experiment(name)(Request(data=data, judge=judge, **options)))  # type: ignore[arg-type]


def row_of(outcome: Outcome, title: str, name: str) -> Row:
    """The row of that name in the table whose title begins so."""
    (table,) = [table for table in outcome.tables if table.title.startswith(title)]
    (row,) = [row for row in table.rows if row.name == name]
    return row


def value_of(outcome: Outcome, title: str, name: str, column: str) -> float | None:
    return row_of(outcome, title, name).figures[column].value
