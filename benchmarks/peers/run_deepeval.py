"""deepeval: its five metrics of retrieval and generation, without the written reasons (fewer calls)."""

# mypy: ignore-errors
from __future__ import annotations

import os
from collections import defaultdict

os.environ.update(
    DEEPEVAL_TELEMETRY_OPT_OUT="1",
    DEEPEVAL_DISABLE_DOTENV="1",
    DEEPEVAL_FILE_SYSTEM="READ_ONLY",
    DEEPEVAL_NO_INSPECT_PROMPT="1",
    CONFIDENT_OPEN_BROWSER="0",
)

import bench_io
import deepeval
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import (
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
    FaithfulnessMetric,
)
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase

KINDS = (
    FaithfulnessMetric,
    ContextualRecallMetric,
    ContextualPrecisionMetric,
    ContextualRelevancyMetric,
    AnswerRelevancyMetric,
)


def evaluate(samples, base_url, concurrency):
    model = LocalModel(model="bench-model", base_url=base_url, api_key="none")
    cases = [
        LLMTestCase(
            input=sample["question"],
            actual_output=sample["response"],
            expected_output=sample["reference"],
            retrieval_context=sample["contexts"],
        )
        for sample in samples
    ]
    result = deepeval.evaluate(
        cases,
        metrics=[kind(model=model, include_reason=False) for kind in KINDS],
        async_config=AsyncConfig(max_concurrent=concurrency),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    )
    found = defaultdict(list)
    for case in result.test_results:
        for metric in case.metrics_data:
            found[metric.name].append(metric.score)
    return {name: bench_io.mean(values) for name, values in found.items()}


if __name__ == "__main__":
    bench_io.run("deepeval", evaluate)
