"""The sample's own contexts, and the names evidence goes by."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import JudgeError, UsageError
from adjudge.evidence import registry, shared
from adjudge.evidence.base import Passage
from adjudge.evidence.contexts import SampleContexts
from adjudge.evidence.registry import check_evidence, evidence_name, evidence_names, open_evidence
from adjudge.evidence.words import search_words

TEXTS = ["The cat sat.", "A dog barked at the cat.", "The moon is far.", "Dogs and moons."]


def found(query: str, limit: int, texts: list[str] = TEXTS) -> list[str | None]:
    return [p.source for p in asyncio.run(SampleContexts(texts).search(query, limit))]


def test_few_contexts_all_count_and_many_are_ranked() -> None:
    assert found("moon", 4) == ["ctx:0", "ctx:1", "ctx:2", "ctx:3"]
    assert found("moon", 2) == ["ctx:2"]
    # By hand: the ln 2, cat ln 7/3, dog and and ln 3: ctx:1 2.64, ctx:0 1.54, ctx:3 1.10, ctx:2 .69.
    assert found("the dog and the cat", 3) == ["ctx:1", "ctx:0", "ctx:3"]
    assert found("zebra", 3) == []
    assert found("x", 3, []) == []


def test_equals_keep_their_order() -> None:
    assert found("cat", 2, ["a cat", "the cat", "cat", "dog"]) == ["ctx:0", "ctx:1"]


def test_chinese_is_searched_without_blanks() -> None:
    assert search_words("北京 is big") == ["北", "京", "北京", "is", "big"]
    assert found("首都北京", 1, ["上海很大", "北京是首都", "广州"]) == ["ctx:1"]


def test_words_have_no_case_and_one_apostrophe() -> None:
    assert search_words("Ann’s STRASSE, straße_2!") == ["ann's", "strasse", "strasse", "2"]


@given(st.text())
def test_any_text_gives_words(text: str) -> None:
    assert all(word and word == word.strip() for word in search_words(text))


@pytest.mark.parametrize("spec", ["wiki", "", "corpus", "corpus:", "web:bing", "contexts:2"])
def test_unknown_evidence(spec: str) -> None:
    with pytest.raises(UsageError, match="corpus:PATH"):
        open_evidence(spec)


def test_names() -> None:
    assert evidence_names() == ("contexts", "corpus:PATH", "web")
    check_evidence("corpus:C:/texts")
    assert evidence_name("contexts") == "contexts"
    assert evidence_name("web") == "web:serper"
    assert asyncio.run(open_evidence("contexts", ["a"]).search("b", 1)) == [Passage("a", None, "ctx:0")]


class Shelf:
    """An installed package's evidence."""

    nothing = "none"
    made: list[Shelf]

    def __init__(self, rest: str) -> None:
        self.name = f"shelf:{rest}"
        self.log: list[str] = []
        Shelf.made.append(self)

    async def open(self) -> None:
        self.log.append("open")
        await asyncio.sleep(0)
        if self.name == "shelf:broken":
            raise JudgeError("the shelf is broken")

    async def search(self, query: str, limit: int) -> list[Passage]:
        self.log.append(query)
        return [Passage(query)] * limit

    async def close(self) -> None:
        self.log.append("close")


@pytest.fixture(autouse=True)
def _shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    Shelf.made = []
    groups: dict[tuple[str, str], Any] = {("adjudge.evidence", "shelf"): Shelf}
    monkeypatch.setattr(registry, "plugin", lambda group, name: groups.get((group, name)))


def test_a_run_opens_once_and_its_end_closes() -> None:
    async def search(query: str) -> None:
        evidence = await shared.shared_evidence("shelf:top")
        assert await evidence.search(query, 1) == [Passage(query)]

    async def run() -> None:
        await asyncio.gather(*(search(q) for q in "aabb"))

    asyncio.run(run())
    asyncio.run(run())
    assert [sorted(shelf.log) for shelf in Shelf.made] == [["a", "b", "close", "open"]] * 2
    assert not shared._opened


def test_a_search_made_before_is_remembered_and_one_nobody_waits_for_is_called_off() -> None:
    called_off: list[str] = []

    async def run() -> None:
        evidence = open_evidence("shelf:top")
        inner = Shelf.made[0]
        for query in ("a", "a", " a", "b"):
            await evidence.search(query, 1)
        assert inner.log == ["a", "b"]

        async def slow(query: str, limit: int) -> list[Passage]:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                called_off.append(query)
                raise
            return []

        inner.search = slow  # type: ignore[method-assign]
        waiting = asyncio.create_task(evidence.search("c", 1))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.sleep(0.01)
        assert called_off == ["c"]
        await evidence.close()

    asyncio.run(run())


def test_what_cannot_be_opened_says_so_to_everyone() -> None:
    async def run() -> list[Any]:
        opening = [shared.shared_evidence("shelf:broken") for _ in range(3)]
        return await asyncio.gather(*opening, return_exceptions=True)

    assert [str(error) for error in asyncio.run(run())] == ["the shelf is broken"] * 3
    assert Shelf.made[0].log == ["open", "close"]
    assert not shared._opened
