"""How often a document bears a response sentence out, by whether it names what the sentence speaks of.

    python training/check_names.py [--ask 60]

Counted over RAGBench's train and validation rows with several documents: of documents that speak of others,
as judges/local/elsewhere finds them, and of all the rest. With `--ask`, the model is asked about claims of as
many responses of each part beside every document: what it would make of those that the judge does not read.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

import numpy as np
import sources

from adjudge.judges.local.calibration import log_odds, logistic
from adjudge.judges.local.elsewhere import speaks_of_others
from adjudge.judges.local.mix import ModelVerifier
from adjudge.segment.claims import split_claims

LESS = -2.0
"""Log odds that the model does not see by itself: 2.8 in all, by the table."""


def asked(rows: list[sources.RagRow]) -> None:
    """Prints what the model makes of claims beside documents that speak of others."""
    verifier = ModelVerifier()
    pairs = []
    for row in rows:
        texts = ["\n\n".join(text for _, text in doc) for doc in row.documents]
        response = " ".join(text for _, text in row.response)
        for claim in dict.fromkeys(claim.text for claim in split_claims(response, fine=True)):
            others = zip(texts, speaks_of_others(claim, texts), strict=True)
            pairs += [(claim, text) for text, other in others if other]
    opinions = verifier.verdicts(*map(list, zip(*pairs, strict=True)))
    read = [opinion for opinion in opinions if "speaks of it" not in opinion.why]
    lowered = {
        name: np.array([logistic(log_odds(getattr(opinion, name)) + LESS) for opinion in read])
        for name in ("entailed", "contradicted")
    }
    told = ", ".join(f"{name} {sum(own > 0.5)}, on average {own.mean():.3f}" for name, own in lowered.items())
    print(f"{len(read)} of {len(pairs)} would be read; with log odds less by {-LESS:.0f}: {told}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ask", type=int, default=0, metavar="ROWS")
    number = parser.parse_args().ask
    if number:
        parts: dict[str, list[sources.RagRow]] = {}
        for row in sources.ragbench(sources.data_folder()):
            parts.setdefault(row.source, []).append(row)
        asked([r for _, own in sorted(parts.items()) for r in random.Random(1).sample(own, number)])
        return
    found: Counter[tuple[str, bool, bool]] = Counter()
    for row in sources.ragbench(sources.data_folder()):
        texts = ["\n\n".join(text for _, text in doc) for doc in row.documents]
        for key, sentence in row.response:
            resting = set(row.support.get(key, (False, ()))[1])
            bears = [any(k in resting for k, _ in doc) for doc in row.documents]
            if any(bears) and len(texts) > 1:
                for other, does in zip(speaks_of_others(sentence, texts), bears, strict=True):
                    found[row.source, other, does] += 1
    print(f"{'':12} {'of others':>22} {'the rest':>22}")
    for part in [*sorted({part for part, _, _ in found}), "all"]:
        cells = []
        for other in (True, False):
            yes, no = (
                sum(n for (p, o, d), n in found.items() if part in (p, "all") and (o, d) == (other, does))
                for does in (True, False)
            )
            cells.append(f"{yes:>6} of {yes + no:>6} {yes / max(yes + no, 1):.3f}")
        print(f"{part:12} " + " ".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
