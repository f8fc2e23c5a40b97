"""From an HTTP answer that is no success to the exception that says what to do about it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from adjudge.chat.errors import (
    BadRequest,
    ChatError,
    ContextTooLong,
    NoCredit,
    ParameterRefused,
    RateLimited,
    SchemaRefused,
    ServerFault,
    TimedOut,
    WrongAddress,
    WrongKey,
    WrongModel,
)

_SHOWN = 300
_TOO_LONG = re.compile(
    r"context.?length|maximum context|context window|context.?size|too many tokens|prompt is too long"
    r"|input is too long|exceeds? the .{0,30}context",
    re.IGNORECASE,
)
_SCHEMA = re.compile(r"response_format|json_schema|structured.?output|guided_json|grammar", re.IGNORECASE)
_REFUSED = re.compile(
    r"unsupported|not support|unrecognized|unknown|does not support|extra inputs|not permitted", re.I
)
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_OPTIONAL = ("temperature", "max_tokens", "seed")
_NO_KEY = (
    "no key was sent: set ADJUDGE_API_KEY, or name its variable with --key-env (key_env); "
    "OPENAI_API_KEY goes to OpenAI only"
)


def fault(
    status: int,
    body: bytes,
    headers: Mapping[str, str],
    *,
    model: str,
    address: str,
    keyed: bool = True,
    now: float | None = None,
) -> ChatError:
    """The exception for an HTTP status other than 200; `keyed` if the request had a key."""
    message, code, parameter = _explain(body)
    said = f"{address} answered {status}" + (f": {message}" if message else "")
    lower = f"{message} {code}".lower()
    if status in (401, 403):
        return WrongKey(f"{said}; {'check the key in the environment' if keyed else _NO_KEY}")
    if status == 402 or code in ("insufficient_quota", "billing_hard_limit_reached"):
        return NoCredit(f"{said}; the account has no credit left")
    if status == 429:
        return RateLimited(said, retry_after=retry_after(headers, now))
    if status >= 500:
        return ServerFault(said, status=status, retry_after=retry_after(headers, now))
    if status == 408:
        return TimedOut(said)
    if status in (409, 425):
        return ServerFault(said, status=status)
    if code in ("model_not_found", "DeploymentNotFound") or (
        status in (400, 404) and re.search(r"\b(model|deployment)\b.*(not exist|not found|no such)", lower)
    ):
        return WrongModel(f"{said}; check the model's name {model!r}")
    if status == 404 and "model" in lower and model.lower() in lower:
        return WrongModel(f"{said}; check the model's name {model!r}")
    if status in (404, 405) or status < 400:
        return WrongAddress(f"{said}; the base URL should end before /chat/completions, as in http://host/v1")
    return _complaint(status, said, lower, code, parameter)


def _complaint(status: int, said: str, lower: str, code: str, parameter: str) -> ChatError:
    """A 4xx about the request itself."""
    if (
        status == 413
        or code in ("context_length_exceeded", "string_above_max_length")
        or _TOO_LONG.search(lower)
    ):
        return ContextTooLong(f"{said}; split the question or use a model with a longer window")
    if parameter.startswith("response_format") or _SCHEMA.search(lower):
        return SchemaRefused(said)
    for name in _OPTIONAL:
        if parameter == name or (not parameter and name in lower and _REFUSED.search(lower)):
            return ParameterRefused(said, parameter=name)
    return BadRequest(said)


def _explain(body: bytes) -> tuple[str, str, str]:
    """Message, code and parameter of an error body in any of the forms that servers use."""
    try:
        found: Any = msgspec.json.decode(body)
    except msgspec.DecodeError:
        text = " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())
        # A web page says nothing that a person would want to read in a message.
        return ("" if text.startswith("<") else text[:_SHOWN]), "", ""
    error = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail") or error.get("msg") or ""
        return str(message)[:_SHOWN], str(error.get("code") or ""), str(error.get("param") or "")
    return (str(error)[:_SHOWN] if isinstance(error, str) else ""), "", ""


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that the server asks to wait, from whichever header it uses; None if it does not say."""
    now = time.time() if now is None else now
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return max(0.0, milliseconds / 1000)
    if told := headers.get("Retry-After"):
        if (seconds := _number(told)) is not None:
            return max(0.0, seconds)
        try:
            return max(0.0, parsedate_to_datetime(told).timestamp() - now)
        except ValueError:
            pass
    waits = []
    for what in ("-requests", "-tokens", ""):
        reset = headers.get(f"x-ratelimit-reset{what}")
        # Only the limit that is used up matters; servers report both.
        if reset is not None and _number(headers.get(f"x-ratelimit-remaining{what}")) in (None, 0.0):
            wait = _duration(reset.strip(), now)
            if wait is not None:
                waits.append(wait)
    return max(waits) if waits else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is None or abs(value) < 1e12 else None


def _duration(text: str, now: float) -> float | None:
    """`1s`, `6m0s`, `20ms`, plain seconds, or a time since 1970."""
    value = _number(text)
    if value is not None:
        return max(0.0, value - now) if value > 1e9 else max(0.0, value)
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        return None
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
