"""One rate limit per minute, as pure arithmetic over a clock that is handed in."""

from __future__ import annotations

from collections import deque

WINDOW = 60.0
_TICK = 1e-6


class Taken:
    """What one request took from a limit; its amount may be corrected once the truth is known."""

    __slots__ = ("amount", "at")

    def __init__(self, at: float, amount: float) -> None:
        self.at = at
        self.amount = amount


class Pace:
    """Never more than `per_minute` in any 60 seconds, and evenly spread.

    The even spread (a leaky bucket with a second's worth of room) is for servers that cut their minute into
    seconds; the log of the last minute makes the limit hold exactly for every window.
    """

    def __init__(self, per_minute: float, *, burst_seconds: float = 1.0) -> None:
        if not per_minute > 0:
            raise ValueError("a limit per minute must be more than 0")
        self.per_minute = per_minute
        self._rate = per_minute / WINDOW
        self._burst = burst_seconds
        self._log: deque[Taken] = deque()
        self._total = 0.0
        self._busy_until = float("-inf")

    def wait(self, now: float, amount: float) -> float:
        """Seconds until that amount may pass; 0 if it may now."""
        self._forget(now)
        spread = self._busy_until - now - max(0.0, self._burst - amount / self._rate)
        # More than a whole minute's worth can never fit: it goes alone.
        excess = self._total + min(amount, self.per_minute) - self.per_minute
        window = 0.0
        for taken in self._log:
            if excess <= 1e-9:
                break
            excess -= taken.amount
            window = taken.at + WINDOW - now
        delay = max(0.0, spread, window)
        return delay if delay > _TICK else 0.0

    def take(self, now: float, amount: float) -> Taken:
        """Books the amount."""
        taken = Taken(now, amount)
        self._log.append(taken)
        self._total += amount
        self._busy_until = max(self._busy_until, now) + amount / self._rate
        return taken

    def correct(self, taken: Taken, amount: float) -> None:
        """Replaces an estimate by what the request really took."""
        change = amount - taken.amount
        self._busy_until += change / self._rate
        if self._log and taken.at >= self._log[0].at:
            self._total += change
        taken.amount = amount

    def _forget(self, now: float) -> None:
        while self._log and self._log[0].at <= now - WINDOW:
            self._total -= self._log.popleft().amount
        if not self._log:
            self._total = 0.0


def shortest_seconds(
    calls: int, tokens: float, *, rpm: float | None = None, tpm: float | None = None
) -> float:
    """The least time in which that many calls and tokens can pass the limits; 0 without limits."""
    return max(calls / rpm if rpm else 0.0, tokens / tpm if tpm else 0.0) * WINDOW
