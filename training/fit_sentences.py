"""Fits which context sentences are relevant and which were used (sentences.json), on RAGBench's own labels.

    python training/fit_sentences.py DATA

DATA holds ragbench/*/{train,validation}*.parquet; test splits are never read. Each subset weighs the same.
The thresholds are set so that the mean number of chosen sentences is that of the labels.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from adjudge.judges.base import LabelSentences
from adjudge.judges.local.labelling import relevant_columns, used_columns

PACKAGE = Path(__file__).parent.parent / "src" / "adjudge" / "judges" / "local"
ROWS = 400


def main(data: Path) -> None:
    tables: dict[str, list[np.ndarray]] = {"relevant": [], "used": []}
    truths: dict[str, list[np.ndarray]] = {"relevant": [], "used": []}
    groups: list[np.ndarray] = []
    for number, path in enumerate(sorted((data / "ragbench").glob("*/validation*.parquet"))):
        for row in pq.read_table(path).to_pylist()[:ROWS]:
            contexts = tuple(
                (str(key), text) for document in row["documents_sentences"] for key, text in document
            )
            response = tuple((str(key), text) for key, text in row["response_sentences"])
            if not contexts or not response:
                continue
            asked = LabelSentences(row["question"], contexts, response)
            found = relevant_columns(asked.question, contexts), used_columns(asked)
            keys = {"relevant": row["all_relevant_sentence_keys"], "used": row["all_utilized_sentence_keys"]}
            for name, features in zip(tables, found, strict=True):
                tables[name].append(features)
                truths[name].append(np.array([key in set(keys[name]) for key, _ in contexts]))
            groups.append(np.full(len(contexts), number))
    group = np.concatenate(groups)
    weight = 1.0 / np.bincount(group)[group]
    out: dict[str, object] = {
        "note": "logistic models made by training/fit_sentences.py on RAGBench validation splits"
    }
    for name in tables:
        x, y = np.concatenate(tables[name]), np.concatenate(truths[name])
        model = LogisticRegression(max_iter=1000).fit(x, y, sample_weight=weight * len(y))
        score = x @ model.coef_[0]
        order = np.argsort(-score)
        cut = int(np.searchsorted(np.cumsum(weight[order]), (weight * y).sum()))
        intercept = -float(score[order[min(cut, len(order) - 1)]])
        aucs = [round(float(roc_auc_score(y[group == g], score[group == g])), 3) for g in sorted(set(group))]
        print(name, "AUROC by subset", aucs)
        out[name] = {"weights": model.coef_[0].round(5).tolist(), "intercept": round(intercept, 5)}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in out.items())
    (PACKAGE / "sentences.json").write_text("{\n" + lines + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
