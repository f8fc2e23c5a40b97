"""Where tests find reference values and, if present, the public data sets."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
REQUIRED = os.environ.get("ADJUDGE_REQUIRE_DATA") == "1"

if REQUIRED:
    # A package that is missing must not pass for tests that are skipped.
    pytest.importorskip = import_module

# A shell starts what it puts in the background with interrupts ignored, and so would we the commands that
# tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _beside(name: str) -> Path | None:
    """A folder of the shared material next to the checkout, or None."""
    if name == "data" and os.environ.get("ADJUDGE_DATA"):
        return Path(os.environ["ADJUDGE_DATA"])
    folder = HERE.parent.parent / "shared" / name
    return folder if folder.is_dir() else None


def _find(name: str, path: str) -> Path:
    folder = _beside(name)
    found = folder / path if folder is not None else None
    if found is not None and found.exists():
        return found
    way = "set ADJUDGE_DATA, or put" if name == "data" else "put"
    reason = f"{name}/{path} is not here: {way} the shared folder beside the checkout"
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Path of a public data file, e.g. data("rgb/en_fact.json"); skips, or fails where data is required."""
    return lambda path: _find("data", path)


@pytest.fixture(scope="session")
def shared_golden() -> Callable[[str], Any]:
    """A reference value file that is not purely numeric and so is not part of this repository."""
    return lambda path: json.loads(_find("goldens", path).read_text("utf-8"))


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """A numeric reference value file from tests/goldens."""
    return lambda name: json.loads((HERE / "goldens" / name).read_text("utf-8"))
