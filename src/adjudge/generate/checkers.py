"""Checkers: what flags violations in a text, given the text and the split's rules.

    python:module.function   `function(text, rules)`, perhaps async, gives a list of dicts or `Violation`s
    cmd:'command'            gets {"id", "text", "rules"} as JSON on standard input, prints a JSON list
    prompt                   a chat model with one prompt, see `prompt_checker`
    NAME                     of an installed package (entry point `adjudge.checkers`): makes a checker

A violation is `{"start": 4, "end": 9, "rule": "R1", …}`, or with `spans` or `quote` instead of offsets, and
any of `category`, `explanation`, `correction`. A checker that raises, runs too long or gives something else
fails on that sample alone: one message, and the rest goes on. An async function runs in our event loop, so
that it can keep a client open from text to text; where it blocks, nothing can stop it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from adjudge.datasets.source import Row
from adjudge.datasets.violation_names import CheckerName, as_name
from adjudge.datasets.violations import Mark, violations_of
from adjudge.errors import AdjudgeError, InputError, UsageError
from adjudge.plugins import plugin
from adjudge.types import Attribute, Rule, Sample, Violation

TIMEOUT = 60.0
FLAGGED_BY = ("checker", "rater")
"""Attributes that say whose predictions a sample holds."""


class CheckerFailure(AdjudgeError):
    """A checker gave nothing usable for one text."""

    exit_code = 3


class Checker(Protocol):
    """Anything that flags violations."""

    name: CheckerName
    about: str
    """One line for people."""

    async def check(self, sample: Sample) -> Any:
        """What it flags in the sample's text: violations, or what can be read as such."""
        ...


class Checked(Struct, frozen=True):
    """A sample with what was flagged in it, or why nothing is known."""

    sample: Sample
    problem: str | None = None


class PythonChecker:
    """A function of text and rules."""

    def __init__(self, function: Callable[..., Any], name: CheckerName, about: str = "") -> None:
        self._function = function
        self.name = name
        self.about = about

    async def check(self, sample: Sample) -> Any:
        text, rules = sample.text or "", sample.rules or ()
        if inspect.iscoroutinefunction(self._function):
            try:
                return await self._function(text, rules)
            except SystemExit as error:
                # It would end the event loop, and with it the whole program.
                raise CheckerFailure(_raised(error)) from None
        return await _in_thread(lambda: _listed(self._function(text, rules)))


def make_checker(choice: str, *, name: str | None = None, **options: Any) -> Checker:
    """The checker that `--checker` names; `name` is how it is called, name@version or name@version|model."""
    kind, _, rest = choice.partition(":")
    given = CheckerName.parse(name) if name else None
    if kind == "python":
        return _python(rest, given)
    if kind == "cmd":
        from adjudge.generate.command_checker import CommandChecker

        words = rest.split() or ["command"]
        return CommandChecker(rest, given or CheckerName(as_name(os.path.basename(words[0])), "0"))
    if choice == "prompt":
        from adjudge.generate.prompt_checker import make_prompt_checker

        return make_prompt_checker(given, **options)
    factory = plugin("adjudge.checkers", choice)
    if factory is None:
        raise UsageError(
            f"there is no checker {choice!r}; there are prompt, python:module.function and cmd:'command'"
        )
    made: Checker = factory(**options)
    return made


def _python(path: str, given: CheckerName | None) -> PythonChecker:
    """The function, named by itself or its module (`CHECKER = "name@version"`), its line from its docs."""
    place, _, attribute = path.rpartition(".")
    if not place:
        raise UsageError(f"python:{path}: write python:module.function")
    try:
        module = import_module(place)
    except ImportError as error:
        raise UsageError(
            f"python:{path}: {error}; is its folder on PYTHONPATH, and what it needs installed?"
        ) from None
    function = getattr(module, attribute, None)
    if not callable(function):
        raise UsageError(f"python:{path}: {place} has no function {attribute!r}")
    said = getattr(function, "CHECKER", None) or getattr(module, "CHECKER", None)
    name = given or (CheckerName.parse(str(said)) if said else CheckerName(as_name(attribute), "0"))
    about = (inspect.getdoc(function) or "").strip().splitlines()
    return PythonChecker(function, name, about[0] if about else "")


async def run_checker(
    checker: Checker, samples: Iterable[Sample], *, timeout: float = TIMEOUT, concurrency: int = 8
) -> AsyncIterator[Checked]:
    """Each sample with what was flagged, in order; at most `concurrency` in work at once."""
    waiting: list[asyncio.Task[Checked]] = []
    try:
        for sample in samples:
            waiting.append(asyncio.create_task(_one(checker, sample, timeout)))
            if len(waiting) >= concurrency:
                yield await waiting.pop(0)
        while waiting:
            yield await waiting.pop(0)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def _one(checker: Checker, sample: Sample, timeout: float) -> Checked:
    fresh = fresh_sample(sample, str(checker.name))
    if sample.text is None:
        return Checked(fresh, "the sample has no text")
    try:
        found = await asyncio.wait_for(checker.check(sample), timeout)
        predicted = as_violations(found, sample)
    except TimeoutError:
        return Checked(fresh, f"no answer within {timeout:g} s")
    except CheckerFailure as error:
        return Checked(fresh, str(error))
    except AdjudgeError:
        raise
    except Exception as error:
        return Checked(fresh, _raised(error))
    return Checked(msgspec.structs.replace(fresh, predicted=predicted))


def _raised(error: BaseException) -> str:
    return f"it raised {type(error).__name__}: {error}"


def fresh_sample(sample: Sample, checker: str) -> Sample:
    """The sample under this checker's name, without what another flagged."""
    before = sample.attributes.get("checker")
    id = sample.item if before is not None and sample.id == f"{sample.item}|{before}" else sample.id
    attributes = {**sample.attributes, "checker": checker}
    return msgspec.structs.replace(sample, id=id, predicted=None, attributes=attributes, units=(), labels=())


def as_violations(found: Any, sample: Sample) -> tuple[Violation, ...]:
    """What a checker gave, as violations that lie in the text; raises CheckerFailure."""
    if isinstance(found, dict) and isinstance(found.get("violations"), list):
        found = found["violations"]
    if not isinstance(found, (list, tuple)):
        raise CheckerFailure(f"it gave {type(found).__name__}, not a list of violations")
    plain = [msgspec.to_builtins(one) if isinstance(one, Violation) else one for one in found]
    try:
        marks = msgspec.convert(plain, tuple[Mark, ...])
        violations = violations_of(Row(None, "", 0), "violation", marks, sample.id) or ()
    except msgspec.ValidationError as error:
        raise CheckerFailure(f"it gave something that is no violation: {error}") from None
    except InputError as error:
        raise CheckerFailure(f"{error.field}: {error.problem}") from None
    length = len(sample.text or "")
    for index, one in enumerate(violations):
        for start, end in one.spans or ():
            if end > length:
                raise CheckerFailure(
                    f"violation.{index}: [{start}, {end}) ends beyond the text ({length} characters)"
                )
    return violations


def _listed(found: Any) -> Any:
    """Generators are run where the function is."""
    return list(found) if inspect.isgenerator(found) else found


async def _in_thread(work: Callable[[], Any]) -> Any:
    """In a thread that nobody waits for at the end: a function that hangs cannot hold up the program."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def tell(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error is not None else done.set_result(value)

    def run() -> None:
        try:
            value, error = work(), None
        except BaseException as raised:
            # Some mean something else to the event loop, or cannot be handed over at all.
            plain = isinstance(raised, Exception) and not isinstance(raised, (StopIteration, TimeoutError))
            value, error = None, raised if plain else CheckerFailure(_raised(raised))
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, value, error)

    threading.Thread(target=run, name="checker", daemon=True).start()
    return await done


def distinct_texts(samples: Iterable[Sample]) -> Iterable[Sample]:
    """Each sample once, though a file may hold it with the predictions of several checkers or raters."""
    first: dict[tuple[str, str | None, Any], tuple[Attribute, ...]] = {}
    for sample in samples:
        by = tuple(sample.attributes.get(name) for name in FLAGGED_BY)
        if first.setdefault((sample.item, sample.text, sample.gold), by) == by:
            yield sample


def rules_text(rules: Sequence[Rule]) -> list[tuple[str, str]]:
    """Rules as (id, words) for a prompt."""
    return [
        (rule.id, f"{rule.text or rule.id}" + (f" ({rule.category})" if rule.category else ""))
        for rule in rules
    ]
