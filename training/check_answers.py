"""How well the judge tells answers that adhere to their passages, on RAGBench rows it was not trained on.

    python training/check_answers.py ROWS.jsonl [ROWS.jsonl ...]

Rows as RAGBench has them, one a line, of subsets that are neither in the mix nor measured by
benchmarks/agreement.py: train and validation splits of covidqa and hagrid, for instance. Where rows have no
sentences, texts are cut here. Prints AUROC of the probability and balanced accuracy of the verdict. For
choosing what is not weights.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.judges.base import LabelSentences, SentenceLabels
from adjudge.judges.local.judge import LocalJudge
from adjudge.metrics.agreement import auroc, balanced_accuracy
from adjudge.segment.units import context_units, response_units, unit_text
from adjudge.types import Sample, Unit

AT_ONCE = 20


def question(row: dict[str, Any]) -> LabelSentences:
    if row.get("response_sentences"):
        contexts = tuple((key, text) for doc in row["documents_sentences"] for key, text in doc)
        return LabelSentences(row["question"], contexts, tuple(map(tuple, row["response_sentences"])))
    sample = Sample(id=row["id"], response=row["response"], contexts=tuple(row["documents"]))

    def keyed(units: tuple[Unit, ...]) -> tuple[tuple[str, str], ...]:
        return tuple((unit.id.partition(":")[2], unit_text(unit, sample)) for unit in units)

    return LabelSentences(
        row["question"], keyed(context_units(row["documents"])), keyed(response_units(row["response"]))
    )


def labelled(judge: LocalJudge, rows: list[dict[str, Any]]) -> list[SentenceLabels]:
    found = []
    for at in range(0, len(rows), AT_ONCE):
        found += [reply.value for reply in judge.answer([question(row) for row in rows[at : at + AT_ONCE]])]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    judge = LocalJudge()
    print(judge.describe(), flush=True)
    for path in parser.parse_args().files:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        true = [bool(row["adherence_score"]) for row in rows]
        found = labelled(judge, rows)
        ordered = auroc(true, [own.probability or 0.0 for own in found]).value or np.nan
        decided = balanced_accuracy(true, [bool(own.overall_supported) for own in found]).value or np.nan
        counts = f"{len(rows)} answers, {true.count(False)} not adherent"
        print(f"{path.stem:24} AUROC {ordered:.3f}  balanced accuracy {decided:.3f}  {counts}", flush=True)


if __name__ == "__main__":
    main()
