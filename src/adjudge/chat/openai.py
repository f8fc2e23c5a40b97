"""Anything that speaks OpenAI's chat API: one POST, on aiohttp, over one pool of connections a run."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.request import getproxies, proxy_bypass

import msgspec
from msgspec import Struct

from adjudge._version import __version__
from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.embed import pack
from adjudge.chat.errors import BadReply, ChatError, ServerFault, TimedOut, WrongAddress
from adjudge.chat.faults import fault
from adjudge.chat.keys import find_address, find_key

if TYPE_CHECKING:
    import aiohttp

_encoder = msgspec.json.Encoder()
_RAW = 20_000


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Said(Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None


class _Answer(Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    error: Any = None


class _Vector(Struct):
    embedding: list[float]
    index: int = -1


class _Vectors(Struct):
    data: list[_Vector]
    usage: _Usage | None = None
    model: str | None = None


_answers = msgspec.json.Decoder(_Answer)
_vectors = msgspec.json.Decoder(_Vectors)


class OpenAIBackend:
    """A server's chat and embedding end points. Enter it inside the running loop."""

    def __init__(
        self, *, base_url: str | None = None, key_env: str | None = None, concurrency: int = 16
    ) -> None:
        self._address = find_address(base_url)
        self._key = find_key(self._address, key_env)
        self._concurrency = concurrency
        self._chat_url = self._address.url("chat/completions")
        self._embed_url = self._address.url("embeddings")
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None
        self._reached = False

    def __repr__(self) -> str:
        return f"OpenAIBackend({self._address.shown!r})"

    @property
    def where(self) -> str:
        """Address without secrets."""
        return self._address.shown

    async def __aenter__(self) -> Self:
        import aiohttp

        headers = {"Content-Type": "application/json", "User-Agent": f"adjudge/{__version__}"}
        if self._key is not None:
            name, value = ("api-key", self._key) if self._address.azure else _bearer(self._key)
            headers[name] = value
        # Looked up once: aiohttp's own trust_env reads environment and netrc for every request.
        if not proxy_bypass(self._address.host):
            self._proxy = getproxies().get(self._chat_url.partition(":")[0])
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._concurrency, keepalive_timeout=60),
            # The overall time is the deadline wrapper's business; a dead host must show sooner.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One attempt, no more."""
        started = time.perf_counter()
        if request.task == "embed":
            url, body = self._embed_url, _embed_body(request)
        else:
            url, body = self._chat_url, _chat_body(request)
        status, headers, answer = await self._post(url, body)
        if status != 200:
            keyed = self._key is not None
            raise fault(status, answer, headers, model=request.model, address=self.where, keyed=keyed)
        seconds = time.perf_counter() - started
        if request.task == "embed":
            return _read_vectors(answer, request, seconds)
        return _read_answer(answer, request, seconds, self.where)

    async def _post(self, url: str, body: bytes) -> tuple[int, Any, bytes]:
        import aiohttp

        if self._session is None:
            raise RuntimeError("an OpenAIBackend is used inside `async with`")
        try:
            # A redirect would hand the key to another host, and turn the POST into a GET.
            async with self._session.post(
                url, data=body, proxy=self._proxy, allow_redirects=False
            ) as response:
                answer = await response.read()
                self._reached = True
                return response.status, response.headers, self._scrub(answer)
        # None of aiohttp's own exceptions is kept as a cause: they hold the headers, and so the key.
        except aiohttp.ServerTimeoutError as error:  # only connecting is timed here
            raise self._unreachable(error) from None
        except TimeoutError:
            raise TimedOut(f"{self.where} did not answer in time") from None
        except aiohttp.ClientPayloadError:
            raise BadReply("half") from None
        except (aiohttp.ClientConnectorError, aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise self._unreachable(error) from None
        except (aiohttp.ClientError, OSError) as error:
            raise ServerFault(f"the connection to {self.where} broke ({type(error).__name__})") from None

    def _unreachable(self, error: Exception) -> ChatError:
        """Before anything got through, the address is wrong; afterwards the server went away for a while."""
        reason = getattr(getattr(error, "os_error", None), "strerror", None) or type(error).__name__
        if self._reached:
            return ServerFault(f"{self.where} went away: {reason}")
        return WrongAddress(
            f"cannot reach {self.where}: {reason}; check the base URL, and that the server is running",
            refused=isinstance(getattr(error, "os_error", None), ConnectionRefusedError),
        )

    def _scrub(self, answer: bytes) -> bytes:
        """A server that echoes the key must not get it into a cache, a log or a message."""
        if self._key is not None and (key := self._key.encode()) in answer:
            return answer.replace(key, b"[key]")
        return answer


def _bearer(key: str) -> tuple[str, str]:
    return "Authorization", f"Bearer {key}"


def _chat_body(request: ChatRequest) -> bytes:
    body: dict[str, Any] = {"model": request.model, "messages": request.messages}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.seed is not None:
        body["seed"] = request.seed
    if request.schema is not None:
        named = {"name": request.schema_name, "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if request.extra:
        body.update(request.extra)
    return _encode(body)


def _embed_body(request: ChatRequest) -> bytes:
    return _encode(
        {"model": request.model, "input": [m.content for m in request.messages], **(request.extra or {})}
    )


def _encode(body: dict[str, Any]) -> bytes:
    try:
        return _encoder.encode(body)
    except UnicodeEncodeError:  # lone surrogates of odd input: no JSON can carry them
        text = msgspec.to_builtins(body)
        return _encoder.encode(_without_surrogates(text))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {key: _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def _read_answer(answer: bytes, request: ChatRequest, seconds: float, where: str) -> ChatReply:
    try:
        found = _answers.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadReply("json", _raw(answer)) from None
    used = _used(found.usage)
    if not found.choices:
        code = found.error.get("code") if isinstance(found.error, dict) else None
        if isinstance(code, int) and code >= 400:  # some gateways answer 200 and put the status inside
            raise fault(code, answer, {}, model=request.model, address=where)
        raise BadReply("choices", _raw(answer), usage=used or (0, 0))
    choice = found.choices[0]
    content = choice.message.content
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    text, finish = content or "", choice.finish_reason or "stop"
    if choice.message.refusal:
        raise BadReply("refusal", choice.message.refusal, usage=used or (0, 0))
    if finish in ("length", "content_filter"):
        raise BadReply(finish, text, usage=used or (0, 0))
    if not text.strip():
        raise BadReply("empty", _raw(answer), usage=used or (0, 0))
    prompt, completion = used or (request.prompt_size(), len(text.encode("utf-8", "replace")) // 4 + 1)
    return ChatReply(
        text, prompt, completion, finish, found.model or "", False, seconds, estimated=used is None
    )


def _read_vectors(answer: bytes, request: ChatRequest, seconds: float) -> ChatReply:
    try:
        found = _vectors.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadReply("json", _raw(answer)) from None
    rows = (
        sorted(found.data, key=lambda row: row.index) if all(r.index >= 0 for r in found.data) else found.data
    )
    vectors = [row.embedding for row in rows]
    if len(vectors) != len(request.messages) or not all(vectors) or len({len(v) for v in vectors}) > 1:
        raise BadReply("json", f"{len(vectors)} vectors for {len(request.messages)} texts")
    used = _used(found.usage)
    prompt = used[0] if used else request.prompt_size()
    text = " ".join(pack(vector) for vector in vectors)
    return ChatReply(text, prompt, 0, "stop", found.model or "", False, seconds, estimated=used is None)


def _used(usage: _Usage | None) -> tuple[int, int] | None:
    if usage is None or usage.prompt_tokens is None:
        return None
    return usage.prompt_tokens, usage.completion_tokens or 0


def _raw(answer: bytes) -> str:
    return answer[:_RAW].decode("utf-8", "replace")
