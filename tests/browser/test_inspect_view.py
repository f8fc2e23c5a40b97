"""Our results as a person sees them in `inspect view`: `make test-browser`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai import eval

from browser.chrome import chrome, find_chrome
from integrations.inspect_helpers import WARNINGS, clean  # noqa: F401
from integrations.view_server import inspect_view

pytestmark = [
    *WARNINGS,
    pytest.mark.skipif(
        os.environ.get("ADJUDGE_TEST_BROWSER") != "1", reason="opt-in: run `make test-browser`"
    ),
    pytest.mark.skipif(find_chrome() is None, reason="no Chromium here; ADJUDGE_BROWSER can name one"),
]
PICTURES = os.environ.get("ADJUDGE_PICTURES")
"""A folder to leave a picture of every screen in, for people to look at."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    for task in ("rgb_noise", "longfact", "ragchecker_qa"):
        (log,) = eval(f"adjudge/{task}", model="adjudge/scripted", display="none", log_dir=str(folder))
        assert log.status == "success"
    return folder


def test_a_log_and_its_samples(logs: Path, tmp_path: Path) -> None:
    asyncio.run(_look(logs, tmp_path))


async def _look(logs: Path, folder: Path) -> None:
    claims, noise = (next(path.name for path in logs.glob(f"*{name}*")) for name in ("ragchecker", "rgb"))
    with inspect_view(logs) as address:
        async with chrome(folder) as page:

            async def picture(name: str) -> None:
                if PICTURES:
                    await page.picture(Path(PICTURES) / f"{name}.png")

            await page.open(address, "adjudge/rgb_noise", "adjudge/longfact", "adjudge/ragchecker_qa")
            await picture("logs")
            await page.open(f"{address}/#/logs/{noise}", "bundled samples", "15 rows", "All scoring...")
            await picture("samples")
            await page.click("All scoring...")
            # Every rate of the curve has a name of its own.
            await page.text("Scoring Detail", *(f"noise {rate}%" for rate in (0, 20, 40, 60, 80)))
            await picture("metrics")
            await page.open(
                f"{address}/#/logs/{claims}/samples/sample/ferry/1/scoring",
                "Precision: 100.0%, Recall: 66.7%, F1: 80.0%",
            )
            await page.click("verdicts:")
            await page.text("A ticket costs three crowns. → entailed by ctx:1")
            await picture("scoring")
            assert page.errors == []
