"""How far the embedded judge agrees with people and with stronger judges, on data it was never trained on.

    python benchmarks/agreement.py [--limit N] [--only PARTS] [--json FILE]

Parts: stsb, factscore, ragchecker, support, ragbench; all if none is named.

Data is found through ADJUDGE_DATA or the folder shared/data beside the checkout. Every figure has a bootstrap
interval of 95 % (1000 draws, fixed seed) over its rows.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.judges.base import CheckClaims, LabelSentences, SentenceLabels, Similarity
from adjudge.judges.local.judge import LocalJudge
from adjudge.stats.experiments import find_experiment
from adjudge.stats.experiments.outcome import Outcome, Request

SUPPORT = ("attributionbench_dev", "factcheck_gpt_stance", "faithbench", "wice_claim_dev", "true_summeval",
           "summedits_news", "summedits_samsum")  # fmt: skip
RAGBENCH = ("expertqa", "hotpotqa", "msmarco", "delucionqa", "emanual")
BASELINES = {
    "adherence": {
        "gpt35": "gpt3_adherence",
        "ragas": "ragas_faithfulness",
        "trulens": "trulens_groundedness",
    },
    "relevance": {
        "gpt35": "gpt3_context_relevance",
        "ragas": "ragas_context_relevance",
        "trulens": "trulens_context_relevance",
    },
    "utilization": {"gpt35": "gpt35_utilization"},
}
Array = NDArray[np.float64]
Row = dict[str, Any]


def data_folder() -> Path:
    told = os.environ.get("ADJUDGE_DATA")
    folder = Path(told) if told else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        raise SystemExit(
            f"no data at {folder}; set ADJUDGE_DATA to the folder that holds support/ and ragbench/"
        )
    return folder


def ranks(x: Array) -> Array:
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)


def auroc(scores: Array, positive: Array) -> float:
    ones = positive.sum()
    zeros = len(positive) - ones
    if not ones or not zeros:
        return math.nan
    return float((ranks(scores)[positive > 0].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def balanced(probabilities: Array, positive: Array) -> float:
    chosen = probabilities > 0.5
    return float((chosen[positive > 0].mean() + (~chosen[positive == 0]).mean()) / 2)


def rmse(a: Array, b: Array) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))


def spearman(a: Array, b: Array) -> float:
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def interval(statistic: Callable[[Array, Array], float], a: Array, b: Array) -> tuple[float, float, float]:
    """The figure and its bootstrap interval."""
    rng = np.random.default_rng(17)
    draws = []
    for _ in range(1000):
        at = rng.integers(0, len(a), len(a))
        value = statistic(a[at], b[at])
        if not math.isnan(value):
            draws.append(value)
    low, high = np.quantile(draws, [0.025, 0.975])
    return statistic(a, b), float(low), float(high)


def shown(figure: tuple[float, float, float]) -> str:
    return f"{figure[0]:.3f} [{figure[1]:.3f}, {figure[2]:.3f}]"


_WORD = re.compile(r"\w+")


def overlap(rows: Sequence[Row]) -> Array:
    """The baseline: share of a claim's word weight found in its evidence, weights from the set's own
    evidence.
    """
    texts = {row["evidence"] for row in rows}
    seen: Counter[str] = Counter()
    for text in sorted(texts):
        seen.update(set(_WORD.findall(text.lower())))
    scores = []
    for row in rows:
        words = sorted(set(_WORD.findall(row["claim"].lower())))
        weights = [math.log((1 + len(texts)) / (1 + seen[word])) for word in words]
        there = set(_WORD.findall(row["evidence"].lower()))
        total = sum(weights)
        scores.append(
            sum(w for w, word in zip(weights, words, strict=True) if word in there) / total if total else 1.0
        )
    return np.array(scores)


def support(data: Path, judge: LocalJudge, limit: int | None) -> list[Row]:
    table = []
    for name in SUPPORT:
        with gzip.open(data / "support" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines][:limit]
        replies = judge.answer([CheckClaims((r["claim"],), (r["evidence"],)) for r in rows])
        entailed = np.array([reply.probabilities[0][0][0] for reply in replies])
        told = np.array([float(r["label"] == "supported") for r in rows])
        table.append({
            "set": name, "rows": len(rows), "auroc": interval(auroc, entailed, told),
            "balanced": interval(balanced, entailed, told), "overlap": interval(auroc, overlap(rows), told),
        })  # fmt: skip
        print_support(table[-1])
    return table


def print_support(row: Row) -> None:
    print(f"{row['set']:24}{row['rows']:6}  AUROC {shown(row['auroc'])}  balanced {shown(row['balanced'])}"
          f"  word overlap {shown(row['overlap'])}", flush=True)  # fmt: skip


def ragbench_rows(data: Path, name: str) -> list[Row]:
    """Test rows; those whose question is also in another split are dropped."""
    import pyarrow.parquet as pq

    others: set[str] = set()
    rows: list[Row] = []
    for path in sorted((data / "ragbench" / name).glob("*.parquet")):
        if path.name.startswith("test"):
            rows += pq.read_table(path).to_pylist()
        else:
            others |= set(pq.read_table(path, columns=["question"])["question"].to_pylist())
    return [row for row in rows if row["question"] not in others]


def ragbench(data: Path, judge: LocalJudge, limit: int | None) -> list[Row]:
    table = []
    for name in RAGBENCH:
        rows = ragbench_rows(data, name)[:limit]
        labels = [labelled(judge, row) for row in rows]
        adherent = np.array([found.probability for found in labels], dtype=float)
        verdicts = np.array([found.overall_supported for found in labels], dtype=float)
        counts = [sum(len(doc) for doc in row["documents_sentences"]) for row in rows]
        relevant = np.array([len(f.relevant) / n for f, n in zip(labels, counts, strict=True)])
        used = np.array([len(f.used) / n for f, n in zip(labels, counts, strict=True)])
        figures: Row = {"set": name, "rows": len(rows)}
        ours = {"adherence": adherent, "relevance": relevant, "utilization": used}
        for kind, column in (
            ("adherence", "adherence_score"),
            ("relevance", "relevance_score"),
            ("utilization", "utilization_score"),
        ):
            told = np.array([float(row[column]) for row in rows])
            figures[kind] = {"ours": _figure(kind, ours[kind], told)}
            for baseline, field in BASELINES[kind].items():
                there = [n for n, row in enumerate(rows) if row[field] is not None]
                stored = np.array([float(rows[n][field]) for n in there])
                figures[kind][baseline] = _figure(kind, stored, told[there])
        told = np.array([float(row["adherence_score"]) for row in rows])
        figures["verdict"] = interval(balanced, verdicts, told)
        table.append(figures)
        print_ragbench(figures)
    return table


def labelled(judge: LocalJudge, row: Row) -> SentenceLabels:
    """What the judge says of a row in one answer, as in a run of trace."""
    contexts = tuple((key, text) for doc in row["documents_sentences"] for key, text in doc)
    response = tuple((key, text) for key, text in row["response_sentences"])
    found: SentenceLabels = judge.answer([LabelSentences(row["question"], contexts, response)])[0].value
    return found


def _figure(kind: str, found: Array, told: Array) -> tuple[float, float, float]:
    # Rows without adherence are the positives: their AUROC is that of the adherent ones against them.
    return interval(auroc if kind == "adherence" else rmse, found, told)


def print_ragbench(figures: Row) -> None:
    print(f"{figures['set']:14}{figures['rows']:6}")
    for kind in BASELINES:
        told = "  ".join(f"{who} {shown(value)}" for who, value in figures[kind].items())
        print(f"    {kind:12} {'AUROC' if kind == 'adherence' else 'RMSE':6} {told}", flush=True)
    print(f"    yes or no    balanced accuracy, ours {shown(figures['verdict'])}", flush=True)


def stsb(data: Path, judge: LocalJudge, limit: int | None) -> Row:
    with gzip.open(data / "training" / "stsb.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["split"] == "test"][:limit]
    replies = judge.answer([Similarity(r["sentence1"], r["sentence2"]) for r in rows])
    found = np.array([reply.value for reply in replies], dtype=float)
    figure = interval(spearman, found, np.array([r["score"] for r in rows]))
    print(f"STS-B test {len(rows):6}  Spearman {shown(figure)}", flush=True)
    return {"rows": len(rows), "spearman": figure}


def experiment(
    name: str, judge: LocalJudge, data: Path, limit: int | None, parts: tuple[str, ...] = ()
) -> Row:
    """All rows of a published experiment (`adjudge experiment NAME`), the judge's among them."""
    request = Request(data=data, judge=judge, limit=limit, parts=parts)

    async def measured() -> Outcome:
        return (await find_experiment(name)(request)).outcome

    outcome = asyncio.run(measured())
    found: Row = {"samples": outcome.samples, "tables": []}
    for table in outcome.tables:
        rows = {
            row.name: {
                column: [figure.value, *(figure.interval or ())]
                for column, figure in row.figures.items()
                if figure.value is not None
            }
            for row in table.rows
        }
        found["tables"].append({"title": table.title, "rows": rows})
        print(table.title, f"({outcome.samples} samples)")
        for title, figures in rows.items():
            told = "  ".join(f"{c} {v[0]:.3f}" for c, v in figures.items())
            print(f"    {title:44} {told}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--limit", type=int, help="rows of each set, for a quick look")
    parser.add_argument("--only", default="stsb,factscore,ragchecker,support,ragbench")
    parser.add_argument("--json", type=Path, help="also write all figures to this file")
    told = parser.parse_args()
    run(told.only.split(","), told.limit, told.json, LocalJudge())


def run(parts: Sequence[str], limit: int | None, out: Path | None, judge: LocalJudge) -> Row:
    data = data_folder()
    print(judge.describe(), flush=True)
    figures: Row = {"judge": judge.describe(), "date": date.today().isoformat()}
    if "stsb" in parts:
        figures["stsb"] = stsb(data, judge, limit)
    if "factscore" in parts:
        figures["factscore"] = experiment("factscore", judge, data, limit, ("identify",))
    if "ragchecker" in parts:
        figures["ragchecker"] = experiment("ragchecker-meta", judge, data, limit)
    if "support" in parts:
        figures["support"] = support(data, judge, limit)
        for key in ("auroc", "balanced", "overlap"):
            figures[f"support_mean_{key}"] = float(np.mean([row[key][0] for row in figures["support"]]))
            print(f"mean {key} {figures[f'support_mean_{key}']:.3f}", flush=True)
    if "ragbench" in parts:
        figures["ragbench"] = ragbench(data, judge, limit)
    if out:
        out.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return figures


if __name__ == "__main__":
    main()
