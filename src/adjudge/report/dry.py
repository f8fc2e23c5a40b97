"""What a run would ask and cost, told before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.chat.prices import load_prices
from adjudge.judges.llm.dry import Dry


def estimates(dry: Mapping[str, Dry], access: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Calls, tokens, cost and shortest time for each model, from guessed answers."""
    prices = load_prices(access.get("prices"))
    found = []
    for name, backend in dry.items():
        plan = backend.plan
        price = prices.find(name, listed=access.get("base_url") is None)
        found.append(
            {
                "model": name,
                "calls": plan.calls,
                "prompt_tokens": plan.prompt_tokens,
                "completion_tokens": plan.completion_tokens,
                "cost": plan.cost(price),
                "shortest_seconds": plan.seconds(rpm=access.get("rpm"), tpm=access.get("tpm")),
            }
        )
    return found


def estimate_lines(rows: list[dict[str, Any]], samples: int) -> list[str]:
    """The same in words."""
    if not rows:
        return [f"{samples} samples, no model is asked"]
    lines = []
    for row in rows:
        cost = "price unknown (give --prices)" if row["cost"] is None else f"about ${row['cost']:.4f}"
        lines.append(
            f"{row['model']}: {row['calls']:,} calls for {samples:,} samples,"
            f" {row['prompt_tokens']:,} + about {row['completion_tokens']:,} tokens, {cost}"
        )
        if row["shortest_seconds"]:
            lines.append(f"  at the set limits not before {row['shortest_seconds']:,.0f} s have passed")
    return [*lines, "answers already in the cache cost nothing; answers were guessed, so this is an estimate"]
