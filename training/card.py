"""Writes the model card, src/adjudge/models/CARD.md. Every figure in it comes from a file that a script
wrote.

    python training/card.py --runs RUN_FOLDER... --share 0.5 --figures FIGURES.json --agreement
    AGREEMENT.json...

RUN_FOLDERs hold log.json of train.py, FIGURES is evaluate.py's, AGREEMENTs are of benchmarks/agreement.py
--json.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import sources

MODELS = Path(__file__).parent.parent / "src" / "adjudge" / "models"
HEAD = """# Card of the embedded judge

Written by training/card.py; every figure comes from a script's output.

**What it is.** A cross-encoder of 6 layers and 384 dimensions (22.7 million weights) that starts from
all-MiniLM-L6-v2 (Apache-2.0; the vocabulary is BERT's, Apache-2.0) and tells four things: whether evidence
entails, contradicts or does not state a claim; which context sentences are relevant to a question and were
used in a response (and which response sentences they bear out); how alike two short texts are; and which
words of a claim are not borne out. Stored with fp16 matrices and an int8 word table, computed in fp32.

**What it is for.** Offline first verdicts in adjudge. English only: other scripts are left to the word
features.

**Limits.** It is small: it compares wordings well and reasons little. It misses errors that need world
knowledge, arithmetic or several hops, and it is weakest on whole summaries of long articles, where one
subtle error in fluent text decides. Probabilities are calibrated on held-back training sources, with both
classes weighed alike; where unsupported claims are rare, expect more false alarms than the probability
says. RAGBench labels come from GPT-4.
Licences below are as known to the authors of this card; where none is stated, that is said. The rule that chose the
mix's weights was revised twice after a look at the agreement table; the rule itself reads held-back data only.
"""


def data_table(mix: Path) -> str:
    counts: Counter[str] = Counter()
    with lzma.open(mix, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            counts[row.get("s", "stsb" if row["t"] == "s" else "documents")] += 1
    rows = [
        f"| {name} | {counts[name]} | {source.share:g} | {source.held_back:.0%} | {source.licence} |"
        for name, source in sources.SOURCES.items()
    ]
    rag = sum(
        n for name, n in counts.items() if name.startswith(("ragbench_", "trace_", "without_ragbench_"))
    )
    rows.append(
        f"| RAGBench, train and validation splits | {rag} | {sources.RAGBENCH.share:g} | {sources.RAGBENCH.held_back:.0%} | {sources.RAGBENCH.licence} |"
    )
    rows.append(f"| STS-B, train split | {counts['stsb']} | 3 | dev split | {sources.STSB.licence} |")
    made = sum(
        n for name, n in counts.items() if name.startswith(("edit_", "extract", "fused_", "without_extract"))
    )
    rows.append(f"| made by training/edits.py from the above | {made} | | | as their sources |")
    left = "; ".join(f"{name} ({why})" for name, why in sources.LEFT_OUT.items())
    head = "## Data\n\n| source | pairs in the mix | share an epoch | held back | licence |\n|---|---|---|---|---|\n"
    return (
        head
        + "\n".join(rows)
        + f"\n\nLeft out: {left}. Held back by 100%: for choosing only, never trained on.\n"
    )


def training(runs: list[Path], share: float | None) -> str:
    told = []
    for run in runs:
        log = json.loads((run / "log.json").read_text())
        last = log["runs"][-1]["log"][-1]
        told.append(
            f"{last['step']} steps, {last['seen']} pairs, {last['seconds']:.0f} s, loss {last['loss']:.3f}"
        )
    text = "## Training\n\nOne NVIDIA H200, bf16, AdamW, averaged weights, seed 1.\n\n"
    text += "\n".join(f"- run {n}: {line}" for n, line in enumerate(told, 1))
    return text + (
        f"\n\nShipped: the weights of both runs averaged, {share:g} of the second.\n"
        if share is not None
        else "\n"
    )


def held_back(figures: dict[str, Any], calibration: dict[str, Any]) -> str:
    rows = [
        f"| {name} | {v['rows']} | {v['auroc']:.3f} | {v['margin_alone']:.3f} | {v['overlap_alone']:.3f} | {v['balanced']:.3f} |"
        for name, v in calibration["held_back"]["sets"].items()
    ]
    heads = [f"{name} {figures[name][0]:.3f}" for name in ("relevant", "used", "supported", "wrong")]
    return (
        "## Held back from training (long evidence)\n\n| set | rows | AUROC | model alone | word overlap | balanced accuracy |\n"
        "|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n\nSentence and word heads, AUROC: " + ", ".join(heads)
        + f". STS-B dev, Spearman: {figures['stsb_dev_spearman'][0]:.3f}.\n"
    )  # fmt: skip


def shown(figure: list[float]) -> str:
    return f"{figure[0]:.3f} [{figure[1]:.3f}, {figure[2]:.3f}]"


def agreement(found: dict[str, Any]) -> str:
    text = "## Agreement on data never trained on (benchmarks/agreement.py)\n"
    text += f"\n{found['note']}\n" if "note" in found else ""
    if "support" in found:
        text += "\n| set | rows | AUROC | balanced accuracy | word overlap, AUROC |\n|---|---|---|---|---|\n"
        for row in found["support"]:
            text += f"| {row['set']} | {row['rows']} | {shown(row['auroc'])} | {shown(row['balanced'])} | {shown(row['overlap'])} |\n"
        means = (found[f"support_mean_{key}"] for key in ("auroc", "balanced", "overlap"))
        text += "| mean | | " + " | ".join(f"{mean:.3f}" for mean in means) + " |\n"
    for row in found.get("ragbench", ()):
        text += f"\nRAGBench {row['set']}, {row['rows']} test rows:\n\n"
        for kind, unit in (("adherence", "AUROC"), ("relevance", "RMSE"), ("utilization", "RMSE")):
            text += (
                f"- {kind}, {unit}: "
                + "; ".join(f"{who} {shown(value)}" for who, value in row[kind].items())
                + "\n"
            )
    if "stsb" in found:
        text += (
            f"\nSTS-B test, Spearman: {shown(found['stsb']['spearman'])} ({found['stsb']['rows']} pairs).\n"
        )
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, nargs="+", required=True)
    parser.add_argument("--share", type=float)
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--agreement", type=Path, nargs="*", default=[])
    parser.add_argument("--mix", type=Path, default=Path(".train/mix.jsonl.xz"))
    told = parser.parse_args()
    calibration = json.loads((MODELS / "calibration.json").read_text("utf-8"))
    found: dict[str, Any] = {}
    for path in told.agreement:
        found |= json.loads(path.read_text("utf-8"))
    figures = json.loads(told.figures.read_text("utf-8"))
    parts = [
        HEAD,
        data_table(told.mix),
        training(told.runs, told.share),
        held_back(figures, calibration),
        agreement(found),
    ]
    (MODELS / "CARD.md").write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
