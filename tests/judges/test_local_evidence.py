"""How the judge sees an evidence text: its sentences, the rows of its tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.local.evidence import Evidence
from adjudge.judges.local.mix import ModelVerifier

NAMES = [
    a + b for a in ("Ash", "Brack", "Cold", "Dun", "Fern", "Glen") for b in ("ford", "ham", "ton", "wick")
]
TOWNS = [(name, "Kent" if n % 2 else "Devon", 10_007 + 2613 * n) for n, name in enumerate(NAMES)]
ROWS = {
    "markdown": "| Town | County | Population |\n|---|:--|--:|\n"
    + "\n".join(f"| {name} | {county} | {people:,} |" for name, county, people in TOWNS),
    "tabs": "\n".join(f"{name}\t{county}\t{people}" for name, county, people in TOWNS),
    "commas": "\n".join(f"{name},{county},{people}" for name, county, people in TOWNS),
}


@pytest.mark.parametrize("form", list(ROWS))
def test_every_row_of_a_table_is_a_sentence(form: str) -> None:
    sentences = Evidence(ROWS[form]).sentences
    assert len(sentences) == len(TOWNS) + (form == "markdown")
    assert all(name in row for name, row in zip(NAMES, sentences[-len(NAMES) :], strict=True))


def test_figures_of_a_long_table_are_found() -> None:
    right = [f"The population of {name} is {people:,}." for name, _, people in TOWNS]
    wrong = [f"The population of {name} is {people + 3111:,}." for name, _, people in TOWNS]
    told = ModelVerifier().verdicts([*right, *wrong], [ROWS["markdown"]] * 2 * len(TOWNS))
    assert sum(opinion.verdict == "entailed" for opinion in told[: len(TOWNS)]) >= len(TOWNS) - 1
    assert not any(opinion.verdict == "entailed" for opinion in told[len(TOWNS) :])


def test_wrapped_prose_is_no_table() -> None:
    text = "Red, white, blue and\ngreen, black, grey and\npink, brown, gold were worn by the guests."
    assert Evidence(text).sentences == [text]


@given(st.lists(st.integers(1, 900), min_size=1, max_size=40))
def test_long_stretches_are_cut_between_words(lengths: list[int]) -> None:
    words = ["x" * length for length in lengths]
    sentences = Evidence(" ".join(words)).sentences
    assert all(0 < len(sentence) <= 600 for sentence in sentences)
    kept = [word for sentence in sentences for word in sentence.split()]
    assert "".join(kept) == "".join(words)
    if max(lengths) <= 600:
        assert kept == words
