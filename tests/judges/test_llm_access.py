"""The model judge and model access: failures, nothing to ask, the signature, a real server, estimates."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.chat import ChatReply, ChatRequest, build_stack
from adjudge.chat import errors as e
from adjudge.errors import JudgeError, UsageError
from adjudge.judges.base import (
    CheckClaims,
    ExtractClaims,
    ExtractFacts,
    IsRefusal,
    IsRelevant,
    LabelSentences,
    MakeSelfContained,
    NextQuery,
    PointsOutError,
    Question,
    RateFact,
    RelevantSentences,
    Reply,
    SentenceLabels,
    Similarity,
    SplitSentence,
    SupportSentence,
)
from adjudge.judges.llm import Dry, LlmJudge
from adjudge.judges.llm.judge import HANDLERS
from adjudge.prompts import load_prompt
from chat.server import MisbehavingServer, random_faults
from judges.llm_helpers import (
    CHECK,
    CLAIMS,
    CONTEXTS,
    FACTS,
    LABEL,
    SIMPLE,
    ask_all,
    ask_one,
    blocks,
    labels,
    scripted,
)

# --- failures of model access --------------------------------------------------------------------------

FATAL = (e.WrongKey("k"), e.NoCredit("c"), e.WrongModel("m"), e.WrongAddress("a"), e.CostExceeded("x"))


@pytest.mark.parametrize("error", FATAL)
def test_fatal_errors_end_the_run(error: e.ChatError) -> None:
    model = scripted({"claims": []}, error)
    with pytest.raises(type(error)):
        ask_all(model, *(ExtractClaims(f"text {n}") for n in range(5)))
    with pytest.raises(type(error)):
        ask_one(scripted("no JSON", error), CLAIMS)


@pytest.mark.parametrize(
    "error",
    [
        e.GaveUp(6, e.ServerFault("the server failed")),
        e.GaveUp(1, e.BadReply("refusal", "I must not")),
        e.BadReply("content_filter", "x"),
        e.BadRequest("odd"),
        e.NotRecorded("not stored"),
        e.TimedOut("late"),
    ],
)
def test_other_errors_leave_one_question_without_an_answer(error: e.ChatError) -> None:
    def answer(request: ChatRequest) -> Any:
        return error if "bad" in request.messages[1].content else {"claims": ["fine"]}

    replies = ask_all(scripted(answer), *(ExtractClaims(text) for text in ("good", "bad", "better")))
    assert [reply.value for reply in replies] == [("fine",), None, ("fine",)]
    assert replies[1].reason == str(error)
    assert replies[1].raw == ((error.raw,) if getattr(error, "raw", "") else ())


def test_a_repair_turn_that_fails_leaves_what_there_was() -> None:
    reply = ask_one(scripted("Oh dear.", e.GaveUp(6, e.TimedOut("late"))), CLAIMS)
    assert (reply.value, reply.raw) == (None, ("Oh dear.",))
    row = {"rows": [{"claim": 1, "entailed_by": [], "contradicted_by": []}]}
    assert ask_one(scripted(row, e.ContextTooLong("long")), CHECK).value == ("nn", "--", "--")


def test_questions_are_asked_at_the_same_time() -> None:
    waiting = 0
    most = 0

    async def answer(request: ChatRequest) -> str:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.01)
        waiting -= 1
        return '{"claims": []}'

    from adjudge.chat.scripted import Scripted

    ask_all(Scripted(answer), *(ExtractClaims(f"text {n}") for n in range(20)))
    assert most == 20


# --- nothing to ask ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (ExtractClaims(" \n"), ()),
        (CheckClaims((), ("e",)), ()),
        (CheckClaims(("c", "d"), ()), ("", "")),
        (CheckClaims(("c", "d"), ("", " ")), ("nn", "nn")),
        (LabelSentences("q", (), ()), SentenceLabels((), (), ())),
        (RelevantSentences("q", ()), ()),
        (ExtractFacts("p", "", ()), ()),
        (ExtractFacts("p", " ", (" ",)), ()),
        (SplitSentence(" ", "r"), ()),
        (IsRefusal("q", ""), False),
        (PointsOutError(" "), False),
        (SupportSentence(CONTEXTS, (("a", "x"),), "z"), None),
        (NextQuery(""), None),
        (RateFact(" "), None),
        (MakeSelfContained("", "r"), None),
        (IsRelevant("", "p", "r"), None),
    ],
)
def test_where_there_is_nothing_to_ask_nothing_is_asked(question: Question, value: Any) -> None:
    model = scripted("never")
    reply = ask_one(model, question)
    assert (reply.value, model.asked) == (value, [])
    assert reply.why or reply.reason


def test_empty_evidence_is_not_shown_and_neutral() -> None:
    model = scripted({"rows": [{"claim": 1, "entailed_by": [2], "contradicted_by": [1]}]})
    assert ask_one(model, CheckClaims(("c",), ("", "x", " ", "y"))).value == ("ncne",)
    assert blocks(model.asked[0])["evidence"] == ["x", "y"]


def test_similarity_is_for_other_judges() -> None:
    assert Similarity not in LlmJudge.answers
    with pytest.raises(JudgeError, match="cannot answer Similarity"):
        ask_one(scripted("x"), Similarity("a", "b"))


def test_impossible_limits_are_refused() -> None:
    for bad in ({"budget": 0}, {"window": 0}, {"max_tokens": 0}):
        with pytest.raises(UsageError):
            LlmJudge(scripted("x"), model="m", **bad)


# --- signature -----------------------------------------------------------------------------------------


def test_the_signature_names_model_and_prompts() -> None:
    class Named:
        name, model, where = "openai/gpt-x", "gpt-x", "here"

        async def complete(self, request: ChatRequest) -> ChatReply:
            assert request.model == "gpt-x"
            return ChatReply('{"claims": []}')

    judge = LlmJudge(Named())
    assert judge.name == "openai/gpt-x"
    head, _, digest = judge.describe().rpartition(":")
    assert (head, len(digest)) == ("openai/gpt-x,prompts", 6)
    assert judge.describe([CheckClaims]) != judge.describe([RateFact])
    assert judge.describe([CheckClaims, Similarity]) == judge.describe([CheckClaims])
    assert judge.prompts([CheckClaims]) == ("ragchecker/check@1", "repair@1")
    assert asyncio.run(judge.ask([CLAIMS])) == [Reply((), raw=asyncio.run(judge.ask([CLAIMS]))[0].raw)]
    assert not judge.immediate
    assert LlmJudge(Named(), budget=800, window=4000).describe().endswith(",budget:800,window:4000")


def test_behind_a_stack_equal_questions_are_asked_once_and_stored(tmp_path: Path) -> None:
    conflicting = labels(("a", ["0a"], "full"), ("b", [], "none"), overall=True)

    def answer(request: ChatRequest) -> Any:
        if request.schema is not None:
            return e.SchemaRefused("no structured output here")
        if "Marker code" not in request.messages[1].content or "claims" in request.messages[0].content[:40]:
            return {"claims": ["one"]}
        return conflicting

    async def run(mode: str) -> tuple[list[Reply], int]:
        model = scripted(answer)
        stack = build_stack(
            "openai/m", backend=model, cache_path=tmp_path / "cache", cache=mode, first_pause=0
        )
        async with LlmJudge(stack) as judge:
            replies = await judge.ask([CLAIMS, CLAIMS, LABEL])
        return replies, len({request.key() for request in model.asked if request.schema is None})

    first, calls = asyncio.run(run("on"))
    assert [reply.value for reply in first[:2]] == [("one",), ("one",)]
    assert calls == 1 + 4, "the claims once, the labels that contradict themselves four times"
    again, calls = asyncio.run(run("replay"))
    assert (again, calls) == (first, 0)


def test_a_server_that_fails_a_third_of_the_time_leaves_no_question_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusals, half answers, wrong JSON and all: each ends in a value or a reason."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ADJUDGE_API_KEY", "ADJUDGE_PRICES"):
        monkeypatch.delenv(name, raising=False)
    questions = [CheckClaims((f"claim {n}", "other"), ("first", "second")) for n in range(120)]
    good = json.dumps({"rows": [{"claim": 1, "entailed_by": [1]}, {"claim": 2, "contradicted_by": [2]}]})

    def answer(body: dict[str, Any]) -> str:
        two = "\n[2] other" in body["messages"][1]["content"]
        return good if two else json.dumps({"rows": [{"claim": 1, "entailed_by": []}]})

    async def main() -> list[Reply]:
        options = {"first_pause": 0.01, "longest_pause": 0.02, "timeout": 0.4, "attempts": 3}
        stack = build_stack("openai/m", base_url=server.base_url, cache_path=tmp_path / "c", **options)
        async with LlmJudge(stack) as judge:
            return await judge.ask(questions)

    with MisbehavingServer(faults=random_faults(0.3, seed=5), answer=answer, schema=False) as server:
        replies = asyncio.run(main())
    assert len(replies) == 120
    for reply in replies:
        # An answer cut off at the token limit is asked for in parts, which this model finds neutral.
        cells = "".join(reply.value or "----")
        assert cells == "ennc" or (len(cells) == 4 and set(cells) <= {"n", "-"})
        assert bool(reply.reason) == ("-" in cells)
    assert sum(reply.value == ("en", "nc") for reply in replies) > 60
    assert any(reply.value is None and "refused" in (reply.reason or "") for reply in replies)
    assert max(server.times_asked().values()) <= 3


_any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats(allow_nan=True)
    | st.sampled_from(["0a", "a", "1", "x, y", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["claim", "entailed_by", "key", "support", "fact", "sentence", "repeats", "why"]),
            inner,
        )
    ),
    max_leaves=8,
)
_FIELDS = sorted(
    {name for kind in HANDLERS.values() for name in (load_prompt(kind.prompt).schema or {})["required"]}
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(_FIELDS), _any_json, max_size=6))
def test_no_answer_however_odd_breaks_the_judge(answer: dict[str, Any]) -> None:
    questions = [question for question, _, _ in SIMPLE] + [FACTS, LABEL]
    for reply in ask_all(scripted(answer), *questions):
        assert (reply.value is not None) or reply.reason


def test_lone_surrogates_do_no_harm() -> None:
    odd = "half \ud83d of it. Done."
    questions = (ExtractClaims(odd), CheckClaims((odd,), (odd,)), RelevantSentences("q", (("0a", odd),)))
    replies = asyncio.run(LlmJudge(Dry(), model="m").ask(questions))
    assert all(reply.value is not None for reply in replies)


# --- estimates -----------------------------------------------------------------------------------------


def test_every_guess_is_a_good_answer() -> None:
    questions = [question for question, _, _ in SIMPLE] + [FACTS, LABEL]
    assert {type(question) for question in questions} == LlmJudge.answers
    dry = Dry()
    replies = asyncio.run(LlmJudge(dry, model="m").ask(questions))
    assert all(reply.value is not None and reply.reason is None for reply in replies)
    # Two of the questions are equal to another, and would be asked once.
    assert dry.plan.calls == len(questions) - 2
    assert dry.plan.prompt_tokens > 250 * dry.plan.calls
    assert 0 < dry.plan.completion_tokens < 100 * dry.plan.calls


def test_a_dry_run_counts_what_a_real_run_would_send() -> None:
    question = CheckClaims(tuple(f"claim {n}" for n in range(5)), tuple("word " * 400 for _ in range(6)))
    dry = Dry()
    asyncio.run(LlmJudge(dry, model="m", budget=1500).ask([question]))
    model = scripted(lambda request: {"rows": [{"claim": n, "entailed_by": []} for n in range(1, 6)]})
    ask_one(model, question, budget=1500)
    sizes = {request.key("x"): request.prompt_size() for request in model.asked}
    assert (dry.plan.calls, dry.plan.prompt_tokens) == (len(sizes), sum(sizes.values()))
