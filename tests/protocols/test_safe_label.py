"""SAFE from raw text: facts in one question, checked against contexts or by searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from adjudge.errors import InputError, JudgeError, UsageError
from adjudge.evidence.base import SearchFailed
from adjudge.judges.base import (
    CheckClaims,
    ExtractFacts,
    Fact,
    IsRelevant,
    MakeSelfContained,
    NextQuery,
    RateFact,
    Reply,
    SplitSentence,
)
from adjudge.protocols.safe import Safe
from adjudge.types import Record, Sample, from_json, to_json
from safe_helpers import FAILED, Library, Scripted, counts, install_library, label, rate_by, values


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    return install_library(monkeypatch)


CONTEXTS = ("Ann was born in Bonn in 1990.", "Ann moved to Rome. Bo has a dog.")
RESPONSE = "Ann was born in 1990. She lives in Rome and sings. Ann's birth was in 1990. Cats purr."
FACTS = (
    Fact(0, "Ann was born in 1990.", "Ann was born in 1990.", True),
    Fact(1, "She lives in Rome.", "Ann lives in Rome.", True),
    Fact(1, "She sings.", "Ann sings.", None),
    Fact(2, "Ann's birth was in 1990.", None, True, 0),
    Fact(3, "Cats purr.", None, False, None, "nothing to do with Ann"),
    Fact(9, "  ", None, True),
)
SAMPLE = Sample(id="1", question="Who is Ann?", response=RESPONSE, contexts=CONTEXTS)


def test_joint_with_contexts_takes_two_questions() -> None:
    judge = Scripted(ExtractFacts=lambda q: FACTS, CheckClaims=lambda q: ("en", "cn", "nn"))
    safe = Safe(k=2)
    labelled = label(safe, SAMPLE, judge)
    first, check = judge.asked
    assert isinstance(first, ExtractFacts)
    assert first.sentences[1] == "She lives in Rome and sings."
    assert isinstance(check, CheckClaims)
    claims = ("Ann was born in 1990.", "Ann lives in Rome.", "Ann sings.")
    assert check == CheckClaims(claims, CONTEXTS, passages=len(CONTEXTS))
    assert values(labelled, "check") == {
        "fact:a.1": "entailed",
        "fact:b.1": "contradicted",
        "fact:b.2": "neutral",
        "fact:c.1": "entailed",
    }
    by = {(x.name, x.unit): x for x in labelled.labels}
    assert by["check", "fact:a.1"].against == "ctx:0"
    assert "Bonn" in (by["check", "fact:a.1"].why or "")
    assert by["duplicate_of", "fact:c.1"].against == "fact:a.1"
    assert values(labelled, "self_contained") == {"fact:b.1": "Ann lives in Rome.", "fact:b.2": "Ann sings."}
    assert by["relevant", "fact:d.1"].why == "nothing to do with Ann"
    assert by["relevant", "fact:b.2"].reason == "the judge did not say"
    assert {x.source for x in labelled.labels} == {"judge:scripted"}
    assert counts(safe, labelled) == {"claims": 5, "supported": 2, "irrelevant": 1, "not_supported": 2}
    assert from_json(to_json(Record(protocol="safe", labels=labelled.labels)), Record).labels


def test_sentences_are_split_by_the_language_that_the_sample_names() -> None:
    judge = Scripted(ExtractFacts=lambda q: ())
    response = "Er steht seit dem 5. Mai 1893. Er ist hoch."
    label(Safe(k=2), msgspec.structs.replace(SAMPLE, response=response, attributes={"language": "de"}), judge)
    assert judge.asked[0].sentences == ("Er steht seit dem 5. Mai 1893.", "Er ist hoch.")


def test_facts_in_any_order_and_of_no_known_sentence() -> None:
    """A judge may list facts as it likes, repeat a repeat, and miscount: nothing is lost or mixed up."""
    listed = (
        Fact(2, "Ann's birth was in 1990.", None, True),
        Fact(0, "Ann was born in 1990.", None, True, 0),
        Fact(0, "1990 saw Ann's birth.", None, True, 1),
        Fact(77, "Cats purr.", None, True, 9),
        Fact(-1, "Ann exists.", None, False, 3),
    )
    judge = Scripted(ExtractFacts=lambda q: listed, CheckClaims=lambda q: ("en", "cn"))
    labelled = label(Safe(), SAMPLE, judge)
    assert {u.id: u.text for u in labelled.units if u.kind == "fact"} == {
        "fact:a.1": "Ann was born in 1990.",
        "fact:a.2": "1990 saw Ann's birth.",
        "fact:a.3": "Ann exists.",
        "fact:c.1": "Ann's birth was in 1990.",
        "fact:d.1": "Cats purr.",
    }
    assert isinstance(judge.asked[1], CheckClaims)
    assert judge.asked[1].claims == ("Ann was born in 1990.", "Cats purr.")
    found = values(labelled, "check")
    assert found == {
        "fact:a.1": "entailed",
        "fact:a.2": "entailed",
        "fact:c.1": "entailed",
        "fact:d.1": "contradicted",
    }
    copies = {x.unit: x.against for x in labelled.labels if x.name == "duplicate_of"}
    # fact:d.1 counts, and what it repeats does not: no duplicate, or neither would be among the distinct.
    assert copies == {"fact:a.2": "fact:a.1", "fact:c.1": "fact:a.1"}


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("ec", "entailed"),
        ("nc", "contradicted"),
        ("nn", "neutral"),
        ("-e", "entailed"),
        ("c-", None),
        ("nx", None),
        ("n", None),
        ("", None),
    ],
)
def test_verdict_over_contexts(row: str, value: str | None) -> None:
    judge = Scripted(ExtractFacts=lambda q: FACTS[:1], CheckClaims=lambda q: (row,))
    check = next(x for x in label(Safe(), SAMPLE, judge).labels if x.name == "check")
    assert check.value == value
    assert (check.reason is None) == (value is not None)


def test_joint_failures_are_told() -> None:
    judge = Scripted(ExtractFacts=lambda q: FAILED)
    failed = label(Safe(), SAMPLE, judge)
    assert Safe().score(failed)[0].reason == "the response was not split into facts: unreadable"
    assert failed.steps[0]["raw"] == ["gibberish"]
    judge = Scripted(ExtractFacts=lambda q: FACTS, CheckClaims=lambda q: FAILED)
    unrated = label(Safe(), SAMPLE, judge)
    assert values(unrated, "check") == dict.fromkeys(("fact:a.1", "fact:b.1", "fact:b.2", "fact:c.1"))
    assert {x.reason for x in unrated.labels if x.name == "check"} == {"unreadable"}
    assert counts(Safe(), unrated)["claims"] == 5


def test_what_was_passed_over_of_the_facts_is_told() -> None:
    cut = Reply(FACTS, "passed over: 1 facts have no text", "the answer was cut off", raw=("half a list",))
    judge = Scripted(ExtractFacts=lambda q: cut, CheckClaims=lambda q: ("en", "cn", "nn"))
    labelled = label(Safe(), SAMPLE, judge)
    (marker,) = [x for x in labelled.labels if x.name == "facts"]
    assert (marker.value, marker.why) == (5, "passed over: 1 facts have no text; the answer was cut off")
    assert [step["raw"] for step in labelled.steps] == [["half a list"]]


def test_why_a_context_was_not_checked_is_told() -> None:
    told = Reply(("n-",), reason="the passage is too long")
    judge = Scripted(ExtractFacts=lambda q: FACTS[:1], CheckClaims=lambda q: told)
    precision = Safe().score(label(Safe(), SAMPLE, judge))[0]
    assert precision.state == "unscored"
    assert precision.reason == (
        "its one fact has no verdict: the judge gave no verdict against ctx:1: the passage is too long"
    )


def test_few_rows_from_the_judge_leave_no_fact_behind() -> None:
    judge = Scripted(ExtractFacts=lambda q: FACTS, CheckClaims=lambda q: ("en",))
    found = values(label(Safe(), SAMPLE, judge), "check")
    assert found == {"fact:a.1": "entailed", "fact:b.1": None, "fact:b.2": None, "fact:c.1": "entailed"}


@pytest.mark.parametrize("response", ["", " \n "])
def test_an_empty_response_costs_nothing(response: str) -> None:
    judge = Scripted()
    labelled = label(Safe(), msgspec.structs.replace(SAMPLE, response=response), judge)
    assert judge.rounds == []
    assert [(x.name, x.value) for x in labelled.labels] == [("facts", 0)]
    assert Safe().score(labelled)[0].state == "by_convention"


def test_contexts_that_are_missing_or_none() -> None:
    bare = Sample(id="7", question="q", response="r")
    with pytest.raises(InputError, match="sample '7', field 'contexts'") as error:
        label(Safe(), bare, Scripted())
    assert "safe.evidence=corpus:PATH" in str(error.value)
    judge = Scripted(ExtractFacts=lambda q: FACTS[:1])
    labelled = label(Safe(), msgspec.structs.replace(SAMPLE, contexts=()), judge)
    assert values(labelled, "check") == {"fact:a.1": "neutral"}
    assert len(judge.asked) == 1


def test_only_the_number_of_claims_is_wanted() -> None:
    safe = Safe(metrics=("safe.claims",))
    assert safe.questions == {ExtractFacts}
    judge = Scripted(ExtractFacts=lambda q: FACTS)
    labelled = label(safe, Sample(id="1", response=RESPONSE), judge)
    assert [x.name for x in labelled.labels] == ["facts"]
    assert safe.score(labelled)[0].value == 5


def search_judge(**script: Callable[[Any], Any]) -> Scripted:
    plain: dict[str, Callable[[Any], Any]] = {
        "ExtractFacts": lambda q: FACTS,
        "NextQuery": lambda q: f"{q.fact} {len(q.knowledge)}",
        "RateFact": rate_by("1990"),
    }
    return Scripted(**(plain | script))


def test_early_stop_and_repeats(library: Library) -> None:
    judge = search_judge()
    labelled = label(Safe(evidence="library", max_steps=3), SAMPLE, judge)
    # Three distinct relevant facts: one decided at once, two after all three steps; stages go together.
    assert judge.kinds() == {"ExtractFacts": 1, "NextQuery": 7, "RateFact": 7}
    assert judge.rounds == [["ExtractFacts"], *[["NextQuery"], ["RateFact"]] * 3]
    assert len(library.queries) == 7
    assert values(labelled, "check") == {
        "fact:a.1": "entailed",
        "fact:b.1": "neutral",
        "fact:b.2": "neutral",
        "fact:c.1": "entailed",
    }
    check = next(x for x in labelled.labels if x.name == "check")
    assert check.why == ("searched 'Ann was born in 1990. 0': RESULT(Ann was born in 1990. 0)")
    assert labelled.steps[0] == {
        "unit": "fact:a.1",
        "query": "Ann was born in 1990. 0",
        "result": "RESULT(Ann was born in 1990. 0)",
        "sources": ["shelf"],
    }
    assert (library.opened, library.closed) == (1, 1)


def test_without_early_stop_all_steps_are_taken_and_rated_once(library: Library) -> None:
    judge = search_judge()
    label(Safe(evidence="library", max_steps=3, early_stop=False), SAMPLE, judge)
    assert judge.kinds() == {"ExtractFacts": 1, "NextQuery": 9, "RateFact": 3}


def test_a_query_asked_before_ends_the_search(library: Library) -> None:
    judge = search_judge(NextQuery=lambda q: q.fact)
    label(Safe(evidence="library"), SAMPLE, judge)
    assert judge.kinds() == {"ExtractFacts": 1, "NextQuery": 5, "RateFact": 3}
    assert len(library.queries) == 3


@pytest.mark.parametrize(("early_stop", "copies"), [(True, 1), (False, 3)])
def test_a_passage_found_again(early_stop: bool, copies: int, library: Library) -> None:
    """The paper's form hands it on each time; ours once, and rates again only what is new."""
    library.find = lambda query: ["The same old page."]
    turn = iter(range(99))
    judge = search_judge(NextQuery=lambda q: f"{q.fact} {next(turn)}")
    label(Safe(evidence="library", max_steps=3, early_stop=early_stop), SAMPLE, judge)
    rated = [q.knowledge for q in judge.asked if isinstance(q, RateFact)]
    assert rated == [("The same old page.",) * copies] * 3
    assert judge.kinds()["NextQuery"] == 9


def test_nothing_found_is_neutral_and_no_query_is_no_verdict(library: Library) -> None:
    library.find = lambda query: []
    judge = search_judge(NextQuery=lambda q: FAILED if "Rome" in q.fact else f"{q.fact} {len(q.knowledge)}")
    labelled = label(Safe(evidence="library", max_steps=2), SAMPLE, judge)
    assert judge.kinds()["RateFact"] == 0
    assert any("nothing there: Ann sings. 0" in q.knowledge for q in judge.asked if isinstance(q, NextQuery))
    by = {x.unit: x for x in labelled.labels if x.name == "check"}
    assert by["fact:b.2"].value == "neutral"
    assert by["fact:b.2"].why == "nothing was found for 'Ann sings. 0', 'Ann sings. 1'"
    assert (by["fact:b.1"].value, by["fact:b.1"].reason) == (None, "no search was made: unreadable")
    assert [s["result"] for s in labelled.steps if "query" in s] == ["nothing there"] * 4


def test_a_failed_search_costs_its_fact_only(library: Library) -> None:
    def find(query: str) -> list[str]:
        if "Rome" in query:
            raise SearchFailed("the line is dead")
        return ["born 1990"]

    library.find = find
    labelled = label(Safe(evidence="library"), SAMPLE, search_judge())
    by = {x.unit: x for x in labelled.labels if x.name == "check"}
    assert (by["fact:b.1"].value, by["fact:b.1"].reason) == (None, "the line is dead")
    assert by["fact:a.1"].value == by["fact:b.2"].value == "entailed"

    def refuse(query: str) -> list[str]:
        raise JudgeError("wrong key")

    library.find = refuse
    with pytest.raises(JudgeError, match="wrong key"):
        label(Safe(evidence="library"), SAMPLE, search_judge())


def test_answers_that_are_no_verdict(library: Library) -> None:
    judge = search_judge(RateFact=lambda q: "perhaps")
    labelled = label(Safe(evidence="library", max_steps=1), SAMPLE, judge)
    assert {x.reason for x in labelled.labels if x.name == "check"} == {
        "the judge answered 'perhaps', which is no verdict"
    }


def test_the_corpus_is_found_to_be_missing_before_any_question(tmp_path: Any) -> None:
    judge = search_judge()
    with pytest.raises(UsageError, match="no such corpus"):
        label(Safe(evidence=f"corpus:{tmp_path / 'no'}"), SAMPLE, judge)
    assert judge.asked == []


def test_questions_and_signature_follow_the_parameters(library: Library) -> None:
    assert Safe().questions == Safe.asks == {ExtractFacts, CheckClaims}
    assert Safe(evidence="web").questions == {ExtractFacts, NextQuery, RateFact}
    assert Safe(steps=True).questions == {SplitSentence, MakeSelfContained, IsRelevant, NextQuery, RateFact}
    assert Safe(evidence="web").signature("labels:human:x") == Safe().signature("labels:human:x")
    assert "|k:100|evidence:contexts|judge:x|" in Safe().signature("judge:x")
    assert "|k:100|steps:yes|evidence:library:test|max_steps:5|results:3|early_stop:no|judge:x|" in Safe(
        evidence="library", steps=True, early_stop=False
    ).signature("judge:x")
    assert "|evidence:web:serper|max_steps:5|" in Safe(evidence="web").signature("judge:x")


@pytest.mark.parametrize(
    "bad", [{"evidence": "wiki"}, {"evidence": "corpus"}, {"max_steps": 0}, {"results": -1}]
)
def test_impossible_parameters(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Safe(**bad)
