"""FActScore's labelled biographies for the SAFE experiment: which responses, what people counted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudge.datasets.base import text_list
from adjudge.datasets.factscore import READER
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.metrics.f_at_k import DEFAULT_K, f1_at_k
from adjudge.stats.experiments.data import pick
from adjudge.stats.experiments.outcome import Request, chosen
from adjudge.types import Sample

F1 = f"f1_{DEFAULT_K}"
LABELS = {"S": "supported", "IR": "irrelevant", "NS": "not_supported"}
SEED = 1


class Biography(Struct, frozen=True):
    """A response that people took apart."""

    system: str
    """The file it is from: the model that wrote it."""
    sample: Sample
    facts: dict[str, list[dict[str, str]]]
    """By sentence: `atomic_fact` and `label` of each."""
    sentences: int
    """As the annotators cut it."""
    model_facts: tuple[int, int]
    """Facts by InstructGPT that came with the data: in all sentences, in those where people saw facts."""

    @property
    def labels(self) -> list[str]:
        """People's labels, fact by fact."""
        return [fact["label"] for facts in self.facts.values() for fact in facts]

    def counts(self) -> dict[str, int]:
        """How often people gave each label, as the file spells it."""
        return {label: self.labels.count(label) for label in LABELS}

    def measured(self, labels: Sequence[str] | None = None) -> dict[str, float]:
        """The five numbers that are correlated, from people's labels or from others."""
        given = self.labels if labels is None else labels
        found: dict[str, float] = {name: given.count(label) for label, name in LABELS.items()}
        found["num_claims"] = len(given)
        found[F1] = f1_at_k(given.count("S"), given.count("NS"))
        return found


def load_biographies(folder: Path, request: Request) -> list[Biography]:
    """Annotated responses of all files, in order of name; perhaps a sample of them."""
    paths = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if "_" not in path.name}
    names = chosen(list(paths), request, "file")
    found = [biography for name in names for biography in pick(_load(paths[name]), request.limit)]
    if not found:
        raise InputError("no response here has labelled facts", file=str(folder))
    return draw(found, request.samples)


def draw(found: list[Biography], number: int) -> list[Biography]:
    """As many at random, by the reference tool's seed; all for 0 or less, or where there are no more."""
    if number <= 0 or number >= len(found):
        return found
    return random.Random(SEED).sample(found, number)


def _load(path: Path) -> list[Biography]:
    found = []
    for row in Source(path).rows():
        (sample,) = READER.convert(row)
        biography = _biography(path.stem, row, sample)
        if biography is not None:
            found.append(biography)
    return found


def _biography(system: str, row: Row, sample: Sample) -> Biography | None:
    """None for a response that nobody annotated, because the model declined or because there is no fact."""
    if not sample.labels:
        return None
    if sample.response is None or sample.question is None:
        field = "output" if sample.response is None else "input"
        raise row.error("this field is needed and is missing", sample=sample.id, field=field)
    facts: dict[str, list[dict[str, str]]] = {}
    everywhere = where_facts = 0
    for sentence in row.data["annotations"]:
        people = sentence.get("human-atomic-facts") or []
        for fact in people:
            entry = {"atomic_fact": fact["text"], "label": fact["label"]}
            facts.setdefault(sentence["text"], []).append(entry)
        model = len(sentence.get("model-atomic-facts") or [])
        everywhere += model
        where_facts += model if people else 0
    own = replace(
        sample,
        id=f"{system}|{sample.id}",
        item=sample.id,
        contexts=text_list(row, "contexts", sample=sample.id),
        attributes={**sample.attributes, "system": system},
    )
    sentences = len(row.data["annotations"])
    return Biography(system, own, facts, sentences, (everywhere, where_facts))


def raw_data(biography: Biography) -> dict[str, Any]:
    """A response as the reference tool keeps it in its output."""
    return {
        "model_name": biography.system,
        "prompt": biography.sample.question,
        "response": biography.sample.response,
        "metrics": biography.counts(),
        "sentence_to_atomic_fact_and_label": biography.facts,
    }
