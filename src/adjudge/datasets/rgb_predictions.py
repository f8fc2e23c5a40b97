"""RGB's prediction files: JSON lines that its scripts write, one response a line, with their own verdicts.

The stored `label` and `factlabel` follow from the response, so they are scored anew and not read. A judge's
answer (`evaluation`, in the files of the Rej* and ED* scripts) cannot be made anew: what the scripts make of
it becomes the attribute `stored_verdict`.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from adjudge.datasets.base import Reader, answer_field, text_field, text_list
from adjudge.datasets.rgb import language_of, needed_text, source_id
from adjudge.datasets.source import Row, Source
from adjudge.types import Ability, Attribute, Sample

_KEYS = frozenset({"id", "query", "ans", "prediction", "docs"})
_SET = re.compile(r"(?:^|_)(?:en|zh)_(int|fact)(?=[_.])")
_ABILITIES: dict[str, Ability] = {"int": "integration", "fact": "counterfactual"}


def _ability(file: str) -> Ability | None:
    """Rows do not say which set they are from; the file name does: `prediction_en_fact_…`."""
    found = _SET.search(PurePath(file).name)
    return _ABILITIES[found[1]] if found else None


def _noise(row: Row, name: str) -> int | float | None:
    value = row.data.get("noise_rate")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise row.error(f"expected a number from 0 to 1, found {value!r}", sample=name, field="noise_rate")
    return value


def _verdict(evaluation: str, ability: Ability | None) -> bool:
    """Whether the scripts take a judge's words for a refusal, or for an error pointed out."""
    if ability == "counterfactual":
        return "has identified" in evaluation or "Yes" in evaluation
    return "not addressed" in evaluation


def _detect(source: Source) -> bool:
    return isinstance(source.first, dict) and source.first.keys() >= _KEYS


def _convert(row: Row) -> list[Sample]:
    item = source_id(row)
    noise = _noise(row, item)
    name = item if noise is None else f"{item}@{noise:g}"
    question = needed_text(row, "query", name)
    ability = _ability(row.file)
    attributes: dict[str, Attribute] = {"language": language_of(question, row.file)}
    if noise is not None:
        attributes["noise"] = noise
    evaluation = text_field(row, "evaluation", sample=name)
    if evaluation is not None:
        attributes["stored_verdict"] = _verdict(evaluation, ability)
    return [
        Sample(
            id=name,
            item=item,
            question=question,
            response=text_field(row, "prediction", sample=name),
            contexts=text_list(row, "docs", sample=name),
            reference=answer_field(row, "ans", sample=name),
            ability=ability,
            attributes=attributes,
        )
    ]


READER = Reader(
    name="rgb_predictions",
    description="responses as RGB's scripts write them (prediction_en_fact_….json), judged or not",
    detect=_detect,
    convert=_convert,
)
