"""What the models behind a judge were asked and cost."""

from __future__ import annotations

from typing import Any

from adjudge.judges.base import Judge


def usage_of(judge: Judge) -> dict[str, dict[str, Any]]:
    """Totals by model name; nothing for judges that ask no model."""
    found: dict[str, dict[str, Any]] = {}
    for part in getattr(judge, "parts", [judge]):
        totals = getattr(part, "totals", None)
        if totals is not None:
            found[part.name] = totals.to_dict()
    return found
