"""SAFE's steps as the paper takes them, against recorded runs of the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from adjudge.judges.base import NextQuery, Reply
from adjudge.protocols.safe import Safe
from adjudge.types import Labelled, Sample
from safe_helpers import FAILED, Library, Scripted, counts, install_library, label, rate_by, values


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    return install_library(monkeypatch)


PAPER = {"evidence": "library", "steps": True, "early_stop": False}

# What a tolerant judge makes of each scenario's raw answers, where they differ from the plain script.
SCRIPTS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "normal": {},
    "all_irrelevant": {"IsRelevant": lambda q: False},
    "relevance_unparseable": {"IsRelevant": lambda q: FAILED},
    "relevance_wrong_case": {"IsRelevant": lambda q: True},
    "revise_unparseable": {"MakeSelfContained": lambda q: FAILED},
    "final_not_supported": {"RateFact": lambda q: "neutral"},
    "final_citation_bracket_first": {"RateFact": lambda q: "entailed"},
    "final_never": {"RateFact": lambda q: FAILED},
    "final_lowercase": {"RateFact": lambda q: "entailed"},
    "search_never": {"NextQuery": lambda q: FAILED},
    "search_stops_after_two": {},
    "split_empty_bullet": {"SplitSentence": lambda q: ("", f"About {q.sentence[:8]}", " ")},
    "split_no_bullets": {"SplitSentence": lambda q: ()},
    "split_star_bullets": {},
    "split_dash_inside": {
        "SplitSentence": lambda q: ("He played 1990 - 1995 there.", f"second {q.sentence}")
    },
    "split_numbered": {"SplitSentence": lambda q: (f"one {q.sentence}", f"two {q.sentence}")},
}
# Upstream loses facts here (first bracket only, exact case, a dash or a number read as no list, an empty
# bullet that raises); ours keeps them: claims, supported, irrelevant, not supported.
OURS = {
    "final_citation_bracket_first": (6, 6, 0, 0),
    "final_lowercase": (6, 6, 0, 0),
    "split_empty_bullet": (3, 3, 0, 0),
    "split_dash_inside": (6, 6, 0, 0),
    "split_numbered": (6, 6, 0, 0),
}


def paper_judge(name: str, output: dict[str, Any] | None) -> Scripted:
    facts = dict(output["sentences_and_atomic_facts"]) if output else {}
    order: dict[str, int] = {}

    def next_query(q: NextQuery) -> Any:
        if name == "search_stops_after_two" and len(q.knowledge) == 2:
            return FAILED
        # The reference numbers its calls: 2 that gave a query and 11 in vain, or 5.
        stride = 13 if name == "search_stops_after_two" else 5
        return f"query {stride * order.setdefault(q.fact, len(order)) + len(q.knowledge) + 1}"

    script: dict[str, Callable[[Any], Any]] = {
        "SplitSentence": lambda q: tuple(facts[q.sentence]),
        "MakeSelfContained": lambda q: f"SELF {q.fact}",
        "IsRelevant": lambda q: True,
        "NextQuery": next_query,
        "RateFact": lambda q: Reply("entailed", why="found"),
    }
    return Scripted(**(script | SCRIPTS[name]))


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_papers_steps(name: str, shared_golden: Callable[[str], Any], library: Library) -> None:
    golden = shared_golden("safe_scripted.json")
    assert set(golden["scenarios"]) == set(SCRIPTS)
    scenario = golden["scenarios"][name]
    output = scenario["output"]
    judge, safe = paper_judge(name, output), Safe(**PAPER)
    labelled = label(safe, Sample(id="1", question=golden["prompt"], response=golden["response"]), judge)
    got = tuple(counts(safe, labelled).values())
    if name in OURS:
        assert got == OURS[name]
        whole = [unit.text for unit in labelled.units if unit.id == "fact:a.1"]
        if name == "split_dash_inside":
            assert whole == ["He played 1990 - 1995 there."]
            assert output["sentences_and_atomic_facts"][0][1][0] == "He played 1990"
        else:
            assert output is None or (output["num_claims"], output["Supported"]) != got[:2]
        return
    assert got == tuple(output[k] for k in ("num_claims", "Supported", "Irrelevant", "Not Supported"))
    texts = {unit.id: unit.text for unit in labelled.units}
    sentences = [
        [texts[unit], [texts[f] for f in texts if f.startswith(f"fact:{unit[5:]}.")]]
        for unit in texts
        if unit.startswith("resp:")
    ]
    assert sentences == output["sentences_and_atomic_facts"]
    if name == "final_never":
        # Upstream drops them from every list; ours keeps each with the reason and what the model said.
        checks = [x for x in labelled.labels if x.name == "check"]
        assert [(x.value, x.reason) for x in checks] == [(None, "unreadable")] * 6
        assert sum(step.get("raw") == ["gibberish"] for step in labelled.steps) == 6
        assert safe.score(labelled)[0].state == "unscored"
        return
    own, relevant, check = (values(labelled, n) for n in ("self_contained", "relevant", "check"))
    facts = [unit for unit in texts if unit.startswith("fact:")]
    assert [own.get(f) or texts[f] for f in facts] == [
        x["self_contained_atomic_fact"] for x in output["checked_statements"]
    ]
    said = {"entailed": "Supported", "neutral": "Not Supported"}
    assert ["Irrelevant" if relevant[f] is False else said[check[f]] for f in facts] == [
        x["annotation"] for x in output["checked_statements"]
    ]
    assert_searches(name, scenario, labelled, judge, library, facts)


def assert_searches(
    name: str,
    scenario: dict[str, Any],
    labelled: Labelled,
    judge: Scripted,
    library: Library,
    facts: list[str],
) -> None:
    if name == "split_star_bullets":
        # The same two facts in three sentences: upstream pays three times, ours once.
        assert scenario["calls_by_kind"]["final"] == 6
        assert judge.kinds()["RateFact"] == 2
        assert len(library.queries) == 10
        assert len(values(labelled, "duplicate_of")) == 4
        return
    past = [
        [{k: s[k] for k in ("query", "result")} for s in labelled.steps if s["unit"] == f and "query" in s]
        for f in facts
    ]
    assert past == [x.get("google_searches", []) for x in scenario["output"]["past_steps_jsonified_all"]]
    assert len(library.queries) == scenario["n_searches"]
    # A question that fails is tried again inside the judge, so what upstream retries counts once here.
    theirs = scenario["calls_by_kind"]
    once = {
        "SplitSentence": theirs["split"],
        "MakeSelfContained": min(theirs.get("revise", 0), 6),
        "IsRelevant": min(theirs.get("relevance", 0), 6),
        "NextQuery": {"search_never": 6, "search_stops_after_two": 18}.get(
            name, theirs.get("next_search", 0)
        ),
        "RateFact": theirs.get("final", 0),
    }
    assert judge.kinds() == Counter({kind: n for kind, n in once.items() if n})


def test_a_failed_step_is_told_and_never_drops_the_fact(library: Library) -> None:
    script = paper_judge("normal", None).script | {
        "SplitSentence": lambda q: FAILED if "tea" in q.sentence else (q.sentence,),
        "MakeSelfContained": lambda q: FAILED,
        "IsRelevant": lambda q: FAILED,
    }
    safe = Safe(**PAPER)
    sample = Sample(id="1", question="q", response="Ann sings. Bob likes tea. Cy is tall.")
    labelled = label(safe, sample, Scripted(**script))
    own = [x for x in labelled.labels if x.name == "self_contained"]
    assert [(x.value, x.reason) for x in own] == [(None, "unreadable")] * 2
    kept = [(s["unit"], s["asked"]) for s in labelled.steps if "raw" in s]
    assert kept == [("response", "SplitSentence")] + [
        (unit, asked) for unit in ("fact:a.1", "fact:c.1") for asked in ("MakeSelfContained", "IsRelevant")
    ]
    relevant = [x for x in labelled.labels if x.name == "relevant"]
    assert [(x.value, x.reason) for x in relevant] == [(None, "unreadable")] * 2
    assert all("taken as relevant" in (x.why or "") for x in relevant)
    assert values(labelled, "check") == {"fact:a.1": "entailed", "fact:c.1": "entailed"}
    assert values(labelled, "facts") == {"response": 2, "resp:b": None}
    precision = safe.score(labelled)[0]
    assert precision.value == 1.0
    assert precision.reason == "1 sentences could not be split and their facts are missing"
    assert safe.gaps(labelled)["sentences that could not be split into facts"] == ("resp:b",)
    assert all(safe.owns(x) for x in labelled.labels)


def test_no_sentence_could_be_split(library: Library) -> None:
    safe = Safe(**PAPER)
    judge = Scripted(SplitSentence=lambda q: FAILED)
    labelled = label(safe, Sample(id="1", question="q", response="Ann sings. Bo sits."), judge)
    assert {s.state for s in safe.score(labelled)} == {"unscored"}
    assert safe.score(labelled)[0].reason == "the response was not split into facts: unreadable"


def test_a_repeated_sentence_is_asked_once_and_counts_each_time(library: Library) -> None:
    judge = paper_judge("normal", None)
    judge.script["SplitSentence"] = lambda q: (q.sentence,)
    safe = Safe(**PAPER)
    labelled = label(safe, Sample(id="1", question="q", response="Ann sings.\nBo sits.\nAnn sings."), judge)
    assert judge.kinds()["SplitSentence"] == 2
    assert counts(safe, labelled)["supported"] == 3
    assert values(labelled, "duplicate_of") == {"fact:a.2": True}
    sentence = next(unit for unit in labelled.units if unit.id == "resp:a")
    assert sentence.spans == ((0, 10), (20, 30))


def test_steps_over_the_samples_own_contexts() -> None:
    judge = paper_judge("normal", None)
    judge.script |= {
        "SplitSentence": lambda q: (q.sentence,),
        "MakeSelfContained": lambda q: q.fact,
        "NextQuery": lambda q: q.fact,
        "RateFact": rate_by("Bonn"),
    }
    contexts = ("Ann was born in Bonn in 1990.", "She lives in Rome; cats do, too.")
    response = "Ann was born in 1990. She lives in Rome. Cats purr."
    sample = Sample(id="1", question="Who is Ann?", response=response, contexts=contexts)
    labelled = label(Safe(steps=True, results=1), sample, judge)
    assert list(values(labelled, "check").values()) == ["entailed", "neutral", "neutral"]
    assert [s["sources"] for s in labelled.steps] == [["ctx:0"], ["ctx:1"], ["ctx:1"]]
