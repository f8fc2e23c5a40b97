"""Fits the last layer on sources that the scoring model had not seen: src/adjudge/models/calibration.json.

    python training/calibrate.py RUNS [RUNS ...] [--data .train] [--out src/adjudge/models]

RUNS holds A/scores.npz and B/scores.npz, of the runs that left a fold out (runs.sh folds); of several folders
the logits are averaged. Few numbers are fitted, because a layer with many learns the sources rather than the
task. Four weights come from a logistic regression with an intercept a set, so that they tell apart within a
set; three from a small grid, by AUROC and balanced accuracy on sources left out of the regression; slope and
intercept from a regression in which both classes of a set weigh alike.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
from collections.abc import Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from batches import LONGEST_RESPONSE, LONGEST_TRACE, ROOM, Texts, chunks, read
from score import auroc

from adjudge.judges.local.asked import Sentence
from adjudge.judges.local.calibration import MIXED, Calibration, Signals, signals
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.features import features
from adjudge.judges.local.model import PairScore
from adjudge.judges.local.windows import passages
from adjudge.judges.local.words import bag

VERSION = "3"
FITTED = ("margin", "stance", "near", "alike")
GRID = {"weakest": (0.25, 0.5, 0.75), "length": (-0.2, -0.4, -0.6), "figures": (-0.1,)}
"""`figures` is given, not chosen: what states a figure that the evidence lacks is not entailed, though on
these sets, where such figures are often numbers of list items, saying so costs .001 of AUROC.
"""
NOT_FITTED = {"scifact_rte", "rte"}
"""For looking only: their licences are not for a shipped model, even for its last layer."""
USELESS = {"nli4ct"}
"""Nothing that this model sees tells its labels, so it would only add noise."""
EDITED = ("citint", "climate_fever", "true_dialfact", "fever_dev_rte")
MADE = 0.5
"""Weight of a set whose false claims were made by our own edits, beside 1 for the others."""
MOST = 1200
Rows = list[dict[str, Any]]


def lines(path: Path) -> Rows:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load(runs: Sequence[Path]) -> dict[str, dict[str, np.ndarray]]:
    """Scores of the runs that left a fold out; of several the mean."""
    folds = {}
    for fold in "AB":
        loaded = [np.load(run / fold / "scores.npz") for run in runs]
        names = set(loaded[0]) & {"pairs", "trace_logits", "documents"}
        folds[fold] = {n: np.mean([x[n].astype(np.float32) for x in loaded], axis=0) for n in names}
        folds[fold]["trace_spans"] = loaded[0]["trace_spans"]
    return folds


class Work(NamedTuple):
    """One row: its evidence, and sentences with the scores of all their windows."""

    evidence: str
    sentences: list[tuple[str, dict[str, tuple[float, ...]]]]


def row_signals(work: Work) -> Signals | None:
    """As the judge computes them, with scores looked up instead of computed."""
    evidence = prepare(work.evidence)
    sentences, scores = [], []
    for text, known in work.sentences:
        found = passages(text, evidence)
        own = [known[p.text(evidence)] for p in found if p.text(evidence) in known]
        sentences.append(Sentence(text, text, bag(text).total + 1e-6, found, features(text, work.evidence)))
        scores.append([PairScore(*x, 0.0) for x in own])
    return signals(sentences, scores, len(work.evidence)) if sentences else None


def all_signals(
    rows: Rows, windows: Rows, folds: dict[str, np.ndarray], wanted: set[int] | None = None
) -> list[Signals | None]:
    """Signals of every row, or of those wanted, each scored by the run that did not see its source."""
    works = [Work(row["e"], []) for row in rows]
    at = 0
    both = (folds["A"] + folds["B"]) / 2
    for window in windows:
        pairs = folds.get(rows[window["r"]]["f"], both)
        own = {text: tuple(map(float, pairs[at + n])) for n, text in enumerate(window["w"])}
        at += len(window["w"])
        if wanted is None or window["r"] in wanted:
            works[window["r"]].sentences.append((window["t"], own))
    with Pool() as pool:
        return pool.map(row_signals, works, chunksize=100)


def family(name: str) -> str:
    return name.removeprefix("answer_trace_").removeprefix("ragbench_").removeprefix("edit_")


def made(name: str) -> bool:
    """Whether the false claims of a set were made by our edits."""
    return name.startswith(("edit", "extracts", "summary"))


def weight_of(name: str) -> float:
    """Every set alike, but those of our own making less."""
    return MADE if made(name) else 1.0


def sets_of(sources: Sequence[str], true: np.ndarray) -> dict[str, np.ndarray]:
    """Row numbers of the sets; edited claims stand beside the true ones they were made from."""
    names = np.array(sources)
    plain = {n for n in sources if not n.startswith("edit") and n not in ("extract", "fused_extract")}
    found = {name: names == name for name in sorted(plain - USELESS)}
    found["edited answers"] = np.char.startswith(names, "edit_ragbench")
    found["edited answers"] |= np.char.startswith(names, "ragbench") & true
    found["extracts"] = np.isin(names, ["extract", "edit_extract", "fused_extract"])
    for name in EDITED:
        found["edit_" + name] = (names == "edit_" + name) | ((names == name) & true)
    rng = np.random.default_rng(0)
    chosen = {name: np.flatnonzero(mask) for name, mask in found.items()}
    return {
        name: at if len(at) <= MOST else np.sort(rng.choice(at, MOST, replace=False))
        for name, at in chosen.items()
    }


class Sets(NamedTuple):
    """Standardised signals, labels, and the sets they are fitted on and looked at."""

    x: dict[str, np.ndarray]
    true: np.ndarray
    members: dict[str, np.ndarray]

    def weights(self, name: str) -> np.ndarray:
        """Both classes alike within a set."""
        true = self.true[self.members[name]]
        share = 100.0 * weight_of(name)
        return np.where(true, share / 2 / true.sum(), share / 2 / (~true).sum())

    def stacked(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows, labels, weights and set numbers of several sets."""
        rows = np.concatenate([self.members[n] for n in names])
        group = np.concatenate([np.full(len(self.members[n]), k) for k, n in enumerate(names)])
        return rows, self.true[rows].astype(float), np.concatenate([self.weights(n) for n in names]), group

    def fitted_weights(self, names: Sequence[str]) -> np.ndarray:
        """Weights of FITTED, with an intercept for every set."""
        rows, true, weight, group = self.stacked(names)
        own = np.column_stack([self.x[n][rows] for n in FITTED])
        dummies = (group[:, None] == np.arange(len(names))).astype(float)
        ridge = np.concatenate([np.full(len(FITTED), 3.0), np.full(len(names), 1e-3)])
        return logistic_fit(np.column_stack([own, dummies]), true, weight, ridge)[: len(FITTED)]

    def mixed(self, weight: dict[str, float]) -> np.ndarray:
        return np.sum([weight[n] * self.x[n] for n in MIXED], axis=0)

    def line(self, x: np.ndarray, names: Sequence[str]) -> tuple[float, float]:
        """Slope and intercept."""
        rows, true, weight, _ = self.stacked(names)
        design = np.column_stack([x[rows], np.ones(len(rows))])
        slope, intercept = logistic_fit(design, true, weight, np.full(2, 1e-3))
        return float(slope), float(intercept)


def logistic_fit(design: np.ndarray, told: np.ndarray, weight: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton steps."""
    beta = np.zeros(design.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        curve = (design * (weight * p * (1 - p))[:, None]).T @ design + np.diag(ridge)
        beta = beta + np.linalg.solve(curve, design.T @ (weight * (told - p)) - ridge * beta)
    return beta


def balanced(x: np.ndarray, true: np.ndarray) -> float:
    return float(((x[true] > 0).mean() + (x[~true] <= 0).mean()) / 2)


def left_out(sets: Sets, given: dict[str, float]) -> dict[str, dict[str, float]]:
    """Figures of every set with a layer fitted without its family."""
    found = {}
    for own in sorted({family(name) for name in sets.members}):
        others = [n for n in sets.members if family(n) != own and n not in NOT_FITTED]
        weight = dict(zip(FITTED, sets.fitted_weights(others), strict=True))
        x = sets.mixed({**weight, **given})
        slope, intercept = sets.line(x, others)
        for name in (n for n in sets.members if family(n) == own):
            at = sets.members[name]
            true = sets.true[at]
            found[name] = {
                "rows": len(at),
                "auroc": auroc(x[at], true),
                "margin_alone": auroc(sets.x["margin"][at], true),
                "overlap_alone": auroc(sets.x["near"][at], true),
                "balanced": balanced(slope * x[at] + intercept, true),
            }
    return found


def worth(figures: dict[str, dict[str, float]]) -> tuple[float, float]:
    """Mean AUROC and balanced accuracy, weighed like the fit."""
    share = np.array([weight_of(name) for name in figures])
    return (
        float(np.average([f["auroc"] for f in figures.values()], weights=share)),
        float(np.average([f["balanced"] for f in figures.values()], weights=share)),
    )


class Traced(NamedTuple):
    """A response of the development set, and the highest logits of its sentences and of its contexts'."""

    row: dict[str, Any]
    relevant: np.ndarray
    used: np.ndarray
    supported: np.ndarray


def traced(folds: dict[str, Any], data: Path) -> list[Traced]:
    """Every response with the logits of the run that did not see it."""
    rows, docs = read(data / "dev.jsonl.xz")
    rows = [row for row in rows if row["t"] == "r"]
    texts = Texts(data / "tokenizer.json")
    texts.add([t for row in rows for t in (row["q"], *row["a"], *docs[row["d"]])])
    spans = iter(folds["A"]["trace_spans"])
    logits = {name: scores["trace_logits"].astype(np.float32) for name, scores in folds.items()}
    at, found = 0, []
    for row in rows:
        doc = [texts.ids[t] for t in docs[row["d"]]]
        relevant, used, supported = (
            np.full(len(doc), -20.0),
            np.full(len(doc), -20.0),
            np.full(len(row["a"]), -20.0),
        )
        for a0, a1 in chunks([len(texts.ids[t]) for t in row["a"]], LONGEST_RESPONSE):
            head = (
                3
                + len(texts.ids[row["q"]][:96])
                + sum(len(texts.ids[t][:LONGEST_RESPONSE]) for t in row["a"][a0:a1])
            )
            for d0, d1 in chunks([len(t) for t in doc], min(LONGEST_TRACE - head - 1, ROOM)):
                own = logits[row["f"]][at : (at := at + next(spans))]
                supported[a0:a1] = np.maximum(supported[a0:a1], own[: a1 - a0, 2])
                relevant[d0:d1] = np.maximum(relevant[d0:d1], own[a1 - a0 :, 0])
                used[d0:d1] = np.maximum(used[d0:d1], own[a1 - a0 :, 1])
        found.append(Traced(row, relevant, used, supported))
    return found


def traces(found: Sequence[Traced]) -> dict[str, list[float]]:
    """Cut points at which the share of relevant and of used sentences is nearest to the one told; and
    support.
    """
    out = {}
    for name, key in (("relevant", "rel"), ("used", "use")):
        shares = [(getattr(f, name), float(np.mean(f.row[key]))) for f in found]
        errors = {
            cut: np.mean([(np.mean(logits > cut) - told) ** 2 for logits, told in shares])
            for cut in np.arange(-1, 1.01, 0.1)
        }
        best = min(errors, key=lambda cut: errors[cut])
        out[name] = [1.0, -float(best)]
    x = np.concatenate([f.supported for f in found])
    y = np.concatenate([[bool(full) for full in f.row["full"]] for f in found])
    share = y.mean()
    design = np.column_stack([x, np.ones(len(x))])
    weight = np.where(y, 0.5 / share, 0.5 / (1 - share))
    out["supported"] = [float(v) for v in logistic_fit(design, y.astype(float), weight, np.full(2, 1e-3))]
    return out


def against(found: dict[str, np.ndarray], label: np.ndarray, sources: Sequence[str]) -> tuple[float, float]:
    """Slope and intercept of contradicted against neutral."""
    known = np.isin(label, ["c", "n"]) & ~np.isin(sources, sorted(NOT_FITTED | USELESS))
    told = label[known] == "c"
    x = (found["against"] + 2 * found["differ"])[known]
    weight = np.where(told, 0.5 / told.mean(), 0.5 / (~told).mean())
    slope, intercept = logistic_fit(
        np.column_stack([x, np.ones(len(x))]), told.astype(float), weight, np.full(2, 1e-3)
    )
    return float(slope), float(intercept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, default=Path(".train"))
    parser.add_argument("--out", type=Path, default=Path("src/adjudge/models"))
    told = parser.parse_args()
    folds = load(told.runs)
    rows, windows = lines(told.data / "calibration.jsonl.xz"), lines(told.data / "windows.jsonl.xz")
    computed = all_signals(rows, windows, {fold: scores["pairs"] for fold, scores in folds.items()})
    kept = [n for n, s in enumerate(computed) if s is not None]
    table = np.array([computed[n] for n in kept], dtype=float)
    found = {name: table[:, n] for n, name in enumerate(Signals._fields)}
    label, sources = np.array([rows[n]["y"] for n in kept]), [rows[n]["s"] for n in kept]
    centre = {name: float(found[name].mean()) for name in MIXED}
    scale = {name: float(found[name].std()) for name in MIXED}
    x = {name: (found[name] - centre[name]) / scale[name] for name in MIXED}
    sets = Sets(x, label == "e", sets_of(sources, label == "e"))
    tried = []
    for values in itertools.product(*GRID.values()):
        given = dict(zip(GRID, values, strict=True))
        figures = left_out(sets, given)
        order, cut = worth(figures)
        print(f"{given}: AUROC {order:.4f}, balanced accuracy {cut:.4f}", flush=True)
        tried.append((order + cut, values, figures))
    _, values, figures = max(tried, key=lambda t: t[:2])
    fitted = [name for name in sets.members if name not in NOT_FITTED]
    weight = {n: float(w) for n, w in zip(FITTED, sets.fitted_weights(fitted), strict=True)}
    weight |= dict(zip(GRID, values, strict=True))
    slope, intercept = sets.line(sets.mixed(weight), fitted)
    digest = json.loads((told.out / "checksums.json").read_text("utf-8"))["judge.onnx"][:8]
    calibration = Calibration(
        VERSION, digest, centre, scale, weight, slope, intercept, *against(found, label, sources),
        traces(traced(folds, told.data)),
    )  # fmt: skip
    stored = {
        **calibration._asdict(),
        "left_out": {"mean": dict(zip(("auroc", "balanced"), worth(figures), strict=True)), "sets": figures},
        "note": "written by training/calibrate.py",
    }
    (told.out / "calibration.json").write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    print(json.dumps(stored, indent=1))


if __name__ == "__main__":
    main()
