"""What a run has asked, sent and spent so far: shown live, and in its summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct


class Totals(Struct):
    """Running sums over one stack. `sent` counts attempts; the others count requests."""

    answered: int = 0
    cached: int = 0
    shared: int = 0
    """Joined an equal request that was under way."""
    sent: int = 0
    failed: int = 0
    """Ended without an answer."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """In US dollars, as far as prices are known."""
    unpriced: int = 0
    """Attempts whose price is not known."""
    waited: float = 0.0
    """Seconds spent between attempts, over all requests."""

    def plus(self, other: Totals, sign: int = 1) -> Totals:
        """Both together; with sign -1, what came since the other."""
        names = self.__struct_fields__
        return Totals(*(getattr(self, name) + sign * getattr(other, name) for name in names))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a summary; the cost is None if any part of it is unknown."""
        found: dict[str, Any] = msgspec.structs.asdict(self)
        if self.unpriced:
            found["cost"] = None
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Totals:
        """What `to_dict` gave."""
        return msgspec.convert({**values, "cost": values.get("cost") or 0.0}, cls)
