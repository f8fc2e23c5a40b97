"""Gathers whole answers that people have judged and nothing here was trained on, for check_answers.py.

    python training/unseen_answers.py CHECKOUTS [--split train test] [--out .train/answers]

CHECKOUTS holds a checkout of LRP4RAG (Tomsawyerhu), which has RAGTruth's questions with three passages each,
and what four models answered, with the spans that people found not to be borne out. An answer adheres if it
has none. Every file that is written has at most 550 answers of one model; nothing of them is kept in the
project. Once natural.py's claims are in the mix, only the split `test` is unseen.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import natural

ROWS = 550


def answers(folder: Path, splits: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(model, row) of every answer, the row as check_answers.py reads it."""
    for row, info in natural.ragtruth_rows(folder, splits):
        yield (
            row["model"],
            {
                "id": f"{row['source_id']} {row['model']}",
                "question": info["question"],
                "documents": natural.passages_of(info),
                "response": row["response"],
                "adherence_score": not row["labels"],
            },
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--split", nargs="+", choices=("train", "test"), default=["train", "test"])
    parser.add_argument("--out", type=Path, default=Path(".train/answers"))
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    by_model: dict[str, list[dict[str, Any]]] = {}
    for model, row in answers(told.checkouts, told.split):
        by_model.setdefault(model, []).append(row)
    for model, rows in sorted(by_model.items()):
        chosen = random.Random(model).sample(rows, min(ROWS, len(rows)))
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in chosen)
        (told.out / f"ragtruth-{model}.jsonl").write_text(text, "utf-8")
        print(f"{model:24}{len(chosen):5} answers, {sum(row['adherence_score'] for row in chosen)} adhere")


if __name__ == "__main__":
    main()
