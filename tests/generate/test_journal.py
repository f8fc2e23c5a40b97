"""The journal: what was answered survives, whatever happens to the process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import RunFolderError, UsageError
from adjudge.generate.journal import Entry, Journal, failed_path, journal_path


def test_names_follow_the_output() -> None:
    assert journal_path(Path("a/b.jsonl")) == Path("a/b.journal.jsonl")
    assert journal_path(Path("b.jsonl.gz")) == Path("b.journal.jsonl")
    assert failed_path(Path("result.json")) == Path("result.failed.jsonl")
    assert failed_path(Path("plain")) == Path("plain.failed.jsonl")


def test_an_answer_replaces_a_failure(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Journal(out) as journal:
        journal.add(Entry("r", error="too late"))
        assert journal.error("r") == "too late"
        assert "r" not in journal
    with Journal(out) as journal:
        assert journal.error("r") == "too late"
        journal.add(Entry("r", {"response": "here"}))
        assert (journal.error("r"), journal.answer("r")) == (None, {"response": "here"})
    with Journal(out) as journal:
        assert (journal.error("r"), journal.answer("r")) == (None, {"response": "here"})
    with Journal(out, overwrite=True) as journal:
        assert "r" not in journal


def test_a_journal_that_another_process_writes_is_not_cleared(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Journal(out) as running:
        running.add(Entry("r", {"response": "paid for"}))
        with pytest.raises(RunFolderError, match="another process is writing"):
            Journal(out, overwrite=True)
    with Journal(out) as journal:
        assert journal.answer("r") == {"response": "paid for"}


def test_an_output_without_a_journal_is_refused_and_the_lock_let_go(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("made by hand\n")
    for _ in range(2):
        with pytest.raises(UsageError, match="no journal of how it was made"):
            Journal(out)
    Journal(out, overwrite=True).close()


def test_damage_in_the_middle_is_not_passed_over(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    journal_path(out).write_text('{"request": "a", "answer": {}}\n{"reque\n{"request": "b", "answer": {}}\n')
    with pytest.raises(RunFolderError, match=r"out\.journal\.jsonl:2 is damaged"):
        Journal(out)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=8, unique=True), st.data())
def test_cut_anywhere_every_whole_line_is_kept(
    tmp_path_factory, texts: list[str], data: st.DataObject
) -> None:
    out = tmp_path_factory.mktemp("cut") / "out.jsonl"
    with Journal(out) as journal:
        for number, text in enumerate(texts):
            journal.add(Entry(str(number), {"response": text}))
    content = journal_path(out).read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    journal_path(out).write_bytes(content[:cut])
    whole = content[:cut].count(b"\n")
    with Journal(out) as journal:
        assert [str(n) in journal for n in range(len(texts))] == [n < whole for n in range(len(texts))]
        for number in range(whole, len(texts)):
            journal.add(Entry(str(number), {"response": texts[number]}))
        assert [journal.answer(str(n))["response"] for n in range(len(texts))] == texts
    assert journal_path(out).read_bytes() == content
