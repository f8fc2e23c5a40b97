"""What a sentence states of the world, and what it only says of the answer and its sources."""

from __future__ import annotations

import pytest

from adjudge.segment.claims import split_claims
from adjudge.segment.claims.statements import is_statement, substance


@pytest.mark.parametrize(
    "sentence",
    [
        "The toll for lorries is not specified in the provided context.",
        "Therefore, the toll is never explicitly stated in the given documents.",
        "The depth 2.5 km from the shore is not mentioned in the text.",
        "Based on the provided context, there is no mention of a toll.",
        "Based on the documents above, it is difficult to tell the toll.",
        "However, there are no opening hours mentioned in the provided context.",
        "The context provided doesn't contain the toll.",
        "Here are the steps you should follow: 1.",
        "To cross the bridge, do as follows: a)",
        "Sure!",
        "Of course.",
        "Please note that the toll is not mentioned in the provided context.",
        "I'm sorry, but the documents do not mention the toll.",
        "I don't have enough information to tell the toll.",
        "As an AI language model, I cannot cross bridges.",
        "If you have any further questions about the toll, please let me know.",
        "If you need more help, feel free to ask.",
        "Here is a list of the tolls.",
        "There is no information on the toll.",
        "There is no data available.",
        "No information about the toll is given.",
        "[Doc 1]",
        "(https://bridge.example/toll)",
        "【1†source】",
        "¹",
    ],
)
def test_what_is_said_of_the_sources_is_no_statement(sentence: str) -> None:
    assert not is_statement(sentence)
    assert split_claims(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The bridge was not mentioned in the documents released on Monday.",
        "The context does not state the toll, but the bridge costs more for lorries.",
        "Sources did not confirm the story.",
        "Information does not want to be free.",
        "The passage of time did not help.",
        "Text messages do not cost anything.",
        "The toll is not collected in winter.",
        "Please note that the toll is $4.",
        "Please pay at the gate within 3 days.",
        "If you have a trailer, pay $9 at the gate.",
        "If you want to cross at night, you must ring.",
        "If you have questions, please contact the gate on 555 0134.",
        "Sure, the toll is $4.",
        "Of course, the toll is $4.",
        "I'm sorry, but the toll is $4.",
        "I do not recommend the bridge to cyclists.",
        "There is no data limit on the plan.",
        "There are no records of frost before 1972.",
        "There are many people with trailers in the town.",
        "No personal information is stored at the gate.",
        "The power source does not support lamps.",
        "The document does not allow the tenant to keep pets.",
        "Based on the context, there is no toll for cyclists.",
    ],
)
def test_what_is_said_of_the_world_is_one(sentence: str) -> None:
    assert is_statement(sentence)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Based on the provided context, the bridge opened in 1911.", "The bridge opened in 1911."),
        ("According to the documents, it is red.", "It is red."),
        ("The passage clearly states that the bridge is red.", "The bridge is red."),
        ("No, based on the given documents, it is closed.", "No, it is closed."),
        ("Pay the toll at the gate [2]. 3.", "Pay the toll at the gate."),
        ("2. Pay the **toll** at the gate.", "Pay the toll at the gate."),
        ("In 1911, the bridge opened.", "In 1911, the bridge opened."),
        ("From information theory, we know its limit.", "From information theory, we know its limit."),
        ("It opened in 1911.", "It opened in 1911."),
        ("Sure, the toll is $4 [Doc 1].", "the toll is $4."),
        ("The toll is $4 [doc_1].", "The toll is $4."),
        ("The toll is $4 [^2].", "The toll is $4."),
        ("The toll is $4 [2](https://bridge.example/toll).", "The toll is $4."),
        ("The toll is $4 (https://bridge.example/toll).", "The toll is $4."),
        ("The toll is $4【3†source】.", "The toll is $4."),
        ("The toll is $4 (Document 1).", "The toll is $4."),
        ("The toll was raised<sup>1</sup>.", "The toll was raised."),
        ("The toll was raised.²", "The toll was raised."),
        ("The toll was raised (Holm et al., 2020; Ruiz, 2021).", "The toll was raised."),
        ("The deck covers 40 m² or 10<sup>6</sup> tiles.", "The deck covers 40 m² or 10<sup>6</sup> tiles."),
        ("The fair (London, 1851) was big.", "The fair (London, 1851) was big."),
        ("It opened again (May, 1990).", "It opened again (May, 1990)."),
        ("3.", "3."),
        ("", ""),
    ],
)
def test_a_sentence_without_its_frame(sentence: str, said: str) -> None:
    assert substance(sentence) == said
    assert substance(said) == said


def test_a_number_alone_is_an_answer_but_behind_a_sentence_the_mark_of_an_item() -> None:
    assert [claim.text for claim in split_claims("3.")] == ["3."]
    assert [claim.text for claim in split_claims("Pay at the gate. 3.")] == ["Pay at the gate."]


def test_what_stands_before_a_statement_is_no_part_of_its_claim() -> None:
    text = "Please note that refunds take 90 days. Certainly, the fee is $9. [Doc 2]"
    assert [claim.text for claim in split_claims(text)] == ["Refunds take 90 days.", "The fee is $9."]


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "The passage states that the bell weighs two tons. It also notes that the tower was rebuilt."
            " However, it suggests that the clock may stop.",
            ["The bell weighs two tons.", "The tower was rebuilt.", "The clock may stop."],
        ),
        (
            "According to the documents, the ferry left Lund. It further reports that the crew was unpaid.",
            ["The ferry left Lund.", "The crew was unpaid."],
        ),
        (
            "The Harbour Act was signed in May. It states that the toll is free.",
            ["The Harbour Act was signed in May.", "The Harbour Act states that the toll is free."],
        ),
    ],
)
def test_a_source_that_was_named_is_what_it_tells_next(text: str, claims: list[str], fine: bool) -> None:
    told = [claim.text for claim in split_claims(text, fine=fine)]
    assert [claim for claim in claims if claim not in told] == []
    assert not any("also notes" in claim or "further reports" in claim for claim in told)


@pytest.mark.parametrize("fine", [False, True])
def test_where_something_is_so_is_no_source(fine: bool) -> None:
    text = "In very damp contexts, such as cellars or caves, the paint may peel."
    assert text in [claim.text for claim in split_claims(text, fine=fine)]
    assert not any(claim.text.startswith("Such as") for claim in split_claims(text, fine=fine))


def test_code_is_told_without_its_fence() -> None:
    text = "The call to start it would be:\n```sh\nlamp --on\n```"
    assert [claim.text for claim in split_claims(text)] == ["The call to start it would be lamp --on."]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The ring $\\mathbb{Q}[2,7]$ is a field [3].", "The ring $\\mathbb{Q}[2,7]$ is a field."),
        ("The ideal \\(A[5]\\) is prime [2].", "The ideal \\(A[5]\\) is prime."),
        ("The lamp costs $5 [1] or $6 [2] here.", "The lamp costs $5 or $6 here."),
    ],
)
def test_brackets_of_a_formula_are_no_citation(text: str, claim: str) -> None:
    assert [told.text for told in split_claims(text)] == [claim]


@pytest.mark.parametrize("fine", [False, True])
def test_a_formula_with_a_comma_is_meant_whole(fine: bool) -> None:
    text = "The ring $Z[2,7]$ is a field. It is \\(k[2]\\) again."
    told = split_claims(text, fine=fine)[-1].text
    assert told == "The ring $Z[2,7]$ is \\(k[2]\\) again."


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "Passage 2 states that moles eat worms, and passage 5 mentions that voles eat roots.",
            ["Moles eat worms.", "Voles eat roots."],
        ),
        (
            "Several documents suggest or even state that the pump drains the mill.",
            ["The pump drains the mill."],
        ),
        ("Overall, the pump in Lund is loud.", ["The pump in Lund is loud."]),
        ("The file is called on__load [1].", ["The file is called on__load."]),
        ("It is __very__ loud.", ["It is very loud."]),
    ],
)
def test_words_before_a_statement_go_wherever_it_stands(text: str, claims: list[str]) -> None:
    assert [told.text for told in split_claims(text)] == claims


def test_what_follows_code_is_told_apart() -> None:
    text = "Run this:\n```sh\nlamp --on\nlamp --off\n```\nThe pump is loud. Then run:\n```\nlamp --blink\n```"
    told = [claim.text for claim in split_claims(text)]
    assert "The pump is loud." in told
    assert not any("`" in claim or "sh lamp" in claim for claim in told)
