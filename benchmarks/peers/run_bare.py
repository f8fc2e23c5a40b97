"""The yardstick: the bodies that adjudge sent, posted by nothing but aiohttp."""

from __future__ import annotations

import asyncio

import aiohttp
import bench_io


async def post_all(bodies: list[str], base_url: str, concurrency: int) -> int:
    waiting = iter([body.encode() for body in bodies])
    answered = 0

    async def worker(session: aiohttp.ClientSession) -> None:
        nonlocal answered
        for body in waiting:
            async with session.post(f"{base_url}/chat/completions", data=body) as response:
                found = await response.json()
            answered += bool(found["choices"][0]["message"]["content"])

    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(
        connector=connector, headers={"Content-Type": "application/json"}
    ) as session:
        await asyncio.gather(*(worker(session) for _ in range(concurrency)))
    return answered


def evaluate(bodies: list[str], base_url: str, concurrency: int) -> dict[str, float]:
    answered = asyncio.run(post_all(bodies, base_url, concurrency))
    return {"answered": bench_io.mean([answered / len(bodies)])}


if __name__ == "__main__":
    bench_io.run("aiohttp", evaluate)
