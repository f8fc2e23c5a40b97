"""How near the claims that rules find are to those that a language model found in the same answers.

    python training/check_claims.py CHECKOUTS

CHECKOUTS holds a checkout of RefChecker (amazon-science), which has answers of seven models to questions
with a good document, with noisy ones and with none, and the claims that a language model drew from each, as
triplets. For each of the three, coarse and fine: how many claims there are to one of the model's, how the
numbers correlate over answers (and the numbers of words, to compare with), and how far claims and triplets,
matched one to one by their words, share these. Nothing of it is kept in the project, and nothing was trained
on it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from adjudge.metrics.agreement import pearson, spearman
from adjudge.segment.claims import split_claims
from adjudge.segment.claims.words import word_set

KINDS = ("accurate_context", "noisy_context", "zero_context")
_WORD = re.compile(r"\w+")
_SMALL = word_set(
    "a an the of in on at to is are was were be been being by for and or with as it its this that from has"
    " have had which also their his her they he she"
)


def answers(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Answers, each with its triplets put in a row."""
    for path in sorted(folder.glob("*.json")):
        for row in json.loads(path.read_text("utf-8")):
            triplets = [" ".join(map(str, told["triplet"])) for told in row.get("claude2_response_kg") or ()]
            if row["response"] and triplets:
                yield row["response"], triplets


def words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _SMALL


def shared(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """The sum of the words' F1 over pairs, matched one to one, the likest first."""
    sides = [[words(text) for text in side] for side in (ours, theirs)]
    pairs = sorted(
        (
            (2 * len(a & b) / (len(a) + len(b)), i, j)
            for i, a in enumerate(sides[0])
            for j, b in enumerate(sides[1])
            if a & b
        ),
        reverse=True,
    )
    left, right, total = set(range(len(ours))), set(range(len(theirs))), 0.0
    for like, i, j in pairs:
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            total += like
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    told = parser.parse_args()
    print(f"{'':24}{'answers':>8}{'ratio':>8}{'Pearson':>9}{'Spearman':>9}{'words':>14}{'F1':>8}")
    for kind in KINDS:
        rows = list(answers(told.checkouts / "RefChecker/benchmark/human_annotations_v1" / kind))
        texts, theirs = zip(*rows, strict=True)
        there = [float(len(found)) for found in theirs]
        length = [float(len(text.split())) for text in texts]
        for fine in (False, True):
            ours = [list(dict.fromkeys(c.text for c in split_claims(text, fine=fine))) for text in texts]
            here = [float(len(found)) for found in ours]
            like = sum(shared(*both) for both in zip(ours, theirs, strict=True))
            print(
                f"{kind + (', fine' if fine else ''):24}{len(rows):8}{sum(here) / sum(there):8.2f}"
                f"{pearson(here, there).value:9.3f}{spearman(here, there).value:9.3f}"
                f"{pearson(length, there).value:8.3f}{spearman(length, there).value:6.3f}"
                f"{2 * like / (sum(here) + sum(there)):8.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
