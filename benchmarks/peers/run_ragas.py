"""ragas: the metrics nearest to RAGChecker's overall, retriever and generator groups."""

# mypy: ignore-errors
from __future__ import annotations

import asyncio
import os

os.environ.update(RAGAS_DO_NOT_TRACK="true", OPENAI_API_KEY="none", LANGCHAIN_TRACING_V2="false")

import bench_io
from langchain_openai import ChatOpenAI
from ragas import EvaluationDataset, RunConfig, aevaluate
from ragas.metrics import (
    FactualCorrectness,
    Faithfulness,
    LLMContextPrecisionWithReference,
    LLMContextRecall,
    NoiseSensitivity,
)

# Overall: factual correctness. Retriever: context recall and precision. Generator: faithfulness, noise.
NEAREST = (
    FactualCorrectness,
    LLMContextRecall,
    LLMContextPrecisionWithReference,
    Faithfulness,
)


def evaluate(samples, base_url, concurrency):
    metrics = [kind() for kind in NEAREST]
    if os.environ.get("PEERS_VARIANT") == "noise":
        metrics += [NoiseSensitivity(), NoiseSensitivity(mode="irrelevant", name="noise_irrelevant")]
    rows = [
        {
            "user_input": sample["question"],
            "retrieved_contexts": sample["contexts"],
            "response": sample["response"],
            "reference": sample["reference"],
        }
        for sample in samples
    ]
    result = asyncio.run(
        aevaluate(
            EvaluationDataset.from_list(rows),
            metrics=metrics,
            llm=ChatOpenAI(model="bench-model", base_url=base_url, temperature=0),
            run_config=RunConfig(max_workers=concurrency),
            show_progress=False,
        )
    )
    return {name: bench_io.mean([row[name] for row in result.scores]) for name in result.scores[0]}


if __name__ == "__main__":
    bench_io.run("ragas", evaluate)
