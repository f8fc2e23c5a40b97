"""adjudge: all RAGChecker metrics; every answer goes to a cache on disk, as in any run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bench_io

import adjudge


def evaluate(samples: list[dict[str, Any]], base_url: str, concurrency: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        result = adjudge.evaluate(
            samples,
            "ragchecker",
            judge="openai/bench-model",
            concurrency=concurrency,
            access={"base_url": base_url, "cache_path": str(Path(folder) / "answers.sqlite")},
        )
    scores = [score for record in result.records for score in record.scores]
    missing = [score for score in scores if score.state == "unscored"]
    if missing or result.summary.samples != len(samples):
        why = missing[0].reason if missing else "samples were lost"
        raise ValueError(f"{len(missing)} of {len(scores)} scores are missing: {why}")
    return {row.metric: row.value for row in result.summary.rows if row.value is not None}


if __name__ == "__main__":
    bench_io.run("adjudge", evaluate)
