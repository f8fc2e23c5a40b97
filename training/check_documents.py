"""What it brings to hold the sentences of an answer against whole documents, on answers never trained on.

    python training/check_documents.py RUNS [--documents AVERAGES] [--data .train]

RUNS as for calibrate.py; AVERAGES, two of the same kind, read the documents as in the judge, or else RUNS do.
For the answers of each part of RAGBench's train and validation rows, scored by the run that left them out,
AUROC of adherence: by the passage gathered from all documents alone, and by the nearest documents alone; by
the last layer and the sentence head, as judges/local/labelling weighs them; and by these with more and more
of the log odds beside documents. The last column is the log odds at which
documents say neither yes nor no: where both classes of every part, weighing alike, balance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from calibrate import Traced, all_signals, lines, load, traced
from score import auroc, margins

from adjudge.judges.local.calibration import Calibration, bundled_calibration, mean_odds
from adjudge.judges.local.labelling import HEAD_RESPONSE, stated

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)


def head_of(entry: Traced, calibration: Calibration) -> float | None:
    """Mean log odds of the sentence head over the sentences that state something."""
    said = zip(entry.supported, entry.row["a"], strict=True)
    telling = [x for x, text in said if stated(text, entry.row["q"])]
    slope, intercept = calibration.trace["supported"]
    return float(slope * np.mean(telling) + intercept) if telling else None


def balance(x: np.ndarray, true: np.ndarray, part: np.ndarray) -> float:
    """What must be added to log odds so that they are right on average, classes and parts weighing alike."""
    sizes = {(p, t): np.sum((part == p) & (true == t)) for p in set(part) for t in (True, False)}
    share = np.array([1 / sizes[p, bool(t)] for p, t in zip(part, true, strict=True)])
    added = 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x + added)))
        added += float((share * (true - p)).sum() / (share * p * (1 - p)).sum())
    return added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--documents", type=Path, help="folder with A and B, which read the documents")
    parser.add_argument("--data", type=Path, default=Path(".train"))
    told = parser.parse_args()
    folds, calibration = load(told.runs), bundled_calibration()
    readers = load([told.documents]) if told.documents else folds
    rows, windows = lines(told.data / "calibration.jsonl.xz"), lines(told.data / "windows.jsonl.xz")
    beside: dict[int, list[float]] = {}
    gathered: dict[int, list[float]] = {}
    at = place = 0
    for window in windows:
        number, fold = window["r"], rows[window["r"]]["f"]
        if window["d"]:
            own = readers[fold]["documents"][at : (at := at + len(window["d"]))]
            beside.setdefault(number, []).append(mean_odds(margins(own)))
            gathered.setdefault(number, [])
            if window["w"]:
                gathered[number] += list(margins(folds[fold]["pairs"][place : place + 1]))
        place += len(window["w"])
    found = all_signals(rows, windows, {fold: scores["pairs"] for fold, scores in folds.items()}, set(beside))
    answers = [n for n in sorted(beside) if found[n] is not None and gathered[n]]
    heads = {(e.row["s"], e.row["q"], *e.row["a"]): head_of(e, calibration) for e in traced(folds, told.data)}
    base = np.array(
        [
            calibration.slope * calibration.score(found[n])
            + calibration.intercept
            + HEAD_RESPONSE * heads[rows[n]["s"].removeprefix("answer_"), rows[n]["q"], *rows[n]["a"]]
            for n in answers
        ]
    )
    documents = np.array([np.mean(beside[n]) for n in answers])
    true = np.array([rows[n]["y"] == "e" for n in answers])
    part = np.array([rows[n]["s"].removeprefix("answer_trace_") for n in answers])
    names = sorted(set(part))

    def show(name: str, x: np.ndarray, neither: float | None = None) -> None:
        figures = [auroc(x[part == n], true[part == n]) for n in names]
        last = "" if neither is None else f"{neither:>11.2f}"
        print(f"{name:>14} " + " ".join(f"{f:>11.3f}" for f in [*figures, np.mean(figures)]), last)

    print(f"{'':14} " + " ".join(f"{name:>11}" for name in [*names, "mean", "neither"]))
    print(f"{'':14} " + " ".join(f"{np.sum((part == n) & ~true):>5} of {sum(part == n):>4}" for n in names))
    show("gathered", np.array([np.mean(gathered[n]) for n in answers]))
    show("documents", documents)
    for weight in WEIGHTS:
        x = base + weight * documents
        show(f"weight {weight:g}", x, -balance(x, true, part) / weight if weight else None)


if __name__ == "__main__":
    main()
