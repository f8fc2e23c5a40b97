"""A threshold moves verdicts, and nothing else that the verifier answers."""

from __future__ import annotations

from adjudge.judges.base import CheckClaims, LabelSentences, RateFact, Reply, Similarity
from adjudge.judges.local.judge import LocalJudge
from adjudge.judges.local.thresholded import Thresholded
from adjudge.judges.local.verifier import FeatureVerifier, Opinion, make_verifier

CONTEXTS = (
    ("0a", "The mill at Orn was opened in 1887."),
    ("0b", "It is 326 metres long."),
    ("1a", "The ferry ran until 1966."),
    ("1b", "Tickets cost two pence."),
)
RESPONSE = (
    ("a", "The mill opened in 1887."),
    ("b", "It is over 300 metres long."),
    ("c", "Tickets were cheap."),
)
QUESTIONS = (
    LabelSentences("When did the mill open and how long is it?", CONTEXTS, RESPONSE),
    RateFact("The mill opened in 1887.", ("The mill was opened in 1887.", "The ferry ran until 1966.")),
    Similarity("The cat sat on the mat.", "A cat was sitting on a rug."),
    CheckClaims(("The mill opened in 1960.",), ("The mill at Orn was opened in 1887.",)),
)


def answers(threshold: float | None) -> list[Reply]:
    inner = make_verifier()
    return LocalJudge(verifier=Thresholded(inner, threshold) if threshold else inner).answer(QUESTIONS)


def test_a_threshold_of_about_one_half_changes_no_answer() -> None:
    plain, shifted = answers(None), answers(0.5001)
    for one, other in zip(plain[1:], shifted[1:], strict=True):
        assert one.value == other.value
    labels, others = plain[0].value, shifted[0].value
    assert (labels.relevant, labels.used, labels.overall_supported) == (
        others.relevant,
        others.used,
        others.overall_supported,
    )
    assert [entry.support for entry in labels.support] == [entry.support for entry in others.support]


def test_a_high_threshold_leaves_what_is_no_verdict() -> None:
    plain, strict = answers(None), answers(0.99)
    assert strict[0].value.relevant == plain[0].value.relevant
    assert strict[2].value == plain[2].value
    assert strict[1].probabilities["entailed"] < plain[1].probabilities["entailed"]


def test_what_was_read_off_the_text_stays_so() -> None:
    class Settled:
        name = "settled"

        def verdicts(self, claims: object, evidences: object) -> list[Opinion]:
            return [Opinion(0.1, 0.2, 0.7, "read", settled=True)]

    assert Thresholded(Settled(), 0.4).verdicts(["a"], ["b"])[0].settled


def test_a_verifier_that_answers_nothing_else_still_does_not() -> None:
    shifted = Thresholded(FeatureVerifier(), 0.4)
    assert (shifted.traces, shifted.borne_out, shifted.similarities) == (None, None, None)
