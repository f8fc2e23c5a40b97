"""The table of ids must agree with a dict, in little memory."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.seen import SeenIds


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 2**33)), max_size=60))
def test_agrees_with_a_dict(entries: list[tuple[str, int]]) -> None:
    seen, known = SeenIds(), dict[str, int]()
    for id, line in entries:
        first = known.get(id)
        assert seen.add(id, line) == (None if first is None else min(first, 2**32 - 1))
        known.setdefault(id, line)
    assert len(seen) == len(known)
    assert all(seen.line_of(id) == min(line, 2**32 - 1) for id, line in known.items())
    assert seen.line_of("never seen") is None


def test_stays_right_while_it_grows() -> None:
    seen = SeenIds()
    ids = [f"sample-{number}" for number in range(20_000)]
    assert all(seen.add(id, line) is None for line, id in enumerate(ids))
    assert [seen.add(id, -1) for id in ids] == list(range(20_000))
    assert len(seen) == 20_000


def test_the_id_whose_hash_is_zero_is_kept_too() -> None:
    seen = SeenIds()
    assert hash("") == 0
    assert seen.add("", 7) is None
    assert seen.add("", 8) == 7


def test_memory_for_a_hundred_thousand_ids() -> None:
    tracemalloc.start()
    seen = SeenIds()
    for number in range(100_000):
        seen.add(f"sample-{number}", number)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e6  # a dict of the same ids takes more than 12e6
