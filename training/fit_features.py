"""Fits the feature verifier of the local judge: word weights (idf.json) and coefficients (features.json).

    python training/fit_features.py idf DATA
    python training/fit_features.py fit DATA
    python training/fit_features.py check DATA      leave one source out: AUROC of entailed against the rest

DATA holds training/*.jsonl.gz and ragbench/*/{train,validation}*.parquet, read as sources.py reads them; what
is never trained on there is not fitted on here. Seeds are fixed: a second run writes the same files.
idf.json is of an earlier reading, and all that was fitted later rests on it: make it anew only with the rest.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sources

from adjudge.judges.local.features import NAMES, features
from adjudge.judges.local.words import bag
from adjudge.segment.claims.words import word_set

PACKAGE = Path(__file__).parent.parent / "src" / "adjudge" / "judges" / "local"
LEFT_OUT = {"nli4ct"}
"""Nothing that words tell speaks for its labels."""
CAPTIONS = {"breaking_nli", "cad_snli", "ni_snli", "snli_dev", "med", "conjnli", "ni_paws"}
"""Short or made-up sentences: few rows, or they would outweigh text as people write it."""
ROWS, CAPTION_ROWS = 2400, 700
IDF_WORDS = 6000
RIDGE = 0.01
FOR = word_set(
    "recall1 recall3 recall soft1 soft3 cosine1 cosine3 precision1 pairs3 run3 names3 figures_agree"
)
AGAINST = word_set(
    "missing_weight missing_words names_missing figures_differ figures_absent negation opposites swap"
)
SUPPORTS = dict.fromkeys(FOR, 1) | dict.fromkeys(AGAINST, -1)
CONTRADICTS = dict.fromkeys(
    sorted(word_set("figures_differ negation opposites swap cosine1 cosine3 recall1 recall3 soft1 soft3")), 1
) | dict.fromkeys(sorted(word_set("names_missing figures_absent missing_words missing_weight")), -1)


class Pair(NamedTuple):
    """`label` is e, n, c, or x for "not entailed, nobody said which"."""

    source: str
    claim: str
    evidence: str
    label: str


def rows(data: Path) -> Iterator[Pair]:
    for row in sources.pairs(data):
        if row.fold != "out" and row.source not in LEFT_OUT:
            yield Pair(row.source, row.claim, " ".join(row.evidence), row.label)
    for answer in sources.ragbench(data):
        yield from answer_sentences(answer)


def answer_sentences(row: sources.RagRow) -> Iterator[Pair]:
    """Response sentences against all documents; not those that rest on something else than sentences."""
    evidence = " ".join(text for doc in row.documents for _, text in doc)
    for key, text in row.response:
        full, keys = row.support.get(key, (False, ("_",)))
        if len(text) >= 20 and not any("_" in name for name in keys):
            yield Pair(f"ragbench_{row.source}", text, evidence, "e" if full else "x")


def sample(data: Path) -> list[Pair]:
    """Rows capped a source and label, half of the short premises hidden among other premises."""
    chosen: list[Pair] = []
    by_source: dict[str, list[Pair]] = {}
    for pair in rows(data):
        by_source.setdefault(pair.source, []).append(pair)
    for source, pairs in by_source.items():
        rng = random.Random(source)
        rng.shuffle(pairs)
        quota = Counter[str]()
        limit = (CAPTION_ROWS if source in CAPTIONS else ROWS) // 2
        for pair in pairs:
            side = "e" if pair.label == "e" else "-"
            if quota[side] >= limit or not pair.evidence.strip() or not pair.claim.strip():
                continue
            quota[side] += 1
            chosen.append(_hidden(pair, pairs, rng))
    return chosen


def _hidden(pair: Pair, others: list[Pair], rng: random.Random) -> Pair:
    if len(pair.evidence) > 400 or rng.random() < 0.5:
        return pair
    texts = [rng.choice(others).evidence for _ in range(rng.randint(1, 4))]
    texts = [text for text in texts if text != pair.evidence and len(text) < 400]
    texts.insert(rng.randint(0, len(texts)), pair.evidence)
    return pair._replace(evidence=" ".join(t if t.rstrip()[-1:] in ".!?" else t + "." for t in texts))


def make_idf(data: Path) -> None:
    """Document frequencies of stems over premises and passages."""
    seen: Counter[str] = Counter()
    texts: set[str] = set()
    for pair in rows(data):
        texts.add(pair.evidence[:2000])
    for text in sorted(texts):
        seen.update(bag(text).weights.keys())
    n = len(texts)
    table = {key: round(math.log(n / (1 + count)), 2) for key, count in seen.most_common(IDF_WORDS)}
    table = {key: value for key, value in table.items() if key.isascii()}
    unseen = round(math.log(n / (1 + seen.most_common(IDF_WORDS)[-1][1])) + 0.5, 2)
    note = (
        "log inverse document frequency of stems over the training premises; made by training/fit_features.py"
    )
    _write("idf.json", {"note": note, "unseen": unseen, "idf": dict(sorted(table.items()))})


def matrix(pairs: list[Pair]) -> np.ndarray:
    return np.array([features(pair.claim, pair.evidence).values for pair in pairs])


def fit(data: Path) -> None:
    pairs = sample(data)
    x = matrix(pairs)
    mean, scale = x.mean(0), x.std(0)
    z = (x - mean) / scale
    entailed, contradicted = _models(pairs, z)
    counts = Counter(pair.source for pair in pairs)
    model = {
        "name": "features@2",
        "note": "nested logistic model by training/fit_features.py; the last coefficient is the intercept",
        "sources": dict(sorted(counts.items())),
        "features": list(NAMES),
        "mean": mean.round(6).tolist(),
        "scale": scale.round(6).tolist(),
        "entailed": entailed.round(5).tolist(),
        "contradicted": contradicted.round(5).tolist(),
    }
    _write("features.json", model)
    for name, a, b in zip(NAMES, entailed, contradicted, strict=False):
        print(f"{name:24s} {a:8.3f} {b:8.3f}")


def _models(pairs: list[Pair], z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of entailed against the rest, and of contradicted against neutral."""
    labels = np.array([pair.label for pair in pairs])
    sources = Counter(pair.source for pair in pairs)
    weights = np.array([(0.2 if p.source in CAPTIONS else 1.0) / sources[p.source] for p in pairs])
    known = np.isin(labels, ["n", "c"])
    entailed = _logistic(z, labels == "e", weights, SUPPORTS)
    return entailed, _logistic(z[known], labels[known] == "c", weights[known], CONTRADICTS)


def _logistic(z: np.ndarray, target: np.ndarray, weights: np.ndarray, signs: dict[str, int]) -> np.ndarray:
    """Logistic regression in which a coefficient may only have the sign that its feature's meaning allows.

    Without that, judged on sources left out, the fit is worse: it learns how a source was made.
    """
    from scipy.optimize import minimize

    weights = weights / weights.sum()

    def loss(t: np.ndarray) -> tuple[float, np.ndarray]:
        margin = z @ t[:-1] + t[-1]
        slope = weights * (1 / (1 + np.exp(-margin)) - target)
        value = (weights * (np.logaddexp(0, margin) - target * margin)).sum() + RIDGE * (t[:-1] ** 2).sum()
        return float(value), np.append(z.T @ slope + 2 * RIDGE * t[:-1], slope.sum())

    allowed = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
    bounds = [allowed[signs.get(name, 0)] for name in NAMES] + [(None, None)]
    start = np.zeros(len(NAMES) + 1)
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)


def check(data: Path) -> None:
    """Each source judged by a model that never saw it, beside plain word recall."""
    from sklearn.metrics import roc_auc_score

    pairs = sample(data)
    x = matrix(pairs)
    z = (x - x.mean(0)) / x.std(0)
    sources = np.array([pair.source for pair in pairs])
    truth = np.array([pair.label == "e" for pair in pairs])
    figures = []
    for source in sorted(set(sources)):
        inside = sources == source
        kept = [pair for pair, is_in in zip(pairs, inside, strict=True) if not is_in]
        entailed, _ = _models(kept, z[~inside])
        score = z[inside] @ entailed[:-1] + entailed[-1]
        figures.append(
            [
                roc_auc_score(truth[inside], s)
                for s in (score, x[inside, 1], x[inside, 2], x[inside, 5], x[inside, 4])
            ]
        )
        balanced = ((score > 0) == truth[inside]).mean()
        print(
            f"{source:22s} {inside.sum():5d} "
            + " ".join(f"{f:.3f}" for f in figures[-1])
            + f"  acc {balanced:.3f}"
        )
    print(f"{'mean':22s}       " + " ".join(f"{f:.3f}" for f in np.mean(figures, axis=0)))


def _write(name: str, value: dict[str, Any]) -> None:
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items())
    (PACKAGE / name).write_text("{\n" + lines + "\n}\n", "utf-8")


if __name__ == "__main__":
    verb, folder = sys.argv[1], Path(sys.argv[2])
    {"idf": make_idf, "fit": fit, "check": check}[verb](folder)
