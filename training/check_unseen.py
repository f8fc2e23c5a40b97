"""How far the judge, and other encoders over the same windows, agree with people on sets that nothing was
trained on.

    python training/check_unseen.py [--sets SETS] [--scores SCORES.npz ...]
    python training/check_unseen.py [--sets SETS] --write PAIRS.jsonl.xz

SETS is what unseen_sets.py wrote. AUROC, then balanced accuracy, of the judge, of its encoder for documents
by itself, and of the mean of both log odds. With `--scores`, of the encoders that score.py has asked about
PAIRS instead: all by the windows' logits alone, without the judge's rules.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.judges.local.calibration import log_odds
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.model import PairScore
from adjudge.judges.local.reading import Held, Pair, read
from adjudge.metrics.agreement import auroc, balanced_accuracy

AT_ONCE = 40
Scores = Mapping[Pair, PairScore]


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def held(verifier: ModelVerifier, rows: list[dict[str, Any]]) -> list[Held]:
    return verifier.held([(row["claim"], row["evidence"]) for row in rows])


def asked(verifier: ModelVerifier, rows: list[dict[str, Any]]) -> list[Pair]:
    """Every pair of sentence and window that an encoder may be asked about for these rows."""
    return list(
        dict.fromkeys(pair for own in held(verifier, rows) for windows in own.windows for pair in windows)
    )


def odds(verifier: ModelVerifier, rows: list[dict[str, Any]], known: Scores) -> list[float]:
    """Log odds of the claims by an encoder's scores."""
    claims, found = held(verifier, rows), []
    for claim, scores in zip(claims, read(claims, verifier.calibration, lambda _: known), strict=True):
        told = claim.signals(scores)
        found.append(verifier.calibration.odds(told) if told else log_odds(0.0))
    return found


def by_judge(verifier: ModelVerifier, rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Log odds by the judge, by its other encoder, and the mean."""
    judge: list[float] = []
    other: list[float] = []
    for at in range(0, len(rows), AT_ONCE):
        part = rows[at : at + AT_ONCE]
        opinions = verifier.verdicts([row["claim"] for row in part], [row["evidence"] for row in part])
        judge += [log_odds(opinion.entailed) for opinion in opinions]
        pairs = asked(verifier, part)
        known = dict(zip(pairs, verifier.model.pairs(pairs, documents=True), strict=True))
        other += odds(verifier, part, known)
    return {"judge": judge, "documents": other, "mean": np.mean([judge, other], axis=0).tolist()}


def read_scores(pairs: Path, files: list[Path]) -> dict[str, Scores]:
    """What score.py wrote, by the last two parts of a run's path."""
    with lzma.open(pairs, "rt", encoding="utf-8") as lines:
        listed = [tuple(json.loads(line)) for line in lines]
    found = {}
    for file in files:
        with np.load(file) as runs:
            for name in runs.files:
                told = [PairScore(*map(float, row)) for row in runs[name]]
                found["/".join(Path(name).parts[-2:])] = dict(zip(listed, told, strict=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=Path, default=Path(".train/unseen"))
    parser.add_argument("--write", type=Path, help="list the pairs for score.py, and stop")
    parser.add_argument("--pairs", type=Path, default=Path(".train/pairs.jsonl.xz"), help="that list")
    parser.add_argument("--scores", type=Path, nargs="+", default=[])
    told = parser.parse_args()
    verifier = ModelVerifier()
    sets = {path.stem: rows_of(path) for path in sorted(told.sets.glob("*.jsonl"))}
    if told.write:
        pairs = dict.fromkeys(pair for rows in sets.values() for pair in asked(verifier, rows))
        with lzma.open(told.write, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
        return
    scores = read_scores(told.pairs, told.scores) if told.scores else {}
    table = []
    for name, rows in sets.items():
        ways = {way: odds(verifier, rows, own) for way, own in scores.items()} or by_judge(verifier, rows)
        true = [row["supported"] for row in rows]
        figures = [auroc(true, own).value or np.nan for own in ways.values()]
        figures += [balanced_accuracy(true, [x > 0 for x in own]).value or np.nan for own in ways.values()]
        if not table:
            print(f"{'AUROC, then balanced':24}", *ways)
        table.append(figures)
        print(f"{name:24}" + "".join(f"{x:8.3f}" for x in figures), flush=True)
    print(f"{'mean':24}" + "".join(f"{x:8.3f}" for x in np.mean(table, axis=0)))


if __name__ == "__main__":
    main()
