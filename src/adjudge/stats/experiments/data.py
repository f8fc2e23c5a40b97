"""Where the data of an experiment lies, and which part of it is taken."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from adjudge.errors import InputError

T = TypeVar("T")

VARIABLE = "ADJUDGE_DATA"
SEED = 1


def data_folder(given: Path | None, name: str, holds: str) -> Path:
    """The folder `name` under the data folder, or the folder given itself where it holds the files.

    `holds` is a pattern of a file that must be there.
    """
    root = given or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    fix = f"name the folder that holds {name}/{holds} with --data or the environment variable {VARIABLE}"
    if root is None:
        raise InputError(f"this experiment needs its data, {name}/{holds}, and none was named", fix=fix)
    for folder in (root / name, root):
        if any(folder.glob(holds)):
            return folder
    raise InputError(f"there is no {name}/{holds} here", file=str(root), fix=fix)


def pick(rows: Sequence[T], limit: int | None) -> list[T]:
    """At most `limit` rows, drawn by a fixed seed and kept in order: files are often sorted by class."""
    if limit is None or limit >= len(rows):
        return list(rows)
    places = sorted(random.Random(SEED).sample(range(len(rows)), max(limit, 0)))
    return [rows[place] for place in places]
