"""Questions longer than the budget or the model's window: split, merged, and never silently cut."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.chat import ChatReply, ChatRequest
from adjudge.chat import errors as e
from adjudge.judges.base import (
    CheckClaims,
    ExtractClaims,
    ExtractFacts,
    Fact,
    LabelSentences,
    Question,
    RateFact,
    RelevantSentences,
    Reply,
    Support,
    SupportSentence,
)
from adjudge.judges.llm.facts import Facts
from adjudge.judges.llm.handler import groups
from judges.llm_helpers import ask_one, blocks, lines_of, scripted

Script = Callable[[ChatRequest], Any]


def shared_words(request: ChatRequest) -> dict[str, Any]:
    """Entailed if the claim's first word is in the evidence, contradicted if its second is."""
    shown = blocks(request)
    rows = []
    for key, claim in lines_of(shown["claims"][0]):
        first, second = claim.split()[:2]
        texts = [set(text.split()) for text in shown["evidence"]]
        rows.append({
            "claim": int(key),
            "entailed_by": [n for n, words in enumerate(texts, 1) if first in words],
            "contradicted_by": [n for n, has in enumerate(texts, 1) if second in has and first not in has],
        })  # fmt: skip
    return {"rows": rows}


def too_long_above(most: int, script: Script) -> Script:
    """A model with a small window."""
    return lambda request: (
        e.ContextTooLong(f"more than {most} tokens") if request.prompt_size() > most else script(request)
    )


_SMALLEST = 560
"""Tokens that one claim and one text of sixty words, which cannot be split, have room in."""
_words = st.lists(st.sampled_from(["ab", "bc", "cd", "de", "ef"]), min_size=2, max_size=60).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(_words, min_size=1, max_size=6),
    st.lists(_words, min_size=1, max_size=6),
    st.integers(_SMALLEST, 800),
    st.booleans(),
)
def test_a_check_in_parts_gives_the_same_grid(
    claims: list[str], evidence: list[str], most: int, told: bool
) -> None:
    question = CheckClaims(tuple(claims), tuple(evidence))
    whole = scripted(shared_words)
    expected = ask_one(whole, question)
    assert len(whole.asked) == 1
    if told:
        model = scripted(shared_words)
        reply = ask_one(model, question, budget=most)
    else:
        model = scripted(too_long_above(most, shared_words))
        reply = ask_one(model, question)
    assert (reply.value, reply.reason) == (expected.value, None)


def test_evidence_is_packed_before_claims_are_split() -> None:
    question = CheckClaims(("ab bc", "cd de"), tuple(f"ab {'word ' * 800}" for _ in range(6)))
    model = scripted(shared_words)
    reply = ask_one(model, question, budget=3000)
    assert reply.value == ("eeeeee", "nnnnnn")
    assert [len(blocks(request)["evidence"]) for request in model.asked] == [2, 2, 2]
    assert all(len(lines_of(blocks(request)["claims"][0])) == 2 for request in model.asked)
    assert all(request.prompt_size() <= 3000 for request in model.asked)
    assert len(reply.raw) == 3


def test_down_to_one_claim_and_one_evidence_text() -> None:
    question = CheckClaims(("ab bc " * 300, "cd de " * 300), ("ab " * 600, "cd " * 600))
    model = scripted(too_long_above(1800, shared_words))
    reply = ask_one(model, question)
    assert reply.value == ("en", "ne")
    sizes = [(len(lines_of(blocks(r)["claims"][0])), len(blocks(r)["evidence"])) for r in model.asked]
    assert sizes.count((1, 1)) == 4


def test_what_is_still_too_long_is_missing_with_the_reason_and_the_rest_is_there() -> None:
    question = CheckClaims(("ab bc",), ("ab", "word " * 5000))
    reply = ask_one(scripted(too_long_above(1000, shared_words)), question)
    assert reply.value == ("e-",)
    assert reply.reason == "more than 1000 tokens; the question cannot be split further"
    alone = ask_one(scripted(too_long_above(1000, shared_words)), CheckClaims(("ab bc",), ("word " * 5000,)))
    assert (alone.value, alone.reason) == (None, reply.reason)


def test_a_known_window_saves_calls_that_must_fail() -> None:
    model = scripted(shared_words)
    reply = ask_one(model, CheckClaims(("ab bc",), ("word " * 5000,)), window=2000)
    assert (reply.value, model.asked) == (None, [])
    assert "longer than the window of 2000" in (reply.reason or "")
    fits = scripted(shared_words)
    many = CheckClaims(("ab bc",), ("ab " * 900,) * 4)
    assert ask_one(fits, many, window=2000).value == ("eeee",)
    assert all(r.prompt_size() + (r.max_tokens or 0) <= 2000 + 500 for r in fits.asked)
    assert all(r.max_tokens == 1000 for r in fits.asked)
    # The budget alone is a wish: one text that is longer is sent all the same.
    assert ask_one(scripted(shared_words), CheckClaims(("ab bc",), ("ab " * 900,)), budget=300).value == (
        "e",
    )


def test_an_answer_cut_off_at_the_token_limit_is_asked_for_in_parts() -> None:
    def short_of_breath(request: ChatRequest) -> Any:
        answer = shared_words(request)
        if len(answer["rows"]) > 2:
            return e.GaveUp(1, e.BadReply("length", '{"rows": ['))
        return answer

    question = CheckClaims(tuple(f"ab{n} x" for n in range(8)), ("ab3 ab5",))
    assert ask_one(scripted(short_of_breath), question).value == ("n", "n", "n", "e", "n", "e", "n", "n")

    cut = ChatReply(
        '{"rows": [{"claim": 1, "entailed_by": [1], "contradicted_by": []}', finish_reason="length"
    )
    reply = ask_one(scripted(cut), CheckClaims(("ab x",), ("ab",)))
    assert (reply.value, reply.reason) == (("e",), None), "it was whole but for the last brackets"
    reply = ask_one(scripted(ChatReply('{"claims": ["a', finish_reason="length")), ExtractClaims("ab"))
    assert (reply.value, reply.raw) == (None, ('{"claims": ["a',))
    assert "cut off at the token limit" in (reply.reason or "")


def test_where_the_answer_is_too_long_what_makes_it_long_is_split() -> None:
    def breathless(script: Script, name: str) -> Script:
        def answer(request: ChatRequest) -> Any:
            said = script(request)
            return e.GaveUp(1, e.BadReply("length", "{")) if len(said[name]) > 2 else said

        return answer

    check = CheckClaims(tuple(f"ab{n} x" for n in range(4)), tuple(f"ab{n}" for n in range(30)))
    model = scripted(breathless(shared_words, "rows"))
    assert [row.index("e") for row in ask_one(model, check).value] == [0, 1, 2, 3]
    assert len(model.asked) == 3, "not once for every evidence text"
    label = LabelSentences("q", tuple((f"{n}a", f"topic{n}") for n in range(9)), (*RESPONSE, ("d", "topic2")))
    model = scripted(breathless(grounded, "sentences"))
    assert [entry.support for entry in ask_one(model, label).value.support] == [
        "full",
        "full",
        "none",
        "full",
    ]
    assert len(model.asked) == 3


def test_long_texts_are_split_between_sentences() -> None:
    text = " ".join(f"Number {n} is {'very ' * 60}big." for n in range(12))

    def by_sentence(request: ChatRequest) -> dict[str, Any]:
        [shown] = blocks(request)["text"]
        return {
            "claims": [f"{part.strip()}." for part in shown.split("big.") if part.strip()] + ["All are big."]
        }

    model = scripted(by_sentence)
    reply = ask_one(model, ExtractClaims(text, "q"), budget=800)
    assert len(model.asked) > 2
    assert "".join(blocks(request)["text"][0].strip() + " " for request in model.asked).strip() == text
    assert len(reply.value) == 13, "what two parts both claim is one claim"
    assert [claim.split()[1] for claim in reply.value if claim != "All are big."] == [
        str(n) for n in range(12)
    ]

    failing = scripted({"claims": ["a"]}, e.GaveUp(1, e.BadReply("refusal")))
    reply = ask_one(failing, ExtractClaims(text), budget=800)
    assert reply.value is None, "some of the claims are not the claims"
    assert "parts of the question have no answer" in (reply.reason or "")


def test_facts_in_parts_keep_their_sentences_and_repeats() -> None:
    sentences = tuple(f"Fact {n % 5} {'holds ' * 40}." for n in range(10))

    def one_each(request: ChatRequest) -> dict[str, Any]:
        facts = []
        seen: dict[str, int] = {}
        for key, text in lines_of(blocks(request)["response"][0]):
            name = " ".join(text.split()[:2])
            repeats = seen.get(name)
            seen.setdefault(name, len(facts) + 1)
            facts.append({"sentence": int(key), "fact": name, "self_contained": name, "relevant": True,
                          "repeats": repeats})  # fmt: skip
        return {"facts": facts}

    question = ExtractFacts("p", " ".join(sentences), sentences)
    expected = tuple(
        Fact(n, f"Fact {n % 5}", f"Fact {n % 5}", True, n - 5 if n >= 5 else None) for n in range(10)
    )
    whole = scripted(one_each)
    assert ask_one(whole, question).value == expected
    assert "before" not in blocks(whole.asked[0]), "the sentences are the response"
    model = scripted(one_each)
    assert ask_one(model, question, budget=900).value == expected
    assert len(model.asked) > 1
    assert "before" not in blocks(model.asked[0])
    for request in model.asked[1:]:
        [before] = blocks(request)["before"]
        first = lines_of(blocks(request)["response"][0])[0][1]
        joined = " ".join(" ".join(sentences).split())
        assert f"{before} {first}" in joined, "each part sees what stands before it"
    # A response of which only some sentences are asked for is shown as well.
    some = scripted(one_each)
    ask_one(some, ExtractFacts("p", " ".join(sentences), sentences[:2]))
    assert "before" in blocks(some.asked[0])


def test_repeats_inside_a_later_part_point_to_the_right_fact() -> None:
    parts = [ExtractFacts("p", "", ("one", "two")), ExtractFacts("p", "", ("three", "four"))]
    replies = [
        Reply((Fact(0, "A", "Ada", True), Fact(1, "B", "Bob", True))),
        Reply(
            (
                Fact(0, "b", "bob ", True),
                Fact(1, "C", "Cy", True),
                Fact(1, "C again", "Cyrus", True, 1),
                Fact(1, "b3", "Bobby", True, 0),
            )
        ),
    ]
    merged = Facts().merge(ExtractFacts("p", "", ("one", "two", "three", "four")), parts, replies).value
    assert [(fact.sentence, fact.duplicate_of) for fact in merged] == [
        (0, None),
        (1, None),
        (2, 1),  # the same words as in the first part
        (3, None),
        (3, 3),
        (3, 1),  # a repeat of what is itself a repeat
    ]


CONTEXTS = tuple((f"{n}a", f"topic{n} {'word ' * 60}") for n in range(6))
RESPONSE = (("a", "topic1"), ("b", "topic1 topic4"), ("c", "topic9"))


def grounded(request: ChatRequest) -> dict[str, Any]:
    """A sentence is backed by the documents that share a topic: fully, if they have all of its topics."""
    shown = blocks(request)
    topics = {text.split()[0]: key for key, text in lines_of(shown["documents"][0])}
    entries = []
    for key, text in lines_of(shown["answer"][0]):
        by = [topics[word] for word in text.split() if word in topics]
        level = "none" if not by else "full" if len(by) == len(text.split()) else "partial"
        entries.append({"key": key, "why": f"{len(by)}", "supported_by": by, "support": level})
    used = sorted({key for entry in entries for key in entry["supported_by"]})
    return {
        "why_relevant": "r", "why_supported": "s",
        "relevant": [key for key in topics.values() if key in ("1a", "5a")],
        "overall_supported": all(entry["support"] == "full" for entry in entries),
        "sentences": entries, "used": used,
    }  # fmt: skip


def test_labels_in_parts_join_what_the_groups_say() -> None:
    question = LabelSentences("q", CONTEXTS, RESPONSE)
    model = scripted(grounded)
    value = ask_one(model, question, budget=850).value
    assert len(model.asked) >= 4
    assert value.relevant == ("1a", "5a")
    assert value.used == ("1a", "4a")
    assert value.overall_supported is False
    # b is backed in part by each of two groups, and fully by what they name, seen together.
    last = blocks(model.asked[-1])
    assert [key for key, _ in lines_of(last["documents"][0])] == ["1a", "4a"]
    assert [key for key, _ in lines_of(last["answer"][0])] == ["b"]
    assert [(x.key, x.supported_by, x.support) for x in value.support] == [
        ("a", ("1a",), "full"),
        ("b", ("1a", "4a"), "full"),
        ("c", (), "none"),
    ]
    assert value.support == ask_one(scripted(grounded), question).value.support
    backed = replace(question, response=RESPONSE[:2])
    assert ask_one(scripted(grounded), backed, budget=850).value.overall_supported is True


def test_what_the_groups_name_may_be_too_long_together() -> None:
    everything = " ".join(f"topic{n}" for n in range(7))
    question = LabelSentences("q", CONTEXTS, (("a", everything),))
    reply = ask_one(scripted(grounded), question, budget=850)
    (entry,) = reply.value.support
    assert (entry.support, len(entry.supported_by)) == ("partial", 6)
    assert "not seen together: together they are too long" in (reply.why or "")

    def fails(request: ChatRequest) -> Any:
        shown = [key for key, _ in lines_of(blocks(request)["documents"][0])]
        return e.GaveUp(1, e.TimedOut("late")) if shown == ["1a", "4a"] else grounded(request)

    reply = ask_one(scripted(fails), LabelSentences("q", CONTEXTS, RESPONSE), budget=850)
    assert [entry.support for entry in reply.value.support] == ["full", "partial", "none"]
    assert "late" in (reply.why or "")


def test_a_long_response_is_labelled_in_parts_too() -> None:
    response = tuple((key, f"topic1 {'x ' * 300}") for key in "abcd")
    model = scripted(too_long_above(1100, grounded))
    value = ask_one(model, LabelSentences("q", CONTEXTS[:2], response)).value
    assert [entry.key for entry in value.support] == list("abcd")
    assert value.relevant == ("1a",)


def test_labels_without_one_of_the_groups_are_none() -> None:
    def fails(request: ChatRequest) -> Any:
        return (
            e.GaveUp(1, e.TimedOut("late"))
            if "topic4" in blocks(request)["documents"][0]
            else grounded(request)
        )

    reply = ask_one(scripted(fails), LabelSentences("q", CONTEXTS, RESPONSE), budget=850)
    assert reply.value is None
    assert "late" in (reply.reason or "")


def test_step_by_step_questions_are_split_by_contexts() -> None:
    def relevant(request: ChatRequest) -> dict[str, Any]:
        answer = grounded_documents(request)
        return {"why": "w", "relevant": answer}

    def grounded_documents(request: ChatRequest) -> list[str]:
        keys = [key for key, _ in lines_of(blocks(request)["documents"][0])]
        return [key for key in keys if key in ("1a", "5a")]

    model = scripted(relevant)
    assert ask_one(model, RelevantSentences("q", CONTEXTS), budget=500).value == ("1a", "5a")
    assert len(model.asked) > 1

    def support(request: ChatRequest) -> dict[str, Any]:
        found = grounded_documents(request)
        return {"why": "w", "supported_by": found, "support": "partial" if found else "none"}

    question = SupportSentence(CONTEXTS, RESPONSE, "b")
    assert ask_one(scripted(support), question, budget=600).value == Support(
        "b", ("1a", "5a"), "partial", "w"
    )

    def both(request: ChatRequest) -> dict[str, Any]:
        return support(request) | ({"support": "full"} if len(grounded_documents(request)) > 1 else {})

    model = scripted(both)
    assert ask_one(model, question, budget=800).value == Support("b", ("1a", "5a"), "full", "w")
    assert [key for key, _ in lines_of(blocks(model.asked[-1])["documents"][0])] == ["1a", "5a"]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (("not_supported", "contradicted", "supported"), "entailed"),
        (("not_supported", "contradicted", "not_supported"), "contradicted"),
        (("not_supported", "not_supported", "not_supported"), "neutral"),
    ],
)
def test_findings_in_groups(said: tuple[str, ...], value: str) -> None:
    answers = ({"why": "w", "verdict": verdict} for verdict in said)
    reply = ask_one(scripted(*answers), RateFact("f", ("word " * 400,) * 3), budget=800)
    assert reply.value == value


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30), st.integers(0, 2000), st.integers(2, 3000))
@example([100, 100, 300, 1], 900, 1000)
@example([1, 1], 2000, 1000)
def test_groups_are_whole_and_in_order(weights: list[int], besides: int, target: int) -> None:
    found = groups(weights, sum(weights) + besides, target)
    assert [index for part in found for index in range(part.start, part.stop)] == list(range(len(weights)))
    room = max(target - besides, target // 2)
    for part in found:
        assert sum(weights[part]) <= room or part.stop - part.start == 1
    for one, other in pairwise(found):
        assert sum(weights[one]) + weights[other.start] > room, "no group ends before it must"


@pytest.mark.parametrize(
    "question",
    [
        ExtractClaims("One. Two. Three. Four."),
        CheckClaims(("a", "b", "c"), ("x", "y", "z")),
        LabelSentences("q", CONTEXTS, RESPONSE),
        RelevantSentences("q", CONTEXTS),
        SupportSentence(CONTEXTS, RESPONSE, "a"),
        ExtractFacts("p", "One. Two. Three.", ("One.", "Two.", "Three.")),
        RateFact("f", ("a", "b", "c")),
    ],
)
def test_a_model_that_finds_everything_too_long_ends_in_a_reason(question: Question) -> None:
    model = scripted(e.ContextTooLong("too long"))
    reply = ask_one(model, question)
    assert reply.value is None
    assert "too long" in (reply.reason or "")
    assert len(model.asked) < 60
