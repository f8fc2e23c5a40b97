"""An environment for each peer, made once and kept outside the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Each step is one `pip install`. ragas 0.4.3 does not import with langchain-community 0.4. torch goes first
# so that a build without CUDA, where pip finds one, is not replaced by a dependency's choice.
STEPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "ragas": (("ragas==0.4.3", "langchain-community<0.4"),),
    "deepeval": (("deepeval==4.3.1",),),
    "ragchecker": (("torch==2.13.0",), ("ragchecker==0.1.9",)),
}
LIMIT_S = 1800


def default_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adjudge-bench-peers"


def python_of(tool: str, folder: Path) -> Path:
    """The interpreter that has the tool; made if it is not there. RuntimeError says what failed."""
    if tool not in STEPS:
        return Path(sys.executable)
    home = folder / tool
    stamp, wanted = home / "installed.txt", repr(STEPS[tool])
    python = home / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"installing {tool} in {home} …", file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    _do([sys.executable, "-m", "venv", "--clear", str(home)])
    for step in STEPS[tool]:
        _do([str(python), "-m", "pip", "install", "-q", *step])
    stamp.write_text(wanted)
    return python


def _do(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{' '.join(command[1:])} took more than {LIMIT_S} s") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{' '.join(command[1:])} failed: {last[:200]}")
