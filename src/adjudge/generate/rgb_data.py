"""Which question files a benchmark run takes, and under which conditions each question is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import ceil
from pathlib import Path

from msgspec import Struct

from adjudge.datasets.rgb import RgbItem, read_rgb_items
from adjudge.errors import InputError, UsageError
from adjudge.generate.documents import Document, choose_documents
from adjudge.types import Ability

NOISE = (0.0, 0.2, 0.4, 0.6, 0.8)
"""The paper's grid; integration goes up to `INTEGRATION`, rejection is 1."""
INTEGRATION = 0.4
ABILITIES: tuple[Ability, ...] = ("noise", "rejection", "integration", "counterfactual")
"""Those that questions are asked for; `closed_book` comes with counterfactual."""
PASSAGES = 5
_FILE = re.compile(r"(en|zh)(|_refine|_int|_fact)\.jsonl?(\.gz)?\Z")


class Condition(Struct, frozen=True):
    """How one question is asked. Without documents there is no noise to speak of."""

    ability: Ability
    noise: float | None
    passages: int

    @property
    def name(self) -> str:
        """As it stands in a sample's id: `0.4`, or `bare` without documents."""
        return "bare" if self.noise is None else f"{self.noise:g}"

    @property
    def whole_noise(self) -> float:
        """The share of noise in whole documents, whose number is rounded up."""
        return ceil(self.passages * self.noise) / self.passages if self.noise is not None else 0.0


class Plan(Struct, frozen=True, kw_only=True):
    """What to ask, checked before anything is read."""

    noise: tuple[float, ...] = NOISE
    abilities: tuple[Ability, ...] = ABILITIES
    passages: int = PASSAGES
    limit: int | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        for rate in self.noise:
            if not 0 <= rate <= 1:
                raise UsageError(f"a noise rate is from 0 to 1, not {rate:g}")
            if rate == 1:
                raise UsageError("noise 1 is what rejection is asked under: --abilities rejection")
        unknown = [name for name in self.abilities if name not in ABILITIES]
        if unknown == ["closed_book"]:
            raise UsageError("questions without documents are asked with counterfactual: name that ability")
        if unknown:
            raise UsageError(f"there is no ability {unknown[0]!r}; there are {', '.join(ABILITIES)}")
        if self.passages < 1:
            raise UsageError(f"passages must be at least 1, not {self.passages}")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"limit must be at least 1, not {self.limit}")
        if self.language not in (None, "en", "zh"):
            raise UsageError(f"RGB is in en and zh, not {self.language!r}")
        if self.abilities == ("integration",) and min(self.noise) > INTEGRATION:
            raise UsageError(f"integration is asked up to noise {INTEGRATION}, and all of --noise is above")

    def has_place(self, noise: float) -> bool:
        """Whether a positive document is among those shown at this rate, which rounds up."""
        return ceil(self.passages * noise) < self.passages

    def left_out(self) -> list[str]:
        """What is to be said of noise rates that are not asked."""
        found = []
        if "noise" in self.abilities:
            found += [
                f"{self.passages} passages at noise {rate:g} leave no place for a positive document:"
                " not asked"
                for rate in self.noise
                if not self.has_place(rate)
            ]
        if "integration" in self.abilities and min(self.noise) > INTEGRATION:
            found.append(f"all of --noise is above {INTEGRATION}, where integration ends: not asked")
        return found

    def rounded(self) -> list[str]:
        """What is to be said of noise rates that so many passages cannot have."""
        found = []
        for rate in self.noise:
            asked = "noise" in self.abilities and self.has_place(rate)
            asked = asked or ("integration" in self.abilities and rate <= INTEGRATION)
            noise = Condition("noise", rate, self.passages).whole_noise
            if asked and abs(noise - rate) > 1e-9:
                found.append(
                    f"{self.passages} passages at noise {rate:g}: as in RGB the number without the answer is"
                    f" rounded up to {noise * self.passages:.0f}, which is noise {noise:.2g}"
                )
        return found

    def conditions(self, item: RgbItem) -> Iterator[Condition]:
        """Those that speak of a question of this kind."""
        if item.positive_wrong is not None:
            if "counterfactual" in self.abilities:
                yield Condition("counterfactual", 0.0, self.passages)
                yield Condition("counterfactual", None, 0)
        elif item.grouped:
            if "integration" in self.abilities:
                yield from (
                    Condition("integration", rate, self.passages)
                    for rate in self.noise
                    if rate <= INTEGRATION
                )
        else:
            if "noise" in self.abilities:
                yield from (
                    Condition("noise", rate, self.passages) for rate in self.noise if self.has_place(rate)
                )
            if "rejection" in self.abilities:
                yield Condition("rejection", 1.0, self.passages)


def question_files(path: Path) -> tuple[list[Path], list[str]]:
    """The files to ask from, in order, and what is to be said of the choice."""
    if path.is_file():
        return [path], []
    found = {
        entry.name.partition(".")[0]: entry for entry in sorted(path.iterdir()) if _FILE.match(entry.name)
    }
    if not found:
        raise InputError(
            "no question file of RGB is in this folder",
            file=str(path),
            fix="they are named en.json, en_refine.json, en_int.json, en_fact.json, and zh likewise",
        )
    notes = []
    for language in ("en", "zh"):
        if {language, f"{language}_refine"} <= found.keys():
            notes.append(
                f"{language}_refine (mended) is asked instead of {language}; name that file to ask it"
            )
            del found[language]
    return list(found.values()), notes


def read_questions(files: Iterable[Path], plan: Plan) -> Iterator[tuple[str, RgbItem]]:
    """Questions with the name of their set, which makes their ids unique."""
    for file in files:
        items: Iterable[RgbItem] = read_rgb_items(file)
        if plan.language is not None:
            items = (item for item in items if item.language == plan.language)
        name = file.name.partition(".")[0]
        for item in islice(items, plan.limit):
            yield name, item


def documents_for(item: RgbItem, condition: Condition) -> tuple[Document, ...]:
    """RGB's documents, or an error where they would not test what they are to test."""
    if condition.noise is None:
        return ()
    chosen = choose_documents(item, passages=condition.passages, noise=condition.noise)
    kinds = {document.origin[0] for document in chosen}
    if condition.ability == "rejection" and "N" not in kinds:
        raise InputError("too few negative documents: there is none", sample=item.id, field="negative")
    if condition.ability == "counterfactual" and "W" not in kinds:
        raise InputError("no document with the false answer", sample=item.id, field="positive_wrong")
    if condition.ability in ("noise", "integration") and "P" not in kinds:
        raise InputError("too few positive documents: there is none", sample=item.id, field="positive")
    return chosen


def shown_noise(documents: Sequence[Document]) -> float:
    """The share of documents without an answer that a question really got."""
    return sum(document.origin[0] == "N" for document in documents) / len(documents)
