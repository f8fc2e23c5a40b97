"""Claims that the model never saw, for choosing and calibrating: .train/calibration.jsonl.xz and
windows.jsonl.xz.

    python training/calibration_set.py [--out .train]

From dev.jsonl.xz: short and long evidence, single claims and whole answers, claims with an error put in, and
short summaries made of a document's own sentences. Each row is later scored by the run that left its fold
out. The second file lists the windows that the model has to score, and the documents that sentences of whole
answers are read beside.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import edits
from batches import read
from build_mix import Builder, write
from sources import share_of

from adjudge.judges.local.asked import claim_sentences
from adjudge.judges.local.documents import document_pairs
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.labelling import all_stated
from adjudge.judges.local.windows import BUDGET

Row = dict[str, Any]
LIMITS = {"climate_fever": 2000, "covidfact": 2400, "extract": 700, "edit_extract": 900, "fused_extract": 250}
MOST = 1500


def pair_rows(lines: list[Row], docs: list[list[str]], rng: random.Random) -> list[Row]:
    """Single claims; half of the short evidence inside a longer text of the same source."""
    chosen, counts = [], Counter[str]()
    lines = [line for line in lines if line["t"] in "pd" and not line["s"].startswith("without_")]
    rng.shuffle(lines)
    seen: set[tuple[str, int]] = set()
    texts: dict[str, list[list[str]]] = {}
    for line in lines:
        if line["t"] == "p":
            texts.setdefault(line["s"].removeprefix("edit_"), []).append(line["e"])
    for line in lines:
        key = (line["c"], line.get("d", -1))
        if counts[line["s"]] >= LIMITS.get(line["s"], MOST) or (line["t"] == "d" and key in seen):
            continue
        seen.add(key)
        counts[line["s"]] += 1
        evidence = docs[line["d"]] if line["t"] == "d" else line["e"]
        if line["t"] == "p" and len(evidence) <= 4 and rng.random() < 0.4:
            more = [
                s
                for _ in range(rng.randint(1, 6))
                for s in rng.choice(texts[line["s"].removeprefix("edit_")])
            ]
            at = rng.randint(0, len(more))
            evidence = more[:at] + evidence + more[at:]
        row = {"s": line["s"], "c": line["c"], "e": " ".join(evidence), "y": line["y"], "f": line["f"]}
        chosen.append(row)
    return chosen


def answer_rows(lines: list[Row], docs: list[list[str]]) -> list[Row]:
    """All that a RAGBench response states, against all its documents."""
    return [
        {
            "s": "answer_" + line["s"],
            "f": line["f"],
            "q": line["q"],
            "a": line["a"],
            "c": said,
            "e": " ".join(docs[line["d"]]),
            "y": "e" if line["y"] else "x",
            "docs": cut(docs[line["d"]], line["parts"]),
        }
        for line in lines
        if line["t"] == "r"
        if (said := all_stated(line["a"], line["q"]))
    ]


def cut(sentences: list[str], sizes: list[int]) -> list[str]:
    """Texts of the documents that sentences are from."""
    rest = iter(sentences)
    return ["\n\n".join(islice(rest, size)) for size in sizes if size]


def summary_rows(lines: list[Row], docs: list[list[str]], build: Builder, rng: random.Random) -> list[Row]:
    """Two to four sentences of a document, shortened, one of them wrong in half of the cases."""
    rows = []
    folds = {line["d"]: line["f"] for line in lines if "d" in line}
    for number in sorted(folds, key=lambda n: share_of(" ".join(docs[n])))[:1500]:
        doc = docs[number]
        usable = [n for n, text in enumerate(doc) if 40 <= len(text) <= 240]
        if len(usable) < 5:
            continue
        numbers = sorted(rng.sample(usable, rng.randint(2, 4)))
        said = []
        for n in numbers:
            kept = edits.trimmed(doc[n], "", rng) if rng.random() < 0.6 else None
            said.append(kept.text if kept else doc[n])
        label = "e"
        if rng.random() < 0.5:
            at = rng.randrange(len(said))
            made = edits.fused(said[at], doc[rng.choice(usable)], rng) if rng.random() < 0.25 else None
            made = made or build.edit(said[at], " ".join(doc))
            if made and made.text not in doc:
                said[at], label = made.text, "x"
        rows.append({"s": "summary", "c": " ".join(said), "e": " ".join(doc), "y": label, "f": folds[number]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(".train"))
    told = parser.parse_args()
    lines, docs = read(told.out / "dev.jsonl.xz")
    rng = random.Random(21)
    build = Builder(22)
    build.learn_words([line["c"] for line in lines if line["t"] in "pd"])
    rows = pair_rows(lines, docs, rng) + answer_rows(lines, docs) + summary_rows(lines, docs, build, rng)
    windows = []
    for number, row in enumerate(rows):
        evidence = prepare(row["e"])
        sentences = claim_sentences(row["c"], evidence, BUDGET)
        beside = document_pairs(row["c"], row.get("docs", ())) or [[] for _ in sentences]
        windows += [
            {
                "r": number,
                "c": sentence.asked,
                "t": sentence.text,
                "k": [p.kind for p in sentence.found],
                "w": [p.text(evidence) for p in sentence.found],
                "d": [text for _, text in own],
            }
            for sentence, own in zip(sentences, beside, strict=True)
        ]
    write(told.out / "calibration.jsonl.xz", rows)
    write(told.out / "windows.jsonl.xz", windows)
    print(json.dumps(Counter(row["s"] for row in rows), indent=1), sum(len(w["w"]) for w in windows), "pairs")


if __name__ == "__main__":
    main()
