"""Google's results through serper.dev. The key comes from the environment or a keyring, and stays there."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from adjudge.chat.keys import secret
from adjudge.errors import JudgeError
from adjudge.evidence.base import Passage, SearchFailed

URL = "https://google.serper.dev"
KEY = "SERPER_API_KEY"
NOTHING = "No good Google Search result was found"
_TIMEOUT = 30.0
_LONGEST_PAUSE = 30.0
_LONGEST_TOLD = 120.0
_AT_ONCE = 16
_AT_FIRST = 2
"""Attempts at a server that was never reached: the address is wrong, or there is no network."""


class _Again(Exception):
    """A failure that may pass, and how long the server asked to wait."""

    def __init__(self, problem: str, pause: float | None = None, *, unreachable: bool = False) -> None:
        super().__init__(problem)
        self.pause = pause
        self.unreachable = unreachable
        """True if no connection came about."""


class Serper:
    """Web search. At most `attempts` requests a search, with growing random pauses between them."""

    name = "web:serper"
    nothing = NOTHING

    def __init__(
        self,
        url: str | None = None,
        *,
        attempts: int = 5,
        first_pause: float = 1.0,
        timeout: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.where = (url or os.environ.get("SERPER_URL") or URL).rstrip("/")
        self._attempts = max(1, attempts)
        self._first_pause = first_pause
        self._timeout = timeout or _TIMEOUT
        self._sleep = sleep
        self._random = random.Random()
        self._session: Any = None
        self._room: asyncio.Semaphore | None = None
        self._refused: JudgeError | None = None
        self._reached = False

    async def open(self) -> None:
        """One pool of connections; raises JudgeError without a key."""
        if self._session is not None:
            return
        key = find_key()
        import aiohttp

        self._room = asyncio.Semaphore(_AT_ONCE)
        self._session = aiohttp.ClientSession(
            headers={"X-API-KEY": key},
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            trust_env=True,
        )

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def search(self, query: str, limit: int) -> list[Passage]:
        await self.open()
        assert self._room is not None
        problem = ""
        for attempt in range(1, self._attempts + 1):
            try:
                async with self._room:
                    if self._refused is not None:
                        raise self._refused
                    return found(await self._post(query, limit), limit)
            except SearchFailed:
                raise
            except JudgeError as error:
                self._refused = error  # no other search would fare better
                raise
            except _Again as error:
                problem = str(error)
                if error.unreachable and not self._reached and attempt >= min(_AT_FIRST, self._attempts):
                    self._refused = JudgeError(
                        f"the search server cannot be reached: {problem}; is this machine offline? "
                        "Else check SERPER_URL, or take another evidence: contexts, corpus:PATH"
                    )
                    raise self._refused from None
                if attempt == self._attempts or (error.pause or 0.0) > _LONGEST_TOLD:
                    break
                longest = min(_LONGEST_PAUSE, self._first_pause * 2.0 ** (attempt - 1))
                await self._sleep((error.pause or 0.0) + self._random.uniform(0.5, 1.0) * longest)
        raise SearchFailed(f"the web search failed after {attempt} attempts: {problem}")

    async def _post(self, query: str, limit: int) -> dict[str, Any]:
        import aiohttp

        parameters = {"q": query, "gl": "us", "hl": "en", "num": str(limit)}
        try:
            # A redirect would carry the key to another host.
            async with self._session.post(
                f"{self.where}/search", params=parameters, allow_redirects=False
            ) as answer:
                self._reached = True
                body = await answer.read()
                if answer.status != 200:
                    raise _fault(answer.status, body, answer.headers.get("Retry-After"))
        except TimeoutError:
            raise _Again(f"no answer within {self._timeout:g} s") from None
        except aiohttp.InvalidURL:
            raise JudgeError("SERPER_URL must look like https://host") from None
        except aiohttp.ClientConnectorError as error:
            raise _Again(error.os_error.strerror or type(error).__name__, unreachable=True) from None
        except aiohttp.ClientError as error:
            raise _Again(f"{type(error).__name__} from the search server") from None
        try:
            results = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise _Again("the answer is not JSON") from None
        if not isinstance(results, dict):
            raise _Again("the answer is not a JSON object")
        return results


def find_key() -> str:
    """The key from the environment or a keyring; JudgeError without one."""
    found = secret(KEY)
    if found is None:
        raise JudgeError(
            f"evidence 'web' needs a key of serper.dev: set the environment variable {KEY},"
            " or take another evidence: contexts, corpus:PATH"
        )
    return found


def _fault(status: int, body: bytes, told: str | None) -> Exception:
    """What a status other than 200 means: try again, give up this search, or end the run."""
    text = body[:2000].decode("utf-8", "replace")
    if status in (401, 403):
        return JudgeError(f"serper.dev refuses the key ({status}); check {KEY}")
    if status == 402 or (status == 400 and "credit" in text.lower()):
        return JudgeError(f"the account at serper.dev has no credit left ({status})")
    if status < 400 or status in (404, 405):
        return JudgeError(f"the search server answered {status}; check SERPER_URL")
    if status in (408, 425, 429) or status >= 500:
        return _Again(f"the search server answered {status}", _seconds(told))
    said = f": {words}" if (words := _message(body)) else ""
    return SearchFailed(f"the search server refused the query ({status}){said}")


def _message(body: bytes) -> str:
    """What the server says about an error, if it says so in its own form."""
    try:
        found = _dict(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return " ".join(_text(found.get("message")).split())[:200]


def _seconds(told: str | None) -> float | None:
    try:
        return max(0.0, float(told)) if told else None
    except ValueError:  # an HTTP date: our own pauses will do
        return None


def found(results: dict[str, Any], limit: int) -> list[Passage]:
    """Answer box, knowledge graph and the first results, as far as they say anything."""
    passages = [_answer(_dict(results.get("answerBox"))), _knowledge(_dict(results.get("knowledgeGraph")))]
    organic = results.get("organic")
    for item in (organic if isinstance(organic, list) else [])[:limit]:
        entry = _dict(item)
        pieces = [_text(entry.get("snippet")), *_attributes(entry, "")]
        passages.append(_passage(pieces, entry, "link"))
    return [passage for passage in passages if passage is not None]


def _answer(box: dict[str, Any]) -> Passage | None:
    marked = box.get("snippetHighlighted")
    if isinstance(marked, list):
        marked = " ".join(piece for piece in marked if isinstance(piece, str))
    snippet = _text(box.get("snippet")).replace("\n", " ")
    return _passage([_text(box.get("answer")), snippet, _text(marked)], box, "link")


def _knowledge(graph: dict[str, Any]) -> Passage | None:
    title, kind = _text(graph.get("title")), _text(graph.get("type"))
    named = f"{title}: {kind}." if kind else ""
    pieces = [named, _text(graph.get("description")), *_attributes(graph, f"{title} ")]
    return _passage(pieces, graph, "descriptionLink")


def _attributes(entry: dict[str, Any], before: str) -> list[str]:
    return [f"{before}{name}: {value}." for name, value in _dict(entry.get("attributes")).items()]


def _passage(pieces: list[str], entry: dict[str, Any], link: str) -> Passage | None:
    text = " ".join(piece for piece in pieces if piece)
    return Passage(text, _text(entry.get("title")) or None, _text(entry.get(link)) or None) if text else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
