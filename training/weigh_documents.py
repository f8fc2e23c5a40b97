"""How much the nearest documents should count for a whole answer, and where they say neither yes nor no.

    python training/weigh_documents.py FOLDER [FOLDER ...] --answers ROWS.jsonl [ROWS.jsonl ...] [--most 400]
    python training/weigh_documents.py FOLDER [FOLDER ...] --claims .train/unseen/*.jsonl
    python training/weigh_documents.py --write HELD.jsonl.xz --answers ROWS.jsonl [ROWS.jsonl ...]

FOLDERs hold weights of encoders for documents as train.py writes them; several are also tried as their
average. ROWS as check_answers.py reads them, of answers that none was trained on. For every weight AUROC of
adherence, the mean over the files, by the judge's opinion of the whole answer, its sentence head, and the
documents' odds, put together as judges/local/labelling.py does; then the log odds at which documents say
neither, so that both classes of every file balance, and how many times too sure the sum is. For choosing
`_WEIGHT_ANSWER` in judges/local/documents.py and what stands beside it there, and `_SURER` in labelling.py.
With --claims, sets of single claims (unseen_sets.py), told by the nearest documents alone, as facts are: for
choosing `NEITHER`. With --write the answers are only written, with the log odds that they have without
documents, for tune_documents.py.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bert
import numpy as np
import torch
from batches import Texts
from check_answers import question
from check_documents import balance
from score import auroc
from tune_documents import sentence_odds
from whole_answers import Line, line

from adjudge.judges.base import LabelSentences
from adjudge.judges.local.calibration import log_odds
from adjudge.judges.local.documents import AGAINST, GATHERED, answer_odds, documents
from adjudge.judges.local.labelling import HEAD_RESPONSE, stated, whole_pair
from adjudge.judges.local.mix import ModelVerifier

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
AT_ONCE = 20
SEED = 3


def without_documents(verifier: ModelVerifier, questions: Sequence[LabelSentences]) -> list[float]:
    """Log odds of every answer by all but the documents."""
    found = []
    for at in range(0, len(questions), AT_ONCE):
        part = questions[at : at + AT_ONCE]
        pairs = [whole_pair(q) for q in part]
        opinions = verifier.verdicts([claim for claim, _ in pairs], [text for _, text in pairs])
        rows = [(q.question, [t for _, t in q.response], [t for _, t in q.contexts]) for q in part]
        for q, opinion, score in zip(part, opinions, verifier.model.traces(rows), strict=True):
            shares = verifier.calibration.trace_labels(score, []).supported
            telling = [n for n, (_, text) in enumerate(q.response) if stated(text, q.question)]
            head = np.mean([log_odds(shares[n]) for n in telling])
            found.append(log_odds(opinion.entailed) + HEAD_RESPONSE * float(head))
    return found


def rows_of(path: Path, most: int) -> list[tuple[LabelSentences, Line, bool]]:
    """Answers that state something: what the judge is asked, the same as lines, and whether they adhere."""
    rows: list[dict[str, Any]] = [json.loads(row) for row in path.read_text("utf-8").splitlines()]
    found = []
    for row in random.Random(SEED).sample(rows, len(rows)):
        asked = question(row)
        said = ((text, True) for _, text in asked.response)
        told = line(path.stem, asked.question, documents(asked.contexts), said)
        if told is not None:
            found.append((asked, told, bool(row["adherence_score"])))
    return found[:most]


def with_documents(
    weights: dict[str, torch.Tensor], texts: Texts, lines: Sequence[Line], against: float = AGAINST
) -> np.ndarray:
    model = bert.Judge(0.0, bert.depth(weights))
    model.load_state_dict(weights)
    model.eval()
    with torch.no_grad():
        parts = [lines[at : at + AT_ONCE] for at in range(0, len(lines), AT_ONCE)]
        told = [odds for part in parts for odds in sentence_odds(model, texts, part, GATHERED, against)]
    return np.array([answer_odds(odds.tolist()) for odds in told])


def claims_of(path: Path, most: int) -> list[tuple[Line, bool]]:
    """Claims of a set as answers of one sentence, and whether they are borne out."""
    rows = [json.loads(row) for row in path.read_text("utf-8").splitlines()]
    drawn = random.Random(SEED).sample(rows, len(rows))[:most]
    found = [(line(path.stem, "", [row["evidence"]], [(row["claim"], True)]), row) for row in drawn]
    return [(told, bool(row["supported"])) for told, row in found if told is not None]


def show_claims(
    weights: dict[str, dict[str, torch.Tensor]], paths: Sequence[Path], texts: Texts, most: int
) -> None:
    """AUROC over sets of claims by the nearest documents alone, and where they say neither."""
    found = {path.stem: claims_of(path, most) for path in paths}
    part = np.array([name for name, own in found.items() for _ in own])
    lines, true = zip(*(row for own in found.values() for row in own), strict=True)
    for name, own in weights.items():
        odds = with_documents(own, texts, lines, 1.0)
        each = [auroc(odds[part == p], np.array(true)[part == p]) for p in found]
        neither = -balance(odds, np.array(true), part)
        print(f"{name}: mean {np.mean(each):.3f} of {len(each)} sets, neither {neither:.2f}", flush=True)


def surer(x: np.ndarray, true: np.ndarray, part: np.ndarray) -> float:
    """What log odds must be divided by to be right on average, both classes of every part weighing alike."""
    grid = np.arange(1.0, 8.05, 0.25)

    def wrong(by: float) -> float:
        told = x / by + balance(x / by, true, part)
        each = np.logaddexp(0, np.where(true, -told, told))
        return float(
            np.mean([each[(part == p) & (true == t)].mean() for p in set(part) for t in (True, False)])
        )

    return float(min(grid, key=wrong))


def show(name: str, base: np.ndarray, odds: np.ndarray, true: np.ndarray, part: np.ndarray) -> None:
    names = sorted(set(part))
    print(name)
    for weight in WEIGHTS:
        x = base + weight * odds
        each = [auroc(x[part == own], true[part == own]) for own in names]
        neither = -balance(x, true, part) / weight if weight else float("nan")
        shown = " ".join(f"{own} {f:.3f}" for own, f in zip(names, each, strict=True))
        last = f"neither {neither:.2f}  surer {surer(x, true, part):.2f}"
        print(f"  weight {weight:4.2f} {shown}  mean {np.mean(each):.3f}  {last}", flush=True)
    each = [auroc(odds[part == own], true[part == own]) for own in names]
    print(f"  documents alone: mean {np.mean(each):.3f}; spread of their log odds {odds.std():.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--write", type=Path, help="answers with their log odds, for tune_documents.py")
    parser.add_argument("--answers", type=Path, nargs="+", default=[])
    parser.add_argument("--claims", type=Path, nargs="+", default=[])
    parser.add_argument("--tokenizer", type=Path, default=Path("src/adjudge/models/tokenizer.json"))
    parser.add_argument("--most", type=int, default=400, help="answers of a file")
    told = parser.parse_args()
    texts = Texts(told.tokenizer)
    weights = {str(folder): bert.load(bert.parts(folder)) for folder in told.folders}
    if told.claims:
        show_claims(weights, told.claims, texts, told.most)
        return
    found = {path.stem: rows_of(path, told.most) for path in told.answers}
    rows = [row for own in found.values() for row in own]
    part = np.array([name for name, own in found.items() for _ in own])
    true = np.array([adheres for _, _, adheres in rows])
    base = np.array(without_documents(ModelVerifier(), [asked for asked, _, _ in rows]))
    lines = [own for _, own, _ in rows]
    if told.write:
        with lzma.open(told.write, "wt", encoding="utf-8") as file:
            for own, adheres, odds in zip(lines, true, base, strict=True):
                held = own | {"a": bool(adheres), "b": round(float(odds), 4)}
                file.write(json.dumps(held, ensure_ascii=False) + "\n")
        return
    if len(weights) > 1:
        names = next(iter(weights.values()))
        weights["average"] = {
            name: torch.stack([own[name] for own in weights.values()]).mean(0) for name in names
        }
    for name, own in weights.items():
        show(name, base, with_documents(own, texts, lines), true, part)


if __name__ == "__main__":
    main()
