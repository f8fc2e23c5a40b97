"""What is handed on: a source archive can build, test and measure itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_a_source_archive_holds_everything_that_is_tracked() -> None:
    packed = {file.distribution_path for file in SdistBuilder(str(ROOT)).recurse_included_files()}
    assert {"Makefile", "requirements.lock", "benchmarks/speed.py", "training/README.md"} <= packed
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {name for name in listed.splitlines() if (ROOT / name).exists()}
    assert tracked - packed <= {".gitignore", "pyproject.toml"}, "hatchling adds these by itself"


def test_every_place_names_the_same_pythons() -> None:
    low, high = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"]).groups()
    supported = [f"3.{minor}" for minor in range(int(low), int(high))]
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert named == supported
    told = f"{', '.join(supported[:-1])} or {supported[-1]}"
    for file in ("README.md", "Makefile"):
        assert f"Python {told}" in (ROOT / file).read_text(), file
    assert f"3.{sys.version_info.minor}" in supported


def test_the_readme_names_every_extra() -> None:
    extras = set(PROJECT["optional-dependencies"]) - {"dev"}
    (listed,) = re.findall(r"\(extras: ([^)]*)\)", (ROOT / "README.md").read_text())
    assert set(re.findall("`([a-z]+)`", listed)) == extras
