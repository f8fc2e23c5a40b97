"""Entry points, looked up only when an unknown name is asked for, so that they cost nothing otherwise."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any


def plugin(group: str, name: str) -> Any | None:
    """What an installed package registered under that group and name, or None."""
    for entry in entry_points(group=group, name=name):
        return entry.load()
    return None
