"""The model judge: every kind of question, and answers that are not as they should be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.chat import ChatRequest
from adjudge.chat import errors as e
from adjudge.judges.base import (
    CheckClaims,
    ExtractFacts,
    Fact,
    IsRelevant,
    LabelSentences,
    MakeSelfContained,
    NextQuery,
    Question,
    RateFact,
    RelevantSentences,
    SentenceLabels,
    SplitSentence,
    Support,
    SupportSentence,
)
from adjudge.judges.llm.judge import HANDLERS
from adjudge.prompts import load_prompt
from judges.llm_helpers import (
    CHECK,
    CLAIMS,
    CONTEXTS,
    FACTS,
    LABEL,
    SIMPLE,
    ask_one,
    blocks,
    labels,
    lines_of,
    scripted,
)


@pytest.mark.parametrize(("question", "answer", "value"), SIMPLE)
def test_a_good_answer_takes_one_call(question: Question, answer: dict[str, Any], value: Any) -> None:
    model = scripted(answer)
    reply = ask_one(model, question)
    assert reply.value == value
    assert type(reply.value) is type(value)
    assert reply.reason is None
    [request] = model.asked
    prompt = load_prompt(HANDLERS[type(question)].prompt)
    assert (request.schema, request.max_tokens, request.temperature) == (
        prompt.schema,
        prompt.max_tokens,
        0.0,
    )
    assert reply.raw == (f"call:{request.key('scripted')}",)
    if "why" in answer:
        assert reply.why == "w"


def test_the_answers_of_the_step_by_step_form_are_understood_as_upstream_writes_them() -> None:
    fact = "She sang."
    cases: list[tuple[Question, str, Any]] = [
        (SplitSentence("s", "r"), "- Ada sang.\n- Ada wrote.", ("Ada sang.", "Ada wrote.")),
        (
            SplitSentence("s", "r"),
            "1. Ada sang.\n2. Ada wrote 1990 - 1995.",
            ("Ada sang.", "Ada wrote 1990 - 1995."),
        ),
        (SplitSentence("s", "r"), "- one\n- \n- two", ("one", "two")),
        (MakeSelfContained(fact, "r"), "Because.\n```\nAda sang.\n```", "Ada sang."),
        (IsRelevant(fact, "p", "r"), "The subjects are [Foo].", True),
        (IsRelevant(fact, "p", "r"), "By [1] they are [not foo].", False),
        (NextQuery(fact), "Let me see.\n```text\nAda singing\n```", "Ada singing"),
        (RateFact(fact), "Source [1] agrees. [Supported]", "entailed"),
        (RateFact(fact), "[**Not Supported**]", "neutral"),
        (RateFact(fact), "[supported]", "entailed"),
    ]
    for question, text, value in cases:
        model = scripted(text)
        assert ask_one(model, question).value == value, text
        assert len(model.asked) == 1


def test_facts_keep_sentence_relevance_and_repeats() -> None:
    def fact(n: int, text: str, relevant: Any = True, repeats: Any = None) -> dict[str, Any]:
        return {
            "sentence": n,
            "fact": text,
            "self_contained": f"[{text}]",
            "relevant": relevant,
            "repeats": repeats,
        }

    answer = {"facts": [fact(1, "A"), fact(2, "B", "no"), fact(3, "A", True, 1), fact(3, "A!", True, "3"),
                        fact(3, "C", True, 9), fact(3, "D", True, 6)]}  # fmt: skip
    reply = ask_one(scripted(answer), FACTS)
    assert reply.value == (
        Fact(0, "A", "[A]", True),
        Fact(1, "B", "[B]", False),
        Fact(2, "A", "[A]", True, 0),
        Fact(2, "A!", "[A!]", True, 0),  # a repeat of a repeat points to the first
        Fact(2, "C", "[C]", True),  # numbers that name no earlier fact count for nothing
        Fact(2, "D", "[D]", True),
    )
    model = scripted({"facts": [fact(0, "x"), fact(1, "A"), fact(4, "y"), fact(2, "A", True, 2)]})
    reply = ask_one(model, FACTS)
    assert reply.value == (Fact(0, "A", "[A]", True), Fact(1, "A", "[A]", True, 0))
    assert reply.why == "passed over: 2 facts have no text, or a number that names no sentence"
    assert len(model.asked) == 2, "and only after a repair turn"
    reply = ask_one(scripted({"facts": [fact(0, "x"), fact(4, "y")]}), FACTS)
    assert reply.value is None, "facts of which none can be used are not the same as no facts"
    assert "names no sentence" in (reply.reason or "")


def test_facts_without_a_word_on_relevance_are_asked_about_once_more() -> None:
    fact = {"sentence": 1, "fact": "A", "self_contained": "A", "repeats": None}
    model = scripted({"facts": [fact]}, {"facts": [fact | {"relevant": True}]})
    assert ask_one(model, FACTS).value == (Fact(0, "A", "A", True),)
    reply = ask_one(scripted({"facts": [fact]}), FACTS)
    assert (reply.value, reply.why) == (
        (Fact(0, "A", "A", None),),
        "relevant is neither true nor false in 1 facts",
    )


# --- TRACe ---------------------------------------------------------------------------------------------


def test_labels_of_sentences() -> None:
    model = scripted(labels(("a", ["0a."], "full"), ("b", ["general"], "full"), overall=True))
    reply = ask_one(model, LABEL)
    support = (Support("a", ("0a",), "full", "why a"), Support("b", ("general",), "full", "why b"))
    assert reply.value == SentenceLabels(("0a",), ("0a",), support, True, "wr", "ws")
    assert (reply.why, len(model.asked)) == (None, 1)
    shown = blocks(model.asked[0])
    assert lines_of(shown["documents"][0]) == list(CONTEXTS)
    assert lines_of(shown["answer"][0]) == list(LABEL.response)


def test_unknown_keys_are_dropped_with_a_note_and_markers_kept() -> None:
    every = ["general", "supported_without_sentence", "well_known_fact", "numerical_reasoning", "7z"]
    answer = labels(("b.", ["1A"], "partial"), ("a", every, "full"), ("q", [], "none"), overall=False)
    reply = ask_one(scripted(answer | {"relevant": ["0b.", "9x", "0b", "general"], "used": "0a, 1a"}), LABEL)
    assert reply.value.relevant == ("0b",)
    assert reply.value.used == ("0a", "1a")
    assert reply.value.support == (
        Support("a", tuple(every[:4]), "full", "why a"),
        Support("b", ("1a",), "partial", "why b."),
    )
    assert reply.why == "unknown keys dropped: q; unknown keys dropped: 7z, 9x, general"


def invented(where: str) -> dict[str, Any]:
    answer = labels(("a", ["0a"], "full"), ("b", ["general"], "full"), overall=True)
    if where == "supported_by":
        answer["sentences"][0]["supported_by"] = ["7z", "9x"]
        return answer
    return answer | {where: ["7z", "9x"]}


@pytest.mark.parametrize("where", ["relevant", "used", "supported_by"])
def test_a_list_of_nothing_but_invented_keys_is_no_empty_list(where: str) -> None:
    """Read as empty it would say "none relevant", which the model did not."""
    good = labels(("a", ["0a"], "full"), ("b", ["general"], "full"), overall=True)
    model = scripted(invented(where), good)
    reply = ask_one(model, LABEL)
    assert reply.value.relevant == ("0a",)
    assert len(model.asked) == 2, "asked again, with what was wrong"
    assert "none of the 2 keys" in model.asked[1].messages[-1].content
    stubborn = scripted(invented(where), invented(where))
    reply = ask_one(stubborn, LABEL)
    assert reply.value is None
    assert f"none of the 2 keys in {where}" in (reply.reason or "")
    assert len(reply.raw) == 2, "both answers are kept"


def test_an_object_in_place_of_a_list_of_keys() -> None:
    good = labels(("a", ["0a"], "full"), ("b", ["general"], "full"), overall=True)
    named = {"0a": "names the writer", "0b": False, "1a": True, "9z": "?"}
    model = scripted(good | {"relevant": named})
    reply = ask_one(model, LABEL)
    assert (reply.value.relevant, reply.why) == (("0a", "1a"), "unknown keys dropped: 9z")
    assert len(model.asked) == 1
    wrapped = good | {"used": {"keys": ["0a"]}}
    assert ask_one(scripted(wrapped, good), LABEL).value.used == ("0a",)
    reply = ask_one(scripted(wrapped, wrapped), LABEL)
    assert reply.value is None, "which is not the same as nothing used"
    assert "none of the 1 keys in used" in (reply.reason or "")


def test_invented_keys_in_the_step_by_step_form() -> None:
    relevant = RelevantSentences("q", CONTEXTS)
    assert ask_one(scripted({"why": "w", "relevant": ["zz"]}, {"relevant": ["0a"]}), relevant).value == (
        "0a",
    )
    assert ask_one(scripted(*[{"why": "w", "relevant": ["zz"]}] * 2), relevant).value is None
    support = SupportSentence(CONTEXTS, LABEL.response, "a")
    bad = {"why": "w", "supported_by": ["zz"], "support": "full"}
    assert ask_one(scripted(bad, bad), support).value is None
    assert ask_one(scripted(bad | {"support": "none"}), support).value == Support("a", (), "none", "w")


@pytest.mark.parametrize("nothing", [[], "", "none", ["None"], ["N/A"], [""], None])
def test_an_empty_list_in_whatever_words(nothing: Any) -> None:
    answer = labels(("a", [], "none"), ("b", nothing, "none"), overall=False) | {"relevant": nothing or []}
    assert ask_one(scripted(answer), LABEL).value.relevant == ()


def test_upstreams_field_names_are_understood() -> None:
    first = {"response_sentence_key": "a", "explanation": "x", "supported_sentence_keys": ["0a"]}
    second = {"response_sentence_key": "b", "explanation": "y", "supporting_sentence_keys": []}
    answer = {
        "relevance_explanation": "wr",
        "all_relevant_sentence_keys": ["0a"],
        "overall_supported_explanation": "ws",
        "overall_supported": False,
        "sentence_support_information": [
            first | {"fully_supported": True},
            second | {"fully_supported": False},
        ],
        "all_utilized_sentence_keys": [],
    }
    value = ask_one(scripted(answer), LABEL).value
    assert value == SentenceLabels(
        ("0a",), (), (Support("a", ("0a",), "full", "x"), Support("b", (), "none", "y")), False, "wr", "ws"
    )


def test_support_that_names_nothing_is_none() -> None:
    answer = labels(("a", [], "full"), ("b", [], "partial"), overall=False)
    reply = ask_one(scripted(answer), LABEL)
    assert [entry.support for entry in reply.value.support] == ["none", "none"]
    assert "a: full support that names nothing counts as none" in reply.why


def test_a_conflict_is_asked_again_up_to_three_times() -> None:
    bad = labels(("a", ["0a"], "full"), ("b", ["1a"], "partial"), overall=True)
    good = bad | {"overall_supported": False}
    model = scripted(bad, bad, good)
    reply = ask_one(model, LABEL)
    assert (reply.value.overall_supported, reply.why) == (False, None)
    assert [request.again for request in model.asked] == [0, 1, 2]
    assert len({request.key() for request in model.asked}) == 3, (
        "the cache must not give the same answer again"
    )

    model = scripted(bad)
    reply = ask_one(model, LABEL)
    assert [request.again for request in model.asked] == [0, 1, 2, 3]
    assert [entry.support for entry in reply.value.support] == ["full", "partial"]
    assert reply.value.overall_supported is True
    assert reply.why == "asked 4 times, still: overall_supported is true, against the labels of the sentences"

    unsure = labels(("a", ["0a"], "full"), ("b", ["1a"], "full"), overall=False)
    assert len(asked_for(unsure)) == 4
    assert len(asked_for(unsure | {"overall_supported": None})) == 1


def test_a_second_asking_that_fails_does_not_lose_the_first_answer() -> None:
    bad = labels(("a", ["0a"], "full"), ("b", [], "none"), overall=True)
    for failure in (e.GaveUp(6, e.TimedOut("late")), e.ContextTooLong("long"), "no JSON"):
        model = scripted(bad, failure)
        reply = ask_one(model, LABEL)
        assert [entry.support for entry in reply.value.support] == ["full", "none"]
        assert "times, still: overall_supported is true" in (reply.why or "")
        assert reply.raw == (f"call:{model.asked[0].key('scripted')}",)
    assert len(model.asked) == 1 + 2 + 1 + 1, "one repair turn in all"


def asked_for(answer: dict[str, Any]) -> list[ChatRequest]:
    model = scripted(answer)
    ask_one(model, LABEL)
    return model.asked


# --- bad answers ---------------------------------------------------------------------------------------


def test_one_repair_turn_shows_the_answer_and_what_was_wrong() -> None:
    model = scripted("I think they are fine.", {"claims": ["Ada wrote."]})
    reply = ask_one(model, CLAIMS)
    assert reply.value == ("Ada wrote.",)
    first, second = model.asked
    assert second.messages[:2] == first.messages
    assert [message.role for message in second.messages[2:]] == ["assistant", "user"]
    assert second.messages[2].content == "I think they are fine."
    assert "neither a JSON object nor a list" in second.messages[3].content
    assert second.schema == first.schema
    assert reply.raw == (f"call:{second.key('scripted')}",)


@pytest.mark.parametrize("kind", sorted(HANDLERS, key=lambda kind: kind.__name__))
def test_what_cannot_be_read_has_no_value_but_a_reason_and_the_raw_text(kind: type[Question]) -> None:
    samples = {type(question): question for question, _, _ in SIMPLE} | {
        ExtractFacts: FACTS,
        LabelSentences: LABEL,
    }
    model = scripted("Oh dear.", "Dear me.")
    reply = ask_one(model, samples[kind])
    assert reply.value is None
    assert reply.reason is not None
    assert reply.reason.startswith("the model's answer could not be used: ")
    assert reply.raw == ("Oh dear.", "Dear me.")
    assert len(model.asked) == 2


def test_rows_that_are_missing_are_missing_and_never_neutral() -> None:
    row = {"claim": 1, "entailed_by": [2], "contradicted_by": []}
    model = scripted({"rows": [row]})
    reply = ask_one(model, CHECK)
    assert reply.value == ("ne", "--", "--")
    assert reply.reason == "the judge's answer: no row for claim 2, 3"
    assert len(model.asked) == 2
    full = {"rows": [row, {"claim": 2, "entailed_by": []}, {"claim": "claim 3", "entailed_by": "1, 2"}]}
    assert ask_one(scripted({"rows": [row]}, full), CHECK).value == ("ne", "nn", "ee")


@pytest.mark.parametrize(
    "answer",
    [
        '{"claims": {"1": "A is b.", "2": "C is d."}}',
        '{"why": "two are made"}\n{"claims": ["A is b.", "C is d."]}',
        '{"claims": "- A is b.\\n- C is d."}',
        '{"claims": ["A is b."]}\n{"claims": ["C is d."]}',
        '```json\n{"claim": "A is b."},\n{"claim": "C is d."}\n```',
        '{"claims": [{"id": "c1", "content": "A is b."}, {"id": "c2", "text": "C is d."}]}',
        '{"claims": {"c1": {"subject": "A", "predicate": "is", "object": "b."}, "c2": ["C", "is", "d."]}}',
    ],
)
def test_claims_listed_in_other_shapes(answer: str) -> None:
    assert ask_one(scripted(answer), CLAIMS).value == ("A is b.", "C is d.")


@pytest.mark.parametrize(
    "answer", ['{"claims": [{"id": "c1", "about": "A is b."}]}', '{"claims": [["A", "is"], [1, 2]]}']
)
def test_claims_that_cannot_be_told_are_no_claims(answer: str) -> None:
    assert ask_one(scripted(answer), CLAIMS).value is None


@pytest.mark.parametrize(
    "row",
    [
        {"claim": 1},
        {"claim": 1, "verdict": "not entailed"},
        {"claim": 1, "entailed_by": [0], "contradicted_by": []},
        {"claim": 1, "entailed_by": [-1]},
        {"claim": 1, "entailed_by": True},
    ],
)
def test_a_row_without_a_verdict_is_missing_and_never_neutral(row: dict[str, Any]) -> None:
    text = json.dumps({"rows": [row]})
    reply = ask_one(scripted(text), CheckClaims(("c1",), ("e1",)))
    assert reply.value == ("-",)
    assert reply.reason is not None
    assert reply.reason.startswith("the judge's answer: no verdict in the row for claim 1")
    assert reply.raw[1:] == (text, text), "the words behind the missing cells are kept"


def test_a_label_in_a_row_tells_all_of_a_single_evidence_text() -> None:
    rows = [{"claim": 1, "label": "Entailment"}, {"claim": 2, "verdict": "contradicted"}]
    rows += [{"claim": 3, "Label": "neutral"}, {"claim": 4, "entailed_by": False}]
    asked = CheckClaims(("c1", "c2", "c3", "c4"), ("e1",))
    assert ask_one(scripted({"rows": rows}), asked).value == ("e", "c", "n", "n")
    assert ask_one(scripted({"rows": rows[:3]}), CHECK).value == ("--", "--", "--")


def test_a_cell_that_is_both_is_neither() -> None:
    rows = [{"claim": n, "entailed_by": [1], "contradicted_by": [1, 2] if n == 2 else []} for n in (1, 2, 3)]
    reply = ask_one(scripted({"rows": rows}), CHECK)
    assert reply.value == ("en", "-c", "en")
    assert reply.reason == "the judge's answer: the same evidence entails and contradicts claim 2"


def test_numbers_that_name_nothing_are_repaired_then_passed_over() -> None:
    rows = [{"claim": n, "entailed_by": [0, 2, 3, 2], "contradicted_by": []} for n in (1, 2, 3)]
    model = scripted({"rows": [*rows, {"claim": 4}]})
    reply = ask_one(model, CHECK)
    assert (reply.value, reply.reason, len(model.asked)) == (("ne",) * 3, None, 2)
    assert "7 numbers name no claim or evidence text" in (reply.why or "")


def test_a_table_that_breaks_off_keeps_its_complete_rows() -> None:
    text = '{"rows": [{"claim": 1, "entailed_by": [1], "contradicted_by": []}, {"claim": 2, "entailed_by": [2'
    reply = ask_one(scripted(text), CHECK)
    assert (reply.value, reply.reason) == (
        ("en", "--", "--"),
        "the judge's answer: it breaks off before its end",
    )
    assert ask_one(scripted('{"claims": ["a", "b", "c'), CLAIMS).value is None, (
        "how many more there were is not known"
    )


def test_label_words_serve_one_column_or_one_row() -> None:
    column = CheckClaims(("c1", "c2"), ("e1",))
    assert ask_one(scripted("Entailment\nContradiction"), column).value == ("e", "c")
    assert ask_one(scripted("Neutral, Entailed"), CheckClaims(("c1",), ("e1", "e2"))).value == ("ne",)
    model = scripted("Entailment")
    reply = ask_one(model, column)
    assert (reply.value, reply.reason) == (("e", "-"), "1 labels for 2 claims: the rest is missing")
    assert len(model.asked) == 2
    assert ask_one(scripted("Entailment Neutral"), CHECK).value is None, "no telling which cell a word is for"


def test_a_bare_list_of_rows_will_do() -> None:
    rows = [{"claim": n, "entailed_by": [], "contradicted_by": [1]} for n in (1, 2, 3)]
    assert ask_one(scripted(json.dumps(rows)), CHECK).value == ("cn",) * 3
