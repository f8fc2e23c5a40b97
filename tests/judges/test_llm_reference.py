"""The scripted scenarios of the reference implementations, answered by a model behind our own prompts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from adjudge.chat import ChatRequest
from adjudge.chat.scripted import Scripted
from adjudge.judges.base import CheckClaims, ExtractClaims
from adjudge.judges.llm import LlmJudge
from adjudge.metrics.entailment import numpy_round
from adjudge.protocols.ragchecker import RagChecker
from adjudge.types import Grid, Label, Sample, Unit
from judges.llm_helpers import blocks, lines_of, scripted

WORDS = {"e": "Entailment", "n": "Neutral", "c": "Contradiction"}


def rule_claims(text: str) -> list[str]:
    """The golden's rule: first, second and up to three more words of each sentence of three or more."""
    found = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        words = sentence.replace('"', "").rstrip(".").split()
        if len(words) >= 3:
            found.append(" ".join(words[:5]).rstrip("."))
    return found


def rule_label(claim: str, evidence: str) -> str:
    """Entailed if all words of the object occur, else contradicted if those of the subject do."""
    subject, _, *rest = claim.split()
    known = set(re.findall(r"\w+", evidence.lower()))
    if set(re.findall(r"\w+", " ".join(rest).lower())) <= known:
        return "e"
    return "c" if set(re.findall(r"\w+", subject.lower())) <= known else "n"


def model() -> Scripted:
    def answer(request: ChatRequest) -> Any:
        shown = blocks(request)
        if "claims" not in shown:
            return {"claims": rule_claims(shown["text"][0])}
        rows = []
        for key, claim in lines_of(shown["claims"][0]):
            cells = "".join(rule_label(claim, evidence) for evidence in shown["evidence"])
            rows.append({
                "claim": int(key),
                "entailed_by": [n for n, cell in enumerate(cells, 1) if cell == "e"],
                "contradicted_by": [n for n, cell in enumerate(cells, 1) if cell == "c"],
            })  # fmt: skip
        return {"rows": rows}

    return scripted(answer)


async def check(judge: LlmJudge, claims: Sequence[str], evidence: Sequence[str], *, joint: bool) -> list[str]:
    """The grid: asked at once, or one claim and one evidence text at a time."""
    if joint:
        [reply] = await judge.ask([CheckClaims(tuple(claims), tuple(evidence), "q")])
        return list(reply.value)
    pairs = [CheckClaims((claim,), (text,), "q") for claim in claims for text in evidence]
    cells = [reply.value[0] for reply in await judge.ask(pairs)]
    width = len(evidence)
    return ["".join(cells[row * width : (row + 1) * width]) for row in range(len(claims))]


async def labelled(judge: LlmJudge, result: dict[str, Any], *, joint: bool) -> dict[str, Any]:
    """Claims and verdicts of one sample, in the golden's own form."""
    passages = [passage["text"] for passage in result["retrieved_context"]]
    texts = {"response": result["response"], "gt_answer": result["gt_answer"]}
    replies = await judge.ask([ExtractClaims(text, result["query"]) for text in texts.values()])
    response, reference = (reply.value for reply in replies)
    of_response, of_reference = await asyncio.gather(
        check(judge, response, [texts["gt_answer"], *passages], joint=joint),
        check(judge, reference, [texts["response"], *passages], joint=joint),
    )
    return {
        "response_claims": list(response),
        "gt_answer_claims": list(reference),
        "answer2response": [WORDS[row[0]] for row in of_response],
        "response2answer": [WORDS[row[0]] for row in of_reference],
        "retrieved2response": [[WORDS[cell] for cell in row[1:]] for row in of_response],
        "retrieved2answer": [[WORDS[cell] for cell in row[1:]] for row in of_reference],
    }


def metrics(found: dict[str, Any], width: int) -> dict[str, float | None]:
    """RAGChecker's eleven from these labels."""
    units, labels, grids = [], [], []
    for text, other, claims, whole, table in (
        ("response", "reference", "response_claims", "answer2response", "retrieved2response"),
        ("reference", "response", "gt_answer_claims", "response2answer", "retrieved2answer"),
    ):
        ids = tuple(f"claim:{text}:{n}" for n in range(len(found[claims])))
        units += [Unit(name, claim) for name, claim in zip(ids, found[claims], strict=True)]
        labels.append(Label("claims", text, len(ids), None, "judge:m"))
        columns = (other, *(f"ctx:{n}" for n in range(width)))
        cells = [[first, *rest] for first, rest in zip(found[whole], found[table], strict=True)]
        lines = tuple("".join(label[0].lower() for label in row) for row in cells)
        grids.append(Grid("check", ids, columns, lines, "judge:m"))
    sample = Sample(id="s", response="r", reference="g", contexts=("p",) * width, units=tuple(units),
                    labels=tuple(labels), grids=tuple(grids))  # fmt: skip
    protocol = RagChecker()
    scores = protocol.score(protocol.given(sample, "judge:m"))
    return {score.metric.removeprefix("ragchecker."): score.value for score in scores}


@pytest.mark.parametrize("form", ["joint", "single"])
def test_the_whole_of_ragchecker_with_a_scripted_model(
    form: str, shared_golden: Callable[[str], Any]
) -> None:
    scenario = shared_golden("ragchecker_e2e_scripted.json")[form]
    results = scenario["output"]["results"]
    assert len(results) == 4
    values: list[dict[str, float | None]] = []
    for result in results:
        backend = model()
        judge = LlmJudge(backend, model="m")
        found = asyncio.run(labelled(judge, result, joint=form == "joint"))
        for field, got in found.items():
            wanted = result[field]
            if field.endswith("claims"):
                wanted = [" ".join(triple) for triple in wanted]
            assert got == wanted, (result["query_id"], field)
        calls = len(backend.asked)
        texts = sum(bool(result[name]) for name in ("response", "gt_answer"))
        if form == "joint":
            assert calls <= 4, "two extractions and two checks, however many passages"
        else:
            pairs = sum(len(found[name]) for name in ("answer2response", "response2answer"))
            pairs += sum(
                len(row) for name in ("retrieved2response", "retrieved2answer") for row in found[name]
            )
            # An empty response entails nothing, so its one pair is not asked.
            assert calls == texts + pairs - (len(found["response2answer"]) if not result["response"] else 0)
        values.append(metrics(found, len(result["retrieved_context"])))
        for name, value in result["metrics"].items():
            assert values[-1][name] == pytest.approx(value, abs=1e-12), (result["query_id"], name)
    for group in scenario["aggregate"].values():
        for name, value in group.items():
            mean = sum(found[name] or 0.0 for found in values) / len(values)
            assert numpy_round(100 * mean) == value, name


def test_joint_checking_as_in_the_reference_values(shared_golden: Callable[[str], Any]) -> None:
    """Order and empty inputs as upstream; text claims are shown whole, not their first three characters."""
    golden = shared_golden("refchecker.json")
    wanted = golden["check"]["joint_list_refs"]["result"]

    def alternating(request: ChatRequest) -> dict[str, Any]:
        rows = []
        for key, _ in lines_of(blocks(request)["claims"][0]):
            row: dict[str, Any] = {"claim": int(key), "entailed_by": [], "contradicted_by": []}
            row["contradicted_by" if int(key) % 2 else "entailed_by"] = [1, 2]
            rows.append(row)
        return {"rows": rows}

    backend = scripted(alternating)
    questions = [CheckClaims(tuple(f"claim {n}" for n in range(7)), ("r1", "r2")), CheckClaims((), ("r",)),
                 CheckClaims(("c",), ())]  # fmt: skip
    replies = asyncio.run(LlmJudge(backend, model="m").ask(questions))
    assert [[[WORDS[cell] for cell in row] for row in reply.value] for reply in replies] == wanted
    assert len(backend.asked) == 1, "upstream asks 4 times for the first, in chunks of 5 claims"
    assert golden["check"]["joint_text_claim_rendered"] == ['("P", "a", "r")']
    text = scripted({"rows": [{"claim": 1}]})
    asyncio.run(LlmJudge(text, model="m").ask([CheckClaims(("Paris is big.",), ("r",))]))
    assert blocks(text.asked[0])["claims"] == ["[1] Paris is big."]


def test_single_answers_with_several_words(shared_golden: Callable[[str], Any]) -> None:
    golden = shared_golden("refchecker.json")["check"]
    pair = CheckClaims(("c",), ("r",))

    def said(text: str) -> str:
        [reply] = asyncio.run(LlmJudge(scripted(text), model="m").ask([pair]))
        return WORDS[reply.value[0]]

    # Deviation: upstream knows only the noun, and takes "Entailed" for Neutral.
    assert golden["single_entailed_word"]["result"] == [["Neutral"]]
    assert said("Entailed") == "Entailment"
    # Deviation: where both words occur upstream says Contradiction; ours takes the first, with a note.
    assert golden["single_both_words"]["result"][0][0] == ["Contradiction", "Contradiction"]
    assert said("Entailment, there is no contradiction.") == "Entailment"
    assert said("Contradiction") == "Contradiction"
