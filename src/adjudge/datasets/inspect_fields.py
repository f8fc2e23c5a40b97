"""What a sample of Inspect has no field for: `metadata.adjudge`, and the violations that a model wrote."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from adjudge.datasets.source import Row
from adjudge.types import Ability, Answer, Rule, Violation

KEY = "adjudge"
"""The one key of a sample's metadata that holds fields of ours; all others are the user's."""
LISTED = "violations"
"""The field of a model's answer that lists what it flagged, where the answer is an object."""


class _Given(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields that may stand there, named as in `types.Sample`."""

    item: str | None = None
    reference: Answer | None = None
    counterfactual: Answer | None = None
    ability: Ability | None = None
    text: str | None = None
    rules: tuple[Rule, ...] | None = None
    gold: tuple[Violation, ...] | None = None
    predicted: tuple[Violation, ...] | None = None


def more_fields(row: Row, metadata: dict[str, Any], item: str, response: str | None) -> dict[str, Any]:
    """Fields from `metadata.adjudge`; where it has marked violations, those that the response flags too."""
    given = metadata.get(KEY)
    if given is None:
        return {}
    try:
        fields = msgspec.structs.asdict(msgspec.convert(given, _Given))
    except msgspec.ValidationError as error:
        raise row.error(str(error), sample=item, field=f"metadata.{KEY}") from None
    found = {name: value for name, value in fields.items() if value is not None}
    if "gold" in found and "predicted" not in found and response is not None:
        found["predicted"] = _flagged(row, response, item)
    return found


def _flagged(row: Row, response: str, item: str) -> tuple[Violation, ...]:
    """The violations that an answer lists as JSON, with text around it or not."""
    from adjudge.judges.llm.loose_json import find_list, find_object  # few logs need it

    whole = find_object(response, (LISTED,))
    told = find_list(response) if whole is None else None
    listed = whole.value.get(LISTED) if whole is not None else told.value if told is not None else None
    if not isinstance(listed, list):
        raise row.error(
            "the answer holds no list of violations",
            sample=item,
            field="output",
            fix=f'have the model answer {{"{LISTED}": [{{"quote": …, "rule": …, "explanation": …}}]}}',
        )
    known = frozenset(Violation.__struct_fields__)
    try:
        return tuple(
            msgspec.convert(
                {name: entry[name] for name in entry if name in known} if isinstance(entry, dict) else entry,
                Violation,
            )
            for entry in listed
        )
    except msgspec.ValidationError as error:
        raise row.error(f"not a violation: {error}", sample=item, field="output") from None
