"""What cannot be tested here is skipped, with advice that helps; or fails where all must be tested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WHOLE = 'import pytest\npytest.importorskip("no_such_package")\ndef test_it(): pass\n'
SINGLE = 'import pytest\ndef test_it(): pytest.importorskip("no_such_package")\n'
DATA = 'def test_it(data): data("no/such.file")\n'
GOLDEN = 'def test_it(shared_golden): shared_golden("no/such.file")\n'


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WHOLE, "no_such_package"),
        (SINGLE, "no_such_package"),
        (DATA, "is not here: set ADJUDGE_DATA, or put the shared folder beside the checkout"),
        (GOLDEN, "is not here: put the shared folder beside the checkout"),
    ],
)
def test_what_is_missing_is_told_and_fails_where_all_is_required(
    tmp_path: Path, text: str, said: str, required: bool
) -> None:
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {**os.environ, "PYTHONPATH": str(HERE), "ADJUDGE_REQUIRE_DATA": "1" if required else "0"}
    plugins = ["-p", "conftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-rs", *plugins, "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said in done.stdout
    assert (done.returncode in (1, 2)) is required, done.stdout
    assert ("1 skipped" in done.stdout) is not required
