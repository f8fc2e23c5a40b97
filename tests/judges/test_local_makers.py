"""Who made what, read by pattern: what it speaks against, and where it keeps out of it."""

from __future__ import annotations

import time

import pytest

from adjudge.judges.local import makers
from adjudge.judges.local.evidence import prepare
from adjudge.judges.local.mix import ModelVerifier
from adjudge.judges.local.names import Finding

TOLD = (
    "Night Ferry is a 1999 Norwegian crime film directed by Paula Renn and written by Ola Vik. "
    "The Harrow Bridge was designed by the British architect Mary Quill. "
    "Otto Krummholz wrote The Salt Hours. Tin Whistle Press was founded by Ida Moor in 1961. "
    "Ada Moss is the founder of Clay Records. Greta Oslo, known as Mira Fell, painted Blue Harbour. "
    "Étienne Dürr composed Winter Suite. The Tall Order was founded by the National Weavers Guild."
)


def found(claim: str, text: str = TOLD) -> Finding | None:
    return makers.check(claim, prepare(text))


@pytest.mark.parametrize(
    "claim",
    [
        "Tom Okafor directed Night Ferry.",
        "Night Ferry was directed by Tom Okafor.",
        "Night Ferry was written by Paula Renn.",
        "Night Ferry was written and directed by Paula Renn.",
        "The Harrow Bridge was designed by Otto Krummholz.",
        "Ida Moor wrote The Salt Hours.",
        "Ida Moor is the founder of Clay Records.",
        "Clay Records was founded by Ida Moor in 1961.",
        "Blue Harbour was painted by Otto Krummholz.",
        "Winter Suite was composed by Ola Vik.",
        "The Tall Order was founded by NATO.",
    ],
)
def test_another_maker_speaks_against_a_claim(claim: str) -> None:
    told = found(claim)
    assert told is not None
    assert told.settles
    assert not told.agrees


@pytest.mark.parametrize(
    "claim",
    [
        "Paula Renn directed Night Ferry.",
        "Night Ferry was directed by Renn.",
        "Night Ferry was written by Ola Vik and directed by Paula Renn.",
        "The Harrow Bridge was designed by a British architect.",
        "Clay Records was founded by Ada Moss and Ida Moor.",
        "Blue Harbour was painted by Mira Fell.",
        "Winter Suite was composed by Etienne Durr.",
        "The Tall Order was founded by NWG.",
        "The Harrow Tunnel was designed by Otto Krummholz.",
        "Tom Okafor did not direct Night Ferry.",
        "Penicillin was discovered in 1928.",
    ],
)
def test_what_is_told_so_or_not_told_is_left_to_the_model(claim: str) -> None:
    assert found(claim) is None


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        # Two works of one name, a second maker told elsewhere, and what is only said or denied.
        ("Tom Okafor wrote Low Tide.", "Ola Vik wrote Low Tide. The lyrics of Low Tide are by Tom Okafor."),
        (
            "Tom Okafor founded Reed & Co.",
            "Reed & Co was founded by Ola Vik. Tom Okafor helped to establish it.",
        ),
        ("Tom Okafor designed the Sky Lift.", "Ola Vik never designed the Sky Lift."),
        ("Tom Okafor painted Dusk.", "Dusk may have been painted by Ola Vik."),
        ("Tom Okafor wrote Dusk.", "Ola Vik (pen name Tom Okafor) wrote Dusk."),
    ],
)
def test_where_the_evidence_leaves_it_open_nothing_is_said(claim: str, text: str) -> None:
    assert found(claim, text) is None


def test_the_model_passes_it_and_the_pattern_settles_it() -> None:
    claim = "Tom Okafor directed Night Ferry."
    text = f"{TOLD} Tom Okafor is a director from Leeds."
    (opinion,) = ModelVerifier().verdicts([claim], [text])
    assert opinion.verdict == "contradicted"
    assert "Paula Renn" in opinion.why
    (opinion,) = ModelVerifier().verdicts(["Paula Renn directed Night Ferry."], [text])
    assert opinion.verdict == "entailed"


def test_it_is_quick_on_names_without_end() -> None:
    text = "Alma Berg Cole Dahl " * 300 + "wrote by and directed with " * 50
    start = time.perf_counter()
    found(text, f"{text} Night Ferry was directed by Paula Renn.")
    assert time.perf_counter() - start < 2
