"""How far the judge, and its encoder for documents over the same windows, agree with people on sets that
nothing was trained on.

    python training/check_unseen.py [SETS]

SETS is what unseen_sets.py wrote. AUROC and balanced accuracy of the judge, of the other encoder by itself,
and of the mean of both log odds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from adjudge.judges.local.calibration import log_odds, signals
from adjudge.judges.local.mix import ModelVerifier
from adjudge.metrics.agreement import auroc, balanced_accuracy

AT_ONCE = 40
WAYS = ("judge", "other", "mean")


def other(verifier: ModelVerifier, pairs: list[tuple[str, str]]) -> list[float]:
    """Log odds of the claims by the encoder for documents."""
    cut, windows = verifier.windows(pairs)
    flat = list(dict.fromkeys(pair for claim in windows for sentence in claim for pair in sentence))
    known = dict(zip(flat, verifier.model.pairs(flat, documents=True), strict=True))
    odds = []
    for sentences, own, (_, text) in zip(cut, windows, pairs, strict=True):
        scores = [[known[pair] for pair in sentence] for sentence in own]
        told = signals(sentences, scores, len(text)) if sentences else None
        odds.append(verifier.calibration.odds(told) if told else log_odds(0.0))
    return odds


def measured(path: Path, verifier: ModelVerifier) -> list[float]:
    """AUROC of the three ways, then balanced accuracy."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for at in range(0, len(rows), AT_ONCE):
        pairs = [(row["claim"], row["evidence"]) for row in rows[at : at + AT_ONCE]]
        opinions = verifier.verdicts([claim for claim, _ in pairs], [text for _, text in pairs])
        found["judge"] += [log_odds(opinion.entailed) for opinion in opinions]
        found["other"] += other(verifier, pairs)
    found["mean"] = np.mean([found["judge"], found["other"]], axis=0).tolist()
    true = [row["supported"] for row in rows]
    orders = [auroc(true, found[way]).value or np.nan for way in WAYS]
    return orders + [balanced_accuracy(true, [x > 0 for x in found[way]]).value or np.nan for way in WAYS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=Path, nargs="?", default=Path(".train/unseen"))
    verifier = ModelVerifier()
    columns = "".join(f"{way:>8}" for way in WAYS)
    print(f"{'AUROC, then balanced':24}{columns}{columns}")
    table = []
    for path in sorted(parser.parse_args().sets.glob("*.jsonl")):
        table.append(measured(path, verifier))
        print(f"{path.stem:24}" + "".join(f"{x:8.3f}" for x in table[-1]), flush=True)
    print(f"{'mean':24}" + "".join(f"{x:8.3f}" for x in np.mean(table, axis=0)))


if __name__ == "__main__":
    main()
