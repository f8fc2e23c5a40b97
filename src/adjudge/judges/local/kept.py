"""Results kept for texts that come again, within a room of characters: a count would grow with documents."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound="str | tuple[str, ...]")
V = TypeVar("V")

_EACH = 100
"""What an entry takes by itself, as characters."""


class Kept(Generic[K, V]):
    """The results used last. They depend on nothing but the texts: one made again is the same.

    Several threads may ask at once: each gets a mapping of its own, whatever the others drop meanwhile.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._known: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def of(self, keys: Iterable[K], make: Callable[[list[K]], Sequence[V]]) -> dict[K, V]:
        """The results of all keys; those not known are made in one batch."""
        found: dict[K, V] = {}
        fresh: list[K] = []
        with self._lock:
            for key in dict.fromkeys(keys):
                if key in self._known:
                    self._known.move_to_end(key)
                    found[key] = self._known[key]
                else:
                    fresh.append(key)
        if fresh:
            made = dict(zip(fresh, make(fresh), strict=True))
            self._keep(made)
            found |= made
        return found

    def _keep(self, made: dict[K, V]) -> None:
        with self._lock:
            for key, value in made.items():
                if key not in self._known:  # another thread may have made it too
                    self._used += _size(key)
                    self._known[key] = value
            # What alone is too large stays until the next comes: it is likely to be asked for again.
            while self._used > self._room and len(self._known) > 1:
                key, _ = self._known.popitem(last=False)
                self._used -= _size(key)


def _size(key: str | tuple[str, ...]) -> int:
    return _EACH + (len(key) if isinstance(key, str) else sum(map(len, key)))


def kept(room: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """Decorates a function of a text, or of several as a tuple."""

    def decorated(function: Callable[[K], V]) -> Callable[[K], V]:
        known: Kept[K, V] = Kept(room)

        @wraps(function)
        def call(key: K) -> V:
            return known.of((key,), lambda fresh: [function(one) for one in fresh])[key]

        return call

    return decorated
