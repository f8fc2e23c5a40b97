"""Reading what models write. Where upstream's parsers lose or invent something, the deviation is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.llm.claims import text_list
from adjudge.judges.llm.handler import Unreadable
from adjudge.judges.llm.loose_json import find_list, find_object
from adjudge.judges.llm.parse import code_block, label_words, list_items, triples, verdict

WANTED = ("claims",)
GOOD = {"claims": ["Ada wrote it.", "It's 5 km."]}


def claims(text: str) -> Any:
    found = find_object(text, WANTED)
    return None if found is None else (found.value["claims"], found.truncated)


@pytest.mark.parametrize(
    "text",
    [
        '{"claims": ["a", "b"]}',
        '```json\n{"claims": ["a", "b"]}\n```',
        '```\n{"claims": ["a", "b"]}',
        'Sure! Here it is:\n{"claims": ["a", "b"]}\nHope that helps.',
        '{"claims": ["a", "b",],}',
        '{"claims": ["a" /* first */, "b"] // all\n}',
        '// answer\n{"claims": ["a", "b"]}',
        "{'claims': ['a', 'b']}",
        '{claims: ["a", "b"]}',
        "{“claims”: [“a”, “b”]}",
        '{"claims": ["a"\n "b"]}',
        '{"Claims": ["a", "b"]}',
        '{"claims": ["a", "b"], "score": NaN, "more": None, "done": True}',
        '[{"claims": ["a", "b"]}]',
        'As [1] says {x}: {"claims": ["a", "b"]}',
        '{"claims": ["draft"]}\nNo, rather:\n{"claims": ["a", "b"]}',
        '\ufeff{"claims": ["a", "b"]}',
        '{"claims": ["a", "b"]',
    ],
)
def test_the_same_answer_in_many_dresses(text: str) -> None:
    found = find_object(text, WANTED)
    assert found is not None
    assert (found.value.get("claims") or found.value.get("Claims"), found.truncated) == (["a", "b"], False)


def test_odd_values() -> None:
    text = "{'a': True, 'b': None, 'c': NaN, 'd': -1.5e3, 'e': full, 'f': .5, 'g': Infinity, 'h': 007}"
    assert find_object(text, ("a",)) == (
        {"a": True, "b": None, "c": None, "d": -1500.0, "e": "full", "f": 0.5, "g": None, "h": 7},
        False,
    )


def test_strings_keep_what_is_in_them() -> None:
    assert claims(
        """{"claims": ["He said "yes" twice", 'it's // no comment', "a\\nb \\u00e9 \\d", "x\ny"],}"""
    ) == (
        ['He said "yes" twice', "it's // no comment", "a\nb é \\d", "x\ny"],
        False,
    )
    assert claims('{"claims": ["\\ud83d\\ude00", "\\ud83d"],}') == (["😀", "\ufffd"], False)


def test_an_answer_that_breaks_off_keeps_complete_items_and_says_so() -> None:
    assert claims('{"claims": ["a", "b", "half of') == (["a", "b"], True)
    assert claims('{"claims": ["a", "b"') == (["a", "b"], True)
    assert claims('{"claims": ["half of') is None
    assert claims('{"claims": [') is None
    assert claims('{"claims": ') is None
    rows = '{"rows": [{"claim": 1, "entailed_by": [2]}, {"claim": 2, "entailed_by": [1'
    assert find_object(rows, ("rows",)) == ({"rows": [{"claim": 1, "entailed_by": [2]}]}, True)
    # A number at the very end may be half of one.
    assert find_object('{"rows": [1, 12', ("rows",)) == ({"rows": [1]}, True)


def test_nothing_is_evaluated_and_nothing_hangs() -> None:
    for text in (
        "__import__('os').system('true')",
        "{" * 5000,
        "[" * 5000,
        '{"a":' * 3000,
    ):
        assert claims(text) is None
    assert find_object("{" * 300 + '"claims"', WANTED) is None
    assert claims("{claims: [__import__('os')]}") == (["__import__("], True), "words, and not all of them"
    assert claims("{'claims': [(1).real, 2 + 2, open]}") == (["(1).real", "2 + 2", "open"], False)
    assert claims("{'claims': [" + "9" * 5000 + "]}") is None


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-10**9, 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
))  # fmt: skip
def test_valid_json_comes_back_from_anywhere_in_a_text(value: Any) -> None:
    wanted = {"claims": value}
    for text in (json.dumps(wanted), f"see:\n```json\n{json.dumps(wanted, indent=1)}\n```\n ok [1]"):
        found = find_object(text, WANTED)
        assert found is not None
        assert found == (wanted, False)


@given(st.text(st.sampled_from("{}[]\",:'\\ \nabc1-/*`.#()"), max_size=80))
def test_any_text_is_read_or_not_but_never_breaks(text: str) -> None:
    for found in (find_object(text, ("a", "b")), find_object('{"a": ' + text, ("a",))):
        assert found is None or isinstance(found.value, dict)
    find_list(text)
    list_items(text)
    triples(text)
    label_words(text, 3)


# --- lists ---------------------------------------------------------------------------------------------


def test_lists_as_models_write_them() -> None:
    assert list_items("1. one\n2) two\n(3) three\n4: four") == ["one", "two", "three", "four"]
    assert list_items("Facts:\n* one\n• two\n– three") == ["one", "two", "three"]
    assert list_items("*Emphasis* is no bullet.") is None
    assert list_items("- one\n-\n- \n- two") == ["one", "two"]
    assert list_items("- He is 1.80 m tall\n- It was -5 there\n-5 is below 0") == [
        "He is 1.80 m tall",
        "It was -5 there -5 is below 0",
    ]
    assert list_items("none") == list_items("There are no facts.") == list_items("No claims found") == []
    assert list_items("I would rather not.") is None
    assert list_items("") is None


UPSTREAM_LISTS = {
    # text: what ours makes of it, where that differs from upstream beyond the dot it adds to the last item
    "a - b": ("a dash inside a line is no bullet", None),
    "": ("an empty answer is a failure, not 'no facts'", None),
    "- a\n  more\n- b.": ("a wrapped line is not lost", ["a more", "b."]),
    "- x - y": ("a dash inside a fact does not split it", ["x - y"]),
    "-a\n-b": ("the blank after the bullet may be missing", ["a", "b"]),
}


def test_lists_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    """Upstream puts a full stop after the last item; ours leaves items as they are."""
    cases = shared_golden("safe_parsers.json")["t2s"]
    assert len(cases) == 8
    assert UPSTREAM_LISTS.keys() <= {text for text, _ in cases}
    for text, expected in cases:
        if text in UPSTREAM_LISTS:
            assert list_items(text) == UPSTREAM_LISTS[text][1], UPSTREAM_LISTS[text][0]
        else:
            plain = [item[:-1] if item.endswith(("!.", "b.")) or item == "a." else item for item in expected]
            got = list_items(text)
            assert got is not None
            assert [item.rstrip(".") for item in got] == [item.rstrip(".") for item in plain]


# --- triples -------------------------------------------------------------------------------------------

UPSTREAM_TRIPLES = {
    '("A", "b", "c") ("D", "e", "f")': ("two on a line are both kept", [["A", "b", "c"], ["D", "e", "f"]]),
    '("He said "yes"", "to", "her")': (
        "unescaped quotes inside belong to the part; the outer ones do not",
        [['He said "yes"', "to", "her"]],
    ),
    '### KG:\n("A","b","c")': ("the blank after the comma may be missing", [["A", "b", "c"]]),
    '("A","b","c")': ("the blank after the comma may be missing", [["A", "b", "c"]]),
}


def test_triples_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    cases = shared_golden("refchecker.json")["triplet_parse(claim_starting_prefix=###)"]
    assert len(cases) == 19
    assert UPSTREAM_TRIPLES.keys() <= {text for text, _ in cases}
    for text, expected in cases:
        name, wanted = UPSTREAM_TRIPLES.get(text, ("as upstream", expected))
        assert [list(triple) for triple in triples(text)] == wanted, (name, text)


def test_triples_in_all_mixes_of_quotes() -> None:
    for a in "\"'":
        for b in "\"'":
            for c in "\"'":
                text = f"({a}Ada{a}, {b}met{b},{c}O'Neil{c})"
                assert triples(text) == [("Ada", "met", "O'Neil")], text
    assert triples('("A", "b", "c")\n### Question\n("X", "y", "z")') == [("X", "y", "z")]
    assert triples('("A", "b", "c")\n### Note\nThat is all.') == [("A", "b", "c")]
    assert triples("(a, b) (\"x\", \"y\", \"z\") and ('p', 'q', 'r').") == [("x", "y", "z"), ("p", "q", "r")]


def test_claims_in_whatever_form() -> None:
    for text in (
        '{"claims": ["Ada wrote notes", "Bob sang"]}',
        '["Ada wrote notes", "Bob sang"]',
        '{"claims": [["Ada", "wrote", "notes"], ["Bob", "sang"]]}',
        '{"claims": [{"claim": "Ada wrote notes"}, {"text": "Bob sang"}]}',
        "1. Ada wrote notes\n2. Bob sang",
        "- Ada wrote notes\n- Bob sang",
        'Claims:\n```\n["Ada wrote notes", "Bob sang"]\n```',
    ):
        assert text_list(text, WANTED) == ["Ada wrote notes", "Bob sang"], text
    assert text_list('("Ada", "wrote", "notes")', WANTED) == ["Ada wrote notes"]
    assert text_list("- Ada wrote [source A]\n- Bob sang [2]", WANTED) == [
        "Ada wrote [source A]",
        "Bob sang [2]",
    ]
    assert text_list('{"claims": []}', WANTED) == text_list("[]", WANTED) == text_list("None.", WANTED) == []
    for text in ("I cannot say.", '{"claims": ["a", "b', '{"claims": [1, 2]}', '{"other": ["a"]}'):
        with pytest.raises(Unreadable):
            text_list(text, WANTED)


UPSTREAM_CITED = {
    "### KG\n(x) [1]\n### Claims\nA is b. [1]\nC is d. [2][3]\nE f. [1, 2]\nnone\nG. [9]": (
        "a claim is kept though its number names no sentence: upstream drops it without a word",
        ["A is b.", "C is d.", "E f.", "G."],
    ),
    "### Claims\nA [1] b [2]\n### Question\nnext [1]": (
        "words after the first number are part of the claim: upstream cuts them off",
        ["A b"],
    ),
}


def test_claims_with_sentence_numbers_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    """RefChecker's sub-sentence form, which RAGChecker never asks for; an answer written so is still read.

    Ours checks a claim against texts, so that the numbers of the sentences it was taken from are dropped.
    """
    cases = shared_golden("refchecker.json")["subsentence_parse"]
    assert len(cases) == 4
    assert UPSTREAM_CITED.keys() <= {text for text, _ in cases}
    for text, expected in cases:
        name, wanted = UPSTREAM_CITED.get(text, ("as upstream", [claim for claim, _ in expected]))
        assert text_list(text, WANTED) == wanted, (name, text)
    for text in ("Ada sang.", "See [1] for more.", "### Notes\nAbstain"):
        with pytest.raises(Unreadable):
            text_list(text, WANTED)


# --- code blocks and verdicts --------------------------------------------------------------------------


def test_code_blocks_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    cases = shared_golden("safe_parsers.json")["code"]
    assert len(cases) == 10
    for text, expected, _ in cases:
        assert code_block(text) == expected, text
    assert code_block("``` ```\nthen ```x```") == "x"
    assert code_block("```\nnever closed") == "never closed"


def test_brackets_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    """Deviation: upstream takes the first pair whatever is in it; ours the last that is a verdict."""
    cases = dict(map(tuple, shared_golden("safe_parsers.json")["square"]))
    assert len(cases) == 8
    table = {word: word for word in ("a", "b", "a b", "x", "y", "not foo")}
    differs = {"x [a] [b]": "b", "[[x]]": "x", "[a\nb]": "a b", "[Not Foo]": "not foo"}
    for text, expected in cases.items():
        assert verdict(text, table) == differs.get(text, expected or None), text


RATINGS = {"supported": True, "not supported": False, "unsupported": False}
UPSTREAM_RATINGS = {
    "[supported]": ("case does not matter", True),
    "[Not  Supported]": ("nor does the number of blanks", False),
    "Supported": ("an answer that is nothing but the verdict needs no brackets", True),
    "[Unsupported]": ("another word for the same", False),
    "[1] [Supported]": ("a citation before the verdict does no harm", True),
}


def test_ratings_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    cases = shared_golden("safe_parsers.json")["rated"]
    assert len(cases) == 10
    assert UPSTREAM_RATINGS.keys() <= {text for text, _ in cases}
    labels = {"Supported": True, "Not Supported": False}
    for text, expected in cases:
        name, wanted = UPSTREAM_RATINGS.get(text, ("as upstream", labels.get(expected)))
        assert verdict(text, RATINGS) is wanted, (name, text)


def test_the_last_verdict_counts() -> None:
    assert (
        verdict("If it were [Supported] … but by [2] it is [**Not Supported**], see [3].", RATINGS) is False
    )
    assert verdict("It is supported by everything I know.", RATINGS) is None
    assert verdict("[maybe]", RATINGS) is None


# --- label words ---------------------------------------------------------------------------------------

UPSTREAM_LABELS = {"1. Entailment\n2. Entailed": ("entailed is entailment too", "ee")}
CHARS = {"Entailment": "e", "Neutral": "n", "Contradiction": "c"}


def test_labels_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    cases = shared_golden("refchecker.json")["joint_label_parse"]
    assert len(cases) == 6
    for text, expected in cases:
        name, wanted = UPSTREAM_LABELS.get(text, ("as upstream", "".join(CHARS[label] for label in expected)))
        assert label_words(text, len(wanted)).cells == wanted, (name, text)


def test_too_few_labels_are_missing_and_too_many_are_cut_with_a_note(
    shared_golden: Callable[[str], Any],
) -> None:
    check = shared_golden("refchecker.json")["check"]
    # Upstream pads with Neutral: a verdict that nobody gave.
    assert check["joint_short_output_padded"]["result"] == [[["Entailment"]] + [["Neutral"]] * 4]
    assert label_words("Entailment", 5) == ("e----", "1 labels for 5 claims: the rest is missing")
    assert check["joint_long_output_truncated"]["result"][0][0] == ["Entailment"]
    assert label_words("Entailment " * 9, 7) == ("e" * 7, "9 labels for 7 claims: the rest was cut")
    assert label_words("Entailment: because neutral", 1).cells == "e"
    assert label_words("1. Entailment, not neutral\n2. Contradicted", 2) == ("ec", None)


@pytest.mark.parametrize(
    "text",
    [
        "The reference does not entail the claim.",
        "Not entailed",
        "No entailment",
        "It isn't contradicted.",
        "There is no contradiction, so: Neutral",
        "The claim could be entailed or neutral.",
    ],
)
def test_a_label_that_is_denied_or_weighed_is_no_verdict(text: str) -> None:
    assert label_words(text, 1).cells == "-"
    assert label_words(f"1. {text}\n2. Entailment", 2).cells == "-e"


def test_labels_in_words_and_on_one_line() -> None:
    assert label_words("The passage entails the claim.", 1) == ("e", None)
    assert label_words("My labels: Entailment, Neutral, Contradiction", 3) == ("enc", None)
    assert label_words("Claim 1: **Neutral**. It does not contradict.\nClaim 2: entailed", 2).cells == "ne"
