"""Claims in which errors arose in writing, or whose words lie in several documents: the mix has few.

Read from checkouts of public repositories in one folder, by their names; a set that is not there is left out,
and says so. A claim about a question that RAGBench's rows or a support set ask is left out, and so is one
beside a passage that RAGBench's rows have: validation rows are what is chosen on, test rows what is measured.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import edits
import sources
from sources import Source, clean, sentences

from adjudge.judges.local.answers import answered
from adjudge.judges.local.labelling import stated
from adjudge.segment.sentences import split_sentences

SETS = {
    "ragtruth": Source(3.0, "MIT; the MS MARCO passages: non-commercial research only"),
    "hover": Source(2.0, "MIT; Wikipedia text CC BY-SA"),
    "feverous": Source(2.0, "CC BY-SA 3.0 (Wikipedia's terms)"),
    "squad2": Source(1.0, "CC BY-SA 4.0"),
    "fever_symmetric": Source(1.0, "MIT; Wikipedia text CC BY-SA"),
    "halueval": Source(1.0, "MIT; Wikipedia text CC BY-SA"),
    "multihop": Source(1.5, "HotpotQA CC BY-SA 4.0, 2WikiMultihopQA Apache-2.0, MuSiQue CC BY 4.0"),
}
OTHERS = 2
"""Wrong answers made of a question's documents for each right one."""
BESIDE = 2
"""Documents beside those that a question needs."""
_TOUCHES = 2
_TOPIC = 90
"""Characters by which two passages are told to be the same."""


class Claim(NamedTuple):
    """What is claimed, the sentences of all that it is held against, a label as in the mix, the part of the
    claim that is wrong, where that is known, and the documents that the sentences are from, where these are
    several, with some beside them that are not needed.
    """

    source: str
    evidence: tuple[str, ...]
    claim: str
    label: str
    wrong: tuple[int, int] | None = None
    documents: tuple[str, ...] = ()


class Known(NamedTuple):
    """What is measured, or chosen on."""

    questions: set[str]
    ids: set[str]
    passages: set[str]

    def has(self, question: str, passages: Iterable[str] = ()) -> bool:
        return question.strip().lower() in self.questions or any(
            _topic(text) in self.passages for text in passages
        )


def _topic(text: str) -> str:
    return " ".join(text.lower().split())[:_TOPIC]


def known(data: Path) -> Known:
    import pyarrow.parquet as pq

    questions, ids, passages = sources.asked_elsewhere(data), set(), set()
    for path in sorted((data / "ragbench").glob("*/*.parquet")):
        for row in pq.read_table(path, columns=["id", "question", "documents"]).to_pylist():
            questions.add(row["question"].strip().lower())
            ids.add(str(row["id"]))
            passages |= {_topic(text) for text in row["documents"]}
    return Known(questions, ids, passages)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def whole(path: Path) -> list[dict[str, Any]]:
    """Rows of one JSON list, or of one object a line."""
    text = path.read_text("utf-8")
    return json.loads(text) if text.lstrip().startswith("[") else lines(path)


def ragtruth_rows(folder: Path, splits: Sequence[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Answers by four models, each with the question that it answers and the passages it had."""
    told = {row["source_id"]: row["source_info"] for row in lines(folder / "LRP4RAG/data/QA.jsonl")}
    for path in sorted((folder / "LRP4RAG/data").glob("*hallucination.jsonl")):
        for row in lines(path):
            if row["split"] in splits and row["quality"] == "good" and row["source_id"] in told:
                yield row, told[row["source_id"]]


def passages_of(info: dict[str, Any]) -> list[str]:
    found = [" ".join(text.split()) for text in re.split(r"passage \d+:", info["passages"])]
    return [text for text in found if text]


def ragtruth(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:  # noqa: ARG001
    """Sentences of answers, with the spans that people found not to be borne out."""
    for row, info in ragtruth_rows(folder, ["train"]):
        passages = passages_of(info)
        if not known.has(info["question"], passages):
            evidence = tuple(text for passage in passages for text in sentences(passage))
            yield from _marked(row["response"], row["labels"], evidence)


def overlaps(spans: Iterable[Sequence[int]], start: int, end: int) -> list[tuple[int, int]]:
    """Parts of marked spans within a sentence, but for a letter or two that only touch it."""
    found = [(max(start, a), min(end, b)) for a, b in spans]
    return [(a, b) for a, b in found if b - a > _TOUCHES]


def _marked(response: str, labels: list[dict[str, Any]], evidence: tuple[str, ...]) -> Iterator[Claim]:
    for start, end in split_sentences(response):
        said = stated(" ".join(response[start:end].split()), "")
        parts = overlaps(((x["start"], x["end"]) for x in labels), start, end)
        wrong = [" ".join(response[a:b].split()) for a, b in parts]
        if not said:
            continue
        if not wrong:
            yield Claim("ragtruth", evidence, said, "e")
            continue
        longest = max(wrong, key=len)
        at = said.find(longest)
        span = (at, at + len(longest)) if at >= 0 else None
        clash = any("Conflict" in x["label_type"] for x in labels if x["start"] < end and x["end"] > start)
        yield Claim("ragtruth", evidence, said, "c" if clash else "n", span)


def hover(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:  # noqa: ARG001
    """Claims that join facts of two to four articles. Texts are told for those that are borne out; others
    have theirs where all of their articles occur among them.
    """
    rows = whole(folder / "hover/data/hover/hover_dev_release_v1.1.json")
    by_claim = {row["claim"]: row for row in rows}
    texts: dict[str, str] = {}
    altered: dict[str, str] = {}
    for path in sorted((folder / "programfc/datasets/HOVER/claims").glob("gold_negate_*_dev_*.jsonl")):
        for told in lines(path):
            row = by_claim.get(told["original"])
            titles = list(dict.fromkeys(title for title, _ in row["supporting_facts"])) if row else []
            paragraphs = told["gold_evidence"].split("\n")
            if len(titles) == len(paragraphs):
                texts |= dict(zip(titles, paragraphs, strict=True))
                altered[told["original"]] = told["mutated"]
    for row in rows:
        titles = list(dict.fromkeys(title for title, _ in row["supporting_facts"]))
        if row["hpqa_id"] in known.ids or not all(title in texts for title in titles):
            continue
        evidence = tuple(text for title in titles for text in sentences(clean(texts[title])))
        true = row["label"] == "SUPPORTED"
        apart = tuple(clean(texts[title]) for title in titles)
        yield Claim("hover", evidence, row["claim"], "e" if true else "x", documents=apart)
        if true and row["claim"] in altered:
            yield Claim("hover", evidence, altered[row["claim"]], "x", documents=apart)


def feverous(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:  # noqa: ARG001
    for row in whole(folder / "ProgramFC/datasets/FEVEROUS/claims/dev.json"):
        told = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", row["evidence"])
        found = [line.partition("\t") for line in told.split("\n")]
        evidence = tuple(clean(f"{title}: {text}") for title, _, text in found if text.strip())
        if evidence:
            yield Claim("feverous", evidence, row["claim"], "e" if row["label"] == "supports" else "c")


def squad2(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:
    """Questions with their answers, and with what looks like one where there is none."""
    for article in json.loads((folder / "squad/data/dev-v2.0.json").read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            evidence = sentences(clean(paragraph["context"]))
            for row in paragraph["qas"]:
                none = row.get("is_impossible", False)
                found = row.get("plausible_answers", []) if none else row["answers"]
                if found and not known.has(row["question"]):
                    answer = min((x["text"] for x in found), key=len)
                    yield from _answer("squad2", evidence, row["question"], answer, "n" if none else "e", rng)


def fever_symmetric(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:  # noqa: ARG001
    for path in sorted((folder / "FeverSymmetric/symmetric_v0.2").glob("*.jsonl")):
        for row in lines(path):
            label = "e" if row["gold_label"] == "SUPPORTS" else "c"
            yield Claim("fever_symmetric", sentences(clean(row["evidence"])), clean(row["claim"]), label)


def halueval(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:
    """Right and wrong answers to questions about two articles; the wrong ones were made by a model."""
    for path in sorted((folder / "HaluEval/generation/qa").glob("qa_*_data.json")):
        for row in lines(path):
            if known.has(row["question"]):
                continue
            evidence = sentences(clean(re.sub(r"(?<=[a-z)]\.)(?=[A-Z])", " ", row["knowledge"])))
            yield from _answer("halueval", evidence, row["question"], row["right_answer"], "e", rng)
            # As statements these are longer than right answers are, which must not tell.
            if len(row["hallucinated_answer"].split()) <= 6:
                yield from _answer(
                    "halueval", evidence, row["question"], row["hallucinated_answer"], "x", rng
                )


def multihop(folder: Path, known: Known, rng: random.Random) -> Iterator[Claim]:
    """Questions about several articles, with the right answer and with other names or figures of these."""
    files = ("HippoRAG/data/hotpotqa_train.json", "MIGRES/data/hotpot.json",
             "MIGRES/data/wikihop_train_preprocess.json", "MIGRES/data/wikihop.json")  # fmt: skip
    for path in files:
        for row in whole(folder / path):
            named = {title for title, _ in row.get("supporting_facts") or ()}
            every = [(" ".join(said), title in named) for title, said in row.get("context") or ()]
            yield from _several(row["question"], row["answer"], every, known, rng)
    for path in ("HippoRAG/data/musique_train.json", "MIGRES/data/musique.json"):
        for row in whole(folder / path):
            every = [(told["paragraph_text"], told["is_supporting"]) for told in row["paragraphs"]]
            if row["answerable"]:
                yield from _several(row["question"], row["answer"], every, known, rng)


def _several(
    question: str, answer: str, every: Sequence[tuple[str, bool]], known: Known, rng: random.Random
) -> Iterator[Claim]:
    """`every`: the question's texts, and whether each is needed to answer it."""
    needed = [text for text, needs in every if needs]
    if not needed or known.has(question):
        return
    others = [text for text, needs in every if not needs][:BESIDE]
    apart = tuple(clean(text) for text in (*needed, *others))
    evidence = tuple(text for told in needed for text in sentences(clean(told)))
    for other, label in _answers(answer, evidence, rng):
        for claim in _answer("multihop", evidence, question, other, label, rng):
            yield claim._replace(documents=apart)


def _answers(answer: str, evidence: Sequence[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    """The right answer, then wrong ones."""
    yield answer, "e"
    if answer.lower() in ("yes", "no"):
        yield "no" if answer.lower() == "yes" else "yes", "x"
        return
    pattern = r"[0-9][0-9,.]*[0-9]" if answer[:1].isdigit() else edits._NAME
    found = sorted({m[0] for m in re.finditer(pattern, " ".join(evidence))})
    others = [x for x in found if x.lower() not in answer.lower() and answer.lower() not in x.lower()]
    for other in rng.sample(others, min(OTHERS, len(others))):
        yield other, "x"


_WHO = re.compile(
    r"^(?:Who|What|Which \w+) (?=(?:is|was|were|are|has|had|[a-z]+ed|wrote|won|led|sang|built) )"
)


def _answer(
    source: str, evidence: tuple[str, ...], question: str, answer: str, label: str, rng: random.Random
) -> Iterator[Claim]:
    """A question with an answer; half of the time as a statement, where it can be put so."""
    asked = " ".join(question.split())
    rest = _WHO.sub("", asked)
    if rest != asked and rng.random() < 0.5:
        said = " ".join(answer.split()).rstrip(".")
        text = f"{said[:1].upper()}{said[1:]} {rest.rstrip(' ?')}."
        wrong = (0, len(said))
    else:
        text = answered(asked, answer)
        wrong = (len(text) - len(answer.strip()), len(text))
    yield Claim(source, evidence, text, label, None if label == "e" else wrong)


_READ: dict[str, Callable[[Path, Known, random.Random], Iterator[Claim]]] = {
    "ragtruth": ragtruth, "hover": hover, "feverous": feverous, "squad2": squad2,
    "fever_symmetric": fever_symmetric, "halueval": halueval, "multihop": multihop,
}  # fmt: skip


def claims(folder: Path, data: Path, seed: int) -> Iterator[Claim]:
    """All that the folder has."""
    measured = known(data)
    for name, read in _READ.items():
        try:
            found = list(read(folder, measured, random.Random(f"{seed} {name}")))
        except FileNotFoundError as error:
            print(f"{name} is left out: there is no {error.filename}")
            continue
        yield from found
