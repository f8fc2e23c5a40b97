"""Samples for the tasks: from a file or folder, from a data set on this machine, or a few bundled ones.

A data set lies below ADJUDGE_DATA, or where `adjudge data get` puts it, under the names of its own home:
`rgb/en_refine.json`, `rgb/en_int.json`, `longfact/*/*.jsonl` …
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from adjudge.datasets.base import text_field
from adjudge.datasets.inspect_fields import KEY
from adjudge.datasets.public import LOCAL, local_folder
from adjudge.datasets.registry import read
from adjudge.datasets.rgb import RgbItem, read_rgb_items
from adjudge.datasets.source import Row, Source
from adjudge.errors import InputError
from adjudge.generate.documents import choose_documents
from adjudge.types import Ability, Answer
from adjudge.types import Sample as OurSample

_RGB_FILES = {
    "noise": ("{}_refine.json", "{}.json"),
    "rejection": ("{}_refine.json", "{}.json"),
    "integration": ("{}_int.json",),
    "counterfactual": ("{}_fact.json",),
}
BUNDLED = "bundled samples"


def _bundled(name: str) -> Path:
    return Path(str(files(__package__) / "samples" / name))


def _existing(path: Path) -> Path:
    if not path.exists():
        raise InputError("there is no such file or folder", file=str(path), fix="correct -T data=…")
    return path


def _rgb_file(ability: Ability, language: str, data: str | None) -> tuple[Path, str]:
    """The file of questions, and what to call it."""
    names = [name.format(language) for name in _RGB_FILES[ability]]
    folder = _existing(Path(data)) if data else local_folder("rgb")
    if folder is not None and folder.is_file():
        return folder, str(folder)
    for name in names if folder is not None else ():
        if folder is not None and (folder / name).is_file():
            return folder / name, name
    if data:
        raise InputError(f"there is no {' or '.join(names)} in it", file=data, fix="correct -T data=…")
    bundled = _bundled(names[-1])
    if not bundled.exists():
        raise InputError(
            f"there are no bundled samples in language {language!r}",
            fix="use -T language=en, or set ADJUDGE_DATA to a folder with rgb/" + names[0],
        )
    _warn_of_bundled("rgb/" + names[0])
    return bundled, BUNDLED


def _warn_of_bundled(wanted: str) -> None:
    """Numbers of a handful of samples must not pass for those of the data set that was pointed to."""
    if folder := os.environ.get(LOCAL):
        print(f"adjudge: there is no {wanted} in {folder} ({LOCAL}): {BUNDLED} are used", file=sys.stderr)


def rgb_dataset(
    ability: Ability,
    rates: Iterable[float],
    *,
    passages: int,
    language: str,
    data: str | None,
    correct: float = 0.0,
) -> MemoryDataset:
    """RGB's questions under each noise rate, with the documents that RGB would show."""
    path, name = _rgb_file(ability, language, data)
    items, rates = list(read_rgb_items(path)), list(rates)
    samples = [
        _rgb_sample(item, ability, rate, passages, correct, several=len(rates) > 1)
        for rate in rates
        for item in items
    ]
    return MemoryDataset(samples, name=name, location=None)


def _rgb_sample(
    item: RgbItem, ability: Ability, noise: float, passages: int, correct: float, *, several: bool
) -> Sample:
    shown = choose_documents(item, passages=passages, noise=noise, correct=correct)
    fields: dict[str, Any] = {"item": item.id, "ability": ability, "reference": item.answer}
    if item.counterfactual is not None and ability == "counterfactual":
        fields["counterfactual"] = item.counterfactual
    return Sample(
        id=f"{item.id}@{noise:g}" if several else item.id,
        input=item.query,
        target=_target(item.answer),
        metadata={
            "contexts": [{"text": document.text, "doc_id": document.origin} for document in shown],
            "noise": noise,
            "language": item.language,
            KEY: fields,
        },
    )


def _target(answer: Answer) -> str | list[str]:
    """The answer for people to read: aliases of one part, or one spelling of each part."""
    if isinstance(answer, str):
        return answer
    groups = [(group,) if isinstance(group, str) else group for group in answer]
    return list(groups[0]) if len(groups) == 1 else "; ".join(group[0] for group in groups)


def longfact_dataset(data: str | None) -> MemoryDataset:
    """LongFact's prompts, files in sorted order, each prompt once; evidence comes with bundled ones only."""
    folder = _existing(Path(data)) if data else local_folder("longfact")
    if folder is None:
        _warn_of_bundled("longfact")
        return MemoryDataset(list(_own_samples(_bundled("longfact.jsonl"))), name=BUNDLED)
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*.jsonl"))
    seen: set[str] = set()
    samples = []
    for path in paths:
        for row in Source(path).rows():
            prompt = _prompt(row)
            if prompt not in seen:
                seen.add(prompt)
                samples.append(Sample(id=f"{path.stem}/{row.line}", input=prompt))
    if not samples:
        raise InputError("there are no prompts in it", file=str(folder), fix="give a folder of .jsonl files")
    return MemoryDataset(samples, name=folder.name)


def _prompt(row: Row) -> str:
    found = text_field(row, "prompt", required=True)
    assert found is not None
    return found


def qa_dataset(data: str | None) -> MemoryDataset:
    """Questions with references and passages, from any file that adjudge can read."""
    path = _existing(Path(data)) if data else _bundled("ragchecker_qa.jsonl")
    return MemoryDataset(list(_own_samples(path)), name=path.name if data else BUNDLED)


def _own_samples(path: Path) -> Iterator[Sample]:
    """Samples of ours as Inspect's; the answers that a file may hold are left out."""
    for sample in read(Source(path)):
        if sample.question is None:
            raise InputError("a task needs a question", file=str(path), sample=sample.id, field="question")
        metadata: dict[str, Any] = dict(sample.attributes)
        if sample.contexts is not None:
            metadata["contexts"] = _named_contexts(sample, sample.contexts)
        if isinstance(sample.reference, tuple):
            metadata[KEY] = {"reference": sample.reference}
        target = _target(sample.reference) if sample.reference is not None else ""
        yield Sample(id=sample.id, input=sample.question, target=target, metadata=metadata)


def _named_contexts(sample: OurSample, contexts: tuple[str, ...]) -> list[Any]:
    if sample.context_ids is None:
        return list(contexts)
    pairs = zip(contexts, sample.context_ids, strict=True)
    return [{"text": text, "doc_id": name} for text, name in pairs]
