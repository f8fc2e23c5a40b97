"""What the model is trained on: every source with its licence, how it is read, and what is kept out of
training.

No row of RAGBench's or STS-B's test split, of a support set, of FActScore or of RAGChecker's human labels is
trained on; the questions of test splits and support sets are read only to drop training rows that ask the
same. Of the other files all rows are taken, whichever split of their source they were.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.segment.sentences import split_sentences


class Source(NamedTuple):
    """A training file: share of its rows seen in an epoch (above 1: seen more than once), and its licence."""

    share: float
    licence: str
    fold: str = ""
    """`A` or `B`: left out of one of the two runs that the last layer is fitted on, so that it is scored by a
    model that knows nothing of the source. `out`: never trained on. Empty: always trained on.
    """


SOURCES = {
    "breaking_nli": Source(0.3, "CC BY-SA 4.0"),
    "cad_snli": Source(0.7, "Apache-2.0; SNLI text CC BY-SA 4.0"),
    "citint": Source(1.0, "MIT; scholarly text", "A"),
    "climate_fever": Source(1.5, "not stated by its authors; Wikipedia text CC BY-SA", "B"),
    "conjnli": Source(1.0, "MIT"),
    "covidfact": Source(1.5, "not stated by its authors; web text", "A"),
    "fever_dev_rte": Source(1.5, "CC BY-SA 3.0 (Wikipedia's terms)", "B"),
    "fm2_dev": Source(1.5, "Apache-2.0; Wikipedia text CC BY-SA", "A"),
    "healthver_dev": Source(1.5, "not stated by its authors; scholarly text", "B"),
    "lingnli": Source(1.0, "not stated by its authors; premises as mnli_dev"),
    "med": Source(0.5, "CC BY-SA 4.0"),
    "mnli_dev": Source(1.0, "OANC licence; fiction CC BY 3.0, CC BY-SA 3.0 or public domain"),
    "ni_mnli": Source(1.0, "as mnli_dev (Natural Instructions says: OANC)"),
    "ni_paws": Source(1.0, "free use for any purpose (Google's PAWS licence)"),
    "ni_scitail": Source(1.0, "Apache-2.0"),
    "ni_snli": Source(0.5, "CC BY-SA 4.0"),
    "nli4ct": Source(1.0, "not stated by its authors; ClinicalTrials.gov text", "A"),
    "rte": Source(1.0, "not verified; news text", "out"),
    "scifact_rte": Source(1.0, "claims CC BY 4.0 (CC BY-NC 2.0 until 2023), abstracts ODC-By 1.0", "out"),
    "scitail_dev": Source(1.0, "Apache-2.0"),
    "snli_dev": Source(0.5, "CC BY-SA 4.0"),
    "true_dialfact": Source(1.5, "data not stated by its authors (code BSD-3-Clause); Wikipedia text", "A"),
}
LEFT_OUT = {"sick": "CC BY-NC-SA 3.0", "semiauto_nli": "not verified; news text"}
RAGBENCH = Source(2.0, "CC BY 4.0; the MS MARCO part: non-commercial research only", "A or B by question")
STSB = Source(1.0, "scores CC BY-SA 4.0; texts each their own, MSRpar non-commercial; train split only")
REFUTED = {"REFUTES", "REFUTE", "REFUTED", "CONTRADICT", "Refutes"}
UNKNOWN = {"NOT_ENOUGH_INFO", "NEI", "Neutral"}


class Pair(NamedTuple):
    """A claim with the sentences of its evidence. `label`: e, n, c, or x for not entailed, nobody said
    which.
    """

    source: str
    evidence: tuple[str, ...]
    claim: str
    label: str
    fold: str


def data_folder() -> Path:
    """ADJUDGE_DATA, or the folder shared/data beside the checkout."""
    told = os.environ.get("ADJUDGE_DATA")
    folder = Path(told) if told else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        raise SystemExit(
            f"no data at {folder}; set ADJUDGE_DATA to the folder that holds training/ and ragbench/"
        )
    return folder


def share_of(text: str) -> float:
    """A fixed number in [0, 1) for a text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}
_BRACKET = re.compile("|".join(map(re.escape, _BRACKETS)))


def clean(text: str) -> str:
    """White space and treebank marks put right; a citation mark left out."""
    text = _BRACKET.sub(lambda m: _BRACKETS[m[0]], text)
    text = re.sub(r"<\|[a-z_]+\|>", "", text)
    text = re.sub(r"\s+([.,;:!?)\]])", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def sentences(text: str) -> tuple[str, ...]:
    return tuple(text[a:b] for a, b in split_sentences(text))


def pairs(data: Path) -> Iterator[Pair]:
    """All rows of the entailment and claim files."""
    for name, source in SOURCES.items():
        with gzip.open(data / "training" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                claim = clean(row.get("hypothesis") or row.get("claim") or "")
                text = clean(row.get("premise") or row.get("evidence") or "")
                if claim and text:
                    yield Pair(name, sentences(text), claim, _label(row), source.fold)


def _label(row: dict[str, Any]) -> str:
    label = row["label"]
    if label in ("entailment", "supported"):
        return "e"
    if label in ("neutral", "contradiction"):
        return str(label)[0]
    raw = row.get("raw_label", "")
    return "c" if raw in REFUTED else "n" if raw in UNKNOWN else "x"


class RagRow(NamedTuple):
    """A RAGBench row: sentences with keys, labels by key."""

    source: str
    question: str
    documents: tuple[tuple[tuple[str, str], ...], ...]
    response: tuple[tuple[str, str], ...]
    relevant: frozenset[str]
    used: frozenset[str]
    support: dict[str, tuple[bool, tuple[str, ...]]]
    """Response key: fully supported or not, and the supporting context keys."""
    adherent: bool
    fold: str


def ragbench_rows(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Train and validation rows, each with its subset; a question also asked in a test split or a support set
    is dropped.
    """
    import pyarrow.parquet as pq

    taken = asked_elsewhere(data)
    for path in sorted((data / "ragbench").glob("*/*.parquet")):
        if path.name.startswith("test"):
            continue
        for row in pq.read_table(path).to_pylist():
            if row["question"].strip().lower() not in taken:
                yield path.parent.name, row


def ragbench(data: Path) -> Iterator[RagRow]:
    for name, row in ragbench_rows(data):
        yield _rag_row(name, row)


def fold_of(question: str) -> str:
    """Which of two runs leaves out what is asked so."""
    return "A" if share_of(question) < 0.5 else "B"


def _rag_row(name: str, row: dict[str, Any]) -> RagRow:
    support = {}
    bare = {str(key) for key in row["unsupported_response_sentence_keys"] or ()}
    for told in row["sentence_support_information"]:
        keys = tuple(str(key).rstrip(".") for key in told["supporting_sentence_keys"] or ())
        key = str(told["response_sentence_key"])
        # `fully_supported` is often left empty; then the list of unsupported sentences tells.
        support[key] = (told["fully_supported"] is not False and key not in bare, keys)
    return RagRow(
        name,
        row["question"],
        tuple(tuple((str(k), " ".join(t.split())) for k, t in doc) for doc in row["documents_sentences"]),
        tuple((str(k), " ".join(t.split())) for k, t in row["response_sentences"]),
        frozenset(row["all_relevant_sentence_keys"] or ()),
        frozenset(row["all_utilized_sentence_keys"] or ()),
        support,
        bool(row["adherence_score"]),
        fold_of(row["question"]),
    )


def asked_elsewhere(data: Path) -> set[str]:
    import pyarrow.parquet as pq

    asked: set[str] = set()
    for path in (data / "ragbench").glob("*/test*.parquet"):
        asked |= {
            q.strip().lower() for q in pq.read_table(path, columns=["question"])["question"].to_pylist()
        }
    for path in (data / "support").glob("*.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                extra = json.loads(line).get("extra")
                if isinstance(extra, dict) and extra.get("question"):
                    asked.add(extra["question"].strip().lower())
    return asked


def stsb(data: Path, split: str) -> list[tuple[str, str, float]]:
    """Sentence pairs with their similarity from 0 to 1."""
    with gzip.open(data / "training" / "stsb.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(r["sentence1"], r["sentence2"], r["score"] / 5) for r in rows if r["split"] == split]
