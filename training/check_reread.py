"""What it brings to read claims in doubt again with the encoder for documents, on sets nobody trained on.

    python training/check_reread.py [SETS]

SETS is what unseen_sets.py wrote. AUROC and balanced accuracy of the judge's first reading, of the other
encoder's by itself over the same windows, and of both as judges/local/reread.py weighs them; and how many
claims are read again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from adjudge.judges.local.calibration import logistic, signals
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.reread import in_doubt
from adjudge.metrics.agreement import auroc, balanced_accuracy

AT_ONCE = 40
WAYS = ("first", "second", "both")


def second(verifier: ModelVerifier, pairs: list[tuple[str, str]]) -> list[float]:
    """How likely the encoder for documents finds the claims by itself."""
    cut, windows = verifier.windows(pairs)
    flat = list(dict.fromkeys(pair for claim in windows for sentence in claim for pair in sentence))
    known = dict(zip(flat, verifier.model.pairs(flat, documents=True), strict=True))
    shares = []
    for sentences, own, (_, text) in zip(cut, windows, pairs, strict=True):
        scores = [[known[pair] for pair in sentence] for sentence in own]
        told = signals(sentences, scores, len(text)) if sentences else None
        shares.append(logistic(verifier.calibration.odds(told)) if told else 0.0)
    return shares


def measured(path: Path, verifier: ModelVerifier) -> tuple[list[float], list[float], float]:
    """AUROC and balanced accuracy of the three ways, and the share of claims read again."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    again = 0
    for at in range(0, len(rows), AT_ONCE):
        pairs = [(row["claim"], row["evidence"]) for row in rows[at : at + AT_ONCE]]
        claims, texts = [claim for claim, _ in pairs], [text for _, text in pairs]
        first = verifier.verdicts(claims, texts)
        again += sum(map(in_doubt, first))
        found["first"] += [opinion.entailed for opinion in first]
        found["second"] += second(verifier, pairs)
        found["both"] += [opinion.entailed for opinion in verifier.reread(claims, texts)]
    true = [row["supported"] for row in rows]
    orders = [auroc(true, found[way]).value or np.nan for way in WAYS]
    verdicts = [balanced_accuracy(true, [x > 0.5 for x in found[way]]).value or np.nan for way in WAYS]
    return orders, verdicts, again / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=Path, nargs="?", default=Path(".train/unseen"))
    verifier = ModelVerifier()
    columns = "".join(f"{way:>8}" for way in WAYS)
    print(f"{'AUROC, then balanced':24}{columns}{columns}{'again':>8}")
    table = []
    for path in sorted(parser.parse_args().sets.glob("*.jsonl")):
        orders, shares, again = measured(path, verifier)
        table.append([*orders, *shares, again])
        print(f"{path.stem:24}" + "".join(f"{x:8.3f}" for x in table[-1]), flush=True)
    print(f"{'mean':24}" + "".join(f"{x:8.3f}" for x in np.mean(table, axis=0)))


if __name__ == "__main__":
    main()
