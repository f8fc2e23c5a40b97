"""The user's own system as the thing that answers: a Python function or an HTTP address.

    python:module.function    called with the question (text); plain or async
    http://host/path          POST {"question": "…"} as JSON

Where a benchmark chooses the documents (rgb), they go in too: `function(question, contexts=[…])`, and
`{"question": "…", "contexts": ["…"]}`. An empty list means that the question is asked without any.

Both answer with an object: `response` (text), and if they retrieve `contexts` (a list of texts, in the order
used), `context_ids` (a name for each) and `attributes` (text, numbers, true or false). A bare text is a
response without contexts.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from adjudge.datasets.native import TOO_WIDE, too_wide
from adjudge.errors import UsageError
from adjudge.generate.engine import CaseError, NobodyThere
from adjudge.generate.target_loop import Blocked, TargetLoop
from adjudge.types import Attribute, digest

if TYPE_CHECKING:
    import aiohttp

TIMEOUT = 120.0
ATTEMPTS = 3
PAUSE = 0.5
_AGAIN = frozenset({429, 502, 503, 504})


class TargetAnswer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a target must answer with."""

    response: str
    contexts: list[str] | None = None
    context_ids: list[str] | None = None
    attributes: dict[str, Attribute] = {}


class Target(Protocol):
    """Something that answers questions. Enter it inside the running loop."""

    name: str

    async def ask(self, question: str, contexts: Sequence[str] | None = None) -> dict[str, Any]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def make_target(
    given: str, *, timeout: float = TIMEOUT, attempts: int = ATTEMPTS, with_contexts: bool = False
) -> Target:
    """The target that a text names; an error at once if there is none.

    `with_contexts`: it will be given documents besides the question.
    """
    if timeout <= 0:
        raise UsageError(f"timeout must be more than 0, not {timeout:g}")
    if attempts < 1:
        raise UsageError(f"attempts must be at least 1, not {attempts}")
    if given.startswith("python:"):
        return PythonTarget(given, timeout, with_contexts)
    if given.startswith(("http://", "https://")):
        return HttpTarget(given, timeout, attempts)
    raise UsageError(f"a target is python:module.function or http://…, not {given!r}")


def check_answer(found: Any) -> dict[str, Any]:
    """The answer as plain JSON values; CaseError if it is not of the form agreed on."""
    data = {"response": found} if isinstance(found, str) else found
    try:
        answer = msgspec.convert(data, TargetAnswer)
        if answer.context_ids is not None and len(answer.context_ids) != len(answer.contexts or ()):
            raise CaseError("wrong shape: 'context_ids' must have one name for each of 'contexts'")
        if wide := [name for name, value in answer.attributes.items() if too_wide(value)]:
            raise CaseError(f"wrong shape: attribute {wide[0]!r} is {TOO_WIDE}; give it as text")
        plain: dict[str, Any] = msgspec.to_builtins(answer)
        msgspec.json.encode(plain)
    except msgspec.ValidationError as error:
        expected = '{"response": text, "contexts": [text, …]}'
        raise CaseError(f"wrong shape: {error}; the target must answer {expected}") from None
    except UnicodeEncodeError:
        raise CaseError("wrong shape: a text holds half of a surrogate pair, which is no text") from None
    return plain


class PythonTarget:
    """A function of the question, in this process: in a thread, or if it is async in a loop of its own."""

    def __init__(self, name: str, timeout: float, with_contexts: bool = False) -> None:
        self.name = name
        self._timeout = timeout
        self._function = _import(name.removeprefix("python:"), with_contexts)
        self._loop = TargetLoop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._loop.close()

    async def ask(self, question: str, contexts: Sequence[str] | None = None) -> dict[str, Any]:
        """The function's answer, checked; whatever it raises is this question's failure alone."""
        given = {} if contexts is None else {"contexts": list(contexts)}
        call = partial(self._function, question, **given)
        until = asyncio.get_running_loop().time() + self._timeout
        try:
            if inspect.iscoroutinefunction(self._function):
                found = await self._loop.run(call, self._timeout)
            else:
                async with asyncio.timeout_at(until):
                    found = await _in_thread(call)
                if inspect.isawaitable(found):
                    left = until - asyncio.get_running_loop().time()
                    found = await self._loop.run(lambda: found, left)
        except Exception as error:
            if asyncio.get_running_loop().time() >= until and isinstance(error, TimeoutError):
                blocked = "; an async function that blocks holds up all others" * isinstance(error, Blocked)
                raise CaseError(f"no answer within {self._timeout:g} s{blocked}") from None
            raise CaseError(f"the target raised {type(error).__name__}: {error}") from error
        return check_answer(found)


def _import(path: str, with_contexts: bool) -> Callable[..., Any]:
    """`package.module.function`, found from the current folder too, as `python -m` would."""
    module, _, function = path.rpartition(".")
    if not module:
        raise UsageError(f"a Python target is python:module.function, not {path!r}")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        raise UsageError(f"target {path}: there is no module {error.name!r}") from None
    except AttributeError:
        raise UsageError(f"target {path}: {module} has no {function!r}") from None
    except Exception as error:
        raise UsageError(f"target {path}: {module} cannot be imported ({error!r})") from error
    if not callable(found):
        raise UsageError(f"target {path} is {type(found).__name__}, not a function")
    _check_takes(path, found, {"contexts": []} if with_contexts else {})
    return found  # type: ignore[no-any-return]


def _check_takes(path: str, function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Before anything is asked: a function that cannot be called so would fail every question."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C: it does not tell
        return
    try:
        signature.bind("question", **given)
    except TypeError as error:
        if given:
            how = "as function(question, contexts=[…]), and this benchmark chooses the documents"
        else:
            how = "with the question alone"
        raise UsageError(f"target {path}{signature} cannot be called {how}: {error}") from None


async def _in_thread(call: Callable[[], Any]) -> Any:
    """In a thread that nobody waits for at the end: a function that hangs must not hold up the exit."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            set_it(value)

    def work() -> None:
        try:
            result, place = call(), outcome.set_result
        except BaseException as error:
            # StopIteration cannot go into a future, and what ends a thread must not end the run.
            result, place = RuntimeError(f"{type(error).__name__}: {error}"), outcome.set_exception
            if isinstance(error, Exception) and not isinstance(error, StopIteration):
                result = error
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            loop.call_soon_threadsafe(settle, place, result)

    threading.Thread(target=work, name="adjudge-target", daemon=True).start()
    return await outcome


def _http_name(url: str) -> str:
    """The address without what may be secret, and a digest where that tells it from others: `http://h/ask#3f9a`.

    The name stands for the target in journals too, so two addresses must never share one. A password says
    who may ask and not who answers; being short, it could be guessed from a digest.
    """
    from adjudge.chat.keys import Address

    shown, parts = Address(url).shown, urlsplit(url.strip())
    if not parts.username and shown.partition("?")[2] == parts.query:
        return shown
    return f"{shown}#{digest(f'{parts.username}?{parts.query}')}"


class HttpTarget:
    """An address that takes a question by POST."""

    def __init__(self, url: str, timeout: float, attempts: int) -> None:
        self.name = _http_name(url)
        self._url = url
        self._timeout = timeout
        self._attempts = attempts
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        import aiohttp

        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=self._timeout), trust_env=True, raise_for_status=False
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def ask(self, question: str, contexts: Sequence[str] | None = None) -> dict[str, Any]:
        """The server's answer, checked; asked again where it was only busy."""
        asked: dict[str, Any] = {"question": question}
        if contexts is not None:
            asked["contexts"] = list(contexts)
        for attempt in range(1, self._attempts + 1):
            status, body, wait = await self._post(asked)
            too_long = status in _AGAIN and wait is not None and wait > self._timeout
            if status not in _AGAIN or attempt == self._attempts or too_long:
                break
            await asyncio.sleep(PAUSE * 2 ** (attempt - 1) if wait is None else wait)
        if status != 200:
            told = f" (it asks to wait {wait:.0f} s, more than --timeout)" if too_long else ""
            said = body[:200].decode("utf-8", "replace")
            raise CaseError(f"the target answered HTTP {status}{told}: {said}")
        try:
            found = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise CaseError(f"wrong shape: not JSON: {body[:100].decode('utf-8', 'replace')!r}") from None
        return check_answer(found)

    async def _post(self, asked: dict[str, Any]) -> tuple[int, bytes, float | None]:
        """Status, body, and how many seconds the server asks to wait."""
        import aiohttp

        from adjudge.chat.faults import retry_after

        assert self._session is not None
        try:
            async with self._session.post(self._url, json=asked) as answer:
                return answer.status, await answer.read(), retry_after(answer.headers)
        except TimeoutError:
            raise CaseError(f"no answer within {self._timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            raise NobodyThere(f"the target cannot be reached: {error}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise CaseError(f"the target cannot be reached: {error or type(error).__name__}") from None
