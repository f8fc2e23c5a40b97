"""Fields of ours inside the metadata of an Inspect sample, and violations that a model wrote."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.datasets.inspect_fields import more_fields
from adjudge.datasets.source import Row
from adjudge.errors import InputError
from adjudge.types import Violation

ROW = Row({}, "log.eval", 1)


def fields(given: Any, response: str | None = None) -> dict[str, Any]:
    return more_fields(ROW, {"adjudge": given, "reference": "the user's own"}, "a", response)


def test_only_the_one_key_is_read() -> None:
    assert more_fields(ROW, {"reference": "the user's own", "gold": 5}, "a", "x") == {}
    given = {"item": "q", "reference": ["1872", ["1903", "nineteen three"]], "ability": "integration"}
    assert fields(given) == {
        "item": "q",
        "reference": ("1872", ("1903", "nineteen three")),
        "ability": "integration",
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"abilty": "noise"}, "abilty"),
        ({"ability": "patience"}, "patience"),
        (["noise"], "array"),
        ({"gold": [{"start": 3}]}, "start"),
    ],
)
def test_a_mistake_is_named(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        fields(given)
    assert (caught.value.sample, caught.value.field) == ("a", "metadata.adjudge")


FOUND = (Violation(quote="Teh", rule="spelling"),)


@pytest.mark.parametrize(
    ("response", "predicted"),
    [
        ('{"violations": [{"quote": "Teh", "rule": "spelling", "certainty": 3}]}', FOUND),
        ('I found one:\n```json\n[{"quote": "Teh", "rule": "spelling"}]\n```', FOUND),
        ('{"violations": []}', ()),
        ("[]", ()),
    ],
)
def test_violations_that_a_model_wrote(response: str, predicted: tuple[Violation, ...]) -> None:
    assert fields({"gold": []}, response)["predicted"] == predicted


def test_given_ones_are_kept_and_none_are_looked_for_without_gold() -> None:
    assert fields({"gold": [], "predicted": [{"quote": "x"}]}, "[]")["predicted"] == (Violation(quote="x"),)
    assert "predicted" not in fields({"text": "Teh"}, "[]")
    assert "predicted" not in fields({"gold": []}, None)


@pytest.mark.parametrize(
    "response", ["All is well.", '{"violations": "none"}', '{"violations": [{"rule": 4}]}']
)
def test_an_answer_without_a_list_is_an_error(response: str) -> None:
    with pytest.raises(InputError) as caught:
        fields({"gold": []}, response)
    assert caught.value.field == "output"
