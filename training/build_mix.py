"""Builds the training mix, .train/mix.jsonl.xz, and .train/dev.jsonl.xz, on which the last layer is fitted.

    python training/build_mix.py [--out .train] [--natural CHECKOUTS] [--small]

Data comes from ADJUDGE_DATA or the folder shared/data beside the checkout. A line of the mix is one of

    {"t": "p", "s": source, "e": [sentences], "c": claim, "y": label, "w": share, "k": [wrong span]}
    {"t": "d", "s": source, "d": document number, "core": [sentence numbers], "c", "y", "w", "k",
     "near": [numbers of other sentences that share most words]}; "n": 1 for claims of natural.py
    {"t": "r", "s": source, "q": question, "a": [response], "d": number, "rel", "use", "sup", "full", "y",
     "parts": [sentences of each document that the contexts consist of],
     "alt": [[response sentence number, the same with an error put in]]}
    {"t": "s", "a": text, "b": text, "y": similarity}
    {"t": "doc", "e": [sentences]}            documents, numbered from 0 in order

each with "f", its fold, where it has one: see sources.Source.

Labels: e entailed, n neutral, c contradicted, x not entailed. Seeds are fixed: a second run writes the same
lines.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import edits
import natural
import roles
import sources
from sources import Pair, RagRow

from adjudge.judges.local.answers import answered, is_fragment
from adjudge.judges.local.labelling import stated
from adjudge.judges.local.words import bag

EDIT_SOURCES = {
    "fever_dev_rte",
    "climate_fever",
    "true_dialfact",
    "conjnli",
    "citint",
    "ni_scitail",
    "scitail_dev",
}
"""Entailed claims of these are also shown with an error put in; of the others one in ten."""
DOC_SOURCES = {"fever_dev_rte", "citint", "climate_fever", "nli4ct", "true_dialfact"}
ANSWERED = 0.15
"""Share of response sentences that are also shown behind their question, as bare answers always are."""
ROLES = 0.6
"""Share of the invented texts seen in an epoch."""
NEAR = 8
"""Sentences kept as distractors that the judge itself might take for evidence."""
Line = dict[str, Any]


class Builder:
    """Collects lines, documents and counts."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[Line] = []
        self.docs: list[list[str]] = []
        self.numbers: dict[tuple[str, ...], int] = {}
        self.names: list[str] = []
        self.false_edits: list[Any] = []
        self.fold = ""

    def doc(self, sentences: tuple[str, ...]) -> int:
        if sentences not in self.numbers:
            self.numbers[sentences] = len(self.docs)
            self.docs.append(list(sentences))
        return self.numbers[sentences]

    def add(self, **line: Any) -> None:
        self.lines.append({**line, "f": self.fold} if self.fold else line)

    def learn_words(self, texts: list[str]) -> None:
        """Names and neighbouring words for the edits, from the training texts themselves."""
        counts: Counter[str] = Counter()
        names: Counter[str] = Counter()
        for text in texts:
            counts.update(set(re.findall(r"\b[a-z]{4,14}\b", text)))
            names.update(m[0] for m in edits._NAME.finditer(text) if len(m[0]) < 30)
        words = [w for w, _ in counts.most_common(9000) if bag(w).weights][150:]
        self.names = [n for n, _ in names.most_common(6000)]
        inside = edits.Inside(words)
        self.false_edits = [*edits.FALSE_EDITS, inside, inside, inside]

    def edit(self, claim: str, evidence: str) -> edits.Edit | None:
        """One error put into a claim; a few kinds are tried."""
        for _ in range(4):
            kind = self.rng.choice(self.false_edits)
            made = (
                edits.name(claim, evidence, self.rng, self.names)
                if kind is edits.name
                else kind(claim, evidence, self.rng)
            )
            if made is not None and made.text != claim:
                return made
        return None


def add_pairs(build: Builder, rows: list[Pair]) -> None:
    for row in rows:
        share, build.fold = sources.SOURCES[row.source].share, row.fold
        build.add(t="p", s=row.source, e=list(row.evidence), c=row.claim, y=row.label, w=share)
        if row.label == "e" and (row.source in EDIT_SOURCES or build.rng.random() < 0.1):
            made = build.edit(row.claim, " ".join(row.evidence))
            if made:
                build.add(
                    t="p",
                    s="edit_" + row.source,
                    e=list(row.evidence),
                    c=made.text,
                    y=made.label,
                    w=1.0,
                    k=[made.start, made.end],
                )


def overlap_order(claim: str, texts: list[str]) -> list[int]:
    """Sentence numbers by shared word weight, most first."""
    words = bag(claim).weights
    shares = [sum(words[key] for key in sorted(words.keys() & bag(text).weights.keys())) for text in texts]
    return sorted(range(len(texts)), key=lambda n: (-shares[n], n))


def add_ragbench(build: Builder, rows: list[RagRow]) -> None:
    for row in rows:
        flat = [item for doc in row.documents for item in doc]
        number = build.doc(tuple(text for _, text in flat))
        places = {key: n for n, (key, _) in enumerate(flat)}
        if len(places) < len(flat):
            continue
        build.fold = row.fold
        add_trace(build, row, number, places)
        for key, text in row.response:
            told, said = row.support.get(key), stated(text, "")
            if told is None or not said:
                continue
            if is_fragment(said):
                add_support(build, row, number, places, answered(row.question, said), told)
                add_other_answer(build, row, number, places, said, told)
                continue
            add_support(build, row, number, places, said, told)
            if build.rng.random() < ANSWERED:
                add_support(build, row, number, places, answered(row.question, said), told)


def add_other_answer(
    build: Builder, row: RagRow, number: int, places: dict[str, int], said: str, told: Any
) -> None:
    """A bare answer exchanged for another name or figure of the documents."""
    full, keys = told
    core = sorted({places[key] for key in keys if key in places})[:6]
    texts = build.docs[number]
    shown = " ".join(texts[n] for n in core)
    pattern = r"[0-9][0-9,.]*[0-9]" if said[:1].isdigit() else edits._NAME
    others = sorted({m[0] for m in re.finditer(pattern, " ".join(texts))})
    others = [o for o in others if o.lower() not in (said + " " + row.question).lower()]
    if not full or not core or not others:
        return
    near = [o for o in others if o in shown]
    new = build.rng.choice(near if near and build.rng.random() < 0.7 else others)
    claim = answered(row.question, new)
    start = len(claim) - len(new)
    build.add(t="d", s="edit_ragbench_" + row.source, d=number, core=core, c=claim, y="x", w=1.0,
              k=[start, len(claim)])  # fmt: skip


def add_support(
    build: Builder, row: RagRow, number: int, places: dict[str, int], claim: str, told: Any
) -> None:
    """A response sentence with the sentences it rests on; without them; and with an error put in."""
    full, keys = told
    texts = build.docs[number]
    core = sorted({places[key] for key in keys if key in places})
    near = overlap_order(claim, texts)
    source, share = "ragbench_" + row.source, sources.RAGBENCH.share
    if full and core:
        core = sorted([n for n in near if n in core][:6])
        around = [n for n in near if n not in core][:NEAR]
        build.add(t="d", s=source, d=number, core=core, c=claim, y="e", w=share, near=around)
        made = build.edit(claim, " ".join(texts[n] for n in core))
        if made:
            build.add(
                t="d",
                s="edit_" + source,
                d=number,
                core=core,
                c=made.text,
                y=made.label,
                w=1.0,
                k=[made.start, made.end],
                near=around,
            )
        others = [n for n in near if n not in core][:6]
        if len(core) <= 3 and len(others) > 1 and build.rng.random() < 0.6:
            picked = build.rng.sample(others, min(len(others), build.rng.randint(1, 3)))
            build.add(
                t="d", s="without_" + source, d=number, core=sorted(picked), c=claim, y="x", w=0.7, fix=1
            )
    elif not full and not any("_" in key for key in keys):
        for size in (1, 3, 5):
            build.add(t="d", s=source, d=number, core=sorted(near[:size]), c=claim, y="x", w=share / 2)


def add_trace(build: Builder, row: RagRow, number: int, places: dict[str, int]) -> None:
    """Question and response against all context sentences: which are relevant, used, and bear out what."""
    rests = [row.support.get(key, (False, ())) for key, _ in row.response]
    changed = []
    for n, ((_, text), (full, keys)) in enumerate(zip(row.response, rests, strict=True)):
        shown = " ".join(build.docs[number][places[k]] for k in keys if k in places)
        made = build.edit(text, shown) if full and shown else None
        if made:
            changed.append([n, made.text])
    build.add(
        t="r", s="trace_" + row.source, q=row.question, a=[text for _, text in row.response], d=number,
        rel=[int(key in row.relevant) for key in places], use=[int(key in row.used) for key in places],
        sup=[sorted({places[k] for k in keys if k in places}) for _, keys in rests],
        full=[int(full) for full, _ in rests], y=int(row.adherent), alt=changed,
        parts=[len(document) for document in row.documents],
    )  # fmt: skip


def add_extracts(build: Builder, documents: dict[tuple[str, ...], str]) -> None:
    """Sentences of a document as claims: as they are, shortened or rounded; and with an error put in."""
    for document, fold in sorted(documents.items()):
        build.fold = fold
        texts = [n for n, text in enumerate(document) if 40 <= len(text) <= 260]
        build.rng.shuffle(texts)
        number = build.doc(document)
        for n in texts[: max(2, min(6, len(texts) // 3))]:
            claim, evidence = document[n], " ".join(document)
            kept = edits.rounded(claim, evidence, build.rng) or edits.trimmed(claim, evidence, build.rng)
            text = kept.text if kept and build.rng.random() < 0.75 else claim
            around = [k for k in overlap_order(text, list(document)) if k != n][:NEAR]
            build.add(t="d", s="extract", d=number, core=[n], c=text, y="e", w=0.6, near=around)
            made = build.edit(text, evidence)
            if made and made.text not in document:
                build.add(
                    t="d",
                    s="edit_extract",
                    d=number,
                    core=[n],
                    c=made.text,
                    y=made.label,
                    w=1.0,
                    k=[made.start, made.end],
                    near=around,
                )
            others = around[:4]
            if len(others) > 1 and build.rng.random() < 0.4:
                picked = build.rng.sample(others, build.rng.randint(1, min(3, len(others))))
                build.add(
                    t="d", s="without_extract", d=number, core=sorted(picked), c=text, y="x", w=0.7, fix=1
                )
            other = build.rng.choice(texts)
            joined = edits.fused(claim, document[other], build.rng) if other != n else None
            if joined and build.rng.random() < 0.7:
                build.add(
                    t="d",
                    s="fused_extract",
                    d=number,
                    core=sorted([n, other]),
                    c=joined.text,
                    y="x",
                    w=0.8,
                    k=[joined.start, joined.end],
                )


LEAST = 1 / 3
"""Share of the more frequent kind of claim that is seen beside all of the rarer kind, at least."""
SHOWN = 600
"""Characters of a longer text that a claim is shown beside: its nearest sentences."""


def add_natural(build: Builder, claims: list[natural.Claim]) -> None:
    """Claims of natural.py: beside all that they are held against, or the nearest part of that."""
    build.fold = ""
    counts = Counter((row.source, row.label == "e") for row in claims)
    for row in claims:
        marks = {"k": list(row.wrong)} if row.wrong else {}
        own, other = (counts[row.source, true] for true in (row.label == "e", row.label != "e"))
        share = natural.SETS[row.source].share * min(1.0, max(other / own, LEAST))
        line = {"s": row.source, "c": row.claim, "y": row.label, "w": share, "n": 1, **marks}
        if sum(map(len, row.evidence)) <= 1.5 * SHOWN:
            build.add(t="p", e=list(row.evidence), **line)
            continue
        near, core, room = overlap_order(row.claim, list(row.evidence)), list[int](), SHOWN
        while near and (not core or room > 0):
            core.append(near.pop(0))
            room -= len(row.evidence[core[-1]])
        build.add(t="d", d=build.doc(row.evidence), core=sorted(core), near=near[:NEAR], **line)


def add_roles(build: Builder, number: int, seed: int) -> None:
    build.fold = ""
    for evidence, claim, label in roles.texts(number, seed):
        build.add(t="p", s="roles", e=list(evidence), c=claim, y=label, w=ROLES)


def write(path: Path, lines: list[Line]) -> None:
    with lzma.open(path, "wb", preset=6) as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    print(f"{path}: {len(lines)} lines, {path.stat().st_size / 2**20:.1f} MiB")


def build_part(
    pairs: list[Pair],
    rows: list[RagRow],
    words: list[str],
    seed: int,
    more: list[natural.Claim] | None = None,
) -> list[Line]:
    build = Builder(seed)
    build.learn_words(words)
    add_pairs(build, pairs)
    add_ragbench(build, rows)
    documents = {p.evidence: p.fold for p in pairs if p.source in DOC_SOURCES and len(p.evidence) >= 2}
    documents |= {
        tuple(text for _, text in doc): row.fold for row in rows for doc in row.documents if len(doc) >= 3
    }
    add_extracts(build, documents)
    add_natural(build, more or [])
    return [{"t": "doc", "e": doc} for doc in build.docs] + build.lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(".train"))
    parser.add_argument("--natural", type=Path, help="folder of checkouts that natural.py reads")
    parser.add_argument("--small", action="store_true", help="one row in fifty, to try the scripts")
    told = parser.parse_args()
    data = sources.data_folder()
    pairs, rows = list(sources.pairs(data)), list(sources.ragbench(data))
    more = list(natural.claims(told.natural, data, 14)) if told.natural else []
    if told.small:
        pairs, rows, more = pairs[::50], rows[::50], more[::50]
    words = [p.claim for p in pairs if p.fold != "out"]
    told.out.mkdir(exist_ok=True)
    mix = build_part([p for p in pairs if p.fold != "out"], rows, words, 11, more)
    made = Builder(0)
    add_roles(made, 160 if told.small else 8000, 13)
    mix += made.lines
    mix += [{"t": "s", "a": a, "b": b, "y": y} for a, b, y in sources.stsb(data, "train")]
    dev = build_part([p for p in pairs if p.fold], rows, words, 12)
    dev += [{"t": "s", "a": a, "b": b, "y": y} for a, b, y in sources.stsb(data, "dev")]
    write(told.out / "mix.jsonl.xz", mix)
    write(told.out / "dev.jsonl.xz", dev)
    for name, lines in (("mix", mix), ("dev", dev)):
        counts = Counter(
            (line.get("s", line["t"]), line.get("y") if line["t"] in "pd" else "") for line in lines
        )
        print(name, *(f"  {s:28} {y:2} {n}" for (s, y), n in sorted(counts.items())), sep="\n")


if __name__ == "__main__":
    main()
