"""The answer rules: every worked example of RGBMetrics, nesting, traps, and a plain restatement as oracle."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.metrics import answers
from adjudge.metrics.answers import (
    correction,
    error_flag,
    error_flag_official,
    flexible,
    groups,
    match,
    normalise,
    official,
    prepare,
    refusal,
    refusal_official,
    strict,
)

CLIMATE_TRUTH = (
    "Greenhouse gases from fossil fuels, deforestation, industrial emissions, and agricultural methane"
)
CLIMATE_RESPONSE = (
    "The main causes include greenhouse gas emissions from burning fossil fuels, loss of forests that absorb "
    "CO2, industrial pollution, and methane from agriculture."
)


def test_the_lists_have_the_documents_sizes() -> None:
    assert len(answers.REFUSAL_PHRASES) == 4
    assert len(set(answers.REFUSAL_KEYWORDS)) == 24
    assert len(set(answers.ERROR_KEYWORDS)) == 16


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Paris.", "paris"),
        ("The capital is Paris!!!", "the capital is paris"),
        ("  Two\n\twords ?! ", "two words"),
        ("Paris .", "paris"),
        ("(in Paris)", "(in paris)"),
        ('"Paris."', '"paris."'),
        ("fuels, coal", "fuels, coal"),
        ("…", "…"),
        ("?!", ""),
        ("It’s", "it's"),
    ],
)
def test_normalise(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_example_noise() -> None:
    response = prepare("The capital of France is Paris.")
    assert match(flexible, response, "Paris") == (True, "substring: Paris")


@pytest.mark.parametrize(
    ("response", "phrase"),
    [
        ("I cannot answer this question because the documents don't contain it.", "cannot answer"),
        # "cannot determine" is there too; "i cannot" comes first in the list.
        ("Based on the provided documents, I cannot determine the answer.", "i cannot"),
        # The document credits "not mentioned", which is not in this text.
        ("The documents do not mention this topic, so I cannot provide an answer.", "i cannot"),
        # The document credits "not sure", which is not in its list.
        ("The answer is probably 42 but I'm not sure.", "i'm not sure"),
    ],
)
def test_examples_of_rejection(response: str, phrase: str) -> None:
    assert refusal(prepare(response)) == (True, phrase)


def test_example_of_no_rejection() -> None:
    assert not refusal(prepare("Based on the information, the answer is London."))[0]
    assert not refusal(prepare("The author is not sure."))[0]


def test_example_integration_is_incorrect() -> None:
    """The document says CORRECT with 85 % overlap; by its own rule it is 7 of 11 words, so incorrect."""
    assert match(flexible, prepare(CLIMATE_RESPONSE), CLIMATE_TRUTH) == (
        False,
        f"overlap 7/11: {CLIMATE_TRUTH}",
    )


@pytest.mark.parametrize(
    ("response", "keyword", "corrected"),
    [
        # The document titles this one "error detection only"; its own evaluation has both.
        (
            "The documents state London, but that is incorrect. The actual capital is Paris.",
            "incorrect",
            True,
        ),
        ("According to the documents, the capital is London.", None, False),
        ("The documents are wrong - the capital is Tokyo.", "wrong", False),
    ],
)
def test_examples_counterfactual(response: str, keyword: str | None, corrected: bool) -> None:
    prepared, truth, false = prepare(response), groups("Paris"), groups("London")
    assert error_flag(prepared, false) == (
        (True, keyword) if keyword is not None else (False, "no error keyword")
    )
    assert correction(prepared, truth, false)[0] is corrected


@pytest.mark.parametrize(
    ("response", "truth", "why"),
    [
        ("in 1912 or so", "1912", "substring: 1912"),
        ("Blue Whale", "the blue whale", "contained in: the blue whale"),
        ("d c b x a", "a b c d e", "overlap 4/5: a b c d e"),
    ],
)
def test_steps_that_fire(response: str, truth: str, why: str) -> None:
    assert match(flexible, prepare(response), truth) == (True, why)


def test_overlap_below_four_fifths_does_not_fire() -> None:
    assert match(flexible, prepare("f e d c x b a"), "a b c d e f g h") == (
        False,
        "overlap 6/8: a b c d e f g h",
    )


@pytest.mark.parametrize("rule", [flexible, strict, official])
@pytest.mark.parametrize(
    ("response", "answer"), [("", "Oslo"), ("Oslo", ""), ("Oslo", ()), ("Oslo", ("", "Oslo"))]
)
def test_nothing_to_compare_is_no_match(rule, response: str, answer) -> None:
    assert not match(rule, prepare(response), answer)[0]


@pytest.mark.parametrize("rule", [flexible, official])
def test_outer_list_is_all_of_and_inner_any_of(rule) -> None:
    answer = (("June 3", "3 June"), "Lima")
    assert match(rule, prepare("It began in Lima on 3 June"), answer)[0]
    assert match(rule, prepare("From June 3 it was in LIMA"), answer)[0]
    assert not match(rule, prepare("It began on 3 June in Quito"), answer)[0]
    assert not match(rule, prepare("It began in Lima in May"), answer)[0]


def test_strict_needs_equality_with_an_alias() -> None:
    assert match(strict, prepare(" 3 June! "), (("June 3", "3 june"),)) == (True, "equal: 3 june")
    assert not match(strict, prepare("on 3 June"), (("June 3", "3 june"),))[0]


def test_traps_kept_as_the_document_has_them() -> None:
    for response, truth in [("a", "Paris"), ("in", "Beijing"), ("170", "70"), ("It is not Paris", "Paris")]:
        assert match(flexible, prepare(response), truth)[0]
    assert error_flag(prepare("However, London is the capital.")) == (True, "however")
    assert error_flag(prepare("They terrorized the town.")) == (True, "error")


@pytest.mark.parametrize("response", ["I don’t know", "I’m not sure", "We don’t have enough"])
def test_typographic_apostrophes_count_as_straight_ones(response: str) -> None:
    """Missed by the document's own rule, which knows only the straight apostrophe."""
    assert refusal(prepare(response))[0]


def test_typographic_apostrophes_in_answers_but_not_in_the_official_rule() -> None:
    assert match(flexible, prepare("by O’Neill"), "O'Neill")[0]
    assert match(strict, prepare("O'Neill"), "O’Neill")[0]
    assert not match(official, prepare("by O’Neill"), "O'Neill")[0]


def test_false_answer_denied() -> None:
    assert error_flag(prepare("It is NOT Rome."), groups("Rome")) == (True, "not rome")
    assert error_flag(prepare("I think Rome is wrong")) == (True, "wrong")
    assert error_flag(prepare("no, not Bari"), groups((("Rome", "Bari"), "Turin"))) == (True, "not bari")
    assert not error_flag(prepare("not Rome"), groups("Turin"))[0]
    assert not error_flag(prepare("not Rome"), groups(""))[0]


def test_correction_fails_where_only_the_false_answer_stands() -> None:
    """Can only happen where the true answer matched by words or as a fragment."""
    truth, false = groups("the old red brick house"), groups("new house")
    response = prepare("old red brick the new house")
    assert match(flexible, response, "the old red brick house")[0]
    assert correction(response, truth, false) == (False, "only the false answer is given: new house")
    assert correction(response, truth, ())[0]
    both = prepare("the old red brick house, not the new house")
    assert correction(both, truth, false)[0]


def test_official_phrases_are_case_sensitive() -> None:
    assert refusal_official(prepare("There is insufficient information.")) == (
        True,
        "insufficient information",
    )
    assert not refusal_official(prepare("Insufficient Information"))[0]
    assert refusal_official(prepare("文档信息不足。"))[0]
    assert error_flag_official(prepare("There are factual errors here"))[0]
    assert not error_flag_official(prepare("Factual errors"))[0]
    assert error_flag_official(prepare("存在事实性错误"))[0]


def test_chinese_responses_lose_their_spaces_for_official_rules_only() -> None:
    response = prepare("信息 不足，在 北 京", chinese=True)
    assert refusal_official(response)[0]
    assert match(official, response, "北京")[0]
    assert not match(flexible, response, "北京")[0]
    assert not refusal_official(prepare("信息 不足"))[0]
    # The English phrase holds a space, so it cannot be found then: as in RGB's script.
    assert not refusal_official(prepare("insufficient information", chinese=True))[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is Oslo.", "It is Oslo."),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<think>\nBergen?\n</think>\n\nOslo", "\n\nOslo"),
        ("Bergen? No.</think>Oslo", "Oslo"),
        ("<think>Bergen? Or perhaps", ""),
        ("<Thinking>Bergen?</Thinking>Oslo, <think>is it?</think>yes", "Oslo, yes"),
    ],
)
def test_reasoning_is_cut_out(text: str, answer: str) -> None:
    assert answers.without_reasoning(text) == answer


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("谁赢了？", True),
        ("Playstation 4的发售日期", True),
        ("Who won?", False),
        ("Où, “là”?", False),
        ("Who wrote the novel Soul Mountain (灵山)?", False),
        ("", False),
    ],
)
def test_is_chinese(text: str, chinese: bool) -> None:
    assert answers.is_chinese(text) is chinese


def _document_rule(response: str, truth: str) -> bool:
    """Plain restatement of the document's steps, with a regular expression where the code has none."""

    def norm(text: str) -> str:
        return re.sub(r"\s+", " ", re.sub(r"[.!?,;:]+\Z", "", text.lower().strip())).strip()

    response, truth = norm(response), norm(truth)
    if "" in (response, truth):
        return False
    if truth in response or (len(response) < len(truth) and response in truth):
        return True
    wanted = set(truth.split(" "))
    return sum(word in response.split(" ") for word in wanted) / len(wanted) >= 0.8


_words = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "a.", "b,", "C!"]), max_size=9)


@given(_words, _words)
def test_flexible_agrees_with_a_restatement(response: list[str], truth: list[str]) -> None:
    found = match(flexible, prepare(" ".join(response)), " ".join(truth))[0]
    assert found == _document_rule(" ".join(response), " ".join(truth))


@given(st.text(max_size=40))
def test_normalising_leaves_single_spaces_only(text: str) -> None:
    once = normalise(text)
    assert once == " ".join(once.split())
    assert once == once.lower()
