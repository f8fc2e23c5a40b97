"""Puts a backend and its wrappers together, and takes them down again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, get_args

from msgspec import Struct

from adjudge.chat.adapt import Adapt
from adjudge.chat.base import Backend, ChatReply, ChatRequest
from adjudge.chat.cache import Cache, Mode
from adjudge.chat.calls import CallLog, Calls
from adjudge.chat.cost import Account, Cost
from adjudge.chat.deadline import Deadline
from adjudge.chat.embed import Embedder
from adjudge.chat.errors import NotRecorded
from adjudge.chat.limits import Limits
from adjudge.chat.once import Once
from adjudge.chat.prices import Price, load_prices
from adjudge.chat.retries import Retries
from adjudge.chat.shared import Shared
from adjudge.chat.totals import Totals
from adjudge.errors import JudgeError, UsageError
from adjudge.plugins import plugin


class StackOptions(Struct, frozen=True, kw_only=True):
    """Everything about model access that a user can set."""

    base_url: str | None = None
    key_env: str | None = None
    concurrency: int = 16
    rpm: float | None = None
    tpm: float | None = None
    cache: Mode = "on"
    cache_path: str | None = None
    attempts: int = 6
    timeout: float = 120.0
    """Seconds for each attempt."""
    max_retry_after: float = 120.0
    """A server that asks for a longer wait is given up on."""
    patience: float = 1.5
    """Seconds for which a refused connection is tried again; at most 2."""
    first_pause: float = 0.5
    longest_pause: float = 30.0
    max_cost: float | None = None
    account: Account | None = None
    """What counts towards the cap besides this model: shared by all that a run asks."""
    prices: str | None = None
    calls_path: str | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("rpm", "tpm", "timeout"):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise UsageError(f"{name} must be more than 0, not {value}")
        if self.max_cost is not None and not self.max_cost >= 0:
            raise UsageError(f"max_cost must be 0 or more, not {self.max_cost}")
        if self.cache not in get_args(Mode):
            raise UsageError(f"cache is one of {', '.join(get_args(Mode))}, not {self.cache!r}")


class Stack:
    """A model behind all wrappers. Enter it inside the running loop, as often as there are runs at once."""

    def __init__(self, name: str, options: StackOptions, backend: Backend) -> None:
        self.name = name
        self.options = options
        self.model = _model(name)
        self.where = str(getattr(backend, "where", name.partition("/")[0]))
        """Backend and address, without secrets: part of every request's key."""
        self.totals = Totals()
        self.account = options.account or Account()
        self.price = _price(name, options, self.where)
        self._backend = backend
        self._shared = Shared(name, self._opened)
        self._top: Backend | None = None
        self._embedder: Embedder | None = None
        self._stopped: JudgeError | None = None
        if options.max_cost is not None:
            self._cost()  # says at once if the price is not known

    def __repr__(self) -> str:
        return f"Stack({self.name!r})"

    async def __aenter__(self) -> Self:
        await self._shared.enter()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._shared.leave()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[None]:
        options, where, totals = self.options, self.where, self.totals
        self._stopped = None
        if options.max_cost is not None:
            self.account.begin(options.calls_path)
        async with AsyncExitStack() as opening:
            if isinstance(self._backend, AbstractAsyncContextManager):
                await opening.enter_async_context(self._backend)
            limits = Limits(
                self._cost(),
                in_flight=options.concurrency,
                rpm=options.rpm,
                tpm=options.tpm,
                max_pause=options.max_retry_after,
            )
            retries = Retries(
                limits,
                attempts=options.attempts,
                first_pause=options.first_pause,
                longest_pause=options.longest_pause,
                max_retry_after=options.max_retry_after,
                patience=options.patience,
                totals=totals,
            )
            asked = _Stop(retries, self)
            cache = Cache(asked, where=where, path=options.cache_path, mode=options.cache)
            await cache.open()
            opening.push_async_callback(cache.close)
            log = CallLog(options.calls_path, where=where, price=self.price)
            opening.callback(log.close)
            once = Once(Calls(cache, log, totals), where=where, totals=totals)
            opening.push_async_callback(once.close)
            embedder = Embedder(
                Calls(asked, log, totals), cache, model=self.model, where=where, totals=totals
            )
            self._top, self._embedder = once, embedder
            try:
                yield
            finally:
                self._top, self._embedder = None, None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The answer, from wherever it can be had."""
        if self._top is None:
            raise RuntimeError("a Stack is used inside `async with`")
        return await self._top.complete(request)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order."""
        if self._embedder is None:
            raise RuntimeError("a Stack is used inside `async with`")
        return await self._embedder.embed(texts)

    def _cost(self) -> Cost:
        return Cost(
            Deadline(Adapt(self._backend), self.options.timeout),
            price=self.price,
            name=self.name,
            totals=self.totals,
            max_cost=self.options.max_cost,
            account=self.account,
            kept=self.options.cache == "on",
        )


class _Stop:
    """After a fatal error every further request ends with it at once; what is in the cache still comes."""

    def __init__(self, inner: Backend, stack: Stack) -> None:
        self._inner = inner
        self._stack = stack

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self._stack._stopped is not None:
            raise self._stack._stopped
        try:
            return await self._inner.complete(request)
        except JudgeError as error:
            if getattr(error, "fatal", False):
                self._stack._stopped = error
            raise


class _NoBackend:
    """Stands in for a provider in a replay, so that none is needed and no key asked for."""

    def __init__(self, where: str) -> None:
        self.where = where

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise NotRecorded(f"a replay asks nobody, and has no answer of {request.model}")


def build_stack(name: str, *, backend: Backend | None = None, **options: Any) -> Stack:
    """The stack for `openai/MODEL`, `inspect/PROVIDER/MODEL` or a plugin's name; see `StackOptions`.

    A `backend` that is handed in (tests, a client of one's own) takes the provider's place.
    """
    unknown = sorted(set(options) - set(StackOptions.__struct_fields__))
    if unknown:
        raise UsageError(f"model access has no option {unknown[0]!r}")
    given: dict[str, Any] = {key: str(v) if isinstance(v, Path) else v for key, v in options.items()}
    chosen = StackOptions(**given)
    return Stack(name, chosen, backend if backend is not None else _backend(name, chosen))


def _backend(name: str, options: StackOptions) -> Backend:
    provider, _, model = name.partition("/")
    if not model:
        raise UsageError(f"a model is named PROVIDER/MODEL, as in openai/gpt-4o-mini; found {name!r}")
    if provider == "openai":
        from adjudge.chat.keys import find_address
        from adjudge.chat.openai import OpenAIBackend

        if options.cache == "replay":
            return _NoBackend(find_address(options.base_url).shown)
        return OpenAIBackend(
            base_url=options.base_url, key_env=options.key_env, concurrency=options.concurrency
        )
    if provider == "inspect":
        if options.cache == "replay":
            return _NoBackend(name)
        from adjudge.chat.inspect import InspectBackend

        return InspectBackend(model, base_url=options.base_url, concurrency=options.concurrency)
    factory = plugin("adjudge.chat", provider)
    if factory is None:
        raise UsageError(
            f"there is no provider {provider!r}: use openai/MODEL (with --base-url for any server that "
            "speaks OpenAI's API) or inspect/PROVIDER/MODEL (pip install inspect-ai)"
        )
    made: Backend = factory(model, options)
    return made


def _model(name: str) -> str:
    """What the server is told: everything after the provider."""
    return name.partition("/")[2] or name


def _price(name: str, options: StackOptions, where: str) -> Price | None:
    """The list holds for the providers themselves; elsewhere only the user's own prices count."""
    own_server = where.startswith("http") and not ("api.openai.com" in where or "openai.azure.com" in where)
    return load_prices(options.prices).find(name, listed=not own_server)
