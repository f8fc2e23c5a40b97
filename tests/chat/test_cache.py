from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.chat.answers import Answers, default_path
from adjudge.chat.base import ChatReply, ChatRequest
from adjudge.chat.cache import FAILED, Cache, Mode
from adjudge.chat.errors import BadReply, ChatError, ContextTooLong, GaveUp, NotRecorded, ServerFault
from adjudge.chat.scripted import Scripted
from adjudge.errors import JudgeError
from chat.helpers import ask


def answer(path: Path, *texts: str, mode: Mode = "on", backend: Scripted | None = None) -> list[ChatReply]:
    inner = backend or Scripted(lambda request: f"said {request.messages[-1].content}")

    async def main() -> list[ChatReply]:
        cache = await Cache(inner, where="w", path=path, mode=mode).open()
        try:
            return list(await asyncio.gather(*(cache.complete(ask(text)) for text in texts)))
        finally:
            await cache.close()

    return asyncio.run(main())


def test_an_answer_is_asked_for_once_across_runs(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.sqlite"
    first = answer(path, "one", "two")
    backend = Scripted(lambda request: "other")
    second = answer(path, "one", "two", "three", backend=backend)
    assert [r.text for r in first] == ["said one", "said two"]
    assert [r.text for r in second] == ["said one", "said two", "other"]
    assert [r.cached for r in second] == [True, True, False]
    assert [r.prompt_tokens for r in second[:2]] == [r.prompt_tokens for r in first]
    assert len(backend.asked) == 1


def test_modes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, "one")
    assert answer(path, "one", "two", mode="read_only")[1].text == "said two"
    assert not answer(path, "two", mode="read_only")[0].cached
    assert not answer(path, "one", mode="off")[0].cached
    assert answer(path, "one", mode="replay")[0].cached
    with pytest.raises(NotRecorded, match="no answer is stored"):
        answer(path, "two", mode="replay")
    assert not answer(tmp_path / "none.sqlite", "one", mode="read_only")[0].cached
    assert not (tmp_path / "none.sqlite").exists()


def test_failures_are_not_kept(tmp_path: Path) -> None:
    def fail(request: ChatRequest) -> str:
        raise NotRecorded("nothing")

    with pytest.raises(NotRecorded):
        answer(tmp_path / "a.sqlite", "one", backend=Scripted(fail))
    assert not answer(tmp_path / "a.sqlite", "one")[0].cached


@pytest.mark.parametrize(
    "error",
    [
        GaveUp(2, BadReply("length", "half of it")),
        GaveUp(1, BadReply("refusal", "No.")),
        ContextTooLong("the window has 8 tokens"),
    ],
    ids=lambda error: str(error)[-12:],
)
def test_lasting_failures_come_again_in_a_replay_and_only_there(tmp_path: Path, error: ChatError) -> None:
    def fail(request: ChatRequest) -> str:
        raise error

    path = tmp_path / "a.sqlite"
    with pytest.raises(type(error)):
        answer(path, "one", backend=Scripted(fail))
    nobody = Scripted(lambda request: "not to be asked")
    with pytest.raises(type(error)) as found:
        answer(path, "one", mode="replay", backend=nobody)
    assert not nobody.asked
    assert str(found.value) == str(error)
    assert getattr(found.value, "raw", None) == getattr(error, "raw", None)
    assert found.value.usage == (0, 0), "nothing is billed again"
    with closing(sqlite3.connect(path)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM answers")]
    assert all(key.endswith(FAILED) for key in keys), "a failure is no answer"
    assert answer(path, "one")[0].text == "said one", "another server may manage"
    assert answer(path, "one", mode="replay")[0].text == "said one"


def test_passing_failures_are_not_replayed(tmp_path: Path) -> None:
    def fail(request: ChatRequest) -> str:
        raise GaveUp(6, ServerFault("down"))

    with pytest.raises(GaveUp):
        answer(tmp_path / "a.sqlite", "one", backend=Scripted(fail))
    with pytest.raises(NotRecorded):
        answer(tmp_path / "a.sqlite", "one", mode="replay")


def test_a_returned_answer_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"

    async def main() -> None:
        cache = await Cache(Scripted(lambda r: "x"), where="w", path=path).open()
        await cache.complete(ask("one"))
        other = sqlite3.connect(path)
        try:
            assert other.execute("SELECT count(*) FROM answers").fetchone() == (1,)
        finally:
            other.close()
            await cache.close()

    asyncio.run(main())


def test_the_loop_goes_on_while_another_process_holds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, "zero")

    async def main() -> list[float]:
        blocker = sqlite3.connect(path, isolation_level=None)
        cache = await Cache(Scripted(lambda r: "x"), where="w", path=path).open()
        blocker.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(cache.complete(ask("one")))
        lags = []
        for _ in range(60):
            started = time.perf_counter()
            await asyncio.sleep(0.005)
            lags.append(time.perf_counter() - started - 0.005)
        assert not writing.done()
        blocker.execute("COMMIT")
        blocker.close()
        assert (await writing).text == "x"
        await cache.close()
        return lags

    assert max(asyncio.run(main())) < 0.2  # the writer is held for 0.3 s; a busy machine may add some


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("my precious notes\n" * 50)
    with pytest.raises(JudgeError, match="is not a cache of adjudge"):
        answer(text, "one")
    assert text.read_text().startswith("my precious")
    foreign = tmp_path / "other.sqlite"
    database = sqlite3.connect(foreign)
    database.execute("CREATE TABLE t (x)")
    database.close()
    before = foreign.read_bytes()
    with pytest.raises(JudgeError, match="another program"):
        answer(foreign, "one")
    assert foreign.read_bytes() == before


def test_a_newer_layout_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, "one")
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(JudgeError, match="newer adjudge"):
        answer(path, "one")


def test_a_damaged_cache_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, *(f"{i} " * 200 for i in range(50)))
    damaged = bytearray(path.read_bytes())
    damaged[100:4096] = b"\xaa" * 3996
    path.write_bytes(damaged)
    with caplog.at_level(logging.WARNING):
        assert not answer(path, "one")[0].cached
    assert "was damaged" in caplog.text
    assert (tmp_path / "a.sqlite.damaged-1").read_bytes() == damaged
    assert answer(path, "one")[0].cached


def test_damage_found_later_costs_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, "zero")

    async def main() -> None:
        answers = Answers(path)
        await answers.open()
        other = sqlite3.connect(path)
        other.execute("DROP TABLE answers")
        other.commit()
        other.close()
        assert await answers.get("k") is None
        await answers.put("k", b"v")
        await answers.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert caplog.text.count("answers are not kept") == 1


def test_an_impossible_path_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JudgeError, match="ADJUDGE_CACHE"):
        answer(tmp_path / "file" / "a.sqlite", "one")


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "mine.sqlite"))
    assert default_path() == tmp_path / "mine.sqlite"
    monkeypatch.delenv("ADJUDGE_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "adjudge" / "answers.sqlite"


WRITER = """
import asyncio, sys
from adjudge.chat.answers import Answers
from pathlib import Path

async def main():
    answers = Answers(Path(sys.argv[1]))
    await answers.open()
    for start in range(0, 400, 20):
        numbers = range(start, start + 20)
        await asyncio.gather(*(answers.put(f"{sys.argv[2]}{i}", b"x" * 500) for i in numbers))
        await asyncio.gather(*(answers.put(f"shared{i}", sys.argv[2].encode()) for i in numbers))
        assert await answers.get(f"shared{start}") in (b"a", b"b", b"c")
    await answers.close()

asyncio.run(main())
"""


def test_several_processes_write_one_fresh_cache(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    writers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WRITER, str(path), name], stderr=subprocess.PIPE
        )
        for name in "abc"
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=20)
        assert (writer.returncode, said) == (0, b"")
    database = sqlite3.connect(path)
    try:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (1600,)
    finally:
        database.close()


@pytest.mark.skipif(os.name == "nt", reason="file modes")
def test_a_new_cache_folder_is_private(tmp_path: Path) -> None:
    answer(tmp_path / "new" / "a.sqlite", "one")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_a_replay_without_its_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "absent.sqlite"
    with pytest.raises(JudgeError, match=r"there is no cache file .*absent\.sqlite to replay"):
        answer(path, "one", mode="replay")
    assert not path.exists()


def test_a_replay_that_finds_nothing_says_that_the_address_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    answer(path, "one")
    with pytest.raises(
        NotRecorded, match=r"address is part of the key, and is w in this replay \(--base-url"
    ):
        answer(path, "two", mode="replay")
