"""What the local judge keeps: bounded by characters, and safe to share between threads."""

from __future__ import annotations

import sys
import threading

import pytest

from adjudge.judges.local.encoder import bundled
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.kept import Kept, kept
from adjudge.judges.local.model import JudgeModel
from adjudge.judges.local.verifier import FeatureVerifier


def lengths(keys: list[str]) -> list[int]:
    return [len(key) for key in keys]


def test_what_is_known_is_not_made_again_and_equal_keys_are_made_once() -> None:
    asked: list[list[str]] = []

    def make(keys: list[str]) -> list[int]:
        asked.append(keys)
        return lengths(keys)

    known: Kept[str, int] = Kept(10_000)
    assert known.of(["a", "bb", "a"], make) == {"a": 1, "bb": 2}
    assert known.of(["bb", "ccc"], make) == {"bb": 2, "ccc": 3}
    assert known.of([], make) == {}
    assert asked == [["a", "bb"], ["ccc"]]


def test_the_room_is_in_characters_and_what_was_used_last_stays() -> None:
    made: list[str] = []

    @kept(3_500)
    def shout(text: str) -> str:
        made.append(text[0])
        return text.upper()

    a, b, c, d = (letter * 1_000 for letter in "abcd")
    for text in (a, b, c, a, d, a, b):
        assert shout(text) == text.upper()
    assert made == ["a", "b", "c", "d", "b"]


def test_one_text_larger_than_the_room_is_still_kept() -> None:
    made: list[int] = []

    @kept(10)
    def size(text: str) -> int:
        made.append(len(text))
        return len(text)

    assert [size("x" * 500), size("x" * 500), size("y" * 500)] == [500] * 3
    assert made == [500, 500]


def test_a_call_gets_all_it_asked_for_though_there_is_room_for_less() -> None:
    known: Kept[tuple[str, str], int] = Kept(10)
    keys = [(str(number), "text") for number in range(50)]
    assert known.of(keys, lambda fresh: [int(first) for first, _ in fresh]) == {
        key: number for number, key in enumerate(keys)
    }


def test_long_documents_do_not_pile_up() -> None:
    first = "A mill stood on hill 0. " * 50_000  # more than half of the room
    prepared = prepare(first)
    assert prepare(first) is prepared
    for number in (1, 2):
        prepare(first.replace("0", str(number)))
    assert prepare(first) is not prepared


@pytest.mark.parametrize("what", ["tokens", "words", "opinions"])
def test_threads_that_share_a_judge_do_not_take_from_each_other(what: str) -> None:
    model, verifier = JudgeModel(threads=1), FeatureVerifier()
    encoder = bundled()
    held = {"tokens": (model, "_ids"), "words": (encoder, "_words"), "opinions": (verifier, "_seen")}[what]
    before = getattr(*held)
    setattr(*held, Kept(500))
    failures: list[BaseException] = []

    def work(own: str) -> None:
        try:
            for turn in range(60):
                texts = [f"{own} {turn} {number}" for number in range(8)]
                if what == "tokens":
                    assert set(model._tokenised(texts)) == set(texts)
                elif what == "words":
                    assert encoder.words(texts).shape == (8, 256)
                else:
                    assert len(verifier.verdicts(texts, texts)) == 8
        except BaseException as error:
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(own,)) for own in ("mill", "hill")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
        setattr(*held, before)
    assert not failures
