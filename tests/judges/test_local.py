from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import JudgeError
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
    Similarity,
    SplitSentence,
    SupportSentence,
)
from adjudge.judges.local import encoder as encoder_module
from adjudge.judges.local.cross_encoder import columns, opinion
from adjudge.judges.local.encoder import bundled, make_encoder
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.verifier import FeatureVerifier, Opinion, make_verifier

FULL = "Paris is the capital of France. It covers 105 square kilometers and has 2M people."
FULL_TRUTH = "The capital of France is Paris and it's 105.4 square kilometers with a population of 2.1M"
POOR = "Paris is the capital of France with 5 million people."
POOR_TRUTH = (
    "Paris is the capital of France and it's 105.4 square kilometers with a population of 2.1 million people."
)


@pytest.fixture(scope="module")
def judge() -> LocalJudge:
    return LocalJudge()


def ask(judge: LocalJudge, *questions: Question) -> list[Reply]:
    return asyncio.run(judge.ask(questions))


def entailed_share(judge: LocalJudge, text: str, against: str) -> tuple[int, int]:
    (claims,) = ask(judge, ExtractClaims(text))
    (checked,) = ask(judge, CheckClaims(claims.value, (against,)))
    return sum(cells == "e" for cells in checked.value), len(claims.value)


@pytest.mark.parametrize(
    ("response", "truth", "precision", "recall"),
    [(FULL, FULL_TRUTH, (3, 3), (3, 3)), (POOR, POOR_TRUTH, (1, 2), (1, 3))],
)
def test_worked_examples_from_raw_text(
    judge: LocalJudge, response: str, truth: str, precision: tuple[int, int], recall: tuple[int, int]
) -> None:
    assert entailed_share(judge, response, truth) == precision
    assert entailed_share(judge, truth, response) == recall


def test_the_wrong_number_is_a_contradiction_and_says_so(judge: LocalJudge) -> None:
    (reply,) = ask(judge, CheckClaims(("Paris has 5 million people.",), (POOR_TRUTH,)))
    assert reply.value == ("c",)
    assert "5 million / 2.1 million" in (reply.why or "")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Berlin is the capital of France.", "Paris is the capital of France."),
        ("Paris is not the capital of France.", "Paris is the capital of France."),
        ("The bridge opened in 1931.", "The bridge opened in 1913."),
        ("The museum holds 500 paintings.", "The museum holds paintings by local artists."),
    ],
)
def test_alike_in_words_is_not_entailed(judge: LocalJudge, claim: str, evidence: str) -> None:
    (reply,) = ask(judge, CheckClaims((claim,), (evidence,)))
    assert reply.value != ("e",)
    (near,) = judge._cosines([Similarity(claim, evidence)])
    assert near.value > 0.6, "these are traps only if cosine falls for them"


def test_grid_has_a_cell_a_passage_and_probabilities_that_add_up(judge: LocalJudge) -> None:
    claims = ("Oslo is the capital of Norway.", "Cats sleep.")
    evidence = ("Oslo is the capital of Norway.", "", "The moon is made of rock.")
    (reply,) = ask(judge, CheckClaims(claims, evidence))
    assert reply.value[0][0] == "e"
    assert [len(cells) for cells in reply.value] == [3, 3]
    assert reply.value[0][1] == "n"
    for row in reply.probabilities:
        for shares in row:
            assert sum(shares) == pytest.approx(1.0)


def test_empty_inputs(judge: LocalJudge) -> None:
    replies = ask(
        judge,
        ExtractClaims(""),
        CheckClaims((), ("text",)),
        CheckClaims(("A claim.",), ()),
        LabelSentences("", (), ()),
        LabelSentences("Who?", (("0a", "Ann won."),), ()),
        LabelSentences("Who?", (), (("a", "Ann won the race."),)),
        ExtractFacts("", "", ()),
        RateFact("Ann won.", ()),
        RelevantSentences("", ()),
        SupportSentence((), (), "a"),
        Similarity("", ""),
        Similarity("", "word"),
    )
    values = [reply.value for reply in replies]
    assert values[0] == ()
    assert values[1] == ()
    assert values[2] == ("",)
    assert values[3].support == ()
    assert values[4].used == ()
    assert values[5].support[0].support == "none"
    assert values[6] == ()
    assert values[7] == "neutral"
    assert values[8] == ()
    assert values[9] is None
    assert replies[9].reason
    assert values[10:] == [1.0, 0.0]


CONTEXTS = (
    ("0a", "The lighthouse on Skerry Point was built in 1862."),
    ("0b", "Its keeper grew potatoes."),
    ("1a", "Whales pass the coast in autumn."),
)


def test_sentence_labels(judge: LocalJudge) -> None:
    response = (
        ("a", "The lighthouse on Skerry Point was built in 1862."),
        ("b", "The lighthouse on Skerry Point was built in 1902."),
        ("c", "I hope this helps."),
    )
    (reply,) = ask(judge, LabelSentences("When was the Skerry Point lighthouse built?", CONTEXTS, response))
    labels = reply.value
    assert "0a" in labels.relevant
    assert "1a" not in labels.relevant
    assert "0a" in labels.used
    assert "1a" not in labels.used
    assert [entry.support for entry in labels.support] == ["full", "none", "full"]
    assert labels.support[0].supported_by == ("0a",)
    assert labels.support[2].supported_by == ("supported_without_sentence",)
    assert labels.overall_supported is False
    assert all(entry.why for entry in labels.support)


def test_steps_give_what_the_joint_question_gives(judge: LocalJudge) -> None:
    response = (("a", "The lighthouse was built in 1862."), ("b", "Whales sing."))
    question = "When was the lighthouse built?"
    joint, relevant, *supports = ask(
        judge,
        LabelSentences(question, CONTEXTS, response),
        RelevantSentences(question, CONTEXTS),
        *(SupportSentence(CONTEXTS, response, key, question) for key, _ in response),
    )
    assert tuple(reply.value for reply in supports) == joint.value.support
    # Alone, it is answered without the response; the joint answer may also name what the response speaks of.
    assert relevant.value == ("0a",)
    assert set(relevant.value) <= set(joint.value.relevant)


def test_facts(judge: LocalJudge) -> None:
    sentences = (
        "Ann Berg won the Oslo race in 1990.",
        "She won the Oslo race in 1990.",
        "She won the Oslo race in 1992.",
    )
    (reply,) = ask(judge, ExtractFacts("Who is Ann Berg?", " ".join(sentences), sentences))
    facts = {fact.text: fact for fact in reply.value}
    assert "Ann Berg won the Oslo race in 1992." in facts
    repeats = [fact.duplicate_of for fact in reply.value if fact.sentence == 1]
    assert repeats
    assert None not in repeats
    assert facts["Ann Berg won the Oslo race in 1992."].duplicate_of is None
    assert all(fact.relevant for fact in reply.value)


def test_facts_step_by_step(judge: LocalJudge) -> None:
    response = "Ann Berg is a runner. She won the Oslo race."
    split, whole, on, off = ask(
        judge,
        SplitSentence("She won the Oslo race.", response),
        MakeSelfContained("She won the Oslo race.", response),
        IsRelevant("Ann Berg won the Oslo race.", "Who is Ann Berg?", response),
        IsRelevant("Granite contains quartz.", "Who is Ann Berg?", response),
    )
    assert split.value == ("She won the Oslo race.",)
    assert whole.value == "Ann Berg won the Oslo race."
    assert on.value is True
    assert off.value is False


def test_rating_and_query(judge: LocalJudge) -> None:
    rated, query = ask(
        judge,
        RateFact("The mill opened in 1931.", ("Rain fell.", "The mill opened in 1931 near the river.")),
        NextQuery("The mill opened in 1931."),
    )
    assert rated.value == "entailed"
    assert set(rated.probabilities) == {"entailed", "neutral", "contradicted"}
    assert query.value == "The mill opened in 1931"


def test_rgb_questions(judge: LocalJudge) -> None:
    replies = ask(judge, IsRefusal("Who?", "I don't know."), PointsOutError("The document is wrong."))
    assert [reply.value for reply in replies] == [True, True]


def test_every_kind_has_an_answer_and_the_foreign_one_an_error(judge: LocalJudge) -> None:
    class Unheard(Question, frozen=True):
        pass

    with pytest.raises(JudgeError, match="Unheard"):
        ask(judge, Unheard())
    assert {CheckClaims, ExtractFacts, LabelSentences, RateFact} <= judge.answers
    assert judge.name == "local"
    assert judge.describe().startswith("local@15+")


def test_verdicts_do_not_depend_on_company_or_order() -> None:
    claims = [f"Ann Berg won {n} races in 19{n}." for n in range(20, 40)]
    texts = [f"In 19{n} Ann Berg won {n} races. She lost {n - 1} others." for n in range(21, 41)]
    alone = [FeatureVerifier().verdicts([c], [t])[0] for c, t in zip(claims, texts, strict=True)]
    order = list(range(len(claims)))
    random.Random(7).shuffle(order)
    mixed = FeatureVerifier().verdicts([claims[i] for i in order], [texts[i] for i in order])
    assert [alone[i] for i in order] == mixed


def test_vectors_do_not_depend_on_company() -> None:
    texts = ["a short text", "another, rather longer, text about boats and rivers", ""]
    together = bundled().encode(texts)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(bundled().encode([text])[0], row)
    assert np.linalg.norm(together[:2], axis=1) == pytest.approx(1.0)
    assert not together[2].any()


def test_altered_vectors_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "l2_supercat_256.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(encoder_module, "_wordllama_folder", lambda: tmp_path)
    with pytest.raises(JudgeError, match="not the file"):
        encoder_module.BundledEncoder()


class _Stub:
    """A verifier of the user's own."""

    name = "stub@2"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def verdicts(self, claims: Sequence[str], evidences: Sequence[str]) -> list[Opinion]:
        self.calls.append(len(claims))
        return [Opinion(0.9, 0.1, 0.0, "said so") for _ in claims]


def test_the_seam_takes_one_batch_of_distinct_pairs() -> None:
    stub = _Stub()
    judge = LocalJudge(verifier=stub)
    one = CheckClaims(("A b.", "C d."), ("x", "y"))
    replies = ask(judge, one, one, CheckClaims(("A b.",), ("z",)))
    assert [reply.value for reply in replies] == [("ee", "ee"), ("ee", "ee"), ("e",)]
    assert stub.calls == [5]
    assert judge.describe().endswith("stub@2")


def test_models_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="no folder"):
        make_verifier(str(tmp_path / "none"))
    with pytest.raises(JudgeError, match=r"model\.onnx"):
        make_encoder(str(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(JudgeError, match=r"tokenizer\.json"):
        make_verifier(str(tmp_path))


def test_outputs_of_other_models_are_read_by_their_names() -> None:
    labels = {0: "CONTRADICTION", 1: "neutral", 2: "Entailment"}
    assert columns(labels) == (2, 1, 0)
    assert columns({0: "not_entailment", 1: "entailment"}) == (1, None, None)
    found = opinion(np.log(np.array([0.2, 0.3, 0.5])), labels, "")
    assert found[:3] == pytest.approx((0.5, 0.3, 0.2))
    assert opinion(np.array([0.0]), {}, "")[:3] == (0.5, 0.5, 0.0)
    with pytest.raises(JudgeError, match="id2label"):
        opinion(np.zeros(2), {0: "A", 1: "B"}, "")
