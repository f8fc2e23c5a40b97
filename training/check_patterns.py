"""How often what patterns read of dates, places, makers, doers and figures agrees with the labels of the mix.

    python training/check_patterns.py [--data .train]

Patterns settle few claims, so they are counted on all of them. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

from batches import read

from adjudge.judges.local import doers, holders, makers, patterns, times
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.names import Finding
from adjudge.judges.local.numbers import find_numbers

INVENTED = ("roles", "without_")
Told = tuple[str, str, str]
"""Claim, evidence, label."""


def found(told: Told) -> Finding | None:
    claim, text, _ = told
    # Most claims tell nothing of the kind; their evidence need not be prepared.
    kinds = (holders.held, makers.made, times.events, times.orders, doers.deeds)
    if not any(True for told_in in kinds for _ in told_in(claim)) and not find_numbers(claim).numbers:
        return None
    return patterns.check(claim, prepare(text))


def claims(path: Path) -> list[Told]:
    """Every claim of the mix that was not invented here, with all of its evidence."""
    lines, docs = read(path)
    rows = [line for line in lines if line["t"] in "pd" and not line["s"].startswith(INVENTED)]
    return sorted({(r["c"], " ".join(r["e"] if r["t"] == "p" else docs[r["d"]]), r["y"]) for r in rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(".train"))
    told = parser.parse_args()
    rows = claims(told.data / "mix.jsonl.xz")
    with Pool() as pool:
        findings = pool.map(found, rows, chunksize=500)
    counts: Counter[tuple[str, str]] = Counter()
    for (claim, _, label), finding in zip(rows, findings, strict=True):
        if finding is not None and finding.settles:
            counts["for" if finding.agrees else "against", "entailed" if label == "e" else "not"] += 1
            if finding.agrees != (label == "e"):
                print(f"labelled {label}: {claim} ({finding.note})")
    print(f"{len(rows)} claims")
    for side in ("against", "for"):
        print(f"spoken {side}: {counts[side, 'entailed']} entailed, {counts[side, 'not']} not")


if __name__ == "__main__":
    main()
