"""A stand-in for a model: OpenAI's chat and embeddings calls on loopback, answered after a fixed time.

The first part of the path says who calls (`/ragas/v1/chat/completions`), so calls are counted apart.
A bare protocol with prepared answers, not a web framework: what it costs must not show in the results.

    python server.py LATENCY_S     prints its port; ends when its standard input closes
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from answers import find_answer

MAX_BODY = 4_000_000
MAX_KEPT = 50_000


class Tally:
    """What one caller has asked."""

    def __init__(self) -> None:
        self.calls = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self.unknown = 0
        self.first_unknown = ""
        self.bodies: list[bytes] = []

    def told(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "most_in_flight": self.most_in_flight,
            "unknown": self.unknown,
            "first_unknown": self.first_unknown,
        }


tallies: dict[str, Tally] = {}
_prepared: dict[str, bytes] = {}


def prepared(content: str) -> bytes:
    """The whole HTTP answer that carries this content."""
    found = _prepared.get(content)
    if found is None:
        message = {"role": "assistant", "content": content}
        answer = {
            "id": "chatcmpl-bench",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "bench-model",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 500, "completion_tokens": 60, "total_tokens": 560},
        }
        found = _prepared[content] = http(200, json.dumps(answer).encode())
    return found


def http(status: int, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} {'OK' if status == 200 else 'Bad Request'}\r\nContent-Type: application/json\r\n"
    )
    return f"{head}Content-Length: {len(body)}\r\nConnection: keep-alive\r\n\r\n".encode() + body


def embeddings(body: bytes) -> bytes:
    texts = json.loads(body)["input"]
    texts = [texts] if isinstance(texts, str) else texts
    rows = [
        {"object": "embedding", "index": index, "embedding": [1.0, 0.5, 0.25, index / 1000]}
        for index in range(len(texts))
    ]
    usage = {"prompt_tokens": 10, "total_tokens": 10}
    answer = {"object": "list", "data": rows, "model": "bench-embedding", "usage": usage}
    return http(200, json.dumps(answer).encode())


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests on it come one after the other."""

    latency = 0.05

    def __init__(self) -> None:
        self.buffer = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            length = content_length(head)
            if length > MAX_BODY:
                assert self.transport is not None
                self.transport.close()
                return
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            self.handle(head.split(b" ", 2)[1].decode("latin-1"), body)

    def handle(self, path: str, body: bytes) -> None:
        _, caller, rest = [*path.split("/", 2), "", ""][:3]
        if caller == "-":
            self.send(http(200, self.control(rest, body)))
            return
        tally = tallies.setdefault(caller, Tally())
        tally.calls += 1
        tally.in_flight += 1
        tally.most_in_flight = max(tally.most_in_flight, tally.in_flight)
        if len(tally.bodies) < MAX_KEPT:
            tally.bodies.append(body)
        if rest.endswith("embeddings"):
            answer = embeddings(body)
        else:
            content = find_answer(caller, body)
            if content is None:
                tally.unknown += 1
                tally.first_unknown = tally.first_unknown or body[:20_000].decode("utf-8", "replace")
                answer = http(
                    400, b'{"error": {"message": "the benchmark server does not know this prompt"}}'
                )
            else:
                answer = prepared(content)
        asyncio.get_running_loop().call_later(self.latency, self.finish, tally, answer)

    def finish(self, tally: Tally, answer: bytes) -> None:
        tally.in_flight -= 1
        self.send(answer)

    def send(self, answer: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(answer)

    def control(self, verb: str, body: bytes) -> bytes:
        """`/-/clear/NAME`, `/-/told/NAME`; `/-/keep/NAME` writes the bodies asked to the file in the body."""
        verb, _, name = verb.partition("/")
        if verb == "clear":
            tallies[name] = Tally()
        tally = tallies.setdefault(name, Tally())
        if verb == "keep":
            with open(body.decode(), "w", encoding="utf-8") as stream:
                json.dump([kept.decode() for kept in tally.bodies], stream)
        return json.dumps(tally.told()).encode()


def content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def main(latency: float) -> None:
    Connection.latency = latency
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
