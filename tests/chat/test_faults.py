from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from adjudge.chat import errors as e
from adjudge.chat.faults import fault, retry_after


def body(message: str, **more: Any) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        (401, b"", e.WrongKey),
        (403, body("no access"), e.WrongKey),
        (402, body("pay first"), e.NoCredit),
        (429, body("spent", code="insufficient_quota"), e.NoCredit),
        (429, body("slower"), e.RateLimited),
        (404, body("The model `m` does not exist", code="model_not_found"), e.WrongModel),
        (404, b'{"object":"error","message":"The model `m` does not exist."}', e.WrongModel),
        (404, b'{"error":"model \'m\' not found"}', e.WrongModel),
        (404, body("No such deployment here", code="DeploymentNotFound"), e.WrongModel),
        (404, b'{"detail":"Not Found"}', e.WrongAddress),
        (404, b"<html>nothing</html>", e.WrongAddress),
        (405, b"", e.WrongAddress),
        (301, b"", e.WrongAddress),
        (413, b"", e.ContextTooLong),
        (400, body("too big", code="context_length_exceeded"), e.ContextTooLong),
        (400, body("This model's maximum context length is 4096 tokens"), e.ContextTooLong),
        (400, body("the request exceeds the available context size"), e.ContextTooLong),
        (400, body("'response_format' of type 'json_schema' is not supported"), e.SchemaRefused),
        (422, body("bad", param="response_format.json_schema"), e.SchemaRefused),
        (400, body("no", param="temperature", code="unsupported_value"), e.ParameterRefused),
        (400, body("Unsupported parameter: max_tokens"), e.ParameterRefused),
        (400, body("messages must alternate"), e.BadRequest),
        (408, b"", e.TimedOut),
        (409, b"", e.ServerFault),
        (500, b"\xff\xfe", e.ServerFault),
        (529, body("overloaded"), e.ServerFault),
    ],
)
def test_status_becomes_the_right_error(status: int, answer: bytes, kind: type[e.ChatError]) -> None:
    found = fault(status, answer, {}, model="m", address="http://h/v1")
    assert type(found) is kind
    assert "http://h/v1" in str(found)
    assert str(status) in str(found)


def test_long_server_text_is_cut_and_pages_are_left_out() -> None:
    assert len(str(fault(500, b"x" * 10_000, {}, model="m", address="a"))) < 400
    assert "html" not in str(fault(500, b"<html><body>oops", {}, model="m", address="a"))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": formatdate(1_700_000_030, usegmt=True)}, 30.0),
        ({"Retry-After": formatdate(1_600_000_000, usegmt=True)}, 0.0),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 360.0),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "12"}, None),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-tokens": "1m2.5s", "x-ratelimit-reset-requests": "1h"}, 3600.0),
        ({"x-ratelimit-reset": "1700000009"}, 9.0),
        ({"x-ratelimit-reset": "whenever"}, None),
        ({"Retry-After": "inf"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_700_000_000) == pytest.approx(seconds)
