"""What the tests of the Inspect extension share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from inspect_ai.log import EvalLog

WARNINGS = [
    # tenacity's waiting, as Inspect calls it before every model call
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    # Inspect leaves streams to the garbage collector
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No data set of this machine; and streams that Inspect left go before another test could be blamed."""
    monkeypatch.delenv("ADJUDGE_DATA", raising=False)
    yield
    gc.collect()


def metrics(log: EvalLog) -> dict[str, float]:
    """All numbers of a log by name."""
    assert log.results
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
