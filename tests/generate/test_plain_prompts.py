"""Prompts for models under test: pinned, plain, and with the sentences that scoring looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.metrics import answers
from adjudge.prompts import plain
from adjudge.prompts.plain import load_plain

DIGESTS = {
    "longfact/naive_factuality_prompt@1": "47b7db78b38fe5647a97",
    "longfact/postamble@1": "e3127c8425dc4f702c3f",
    "longfact/punt_if_unsure@1": "76be6be1077be6c56991",
    "longfact/vanilla_prompting@1": "47559a8d16ea30ac4839",
    "rgb/answer_en@1": "a2282d121ca0865900ab",
    "rgb/answer_zh@1": "59e55e6e0c0a2fdaf00d",
}
"""A prompt is never edited: write version 2, and add its digest here."""


def test_no_prompt_was_edited() -> None:
    folder = Path(plain.__file__).parent
    names = [path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.toml")]
    assert {name: load_plain(name).digest for name in names} == DIGESTS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sentences_asked_for_are_those_that_scoring_finds(language: str) -> None:
    prompt = load_plain(f"rgb/answer_{language}@1")
    refusal = answers.prepare(prompt.fixed["refusal"], chinese=language == "zh")
    error = answers.prepare(prompt.fixed["error"], chinese=language == "zh")
    assert answers.refusal_official(refusal)[0] is True
    assert answers.error_flag_official(refusal)[0] is False
    assert answers.error_flag_official(error)[0] is True
    assert answers.refusal_official(error)[0] is False
    for sentence in prompt.fixed.values():
        assert prompt.system.count(sentence) == 1
    assert "{{" not in prompt.system


def test_english_sentences_are_the_benchmarks_own() -> None:
    assert load_plain("rgb/answer_en@1").fixed == {
        "refusal": "I can not answer the question because of the insufficient information in documents.",
        "error": "There are factual errors in the provided documents.",
    }


@pytest.mark.parametrize("name", ["rgb/answer_en", "rgb/none@1", "../rgb/answer_en@1"])
def test_unknown_names_are_errors(name: str) -> None:
    with pytest.raises(ValueError, match="there is no prompt"):
        load_plain(name)


def test_texts_are_not_templates() -> None:
    (message,) = load_plain("longfact/vanilla_prompting@1").render(prompt="{{prompt}} {{marker}}")
    assert message.content == "{{prompt}} {{marker}}"
    (message,) = load_plain("longfact/punt_if_unsure@1").render(prompt="{{marker}}?")
    assert message.content.count("[PUNTED]") == 1
