"""Where adjudge keeps what it can make again, and how a path is written down."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The folder of the file that ADJUDGE_CACHE names, else `adjudge` in the platform's cache folder."""
    if named := os.environ.get("ADJUDGE_CACHE"):
        return Path(named).expanduser().absolute().parent
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        folder = "~/Library/Caches"
    else:
        folder = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(folder).expanduser() / "adjudge"


def path_text(path: Path) -> str:
    """The path as text for a file of ours: names may be any bytes, and those that are no UTF-8 are marked."""
    return os.fsencode(path).decode("utf-8", "replace")
