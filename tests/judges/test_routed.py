"""Different questions to different judges."""

from __future__ import annotations

import asyncio

import pytest

from adjudge.chat.errors import GaveUp, ServerFault, WrongKey
from adjudge.errors import JudgeError, UsageError
from adjudge.judges.base import CheckClaims, ExtractClaims, Reply, Similarity, describe, opened
from adjudge.judges.registry import make_judge
from adjudge.judges.routed import RoutedJudge
from adjudge.judges.similarity import EmbeddingJudge, cosine


class Echo:
    """Answers everything it declares with its own name."""

    immediate = True

    def __init__(self, name, *answers):
        self.name = name
        self.answers = frozenset(answers)
        self.asked = []
        self.open = 0

    async def __aenter__(self):
        self.open += 1
        return self

    async def __aexit__(self, *error):
        self.open -= 1

    async def ask(self, questions):
        assert self.open
        self.asked.append(list(questions))
        return [Reply(f"{self.name}:{type(question).__name__}") for question in questions]


async def asked(judge, questions):
    async with opened(judge):
        return [reply.value for reply in await judge.ask(questions)]


CLAIM, CHECK = ExtractClaims("text"), CheckClaims(("c",), ("e",))


def test_each_question_goes_to_its_judge_in_one_batch_and_replies_keep_their_order():
    first, second = Echo("a", ExtractClaims), Echo("b", CheckClaims)
    judge = RoutedJudge({"claims": first, "check": second})
    assert judge.answers == {ExtractClaims, CheckClaims}
    replies = asyncio.run(asked(judge, [CHECK, CLAIM, CHECK]))
    assert replies == ["b:CheckClaims", "a:ExtractClaims", "b:CheckClaims"]
    assert [len(batch) for batch in second.asked] == [2]
    assert not first.open
    assert describe(judge) == "check=b,claims=a"


@pytest.mark.parametrize("routed", [True, False])
def test_one_judge_serves_two_runs_at_once(routed):
    """The first that ends leaves the other's connection open."""
    resource = Echo("held", ExtractClaims)

    async def embed(texts):
        await asyncio.sleep(0.001)
        assert resource.open
        return [(1.0,) for _ in texts]

    likeness = EmbeddingJudge("test", embed, resource=resource)
    judge = RoutedJudge({"claims": Echo("a", ExtractClaims), "similarity": likeness}) if routed else likeness

    async def run(times):
        async with opened(judge):
            return [(await judge.ask([Similarity("a", "b")]))[0].value for _ in range(times)]

    async def main():
        return await asyncio.gather(run(1), run(5))

    assert asyncio.run(main()) == [[1.0], [1.0] * 5]
    assert resource.open == 0


def test_what_was_opened_is_closed_where_a_later_one_cannot_be():
    class Shut(Echo):
        async def __aenter__(self):
            raise OSError("shut")

    first = Echo("a", ExtractClaims)
    judge = RoutedJudge({"claims": first, "check": Shut("b", CheckClaims)})
    with pytest.raises(OSError, match="shut"):
        asyncio.run(asked(judge, [CLAIM]))
    assert first.open == 0


def test_the_rest_goes_to_the_star():
    judge = RoutedJudge({"*": Echo("all", ExtractClaims, CheckClaims), "check": Echo("b", CheckClaims)})
    assert asyncio.run(asked(judge, [CLAIM, CHECK])) == ["all:ExtractClaims", "b:CheckClaims"]


def test_a_question_without_judge_and_a_judge_without_answers_are_named():
    with pytest.raises(JudgeError, match="no judge was named for CheckClaims"):
        asyncio.run(asked(RoutedJudge({"claims": Echo("a", ExtractClaims)}), [CHECK]))
    with pytest.raises(JudgeError, match="'rules' cannot be asked for claims"):
        make_judge("claims=rules")
    with pytest.raises(UsageError, match="no role 'claim'"):
        make_judge("claim=rules")
    with pytest.raises(
        JudgeError, match=r"claims \(ExtractClaims, ExtractFacts, MakeSelfC.*, SplitSentence\)"
    ):
        make_judge("claims=rules")
    with pytest.raises(UsageError, match="the role 'check' is given twice"):
        make_judge("check=local,claims=local, check=rules")
    with pytest.raises(UsageError, match="ROLE=JUDGE"):
        make_judge("similarity=rules,check")


def test_similarity_can_be_sent_elsewhere():
    judge = make_judge("rules", similarity="jaccard")
    assert asyncio.run(asked(judge, [Similarity("red fox", "red dog")])) == [1 / 3]
    with pytest.raises(UsageError, match="jaccard, local"):
        make_judge("rules", similarity="magic")


def test_a_failed_embedding_costs_its_questions_and_a_wrong_key_the_run():
    async def embed(texts):
        if "b" in texts:
            raise GaveUp(3, ServerFault("busy"))
        raise WrongKey("no")

    judge = EmbeddingJudge("test", embed)
    (reply,) = asyncio.run(judge.ask([Similarity("a", "b")]))
    assert (reply.value, reply.reason) == (None, "no answer after 3 attempts: busy")
    with pytest.raises(WrongKey):
        asyncio.run(judge.ask([Similarity("a", "c")]))


def test_embedding_similarity_is_the_cosine_and_embeds_each_text_once():
    seen = []

    async def embed(texts):
        seen.append(list(texts))
        return [{"a": (1.0, 0.0), "b": (1.0, 1.0), "z": (0.0, 0.0)}[text] for text in texts]

    judge = EmbeddingJudge("test", embed)
    replies = asyncio.run(judge.ask([Similarity("a", "b"), Similarity("b", "a"), Similarity("a", "z")]))
    assert replies[0].value == pytest.approx(2**-0.5)
    assert replies[0].value == replies[1].value
    assert replies[2].value is None
    assert "zero" in replies[2].reason
    assert seen == [["a", "b", "z"]]
    assert cosine((2.0, 0.0), (-3.0, 0.0)) == -1.0
