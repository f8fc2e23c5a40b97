"""The web search against a server on loopback that misbehaves, and what is made of its answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import JudgeError
from adjudge.evidence.base import Passage, SearchFailed
from adjudge.evidence.once import Once, Store
from adjudge.evidence.registry import open_evidence
from adjudge.evidence.serper import KEY, NOTHING, Serper, found
from search_server import SearchServer

SECRET = "sk-not-to-be-seen-42"


@pytest.fixture(scope="module")
def loopback() -> Iterator[SearchServer]:
    made = SearchServer()
    yield made
    made.stop()


@pytest.fixture
def server(loopback: SearchServer, monkeypatch: pytest.MonkeyPatch) -> SearchServer:
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    loopback.faults, loopback.always, loopback.delay = [], None, 0.0
    loopback.requests.clear()
    return loopback


def search(
    server: SearchServer, *queries: str, limit: int = 2, **options: Any
) -> tuple[list[Any], list[float]]:
    """Outcomes of searches made one after the other, and the pauses between attempts."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def run() -> list[Any]:
        serper = Serper(server.url, sleep=sleep, **options)
        try:
            outcomes: list[Any] = []
            for query in queries:
                try:
                    outcomes.append(await serper.search(query, limit))
                except JudgeError as error:
                    outcomes.append(error)
            return outcomes
        finally:
            await serper.close()

    return asyncio.run(run()), pauses


def test_a_search(server: SearchServer) -> None:
    (passages,), pauses = search(server, "who is Ann?")
    assert passages == [Passage(f"snippet {k}", f"T{k}", f"http://x/{k}") for k in range(2)]
    assert pauses == []
    query = {"q": "who is Ann?", "gl": "us", "hl": "en", "num": "2"}
    assert server.requests == [{"query": query, "key": SECRET}]


def test_faults_that_pass(server: SearchServer) -> None:
    server.faults = ["429", "500", "reset", "html"]
    (passages,), pauses = search(server, "q")
    assert len(passages) == 2
    assert len(server.requests) == 5
    assert all(0.5 * 2**k <= pause <= 2**k for k, pause in enumerate(pauses))
    server.faults = ["list", "hang", "503"]
    assert len(search(server, "q", timeout=0.2)[0][0]) == 2


def test_retry_after_is_heeded_unless_absurd(server: SearchServer) -> None:
    server.faults = ["429+7"]
    _, (pause,) = search(server, "q")
    assert 7.5 <= pause <= 8
    server.requests.clear()
    server.faults = ["429+9999"]
    (error,), pauses = search(server, "q")
    assert isinstance(error, SearchFailed)
    assert (len(server.requests), pauses) == (1, [])
    assert "after 1 attempts" in str(error)


@pytest.mark.parametrize("fault", ["429", "503", "reset", "html"])
def test_it_gives_up_in_the_end(server: SearchServer, fault: str) -> None:
    server.always = fault
    (error,), pauses = search(server, "q", attempts=3)
    assert isinstance(error, SearchFailed)
    assert "after 3 attempts" in str(error)
    assert (len(server.requests), len(pauses)) == (3, 2)


@pytest.mark.parametrize(
    ("fault", "says"),
    [("401", KEY), ("403", KEY), ("credits", "no credit"), ("404", "SERPER_URL"), ("redirect", "SERPER_URL")],
)
def test_what_cannot_pass_ends_the_run_at_once(server: SearchServer, fault: str, says: str) -> None:
    server.always = fault
    (error, again), pauses = search(server, "q", "another")
    assert not isinstance(error, SearchFailed)
    assert says in str(error)
    assert SECRET not in f"{error!r} {error.__cause__!r}"
    assert again is error
    assert (len(server.requests), pauses) == (1, [])


def test_a_refused_query_costs_itself_only(server: SearchServer) -> None:
    server.faults = ["400"]
    (error, passages), _ = search(server, "q", "another")
    assert isinstance(error, SearchFailed)
    assert len(passages) == 2


def test_a_server_that_was_never_there_ends_the_run(server: SearchServer) -> None:
    class Nowhere:
        url = "http://127.0.0.1:9"

    outcomes, pauses = search(Nowhere(), "one", "two")  # type: ignore[arg-type]
    assert all(isinstance(error, JudgeError) and not isinstance(error, SearchFailed) for error in outcomes)
    assert "cannot be reached" in str(outcomes[0])
    assert len(pauses) == 1, "asked again once, and not at all for the second search"


def test_a_server_that_went_away_costs_the_searches_it_misses(server: SearchServer) -> None:
    async def run() -> None:
        async def sleep(seconds: float) -> None:
            pass

        serper = Serper(server.url, attempts=3, sleep=sleep)
        try:
            assert await serper.search("one", 1)
            serper.where = "http://127.0.0.1:9"
            with pytest.raises(SearchFailed, match="after 3 attempts"):
                await serper.search("two", 1)
        finally:
            await serper.close()

    asyncio.run(run())


def test_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, " ")
    with pytest.raises(JudgeError, match=KEY):
        asyncio.run(Serper("http://127.0.0.1:9").open())


def test_equal_searches_are_made_once_and_kept(
    server: SearchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "answers.sqlite"))
    monkeypatch.setenv("SERPER_URL", server.url)
    server.delay = 0.05

    async def run() -> list[list[Passage]]:
        evidence = open_evidence("web")
        await evidence.open()
        try:
            both = await asyncio.gather(*(evidence.search(q, 2) for q in ["a", "a", " a ", "b"]))
            return [*both, await evidence.search("a", 2), await evidence.search("a", 1)]
        finally:
            await evidence.close()

    first = asyncio.run(run())
    asked = sorted((r["query"]["q"], r["query"]["num"]) for r in server.requests)
    assert asked == [("a", "1"), ("a", "2"), ("b", "2")]
    assert asyncio.run(run()) == first
    assert len(server.requests) == 3
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert kept
    assert not any(SECRET.encode() in file.read_bytes() for file in kept)


def test_a_failed_search_is_not_kept(server: SearchServer, tmp_path: Path) -> None:
    async def run() -> list[Passage]:
        once = Once(Serper(server.url, attempts=1), Store(tmp_path / "s.sqlite"))
        try:
            with pytest.raises(SearchFailed):
                await once.search("q", 2)
            return await once.search("q", 2)
        finally:
            await once.close()

    server.faults = ["500"]
    assert len(asyncio.run(run())) == 2


def test_one_impatient_waiter_does_not_call_off_the_others(server: SearchServer) -> None:
    server.delay = 0.2

    async def run() -> list[Passage]:
        once = Once(Serper(server.url))
        try:
            impatient = asyncio.create_task(once.search("q", 2))
            patient = asyncio.create_task(once.search("q", 2))
            await asyncio.sleep(0.05)
            impatient.cancel()
            found = await patient
            alone = asyncio.create_task(once.search("other", 2))
            await asyncio.sleep(0.05)
            alone.cancel()
            await asyncio.gather(alone, return_exceptions=True)
            assert not once._flights
            return found
        finally:
            await once.close()

    assert len(asyncio.run(run())) == 2
    assert len(server.requests) == 2


def test_a_store_that_cannot_be_used_is_done_without(server: SearchServer, tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_bytes(b"this is no database at all, really not" * 10)

    async def run() -> list[Passage]:
        once = Once(Serper(server.url), Store(tmp_path / "s.sqlite"))
        try:
            return await once.search("q", 2)
        finally:
            await once.close()

    assert len(asyncio.run(run())) == 2


def test_many_searches_go_together(server: SearchServer) -> None:
    server.delay = 0.1

    async def run() -> float:
        serper = Serper(server.url)
        started = time.monotonic()
        try:
            await asyncio.gather(*(serper.search(f"q{k}", 1) for k in range(16)))
        finally:
            await serper.close()
        return time.monotonic() - started

    assert asyncio.run(run()) < 1.0


def test_results_read_as_the_reference_reads_them(shared_golden: Callable[[str], Any]) -> None:
    cases = shared_golden("serper_parse.json")
    assert len(cases) == 7
    for results, expected in cases:
        text = " ".join(passage.text for passage in found(results, 3)) or NOTHING
        # The reference cannot join a list of highlighted words and raises; ours joins it.
        assert text == ("x y" if expected == "ERROR:TypeError" else expected)


@pytest.mark.parametrize(
    "odd",
    [
        {"answerBox": [], "knowledgeGraph": "x", "organic": {"a": 1}},
        {"organic": [None, 3, {"snippet": None, "attributes": ["a"]}]},
        {"answerBox": {"snippetHighlighted": [1, None]}},
    ],
)
def test_odd_results_are_nothing(odd: dict[str, Any]) -> None:
    assert found(odd, 3) == []
