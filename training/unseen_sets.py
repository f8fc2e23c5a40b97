"""Gathers claims that people have judged and nothing here was trained on, for choosing what is not weights.

    python training/unseen_sets.py CHECKOUTS [--data DATA] [--out .train/unseen]

CHECKOUTS holds checkouts of four public repositories, by their names: BEGIN-dataset (google), q-squared
(orhonovich), qags (W4ngatang) and factualNLG (salesforce; without the two domains that
benchmarks/agreement.py measures). DATA, found as build_mix.py finds it, has four entailment sets beside them
that are left out of the mix. Every set has at most 240 rows, drawn with a fixed seed; nothing of them is kept
in the project.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sources import data_folder

ROWS = 240
BEGIN = {
    "begin_wow": "wow/begin_test_wow.tsv",
    "begin_topical": "topicalchat/begin_dev_tc.tsv",
    "begin_cmu": "cmu-dog/begin_dev_cmu.tsv",
}
DOMAINS = ("podcast", "sales_email", "sales_call", "qmsumm", "ectsum", "scitldr")
NEVER_TRAINED_ON = ("rte", "scifact_rte", "sick", "semiauto_nli")


class Row(NamedTuple):
    evidence: str
    claim: str
    supported: bool


def begin(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = (row["begin_label"] or "").strip()
            if label in ("Fully attributable", "Not fully attributable"):
                yield Row(row["knowledge"], row["response"], label == "Fully attributable")


def q_squared(path: Path) -> Iterator[Row]:
    """Two systems' responses a row; 1 marks an inconsistent one."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for system in ("dodeca", "memnet"):
                if row[f"{system}_label"] in ("0", "1"):
                    yield Row(row["knowledge"], row[f"{system}_response"], row[f"{system}_label"] == "0")


def qags(path: Path) -> Iterator[Row]:
    """A summary is borne out if two of three people say so of each of its sentences."""
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        sentences = told["summary_sentences"]
        kept = all(sum(r["response"] == "yes" for r in s["responses"]) >= 2 for s in sentences)
        yield Row(told["article"], " ".join(s["sentence"] for s in sentences), kept)


def summedits(path: Path) -> Iterator[Row]:
    for told in json.loads(path.read_text("utf-8")):
        yield Row(told["doc"], told["summary"], bool(told["label"]))


def entailment(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            yield Row(told["premise"], told["hypothesis"], told["label"] == "entailment")


def sets(checkouts: Path, data: Path) -> Iterator[tuple[str, list[Row]]]:
    for name, path in BEGIN.items():
        yield name, list(begin(checkouts / "BEGIN-dataset" / path))
    yield "q_squared", list(q_squared(checkouts / "q-squared/third_party/data/cross_annotation.csv"))
    for name in ("cnndm", "xsum"):
        yield f"qags_{name}", list(qags(checkouts / f"qags/data/mturk_{name}.jsonl"))
    for name in DOMAINS:
        path = checkouts / f"factualNLG/data/summedits/summedits_{name}.json"
        yield f"summedits_{name}", list(summedits(path))
    for name in NEVER_TRAINED_ON:
        yield name, list(entailment(data / "training" / f"{name}.jsonl.gz"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--data", type=Path, help="the folder that holds training/")
    parser.add_argument("--out", type=Path, default=Path(".train/unseen"))
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    for name, rows in sets(told.checkouts, told.data or data_folder()):
        chosen = random.Random(name).sample(rows, min(ROWS, len(rows)))
        text = "".join(json.dumps(row._asdict()) + "\n" for row in chosen)
        (told.out / f"{name}.jsonl").write_text(text, "utf-8")
        print(f"{name:24}{len(chosen):5} rows, {sum(row.supported for row in chosen)} supported")


if __name__ == "__main__":
    main()
