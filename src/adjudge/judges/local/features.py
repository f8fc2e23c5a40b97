"""What is compared between a claim and its evidence. Each feature is a number; none decides alone.

The verdict is a fitted function of these (see `verifier`): order and meaning are part of its version.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from adjudge.judges.local.encoder import bundled
from adjudge.judges.local.evidence import Evidence, Window, best_windows, prepare
from adjudge.judges.local.numbers import Comparison, compare, find_numbers
from adjudge.judges.local.words import Bag, bag, opposites

NAMES = (
    "recall1",
    "recall3",
    "recall",
    "soft1",
    "soft3",
    "cosine1",
    "cosine3",
    "precision1",
    "pairs3",
    "run3",
    "missing_weight",
    "missing_words",
    "names3",
    "names_missing",
    "figures_agree",
    "figures_differ",
    "figures_absent",
    "negation",
    "opposites",
    "swap",
)


class Compared(NamedTuple):
    """Features of one pair, with the window and the figures they come from."""

    values: tuple[float, ...]
    window: Window
    evidence: Evidence
    figures: Comparison
    figures_absent: bool
    """Whether some figure of the claim is nowhere in the evidence."""
    swapped: bool
    """Whether all of the claim is there but a name, and another name stands in its place."""
    negation: bool
    """Whether one of the two is negated and the other not, in sentences that otherwise say much the same."""
    missing: tuple[str, ...]
    """Stems of the claim that are not in the window, the most telling first."""


def features(claim: str, text: str) -> Compared:
    """Features of a claim against an evidence text that has at least one sentence."""
    evidence = prepare(text)
    words = bag(claim)
    one, three = best_windows(words, evidence)
    total = words.total or 1.0
    missing = sorted(words.weights.keys() - three.shared, key=lambda key: (-words.weights[key], key))
    near = _union(evidence, three)
    figures = compare(find_numbers(claim), evidence.figures[three.first : three.last])
    absent = compare(find_numbers(claim), evidence.figures)
    soft1, _ = _soft(words, one, evidence)
    soft3, swap = _soft(words, three, evidence)
    cosine1, cosine3 = _cosines(claim, evidence, three)
    recall1, recall3 = one.share / total, three.share / total
    single = evidence.bags[one.first]
    negation = bool(words.negations % 2) != bool(single.negations % 2)
    lost = sorted(name for name in words.names if not evidence.has(name))
    pairs, run = _order(claim, three.text(evidence))
    values = (
        recall1,
        recall3,
        sum(w for key, w in words.weights.items() if key in evidence.index) / total,
        soft1,
        soft3,
        cosine1,
        cosine3,
        one.share / (single.total or 1.0),
        pairs,
        run,
        (words.weights[missing[0]] if missing else 0.0) / 10.0,
        math.log1p(len(missing)),
        len(words.names & near) / len(words.names) if words.names else recall3,
        float(bool(lost)),
        float(figures.agreeing > 0 and not figures.differing and not figures.absent),
        float(figures.differing > 0),
        float(absent.absent > 0),
        float(negation),
        float(min(2, opposites(words, single))),
        swap,
    )
    absences = bool(absent.absent or absent.differing)
    swapped = (
        bool(lost)
        and set(missing) <= words.names
        and recall3 > 0
        and bool(_names(evidence, one) - words.names)
    )
    same = recall1 > 0.85 and single.length <= 2 * words.length + 2
    return Compared(values, three, evidence, figures, absences, swapped, negation and same, tuple(missing))


def _names(evidence: Evidence, window: Window) -> frozenset[str]:
    return evidence.bags[window.first].names


def _union(evidence: Evidence, window: Window) -> set[str]:
    return set().union(*(evidence.bags[n].weights for n in range(window.first, window.last)))


def _soft(claim: Bag, window: Window, evidence: Evidence) -> tuple[float, float]:
    """Recall in which a missing word counts by its nearest word in the window; and how near that is."""
    missing = sorted(claim.weights.keys() - window.shared)
    others = sorted(_union(evidence, window) - claim.weights.keys())
    if not missing or not others:
        return (window.share / claim.total if claim.total else 0.0), 0.0
    encoder = bundled()
    near = np.clip((encoder.words(missing) @ encoder.words(others).T).max(axis=1), 0.0, 1.0)
    gained = sum(claim.weights[key] * float(x) for key, x in zip(missing, near, strict=True))
    return (window.share + gained) / (claim.total or 1.0), float(near.max())


def _cosines(claim: str, evidence: Evidence, window: Window) -> tuple[float, float]:
    """Cosine with the nearest sentence anywhere, and with the window."""
    vector = bundled().encode([claim])[0]
    each = evidence.vectors @ vector
    joined = evidence.vectors[window.first : window.last].sum(axis=0)
    norm = float(np.sqrt(joined @ joined)) or 1.0
    return float(each.max()), float(joined @ vector) / norm


def _order(claim: str, window: str) -> tuple[float, float]:
    """Share of the claim's neighbouring word pairs found in the window, and of its longest run of words."""
    ours, theirs = claim.lower().rstrip(".").split(), window.lower().replace(",", "").rstrip(".").split()
    if len(ours) < 2:
        return float(bool(ours) and ours[0] in theirs), float(bool(ours) and ours[0] in theirs)
    pairs = set(pairwise(theirs))
    hits = [pair in pairs for pair in pairwise(ours)]
    longest = current = 0
    for hit in hits:
        current = current + 1 if hit else 0
        longest = max(longest, current)
    return sum(hits) / len(hits), longest / len(hits)
