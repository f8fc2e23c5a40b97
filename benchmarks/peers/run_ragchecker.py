"""ragchecker: all its metrics; batches as large as the number of calls wanted in flight."""

# mypy: ignore-errors
from __future__ import annotations

import os

os.environ.update(
    OPENAI_API_KEY="none",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    LITELLM_TELEMETRY="False",
    HF_HUB_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
)

import bench_io
from ragchecker import RAGChecker, RAGResults
from ragchecker.metrics import all_metrics


def evaluate(samples, base_url, concurrency):
    rows = [
        {
            "query_id": sample["id"],
            "query": sample["question"],
            "gt_answer": sample["reference"],
            "response": sample["response"],
            "retrieved_context": [
                {"doc_id": str(place), "text": text} for place, text in enumerate(sample["contexts"])
            ],
        }
        for sample in samples
    ]
    checker = RAGChecker(
        extractor_name="openai/bench-model",
        checker_name="openai/bench-model",
        extractor_api_base=base_url,
        checker_api_base=base_url,
        batch_size_extractor=concurrency,
        batch_size_checker=concurrency,
    )
    found = checker.evaluate(RAGResults.from_dict({"results": rows}), all_metrics)
    return {name: bench_io.mean([value]) for group in found.values() for name, value in group.items()}


if __name__ == "__main__":
    bench_io.run("ragchecker", evaluate)
