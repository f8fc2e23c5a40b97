"""Gathers whole answers whose sentences are known to be borne out or not, as the judge asks about them.

    python training/whole_answers.py CHECKOUTS [--out .train/whole.jsonl.xz]

Answers of RAGBench's train and validation rows, and of RAGTruth's train split (`natural.py` says where it
is); claims over several articles (hover, feverous, multihop, halueval) as answers of one sentence. A line is

    {"s": source, "p": [for each sentence that states something: [its parts, each [[part, text], …]]],
     "y": [whether each sentence is borne out, null if unknown], "a": whether all are,
     "f": fold of a RAGBench question, A or B}

where the texts are the nearest documents, as judges/local/documents.py chooses them, and last, as [part,
text, true], what is gathered from all where that is more. RAGBench rows whose question a test split or a
support set asks too are left out, and so is all that natural.py leaves out. tune_documents.py learns from
these. --more FILES are rows of further subsets, one a line, as RAGBench has them or with no sentences. The
rows of each fold go to --rows as well, one file a subset, for weigh_documents.py.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import natural
import sources
from check_answers import question

from adjudge.judges.local.documents import Asked, document_pairs, documents
from adjudge.judges.local.labelling import stated
from adjudge.segment.sentences import split_sentences
from adjudge.segment.units import context_units, unit_text
from adjudge.types import Sample

CLAIMS = ("hover", "feverous", "multihop", "halueval")
MOST_CLAIMS = 2500
"""Claims of a source: they are a single sentence each, and answers are what matters."""
SEED = 5
KEPT = ("id", "question", "documents", "response", "documents_sentences", "response_sentences",
        "adherence_score")  # fmt: skip
Sentences = Iterable[tuple[str, bool | None]]
Line = dict[str, Any]


def line(source: str, question: str, texts: Sequence[str], said: Sentences) -> Line | None:
    """An answer as it is held against documents; None if it states nothing."""
    parts, true = [], []
    for text, borne_out in said:
        claim = stated(text, question)
        own = document_pairs(claim, texts) if claim else []
        if own:
            parts.append([_texts(asked) for asked in own])
            true.append(borne_out)
    return {"s": source, "p": parts, "y": true, "a": all(y is True for y in true)} if parts else None


def _texts(asked: Asked) -> list[tuple[Any, ...]]:
    return [*asked.nearest, *([(*asked.gathered, True)] if asked.gathered else ())]


def as_documents(passages: Sequence[str]) -> list[str]:
    """Passages as the judge is given them: cut into sentences that have keys."""
    sample = Sample(id="", response="", contexts=tuple(passages))
    keyed = [(unit.id.partition(":")[2], unit_text(unit, sample)) for unit in context_units(passages)]
    return documents(keyed)


def ragbench(rows: Iterable[tuple[str, Line]]) -> Iterator[Line | None]:
    for name, row in rows:
        asked = question(row)
        wrong = row.get("unsupported_response_sentence_keys")
        if wrong is None:  # rows without sentences: one of them is wrong, who knows which
            known = True if row["adherence_score"] else None
            said = [(text, known) for _, text in asked.response]
        else:
            said = [(text, key not in wrong) for key, text in asked.response]
        found = line(name, row["question"], documents(asked.contexts), said)
        yield found and found | {"f": sources.fold_of(row["question"])}


def write_rows(rows: Iterable[tuple[str, Line]], out: Path) -> None:
    """Rows of each subset and fold as check_answers.py reads them."""
    out.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    for name, row in rows:
        kept = {key: row[key] for key in KEPT if key in row}
        files.setdefault(f"{sources.fold_of(row['question'])}-{name}", []).append(json.dumps(kept) + "\n")
    for name, own in files.items():
        (out / f"{name}.jsonl").write_text("".join(own), "utf-8")


def elsewhere(path: Path, taken: set[str]) -> Iterator[tuple[str, Line]]:
    """Rows of a further subset, less those that ask what is measured."""
    for text in path.read_text("utf-8").splitlines():
        row = json.loads(text)
        if row["question"].strip().lower() not in taken:
            yield path.stem, row


def ragtruth(folder: Path, known: natural.Known) -> Iterator[Line | None]:
    for row, info in natural.ragtruth_rows(folder, ["train"]):
        passages = natural.passages_of(info)
        if not known.has(info["question"], passages):
            said = _marked(row["response"], [(span["start"], span["end"]) for span in row["labels"]])
            yield line("ragtruth", info["question"], as_documents(passages), said)


def _marked(response: str, spans: Sequence[tuple[int, int]]) -> Sentences:
    """Sentences, and whether people marked nothing in them."""
    for start, end in split_sentences(response):
        yield " ".join(response[start:end].split()), not natural.overlaps(spans, start, end)


def claims(folder: Path, data: Path) -> Iterator[Line | None]:
    count: Counter[str] = Counter()
    for claim in natural.claims(folder, data, SEED):
        count[claim.source] += 1
        if claim.source in CLAIMS and count[claim.source] <= MOST_CLAIMS:
            said = [(claim.claim, claim.label == "e")]
            yield line(claim.source, "", claim.documents or [" ".join(claim.evidence)], said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--out", type=Path, default=Path(".train/whole.jsonl.xz"))
    parser.add_argument("--more", type=Path, nargs="*", default=())
    parser.add_argument("--rows", type=Path, default=Path(".train/answers"))
    told = parser.parse_args()
    data = sources.data_folder()
    rows, taken = list(sources.ragbench_rows(data)), sources.asked_elsewhere(data)
    for path in told.more:
        rows += elsewhere(path, taken)
    write_rows(rows, told.rows)
    found = [
        *ragbench(rows),
        *ragtruth(told.checkouts, natural.known(data)),
        *claims(told.checkouts, data),
    ]
    kept = [own for own in found if own is not None]
    with lzma.open(told.out, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(own, ensure_ascii=False) + "\n" for own in kept)
    count = Counter((own["s"], own["a"]) for own in kept)
    for source in sorted({own["s"] for own in kept}):
        print(f"{source:20}{count[source, True] + count[source, False]:6} answers, "
              f"{count[source, False]} not adherent")  # fmt: skip


if __name__ == "__main__":
    main()
