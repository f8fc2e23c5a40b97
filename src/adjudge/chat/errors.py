"""What can go wrong between us and a model, as one tree below `JudgeError`.

    ChatError
    ├── WrongKey         fatal   the server does not accept the key, or there is none
    ├── NoCredit         fatal   the account has no money or quota left
    ├── WrongModel       fatal   the server does not know the model
    ├── WrongAddress     fatal   nothing there that speaks this API
    ├── CostExceeded     fatal   the next request could pass the spending cap
    ├── RateLimited      repeat  too many requests; `retry_after` in seconds, if told
    ├── ServerFault      repeat  5xx, or the connection broke before an answer
    ├── TimedOut         repeat
    ├── BadReply         repeat  (half, json, choices, empty) or not (refusal, length, content_filter)
    ├── ParameterRefused repeat  without that parameter, see `adapt`
    │   └── SchemaRefused
    ├── BadRequest               the server finds fault with the request itself
    ├── ContextTooLong           the caller may split the question
    ├── NotRecorded              a replay that has no stored answer
    └── GaveUp                   no answer to this one request; `last` says why. The run goes on

A fatal error ends a run: every other request would meet the same. Messages never contain a key.
"""

from __future__ import annotations

from typing import ClassVar

from adjudge.errors import JudgeError


class ChatError(JudgeError):
    """Base of all errors of model access."""

    fatal = False
    repeat = False
    usage: tuple[int, int] = (0, 0)
    """Prompt and completion tokens that were billed all the same."""


class WrongKey(ChatError):
    """The server does not accept the key, or it wants one and there is none."""

    fatal = True


class NoCredit(ChatError):
    """The key is right, but the account has no money or quota left."""

    fatal = True


class WrongModel(ChatError):
    """The server does not know the model."""

    fatal = True


class WrongAddress(ChatError):
    """Nothing there, or nothing that speaks this API."""

    fatal = True

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused
        """True if no connection came about, as when a local server is still starting."""


class CostExceeded(ChatError):
    """The next request could pass the spending cap, or its price is not known."""

    fatal = True


class RateLimited(ChatError):
    """Too many requests."""

    repeat = True

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServerFault(ChatError):
    """The server failed, or the connection broke before an answer."""

    repeat = True

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class TimedOut(ChatError):
    """No answer within the time allowed."""

    repeat = True


class BadReply(ChatError):
    """An answer came that is none. `kind` is one of the keys below; `raw` is what came."""

    KINDS: ClassVar = {
        "half": "the connection closed in the middle of the answer",
        "json": "the answer is not JSON of the expected form",
        "choices": "the answer has no choices",
        "empty": "the answer has no text",
        "refusal": "the model refused to answer",
        "length": "the answer was cut off at the token limit",
        "content_filter": "a content filter withheld the answer",
    }
    LASTING = frozenset({"refusal", "length", "content_filter"})
    """The same question would end the same way."""

    def __init__(self, kind: str, raw: str = "", *, usage: tuple[int, int] = (0, 0)) -> None:
        super().__init__(self.KINDS.get(kind, kind))
        self.kind = kind
        self.raw = raw
        self.usage = usage
        self.repeat = kind not in self.LASTING

    @property
    def page(self) -> bool:
        """True if a web page came, as from an address that is not this API's."""
        return self.kind == "json" and self.raw.lstrip()[:5].lower() in ("<html", "<!doc")


class ParameterRefused(ChatError):
    """The model does not take a parameter of the request."""

    repeat = True

    def __init__(self, message: str, *, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class SchemaRefused(ParameterRefused):
    """The server or the model does not do structured output."""

    def __init__(self, message: str) -> None:
        super().__init__(message, parameter="schema")


class BadRequest(ChatError):
    """The server finds fault with the request; sending it again would not help."""


class ContextTooLong(ChatError):
    """The request is longer than the model's window."""


class NotRecorded(ChatError):
    """A replay was asked for an answer that is not stored."""


class GaveUp(ChatError):
    """No answer to this request after all attempts that were allowed or made sense."""

    def __init__(self, attempts: int, last: ChatError, *, wasted: tuple[int, int] = (0, 0)) -> None:
        super().__init__(f"no answer after {attempts} attempt{'s' if attempts != 1 else ''}: {last}")
        self.attempts = attempts
        self.last = last
        self.usage = wasted

    @property
    def raw(self) -> str:
        """Text of the last answer that was no use, if there was one."""
        return self.last.raw if isinstance(self.last, BadReply) else ""
